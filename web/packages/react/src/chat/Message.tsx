import type { ComponentPropsWithoutRef } from "react";

/** Properties of a message. */
export interface MessageProps extends ComponentPropsWithoutRef<"article"> {
  /** Role of the author. */
  from: "user" | "assistant" | "system";
  /** Name of the author for assistive technology; "You" or "Assistant" if absent. */
  author?: string;
  /** True while the message is being written. */
  isStreaming?: boolean;
}

const AUTHORS = { user: "You", assistant: "Assistant", system: "System" };

/** Message of a conversation. Its content are children such as `ResponseStream`, `Reasoning` and `Tool`. */
export function Message({ from, author, isStreaming = false, children, ...props }: MessageProps) {
  return (
    <article
      data-message=""
      data-role={from}
      aria-label={author ?? AUTHORS[from]}
      aria-busy={isStreaming}
      {...props}
    >
      {children}
    </article>
  );
}
