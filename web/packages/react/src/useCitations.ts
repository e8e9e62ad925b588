import {
  type DisplayCitation,
  displayCitations,
  type MessageStatus,
  messageCitations,
  type SummaryPart,
  summarise,
} from "@pincite/client";
import { useMemo } from "react";

/** Citations of a message for rendering. */
export interface MessageCitationsView {
  citations: readonly DisplayCitation[];
  summary: readonly SummaryPart[];
  status: MessageStatus | undefined;
}

/** Returns the citations of a message from the shared state. The result changes only if they change. */
export function useCitations({
  state,
  messageId,
  stateKey,
}: {
  state: unknown;
  messageId: string;
  stateKey?: string;
}): MessageCitationsView {
  const entry = messageCitations(state, messageId, stateKey);
  return useMemo(() => {
    const citations = displayCitations(entry);
    return { citations, summary: summarise(citations), status: entry?.status };
  }, [entry]);
}
