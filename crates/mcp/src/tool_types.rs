//! Arguments and results of the tools.
//!
//! Their schemas are what models read, so doc comments here are written for models.

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

/// Arguments of `search`.
#[derive(Debug, Clone, Default, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
pub struct SearchToolArguments {
    /// Words to search for. Words are alternatives, "phrases in quotes" must occur, -word excludes.
    pub query: String,
    /// Documents to search in, by id, file name or title; all if absent.
    #[serde(default)]
    pub documents: Option<Vec<String>>,
    /// Labels that the documents must have.
    #[serde(default)]
    pub labels: Option<Vec<String>>,
    /// Largest number of hits, from 1 to 50; 8 if absent.
    #[serde(default)]
    pub limit: Option<u32>,
}

/// Result of `search`.
#[derive(Debug, Clone, Default, Serialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
pub struct SearchHits {
    /// Passages, the best first.
    pub hits: Vec<SearchHit>,
    /// Remarks, such as a phrase that does not occur.
    pub notes: Vec<String>,
}

/// Passage that was found.
#[derive(Debug, Clone, Serialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
pub struct SearchHit {
    /// Id of the document, for the other tools.
    pub document_id: String,
    /// File name of the document.
    pub document: String,
    /// Title of the document.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub title: Option<String>,
    /// First page of the passage, from 1.
    pub page: u32,
    /// Headings above the passage, joined by " > ".
    #[serde(skip_serializing_if = "Option::is_none")]
    pub section: Option<String>,
    /// Text of the passage, word for word. Quote from it.
    pub text: String,
    /// Resource with the whole page.
    pub page_uri: String,
    /// Score; comparable only within one result.
    pub score: f32,
}

/// Arguments of `read`.
#[derive(Debug, Clone, Default, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
pub struct ReadToolArguments {
    /// Document, by id, file name or title.
    pub document: String,
    /// First page, from 1; 1 if absent.
    #[serde(default)]
    pub from_page: Option<u32>,
    /// Last page; the first page and at most four more if absent.
    #[serde(default)]
    pub to_page: Option<u32>,
}

/// Result of `read`.
#[derive(Debug, Clone, Serialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
pub struct DocumentPages {
    /// Id of the document.
    pub document_id: String,
    /// File name of the document.
    pub document: String,
    /// Number of pages of the document.
    pub page_count: u32,
    /// Pages that were read.
    pub pages: Vec<PageText>,
    /// First page that was not read, if there are more.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub next_page: Option<u32>,
}

/// Text of a page.
#[derive(Debug, Clone, Serialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
pub struct PageText {
    /// Page number, from 1.
    pub page: u32,
    /// Text of the page, line by line.
    pub text: String,
}

/// Arguments of `ask`.
#[derive(Debug, Clone, Default, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
pub struct AskToolArguments {
    /// Question to answer from the documents.
    pub question: String,
    /// Documents to use, by id, file name or title; all if absent.
    #[serde(default)]
    pub documents: Option<Vec<String>>,
}

/// Result of `ask`.
#[derive(Debug, Clone, Serialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
pub struct AskedAnswer {
    /// Answer with markers such as [1].
    pub answer: String,
    /// True if the documents do not have the answer.
    pub refused: bool,
    /// Confidence from 0 to 1.
    pub confidence: f64,
    /// Model that answered; `extractive` without a model.
    pub model: String,
    /// Quotes behind the markers, each verified.
    pub citations: Vec<QuoteCheck>,
}

/// Arguments of `verify_quote`.
#[derive(Debug, Clone, Default, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
pub struct VerifyQuoteToolArguments {
    /// Quote to verify, word for word.
    pub quote: String,
    /// Document that it is from, by id, file name or title; all documents if absent.
    #[serde(default)]
    pub document: Option<String>,
    /// Page that it is on, from 1, or the printed page label.
    #[serde(default)]
    #[schemars(with = "Option<String>")]
    pub page: Option<PageName>,
}

/// Page number or printed page label.
#[derive(Debug, Clone, PartialEq, Eq, Deserialize)]
#[serde(untagged)]
pub enum PageName {
    /// Page number, from 1.
    Number(u64),
    /// Printed label, such as `xii`, or a number as text.
    Label(String),
}

