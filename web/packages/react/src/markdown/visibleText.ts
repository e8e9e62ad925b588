const BLOCK_START = "<<<CITATION_DATA>>>";
const BLOCK_END = "<<<END_CITATION_DATA>>>";
/** Beginning of a marker at the end of a text that is still being written. */
const OPEN_MARKER = /\s*\[(?:\d{1,4}(?:\s*,\s*\d{0,4})*)?$/;

/**
 * Returns the text of an answer as it is shown: without the block of citation data, and while it is being written
 * without the beginning of a marker or block at its end.
 */
export function visibleText(text: string, isStreaming: boolean): string {
  let visible = text;
  for (let start = visible.indexOf(BLOCK_START); start >= 0; start = visible.indexOf(BLOCK_START)) {
    const end = visible.indexOf(BLOCK_END, start);
    visible = visible.slice(0, start) + (end < 0 ? "" : visible.slice(end + BLOCK_END.length));
  }
  if (isStreaming) {
    visible = withoutPartial(visible, BLOCK_START).replace(OPEN_MARKER, "");
  }
  return visible.trimEnd();
}

/** Removes the longest beginning of `mark` with which the text ends. */
function withoutPartial(text: string, mark: string): string {
  for (let length = Math.min(mark.length - 1, text.length); length > 0; length -= 1) {
    if (text.endsWith(mark.slice(0, length))) return text.slice(0, -length);
  }
  return text;
}
