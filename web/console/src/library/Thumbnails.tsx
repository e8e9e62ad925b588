import { useVirtualizer } from "@tanstack/react-virtual";
import { type ReactNode, useEffect, useLayoutEffect, useRef } from "react";
import { client } from "../api/client.js";
import { formatNumber } from "../ui/format.js";
import styles from "./Thumbnails.module.css";

/** Height of a row of thumbnails, in pixels. */
const ROW_HEIGHT = 132;
const COLUMNS = 2;

/** Small images of all pages. Only those around the visible part are in the page. */
export function Thumbnails({
  id,
  page,
  pageCount,
  onOpen,
}: {
  id: string;
  page: number;
  pageCount: number;
  onOpen: (page: number) => void;
}) {
  const frame = useRef<HTMLDivElement>(null);
  const rows = useVirtualizer({
    count: Math.ceil(pageCount / COLUMNS),
    getScrollElement: () => frame.current,
    estimateSize: () => ROW_HEIGHT,
    overscan: 2,
  });
  useEffect(() => {
    rows.scrollToIndex(Math.floor((page - 1) / COLUMNS), { align: "auto" });
  }, [page, rows]);
  if (pageCount < 2) return null;
  return (
    <div ref={frame} className={styles.frame}>
      <List height={rows.getTotalSize()}>
        {rows.getVirtualItems().flatMap((row) =>
          Array.from({ length: COLUMNS }, (_, column) => row.index * COLUMNS + column + 1)
            .filter((number) => number <= pageCount)
            .map((number) => (
              <Place key={number} top={row.start} column={(number - 1) % COLUMNS}>
                <button
                  type="button"
                  aria-current={number === page ? "page" : undefined}
                  aria-label={`Open page ${number}`}
                  onClick={() => onOpen(number)}
                >
                  <img
                    src={client.url(`/documents/${encodeURIComponent(id)}/pages/${number}.webp`)}
                    alt=""
                    loading="lazy"
                  />
                  <span aria-hidden="true">{formatNumber(number)}</span>
                </button>
              </Place>
            )),
        )}
      </List>
    </div>
  );
}

function List({ height, children }: { height: number; children: ReactNode }) {
  const element = useRef<HTMLUListElement>(null);
  useLayoutEffect(() => element.current?.style.setProperty("height", `${height}px`), [height]);
  return (
    <ul ref={element} className={styles.list} aria-label="Pages of the document">
      {children}
    </ul>
  );
}

function Place({ top, column, children }: { top: number; column: number; children: ReactNode }) {
  const element = useRef<HTMLLIElement>(null);
  useLayoutEffect(() => element.current?.style.setProperty("top", `${top}px`), [top]);
  return (
    <li ref={element} data-column={column}>
      {children}
    </li>
  );
}
