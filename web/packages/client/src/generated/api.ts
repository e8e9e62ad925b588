// Types of the Pincite API, generated from its OpenAPI document. Do not edit: change the Rust types
// and run `PINCITE_BLESS=1 cargo nextest run -p server generated`.

/** Access key without its secret. */
export interface AccessKeyInfo {
  /** Id of the key. */
  id: string;
  /** Name that people gave it. */
  name: string;
  /** Principal whose data it gives access to. */
  principal: string;
  /** Scopes. */
  scopes: Array<string>;
  /** `valid`, `expired` or `revoked`. */
  state: "valid" | "expired" | "revoked";
  /** Time at which it was created (RFC 3339). */
  createdAt: string;
  /** Time at which it expires (RFC 3339); null if it does not. */
  expiresAt: string | null;
  /** Time of its last use (RFC 3339); null if it was not used. */
  usedAt: string | null;
}

/** List of access keys. */
export interface AccessKeyList {
  /** All keys of the server, ordered by id. */
  items: Array<AccessKeyInfo>;
}

/** Key to create. From the first key on every request needs one. */
export interface AccessKeyRequest {
  /** Name for people. */
  name: string;
  /** Scopes; `read` and `write` if absent. */
  scopes?: Array<AccessScope>;
  /** Principal whose data it gives access to; that of the request if absent. */
  principal?: string;
  /** Days until it expires; it does not expire if absent. */
  expiresInDays?: number;
}

/** Permission that a key or token grants. */
export type AccessScope =
  /** Read the principal's own data. */
  | "read"
  /** Run agents; add, change and delete the principal's own data. */
  | "write"
  /** Read metrics and the audit log of all principals, change the log level, export or delete other principals. */
  | "admin";

/** Choice of an action. */
export interface ActionChoiceRequest {
  /** Parameters as the person edited them; those that the agent suggested if absent. */
  params?: Record<string, unknown>;
  /** True if the person confirmed. */
  confirmed?: boolean;
  /** Key that the client chooses. A repeated request with it executes nothing. */
  idempotencyKey: string;
}

/** Execution of an action. */
export interface ActionExecutionJson {
  /** Key of the request that chose the action. */
  idempotencyKey: string;
  /** Message with the action. */
  messageId: string;
  /** Id of the action in its message. */
  actionId: string;
  /** Agent that sent it. */
  agentId: string;
  /** Label of the action. */
  label: string;
  /** Parameters as the person sent them. */
  params: Record<string, unknown>;
  /** True if the person confirmed it. */
  confirmed?: boolean;
  /** True if it can be undone. */
  undoable?: boolean;
  /** State of the execution. */
  state: "suggested" | "confirmed" | "running" | "done" | "failed" | "expired" | "undone";
  /** Time of the choice in milliseconds since 1970. */
  startedAt: number;
  /** Run that executes it, if a client chose it with a run. */
  runId?: string;
  /** Result that the agent reported. */
  result?: unknown;
  /** Error that the agent reported. */
  error?: string;
}

/** Report of an agent about an execution. */
export interface ActionReportRequest {
  /** Key of the execution. */
  idempotencyKey: string;
  /** New state: `done`, `failed`, `expired` or `undone`. */
  state: ActionState;
  /** Result. */
  result?: unknown;
  /** Error message. */
  error?: string;
}

/** State of an execution. */
export type ActionState =
  /** Offered by the agent. */
  | "suggested"
  /** Confirmed by the person. */
  | "confirmed"
  /** Being executed by the agent. */
  | "running"
  /** Executed. */
  | "done"
  /** Not executed, with an error. */
  | "failed"
  /** No longer possible. */
  | "expired"
  /** Reversed by the agent. */
  | "undone";

/** Capabilities of an agent. */
export interface AgentCapabilities {
  /** Support for the shared state. */
  state: StateCapabilities;
  /** Support for ways of delivery. */
  transport: TransportCapabilities;
}

/** Agent. */
export interface AgentInfo {
  /** Name of the agent. */
  name: string;
  /** Address to which runs are posted. */
  url: string;
  /** True if the agent is part of the program, false for an upstream agent. */
  builtIn: boolean;
  /** True for the agent that a client uses if it has no other preference: the first upstream, or else the reader. */
  default: boolean;
  /** Place at which the agent was defined: the program, the configuration, or added over the API. */
  origin: "builtIn" | "configuration" | "added";
  /** Address of an upstream agent without secrets; only with the scope `admin`. */
  upstream?: string;
  /** Model that answers, or `extractive` for the reader without a model. Absent for agents whose model is not known. */
  model?: string;
  /** Capabilities in the sense of AG-UI. */
  capabilities: AgentCapabilities;
}

/** List of agents. */
export interface AgentList {
  /** All agents of the server. */
  items: Array<AgentInfo>;
}

/** Record to approve. */
export interface ApprovalItem {
  /** Attribution id. */
  attribution_id: string;
  /** Version that the reviewer saw. */
  version: number;
}

/** Approval of records. */
export interface ApprovalRequest {
  /** Records with the versions that the reviewer saw. */
  items: Array<ApprovalItem>;
  /** Role of the reviewer. */
  reviewer_role: ReviewerRole;
}

/** Outcome of an approval. */
export interface ApprovalResponse {
  /** Number of approved records. */
  approved: number;
  /** Outcome of each record. */
  items: Array<ApprovedItem>;
}

/** Outcome of one record. */
export interface ApprovedItem {
  /** Attribution id. */
  attribution_id: string;
  /** True if the record was approved. */
  approved: boolean;
  /** New version of an approved record. */
  version: number | null;
  /** Reason of a refusal. */
  reason: string | null;
}

/** Level of assurance, from no data to verified by the artist. */
export type AssuranceLevel =
  /** A0: no identified source. */
  | "LEVEL_0"
  /** A1: one source with an identifier. */
  | "LEVEL_1"
  /** A2: independent sources agree. */
  | "LEVEL_2"
  /** A3: confirmed by the artist and a database. */
  | "LEVEL_3";

/** Attachment with its text. */
export interface AttachmentInfo {
  /** Attachment id. */
  id: string;
  /** Always `ready`. */
  status: string;
  /** `url` for a document that was fetched, else `upload`. */
  source: "url" | "upload";
  /** Address from which the document was fetched. */
  urlSource?: UrlSource;
  /** Original file. */
  originalDownload: DownloadJson;
  /** File name. */
  originalFilename: string;
  /** Media type. */
  mimeType: string;
  /** Size of the file in bytes. */
  fileSize: number;
  /** Number of pages. */
  pageCount: number;
  /** Size of the text in bytes. */
  textByteSize: number;
  /** Images of all pages; empty if there are more than 2,000, or pages that take several images. */
  pageImages: Array<PageImageJson>;
  /** Always `completed`. */
  pageImagesStatus: string;
  /** Verifications of citations in the document, by the keys of the citations. */
  verifications: Record<string, VerificationJson>;
  /** Time at which it was attached (RFC 3339). */
  uploadedAt: string;
  /** Time at which it expires (RFC 3339), or `never`. */
  expiresAt: string;
  /** Text for the prompt, with tags for pages and line numbers. */
  deepTextPromptPortion: string;
  /** Plain text page by page. */
  pageTexts: Array<string>;
  /** Parts that could not be read, each with a hint. */
  warnings?: Array<string>;
}

/** Attachment to describe. */
export interface AttachmentRequest {
  /** Attachment id. */
  attachmentId: string;
}

/** History of an attribution. */
export interface AttributionHistory {
  /** Attribution id. */
  attribution_id: string;
  /** Events, the oldest first. */
  provenance_chain: Array<ProvenanceEvent>;
  /** Uncertainty. */
  uncertainty_summary: UncertaintySummary | null;
}

/** Work that a search found. */
export interface AttributionHit {
  /** Work. */
  attribution: AttributionRecord;
  /** Score of the rank fusion; comparable only within one response. */
  rrf_score: number;
  /** Rank in the list of each method, from 1. */
  ranks: Record<string, number>;
}

/** Attribution of a recording: its credits with their confidence, and its history. */
export interface AttributionRecord {
  /** Version of the data model. */
  schema_version: string;
  /** Id. */
  attribution_id: string;
  /** Recording or work that it is about. */
  work_entity_id: string;
  /** Title. */
  work_title: string;
  /** Main artists. */
  artist_name: string;
  /** Credits. */
  credits: Array<Credit>;
  /** Level of assurance: the lowest of the credits. */
  assurance_level: AssuranceLevel;
  /** Confidence from 0 to 1: the mean of the credits. */
  confidence_score: number;
  /** Prediction sets. */
  conformal_set: ConformalSet;
  /** Agreement of the sources from 0 to 1. */
  source_agreement: number;
  /** Conflicts between sources. */
  conflicts: Array<CreditConflict>;
  /** History. */
  provenance_chain: Array<ProvenanceEvent>;
  /** Uncertainty. */
  uncertainty_summary: UncertaintySummary | null;
  /** True if a person should look at it. */
  needs_review: boolean;
  /** Priority of a review, from 0 to 1. */
  review_priority: number;
  /** Time of creation (RFC 3339). */
  created_at: string;
  /** Time of the last change (RFC 3339). */
  updated_at: string;
  /** Version, from 1. */
  version: number;
  /** Title, artist and credits that a reviewer has confirmed or corrected; the sources do not change them. */
  reviewed_fields: Array<string>;
  /** Corrections of all feedback, with their states. */
  corrections: Array<Correction>;
  /** Records that it was made from. */
  source_records: Array<RecordReference>;
}