/// Verified quote.
#[derive(Debug, Clone, Default, PartialEq, Serialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
pub struct QuoteCheck {
    /// Number of its marker in the answer.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub number: Option<u64>,
    /// Quote as it was claimed.
    pub quote: String,
    /// True only if the source has the quote. A changed number, name or negation is never verified.
    pub verified: bool,
    /// Category: verified, partial, missed or pending.
    pub category: String,
    /// Status, such as `found`, `found_on_other_page`, `partial_text_found` or `not_found`.
    pub status: String,
    /// Explanation in words, with what to do.
    pub explanation: String,
    /// Id of the document that has the quote, or the nearest passage.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub document_id: Option<String>,
    /// Name of that document.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub document: Option<String>,
    /// Page on which it was found.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub page: Option<u64>,
    /// Words as the source has them.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub source_text: Option<String>,
    /// Resource with the evidence.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub evidence_uri: Option<String>,
    /// Address of the evidence page for people.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub evidence_url: Option<String>,
}

/// Arguments of `verify_answer`.
#[derive(Debug, Clone, Default, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
pub struct VerifyAnswerToolArguments {
    /// Answer with citations: [1] with a data block, <cite> tags, footnotes, JSON, or "quotes" (file.pdf, p. 3).
    pub answer: String,
    /// Documents to verify against, by id, file name or title; all if absent.
    #[serde(default)]
    pub documents: Option<Vec<String>>,
}

/// Result of `verify_answer`.
#[derive(Debug, Clone, Default, Serialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
pub struct AnswerVerification {
    /// True if there are citations and all are verified.
    pub all_verified: bool,
    /// Number of citations.
    pub total: usize,
    /// Number of verified citations.
    pub verified: usize,
    /// Number of citations that are partly right, or right at another place.
    pub partial: usize,
    /// Number of citations that the sources do not have.
    pub missed: usize,
    /// Citations in the order of the answer.
    pub citations: Vec<QuoteCheck>,
    /// Parts of the answer that could not be read as citations.
    pub problems: Vec<String>,
}

/// Arguments of `list_documents`.
#[derive(Debug, Clone, Default, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
pub struct ListDocumentsToolArguments {
    /// Largest number of documents, from 1 to 200; 50 if absent.
    #[serde(default)]
    pub limit: Option<u32>,
    /// `nextCursor` of the previous result.
    #[serde(default)]
    pub cursor: Option<String>,
}

/// Result of `list_documents`.
#[derive(Debug, Clone, Default, Serialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
pub struct DocumentList {
    /// Documents, the newest first.
    pub documents: Vec<ListedDocument>,
    /// Cursor of the next page, if there are more.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub next_cursor: Option<String>,
}

/// Document of the library.
#[derive(Debug, Clone, Serialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
pub struct ListedDocument {
    /// Id, for the other tools.
    pub id: String,
    /// File name.
    pub name: String,
    /// Title.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub title: Option<String>,
    /// Number of pages, if it was read.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub page_count: Option<u32>,
    /// Media type.
    pub media_type: String,
    /// Size in bytes.
    pub size: u64,
    /// State of indexing: queued, reading, indexing, ready or failed.
    pub state: String,
    /// Labels.
    pub labels: Vec<String>,
    /// Resource with its text.
    pub uri: String,
}

/// Arguments of `add_document`: exactly one of `text`, `base64` and `url`.
#[derive(Debug, Clone, Default, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
pub struct AddDocumentToolArguments {
    /// File name with its extension, such as report.pdf or notes.md. Required unless `url` is given.
    #[serde(default)]
    pub name: Option<String>,
    /// Content of a text, Markdown or HTML file.
    #[serde(default)]
    pub text: Option<String>,
    /// Content of a binary file (PDF, DOCX, image) in Base64.
    #[serde(default)]
    pub base64: Option<String>,
    /// Address to fetch; the operator must have allowed its host.
    #[serde(default)]
    pub url: Option<String>,
    /// Labels to add.
    #[serde(default)]
    pub labels: Option<Vec<String>>,
}

/// Result of `add_document`.
#[derive(Debug, Clone, Serialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
pub struct AddedDocument {
    /// Id, for the other tools.
    pub id: String,
    /// File name.
    pub name: String,
    /// Title.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub title: Option<String>,
    /// Number of pages.
    pub page_count: u32,
    /// True if the document was in the library before.
    pub existed: bool,
    /// True if it can be searched; a document can be read and verified against at once.
    pub searchable: bool,
    /// Warnings of the reader.
    pub warnings: Vec<String>,
    /// Resource with its text.
    pub uri: String,
}
