import type { MarkdownParts } from "../markdown/Markdown.js";

/** Parts of a Markdown text without citations. */
export const PLAIN_PARTS: MarkdownParts = { isMarker: () => false, renderMarker: () => null };