/** Entry of the audit log. */
export interface AuditRecord {
  /** Principal that sent the request. */
  principal: string;
  /** Id of its key; null without a key. */
  key: string | null;
  /** Action, such as `thread.deleted`. */
  action: string;
  /** Path of the request, or the principal that it was about. */
  target: string;
  /** Id of the request. */
  requestId: string | null;
  /** Time of the request (RFC 3339). */
  at: string;
}

/** Page of a list. */
export interface AuditRecordPage {
  /** Items of the page. */
  items: Array<AuditRecord>;
  /** Cursor of the next page, to send as `after`; null on the last page. */
  next: string | null;
}

/** Calibration of the scorer on labels. */
export interface Calibration {
  /** Coverage that was asked for. */
  coverage_level: number;
  /** Nonconformity up to which a role belongs to a prediction set. */
  threshold: number;
  /** Number of labels. */
  label_count: number;
  /** Coverage of the second half of the labels with the threshold of the first half. */
  held_out_coverage: number;
  /** Expected calibration error of the confidences. */
  expected_calibration_error: number;
  /** Bins of the reliability diagram. */
  bins: Array<ReliabilityBin>;
}

/** Sender of the request. */
export interface CallerInfo {
  /** Principal whose data the request sees. */
  principal: string;
  /** Id of the key; null without a key. */
  key: string | null;
  /** Granted scopes. */
  scopes: Array<AccessScope>;
}

/** Message to send. */
export interface CanvasMessageBody {
  /** Kind of the message. */
  type: MessageKind;
  /** Agent that sends it. An unknown one is created. */
  agentId: string;
  /** Conversation; if present, that of the path. */
  conversationId?: string;
  /** Time of sending in milliseconds since 1970. */
  timestamp?: number;
  /** Payload, as `GET /canvas/catalog` describes it. */
  payload: Record<string, unknown>;
  /** `correlationId`, `replyTo`, and any others. */
  metadata?: Record<string, unknown>;
  /** Version of the protocol. */
  version?: string;
}

/** Message of a conversation with its id. `GET /canvas/catalog` describes the payloads. */
export interface CanvasMessageJson {
  /** Message id. */
  id: string;
  /** Kind of the message. */
  type: "text" | "ui" | "action" | "context_request" | "reasoning" | "tool_call" | "error";
  /** Agent that sent it. */
  agentId: string;
  /** Conversation. */
  conversationId: string;
  /** Time of sending in milliseconds since 1970. */
  timestamp: number;
  /** Payload, as `GET /canvas/catalog` describes it. */
  payload: Record<string, unknown>;
  /** `correlationId`, `replyTo`, and any others. */
  metadata?: Record<string, unknown>;
  /** Version of the protocol. */
  version: string;
}

/** Page of a list. */
export interface CanvasMessageJsonPage {
  /** Items of the page. */
  items: Array<CanvasMessageJson>;
  /** Cursor of the next page, to send as `after`; null on the last page. */
  next: string | null;
}

/** Catalog of messages and components with their JSON Schemas. */
export type CatalogJson = Record<string, unknown>;

/** Chunk with its place on the pages. */
export interface ChunkInfo {
  /** Chunk id, or the citation key that was asked for. */
  chunkId: string;
  /** Hash of the file. */
  documentId: string;
  /** Attachment id. */
  attachmentId: string;
  /** File name, without folders. */
  filename: string;
  /** Title of the document; null if it has none. */
  documentTitle: string | null;
  /** Headings above it, the outermost first. */
  headings: Array<string>;
  /** Text. */
  content: string;
  /** Pages that it is on. */
  pages: Array<ChunkPage>;
}

/** Page with the boxes of a chunk. */
export interface ChunkPage {
  /** Page number, from 1. */
  page: number;
  /** Address of the page image. */
  image: string;
  /** Boxes of the lines; empty if the file has no positions. */
  boxes: Array<FractionBox>;
}

/** Citation to verify. Other members and the names of all SDK versions are accepted, too. */
export interface CitationInput {
  /** Quote. */
  fullPhrase?: string;
  /** Key words of the quote. */
  anchorText?: string;
  /** Source: attachment id, document id, file name, title, path or address. */
  attachmentId?: string;
  /** Page, from 1. */
  pageNumber?: number;
  [member: string]: unknown;
}

/** Citation in the names of the SDK version that the header `X-SDK-Version` selects, such as `fullPhrase`, `anchorText`, `attachmentId` and `pageNumber`. */
export type CitationJson = Record<string, unknown>;

/** Part of an answer that could not be read as a citation, or a citation whose source or page does not exist. */
export interface CitationProblem {
  /** Code of the problem. */
  code: string;
  /** Description of the problem. */
  message: string;
  /** Position in the answer, in bytes. */
  offset?: number;
  /** Key of the citation. */
  key?: string;
  /** Source that the citation names. */
  attachmentId?: string;
  /** Page that the citation names. */
  pageNumber?: number;
}

/** Citation of a document in an answer. */
export interface CitingAnswer {
  /** Id of the evidence page. */
  evidenceId: string;
  /** Key of the citation. */
  key: string;
  /** Thread of the answer. */
  threadId: string;
  /** Title of the thread, or null if it has none. */
  threadTitle: string | null;
  /** Id of the message. */
  messageId: string | null;
  /** Quote. */
  quote: string;
  /** Status in words. */
  words: string;
  /** State: `verified`, `partly`, `elsewhere`, `missing` or `pending`. */
  state: "verified" | "partly" | "elsewhere" | "missing" | "pending";
  /** Page of the file on which the quote was found, or else the cited one. */
  page: number | null;
  /** Time of the verification (RFC 3339). */
  checkedAt: string;
}

/** Answers that cite a document. */
export interface CitingAnswerList {
  /** Citations, the latest first, at most 100. */
  items: Array<CitingAnswer>;
}

/** Term of a confidence: what changed it, and by how much. */
export interface ConfidenceTerm {
  /** Description. */
  label: string;
  /** Change of the confidence. */
  change: number;
  /** Confidence afterwards. */
  confidence: number;
}

/** Severity of a conflict between sources. */
export type ConflictSeverity =
  /** Low. */
  | "LOW"
  /** Medium. */
  | "MEDIUM"
  /** High. */
  | "HIGH"
  /** Critical. */
  | "CRITICAL";

/** Prediction sets of roles with their calibration. */
export interface ConformalSet {
  /** Coverage that was asked for. */
  coverage_level: number;
  /** Roles that cannot be excluded, by entity id. */
  prediction_sets: Record<string, Array<CreditRole>>;
  /** Sizes of the sets. */
  set_sizes: Record<string, number>;
  /** Coverage measured on labels that were held out. */
  marginal_coverage: number;
  /** Expected calibration error. */
  calibration_error: number;
  /** Method. */
  calibration_method: string;
  /** Number of labels. */
  calibration_set_size: number;
}

/** Answer to a request for context, if there is one. */
export interface ContextAnswerInfo {
  /** False while the request is open. */
  answered: boolean;
  /** Values of the granted fields. */
  shared: Record<string, unknown>;
  /** Fields that were not shared. */
  withheld: Array<string>;
}

/** Answer to a request for context. */
export interface ContextAnswerRequest {
  /** Decision about each field: `once`, `always` or `never`. A field without a decision is withheld. */
  decisions: Record<string, ContextDecision>;
  /** Values of the fields. Only those of granted fields are stored. */
  values: Record<string, unknown>;
}

/** Decision of a person about one field. */
export type ContextDecision =
  /** Shared this time. */
  | "once"
  /** Shared now and whenever this agent asks again. */
  | "always"
  /** Not shared, now and whenever this agent asks again. */
  | "never";

/** Standing decision about a field. */
export interface ContextGrantInfo {
  /** Id. */
  id: string;
  /** Agent that asks. */
  agentId: string;
  /** Field. */
  field: string;
  /** `always` or `never`. */
  decision: ContextDecision;
  /** Time of the decision (RFC 3339). */
  at: string;
}

/** Standing decisions. */
export interface ContextGrantList {
  /** Decisions, the latest first. */
  items: Array<ContextGrantInfo>;
}

/** Shared fields of a conversation. */
export interface ContextInfo {
  /** Values by name. */
  context: Record<string, unknown>;
}

/** Value to share. */
export interface ContextValueRequest {
  /** Value. */
  value: unknown;
}

/** Change of a conversation. */
export interface ConversationEvent {
  /** Number of the event in the log of the thread. */
  sequence: number;
  /** Kind of the change. */
  event: "message" | "patch" | "action" | "context";
  /** Data of the change. */
  data: ConversationEventData;
}

/** Data of a change: a message, or an object with its id and what changed. */
export type ConversationEventData = Record<string, unknown>;

/** Page of the events of a conversation. */
export interface ConversationEventPage {
  /** Events in order. */
  items: Array<ConversationEvent>;
  /** Number to send as `after` for the next page; null on the last page. A page may have no items. */
  next: number | null;
}

/** Document that was attached by `/convertFile`. Files are read as they are, so nothing is converted. */
export interface ConvertedAttachment {
  /** Attachment id. */
  attachmentId: string;
  /** Data about the document. */
  metadata: ConvertedMetadata;
  /** Always `converted`. */
  status: string;
}

