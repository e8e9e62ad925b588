//! Documents as a reader sees them: passages, pages, names.

use std::ops::{Range, RangeInclusive};
use std::pin::Pin;

/// Passage that a search found.
#[derive(Debug, Clone, PartialEq)]
pub struct ReaderPassage {
    /// Chunk id.
    pub chunk_id: String,
    /// Id by which a citation names the document.
    pub document_id: String,
    /// File name without folders.
    pub document_name: String,
    /// Title of the document.
    pub title: Option<String>,
    /// Headings above the passage, the outermost first.
    pub headings: Vec<String>,
    /// Pages it is on.
    pub pages: RangeInclusive<u32>,
    /// Text as it is in the document.
    pub text: String,
    /// Score of the search; comparable only within one result.
    pub score: f32,
    /// Words of the query that it matches, in lower case, with their share of the score.
    pub terms: Vec<(String, f32)>,
}

impl ReaderPassage {
    /// Returns the headings and the title, which belong to every sentence.
    pub(super) fn context(&self) -> String {
        self.headings.join(" ") + " " + self.title.as_deref().unwrap_or_default()
    }
}

/// Document of the library.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct ReaderDocument {
    /// Id by which a citation names the document.
    pub id: String,
    /// File name without folders.
    pub name: String,
    /// Title.
    pub title: Option<String>,
    /// Number of pages, if known.
    pub pages: Option<u32>,
}

/// Page of a document.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct ReaderPage {
    /// Page number, from 1.
    pub page: u32,
    /// Numbers and texts of its lines.
    pub lines: Vec<(u32, String)>,
}

/// Failure of the library. The message says what to do.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[error("{0}")]
pub struct ReaderError(pub String);

/// Future of a request to the library.
pub type ReaderFuture<'a, T> = Pin<Box<dyn Future<Output = Result<T, ReaderError>> + Send + 'a>>;

/// Documents that a reader may search and read.
pub trait ReaderLibrary: Send + Sync {
    /// Returns the best passages for a query, the best first.
    fn search<'a>(&'a self, query: &'a str, limit: usize) -> ReaderFuture<'a, Vec<ReaderPassage>>;

    /// Returns the page on which a part of a passage begins.
    fn page_of<'a>(
        &'a self,
        passage: &'a ReaderPassage,
        part: Range<usize>,
    ) -> ReaderFuture<'a, u32>;

    /// Returns pages of a document, which its id, name or title names.
    fn read<'a>(
        &'a self,
        document: &'a str,
        pages: RangeInclusive<u32>,
    ) -> ReaderFuture<'a, Vec<ReaderPage>>;

    /// Returns the documents.
    fn list_documents(&self) -> ReaderFuture<'_, Vec<ReaderDocument>>;
}
