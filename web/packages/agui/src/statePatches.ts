import type { CitationSummary, PatchOperation } from "@pincite/client";

/** Returns true unless the key reaches the prototype of an object. */
export function isSafeKey(key: string): boolean {
  return key !== "__proto__" && key !== "constructor" && key !== "prototype";
}

/** Returns a JSON Pointer. Throws if a segment is not a safe key. */
export function safePath(...segments: string[]): string {
  return segments
    .map((segment) => {
      if (!isSafeKey(segment)) throw new Error(`Key not allowed in a path: ${segment}.`);
      return `/${segment.replaceAll("~", "~0").replaceAll("/", "~1")}`;
    })
    .join("");
}

/** Returns an operation that sets a member, whether or not it exists. */
export function add(path: string, value: unknown): PatchOperation {
  return { op: "add", path, value };
}

/** Number of a summary that a status counts for. */
type SummaryClass = "verified" | "partial" | "missed" | "pending";

const CLASSES: Readonly<Record<string, SummaryClass>> = {
  found: "verified",
  found_phrase_missed_anchor_text: "verified",
  found_context_missed_source_match: "verified",
  found_anchor_text_only: "partial",
  found_source_match_only: "partial",
  partial_text_found: "partial",
  found_on_other_page: "partial",
  found_on_other_line: "partial",
  first_word_found: "partial",
  not_found: "missed",
  skipped: "missed",
};

/** Returns a summary after the status of a citation became known or another one. */
export function countStatus(
  summary: CitationSummary,
  before: string | undefined,
  after: string,
): CitationSummary {
  const counted = { ...summary };
  if (before === undefined) counted.total += 1;
  else counted[classOf(before)] -= 1;
  counted[classOf(after)] += 1;
  return counted;
}

function classOf(status: string): SummaryClass {
  return Object.hasOwn(CLASSES, status) ? (CLASSES[status] ?? "pending") : "pending";
}