/** Data about a converted document. */
export interface ConvertedMetadata {
  /** File name. */
  originalFilename: string;
  /** Media type. */
  originalMimeType: string;
  /** Media type, which is the same. */
  convertedMimeType: string;
  /** Time that reading took, in milliseconds. */
  conversionTimeMs: number;
}

/** Proposed change of one field. */
export interface Correction {
  /** Id, unique within the record. Assigned by the server. */
  correction_id: string;
  /** Field: a role such as `producer`, `work_title` or `artist_name`. */
  field: string;
  /** Value at the time of the proposal; `Unknown` if there is none. */
  current_value: string;
  /** Proposed value. */
  corrected_value: string;
  /** Entity whose credit changes. */
  entity_id: string | null;
  /** Confidence of the reviewer, from 0 to 1. */
  confidence_in_correction: number;
  /** Evidence in words, for example a quotation from liner notes. */
  evidence: string | null;
  /** State. */
  status: CorrectionStatus;
  /** Feedback that proposed it. Set by the server. */
  feedback_id: string;
  /** Role of the reviewer who proposed it. Set by the server. */
  reviewer_role: ReviewerRole | null;
  /** Credits of the role before it was accepted, for undo. */
  replaced?: Array<Credit>;
}

/** State of a correction. */
export type CorrectionStatus =
  /** Not decided yet. */
  | "PENDING"
  /** Applied to the record. */
  | "ACCEPTED"
  /** Refused. */
  | "REJECTED"
  /** Applied, and taken back later. */
  | "UNDONE";

/** New key with its secret, which is shown only once. */
export interface CreatedAccessKey {
  /** Key. */
  key: AccessKeyInfo;
  /** Secret to send as `Authorization: Bearer …`. It is not stored. */
  secret: string;
}

/** Credit of a person or group. */
export interface Credit {
  /** Person or group. */
  entity_id: string;
  /** Name. */
  entity_name: string;
  /** Role. */
  role: CreditRole;
  /** Role as a source writes it. */
  role_detail: string | null;
  /** Confidence from 0 to 1. */
  confidence: number;
  /** Sources that assert the credit. */
  sources: Array<CreditSource>;
  /** Sources that contradict the credit: they name others for the role. */
  contradicted_by: Array<CreditSource>;
  /** Level of assurance. */
  assurance_level: AssuranceLevel;
  /** Names under which the sources credit the entity. */
  credited_as: Array<string>;
  /** Terms of the confidence, in the order in which they were applied. */
  terms: Array<ConfidenceTerm>;
}

/** Conflict between sources about a field. */
export interface CreditConflict {
  /** Field: a role such as `producer`, or `work_title`. */
  field: string;
  /** Values by source. */
  values: Record<string, string>;
  /** Severity. */
  severity: ConflictSeverity;
}

/** Role of a credit. */
export type CreditRole =
  /** Performer. */
  | "PERFORMER"
  /** Songwriter. */
  | "SONGWRITER"
  /** Composer. */
  | "COMPOSER"
  /** Lyricist. */
  | "LYRICIST"
  /** Producer. */
  | "PRODUCER"
  /** Engineer. */
  | "ENGINEER"
  /** Mixing engineer. */
  | "MIXING_ENGINEER"
  /** Mastering engineer. */
  | "MASTERING_ENGINEER"
  /** Arranger. */
  | "ARRANGER"
  /** Session musician. */
  | "SESSION_MUSICIAN"
  /** Featured artist. */
  | "FEATURED_ARTIST"
  /** Conductor. */
  | "CONDUCTOR"
  /** Dj. */
  | "DJ"
  /** Remixer. */
  | "REMIXER";

/** Kind of source. */
export type CreditSource =
  /** MusicBrainz. */
  | "MUSICBRAINZ"
  /** Discogs. */
  | "DISCOGS"
  /** AcoustID. */
  | "ACOUSTID"
  /** Input of artists or their managers. */
  | "ARTIST_INPUT"
  /** Tags of audio files. */
  | "FILE_METADATA";

/** Link of a chain of delegation. */
export interface DelegationLink {
  /** Person or company. */
  entity_id: string;
  /** Role. */
  role: DelegationRole;
  /** True if it may change permissions. */
  can_modify: boolean;
  /** True if it may delegate further. */
  can_delegate: boolean;
}

/** Role in a chain of delegation. */
export type DelegationRole =
  /** Owner. */
  | "OWNER"
  /** Manager. */
  | "MANAGER"
  /** Label. */
  | "LABEL"
  /** Distributor. */
  | "DISTRIBUTOR";

/** Confirmation that an attachment was removed. */
export interface DeletedAttachment {
  /** Id that was removed. */
  attachmentId: string;
  /** Always true. */
  deleted: boolean;
}

/** Confirmation that a thread was deleted. */
export interface DeletedThread {
  /** Thread id. */
  threadId: string;
  /** Always true. */
  deleted: boolean;
}

/** Part of a word diff. */
export interface DifferencePart {
  /** True if quote and source say the same. */
  isSame: boolean;
  /** Words of the quote; empty if only the source has some. */
  quote: string;
  /** Words of the source; empty if only the quote has some. */
  source: string;
}

/** Change of a document. Absent members stay as they are. */
export interface DocumentChangeRequest {
  /** New title; null restores that of the document. */
  title?: string | null;
  /** Labels in place of the present ones. */
  labels?: Array<string>;
}

/** Change of the state of a document. */
export interface DocumentEvent {
  /** Attachment id; absent if the document was removed. */
  id?: string;
  /** Hash of the file. */
  documentId: string;
  /** File name. */
  filename?: string;
  /** Title. */
  title?: string;
  /** Labels in alphabetical order. */
  labels: Array<string>;
  /** Progress; see the document. */
  state: "queued" | "reading" | "indexing" | "ready" | "failed" | "removed";
  /** Number of pages that were read so far. */
  pagesDone: number;
  /** Number of pages, once it is read. */
  pageCount?: number;
  /** Number of attempts to read and index it. */
  attempts: number;
  /** Reason of the last failure. */
  reason?: string;
  /** Hint about the last failure. */
  hint?: string;
}

/** Page of changes of documents. */
export interface DocumentEventPage {
  /** Changes in order. */
  items: Array<NumberedDocumentEvent>;
  /** Number to send as `after` for the next page; null on the last page. */
  next: number | null;
}

/** Document. Described by its content hash instead of an attachment id, it lacks the members of the attachment. */
export interface DocumentInfo {
  /** Attachment id, or the hash of the file if that was asked for. */
  id: string;
  /** Hash of the file. */
  documentId: string;
  /** Media type. */
  mimeType: string;
  /** Size in bytes. */
  fileSize: number;
  /** Number of pages. */
  pageCount?: number;
  /** Title that was given with PATCH, or that the document itself contains. */
  title?: string;
  /** Time at which it was attached (RFC 3339). */
  createdAt: string;
  /** File name. */
  filename?: string;
  /** Address from which it was fetched. */
  url?: string;
  /** Label of the end user, as sent with the upload. */
  endUserId?: string;
  /** Time at which it expires (RFC 3339), or `never`. */
  expiresAt?: string;
  /** Path that it was ingested from. */
  path?: string;
  /** Labels in alphabetical order. */
  labels: Array<string>;
  /** Progress: `queued`, `reading`, `indexing`, `ready`, `failed` or `removed`. It can be searched when it is ready. */
  state: "queued" | "reading" | "indexing" | "ready" | "failed" | "removed";
  /** Number of pages that were read so far. */
  pagesDone: number;
  /** Number of attempts to read and index it. */
  attempts: number;
  /** Reason of the last failure. */
  reason?: string;
  /** Hint about the last failure. */
  hint?: string;
  /** True if a newer version of the same file has replaced it in search. */
  superseded: boolean;
  /** Parts that could not be read, each with a hint. */
  warnings?: Array<string>;
}

/** Page of a list. */
export interface DocumentInfoPage {
  /** Items of the page. */
  items: Array<DocumentInfo>;
  /** Cursor of the next page, to send as `after`; null on the last page. */
  next: string | null;
}

/** Download link of the original file: file name, media type, address and expiry. */
export type DownloadJson = Record<string, unknown>;

/** Error code. */
export type ErrorCode =
  /** The request body is not valid JSON. */
  | "invalid_json"
  /** The request cannot be understood, for example because of a broken query string. */
  | "bad_request"
  /** The key or token is missing, unknown, expired or revoked. */
  | "unauthorized"
  /** The key or token lacks the required scope. */
  | "scope_missing"
  /** The signed link has expired or was changed. */
  | "link_refused"
  /** The `Host` or `Origin` of the request is not allowed. */
  | "forbidden"
  /** Fetching documents from this host is not allowed. */
  | "fetch_off"
  /** The resource does not exist, or belongs to another principal. */
  | "not_found"
  /** The path exists, but does not support this method. */
  | "method_not_allowed"
  /** The request body did not arrive in time. */
  | "request_timeout"
  /** The id is already used for different content. */
  | "conflict"
  /** Another run of the thread is in progress and has subscribers. */
  | "thread_busy"
  /** The person must confirm the action first. */
  | "confirmation_required"
  /** The request body is too large. */
  | "too_large"
  /** The route does not accept bodies of this media type. */
  | "unsupported_media_type"
  /** The input is well-formed, but a value is missing or wrong. */
  | "invalid_input"
  /** The message of an agent, or the parameters of an action, are not valid. `errors` lists each problem. */
  | "invalid_message"
  /** The document cannot be read. */
  | "unreadable_document"
  /** The principal sent too many requests, or has too many open. */
  | "too_many_requests"
  /** An internal error, which is a defect of the server. */
  | "internal"
  /** The database failed. */
  | "storage"
  /** The server is too busy at the moment. */
  | "unavailable";

