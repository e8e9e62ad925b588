import type { Citation, MessageCitations, Verification } from "./state.js";

/** State of a citation as people see it. The words are the same in command line, pages and console. */
export type DisplayState =
  | "verified"
  | "partly found"
  | "found elsewhere"
  | "not found"
  | "source missing"
  | "checking";

/** All states in the order of a summary. */
export const DISPLAY_STATES: readonly DisplayState[] = [
  "verified",
  "found elsewhere",
  "partly found",
  "not found",
  "source missing",
  "checking",
];

/** Signs that distinguish the states without colour. */
export const STATE_SIGNS: Readonly<Record<DisplayState, string>> = {
  verified: "✓",
  "partly found": "~",
  "found elsewhere": "→",
  "not found": "✗",
  "source missing": "✗",
  checking: "···",
};

const STATUS_STATES: Readonly<Record<string, DisplayState>> = {
  found: "verified",
  found_phrase_missed_anchor_text: "verified",
  found_on_other_page: "found elsewhere",
  found_on_other_line: "found elsewhere",
  found_anchor_text_only: "partly found",
  found_key_span_only: "partly found",
  found_phrase_missed_value: "verified",
  partial_text_found: "partly found",
  first_word_found: "partly found",
  not_found: "not found",
  skipped: "source missing",
};

/** Returns the state of a citation; `checking` without a verification and for unknown statuses. */
export function displayState(verification: Verification | undefined): DisplayState {
  if (verification === undefined) return "checking";
  if (verification.problem === "source_missing") return "source missing";
  return Object.hasOwn(STATUS_STATES, verification.status)
    ? (STATUS_STATES[verification.status] ?? "checking")
    : "checking";
}

/** Citation of a message with everything that is shown about it. */
export interface DisplayCitation {
  key: string;
  /** Number of its marker, or its position if it has none. */
  number: number;
  state: DisplayState;
  citation: Citation;
  verification: Verification | undefined;
}

/** Returns the citations of a message in the order of their numbers. */
export function displayCitations(message: MessageCitations | undefined): DisplayCitation[] {
  if (message === undefined) return [];
  const numbers = new Map<string, number>();
  for (const [marker, key] of Object.entries(message.markers ?? {})) {
    const number = Number(marker);
    if (Number.isInteger(number) && !numbers.has(key)) numbers.set(key, number);
  }
  const list = Object.entries(message.citations).map(([key, citation], position) => {
    const verification = Object.hasOwn(message.verifications, key)
      ? message.verifications[key]
      : undefined;
    const number = numbers.get(key) ?? citation.citationNumber ?? position + 1;
    return { key, number, state: displayState(verification), citation, verification };
  });
  return list.sort((a, b) => a.number - b.number);
}

/** Returns the citations of a message by the number of their markers. Several markers may mean one citation. */
export function citationsByNumber(
  message: MessageCitations | undefined,
): ReadonlyMap<number, DisplayCitation> {
  const citations = displayCitations(message);
  const byKey = new Map(citations.map((citation) => [citation.key, citation]));
  const byNumber = new Map(citations.map((citation) => [citation.number, citation]));
  for (const [marker, key] of Object.entries(message?.markers ?? {})) {
    const citation = byKey.get(key);
    if (citation) byNumber.set(Number(marker), citation);
  }
  return byNumber;
}

/** Returns the id of the evidence page of a verification. */
export function evidenceId(verification: Verification | undefined): string | undefined {
  return verification?.evidenceUrl?.split("?", 1)[0]?.split("/").at(-1);
}

/** Part of the summary line: a state with its number of citations. */
export interface SummaryPart {
  state: DisplayState;
  count: number;
}

/** Counts citations by state; states without citations are left out. */
export function summarise(citations: readonly DisplayCitation[]): SummaryPart[] {
  return DISPLAY_STATES.map((state) => ({
    state,
    count: citations.filter((citation) => citation.state === state).length,
  })).filter((part) => part.count > 0);
}
