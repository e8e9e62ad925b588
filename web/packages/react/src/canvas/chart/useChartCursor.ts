import { type KeyboardEvent, type PointerEvent, useState } from "react";

/** Position in a chart that the person points at or reached with the arrow keys. */
export interface ChartCursor {
  position: number | undefined;
  /** Handlers of the element that is pointed at. */
  handlers: {
    onPointerMove: (event: PointerEvent<Element>) => void;
    onPointerLeave: () => void;
    onKeyDown: (event: KeyboardEvent<Element>) => void;
    onBlur: () => void;
  };
}

/** Returns the cursor of a chart with `count` positions. `positionAt` returns the one at a point of the element. */
export function useChartCursor(
  count: number,
  positionAt: (x: number, y: number) => number | undefined,
): ChartCursor {
  const [position, setPosition] = useState<number>();
  const shown = position !== undefined && position < count ? position : undefined;
  const move = (next: number) => setPosition(Math.min(Math.max(next, 0), count - 1));
  return {
    position: shown,
    handlers: {
      onPointerMove: (event) => {
        const box = event.currentTarget.getBoundingClientRect();
        setPosition(positionAt(event.clientX - box.left, event.clientY - box.top));
      },
      onPointerLeave: () => setPosition(undefined),
      onBlur: () => setPosition(undefined),
      onKeyDown: (event) => {
        const steps: Record<string, number> = {
          ArrowRight: (shown ?? -1) + 1,
          ArrowLeft: (shown ?? count) - 1,
          Home: 0,
          End: count - 1,
        };
        const next = steps[event.key];
        if (next === undefined || count === 0) return;
        event.preventDefault();
        move(next);
      },
    },
  };
}
