import { type AgUiEvent, applyPatch } from "@pincite/client";
import type { LogEntry } from "./useThreadLog.js";

/** Rule of AG-UI that an event of the log breaks. */
export interface BrokenRule {
  sequence: number;
  /** Explanation as a sentence. */
  message: string;
}

/** Parts of a run that open and close, by the beginning of their event types. */
const PARTS = [
  { prefix: "TEXT_MESSAGE", id: "messageId", name: "text message", inner: ["CONTENT"] },
  { prefix: "REASONING_MESSAGE", id: "messageId", name: "reasoning message", inner: ["CONTENT"] },
  { prefix: "TOOL_CALL", id: "toolCallId", name: "tool call", inner: ["ARGS"] },
] as const;

/** State of the check between two events. */
interface CheckState {
  runId: string | undefined;
  open: Map<string, string>;
  state: unknown;
  broken: BrokenRule[];
}

/** Checks the order of events and the patches of the state. */
export function brokenRules(entries: readonly LogEntry[]): BrokenRule[] {
  const check: CheckState = {
    runId: undefined,
    open: new Map(),
    state: undefined,
    broken: [],
  };
  for (const { sequence, event } of entries) {
    const report = (message: string) => check.broken.push({ sequence, message });
    checkRun(check, event, report);
    checkParts(check, event, report);
    checkState(check, event, report);
  }
  return check.broken;
}

type Report = (message: string) => void;

function checkRun(check: CheckState, event: AgUiEvent, report: Report): void {
  if (event.type === "RUN_STARTED") {
    if (check.runId !== undefined) report("A run starts before the previous one has ended.");
    check.runId = String(event.runId);
    check.open.clear();
    return;
  }
  if (check.runId === undefined) {
    report(`${event.type} is outside of a run; RUN_STARTED must come first.`);
    return;
  }
  if (event.type === "RUN_ERROR") {
    report(
      `The run failed${event.code ? ` (${String(event.code)})` : ""}: ${String(event.message)}`,
    );
  }
  if (event.type === "RUN_FINISHED") {
    for (const name of check.open.values()) report(`The run ended while ${name} was open.`);
  }
  if (event.type === "RUN_FINISHED" || event.type === "RUN_ERROR") {
    check.runId = undefined;
    check.open.clear();
  }
}

function checkParts(check: CheckState, event: AgUiEvent, report: Report): void {
  if (event.type === "STEP_STARTED" || event.type === "STEP_FINISHED") {
    const key = `step ${String(event.stepName)}`;
    const isOpen = check.open.has(key);
    if (event.type === "STEP_STARTED") {
      if (isOpen) report(`The ${key} starts twice.`);
      check.open.set(key, `the ${key}`);
    } else {
      if (!isOpen) report(`The ${key} finishes, but it has not started.`);
      check.open.delete(key);
    }
    return;
  }
  const part = PARTS.find(({ prefix }) => event.type.startsWith(`${prefix}_`));
  if (part === undefined) return;
  const action = event.type.slice(part.prefix.length + 1);
  const name = `the ${part.name} ${String(event[part.id])}`;
  const key = `${part.prefix} ${String(event[part.id])}`;
  const isOpen = check.open.has(key);
  if (action === "START") {
    if (isOpen) report(`${capitalised(name)} starts twice.`);
    check.open.set(key, name);
  } else if (action === "END") {
    if (!isOpen) report(`${capitalised(name)} ends, but it is not open.`);
    check.open.delete(key);
  } else if ((part.inner as readonly string[]).includes(action) && !isOpen) {
    report(`${event.type} belongs to ${name}, which is not open.`);
  }
}

function checkState(check: CheckState, event: AgUiEvent, report: Report): void {
  if (event.type === "STATE_SNAPSHOT") check.state = event.snapshot;
  if (event.type !== "STATE_DELTA") return;
  const patched = applyPatch(check.state ?? null, event.delta);
  if (patched === undefined) report("The patch does not apply to the state before it.");
  else check.state = patched.document;
}

function capitalised(text: string): string {
  return text.charAt(0).toUpperCase() + text.slice(1);
}
