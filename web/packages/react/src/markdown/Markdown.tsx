import { memo, type ReactNode, useMemo, useRef } from "react";
import remend from "remend";
import { BlockContent } from "./BlockContent.js";
import { type MarkdownBlock, type MarkdownBlocks, parseBlocks } from "./blocks.js";
import { visibleText } from "./visibleText.js";

/** Functions that render the parts of a text which depend on the frontend. */
export interface MarkdownParts {
  /** Returns true if the number in brackets is a citation. */
  isMarker: (number: number) => boolean;
  renderMarker: (number: number) => ReactNode;
  /** Renders a block of code, for example with a button that copies it. */
  renderCode?: (code: string, language: string) => ReactNode;
}

/**
 * Renders the Markdown of an answer with its citation markers, while it is being written too. Only the last block is
 * parsed and rendered again when text is added. HTML is shown as text, images as links.
 */
export function Markdown({
  text,
  isStreaming = false,
  parts,
}: {
  text: string;
  isStreaming?: boolean;
  /** Must be a stable object: a new one renders all blocks again. */
  parts: MarkdownParts;
}) {
  const previous = useRef<MarkdownBlocks | undefined>(undefined);
  const visible = visibleText(text, isStreaming);
  const blocks = useMemo(() => {
    previous.current = parseBlocks(visible, previous.current);
    return previous.current.blocks;
  }, [visible]);
  const last = blocks.length - 1;
  return blocks.map((block, position) => (
    <Block
      key={block.start}
      block={block}
      isOpen={isStreaming && position === last}
      parts={parts}
    />
  ));
}

/** Block that is rendered again only if its text or the parts change. */
const Block = memo(
  function Block({
    block,
    isOpen,
    parts,
  }: {
    block: MarkdownBlock;
    isOpen: boolean;
    parts: MarkdownParts;
  }) {
    // Closes emphasis, code and links that are still being written, so that they do not flicker.
    const token = isOpen
      ? (parseBlocks(remend(block.raw, { links: false, katex: false })).blocks[0]?.token ??
        block.token)
      : block.token;
    return <BlockContent token={token} parts={parts} />;
  },
  (before, after) =>
    before.block.raw === after.block.raw &&
    before.isOpen === after.isOpen &&
    before.parts === after.parts,
);
