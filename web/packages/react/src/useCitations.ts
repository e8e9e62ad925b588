import {
  type Citation,
  type CitationSummary,
  type DisplayCitation,
  displayCitations,
  type MessageStatus,
  messageCitations,
  type SummaryPart,
  summarise,
  type Verification,
} from "@pincite/client";
import { useMemo } from "react";

/** Place of the citations of a message in the shared state. */
export interface CitationsSelector {
  /** Shared state of the thread. */
  state: unknown;
  messageId: string;
  /** Key of the citations in the state; `deepcitation` if absent. */
  stateKey?: string;
}

/** Citations of a message as the state has them, by key. */
export interface MessageCitationsView {
  citations: Readonly<Record<string, Citation>>;
  verifications: Readonly<Record<string, Verification>>;
  /** Progress; `undefined` if the state knows nothing of the message. */
  status: MessageStatus | undefined;
  summary: CitationSummary;
}

const NO_CITATIONS: MessageCitationsView = {
  citations: {},
  verifications: {},
  status: undefined,
  summary: { total: 0, verified: 0, partial: 0, missed: 0, pending: 0 },
};

/** Returns the citations of a message from the shared state. The result changes only if they change. */
export function useCitations(selector: CitationsSelector): MessageCitationsView {
  const entry = messageCitations(selector.state, selector.messageId, selector.stateKey);
  return useMemo(
    () =>
      entry === undefined
        ? NO_CITATIONS
        : {
            citations: entry.citations,
            verifications: entry.verifications,
            status: entry.status,
            summary: entry.summary,
          },
    [entry],
  );
}

/** Citations of a message in the order of their numbers, with the states that people see. */
export interface DisplayCitationsView {
  citations: readonly DisplayCitation[];
  summary: readonly SummaryPart[];
  status: MessageStatus | undefined;
}

/** Returns the citations of a message for rendering. The result changes only if they change. */
export function useDisplayCitations(selector: CitationsSelector): DisplayCitationsView {
  const entry = messageCitations(selector.state, selector.messageId, selector.stateKey);
  return useMemo(() => {
    const citations = displayCitations(entry);
    return { citations, summary: summarise(citations), status: entry?.status };
  }, [entry]);
}
