import type { ComponentPropsWithoutRef } from "react";

/** Properties of reasoning. */
export interface ReasoningProps extends Omit<ComponentPropsWithoutRef<"details">, "children"> {
  text: string;
  isStreaming?: boolean;
  /** Duration in milliseconds. */
  duration?: number;
}

/** Reasoning of an agent, collapsed into one line. */
export function Reasoning({ text, isStreaming = false, duration, ...props }: ReasoningProps) {
  const seconds = duration === undefined ? "" : ` for ${(duration / 1000).toFixed(1)} s`;
  return (
    <details data-reasoning="" {...props}>
      <summary>{isStreaming ? "Thinking…" : `Thought${seconds}`}</summary>
      <p dir="auto">{text}</p>
    </details>
  );
}
