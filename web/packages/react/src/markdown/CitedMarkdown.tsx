import { citationsByNumber, messageCitations } from "@pincite/client";
import { useMemo, useRef } from "react";
import type { CitationVariant } from "../citations/CitationMarker.js";
import { EvidencePopover } from "../evidence/EvidencePopover.js";
import { Markdown, type MarkdownParts } from "./Markdown.js";

/** Properties of a text with citations. */
export interface CitedMarkdownProps {
  /** Text of the message, with markers such as `[1]`. */
  text: string;
  /** Shared state of the thread. */
  state: unknown;
  messageId: string;
  stateKey?: string;
  /** True while the text is being written. Every number in brackets may then become a citation. */
  isStreaming?: boolean;
  variant?: CitationVariant;
  /** Called with the key of a citation whose marker is pressed, instead of showing a popover. */
  onSelect?: (key: string) => void;
  renderCode?: MarkdownParts["renderCode"];
}

/** Markdown of an answer whose markers show the state of their citation, and its evidence when they are pressed. */
export function CitedMarkdown({
  text,
  state,
  messageId,
  stateKey,
  isStreaming = false,
  variant = "chip",
  onSelect,
  renderCode,
}: CitedMarkdownProps) {
  const entry = messageCitations(state, messageId, stateKey);
  const select = useRef(onSelect);
  select.current = onSelect;
  const hasSelect = onSelect !== undefined;
  const parts = useMemo<MarkdownParts>(() => {
    const byNumber = citationsByNumber(entry);
    return {
      isMarker: (number) => isStreaming || byNumber.has(number),
      renderMarker: (number) => {
        const found = byNumber.get(number);
        return (
          <EvidencePopover
            number={number}
            citation={found?.citation}
            verification={found?.verification}
            isLoading={found === undefined}
            variant={variant}
            onClick={(event) => {
              if (!hasSelect) return;
              event.preventDefault();
              if (found) select.current?.(found.key);
            }}
          />
        );
      },
      ...(renderCode ? { renderCode } : {}),
    };
  }, [entry, isStreaming, variant, renderCode, hasSelect]);
  return <Markdown text={text} isStreaming={isStreaming} parts={parts} />;
}
