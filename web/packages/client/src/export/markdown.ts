import type { DisplayCitation } from "../citations/display.js";
import { evidenceId, STATE_SIGNS } from "../citations/display.js";

/** Answer to export. */
export interface ExportedAnswer {
  /** Visible text in Markdown, with markers such as `[1]`. */
  text: string;
  citations: readonly DisplayCitation[];
}

/** Code, in which brackets are not markers, or a marker such as `[1]` or `[1, 2]`. */
const CODE_OR_MARKER = /(```[\s\S]*?(?:```|$)|`[^`\n]*`)|\[(\d{1,4}(?:\s*,\s*\d{1,4})*)\]/g;

/**
 * Returns an answer as Markdown with footnotes. A footnote has the state, the quote, the place and the address of the
 * evidence page. `prefix` makes the names of footnotes unique among several answers.
 */
export function answerMarkdown(answer: ExportedAnswer, origin: string, prefix = ""): string {
  const known = new Map(answer.citations.map((citation) => [citation.number, citation]));
  const text = answer.text.replace(CODE_OR_MARKER, (whole, code: string | undefined, list = "") => {
    const numbers = (list as string).split(",").map(Number);
    if (code !== undefined || !numbers.every((number) => known.has(number))) return whole;
    return numbers.map((number) => `[^${prefix}${number}]`).join("");
  });
  const footnotes = answer.citations.map(
    (citation) => `[^${prefix}${citation.number}]: ${citationLine(citation, origin)}`,
  );
  return [text.trim(), ...(footnotes.length > 0 ? [footnotes.join("\n")] : [])].join("\n\n");
}

/** Returns a citation in one line: state, quote, place and address. */
export function citationLine(citation: DisplayCitation, origin: string): string {
  const quote = citation.citation.fullPhrase ?? citation.citation.anchorText ?? "";
  const id = evidenceId(citation.verification);
  const parts = [
    `${STATE_SIGNS[citation.state]} ${citation.state}`,
    `“${quote.replace(/\s+/g, " ").trim()}”`,
    citationPlace(citation),
    id === undefined ? "" : `<${origin}/p/${id}>`,
  ];
  return parts.filter((part) => part !== "").join(" · ");
}

/** Returns the source of a citation with page and lines, such as `report.pdf, page 2, line 7`. */
export function citationPlace({
  citation,
  verification,
}: Pick<DisplayCitation, "citation" | "verification">): string {
  const source = verification?.label ?? citation.attachmentId ?? citation.url ?? "";
  const page = verification?.document?.verifiedPageNumber ?? citation.pageNumber;
  const lines = verification?.document?.verifiedLineIds ?? citation.lineIds ?? [];
  const [first, last] = [lines[0], lines.at(-1)];
  const parts = [source];
  if (page !== undefined) parts.push(`page ${page}`);
  if (first !== undefined) parts.push(first === last ? `line ${first}` : `lines ${first}–${last}`);
  return parts.filter((part) => part !== "").join(", ");
}
