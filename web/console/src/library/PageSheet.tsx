import type { FractionBox, PageTextLine } from "@pincite/client";
import { useEffect, useLayoutEffect, useRef, useState } from "react";
import { client } from "../api/client.js";
import styles from "./PageSheet.module.css";

/** Part of the height of the window that stays visible above a highlighted passage. */
const SPACE_ABOVE = 0.25;

/** Image of a page with its text laid over it, so that words can be selected and copied. */
export function PageSheet({
  documentId,
  title,
  page,
  zoom,
  lines,
  highlights,
  showsLines,
}: {
  documentId: string;
  title: string;
  page: number;
  zoom: number;
  lines: readonly PageTextLine[];
  highlights: readonly FractionBox[];
  showsLines: boolean;
}) {
  const sheet = useRef<HTMLDivElement>(null);
  const [hasImage, setHasImage] = useState(false);
  const [hasFailed, setHasFailed] = useState(false);
  useEffect(() => {
    sheet.current?.style.setProperty("width", `${zoom * 100}%`);
  }, [zoom]);
  const top = highlights[0]?.y;
  useEffect(() => {
    if (!hasImage || top === undefined || !sheet.current) return;
    const { height } = sheet.current.getBoundingClientRect();
    const main = sheet.current.closest("main");
    const offset = sheet.current.offsetTop + top * height;
    main?.scrollTo({ top: offset - window.innerHeight * SPACE_ABOVE });
  }, [hasImage, top]);
  const source = `/documents/${encodeURIComponent(documentId)}/pages/${page}.webp`;
  return (
    <section className={styles.frame} aria-label={`Page ${page}`}>
      {hasFailed && <p className={styles.failure}>The image of this page could not be loaded.</p>}
      <div ref={sheet} className={styles.sheet} data-lines={showsLines}>
        <img
          src={client.url(source, { scale: 2 })}
          alt={`Page ${page} of ${title}${highlights.length > 0 ? ", passage marked" : ""}`}
          hidden={hasFailed}
          onLoad={() => setHasImage(true)}
          onError={() => setHasFailed(true)}
        />
        {highlights.map((box) => (
          <Placed key={`${box.x} ${box.y}`} box={box} className={styles.highlight} />
        ))}
        {hasImage &&
          lines.map((line, index) => (
            <TextLine
              key={`${line.page} ${line.line}`}
              line={line}
              order={index + 1}
              showsRole={showsLines}
            />
          ))}
      </div>
    </section>
  );
}

/** Sets the place of an element. Styles are set by script, because the content security policy forbids attributes. */
function place(element: HTMLElement, box: FractionBox): void {
  element.style.setProperty("left", `${box.x * 100}%`);
  element.style.setProperty("top", `${box.y * 100}%`);
  element.style.setProperty("width", `${box.width * 100}%`);
  element.style.setProperty("height", `${box.height * 100}%`);
}

function Placed({ box, className }: { box: FractionBox; className: string | undefined }) {
  const element = useRef<HTMLSpanElement>(null);
  useEffect(() => {
    if (element.current) place(element.current, box);
  }, [box]);
  return <span ref={element} className={className} />;
}

/** Names of the roles of lines. */
const ROLE_NAMES: Record<PageTextLine["role"], string> = {
  text: "text",
  heading: "heading",
  running: "running head",
  pageNumber: "page number",
  lineNumber: "line number",
  footnote: "footnote",
  caption: "caption",
  aside: "aside",
};

/** Invisible text of a line, stretched to the width that the line has in the image. */
function TextLine({
  line,
  order,
  showsRole,
}: {
  line: PageTextLine;
  order: number;
  showsRole: boolean;
}) {
  const element = useRef<HTMLSpanElement>(null);
  const text = useRef<HTMLSpanElement>(null);
  useLayoutEffect(() => {
    if (!element.current || !text.current) return;
    place(element.current, line.box);
    const { clientWidth, clientHeight } = element.current;
    text.current.style.setProperty("font-size", `${Math.max(1, clientHeight * 0.8)}px`);
    const natural = text.current.offsetWidth;
    if (natural > 0) {
      text.current.style.setProperty("transform", `scaleX(${clientWidth / natural})`);
    }
  }, [line]);
  return (
    <span ref={element} className={styles.line} data-role={line.role}>
      <span ref={text} className={styles.text} dir="auto">
        {line.text}
      </span>
      {showsRole && (
        <span className={styles.role}>
          {order} {line.role === "text" ? "" : ROLE_NAMES[line.role]}
        </span>
      )}
    </span>
  );
}
