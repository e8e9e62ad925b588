import type { AgUiEvent } from "@pincite/client";
import type { LogEntry } from "./useThreadLog.js";

/** Duration between two events of a run. */
export interface Span {
  key: string;
  label: string;
  kind: "run" | "step" | "text" | "reasoning" | "tool";
  start: number;
  /** Time of the last event; that of the end if it has ended. */
  end: number;
  isOpen: boolean;
}

type SpanKind = Span["kind"];
type Boundary = {
  kind: SpanKind;
  id: (event: AgUiEvent) => unknown;
  label: (event: AgUiEvent) => string;
};

const text = (event: AgUiEvent) => event.messageId;
const tool = (event: AgUiEvent) => event.toolCallId;

const STARTS: Readonly<Record<string, Boundary>> = {
  RUN_STARTED: { kind: "run", id: (event) => event.runId, label: () => "Run" },
  STEP_STARTED: {
    kind: "step",
    id: (event) => event.stepName,
    label: (event) => `Step ${String(event.stepName)}`,
  },
  TEXT_MESSAGE_START: { kind: "text", id: text, label: () => "Text" },
  REASONING_MESSAGE_START: { kind: "reasoning", id: text, label: () => "Reasoning" },
  TOOL_CALL_START: {
    kind: "tool",
    id: tool,
    label: (event) => `Tool ${String(event.toolCallName)}`,
  },
};

const ENDS: Readonly<Record<string, Pick<Boundary, "kind" | "id">>> = {
  RUN_FINISHED: { kind: "run", id: (event) => event.runId },
  RUN_ERROR: { kind: "run", id: () => undefined },
  STEP_FINISHED: { kind: "step", id: (event) => event.stepName },
  TEXT_MESSAGE_END: { kind: "text", id: text },
  REASONING_MESSAGE_END: { kind: "reasoning", id: text },
  TOOL_CALL_RESULT: { kind: "tool", id: tool },
};

/** Returns the spans of all runs in the order of their start. Events without a time are left out. */
export function spansOf(entries: readonly LogEntry[]): Span[] {
  const spans: Span[] = [];
  const open = new Map<string, Span>();
  for (const { sequence, event, at } of entries) {
    if (at === undefined) continue;
    for (const span of open.values()) span.end = Math.max(span.end, at);
    const start = Object.hasOwn(STARTS, event.type) ? STARTS[event.type] : undefined;
    if (start) {
      const span: Span = {
        key: String(sequence),
        label: start.label(event),
        kind: start.kind,
        start: at,
        end: at,
        isOpen: true,
      };
      spans.push(span);
      open.set(`${start.kind} ${String(start.id(event))}`, span);
    }
    const end = Object.hasOwn(ENDS, event.type) ? ENDS[event.type] : undefined;
    if (end) close(open, event, end);
  }
  return spans;
}

/** Ends the span of an event. The end of a run ends everything that is open in it. */
function close(
  open: Map<string, Span>,
  event: AgUiEvent,
  end: Pick<Boundary, "kind" | "id">,
): void {
  if (end.kind === "run") {
    for (const span of open.values()) span.isOpen = false;
    open.clear();
    return;
  }
  const key = `${end.kind} ${String(end.id(event))}`;
  const span = open.get(key);
  if (span) span.isOpen = false;
  open.delete(key);
}
