import { type RefObject, useCallback, useEffect, useRef, useState } from "react";

/** Distance from the end, in pixels, within which the end counts as visible. */
const END_MARGIN = 48;
/** Time after an input within which the person may cause scrolling, in milliseconds. */
const INPUT_MS = 1000;
/** Inputs with which people scroll. */
const INPUT_EVENTS = ["wheel", "touchmove", "keydown", "pointerdown"] as const;

/** Following of a growing text. */
export interface Follow {
  /** True if there is text below that the person does not see. */
  hasMoreBelow: boolean;
  scrollToEnd: () => void;
}

/**
 * Keeps the end of `content` visible while it grows, until the person scrolls up. Scrolling back to the end follows
 * again. The nearest scrolling ancestor is `container`.
 */
export function useFollow(
  container: RefObject<HTMLElement | null>,
  content: RefObject<HTMLElement | null>,
): Follow {
  const isFollowing = useRef(true);
  const lastTop = useRef(0);
  const lastInput = useRef(Number.NEGATIVE_INFINITY);
  const [hasMoreBelow, setHasMoreBelow] = useState(false);

  const scrollToEnd = useCallback(() => {
    const element = container.current;
    if (!element) return;
    isFollowing.current = true;
    element.scrollTop = element.scrollHeight;
    setHasMoreBelow(false);
  }, [container]);

  useEffect(() => {
    const element = container.current;
    const growing = content.current;
    if (!element || !growing) return;
    const distance = () => element.scrollHeight - element.clientHeight - element.scrollTop;
    const onScroll = () => {
      const isUp = element.scrollTop < lastTop.current;
      lastTop.current = element.scrollTop;
      // The position also moves up when the height of a turn becomes known, but not far from the end.
      const isFar = distance() > element.clientHeight / 2;
      const isByPerson = performance.now() - lastInput.current < INPUT_MS;
      if (distance() <= END_MARGIN) isFollowing.current = true;
      else if (isUp && (isByPerson || isFar)) isFollowing.current = false;
      setHasMoreBelow(distance() > END_MARGIN);
    };
    const onGrow = () => {
      if (isFollowing.current) element.scrollTop = element.scrollHeight;
      else setHasMoreBelow(distance() > END_MARGIN);
    };
    const onInput = (event: Event) => {
      // A press on the element itself is one on its scroll bar.
      const canScroll = event.type !== "pointerdown" || event.target === element;
      if (canScroll && !isTyping(event)) lastInput.current = performance.now();
    };
    for (const type of INPUT_EVENTS) element.addEventListener(type, onInput, { passive: true });
    const observer = new ResizeObserver(onGrow);
    observer.observe(growing);
    element.addEventListener("scroll", onScroll, { passive: true });
    return () => {
      observer.disconnect();
      element.removeEventListener("scroll", onScroll);
      for (const type of INPUT_EVENTS) element.removeEventListener(type, onInput);
    };
  }, [container, content]);
  return { hasMoreBelow, scrollToEnd };
}

/** Returns true for keys in a text field, which do not scroll. */
function isTyping(event: Event): boolean {
  return event.type === "keydown" && event.target instanceof HTMLTextAreaElement;
}