/** Error. */
export interface ErrorDetail {
  /** Code for programs. Its meaning never changes. */
  code: ErrorCode;
  /** Description of the failure. */
  message: string;
  /** Advice on what to do. */
  hint: string;
  /** Address of the documentation of the code. */
  docs: string;
  /** Id of the request, which is also in the log of the server. */
  requestId: string;
}

/** Error response. [`ApiError`](crate::error::ApiError) writes it; this type is its schema. */
export interface ErrorResponse {
  /** Error. */
  error: ErrorDetail;
}

/** AG-UI event. */
export type EventJson = Record<string, unknown>;

/** Page of events. */
export interface EventPage {
  /** Events in order. */
  items: Array<NumberedEvent>;
  /** Sequence number to send as `after` for the next page; null on the last page. */
  next: number | null;
}

/** Box on a rendered page, as fractions of its width and height from the top left corner. */
export interface EvidenceBox {
  /** Rendered page, from 1. */
  page: number;
  /** Left edge. */
  x: number;
  /** Top edge. */
  y: number;
  /** Width. */
  width: number;
  /** Height. */
  height: number;
}

/** Evidence of a citation: the content of its evidence page. */
export interface EvidenceInfo {
  /** Evidence id. */
  id: string;
  /** Citation key. */
  key: string;
  /** Status of the citation, such as `found` or `not_found`. */
  status: string;
  /** Status in words. */
  words: string;
  /** Sentences that explain the status and say what can be done. */
  reasons: Array<string>;
  /** Quote. */
  quote: string;
  /** Word diff of quote and source; empty if they do not differ or nothing is similar. */
  difference: Array<DifferencePart>;
  /** Name of the source. */
  source?: string;
  /** Hash of the document; absent if it does not exist, or no longer. */
  documentId?: string;
  /** Pages and lines of the passage in words, such as `page 2, line 7`; empty if there is none. */
  place: string;
  /** Rendered page that shows the passage, from 1; absent without a document. */
  page?: number;
  /** Number of rendered pages of the document. */
  pageCount?: number;
  /** Boxes of the passage, as fractions of its rendered page. */
  boxes: Array<EvidenceBox>;
  /** True if the passage is only the most similar one, because the quote was not found. */
  isNearest: boolean;
}

/** Kind of evidence behind a correction. */
export type EvidenceType =
  /** Liner notes. */
  | "LINER_NOTES"
  /** Memory. */
  | "MEMORY"
  /** Document. */
  | "DOCUMENT"
  /** Session notes. */
  | "SESSION_NOTES"
  /** Other. */
  | "OTHER";

/** Executions of a message's actions. */
export interface ExecutionList {
  /** Executions, the oldest first. */
  items: Array<ActionExecutionJson>;
}

/** Line of an export. The last line has the kind `end`, or `error` if the export is incomplete. */
export type ExportLine =
  /** Attachment with its file. */
  | {
    kind: "document";
    /** Attachment id, or the hash of the file if that was asked for. */
    id: string;
    /** Hash of the file. */
    documentId: string;
    /** Media type. */
    mimeType: string;
    /** Size in bytes. */
    fileSize: number;
    /** Number of pages. */
    pageCount?: number;
    /** Title that was given with PATCH, or that the document itself contains. */
    title?: string;
    /** Time at which it was attached (RFC 3339). */
    createdAt: string;
    /** File name. */
    filename?: string;
    /** Address from which it was fetched. */
    url?: string;
    /** Label of the end user, as sent with the upload. */
    endUserId?: string;
    /** Time at which it expires (RFC 3339), or `never`. */
    expiresAt?: string;
    /** Path that it was ingested from. */
    path?: string;
    /** Labels in alphabetical order. */
    labels: Array<string>;
    /** Progress: `queued`, `reading`, `indexing`, `ready`, `failed` or `removed`. It can be searched when it is ready. */
    state: "queued" | "reading" | "indexing" | "ready" | "failed" | "removed";
    /** Number of pages that were read so far. */
    pagesDone: number;
    /** Number of attempts to read and index it. */
    attempts: number;
    /** Reason of the last failure. */
    reason?: string;
    /** Hint about the last failure. */
    hint?: string;
    /** True if a newer version of the same file has replaced it in search. */
    superseded: boolean;
    /** Parts that could not be read, each with a hint. */
    warnings?: Array<string>;
    /** File in base64. */
    file: string;
  }
  /** Thread. */
  | {
    kind: "thread";
    /** Thread id. */
    id: string;
    /** Agent of the first run. */
    agent: string;
    /** Title. */
    title: string | null;
    /** True if the thread was archived. */
    archived: boolean;
    /** Thread from which this one was branched. */
    parentThreadId: string | null;
    /** Last run before the branch. */
    parentRunId: string | null;
    /** Time of the first run (RFC 3339). */
    createdAt: string;
    /** Time of the last change (RFC 3339). */
    updatedAt: string;
    /** Shared state. */
    state: StateJson;
  }
  /** Record of the conversation before it: a message of the canvas, an execution of an action, shared context. */
  | {
    kind: "record";
    /** Thread id. */
    thread: string;
    /** `message`, `action`, `context` or `context_answer`. */
    recordKind: string;
    /** Id of the message, idempotency key of the execution, or name of the field. */
    id: string;
    /** Record. */
    record: unknown;
    /** Time of creation (RFC 3339). */
    createdAt: string;
    /** Time of the last change (RFC 3339). */
    updatedAt: string;
  }
  /** Run of the thread before it. */
  | {
    kind: "run";
    /** Thread id. */
    thread: string;
    /** Run id. */
    id: string;
    /** Name of the agent. */
    agent: string;
    /** Status. */
    status: string;
    /** Sequence number of the event before the first event of the run. */
    after: number;
    /** Sequence number of its last event. */
    last: number | null;
    /** Time at which it started (RFC 3339). */
    startedAt: string;
    /** Time at which it ended (RFC 3339). */
    endedAt: string | null;
    /** `RunAgentInput` as the client sent it. */
    input: unknown;
  }
  /** Event of the thread before it. */
  | {
    kind: "event";
    /** Thread id. */
    thread: string;
    /** Sequence number. */
    sequence: number;
    /** AG-UI event. */
    event: EventJson;
  }
  /** Late result of the thread before it: a change of its state after a run. */
  | {
    kind: "amendment";
    /** Thread id. */
    thread: string;
    /** Run id. */
    run: string;
    /** JSON Patch. */
    patch: unknown;
    /** Time of the change (RFC 3339). */
    at: string;
  }
  /** Verification of a citation. */
  | {
    kind: "verification";
    /** Evidence id. */
    id: string;
    /** Citation key. */
    key: string;
    /** Thread id. */
    thread: string | null;
    /** Message id. */
    message: string | null;
    /** Hash of the document. */
    document: string | null;
    /** Citation. */
    citation: CitationJson;
    /** Verification. */
    verification: VerificationJson;
    /** Time of the verification (RFC 3339). */
    createdAt: string;
  }
  /** Step of the review of a citation. */
  | {
    kind: "review";
    /** Citation key. */
    key: string;
    /** Step. */
    action: ReviewActionName;
    /** Reason. */
    note: string | null;
    /** Time of the step (RFC 3339). */
    at: string;
  }
  /** API key, without its secret. */
  | {
    kind: "key";
    /** Key id. */
    id: string;
    /** Name of the key. */
    name: string;
    /** Scopes. */
    scopes: Array<string>;
    /** Time at which it was created (RFC 3339). */
    createdAt: string;
    /** Time at which it expires (RFC 3339). */
    expiresAt: string | null;
    /** Time at which it was revoked (RFC 3339). */
    revokedAt: string | null;
    /** Time of its last use (RFC 3339). */
    usedAt: string | null;
  }
  /** Entry of the audit log. */
  | AuditRecord
  /** Group of the ontology. */
  | {
    kind: "group";
    /** Id. */
    id: string;
    /** Short name for addresses. */
    slug: string;
    /** Name. */
    name: string;
    /** Type. */
    type: string;
    /** Group that contains it. */
    parent: string | null;
    /** Description. */
    description: string | null;
    /** Data of programs. */
    metadata: unknown;
    /** Settings. */
    settings: unknown;
    /** Status. */
    status: string;
    /** Time at which it was created (RFC 3339). */
    createdAt: string;
    /** Time of the last change (RFC 3339). */
    updatedAt: string;
  }
  /** Person of the ontology. */
  | {
    kind: "person";
    /** Id. */
    id: string;
    /** Main group. */
    group: string;
    /** All groups. */
    groups: unknown;
    /** Name. */
    name: string;
    /** Email address. */
    email: string | null;
    /** User name. */
    username: string | null;
    /** Role. */
    role: string;
    /** Permissions. */
    permissions: unknown;
    /** Time at which it was created (RFC 3339). */
    createdAt: string;
    /** Time of the last change (RFC 3339). */
    updatedAt: string;
  }
  /** Thing of the ontology. */
  | {
    kind: "thing";
    /** Id. */
    id: string;
    /** Type. */
    type: string;
    /** Group. */
    group: string;
    /** Name. */
    name: string;
    /** Thing that contains it. */
    within: string | null;
    /** Data of programs. */
    properties: unknown;
    /** Status. */
    status: string;
    /** Time at which it was created (RFC 3339). */
    createdAt: string;
    /** Time of the last change (RFC 3339). */
    updatedAt: string;
  }
  /** Connection of two things of the ontology. */
  | {
    kind: "connection";
    /** Id. */
    id: string;
    /** Type. */
    type: string;
    /** First thing. */
    from: string;
    /** Second thing. */
    to: string;
    /** Group. */
    group: string;
    /** Data of programs. */
    metadata: unknown;
    /** Strength. */
    strength: unknown;
    /** Time from which it holds (RFC 3339). */
    validFrom: string | null;
    /** Time until which it holds (RFC 3339). */
    validTo: string | null;
    /** Time at which it was created (RFC 3339). */
    createdAt: string;
    /** Time of the last change (RFC 3339). */
    updatedAt: string;
  }
  /** Event of the ontology. */
  | {
    kind: "happened";
    /** Id. */
    id: string;
    /** Type. */
    type: string;
    /** Thing or person that acted. */
    actor: string;
    /** Thing that it was done to. */
    target: string | null;
    /** Group. */
    group: string;
    /** Data of programs. */
    metadata: unknown;
    /** Time of the event (RFC 3339). */
    at: string;
  }
  /** Knowledge of the ontology: labels and passages prepared for search. */
  | {
    kind: "knowledge";
    /** Id. */
    id: string;
    /** Type. */
    type: string;
    /** Group. */
    group: string;
    /** Text. */
    text: string | null;
    /** Embedding in base64. */
    embedding: string | null;
    /** Model that made the embedding. */
    embeddingModel: string | null;
    /** Thing that it is about. */
    source: string | null;
    /** Field of that thing. */
    sourceField: string | null;
    /** Position of the passage. */
    chunk: unknown;
    /** Labels. */
    labels: unknown;
    /** Data of programs. */
    metadata: unknown;
    /** Time at which it was created (RFC 3339). */
    createdAt: string;
    /** Time of the last change (RFC 3339). */
    updatedAt: string;
  }
  /** End of a complete export. */
  | {
    kind: "end";
  }
  /** Failure that ends an incomplete export. */
  | {
    kind: "error";
    /** Description of the failure. */
    message: string;
    /** Advice on what to do. */
    hint: string;
  };

