//! Documents and page images.

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

/// Document. Described by its content hash instead of an attachment id, it lacks the members of the attachment.
#[derive(Debug, Serialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
pub(crate) struct DocumentInfo {
    /// Attachment id, or the hash of the file if that was asked for.
    pub(crate) id: String,
    /// Hash of the file.
    pub(crate) document_id: String,
    /// Media type.
    pub(crate) mime_type: String,
    /// Size in bytes.
    pub(crate) file_size: u64,
    /// Number of pages.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub(crate) page_count: Option<u32>,
    /// Title that was given with PATCH, or that the document itself contains.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub(crate) title: Option<String>,
    /// Time at which it was attached (RFC 3339).
    pub(crate) created_at: String,
    /// File name.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub(crate) filename: Option<String>,
    /// Address from which it was fetched.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub(crate) url: Option<String>,
    /// Label of the end user, as sent with the upload.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub(crate) end_user_id: Option<String>,
    /// Time at which it expires (RFC 3339), or `never`.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub(crate) expires_at: Option<String>,
    /// Path that it was ingested from.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub(crate) path: Option<String>,
    /// Labels in alphabetical order.
    pub(crate) labels: Vec<String>,
    /// Progress: `queued`, `reading`, `indexing`, `ready`, `failed` or `removed`. It can be searched when it is ready.
    #[schemars(extend("enum" = ["queued", "reading", "indexing", "ready", "failed", "removed"]))]
    pub(crate) state: &'static str,
    /// Number of pages that were read so far.
    pub(crate) pages_done: u32,
    /// Number of attempts to read and index it.
    pub(crate) attempts: u32,
    /// Reason of the last failure.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub(crate) reason: Option<String>,
    /// Hint about the last failure.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub(crate) hint: Option<String>,
    /// True if a newer version of the same file has replaced it in search.
    pub(crate) superseded: bool,
    /// Parts that could not be read, each with a hint.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub(crate) warnings: Vec<String>,
}

/// Change of the state of a document.
#[derive(Debug, Serialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
pub(crate) struct DocumentEvent {
    /// Attachment id; absent if the document was removed.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub(crate) id: Option<String>,
    /// Hash of the file.
    pub(crate) document_id: String,
    /// File name.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub(crate) filename: Option<String>,
    /// Title.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub(crate) title: Option<String>,
    /// Labels in alphabetical order.
    pub(crate) labels: Vec<String>,
    /// Progress; see the document.
    #[schemars(extend("enum" = ["queued", "reading", "indexing", "ready", "failed", "removed"]))]
    pub(crate) state: &'static str,
    /// Number of pages that were read so far.
    pub(crate) pages_done: u32,
    /// Number of pages, once it is read.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub(crate) page_count: Option<u32>,
    /// Number of attempts to read and index it.
    pub(crate) attempts: u32,
    /// Reason of the last failure.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub(crate) reason: Option<String>,
    /// Hint about the last failure.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub(crate) hint: Option<String>,
}

/// Page of changes of documents.
#[derive(Debug, Serialize, JsonSchema)]
pub(crate) struct DocumentEventPage {
    /// Changes in order.
    pub(crate) items: Vec<NumberedDocumentEvent>,
    /// Number to send as `after` for the next page; null on the last page.
    pub(crate) next: Option<u64>,
}

/// Change of the state of a document with its number.
#[derive(Debug, Serialize, JsonSchema)]
pub(crate) struct NumberedDocumentEvent {
    /// Number of the change.
    pub(crate) sequence: u64,
    /// Document after the change.
    pub(crate) document: DocumentEvent,
}

/// Position in the changes of documents.
#[derive(Debug, Default, Deserialize, JsonSchema)]
pub(crate) struct DocumentEventsQuery {
    /// Id of the last event that the client has; absent for the present state of all documents.
    pub(crate) after: Option<u64>,
}

/// Options of an upload.
#[derive(Debug, Default, Deserialize, JsonSchema)]
pub(crate) struct UploadQuery {
    /// False returns 202 as soon as the file is stored; it is read and indexed in the background.
    #[schemars(extend("enum" = ["true", "false"]))]
    pub(crate) wait: Option<String>,
}

