//! Model Context Protocol: a document library and a quote checker as tools, resources and prompts.
//!
//! [`McpServer`] implements the protocol with the official SDK, in both of its eras: 2025-11-25 with `initialize`, and
//! 2026-07-28, which is stateless and begins with `server/discover`. It knows the library through [`LibraryService`]
//! only. [`serve_stdio`] serves one client on standard input and output, [`http_service`] any number over streamable
//! HTTP.

mod progress;
mod prompts;
mod resources;
mod schema;
mod server;
mod service;
mod tool_types;
mod tools;
mod transport;

pub use progress::ProgressReporter;
pub use resources::{document_uri, evidence_uri, page_uri};
pub use server::{McpServer, ServiceSource};
pub use service::{
    ImageFile, LibraryService, ResourceFile, ServiceError, ServiceFuture, ServicePermissions,
};
pub use tool_types::{
    AddDocumentToolArguments, AddedDocument, AnswerVerification, AskToolArguments, AskedAnswer,
    DocumentList, DocumentPages, ListDocumentsToolArguments, ListedDocument, PageName, PageText,
    QuoteCheck, ReadToolArguments, SearchHit, SearchHits, SearchToolArguments,
    VerifyAnswerToolArguments, VerifyQuoteToolArguments,
};
pub use transport::{HttpOptions, McpHttpService, http_service, serve_stdio};