/** Page of a list. */
export interface ExportLinePage {
  /** Items of the page. */
  items: Array<ExportLine>;
  /** Cursor of the next page, to send as `after`; null on the last page. */
  next: string | null;
}

/** Time by which the lifetime of an attachment is extended. */
export type ExtendDuration =
  /** 30 days. */
  | "month"
  /** 365 days. */
  | "year";

/** Extension of the lifetime of an attachment. */
export interface ExtendRequest {
  /** Time to add. */
  duration: ExtendDuration;
}

/** Attachment whose lifetime was extended. */
export interface ExtendedAttachment {
  /** Attachment id. */
  attachmentId: string;
  /** Time at which it expires (RFC 3339), or `never`. */
  expiresAt: string;
  /** Time at which it would have expired (RFC 3339), or `never`. */
  previousExpiresAt: string;
}

/** Feedback of a reviewer on an attribution. */
export interface FeedbackCard {
  /** Version of the data model. */
  schema_version: string;
  /** Id. */
  feedback_id: string;
  /** Attribution that the feedback is about. */
  attribution_id: string;
  /** Reviewer. */
  reviewer_id: string;
  /** Role of the reviewer. */
  reviewer_role: ReviewerRole;
  /** Version of the attribution that the reviewer saw. */
  attribution_version: number;
  /** Proposed changes. */
  corrections: Array<Correction>;
  /** Assessment of the record as a whole, from 0 to 1. */
  overall_assessment: number;
  /** True for an assessment in the middle, from 0.45 to 0.55, which says little. */
  center_bias_flag: boolean;
  /** Notes. */
  free_text: string | null;
  /** Kind of evidence. */
  evidence_type: EvidenceType;
  /** Time of submission (RFC 3339). */
  submitted_at: string;
}

/** Feedback of a reviewer. */
export interface FeedbackRequest {
  /** Reviewer; the sender of the request if absent. */
  reviewer_id?: string;
  /** Role of the reviewer. */
  reviewer_role: ReviewerRole;
  /** Version that the reviewer saw; a record that changed since is refused. */
  attribution_version?: number;
  /** Proposed changes. */
  corrections?: Array<Correction>;
  /** Assessment of the record as a whole, from 0 to 1. */
  overall_assessment: number;
  /** Notes; required without corrections. */
  free_text?: string;
  /** Kind of evidence. */
  evidence_type: EvidenceType;
}

/** Feedback that was stored. */
export interface FeedbackResponse {
  /** Feedback. */
  feedback: FeedbackCard;
  /** Record with its pending corrections. */
  attribution: AttributionRecord;
}

/** Result of a deletion. */
export interface ForgottenPrincipal {
  /** Principal whose data was deleted. */
  principal: string;
  /** False if there was no data. */
  deleted: boolean;
}

/** Box on a page, as fractions of its width and height. */
export interface FractionBox {
  /** Distance from the left edge. */
  x: number;
  /** Distance from the top edge. */
  y: number;
  /** Width. */
  width: number;
  /** Height. */
  height: number;
}

/** Health of the process. */
export interface HealthStatus {
  /** Always `ok`. */
  status: string;
}

/** Label with the number of its documents. */
export interface LabelInfo {
  /** Label. */
  label: string;
  /** Number of documents that have it. */
  documents: number;
}

/** Labels of the documents. */
export interface LabelList {
  /** Labels in alphabetical order. */
  items: Array<LabelInfo>;
}

/** Documents of all principals by state. */
export interface LibraryInfo {
  /** Documents that wait or are being read. */
  open: number;
  /** Documents that can be searched. */
  ready: number;
  /** Documents that cannot be read. */
  failed: number;
  /** Passages in the search index. */
  chunks: number;
}

/** Signed link to create. */
export interface LinkRequest {
  /** Lifetime in seconds; a week if absent. */
  seconds?: number;
}

/** Log level of the server. */
export interface LogLevelBody {
  /** Messages of this level and more severe ones are logged. */
  level: LogLevelName;
}

/** Severity of log messages. */
export type LogLevelName =
  /** Failures. */
  | "error"
  /** Failures and warnings. */
  | "warn"
  /** Also important events. */
  | "info"
  /** Also details for developers. */
  | "debug"
  /** Everything. */
  | "trace";

/** AG-UI message. */
export type MessageJson = Record<string, unknown>;

/** Kind of a message. */
export type MessageKind =
  /** Text. */
  | "text"
  /** Component. */
  | "ui"
  /** Suggested actions. */
  | "action"
  /** Request for context. */
  | "context_request"
  /** Steps of reasoning. */
  | "reasoning"
  /** Call of a tool. */
  | "tool_call"
  /** Error. */
  | "error";

/** Configured model. */
export interface ModelInfo {
  /** Provider and model, such as `anthropic:claude-haiku-4-5`. */
  name: string;
  /** True if the key that its provider needs is in the environment of the server. */
  hasKey: boolean;
}

/** Provider of models. */
export interface ModelProviderInfo {
  /** Name, such as `anthropic`. */
  name: string;
  /** Environment variable that holds its key; null if it needs none. */
  keyVariable: string | null;
  /** True if the key is in the environment of the server. The key itself is never sent. */
  hasKey: boolean;
}

/** Change of the state of a document with its number. */
export interface NumberedDocumentEvent {
  /** Number of the change. */
  sequence: number;
  /** Document after the change. */
  document: DocumentEvent;
}

/** Event with its position in the log of the thread. */
export interface NumberedEvent {
  /** Sequence number, from 1. */
  sequence: number;
  /** AG-UI event. */
  event: EventJson;
}

/** Heading of an outline. */
export interface OutlineEntry {
  /** Text of the heading. */
  title: string;
  /** Page it leads to, from 1; null if it leads nowhere. */
  page: number | null;
  /** Number of headings above it in the hierarchy. */
  depth: number;
}

/** Outline of a document. */
export interface OutlineList {
  /** Headings in order. */
  items: Array<OutlineEntry>;
}

/** Page image: page number, dimensions in pixels, address, expiry and scale. */
export type PageImageJson = Record<string, unknown>;

/** Text of a page image. */
export interface PageLines {
  /** Number of the page image, from 1. */
  page: number;
  /** Number of page images of the document. */
  pageCount: number;
  /** Printed page number, if it differs from `page`. */
  label: string | null;
  /** Lines in reading order. */
  lines: Array<PageTextLine>;
}

/** Line of a page image. */
export interface PageTextLine {
  /** Page of the file, from 1. It differs from the page image if the file has no pages of its own. */
  page: number;
  /** Number on its page of the file, from 1, as citations use it. */
  line: number;
  /** Text. */
  text: string;
  /** Role on the page. Running heads, page numbers and line numbers are not part of the text that is searched. */
  role: "text" | "heading" | "running" | "pageNumber" | "lineNumber" | "footnote" | "caption" | "aside";
  /** Box around its words. */
  box: FractionBox;
}

/** Operation of a JSON Patch. */
export interface PatchOperationBody {
  /** `add`, `remove`, `replace`, `move`, `copy` or `test`. */
  op: string;
  /** JSON Pointer into the payload. */
  path: string;
  /** Source of `move` and `copy`. */
  from?: string;
  /** Value of `add`, `replace` and `test`. */
  value?: unknown;
}

