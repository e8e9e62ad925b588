import { type ComponentPropsWithoutRef, useEffect, useRef, useState } from "react";

/** Properties of a chat container. */
export interface ChatContainerProps extends ComponentPropsWithoutRef<"div"> {
  /** Name of the conversation for assistive technology. */
  label?: string;
}

/** Distance from the end, in pixels, within which the container counts as scrolled to its end. */
const END_DISTANCE = 32;

/**
 * Conversation that stays scrolled to its end while messages grow. Scrolling up stops that; a button at the end, and
 * scrolling back, starts it again.
 */
export function ChatContainer({ label = "Conversation", children, ...props }: ChatContainerProps) {
  const container = useRef<HTMLDivElement>(null);
  const content = useRef<HTMLDivElement>(null);
  const [isFollowing, setIsFollowing] = useState(true);
  const scrollToEnd = () => container.current?.scrollTo?.({ top: container.current.scrollHeight });
  useEffect(() => {
    if (!isFollowing || !content.current || typeof ResizeObserver === "undefined") return;
    const observer = new ResizeObserver(() =>
      container.current?.scrollTo?.({ top: container.current.scrollHeight }),
    );
    observer.observe(content.current);
    return () => observer.disconnect();
  }, [isFollowing]);
  const onScroll = () => {
    if (!container.current) return;
    const { scrollHeight, scrollTop, clientHeight } = container.current;
    setIsFollowing(scrollHeight - scrollTop - clientHeight <= END_DISTANCE);
  };
  return (
    <div data-chat-container="" {...props}>
      <div
        ref={container}
        data-chat-scroll=""
        role="log"
        aria-label={label}
        tabIndex={0}
        onScroll={onScroll}
      >
        <div ref={content}>{children}</div>
      </div>
      {!isFollowing && (
        <button
          type="button"
          data-chat-to-end=""
          onClick={() => {
            scrollToEnd();
            setIsFollowing(true);
          }}
        >
          Scroll to end
        </button>
      )}
    </div>
  );
}
