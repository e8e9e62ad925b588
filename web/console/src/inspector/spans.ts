import type { AgUiEvent, RunInfo } from "@pincite/client";
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

/** Run with the spans in it. The first span is the run itself. */
export type RunSpans = readonly [Span, ...Span[]];

type SpanKind = Exclude<Span["kind"], "run">;
type Boundary = {
  kind: SpanKind;
  id: (event: AgUiEvent) => unknown;
  label: (event: AgUiEvent) => string;
};

const text = (event: AgUiEvent) => event.messageId;
const tool = (event: AgUiEvent) => event.toolCallId;

const STARTS: Readonly<Record<string, Boundary>> = {
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
  STEP_FINISHED: { kind: "step", id: (event) => event.stepName },
  TEXT_MESSAGE_END: { kind: "text", id: text },
  REASONING_MESSAGE_END: { kind: "reasoning", id: text },
  TOOL_CALL_RESULT: { kind: "tool", id: tool },
};

/**
 * Returns the spans of each run in the order of their start. The times of runs are those of the server; events
 * without a time of their own are left out.
 */
export function spansOf(entries: readonly LogEntry[], runs: readonly RunInfo[]): RunSpans[] {
  const groups: RunSpans[] = [];
  let position = 0;
  for (const run of runs) {
    const inRun: LogEntry[] = [];
    for (; position < entries.length; position += 1) {
      const entry = entries[position];
      if (entry === undefined || (run.last !== undefined && entry.sequence > run.last)) break;
      if (entry.sequence > run.after) inRun.push(entry);
    }
    groups.push(runSpans(run, inRun));
  }
  return groups;
}

function runSpans(run: RunInfo, entries: readonly LogEntry[]): RunSpans {
  const start = Date.parse(run.startedAt);
  const isOpen = run.endedAt === undefined;
  const whole: Span = {
    key: run.id,
    label: `Run of ${run.agent}`,
    kind: "run",
    start,
    end: run.endedAt === undefined ? start : Date.parse(run.endedAt),
    isOpen,
  };
  const spans: [Span, ...Span[]] = [whole];
  const open = new Map<string, Span>();
  for (const { sequence, event, at } of entries) {
    if (at === undefined) continue;
    if (isOpen) whole.end = Math.max(whole.end, at);
    for (const span of open.values()) span.end = Math.max(span.end, at);
    const begin = Object.hasOwn(STARTS, event.type) ? STARTS[event.type] : undefined;
    if (begin) {
      const span: Span = {
        key: String(sequence),
        label: begin.label(event),
        kind: begin.kind,
        start: at,
        end: at,
        isOpen: true,
      };
      spans.push(span);
      open.set(`${begin.kind} ${String(begin.id(event))}`, span);
    }
    const end = Object.hasOwn(ENDS, event.type) ? ENDS[event.type] : undefined;
    if (end) close(open, `${end.kind} ${String(end.id(event))}`);
  }
  // The end of a run ends everything that is open in it.
  if (!isOpen) for (const key of [...open.keys()]) close(open, key);
  return spans;
}

function close(open: Map<string, Span>, key: string): void {
  const span = open.get(key);
  if (span) span.isOpen = false;
  open.delete(key);
}