/** Answer to a request for a permission. */
export interface PermissionAnswer {
  /** Rights holder. */
  entity_id: string;
  /** Use. */
  permission_type: PermissionType;
  /** Answer. */
  result: PermissionValue;
  /** Bundle that decided; null if none did. */
  permission_id: string | null;
  /** Conditions of the answer. */
  conditions: Array<PermissionCondition>;
  /** Rate of royalties. */
  royalty_rate: number | null;
  /** Text of the attribution. */
  attribution_requirement: string | null;
  /** Reasons of the answer. */
  reasons: Array<string>;
}

/** Entry of the log of permission checks. */
export interface PermissionAuditEntry {
  /** Id. */
  audit_id: string;
  /** Bundle that decided; null if none did. */
  permission_id: string | null;
  /** Rights holder. */
  entity_id: string;
  /** Requester. */
  requester_id: string;
  /** Kind of requester, for example `platform`. */
  requester_type: string;
  /** Use. */
  permission_type: PermissionType;
  /** Answer. */
  result: PermissionValue;
  /** Reasons of the answer. */
  reasons: Array<string>;
  /** Details of the request. */
  request_context: unknown;
  /** Time of the check (RFC 3339). */
  checked_at: string;
}

/** Permissions of a rights holder for one scope. */
export interface PermissionBundle {
  /** Id. Assigned by the server if absent. */
  permission_id: string;
  /** Rights holder. Taken from the path if absent. */
  entity_id: string;
  /** Scope. */
  scope: PermissionScope;
  /** Release, recording or work that the scope names; null for the catalog. */
  scope_entity_id: string | null;
  /** Permissions. */
  permissions: Array<PermissionEntry>;
  /** Beginning (RFC 3339). */
  effective_from: string;
  /** End (RFC 3339); null for no end. */
  effective_until: string | null;
  /** Chain of delegation, the owner first. */
  delegation_chain: Array<DelegationLink>;
  /** Answer for uses without an entry. */
  default_permission: PermissionValue;
  /** Author of the last change. An author other than the rights holder must be in the chain of delegation. */
  created_by: string;
  /** Time of the last change (RFC 3339). Set by the server. */
  updated_at: string;
  /** Version; a change must name the current one. */
  version: number;
}

/** Condition of a permission. */
export interface PermissionCondition {
  /** Type, for example `non_commercial_only`, `max_duration_seconds`, `date_range`. */
  condition_type: string;
  /** Value as text. */
  value: string;
}

/** Permission for one use. */
export interface PermissionEntry {
  /** Use. */
  permission_type: PermissionType;
  /** Answer. */
  value: PermissionValue;
  /** Conditions, all of which must hold. */
  conditions: Array<PermissionCondition>;
  /** Rate of royalties; required for `ALLOW_WITH_ROYALTY`. */
  royalty_rate: number | null;
  /** Text of the attribution; required for `ALLOW_WITH_ATTRIBUTION`. */
  attribution_requirement: string | null;
  /** Countries (ISO 3166-1 alpha-2); null for the whole world. */
  territory: Array<string> | null;
}

/** Request for a permission. */
export interface PermissionRequest {
  /** Rights holder. */
  entity_id: string;
  /** Use. */
  permission_type: PermissionType;
  /** Release, recording or work; null for the catalog. */
  scope_entity_id?: string;
  /** Entities that contain the one of `scope_entity_id`: its work, recording and release. */
  parent_entity_ids?: Array<string>;
  /** Requester. */
  requester_id?: string;
  /** Kind of requester, for example `platform`. */
  requester_type?: string;
  /** Country of the use (ISO 3166-1 alpha-2); null for the whole world. */
  territory?: string;
  /** Time of the use (RFC 3339); now if absent. */
  at?: string;
  /** Facts about the use that conditions refer to, for example `{"commercial": "false", "duration_seconds": "20"}`. */
  context?: Record<string, string>;
}

/** Reach of a bundle of permissions. */
export type PermissionScope =
  /** Catalog. */
  | "CATALOG"
  /** Release. */
  | "RELEASE"
  /** Recording. */
  | "RECORDING"
  /** Work. */
  | "WORK";

/** Use that a permission is about. */
export type PermissionType =
  /** Stream. */
  | "STREAM"
  /** Download. */
  | "DOWNLOAD"
  /** Sync license. */
  | "SYNC_LICENSE"
  /** Ai training. */
  | "AI_TRAINING"
  /** Ai training composition. */
  | "AI_TRAINING_COMPOSITION"
  /** Ai training recording. */
  | "AI_TRAINING_RECORDING"
  /** Ai training style. */
  | "AI_TRAINING_STYLE"
  /** Dataset inclusion. */
  | "DATASET_INCLUSION"
  /** Voice cloning. */
  | "VOICE_CLONING"
  /** Style learning. */
  | "STYLE_LEARNING"
  /** Lyrics in chatbots. */
  | "LYRICS_IN_CHATBOTS"
  /** Cover versions. */
  | "COVER_VERSIONS"
  /** Remix. */
  | "REMIX"
  /** Sample. */
  | "SAMPLE"
  /** Derivative work. */
  | "DERIVATIVE_WORK";

/** Answer of a permission, from the most to the least restrictive. */
export type PermissionValue =
  /** Deny. */
  | "DENY"
  /** Ask. */
  | "ASK"
  /** Allow with royalty. */
  | "ALLOW_WITH_ROYALTY"
  /** Allow with attribution. */
  | "ALLOW_WITH_ATTRIBUTION"
  /** Allow. */
  | "ALLOW";

/** Document prepared for a model. */
export interface PreparedAttachment {
  /** Attachment id. */
  attachmentId: string;
  /** Text for the prompt, with tags for pages and line numbers. */
  deepTextPromptPortion: string;
  /** The same text page by page, without the tags of pages. */
  deepTextPages: Array<string>;
  /** Data about the document. */
  metadata: PreparedMetadata;
  /** Always `ready`. */
  status: string;
  /** Images of all pages; empty if there are more than 2,000, or pages that take several images. */
  pageImages: Array<PageImageJson>;
  /** Always `completed`. */
  pageImagesStatus: string;
  /** Original file. */
  originalDownload: DownloadJson;
  /** Address from which the document was fetched. */
  urlSource?: UrlSource;
  /** Time that the preparation took, in milliseconds. */
  processingTimeMs: number;
  /** Time at which the attachment expires (RFC 3339), or `never`. */
  expiresAt: string;
  /** Parts that could not be read, each with a hint. */
  warnings?: Array<string>;
}

/** Data about a prepared document. */
export interface PreparedMetadata {
  /** File name. */
  filename: string;
  /** Media type. */
  mimeType: string;
  /** Number of pages. */
  pageCount: number;
  /** Size of the text in bytes. */
  textByteSize: number;
}

/** Factors of the priority, each from 0 to 1, and their weighted sum. */
export interface PriorityFactors {
  /** Low confidence, weight 0.30. A confidence below one half counts in full: a record that is certainly wrong needs a review more than a doubtful one. */
  uncertainty: number;
  /** Disagreement of the sources, weight 0.25. */
  disagreement: number;
  /** Size of the prediction sets beyond one role per person, weight 0.15. */
  ambiguity: number;
  /** No review so far, weight 0.15; each review takes a quarter off. */
  never_reviewed: number;
  /** Days since the last change, in full after 30 days, weight 0.15. */
  age: number;
  /** Weighted sum. */
  priority: number;
}

/** Projection of citations. */
export interface ProjectionInfo {
  /** Name of the projection in the configuration. */
  name: "deepcitation" | "citations" | "rag";
  /** Key of the state that it writes. */
  key: string;
  /** True if it is written. */
  isOn: boolean;
}

/** Details of a provenance event. */
export type ProvenanceDetails =
  /** Records were imported. */
  | {
    type: "fetch";
    /** Source. */
    source: CreditSource;
    /** Id at the source. */
    source_id: string;
    /** Number of records. */
    records_fetched: number;
    /** True if the source slowed the import down. */
    rate_limited: boolean;
  }
  /** Records were merged. */
  | {
    type: "resolve";
    /** Method. */
    method: ResolutionMethod;
    /** Number of records. */
    records_input: number;
    /** Number of entities. */
    entities_output: number;
    /** Lowest and highest confidence. */
    confidence_range: Array<unknown>;
    /** Reasons. */
    reasons: Array<string>;
  }
  /** The confidence was computed. */
  | {
    type: "score";
    /** Confidence before. */
    previous_confidence: number | null;
    /** Confidence after. */
    new_confidence: number;
    /** Method. */
    scoring_method: string;
  }
  /** A reviewer decided. */
  | {
    type: "review";
    /** Reviewer. */
    reviewer_id: string;
    /** Feedback. */
    feedback_card_id: string;
    /** Number of corrections that were applied. */
    corrections_applied: number;
  }
  /** The record changed. */
  | {
    type: "update";
    /** Version before. */
    previous_version: number;
    /** Version after. */
    new_version: number;
    /** Names of the fields that changed. */
    fields_changed: Array<string>;
    /** Cause. */
    trigger: string;
  }
  /** Feedback arrived. */
  | {
    type: "feedback";
    /** Feedback. */
    feedback_card_id: string;
    /** Assessment of the record as a whole. */
    overall_assessment: number;
    /** Number of corrections. */
    corrections_count: number;
    /** True if corrections were accepted. */
    accepted: boolean;
  };

