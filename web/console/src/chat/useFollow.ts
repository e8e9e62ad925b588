import { type RefObject, useCallback, useEffect, useRef, useState } from "react";

/** Distance from the end, in pixels, within which the end counts as visible. */
const END_MARGIN = 48;

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
      if (distance() <= END_MARGIN) isFollowing.current = true;
      else if (isUp) isFollowing.current = false;
      setHasMoreBelow(distance() > END_MARGIN);
    };
    const onGrow = () => {
      if (isFollowing.current) element.scrollTop = element.scrollHeight;
      else setHasMoreBelow(distance() > END_MARGIN);
    };
    const observer = new ResizeObserver(onGrow);
    observer.observe(growing);
    element.addEventListener("scroll", onScroll, { passive: true });
    return () => {
      observer.disconnect();
      element.removeEventListener("scroll", onScroll);
    };
  }, [container, content]);
  return { hasMoreBelow, scrollToEnd };
}
