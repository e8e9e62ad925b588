import type { CitationSummary, CitationsState, MessageCitations } from "@pincite/client";

/** Options of `createCitationMiddleware`. */
export interface CitationMiddlewareConfig {
  /** Address of the Pincite server; the origin of the page, or else `http://127.0.0.1:8787`, if absent. */
  url?: string;
  /** Key of the server; not needed on loopback as long as the server has no keys. */
  apiKey?: string;
  verifyOptions?: VerifyOptions;
  /** Key of the shared state under which results are written. */
  stateKey?: string;
  /** Limit on the text of one message; what follows is not verified. */
  maxBufferBytes?: number;
  /** Number of messages whose results stay in the state; 0 keeps all. */
  keepMessages?: number;
  /** Longest wait for results at the end of a run, in milliseconds. */
  deadline?: number;
  /** Verify citations that are complete before the message ends. */
  verifyEarly?: boolean;
  /** Report the progress of citations as `CUSTOM` events `citation.seen` and `citation.verified`. */
  customEvents?: boolean;
  /** Function used instead of the global `fetch`. */
  fetch?: typeof globalThis.fetch;
  /** Receives warnings; they go to the console if absent. */
  onWarning?: (message: string) => void;
}

/** Options of verifications. */
export interface VerifyOptions {
  /** Documents to search; those of `forwardedProps.attachmentIds`, or else all documents, if absent. */
  attachmentIds?: readonly string[];
  /** Format of images of found passages, which are then part of the state; no images if absent. */
  outputImageFormat?: "avif" | "webp" | "jpeg" | "png";
  /** Accepted for code written for the citation SDK. Evidence pages exist for runs through the gateway only. */
  generateProofUrls?: boolean;
}

/** State under `stateKey`, by its name in specification 000. */
export type DeepCitationAgUIState = CitationsState;

/** Citations of one message, by their name in specification 000. */
export type MessageCitationState = MessageCitations & { error?: string };

/** State before the first message. */
export const INITIAL_DEEPCITATION_STATE: DeepCitationAgUIState = Object.freeze({
  citations: {},
  verifications: {},
  messages: {},
});

/** Summary of a message without citations. */
export const EMPTY_SUMMARY: CitationSummary = Object.freeze({
  total: 0,
  verified: 0,
  partial: 0,
  missed: 0,
  pending: 0,
});
