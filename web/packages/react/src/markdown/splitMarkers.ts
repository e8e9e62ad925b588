/** Part of a text: words, or the numbers of a citation marker. */
export type TextPart = { kind: "text"; text: string } | { kind: "markers"; numbers: number[] };

/** Maths, which is shown as it is, or a marker such as `[1]` or `[1, 2]` with the punctuation after it. */
const PATTERN =
  /(\$[^$\n]+\$|\\\([^\n]*?\\\)|\\\[[^\n]*?\\\])|\[(\d{1,4}(?:\s*,\s*\d{1,4})*)\]([.,;:!?…]?)/g;

/**
 * Splits a text at its citation markers. Punctuation after a marker moves before it, as with footnotes. `isMarker`
 * decides which numbers are citations; other brackets stay text.
 */
export function splitMarkers(text: string, isMarker: (number: number) => boolean): TextPart[] {
  const parts: TextPart[] = [];
  let end = 0;
  const addText = (added: string) => {
    const last = parts.at(-1);
    if (added === "") return;
    if (last?.kind === "text") last.text += added;
    else parts.push({ kind: "text", text: added });
  };
  for (const match of text.matchAll(PATTERN)) {
    const [whole, maths, list = "", punctuation = ""] = match;
    const numbers = list.split(",").map(Number);
    if (maths !== undefined || !numbers.every(isMarker)) continue;
    const before = text.slice(end, match.index);
    end = match.index + whole.length;
    const last = parts.at(-1);
    if (before.trim() === "" && punctuation === "" && last?.kind === "markers") {
      last.numbers.push(...numbers);
      continue;
    }
    addText(before.trimEnd() + punctuation);
    parts.push({ kind: "markers", numbers });
  }
  addText(text.slice(end));
  return parts;
}