/** Event in the history of an attribution. */
export interface ProvenanceEvent {
  /** Type. */
  event_type: ProvenanceEventType;
  /** Time (RFC 3339). */
  timestamp: string;
  /** Program or person that caused it. */
  agent: string;
  /** Details. */
  details: ProvenanceDetails;
  /** Feedback that caused it. */
  feedback_card_id?: string;
  /** Number of the source in citations, from 1. */
  citation_index?: number;
}

/** Type of a provenance event. */
export type ProvenanceEventType =
  /** Fetch. */
  | "FETCH"
  /** Resolve. */
  | "RESOLVE"
  /** Score. */
  | "SCORE"
  /** Review. */
  | "REVIEW"
  /** Update. */
  | "UPDATE"
  /** Feedback. */
  | "FEEDBACK";

/** Rank of a hit in one list. */
export interface RankExplanation {
  /** Name of the list: `text`, `vector` or `connected`. */
  list: string;
  /** Rank in the list, from 1. */
  rank: number;
  /** Score in the list. */
  score: number;
  /** Weight of the list. */
  weight: number;
  /** Contribution to the score of the hit. */
  contribution: number;
}

/** Readiness of the server. */
export interface ReadinessStatus {
  /** `ready`, or `unavailable` if the database fails. */
  status: "ready" | "unavailable";
  /** Failure of the database. */
  reason?: string;
  /** Advice on what to do. */
  hint?: string;
}

/** Record that an entity was made from. */
export interface RecordReference {
  /** Id of the record. */
  record_id: string;
  /** Source. */
  source: CreditSource;
  /** Id at the source. */
  source_id: string;
  /** Agreement of the record with the others, from 0 to 1. */
  agreement_score: number;
  /** Reasons for which the record was merged. */
  reasons: Array<string>;
}

/** Bin of a reliability diagram. */
export interface ReliabilityBin {
  /** Lower end of the confidences. */
  from: number;
  /** Upper end of the confidences. */
  to: number;
  /** Number of labels. */
  count: number;
  /** Mean confidence. */
  confidence: number;
  /** Share of credits that were right. */
  accuracy: number;
}

/** Result of withdrawing a field or a grant. */
export interface RemovedItem {
  /** Name of the field, or id of the grant. */
  id: string;
  /** Always true. */
  removed: boolean;
}

/** Removed upstream agent. */
export interface RemovedUpstream {
  /** Name of the agent. */
  name: string;
  /** Always true. */
  removed: boolean;
}

/** Repair of a message. */
export interface RepairInfo {
  /** JSON Pointer from the message root. */
  path: string;
  /** `numeric_string`, `columns_for_headers` or `unknown_field`. */
  code: string;
  /** Description. */
  message: string;
}

/** Evidence by which records were merged. */
export type ResolutionMethod =
  /** Exact id. */
  | "EXACT_ID"
  /** Fuzzy string. */
  | "FUZZY_STRING"
  /** Embedding. */
  | "EMBEDDING"
  /** Graph. */
  | "GRAPH"
  /** Llm. */
  | "LLM"
  /** Manual. */
  | "MANUAL";

/** Step of a review. */
export type ReviewActionName =
  /** The reviewer opened the evidence. */
  | "opened"
  /** The reviewer closed the evidence. */
  | "closed"
  /** The reviewer accepts the citation. */
  | "accepted"
  /** The reviewer disputes the citation. */
  | "disputed";

/** Step of the review of a citation. */
export interface ReviewInfo {
  /** Citation key. */
  key: string;
  /** Step. */
  action: ReviewActionName;
  /** Time of the step (RFC 3339). */
  at: string;
  /** Reason. */
  note?: string;
}

/** Review of a citation. */
export interface ReviewList {
  /** Steps, the last first. */
  items: Array<ReviewInfo>;
}

/** Record of the review queue. */
export interface ReviewQueueItem {
  /** Record. */
  attribution: AttributionRecord;
  /** Factors of its priority. */
  factors: PriorityFactors;
  /** Corrections that follow from conflicts between its sources. */
  suggestions: Array<Correction>;
}

/** Step to add to the review of a citation. */
export interface ReviewRequest {
  /** Step. */
  action: ReviewActionName;
  /** Time of the step: RFC 3339, or milliseconds since 1970; now if absent. */
  at?: string | number;
  /** Reason. */
  note?: string;
}

/** Address of a document to describe. */
export interface ReviewUrlRequest {
  /** Address. */
  url: string;
  /** Fetch the document even if it is attached. */
  skipCache?: boolean;
}

/** Document at an address. */
export interface ReviewedUrl {
  /** Address of the request. */
  url: string;
  /** Address after redirects. */
  normalizedUrl: string;
  /** Domain, without `www.`. */
  domain: string;
  /** Always 200: other statuses are errors. */
  httpStatus: number;
  /** Media type. */
  contentType?: string;
  /** Size of the file in bytes. */
  contentLength?: number;
  /** File name. */
  suggestedFilename?: string;
  /** Kind of document. */
  classifiedAs: "pdf" | "html" | "office" | "image";
  /** True if the document is attached and was not fetched. */
  isCached: boolean;
  /** Time at which the attachment expires (RFC 3339). */
  cacheExpiresAt?: string;
  /** Time that the answer took, in milliseconds. */
  processingTimeMs: number;
}

/** Role of a reviewer. */
export type ReviewerRole =
  /** Artist. */
  | "ARTIST"
  /** Manager. */
  | "MANAGER"
  /** Musicologist. */
  | "MUSICOLOGIST"
  /** Producer. */
  | "PRODUCER"
  /** Fan. */
  | "FAN";

/** `RunAgentInput` of AG-UI. The `agui` crate reads it; this type is its schema. */
export interface RunAgentBody {
  /** Messages of the conversation, the new one last. */
  messages: Array<MessageJson>;
  /** Thread to continue; a new one if absent. */
  threadId?: string;
  /** Id of the run; generated if absent. With the id and input of an earlier run, the response is that run. */
  runId?: string;
  /** Shared state; the stored state of the thread if absent. */
  state?: unknown;
  /** Tools of the frontend. */
  tools?: Array<unknown>;
  /** Context for the agent. */
  context?: Array<unknown>;
  /** Thread that a new thread branches off, together with `parentRunId`. */
  parentThreadId?: string;
  /** Run after which it branches off. */
  parentRunId?: string;
  /** False for a branch that does not begin with the messages of its parent, because it replaces the first one. */
  inheritMessages?: boolean;
  /** Properties that are forwarded to the agent unchanged. */
  forwardedProps?: unknown;
}

/** Run. */
export interface RunInfo {
  /** Run id. */
  id: string;
  /** Name of the agent. */
  agent: string;
  /** Status of the run. */
  status: "running" | "finished" | "interrupted" | "cancelled" | "failed";
  /** Sequence number of the event before the first event of the run. */
  after: number;
  /** Sequence number of its last event. Absent while the run is in progress. */
  last?: number;
  /** Time at which it started (RFC 3339). */
  startedAt: string;
  /** Time at which it ended (RFC 3339). Absent while the run is in progress. */
  endedAt?: string;
}

/** Page of a list. */
export interface RunInfoPage {
  /** Items of the page. */
  items: Array<RunInfo>;
  /** Cursor of the next page, to send as `after`; null on the last page. */
  next: string | null;
}

/** Citations and their source. */
export interface SdkVerifyData {
  /** Document to search for citations that name none. */
  attachmentId?: string;
  /** Older name of `attachmentId`. */
  fileId?: string;
  /** Format of the images of found passages; no images if absent. */
  outputImageFormat?: "avif" | "webp" | "jpeg" | "png";
  /** Citations by key. */
  citations: Record<string, CitationInput>;
}

/** Citations to verify, as the SDK sends them. */
export interface SdkVerifyRequest {
  /** Citations and their source. The first releases of the SDK send its members without `data`. */
  data: SdkVerifyData;
}

/** Verifications for the SDK. */
export interface SdkVerifyResponse {
  /** Verifications by the key of their citation. */
  verifications: Record<string, VerificationJson>;
  /** Documents in which citations were found, by attachment id. */
  attachments: Record<string, VerifiedAttachment>;
}

/** Reasons for the rank of a hit. */
export interface SearchExplanation {
  /** Ranks in the lists that found it. */
  lists: Array<RankExplanation>;
  /** Words of the query that it matches. */
  terms: Array<TermExplanation>;
}

/** Hit of a search. */
export interface SearchResult {
  /** Chunk id. */
  chunkId: string;
  /** Hash of the file. */
  documentId: string;
  /** Attachment id. */
  attachmentId: string;
  /** File name, without folders. */
  filename: string;
  /** Title of the document; null if it has none. */
  documentTitle: string | null;
  /** Headings above the passage, the outermost first. */
  headings: Array<string>;
  /** Numbers of the pages that the passage is on. */
  pages: Array<number>;
  /** Best part of the passage. */
  snippet: SearchSnippet;
  /** Score; comparable only within one response. */
  score: number;
  /** Reasons for the rank, if they were asked for. */
  explain?: SearchExplanation;
}

/** Hits of a search. */
export interface SearchResultPage {
  /** Hits, the best first. */
  items: Array<SearchResult>;
  /** Cursor of the next page, to send as `after`; null on the last page. */
  next: string | null;
  /** Duration in milliseconds. */
  tookMs: number;
  /** Remarks about the search, such as a phrase that was not found. */
  notes?: Array<string>;
}

