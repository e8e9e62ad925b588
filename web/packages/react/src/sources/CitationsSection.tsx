import type { SourceReference } from "@pincite/client";
import { type ComponentPropsWithoutRef, useState } from "react";
import { Markdown, type MarkdownParts } from "../markdown/Markdown.js";

/** Properties of the sources of a turn. */
export interface CitationsSectionProps
  extends Omit<ComponentPropsWithoutRef<"details">, "children"> {
  sourceReferences: readonly SourceReference[];
  /** Adds a button that shows the page of a passage. */
  onView?: (source: SourceReference) => void;
}

const PLAIN_TEXT: MarkdownParts = { isMarker: () => false, renderMarker: () => null };

/** Sources of a turn (specification 004): number, title and pages of each; its headings and passage on request. */
export function CitationsSection({ sourceReferences, onView, ...props }: CitationsSectionProps) {
  const count = sourceReferences.length;
  if (count === 0) return null;
  return (
    <details data-citations-section="" open {...props}>
      <summary>
        {count} {count === 1 ? "source" : "sources"}
      </summary>
      <CopyText label="Copy all" text={sourceReferences.map(sourceText).join("\n\n---\n\n")} />
      <ol>
        {sourceReferences.map((source, position) => (
          <li key={source.chunkId} value={source.index ?? position + 1}>
            <details>
              <summary>
                <span data-source-number="">{source.index ?? position + 1}</span>{" "}
                <cite dir="auto">{source.displayTitle}</cite>{" "}
                {source.formattedPageNumbers && (
                  <span data-source-pages="">{source.formattedPageNumbers}</span>
                )}
              </summary>
              {source.headings.length > 0 && (
                <p data-source-headings="" dir="auto">
                  {source.headings.join(" > ")}
                </p>
              )}
              <div data-source-content="">
                <Markdown text={source.content} parts={PLAIN_TEXT} />
              </div>
              <CopyText
                label={`Copy citation ${source.index ?? position + 1}`}
                text={sourceText(source)}
              />
              {onView && (
                <button type="button" onClick={() => onView(source)}>
                  View source
                </button>
              )}
            </details>
          </li>
        ))}
      </ol>
    </details>
  );
}

/** Returns a source as text: title, headings, pages, address, id of the passage and the passage. */
function sourceText(source: SourceReference): string {
  const about = [
    source.displayTitle,
    source.headings.join(" > "),
    source.formattedPageNumbers ?? "",
    source.documentUri,
    `chunk id: ${source.chunkId}`,
  ];
  return `${about.filter((line) => line !== "").join("\n")}\n\n${source.content}`;
}

function CopyText({ label, text }: { label: string; text: string }) {
  const [isCopied, setIsCopied] = useState(false);
  const copy = async () => {
    await navigator.clipboard.writeText(text);
    setIsCopied(true);
  };
  return (
    <button type="button" onClick={() => void copy().catch(() => setIsCopied(false))}>
      {isCopied ? "Copied" : label}
    </button>
  );
}
