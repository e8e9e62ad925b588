import { applyPatch } from "@pincite/client";
import type { LogEntry } from "./useThreadLog.js";

/** State of a thread and the event that last changed each value. */
export interface StateHistory {
  state: unknown;
  /** Sequence numbers of events by JSON pointer. A value without an entry was set with the nearest one above it. */
  changes: ReadonlyMap<string, number>;
}

/** Follows snapshots and patches of the state. */
export function stateHistory(entries: readonly LogEntry[]): StateHistory {
  let state: unknown;
  let changes = new Map<string, number>();
  for (const { sequence, event } of entries) {
    if (event.type === "STATE_SNAPSHOT") {
      state = event.snapshot;
      changes = new Map([["", sequence]]);
    }
    if (event.type !== "STATE_DELTA") continue;
    const patched = applyPatch(state ?? null, event.delta);
    if (patched === undefined) continue;
    state = patched.document;
    for (const { path } of event.delta as { path: string }[]) changes.set(path, sequence);
  }
  return { state, changes };
}

/** Returns the event that last changed the value at a pointer. */
export function lastChange(history: StateHistory, pointer: string): number | undefined {
  let at = pointer;
  while (true) {
    const found = history.changes.get(at);
    if (found !== undefined || at === "") return found;
    at = at.slice(0, at.lastIndexOf("/"));
  }
}
