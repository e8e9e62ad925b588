import type { Timing } from "@pincite/client";
import { ChevronRight } from "lucide-react";
import { formatDuration, formatJson } from "../ui/format.js";
import styles from "./Steps.module.css";
import type { TurnItem } from "./turns.js";

type StepItem = Extract<TurnItem, { kind: "reasoning" | "tool" }>;

/** Reasoning and tool calls that precede a text, collapsed into one line. */
export function Steps({
  items,
  timings,
  isRunning,
}: {
  items: readonly StepItem[];
  timings: Readonly<Record<string, Timing>>;
  isRunning: boolean;
}) {
  const duration = items.reduce((sum, item) => sum + durationOf(timings[itemId(item)]), 0);
  return (
    <details className={styles.steps}>
      <summary>
        <ChevronRight size={16} aria-hidden="true" />
        {summaryText(items, isRunning)}
        {duration > 0 && !isRunning && ` · ${formatDuration(duration)}`}
      </summary>
      <ol className={styles.list}>
        {items.map((item) => (
          <li key={itemId(item)}>
            {item.kind === "tool" ? (
              <ToolStep item={item} timing={timings[item.call.id]} />
            ) : (
              <p className={styles.reasoning} dir="auto">
                {typeof item.message.content === "string" ? item.message.content : ""}
              </p>
            )}
          </li>
        ))}
      </ol>
    </details>
  );
}

function itemId(item: StepItem): string {
  return item.kind === "tool" ? item.call.id : item.message.id;
}

function durationOf(timing: Timing | undefined): number {
  return timing?.endedAt === undefined ? 0 : timing.endedAt - timing.startedAt;
}

/** Describes steps in words: the tools that were used, or that the agent thought. */
function summaryText(items: readonly StepItem[], isRunning: boolean): string {
  const tools = items.filter((item) => item.kind === "tool");
  if (tools.length === 0) return isRunning ? "Thinking…" : "Thought";
  const counts = new Map<string, number>();
  for (const tool of tools) {
    const { name } = tool.call.function;
    counts.set(name, (counts.get(name) ?? 0) + 1);
  }
  const names = [...counts].map(([name, count]) =>
    count === 1 ? name : `${name} (${count} times)`,
  );
  return `${isRunning ? "Using" : "Used"} ${names.join(", ")}`;
}

function ToolStep({
  item,
  timing,
}: {
  item: Extract<StepItem, { kind: "tool" }>;
  timing: Timing | undefined;
}) {
  const duration = durationOf(timing);
  const result = typeof item.result?.content === "string" ? item.result.content : undefined;
  return (
    <details className={styles.tool}>
      <summary>
        <ChevronRight size={14} aria-hidden="true" />
        <code>{item.call.function.name}</code>
        {duration > 0 && <span>{formatDuration(duration)}</span>}
        {result === undefined && <span>no result yet</span>}
      </summary>
      <p className={styles.label}>Arguments</p>
      <pre>{formatJson(item.call.function.arguments)}</pre>
      {result !== undefined && (
        <>
          <p className={styles.label}>Result</p>
          <pre>{formatJson(result)}</pre>
        </>
      )}
    </details>
  );
}
