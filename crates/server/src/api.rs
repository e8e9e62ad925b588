//! Requests, queries and responses of the API as types.
//!
//! Their schemas make the OpenAPI document and the TypeScript types, so doc comments here are written for users of
//! the API.

mod agents;
mod attributions;
mod citations;
mod conversations;
mod documents;
mod error_response;
mod evidence;
mod export;
mod json_map;
mod json_request;
mod keys;
mod member_error;
mod operation;
mod page_text;
mod paging;
mod principals;
mod raw_json;
mod sdk;
mod search;
mod server_info;
mod sessions;
mod threads;

pub(crate) use agents::{
    AgentCapabilities, AgentInfo, AgentList, RemovedUpstream, RunAgentBody, StateCapabilities,
    TransportCapabilities, UpstreamCheckInfo, UpstreamRequest,
};
pub(crate) use attributions::{
    ApprovalRequest, ApprovalResponse, ApprovedItem, AttributionHistory, AttributionHit,
    AttributionListQuery, AttributionSearchQuery, FeedbackRequest, FeedbackResponse, OffsetQuery,
    ReviewQueueItem, assurance_level,
};
pub(crate) use citations::{
    CitationInput, CitationProblem, EvidenceQuery, LinkRequest, ReviewInfo, ReviewList,
    ReviewRequest, SignedLink, VerificationJson, VerifyBody, VerifyEnd, VerifyEvent,
    VerifyResponse,
};
pub(crate) use conversations::{
    ActionChoiceRequest, ActionExecutionJson, ActionReportRequest, CanvasMessageBody,
    CanvasMessageJson, CatalogJson, ConnectionsQuery, ContextAnswerInfo, ContextAnswerRequest,
    ContextGrantInfo, ContextGrantList, ContextInfo, ContextValueRequest, ConversationEvent,
    ConversationEventPage, ExecutionList, KnowledgeListQuery, MessageStreamQuery,
    OntologyEventsQuery, PatchOperationBody, RemovedItem, RepairInfo, SentMessage,
    SharedContextInfo, ThingsQuery,
};
pub(crate) use documents::{
    CitingAnswer, CitingAnswerList, CitingAnswersQuery, DeletedAttachment, DocumentChangeRequest,
    DocumentEvent, DocumentEventPage, DocumentEventsQuery, DocumentInfo, NumberedDocumentEvent,
    PageImageQuery, UploadForm, UploadQuery, UploadRequest,
};
pub(crate) use error_response::ErrorResponse;
pub(crate) use evidence::{DifferencePart, EvidenceBox, EvidenceInfo};
pub(crate) use export::{ExportLine, ExportQuery};
pub(crate) use json_map::JsonMap;
pub(crate) use json_request::{read_json_body, read_json_value};
pub(crate) use keys::{AccessKeyInfo, AccessKeyList, AccessKeyRequest, CreatedAccessKey};
pub(crate) use operation::{HealthStatus, LogLevelBody, ReadinessStatus};
pub(crate) use page_text::{OutlineEntry, OutlineList, PageLines, PageTextLine, PageTextQuery};
pub(crate) use paging::{ItemPage, PageQuery};
pub(crate) use principals::{AuditQuery, AuditRecord, CallerInfo, ForgetQuery, ForgottenPrincipal};
pub(crate) use raw_json::RawJson;
pub(crate) use sdk::{
    AttachmentInfo, AttachmentRequest, ConvertedAttachment, ConvertedMetadata, ExtendDuration,
    ExtendRequest, ExtendedAttachment, PageImageJson, PreparedAttachment, PreparedMetadata,
    ReviewUrlRequest, ReviewedUrl, SdkVerifyData, SdkVerifyRequest, SdkVerifyResponse, UrlSource,
    VerifiedAttachment,
};
pub(crate) use search::{
    ChunkInfo, ChunkPage, ChunkQuery, FractionBox, LabelInfo, LabelList, RankExplanation,
    SearchExplanation, SearchParameters, SearchResult, SearchResultPage, SearchSnippet,
    TermExplanation,
};
pub(crate) use server_info::{
    LibraryInfo, ModelInfo, ModelProviderInfo, ProjectionInfo, ServerInfo, StorageInfo, StoragePart,
};
pub(crate) use sessions::{SessionInfo, SessionRequest};
pub(crate) use threads::{
    DeletedThread, EventPage, EventsQuery, MessageJson, MessagesQuery, NumberedEvent, RunInfo,
    SourceReferenceInfo, StateJson, ThreadChangeRequest, ThreadInfo, ThreadTurn,
};

/// Returns the text unless it is empty: clients send empty strings for absent values.
pub(crate) fn non_empty(text: Option<String>) -> Option<String> {
    text.filter(|text| !text.is_empty())
}
