/** Shared state that Pincite writes under its key, in the names of specification 000. */
export interface CitationsState {
  citations: Record<string, Citation>;
  verifications: Record<string, Verification>;
  messages: Record<string, MessageCitations>;
}

/** Key of `CitationsState` in the shared state. */
export const DEFAULT_STATE_KEY = "deepcitation";

/** Citation as an agent wrote it. */
export interface Citation {
  type?: string;
  attachmentId?: string;
  url?: string;
  pageNumber?: number;
  fullPhrase?: string;
  anchorText?: string;
  citationNumber?: number;
  lineIds?: number[];
  reasoning?: string;
}

/** Result of the check of a citation. */
export interface Verification {
  status: string;
  attachmentId?: string;
  /** Name of the source. */
  label?: string;
  searchAttempts?: SearchAttempt[];
  verifiedFullPhrase?: string;
  verifiedAnchorText?: string;
  verifiedMatchSnippet?: string;
  document?: VerifiedPlace;
  /** Image of the passage. */
  evidence?: { src: string; dimensions?: { width: number; height: number } };
  /** Images of the pages with the passage. */
  pageImages?: { pageNumber: number; imageUrl: string; isMatchPage?: boolean }[];
  evidenceUrl?: string;
  /** Code of a problem, such as `source_missing`. */
  problem?: string;
}

/** Place of a found passage in its document. */
export interface VerifiedPlace {
  verifiedPageNumber?: number;
  verifiedLineIds?: number[];
  mimeType?: string;
  boxes?: PassageBox[];
}

/** Rectangle on a page, in points from the top left corner. */
export interface PassageBox {
  page: number;
  x: number;
  y: number;
  width: number;
  height: number;
}

/** One way in which a quote was looked for. */
export interface SearchAttempt {
  method: string;
  success: boolean;
  searchPhrase?: string;
  searchPhraseType?: string;
  searchScope?: string;
  pageSearched?: number;
  lineSearched?: number | number[];
  expectedLocation?: PageLine;
  foundLocation?: PageLine;
  matchedText?: string;
  matchedVariation?: string;
  variationType?: string;
  note?: string;
}

/** Page and line, both counted from 1. */
export interface PageLine {
  page?: number;
  line?: number;
}

/** Citations of one message. */
export interface MessageCitations {
  messageId: string;
  citations: Record<string, Citation>;
  verifications: Record<string, Verification>;
  /** Citation keys by marker number. */
  markers?: Record<string, string>;
  summary: CitationSummary;
  status: MessageStatus;
  outcome?: AnswerOutcome;
}

/** Progress of the citations of a message. */
export type MessageStatus = "streaming" | "extracting" | "verifying" | "complete" | "error";

/** Numbers of citations, which are disjoint and add up to `total`. */
export interface CitationSummary {
  total: number;
  verified: number;
  partial: number;
  missed: number;
  pending: number;
}

/** Result of an answer as a whole. */
export interface AnswerOutcome {
  kind: "answered" | "partly" | "refused";
  confidence?: number;
  factors?: unknown;
  unsupported?: { text: string; start: number; end: number }[];
  model?: string;
}

function isRecord(value: unknown): value is Record<string, unknown> {
  return typeof value === "object" && value !== null && !Array.isArray(value);
}

/** Returns the citations of a message, or `undefined` if the state has none. */
export function messageCitations(
  state: unknown,
  messageId: string,
  stateKey: string = DEFAULT_STATE_KEY,
): MessageCitations | undefined {
  if (!isRecord(state) || !Object.hasOwn(state, stateKey)) return undefined;
  const own = state[stateKey];
  if (!isRecord(own) || !isRecord(own.messages)) return undefined;
  if (!Object.hasOwn(own.messages, messageId)) return undefined;
  const entry = own.messages[messageId];
  return isRecord(entry) && isRecord(entry.citations)
    ? (entry as unknown as MessageCitations)
    : undefined;
}
