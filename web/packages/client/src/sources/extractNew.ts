import { SourceReference } from "./sourceReference.js";

/** Options of `extractNew`. */
export interface ExtractOptions {
  /**
   * Also return passages that were added to the last entry which was known before. A Pincite server has one entry for
   * each turn, to which every run of the turn adds.
   */
  includeGrownEntry?: boolean;
}

/**
 * Returns the sources of the entries that `rag.qa_history` has in the second state but not in the first (specification
 * 004). Entries are compared by number, as a history only grows. Citations that cannot be read are left out.
 */
export function extractNew(
  before: unknown,
  after: unknown,
  options: ExtractOptions = {},
): SourceReference[] {
  const known = readHistory(before);
  const entries = readHistory(after);
  const added = entries.slice(known.length).flatMap(readCitations);
  if (!options.includeGrownEntry || entries.length < known.length) return added;
  const last = known.length - 1;
  const seen = new Set(readCitations(known[last]).map((source) => source.chunkId));
  const grown = readCitations(entries[last]).filter((source) => !seen.has(source.chunkId));
  return [...grown, ...added];
}

/** Returns the entries of the history of a state; none if it has another form. */
function readHistory(state: unknown): readonly unknown[] {
  const history = member(member(state, "rag"), "qa_history");
  return Array.isArray(history) ? history : [];
}

function readCitations(entry: unknown): SourceReference[] {
  const citations = member(entry, "citations");
  if (!Array.isArray(citations)) return [];
  return citations
    .map(SourceReference.fromJson)
    .filter((source): source is SourceReference => source !== undefined);
}

function member(value: unknown, name: string): unknown {
  const isObject = typeof value === "object" && value !== null && !Array.isArray(value);
  return isObject ? (value as Record<string, unknown>)[name] : undefined;
}
