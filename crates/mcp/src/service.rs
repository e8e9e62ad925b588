//! The library as the protocol sees it.

use std::pin::Pin;

use crate::progress::ProgressReporter;
use crate::tool_types::{
    AddDocumentToolArguments, AddedDocument, AnswerVerification, AskToolArguments, AskedAnswer,
    DocumentList, DocumentPages, ListDocumentsToolArguments, QuoteCheck, ReadToolArguments,
    SearchHits, SearchToolArguments, VerifyAnswerToolArguments, VerifyQuoteToolArguments,
};

/// Failure that the model and the person behind it can read.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct ServiceError {
    /// Description of the failure.
    pub message: String,
    /// Hint for people; empty if there is none.
    pub hint: String,
    /// True if the named document, page or evidence does not exist.
    pub is_missing: bool,
}

impl ServiceError {
    /// Creates a failure with a hint.
    pub fn new(message: impl Into<String>, hint: impl Into<String>) -> Self {
        Self {
            message: message.into(),
            hint: hint.into(),
            is_missing: false,
        }
    }

    /// Creates a failure for something that does not exist.
    pub fn missing(message: impl Into<String>, hint: impl Into<String>) -> Self {
        Self {
            is_missing: true,
            ..Self::new(message, hint)
        }
    }

    /// Returns message and hint as one text. Clients show only the first text of an error.
    pub fn text(&self) -> String {
        match self.hint.as_str() {
            "" => self.message.clone(),
            hint => format!("{}. {hint}", self.message.trim_end_matches('.')),
        }
    }
}

/// Result of a call, which may be dropped to cancel it.
pub type ServiceFuture<'a, T> = Pin<Box<dyn Future<Output = Result<T, ServiceError>> + Send + 'a>>;

/// Operations that a client may use.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct ServicePermissions {
    /// True if questions may be asked; a model may cost money.
    pub can_ask: bool,
    /// True if documents may be added.
    pub can_write: bool,
}

/// Image as a file.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct ImageFile {
    /// Content of the file.
    pub bytes: Vec<u8>,
    /// Media type.
    pub media_type: &'static str,
}

/// Content of a resource.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum ResourceFile {
    /// Text with its media type.
    Text(String, &'static str),
    /// Image.
    Image(ImageFile),
}

/// Documents of one principal: search, reading, questions and verification.
pub trait LibraryService: Send + Sync {
    /// Returns the operations that the client may use.
    fn permissions(&self) -> ServicePermissions;

    /// Returns the best passages for a query.
    fn search(&self, arguments: SearchToolArguments) -> ServiceFuture<'_, SearchHits>;

    /// Returns the text of pages of a document.
    fn read(&self, arguments: ReadToolArguments) -> ServiceFuture<'_, DocumentPages>;

    /// Answers a question from the documents, with verified quotes.
    fn ask<'a>(
        &'a self,
        arguments: AskToolArguments,
        progress: &'a ProgressReporter,
    ) -> ServiceFuture<'a, AskedAnswer>;

    /// Verifies one quote.
    fn verify_quote(&self, arguments: VerifyQuoteToolArguments) -> ServiceFuture<'_, QuoteCheck>;

    /// Verifies all citations of an answer.
    fn verify_answer<'a>(
        &'a self,
        arguments: VerifyAnswerToolArguments,
        progress: &'a ProgressReporter,
    ) -> ServiceFuture<'a, AnswerVerification>;

    /// Lists documents, the newest first.
    fn list_documents(
        &self,
        arguments: ListDocumentsToolArguments,
    ) -> ServiceFuture<'_, DocumentList>;

    /// Adds a document.
    fn add_document<'a>(
        &'a self,
        arguments: AddDocumentToolArguments,
        progress: &'a ProgressReporter,
    ) -> ServiceFuture<'a, AddedDocument>;

    /// Returns the image of a page.
    fn page_image<'a>(&'a self, document: &'a str, page: u32) -> ServiceFuture<'a, ImageFile>;

    /// Returns the evidence of a verified quote as JSON.
    fn evidence<'a>(&'a self, id: &'a str) -> ServiceFuture<'a, serde_json::Value>;

    /// Returns the image of the passage of a verified quote.
    fn evidence_image<'a>(&'a self, id: &'a str) -> ServiceFuture<'a, ImageFile>;
}