/// Change of a document. Absent members stay as they are.
#[derive(Debug, Default, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
pub(crate) struct DocumentChangeRequest {
    /// New title; null restores that of the document.
    #[serde(default, deserialize_with = "super::threads::present")]
    #[schemars(with = "Option<String>", extend("x-keep-null" = true))]
    pub(crate) title: Option<Option<String>>,
    /// Labels in place of the present ones.
    #[serde(default)]
    pub(crate) labels: Option<Vec<String>>,
}

/// Page whose citations are wanted.
#[derive(Debug, Default, Deserialize, JsonSchema)]
pub(crate) struct CitingAnswersQuery {
    /// Page of the file, from 1; all pages if absent.
    #[schemars(range(min = 1))]
    pub(crate) page: Option<u32>,
}

/// Answers that cite a document.
#[derive(Debug, Serialize, JsonSchema)]
pub(crate) struct CitingAnswerList {
    /// Citations, the latest first, at most 100.
    pub(crate) items: Vec<CitingAnswer>,
}

/// Citation of a document in an answer.
#[derive(Debug, Serialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
pub(crate) struct CitingAnswer {
    /// Id of the evidence page.
    pub(crate) evidence_id: String,
    /// Key of the citation.
    pub(crate) key: String,
    /// Thread of the answer.
    pub(crate) thread_id: String,
    /// Title of the thread, or null if it has none.
    pub(crate) thread_title: Option<String>,
    /// Id of the message.
    pub(crate) message_id: Option<String>,
    /// Quote.
    pub(crate) quote: String,
    /// Status in words.
    pub(crate) words: String,
    /// State: `verified`, `partly`, `elsewhere`, `missing` or `pending`.
    #[schemars(extend("enum" = ["verified", "partly", "elsewhere", "missing", "pending"]))]
    pub(crate) state: &'static str,
    /// Page of the file on which the quote was found, or else the cited one.
    pub(crate) page: Option<u32>,
    /// Time of the verification (RFC 3339).
    pub(crate) checked_at: String,
}

/// Confirmation that an attachment was removed.
#[derive(Debug, Serialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
pub(crate) struct DeletedAttachment {
    /// Id that was removed.
    pub(crate) attachment_id: String,
    /// Always true.
    pub(crate) deleted: bool,
}

/// Upload as a form. The multipart reader reads it; this type is its schema.
#[derive(JsonSchema)]
#[schemars(rename_all = "camelCase")]
#[allow(dead_code)] // only the schema is used
pub(crate) struct UploadForm {
    /// File.
    #[schemars(extend("format" = "binary"))]
    file: String,
    /// File name; that of the part `file` if absent.
    filename: Option<String>,
    /// Attachment id; generated if absent.
    #[schemars(regex(pattern = r"^[A-Za-z0-9_-]{1,128}$"))]
    attachment_id: Option<String>,
    /// Label of the end user, at most 128 characters.
    end_user_id: Option<String>,
    /// Labels of the document, in parts of their own or separated by commas.
    labels: Option<String>,
}

/// Upload by address, or reference to a document that is attached already.
#[derive(Debug, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
pub(crate) struct UploadRequest {
    /// Address to fetch the document from, if fetching from its host is allowed.
    pub(crate) url: Option<String>,
    /// File name; that of the address if absent.
    pub(crate) filename: Option<String>,
    /// Attachment id; generated if absent.
    #[schemars(regex(pattern = r"^[A-Za-z0-9_-]{1,128}$"))]
    pub(crate) attachment_id: Option<String>,
    /// Label of the end user, at most 128 characters.
    pub(crate) end_user_id: Option<String>,
    /// Labels of the document.
    #[serde(default)]
    pub(crate) labels: Option<Vec<String>>,
}

/// Style of a page image.
#[derive(Debug, Default, Deserialize, JsonSchema)]
pub(crate) struct PageImageQuery {
    /// Citations to highlight, by key or evidence id, separated by commas. Those of other documents are ignored.
    pub(crate) citation: Option<String>,
    /// Colours of the image; light if absent.
    #[schemars(extend("enum" = ["light", "dark"]))]
    pub(crate) theme: Option<String>,
    /// Pixel density; 1 if absent.
    #[schemars(extend("enum" = ["1", "2"]))]
    pub(crate) scale: Option<String>,
    /// Version of the image, from an address that the server made. Such images may be cached forever.
    #[serde(rename = "v")]
    pub(crate) version: Option<String>,
}
