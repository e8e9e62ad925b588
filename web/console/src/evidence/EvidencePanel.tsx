import {
  citationLine,
  type DisplayCitation,
  type DisplayState,
  displayCitations,
  evidenceId,
  type MessageCitations,
  STATE_SIGNS,
} from "@pincite/client";
import { ChevronLeft, ChevronRight, X } from "lucide-react";
import { useCallback, useEffect, useMemo } from "react";
import { client } from "../api/client.js";
import { useRequest } from "../api/useRequest.js";
import { DetailPanel } from "../shell/DetailPanel.js";
import { Button } from "../ui/Button.js";
import { CopyButton } from "../ui/CopyButton.js";
import { ErrorNotice } from "../ui/ErrorNotice.js";
import { Attempts } from "./Attempts.js";
import { Difference } from "./Difference.js";
import styles from "./EvidencePanel.module.css";
import { PageViewer } from "./PageViewer.js";

/** Evidence of a citation beside the answer. The order of its parts is the same in every state. */
export function EvidencePanel({
  message,
  selectedKey,
  filter,
  onSelect,
  onClose,
}: {
  message: MessageCitations | undefined;
  selectedKey: string;
  filter: DisplayState | undefined;
  onSelect: (key: string) => void;
  onClose: () => void;
}) {
  const citations = useMemo(() => displayCitations(message), [message]);
  const current = citations.find((citation) => citation.key === selectedKey);
  const listed = citations.filter(
    (citation) => filter === undefined || citation.state === filter || citation === current,
  );
  const position = listed.findIndex((citation) => citation.key === selectedKey);
  const close = useCallback(() => {
    onClose();
    focusMarker(selectedKey);
  }, [onClose, selectedKey]);
  const previousKey = listed[position - 1]?.key;
  const nextKey = listed[position + 1]?.key;
  useCitationKeys(previousKey, nextKey, onSelect);
  useEffect(() => revealMarker(selectedKey), [selectedKey]);
  if (!current) return null;
  return (
    <DetailPanel label="Evidence" onClose={close}>
      <div className={styles.head}>
        <p className={styles.position}>
          Citation {position + 1} of {listed.length}
          {filter && ` (${filter})`}
        </p>
        <Button
          kind="icon"
          aria-label="Previous citation"
          title="Previous citation (k)"
          disabled={previousKey === undefined}
          onClick={() => previousKey && onSelect(previousKey)}
        >
          <ChevronLeft size={18} />
        </Button>
        <Button
          kind="icon"
          aria-label="Next citation"
          title="Next citation (j)"
          disabled={nextKey === undefined}
          onClick={() => nextKey && onSelect(nextKey)}
        >
          <ChevronRight size={18} />
        </Button>
        <Button kind="icon" aria-label="Close evidence" title="Close (Escape)" onClick={close}>
          <X size={18} />
        </Button>
      </div>
      <Evidence key={current.key} citation={current} />
    </DetailPanel>
  );
}

/** Moves between citations with `j` and `k`, except while a text is being written. */
function useCitationKeys(
  previousKey: string | undefined,
  nextKey: string | undefined,
  onSelect: (key: string) => void,
): void {
  useEffect(() => {
    const move = (event: KeyboardEvent) => {
      const isTyping =
        event.target instanceof Element && event.target.closest("input, textarea, select");
      if (isTyping || event.ctrlKey || event.metaKey || event.altKey) return;
      if (event.key === "j" && nextKey !== undefined) onSelect(nextKey);
      if (event.key === "k" && previousKey !== undefined) onSelect(previousKey);
    };
    document.addEventListener("keydown", move);
    return () => document.removeEventListener("keydown", move);
  }, [previousKey, nextKey, onSelect]);
}

function findMarker(key: string): HTMLElement | null {
  return document.querySelector<HTMLElement>(`button[data-key="${CSS.escape(key)}"]`);
}

function focusMarker(key: string): void {
  findMarker(key)?.focus();
}

/** Scrolls the marker of a citation to where the evidence does not cover it. */
function revealMarker(key: string): void {
  const marker = findMarker(key);
  const panel = document.querySelector("aside[aria-label=Evidence]")?.getBoundingClientRect();
  if (!marker || !panel) return;
  const { top, bottom } = marker.getBoundingClientRect();
  const isSheet = panel.left === 0;
  const end = isSheet ? panel.top : window.innerHeight;
  if (top < 0 || bottom > end) marker.scrollIntoView({ block: isSheet ? "start" : "center" });
}

/** Returns a word with a capital letter at its beginning. */
function capitalised(text: string): string {
  return text.charAt(0).toUpperCase() + text.slice(1);
}

function Evidence({ citation }: { citation: DisplayCitation }) {
  const id = evidenceId(citation.verification);
  const { data, error, reload } = useRequest(
    async () => (id === undefined ? undefined : await client.evidence(id)),
    [id],
  );
  const { state } = citation;
  const quote = data?.quote ?? citation.citation.fullPhrase ?? citation.citation.anchorText ?? "";
  const source = data?.source ?? citation.verification?.label ?? citation.citation.attachmentId;
  const place = data?.place ?? "";
  return (
    <div className={styles.evidence}>
      <p className={styles.state} data-state={state.replace(" ", "-")}>
        <span aria-hidden="true">{STATE_SIGNS[state]}</span> <span>{capitalised(state)}</span>
        {state === "found elsewhere" && place !== "" && `: ${place}`}
      </p>
      {data?.reasons.map((reason) => (
        <p key={reason} className={styles.reason} dir="auto">
          {reason}
        </p>
      ))}
      {state === "checking" && (
        <p className={styles.reason}>The quote is being compared with its source.</p>
      )}
      <blockquote className={styles.quote} dir="auto">
        {data && data.difference.length > 0 ? <Difference parts={data.difference} /> : quote}
      </blockquote>
      <div className={styles.place}>
        <p>
          {source && <cite dir="auto">{source}</cite>}
          {place !== "" && `, ${place}`}
        </p>
        {id !== undefined && (
          <a href={client.url(`/p/${id}`)} target="_blank" rel="noopener">
            Open page
          </a>
        )}
        <CopyButton
          label="Copy footnote"
          text={() => `[^${citation.number}]: ${citationLine(citation, window.location.origin)}`}
        />
      </div>
      {error && <ErrorNotice error={error} onAction={reload} />}
      {data?.documentId && data.page !== undefined && (
        <PageViewer
          documentId={data.documentId}
          title={source ?? "the document"}
          evidenceId={data.id}
          firstPage={data.page}
          pageCount={data.pageCount ?? 1}
          boxes={data.boxes}
          isNearest={data.isNearest}
        />
      )}
      <Attempts attempts={citation.verification?.searchAttempts ?? []} />
      <p className={styles.meaning}>
        Pincite checks that the words are in the document, not that they support the claim they are
        cited for.
      </p>
    </div>
  );
}
