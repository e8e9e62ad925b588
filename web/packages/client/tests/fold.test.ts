import { readFileSync } from "node:fs";
import { describe, expect, it } from "vitest";
import { type AgUiEvent, EMPTY_CONVERSATION, foldEvents, type Message } from "../src/index.js";

/** Sequence of events with its result, as the official client gives it. The Rust fold is tested with the same file. */
interface Sequence {
  name: string;
  initial_messages: Message[];
  initial_state: unknown;
  expanded: AgUiEvent[];
  verify: "ok" | { error_index: number };
  error: { stage: string } | null;
  result_messages: Message[];
  result_state: unknown;
  pending_interrupts: unknown[];
}

const FILE = new URL("../../../../crates/agui/tests/data/sequences.public.json", import.meta.url);
const sequences = (JSON.parse(readFileSync(FILE, "utf8")) as { vectors: Sequence[] }).vectors;

/** Returns a value without members that are undefined, which JSON does not have. */
function plain(value: unknown): unknown {
  return value === undefined ? null : JSON.parse(JSON.stringify(value));
}

describe("foldEvents", () => {
  const checked = sequences.filter((sequence) => sequence.error === null);
  it("has sequences to check", () => expect(checked.length).toBeGreaterThan(100));
  for (const sequence of checked) {
    it(`folds ${sequence.name}`, () => {
      const before = {
        ...EMPTY_CONVERSATION,
        messages: sequence.initial_messages,
        state: sequence.initial_state,
      };
      const after = foldEvents(before, sequence.expanded, 0);
      expect(plain(after.messages)).toEqual(plain(sequence.result_messages));
      expect(plain(after.state)).toEqual(plain(sequence.result_state));
      expect(plain(after.interrupts)).toEqual(plain(sequence.pending_interrupts));
    });
  }

  it("gives the same result for events one by one and together", () => {
    for (const sequence of checked) {
      const before = { ...EMPTY_CONVERSATION, messages: sequence.initial_messages };
      const together = foldEvents(before, sequence.expanded, 0);
      const apart = sequence.expanded.reduce((fold, event) => foldEvents(fold, [event], 0), before);
      expect(plain(apart)).toEqual(plain(together));
    }
  });
});
