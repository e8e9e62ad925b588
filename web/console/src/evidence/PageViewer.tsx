import type { EvidenceBox } from "@pincite/client";
import { ChevronLeft, ChevronRight, ZoomIn, ZoomOut } from "lucide-react";
import { useCallback, useEffect, useRef, useState } from "react";
import { client } from "../api/client.js";
import { PageLoading } from "../shell/PageLoading.js";
import { Button } from "../ui/Button.js";
import styles from "./PageViewer.module.css";

/** Widths of the page image, in parts of the panel. */
const ZOOM_LEVELS = [1, 1.5, 2, 3] as const;
/** Part of the height that stays visible above the passage. */
const SPACE_ABOVE = 0.3;

/** Image of a page, scrolled to the passage. Other pages of the document can be turned to. */
export function PageViewer({
  documentId,
  title,
  evidenceId,
  firstPage,
  pageCount,
  boxes,
  isNearest,
}: {
  documentId: string;
  title: string;
  evidenceId: string;
  firstPage: number;
  pageCount: number;
  boxes: readonly EvidenceBox[];
  /** True if the boxes are those of the most similar passage, because the quote was not found. */
  isNearest: boolean;
}) {
  const [page, setPage] = useState(firstPage);
  const [zoom, setZoom] = useState(0);
  const [hasFailed, setHasFailed] = useState(false);
  const [isLoaded, setIsLoaded] = useState(false);
  const frame = useRef<HTMLDivElement>(null);
  const sheet = useRef<HTMLDivElement>(null);
  const onPage = boxes.filter((box) => box.page === page);
  const top = onPage.length === 0 ? undefined : Math.min(...onPage.map((box) => box.y));

  const scrollToPassage = useCallback(() => {
    if (!frame.current || !sheet.current || top === undefined) return;
    const margin = frame.current.clientHeight * SPACE_ABOVE;
    frame.current.scrollTop = sheet.current.clientHeight * top - margin;
  }, [top]);
  useEffect(() => {
    sheet.current?.style.setProperty("width", `${(ZOOM_LEVELS[zoom] ?? 1) * 100}%`);
    scrollToPassage();
  }, [zoom, scrollToPassage]);

  const isMarked = onPage.length > 0;
  const turn = (offset: number) => {
    setHasFailed(false);
    setIsLoaded(false);
    setPage(page + offset);
  };
  const isSharp = (ZOOM_LEVELS[zoom] ?? 1) * window.devicePixelRatio >= 2;
  const query = { scale: isSharp ? 2 : 1, citation: isNearest ? undefined : evidenceId };
  return (
    <figure className={styles.viewer}>
      <div className={styles.bar}>
        <Button
          kind="icon"
          aria-label="Previous page"
          disabled={page <= 1}
          onClick={() => turn(-1)}
        >
          <ChevronLeft size={18} />
        </Button>
        <figcaption>
          Page {page} of {pageCount}
        </figcaption>
        <Button
          kind="icon"
          aria-label="Next page"
          disabled={page >= pageCount}
          onClick={() => turn(1)}
        >
          <ChevronRight size={18} />
        </Button>
        <span className={styles.space} />
        <Button
          kind="icon"
          aria-label="Zoom out"
          disabled={zoom === 0}
          onClick={() => setZoom(zoom - 1)}
        >
          <ZoomOut size={18} />
        </Button>
        <Button
          kind="icon"
          aria-label="Zoom in"
          disabled={zoom === ZOOM_LEVELS.length - 1}
          onClick={() => setZoom(zoom + 1)}
        >
          <ZoomIn size={18} />
        </Button>
      </div>
      <div ref={frame} className={styles.frame} tabIndex={0} role="group" aria-label="Page image">
        {hasFailed ? (
          <p className={styles.failure}>The image of this page could not be loaded.</p>
        ) : (
          <div ref={sheet} className={styles.sheet} data-loaded={isLoaded}>
            {!isLoaded && (
              <div className={styles.loading}>
                <PageLoading />
              </div>
            )}
            <img
              src={client.url(
                `/documents/${encodeURIComponent(documentId)}/pages/${page}.webp`,
                query,
              )}
              alt={`Page ${page} of ${title}${isMarked ? ", passage marked" : ""}`}
              onLoad={() => {
                setIsLoaded(true);
                scrollToPassage();
              }}
              onError={() => setHasFailed(true)}
            />
            {isNearest && onPage.map((box) => <NearestMark key={`${box.x},${box.y}`} box={box} />)}
          </div>
        )}
      </div>
    </figure>
  );
}

/** Brackets around a line of the most similar passage. It is not tinted, because it is not the quote. */
function NearestMark({ box }: { box: EvidenceBox }) {
  const mark = useRef<HTMLSpanElement>(null);
  useEffect(() => {
    const style = mark.current?.style;
    style?.setProperty("left", `${box.x * 100}%`);
    style?.setProperty("top", `${box.y * 100}%`);
    style?.setProperty("width", `${box.width * 100}%`);
    style?.setProperty("height", `${box.height * 100}%`);
  }, [box]);
  return <span ref={mark} className={styles.mark} />;
}
