import { ChevronLeft, ChevronRight, ZoomIn, ZoomOut } from "lucide-react";
import { Button } from "../ui/Button.js";
import { formatNumber } from "../ui/format.js";
import styles from "./PageToolbar.module.css";

const MIN_ZOOM = 1;
const MAX_ZOOM = 3;
const ZOOM_STEP = 0.5;

/** Controls above a page: turning pages, zoom, and the lines as they were read. */
export function PageToolbar({
  page,
  pageCount,
  label,
  zoom,
  showsLines,
  onOpen,
  onZoom,
  onShowLines,
}: {
  page: number;
  pageCount: number;
  /** Printed page number, if it differs. */
  label: string | null;
  zoom: number;
  showsLines: boolean;
  onOpen: (page: number) => void;
  onZoom: (zoom: number) => void;
  onShowLines: (shows: boolean) => void;
}) {
  return (
    <div className={styles.bar} role="toolbar" aria-label="Page">
      <Button
        kind="icon"
        aria-label="Previous page"
        disabled={page <= 1}
        onClick={() => onOpen(page - 1)}
      >
        <ChevronLeft size={18} />
      </Button>
      <label className={styles.number}>
        <span className="visually-hidden">Page number</span>
        <input
          type="number"
          min={1}
          max={pageCount}
          value={page}
          onChange={(event) => {
            const wanted = event.target.valueAsNumber;
            if (Number.isInteger(wanted)) onOpen(wanted);
          }}
        />
        of {formatNumber(pageCount)}
        {label !== null && ` (printed ${label})`}
      </label>
      <Button
        kind="icon"
        aria-label="Next page"
        disabled={page >= pageCount}
        onClick={() => onOpen(page + 1)}
      >
        <ChevronRight size={18} />
      </Button>
      <span className={styles.space} />
      <label className={styles.check}>
        <input
          type="checkbox"
          checked={showsLines}
          onChange={(event) => onShowLines(event.target.checked)}
        />
        Show what was understood
      </label>
      <Button
        kind="icon"
        aria-label="Zoom out"
        disabled={zoom <= MIN_ZOOM}
        onClick={() => onZoom(zoom - ZOOM_STEP)}
      >
        <ZoomOut size={18} />
      </Button>
      <Button
        kind="icon"
        aria-label="Zoom in"
        disabled={zoom >= MAX_ZOOM}
        onClick={() => onZoom(zoom + ZOOM_STEP)}
      >
        <ZoomIn size={18} />
      </Button>
    </div>
  );
}
