//! Documents, and attachments: the names that principals give them.

use bytes::Bytes;
use documents::ContentId;

use crate::error::{Result, StoreError};
use crate::future::StoreFuture;
use crate::ids::{self, AttachmentId, Principal, Timestamp};
use crate::paging::{Listing, PageRequest};

/// Progress of reading a document.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum DocumentStatus {
    /// Received, but not read yet.
    Received,
    /// Read; its text is available.
    Ready,
    /// Cannot be read.
    Failed {
        /// Reason, with a hint.
        reason: String,
    },
}

/// Description of a document, as its principal sees it.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct StoredDocument {
    /// Hash of its file.
    pub id: ContentId,
    /// Media type of its file.
    pub media_type: String,
    /// Size of its file in bytes.
    pub size: u64,
    /// Number of pages, once it is read.
    pub pages: Option<u32>,
    /// Title.
    pub title: Option<String>,
    /// Progress of reading it.
    pub status: DocumentStatus,
    /// Time of the principal's first attachment.
    pub created: Timestamp,
}

/// Result of reading a document.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct DocumentDescription {
    /// Media type; `None` leaves it unchanged.
    pub media_type: Option<String>,
    /// Number of pages.
    pub pages: Option<u32>,
    /// Title.
    pub title: Option<String>,
    /// Progress of reading it.
    pub status: DocumentStatus,
}

/// Principal's name for a document.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Attachment {
    /// Attachment id.
    pub id: AttachmentId,
    /// Display name, usually a file name.
    pub name: String,
    /// Document that it names.
    pub document: StoredDocument,
    /// Label that the principal chose. It has no influence on access.
    pub end_user: Option<String>,
    /// Address that it was fetched from.
    pub origin: Option<String>,
    /// Time of attachment.
    pub created: Timestamp,
    /// Time of expiry; `None` if it never expires.
    pub expires: Option<Timestamp>,
}

/// File to store under a name.
#[derive(Debug, Clone)]
pub struct NewAttachment {
    /// Attachment id.
    pub id: AttachmentId,
    /// Display name, usually a file name.
    pub name: String,
    /// Media type of its file.
    pub media_type: String,
    /// Bytes of the file.
    pub original: Bytes,
    /// Label that the principal chose.
    pub end_user: Option<String>,
    /// Address that it was fetched from.
    pub origin: Option<String>,
    /// Time of attachment.
    pub created: Timestamp,
    /// Time of expiry.
    pub expires: Option<Timestamp>,
}

/// Result of storing a [`NewAttachment`].
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct AttachOutcome {
    /// Attachment as it is stored.
    pub attachment: Attachment,
    /// True if the same bytes were stored under this name before.
    pub existed: bool,
}

/// Documents, their files, and parts derived from them.
///
/// A document lives as long as an attachment names it, and is visible only to principals that have attached it.
/// Its file is the part `original`; other parts, such as its text, are derived from the file. All parts are
/// deleted with the last attachment. An expired attachment is invisible until [`DocumentStore::expire`]
/// removes it.
pub trait DocumentStore {
    /// Stores a file under a name. The same bytes under the same name change nothing; other bytes fail with
    /// [`StoreError::Conflict`](crate::StoreError::Conflict).
    fn attach(
        &self,
        principal: &Principal,
        attachment: NewAttachment,
    ) -> StoreFuture<AttachOutcome>;

    /// Returns an attachment that has not expired.
    fn attachment(
        &self,
        principal: &Principal,
        id: &AttachmentId,
        now: Timestamp,
    ) -> StoreFuture<Option<Attachment>>;

    /// Lists the principal's attachments, newest first.
    fn attachments(
        &self,
        principal: &Principal,
        page: &PageRequest,
        now: Timestamp,
    ) -> StoreFuture<Listing<Attachment>>;

    /// Returns the principal's attachments whose display name, title or address of origin is `name`: newest first,
    /// at most 10.
    fn attachments_named(
        &self,
        principal: &Principal,
        name: &str,
        now: Timestamp,
    ) -> StoreFuture<Vec<Attachment>>;

    /// Sets the time of expiry. Returns `None` if the attachment has expired already.
    fn extend(
        &self,
        principal: &Principal,
        id: &AttachmentId,
        expires: Option<Timestamp>,
        now: Timestamp,
    ) -> StoreFuture<Option<Attachment>>;

    /// Removes an attachment, and the document with its last one. Returns false if there is none.
    fn detach(&self, principal: &Principal, id: &AttachmentId) -> StoreFuture<bool>;

    /// Removes expired attachments, a limited number per call. Returns how many.
    fn expire(&self, now: Timestamp) -> StoreFuture<usize>;

    /// Returns a document that the principal has attached.
    fn document(
        &self,
        principal: &Principal,
        id: ContentId,
        now: Timestamp,
    ) -> StoreFuture<Option<StoredDocument>>;

    /// Stores the result of reading a document. Returns false if the document no longer exists.
    fn describe_document(
        &self,
        id: ContentId,
        description: DocumentDescription,
    ) -> StoreFuture<bool>;

    /// Stores a part derived from a document, in place of the part with that name. Returns false if the document
    /// no longer exists.
    fn store_part(&self, id: ContentId, name: &str, bytes: Bytes) -> StoreFuture<bool>;

    /// Returns a part of a document that the principal has attached. Its file is the part [`ORIGINAL`].
    fn part(
        &self,
        principal: &Principal,
        id: ContentId,
        name: &str,
        now: Timestamp,
    ) -> StoreFuture<Option<Bytes>>;
}

/// Largest number of attachments that are returned for one name.
pub(crate) const MAX_NAMED: usize = 10;

/// Name of the part that is the document's file.
pub const ORIGINAL: &str = "original";

pub(crate) fn check_part_name(name: &str) -> Result<()> {
    match ids::invalid_id(name) {
        Some(reason) => Err(StoreError::invalid("the part's name", reason)),
        None if name == ORIGINAL => Err(StoreError::invalid(
            "the part's name",
            "the original never changes",
        )),
        None => Ok(()),
    }
}

impl NewAttachment {
    pub(crate) fn check(&self) -> Result<()> {
        ids::check_text("the name", &self.name)?;
        ids::check_text("the media type", &self.media_type)?;
        ids::check_text("the end user", self.end_user.as_deref().unwrap_or_default())?;
        ids::check_text("the address", self.origin.as_deref().unwrap_or_default())
    }
}
