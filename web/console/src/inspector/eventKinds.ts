import type { LogEntry } from "./useThreadLog.js";

/** Kinds of events that can be filtered, by the beginning of the event type. */
export const EVENT_KINDS = {
  Run: ["RUN_", "STEP_"],
  Text: ["TEXT_MESSAGE_", "MESSAGES_"],
  Reasoning: ["REASONING_"],
  Tools: ["TOOL_CALL_"],
  State: ["STATE_"],
  Activity: ["ACTIVITY_"],
  Other: [],
} as const satisfies Record<string, readonly string[]>;

/** Kind of an event. */
export type EventKind = keyof typeof EVENT_KINDS;

/** Returns the kind of an event type. */
export function eventKind(type: string): EventKind {
  const kinds = Object.entries(EVENT_KINDS) as [EventKind, readonly string[]][];
  return (
    kinds.find(([, prefixes]) => prefixes.some((prefix) => type.startsWith(prefix)))?.[0] ?? "Other"
  );
}

/** Returns the entries of the chosen kinds whose JSON contains the text. */
export function filterEntries(
  entries: readonly LogEntry[],
  kinds: ReadonlySet<EventKind>,
  text: string,
): LogEntry[] {
  const wanted = text.toLocaleLowerCase();
  return entries.filter(
    ({ event }) =>
      kinds.has(eventKind(event.type)) &&
      (wanted === "" || JSON.stringify(event).toLocaleLowerCase().includes(wanted)),
  );
}

/** Returns one line about the content of an event. */
export function eventSummary(event: LogEntry["event"]): string {
  const { type, timestamp: _, ...members } = event;
  if (typeof event.delta === "string") return event.delta;
  if (type === "STATE_DELTA" && Array.isArray(event.delta)) {
    return event.delta
      .map(({ op, path }: { op: string; path: string }) => `${op} ${path}`)
      .join(", ");
  }
  return JSON.stringify(members);
}

/** Returns the log as a recording: server-sent events with their sequence numbers. */
export function asRecording(entries: readonly LogEntry[]): string {
  return entries
    .map(({ sequence, event }) => `id: ${sequence}\ndata: ${JSON.stringify(event)}\n\n`)
    .join("");
}
