/** Part of a text that is highlighted as a whole, or not at all. */
export interface TextPart {
  /** Position in the text, in UTF-16 units. */
  start: number;
  text: string;
  isHighlighted: boolean;
}

/** Divides a text at its highlights. Highlights that overlap or are outside of the text are ignored. */
export function highlightParts(
  text: string,
  highlights: readonly (readonly number[])[],
): TextPart[] {
  const parts: TextPart[] = [];
  let end = 0;
  const add = (from: number, to: number, isHighlighted: boolean) => {
    if (from < to) parts.push({ start: from, text: text.slice(from, to), isHighlighted });
  };
  for (const [from = 0, to = 0] of highlights) {
    if (from < end || to <= from || to > text.length) continue;
    add(end, from, false);
    add(from, to, true);
    end = to;
  }
  add(end, text.length, false);
  return parts;
}
