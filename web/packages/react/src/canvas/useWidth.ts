import { type RefObject, useLayoutEffect, useState } from "react";

/** Returns the width of an element in pixels; `initial` until it is measured. */
export function useWidth(element: RefObject<HTMLElement | null>, initial: number): number {
  const [width, setWidth] = useState(initial);
  useLayoutEffect(() => {
    const target = element.current;
    if (!target || typeof ResizeObserver === "undefined") return;
    const measure = () => setWidth((before) => Math.round(target.clientWidth) || before);
    measure();
    const observer = new ResizeObserver(measure);
    observer.observe(target);
    return () => observer.disconnect();
  }, [element]);
  return width;
}