/** About 240 characters around the best passage. */
export interface SearchSnippet {
  /** Text in one line. */
  text: string;
  /** Start and end of each highlighted word, in UTF-16 units. */
  highlights: Array<Array<number>>;
}

/** Message that was accepted. */
export interface SentMessage {
  /** Id of the message. */
  id: string;
  /** Repairs that made the message valid. */
  repairs: Array<RepairInfo>;
}

/** Server: version, models, projections and storage. */
export interface ServerInfo {
  /** Version of the program. */
  version: string;
  /** Configured models in the order in which they are tried; empty if the reader quotes sentences. */
  models: Array<ModelInfo>;
  /** Providers of models. */
  providers: Array<ModelProviderInfo>;
  /** Projections of citations that are written to the state of threads. */
  projections: Array<ProjectionInfo>;
  /** Documents of all principals by state. */
  library: LibraryInfo;
  /** Configuration file; null if none was read, or without the scope `admin`. */
  configuration: string | null;
  /** Storage on the disk; null if nothing is stored, or without the scope `admin`. */
  storage: StorageInfo | null;
}

/** Access of a browser to this server. */
export interface SessionInfo {
  /** True if requests need a key, a token or a session. */
  needsKey: boolean;
  /** Principal whose data requests see; null if the browser must sign in. */
  principal: string | null;
  /** Granted scopes. */
  scopes: Array<AccessScope>;
  /** Token to send as `X-CSRF-Token` with requests that change something; null without a session. */
  csrfToken: string | null;
  /** Time at which the session ends (RFC 3339); null without a session. */
  expiresAt: string | null;
}

/** Key to exchange for a session. */
export interface SessionRequest {
  /** Key or token. */
  key: string;
}

/** Context that was shared. */
export interface SharedContextInfo {
  /** Values of the granted fields. */
  shared: Record<string, unknown>;
  /** Fields that were not shared. */
  withheld: Array<string>;
}

/** Signed link to an evidence page. It works without a key until it expires. */
export interface SignedLink {
  /** Address. */
  url: string;
  /** Time at which it expires (RFC 3339). */
  expiresAt: string;
}

/** Contribution of a source. */
export interface SourceContribution {
  /** Source. */
  source: CreditSource;
  /** Mean confidence of its records. */
  confidence: number;
  /** Reliability weight. */
  weight: number;
  /** Number of its records. */
  record_count: number;
  /** True if people wrote it for this purpose. */
  is_human: boolean;
}

/** Passage of a source that an answer cites. */
export interface SourceReferenceInfo {
  /** Citation key, or the agent's own id of the passage. */
  chunkId: string;
  /** Id of the document. */
  documentId: string;
  /** Address of the document. */
  documentUri: string;
  /** Text of the passage. */
  content: string;
  /** Title of the document. */
  documentTitle?: string;
  /** Headings above the passage, the outermost first. */
  headings: Array<string>;
  /** Pages that contain the passage. */
  pageNumbers: Array<number>;
  /** Number of the source in the thread. */
  index?: number;
}

/** Support for the shared state. */
export interface StateCapabilities {
  /** The agent sends `STATE_SNAPSHOT` events. */
  snapshots: boolean;
  /** The agent sends `STATE_DELTA` events. */
  deltas: boolean;
}

/** Shared state of a thread: any JSON value, mostly an object. */
export type StateJson = unknown;

/** Storage on the disk. */
export interface StorageInfo {
  /** Data directory. */
  directory: string;
  /** Parts of the data directory, the largest first. */
  parts: Array<StoragePart>;
}

/** Part of the data directory. */
export interface StoragePart {
  /** Kind of the data. */
  name: "database" | "documents" | "index" | "other";
  /** Size in bytes. */
  bytes: number;
}

/** Share of a word in the full-text score. */
export interface TermExplanation {
  /** Word of the query. */
  word: string;
  /** Kind of the match: `word`, `prefix`, `spelling`, `heading` or `compound`. */
  kind: string;
  /** Words that were searched for. */
  searched: Array<string>;
  /** Share of the score. */
  score: number;
}

/** Change of a thread. */
export interface ThreadChangeRequest {
  /** New title; null removes the title. */
  title?: string | null;
  /** True archives the thread, false restores it. */
  archived?: boolean;
}

/** Thread. */
export interface ThreadInfo {
  /** Thread id. */
  id: string;
  /** Agent of the first run. */
  agent: string;
  /** Title, or null if the thread has none. */
  title: string | null;
  /** True if the thread was archived. */
  archived: boolean;
  /** Thread from which this one was branched. */
  parentThreadId?: string;
  /** Last run before the branch. */
  parentRunId?: string;
  /** True while a run is in progress. */
  running: boolean;
  /** Time of the first run (RFC 3339). */
  createdAt: string;
  /** Time of the last change (RFC 3339). */
  updatedAt: string;
  /** Number of messages. Absent in lists. */
  messageCount?: number;
  /** Interrupts that wait for an answer. Absent in lists. */
  pendingInterrupts?: unknown;
  /** Ids of tool calls that wait for a result of the frontend. Absent in lists. */
  pendingToolCallIds?: unknown;
  /** Last run. Absent in lists. */
  lastRun?: RunInfo;
}

/** Page of a list. */
export interface ThreadInfoPage {
  /** Items of the page. */
  items: Array<ThreadInfo>;
  /** Cursor of the next page, to send as `after`; null on the last page. */
  next: string | null;
}

/** User message with the run that answered it. */
export interface ThreadTurn {
  /** Id of the user message. */
  userMessageId: string;
  /** Last run that answered it. */
  runId: string;
  /** Sources that the answer cites, each once, in the order of their first citation. */
  sourceReferences: Array<SourceReferenceInfo>;
}

/** Support for ways of delivery. */
export interface TransportCapabilities {
  /** Events are streamed while the agent works. */
  streaming: boolean;
  /** A client that reconnects receives the events that it missed. */
  resumable: boolean;
}

/** Summary of the uncertainty. */
export interface UncertaintySummary {
  /** Contributions of the sources. */
  source_contributions: Array<SourceContribution>;
  /** One minus the confidence. */
  total_uncertainty: number;
  /** Cause of most of the uncertainty. */
  dominant_uncertainty_source: string | null;
}

/** Upload as a form. The multipart reader reads it; this type is its schema. */
export interface UploadForm {
  /** File. */
  file: Blob;
  /** File name; that of the part `file` if absent. */
  filename?: string;
  /** Attachment id; generated if absent. */
  attachmentId?: string;
  /** Label of the end user, at most 128 characters. */
  endUserId?: string;
  /** Labels of the document, in parts of their own or separated by commas. */
  labels?: string;
}

/** Upload by address, or reference to a document that is attached already. */
export interface UploadRequest {
  /** Address to fetch the document from, if fetching from its host is allowed. */
  url?: string;
  /** File name; that of the address if absent. */
  filename?: string;
  /** Attachment id; generated if absent. */
  attachmentId?: string;
  /** Label of the end user, at most 128 characters. */
  endUserId?: string;
  /** Labels of the document. */
  labels?: Array<string>;
}

/** Result of sending an empty conversation to an upstream agent. */
export interface UpstreamCheckInfo {
  /** `ok` if the agent responds with AG-UI, `warn` if a run may fail, `fail` if the agent cannot be used. */
  state: "ok" | "warn" | "fail";
  /** Finding, as a sentence. */
  message: string;
  /** Advice on what to do; null if everything is well. */
  hint: string | null;
}

/** Upstream agent to add or change. It is stored; the configuration file is not changed and has precedence. */
export interface UpstreamRequest {
  /** URL that runs are sent to. */
  url: string;
  /** Headers of every request to the agent. They are stored and never returned. */
  headers?: Record<string, string>;
}

/** Address from which a document was fetched. */
export interface UrlSource {
  /** Address. */
  url: string;
  /** Domain of the address, without `www.`. */
  domain: string;
}

/** Verification of a citation, in the names of the SDK version that the header `X-SDK-Version` selects. */
export interface VerificationJson {
  /** Status of the citation, such as `found` or `not_found`. */
  status: string;
  [member: string]: unknown;
}

/** Document in which citations were found. */
export interface VerifiedAttachment {
  /** Images of all pages; empty if there are more than 2,000, or pages that take several images. */
  pageImages: Array<PageImageJson>;
  /** Always `completed`. */
  pageImagesStatus: string;
  /** Original file. */
  originalDownload: DownloadJson;
}

/** Citations to verify: in an answer, or as they are. */
export interface VerifyBody {
  /** Answer that contains citations in any supported form. */
  text?: string;
  /** Citations by key. */
  citations?: Record<string, CitationInput>;
  /** Documents to search; all documents of the principal if absent. */
  attachmentIds?: Array<string>;
}

/** Event of a streamed verification: one result. */
export interface VerifyEvent {
  /** Key of the citation. */
  key: string;
  /** Citation. */
  citation: CitationJson;
  /** Its verification. */
  verification: VerificationJson;
}

/** Result of a verification. */
export interface VerifyResponse {
  /** Citations by key. */
  citations: Record<string, CitationJson>;
  /** Verifications by the key of their citation. */
  verifications: Record<string, VerificationJson>;
  /** Parts of the answer that could not be read as citations, and citations with a problem. */
  problems: Array<CitationProblem>;
}
