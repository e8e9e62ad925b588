import { applyPatch } from "@pincite/client";
import type { LogEntry } from "./useThreadLog.js";

/** Change of a value: the event, and the operation of its patch. A snapshot has no operation. */
export interface StateChange {
  sequence: number;
  operation: unknown;
}

/** State of a thread and the change that last set each value. */
export interface StateHistory {
  state: unknown;
  /** Changes by JSON pointer. A value without an entry was set with the nearest one above it. */
  changes: ReadonlyMap<string, StateChange>;
}

/** Follows snapshots and patches of the state. */
export function stateHistory(entries: readonly LogEntry[]): StateHistory {
  let state: unknown;
  let changes = new Map<string, StateChange>();
  for (const { sequence, event } of entries) {
    if (event.type === "STATE_SNAPSHOT") {
      state = event.snapshot;
      changes = new Map([["", { sequence, operation: undefined }]]);
    }
    if (event.type !== "STATE_DELTA") continue;
    const patched = applyPatch(state ?? null, event.delta);
    if (patched === undefined) continue;
    state = patched.document;
    for (const operation of event.delta as { path: string }[]) {
      changes.set(operation.path, { sequence, operation });
    }
  }
  return { state, changes };
}

/** Returns the change that last set the value at a pointer. */
export function lastChange(history: StateHistory, pointer: string): StateChange | undefined {
  let at = pointer;
  while (true) {
    const found = history.changes.get(at);
    if (found !== undefined || at === "") return found;
    at = at.slice(0, at.lastIndexOf("/"));
  }
}
