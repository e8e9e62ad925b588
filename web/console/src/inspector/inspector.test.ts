import { describe, expect, it } from "vitest";
import { brokenRules } from "./brokenRules.js";
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
    expect(lastChange(history, "/a/c/d")).toEqual({
      sequence: 2,
      operation: { op: "add", path: "/a/c", value: { d: 2 } },
    });
    expect(lastChange(history, "/a/b")?.sequence).toBe(1);
  });
});

describe("spans", () => {
  const run = {
    id: "r",
    agent: "mock",
    status: "finished",
    after: 0,
    last: 5,
    startedAt: "2026-01-01T00:00:00.000Z",
    endedAt: "2026-01-01T00:00:00.100Z",
  } as const;
  const zero = Date.parse(run.startedAt);
  it("measures messages in their run, and ends with it what is open", () => {
    const log = entries(
      { type: "RUN_STARTED", runId: "r" },
      { type: "TEXT_MESSAGE_START", messageId: "m", at: zero + 20 },
      { type: "TEXT_MESSAGE_END", messageId: "m", at: zero + 50 },
      { type: "TOOL_CALL_START", toolCallId: "t", toolCallName: "find", at: zero + 60 },
      { type: "TOOL_CALL_ARGS", toolCallId: "t", delta: "", at: zero + 90 },
      { type: "RUN_STARTED", runId: "s" },
    );
    const { last: _last, endedAt: _ended, ...begun } = run;
    const open = { ...begun, id: "s", after: 5 };
    const shown = spansOf(log, [run, open]).map((spans) =>
      spans.map(({ label, start, end, isOpen }) => [label, start - zero, end - zero, isOpen]),
    );
    expect(shown).toEqual([
      [
        ["Run of mock", 0, 100, false],
        ["Text", 20, 50, false],
        ["Tool find", 60, 90, false],
      ],
      [["Run of mock", 0, 0, true]],
    ]);
  });
});

describe("broken rules", () => {
  const messages = (...events: LogEntry["event"][]) =>
    brokenRules(entries(...events)).map(({ sequence, message }) => `${sequence}: ${message}`);
  const start = { type: "RUN_STARTED", runId: "r" };
  const end = { type: "RUN_FINISHED", runId: "r" };
  it("are none in a proper run", () => {
    expect(
      messages(
        start,
        { type: "TEXT_MESSAGE_START", messageId: "m" },
        { type: "TEXT_MESSAGE_CONTENT", messageId: "m", delta: "a" },
        { type: "TEXT_MESSAGE_END", messageId: "m" },
        { type: "STATE_DELTA", delta: [{ op: "add", path: "", value: {} }] },
        end,
      ),
    ).toEqual([]);
  });
  it("are events outside of runs and of their messages", () => {
    expect(
      messages(
        { type: "STATE_SNAPSHOT", snapshot: {} },
        start,
        { type: "TEXT_MESSAGE_CONTENT", messageId: "m", delta: "a" },
        { type: "TOOL_CALL_END", toolCallId: "t" },
        { type: "STEP_STARTED", stepName: "read" },
        end,
      ),
    ).toEqual([
      "1: STATE_SNAPSHOT is outside of a run; RUN_STARTED must come first.",
      "3: TEXT_MESSAGE_CONTENT belongs to the text message m, which is not open.",
      "4: The tool call t ends, but it is not open.",
      "6: The run ended while the step read was open.",
    ]);
  });
  it("are patches that do not apply, and errors of runs", () => {
    expect(
      messages(
        start,
        { type: "STATE_DELTA", delta: [{ op: "remove", path: "/a" }] },
        { type: "RUN_ERROR", code: "upstream_protocol", message: "Bad event." },
      ),
    ).toEqual([
      "2: The patch does not apply to the state before it.",
      "3: The run failed (upstream_protocol): Bad event.",
    ]);
  });
});
