import type { Citation, CitationSummary, MessageStatus, Verification } from "@pincite/client";
import { messageCitations } from "@pincite/client";
import { useMemo } from "react";
import { EMPTY_SUMMARY } from "./types.js";

/** Citations of a message as `useDeepCitationAgUI` returns them. */
export interface DeepCitationView {
  citations: Record<string, Citation>;
  verifications: Record<string, Verification>;
  /** Progress; `undefined` if the state knows nothing of the message. */
  status: MessageStatus | undefined;
  summary: CitationSummary;
}

/** Returns the citations of a message from the shared state. The result changes only if they change. */
export function useDeepCitationAgUI({
  agUiState,
  messageId,
  stateKey,
}: {
  agUiState: unknown;
  messageId: string;
  stateKey?: string;
}): DeepCitationView {
  const entry = messageCitations(agUiState, messageId, stateKey);
  return useMemo(
    () => ({
      citations: entry?.citations ?? {},
      verifications: entry?.verifications ?? {},
      status: entry?.status,
      summary: entry?.summary ?? EMPTY_SUMMARY,
    }),
    [entry],
  );
}
