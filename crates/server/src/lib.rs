//! HTTP server: routes with typed requests and responses, access control, errors, OpenAPI and pages.
//!
//! A [`Server`] serves a gateway. [`recordings`] serves recorded streams as an agent. [`event_response`] turns events
//! into HTTP responses, [`error`] holds the table of error codes, [`guard`] checks hosts and origins, [`access`]
//! authenticates requests, and [`settings`] declares the configuration.

pub mod access;
mod admission;
mod api;
mod app;
mod console;
mod conversation_frames;
mod copilotkit;
mod environment;
pub mod error;
pub mod event_response;
mod gateway_error;
pub mod guard;
mod listen;
mod log;
mod loopback;
mod mcp_endpoint;
mod metrics;
mod models;
mod openapi;
mod operations;
mod page;
pub mod recordings;
mod rejection;
mod request_id;
mod routes;
#[cfg(test)]
mod run_tests;
mod scope;
pub mod settings;
mod state;
mod stream_body;
mod time_text;
mod traces;
mod unread_body;

pub use app::{Server, ServerError, ServerParts, system_clock};
pub use console::ConsoleFile;
pub use environment::ServerEnvironment;
pub use gateway::{
    ATTRIBUTION_AGENT, BuiltInAgent, CatalogueError, DocumentLibrary, EmbeddingError,
    EmbeddingModel, FoundChunk, ImportSummary, IndexLocation, LibraryReader, LibraryToolParts,
    LibraryTools, MusicCatalogue, NamedDocument, READER, ReaderCommand, ReaderParts,
    ResolveSummary, SampleDocument, SearchError, SearchRequest, SearchResponse, UpstreamState,
    VectorState, check_upstream, derived_attachment_id,
};
pub use log::LogControl;
pub use mcp_endpoint::mcp_server;
pub use models::{SystemHost, model_chain, run_limits};
pub use openapi::{description, route_table, typescript};
pub use routes::search_json;
