//! Runs of agents with verified citations, the document library and page images, without HTTP.
//!
//! A [`Gateway`] owns the runs: a task reads the agent, stores batches of events and broadcasts them to subscribers.
//! The server around it knows routes, access and errors on the wire.

mod agent_ui;
mod agents;
mod canvas_records;
mod citation_host;
mod credit_catalogue;
mod error;
mod error_hints;
mod evidence_links;
mod gateway;
mod library;
mod library_tools;
mod metrics;
mod music_catalogue;
mod page_images;
mod reader_library;
mod reviews;
mod run_documents;
mod runs;
pub mod settings;
mod traces;
mod upstreams;
mod verifier;

pub use agent_ui::{
    ActionChoice, ActionExecution, ActionReport, AgentUi, AgentUiError, ContextAnswer, ContextGrant,
};
pub use agents::{
    ATTRIBUTION_AGENT, AgentEntry, AgentOrigin, AgentRegistry, BuiltInAgent, READER, ReaderParts,
};
pub use canvas_records::CANVAS_RECORD_KINDS;
pub use error::{GatewayError, InvalidAgent, UpstreamError};
pub use evidence_links::{LinkSigner, render_scale};
pub use gateway::{AgentRunRequest, Gateway, GatewayParts, GatewayStartError};
pub use library::{
    CachedDocument, DocumentLibrary, DocumentUnavailable, EmbeddingError, EmbeddingModel,
    FoundChunk, HitExplanation, IndexLocation, LibraryChunk, MAX_SEARCH_OFFSET, NamedDocument,
    OpenChunk, PassagePage, ReaderCommand, SampleDocument, SearchError, SearchMode, SearchRequest,
    SearchResponse, VectorState, WorkOwner, derived_attachment_id, file_name,
};
pub use library_tools::{LibraryToolParts, LibraryTools};
pub use metrics::{CitationStatusLabel, RunMetrics, VerificationMetrics};
pub use music_catalogue::{
    ApprovalOutcome, CatalogueError, FoundWork, ImportSummary, MusicCatalogue, NewFeedback,
    QueueItem, ResolveSummary, SeenVersion, WorkList, WorkListQuery, WorkSort, suggest_corrections,
};
pub use page_images::{
    CachedImage, CachedImageRequest, CachedView, ImageUnavailable, PageImageCache, highlight,
};
pub use reader_library::LibraryReader;
pub use reviews::read_time;
pub use run_documents::RunDocuments;
pub use runs::{
    DisconnectPolicy, Key, RunManager, RunRequest, RunSubscriber, RunView, ThreadSubscriber,
    is_segment_of, memory_of, messages_json, read_json, read_run, state_of, status_name,
};
pub use upstreams::{UpstreamCheck, UpstreamState, add_upstream, check_upstream, remove_upstream};
pub use verifier::LibraryVerifier;

/// Runs the examples of the library guide; this crate depends on all crates that they use.
#[cfg(doctest)]
#[doc = include_str!("../../../docs/library.md")]
struct LibraryGuide;
