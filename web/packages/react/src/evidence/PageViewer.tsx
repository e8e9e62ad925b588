import { type ComponentPropsWithoutRef, useEffect, useRef, useState } from "react";
import { safeImageSrc } from "./safeImageSrc.js";

/** Area of a page, in parts of its width and height from the top left corner. */
export interface PageArea {
  page: number;
  x: number;
  y: number;
  width: number;
  height: number;
}

/** Properties of a page viewer. */
export interface PageViewerProps extends Omit<ComponentPropsWithoutRef<"figure">, "children"> {
  /** Name of the document, for the description of the image. */
  title: string;
  pageCount: number;
  firstPage?: number;
  /** Returns the address of the image of a page. */
  pageUrl: (page: number) => string;
  /** Areas to mark and to scroll to. Images of a Pincite server with `citation` show their marks themselves. */
  areas?: readonly PageArea[];
}

/** Widths of the page, in parts of the frame. */
const ZOOM_LEVELS = [1, 1.5, 2, 3] as const;
/** Part of the frame that stays visible above a marked area. */
const SPACE_ABOVE = 0.3;

/** Page of a document with marked areas. Other pages can be turned to, and the page can be enlarged. */
export function PageViewer({
  title,
  pageCount,
  firstPage = 1,
  pageUrl,
  areas = [],
  ...props
}: PageViewerProps) {
  const [page, setPage] = useState(firstPage);
  const [zoom, setZoom] = useState(0);
  const [failedPage, setFailedPage] = useState<number>();
  const frame = useRef<HTMLDivElement>(null);
  const sheet = useRef<HTMLDivElement>(null);
  const shown = areas.filter((area) => area.page === page);
  const top = shown.length === 0 ? undefined : Math.min(...shown.map(({ y }) => y));
  const scrollToArea = () => {
    if (!frame.current || !sheet.current || top === undefined) return;
    const space = frame.current.clientHeight * SPACE_ABOVE;
    frame.current.scrollTop = sheet.current.clientHeight * top - space;
  };
  // A style attribute would violate strict content security policies; this is allowed.
  useEffect(() => {
    sheet.current?.style.setProperty("width", `${(ZOOM_LEVELS[zoom] ?? 1) * 100}%`);
  }, [zoom]);
  const src = safeImageSrc(pageUrl(page));
  const button = (label: string, isDisabled: boolean, onClick: () => void) => (
    <button type="button" disabled={isDisabled} onClick={onClick}>
      {label}
    </button>
  );
  return (
    <figure data-page-viewer="" {...props}>
      <figcaption aria-live="polite">
        Page {page} of {pageCount}
      </figcaption>
      <div role="group" aria-label="Page">
        {button("Previous page", page <= 1, () => setPage(page - 1))}
        {button("Next page", page >= pageCount, () => setPage(page + 1))}
        {button("Zoom out", zoom === 0, () => setZoom(zoom - 1))}
        {button("Zoom in", zoom === ZOOM_LEVELS.length - 1, () => setZoom(zoom + 1))}
      </div>
      <div ref={frame} data-page-frame="" tabIndex={0} role="group" aria-label="Page image">
        {src === undefined || failedPage === page ? (
          <p>The image of this page could not be loaded.</p>
        ) : (
          <div ref={sheet} data-page-sheet="">
            <img
              src={src}
              alt={`Page ${page} of ${title}${shown.length > 0 ? ", passage marked" : ""}`}
              onLoad={scrollToArea}
              onError={() => setFailedPage(page)}
            />
            {shown.map((area) => (
              <AreaMark key={`${area.x},${area.y}`} area={area} />
            ))}
          </div>
        )}
      </div>
    </figure>
  );
}

function AreaMark({ area }: { area: PageArea }) {
  const mark = useRef<HTMLSpanElement>(null);
  useEffect(() => {
    const percent = (part: number) => `${part * 100}%`;
    const style = mark.current?.style;
    style?.setProperty("left", percent(area.x));
    style?.setProperty("top", percent(area.y));
    style?.setProperty("width", percent(area.width));
    style?.setProperty("height", percent(area.height));
  }, [area]);
  return <span ref={mark} data-page-mark="" />;
}
