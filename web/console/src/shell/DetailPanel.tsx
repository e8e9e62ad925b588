import { type ReactNode, useEffect, useRef, useState } from "react";
import { createPortal } from "react-dom";
import styles from "./DetailPanel.module.css";
import { usePanelSlot } from "./Shell.js";

const WIDTH_KEY = "pincite.panelWidth";
const DEFAULT_WIDTH = 520;
const MIN_WIDTH = 360;
/** Width that the page keeps beside the panel. */
const MIN_PAGE_WIDTH = 360;

/**
 * Panel beside the page: evidence, or details of the selected row. It is resizable on wide screens, covers the right
 * half on medium ones and is a sheet at the bottom of phones. Escape closes it.
 */
export function DetailPanel({
  label,
  onClose,
  children,
}: {
  label: string;
  onClose: () => void;
  children: ReactNode;
}) {
  const slot = usePanelSlot();
  const [width, setWidth] = useState(storedWidth);
  const [isFull, setIsFull] = useState(false);
  const panel = useRef<HTMLElement>(null);

  useEffect(() => {
    const close = (event: KeyboardEvent) => {
      const isInDialog =
        event.target instanceof Element && event.target.closest("dialog, [role=menu]");
      if (event.key === "Escape" && !event.defaultPrevented && !isInDialog) onClose();
    };
    document.addEventListener("keydown", close);
    return () => document.removeEventListener("keydown", close);
  }, [onClose]);
  useEffect(() => {
    // Set through the object model, because the content security policy forbids style attributes in HTML.
    panel.current?.style.setProperty("--panel-width", `${width}px`);
  });

  if (!slot) return null;
  return createPortal(
    <aside ref={panel} className={styles.panel} aria-label={label} data-full={isFull}>
      <ResizeHandle width={width} onResize={setWidth} />
      <SheetHandle isFull={isFull} onChange={setIsFull} onClose={onClose} />
      <div className={styles.content}>{children}</div>
    </aside>,
    slot,
  );
}

function storedWidth(): number {
  const stored = Number(localStorage.getItem(WIDTH_KEY));
  return Number.isFinite(stored) && stored >= MIN_WIDTH ? stored : DEFAULT_WIDTH;
}

function clampWidth(width: number): number {
  return Math.max(MIN_WIDTH, Math.min(width, window.innerWidth - 248 - MIN_PAGE_WIDTH));
}

/** Border that changes the width of the panel, by pointer or arrow keys. */
function ResizeHandle({ width, onResize }: { width: number; onResize: (width: number) => void }) {
  const resize = (next: number) => {
    const clamped = clampWidth(next);
    localStorage.setItem(WIDTH_KEY, String(clamped));
    onResize(clamped);
  };
  return (
    <div
      className={styles.resize}
      role="separator"
      aria-label="Width of the panel"
      aria-orientation="vertical"
      aria-valuenow={width}
      aria-valuemin={MIN_WIDTH}
      aria-valuemax={1200}
      tabIndex={0}
      onPointerDown={(event) => event.currentTarget.setPointerCapture(event.pointerId)}
      onPointerMove={(event) => {
        if (event.currentTarget.hasPointerCapture(event.pointerId)) {
          resize(window.innerWidth - event.clientX);
        }
      }}
      onKeyDown={(event) => {
        if (event.key === "ArrowLeft") resize(width + 32);
        if (event.key === "ArrowRight") resize(width - 32);
      }}
    />
  );
}

/** Distance in pixels after which a drag changes the size of the sheet. */
const DRAG_THRESHOLD = 40;

/** Grip of the sheet on phones: dragged or pressed it switches between 60 % and full height, far down it closes. */
function SheetHandle({
  isFull,
  onChange,
  onClose,
}: {
  isFull: boolean;
  onChange: (isFull: boolean) => void;
  onClose: () => void;
}) {
  const start = useRef<number | undefined>(undefined);
  return (
    <button
      type="button"
      className={styles.grip}
      aria-label={isFull ? "Reduce panel" : "Enlarge panel"}
      onPointerDown={(event) => {
        start.current = event.clientY;
        event.currentTarget.setPointerCapture(event.pointerId);
      }}
      onPointerUp={(event) => {
        const distance = event.clientY - (start.current ?? event.clientY);
        start.current = undefined;
        if (distance < -DRAG_THRESHOLD) onChange(true);
        else if (distance > DRAG_THRESHOLD && isFull) onChange(false);
        else if (distance > DRAG_THRESHOLD) onClose();
      }}
      onClick={() => onChange(!isFull)}
    />
  );
}
