import { describe, expect, it } from "vitest";
import { asRecording, eventKind, filterEntries } from "./eventKinds.js";
import { spansOf } from "./spans.js";
import { lastChange, stateHistory } from "./stateHistory.js";
import type { LogEntry } from "./useThreadLog.js";

function entries(...events: (LogEntry["event"] & { at?: number })[]): LogEntry[] {
  return events.map(({ at, ...event }, index) => ({
    sequence: index + 1,
    event: event as LogEntry["event"],
    at: at as number | undefined,
  }));
}

describe("event filter", () => {
  const log = entries(
    { type: "RUN_STARTED", runId: "r" },
    { type: "TEXT_MESSAGE_CONTENT", messageId: "m", delta: "Harbour" },
    { type: "CUSTOM", name: "x" },
  );
  it("knows the kind of every event type", () => {
    expect(log.map(({ event }) => eventKind(event.type))).toEqual(["Run", "Text", "Other"]);
  });
  it("keeps the chosen kinds that contain the text", () => {
    const kinds = new Set(["Text", "Run"] as const);
    expect(filterEntries(log, kinds, "harbour").map(({ sequence }) => sequence)).toEqual([2]);
    expect(filterEntries(log, kinds, "").map(({ sequence }) => sequence)).toEqual([1, 2]);
  });
  it("writes a recording that the stream commands read", () => {
    expect(asRecording(log.slice(2))).toBe('id: 3\ndata: {"type":"CUSTOM","name":"x"}\n\n');
  });
});

describe("state history", () => {
  const history = stateHistory(
    entries(
      { type: "STATE_SNAPSHOT", snapshot: { a: { b: 1 } } },
      { type: "STATE_DELTA", delta: [{ op: "add", path: "/a/c", value: { d: 2 } }] },
      { type: "STATE_DELTA", delta: [{ op: "remove", path: "/missing" }] },
    ),
  );
  it("applies patches and ignores those that fail", () => {
    expect(history.state).toEqual({ a: { b: 1, c: { d: 2 } } });
  });
  it("names the event that set a value, or the value above it", () => {
    expect(lastChange(history, "/a/c/d")).toBe(2);
    expect(lastChange(history, "/a/b")).toBe(1);
  });
});

describe("spans", () => {
  it("measures messages and runs, and leaves open what has not ended", () => {
    const spans = spansOf(
      entries(
        { type: "RUN_STARTED", runId: "r", at: 10 },
        { type: "TEXT_MESSAGE_START", messageId: "m", at: 20 },
        { type: "TEXT_MESSAGE_END", messageId: "m", at: 50 },
        { type: "TOOL_CALL_START", toolCallId: "t", toolCallName: "find", at: 60 },
        { type: "TOOL_CALL_ARGS", toolCallId: "t", delta: "", at: 90 },
      ),
    );
    expect(spans.map(({ label, start, end, isOpen }) => [label, start, end, isOpen])).toEqual([
      ["Run", 10, 90, true],
      ["Text", 20, 50, false],
      ["Tool find", 60, 90, true],
    ]);
  });
});
