import { lexer, type Token } from "marked";

/** Top-level block of a Markdown text. */
export interface MarkdownBlock {
  /** Position of its first character in the text; identifies the block while the text grows. */
  start: number;
  raw: string;
  token: Token;
}

/** Blocks of a text. Blocks of a longer text that begins with it are computed from them. */
export interface MarkdownBlocks {
  text: string;
  blocks: readonly MarkdownBlock[];
}

/**
 * Divides a text into blocks. If it continues the text of `previous`, only the last block and what follows are
 * parsed; all other blocks stay the same objects, so they need not be rendered again.
 */
export function parseBlocks(text: string, previous?: MarkdownBlocks): MarkdownBlocks {
  if (previous?.text === text) return previous;
  const settled = previous && text.startsWith(previous.text) ? previous.blocks.slice(0, -1) : [];
  const last = settled.at(-1);
  const start = last ? last.start + last.raw.length : 0;
  return { text, blocks: [...settled, ...lexBlocks(text.slice(start), start)] };
}

function lexBlocks(text: string, offset: number): MarkdownBlock[] {
  const blocks: MarkdownBlock[] = [];
  let start = offset;
  for (const token of lexer(text)) {
    // Space belongs to the block before it, so that the last block is always one with content.
    const before = blocks.at(-1);
    if (token.type === "space" && before) {
      blocks[blocks.length - 1] = { ...before, raw: before.raw + token.raw };
    } else {
      blocks.push({ start, raw: token.raw, token });
    }
    start += token.raw.length;
  }
  return blocks;
}
