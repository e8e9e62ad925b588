import { Markdown } from "../markdown/Markdown.js";
import { PLAIN_PARTS } from "./plainParts.js";
import type { MarkdownData } from "./types.js";

/** Formatted text of an agent. HTML in it is shown as text. */
export function DynamicMarkdown({ data }: { data: MarkdownData }) {
  return (
    <article
      className="pincite-component pincite-content"
      data-component="markdown"
      aria-label="Text"
    >
      <Markdown text={data.text} parts={PLAIN_PARTS} />
    </article>
  );
}
