//! Documents and the names that principals have for them.

use bytes::Bytes;
use documents::ContentId;

use crate::error::{Result, StoreError};
use crate::future::StoreFuture;
use crate::ids::{self, AttachmentId, Principal, Timestamp};
use crate::paging::{Listing, PageRequest};

/// How far a document is understood.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum DocumentStatus {
    /// It was received; its text is not known yet.
    Received,
    /// Its text is known.
    Ready,
    /// It cannot be read.
    Failed {
        /// Why, and what can be done.
        reason: String,
    },
}

/// What is known of a document.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct StoredDocument {
    /// The hash of its file.
    pub id: ContentId,
    /// What kind of file it is.
    pub media_type: String,
    /// The size of the file in bytes.
    pub size: u64,
    /// How many pages it has, once that is known.
    pub pages: Option<u32>,
    /// Its title, if it has one.
    pub title: Option<String>,
    /// How far it is understood.
    pub status: DocumentStatus,
    /// When the principal first attached it.
    pub created: Timestamp,
}

/// What reading a document's file has told.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct DocumentDescription {
    /// What kind of file it is; `None` leaves what was said before.
    pub media_type: Option<String>,
    /// How many pages it has.
    pub pages: Option<u32>,
    /// Its title, if it has one.
    pub title: Option<String>,
    /// How far it is understood.
    pub status: DocumentStatus,
}

/// A principal's name for a document.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Attachment {
    /// The name.
    pub id: AttachmentId,
    /// What people call it, a file name.
    pub name: String,
    /// The document.
    pub document: StoredDocument,
    /// A label of the principal's own; it separates nothing.
    pub end_user: Option<String>,
    /// The address that it was fetched from, if it was.
    pub origin: Option<String>,
    /// When it was attached.
    pub created: Timestamp,
    /// From when on it is gone; `None` is never.
    pub expires: Option<Timestamp>,
}

/// A file to be stored under a name.
#[derive(Debug, Clone)]
pub struct NewAttachment {
    /// The name.
    pub id: AttachmentId,
    /// What people call it, a file name.
    pub name: String,
    /// What kind of file it is.
    pub media_type: String,
    /// The file.
    pub original: Bytes,
    /// A label of the principal's own.
    pub end_user: Option<String>,
    /// The address that it was fetched from, if it was.
    pub origin: Option<String>,
    /// When.
    pub created: Timestamp,
    /// From when on it is gone.
    pub expires: Option<Timestamp>,
}

/// What became of a [`NewAttachment`].
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct AttachOutcome {
    /// The attachment as it is now.
    pub attachment: Attachment,
    /// Whether the name was there before, with the same bytes.
    pub existed: bool,
}

/// Documents, their files and what is derived from them.
///
/// A document is kept as long as some attachment names it. Whatever a principal has not attached does
/// not exist for it. Beside the file itself (the part `original`) a document has parts that somebody
/// derived from it, such as its text or pictures of its pages; all go with the last attachment.
/// An attachment that has expired is not seen any more, and [`DocumentStore::expire`] removes it.
pub trait DocumentStore {
    /// Stores a file under a name. The same bytes under the same name change nothing; other bytes are
    /// a [`StoreError::Conflict`](crate::StoreError::Conflict).
    fn attach(
        &self,
        principal: &Principal,
        attachment: NewAttachment,
    ) -> StoreFuture<AttachOutcome>;

    /// An attachment.
    fn attachment(
        &self,
        principal: &Principal,
        id: &AttachmentId,
        now: Timestamp,
    ) -> StoreFuture<Option<Attachment>>;

    /// The principal's attachments, the newest first.
    fn attachments(
        &self,
        principal: &Principal,
        slice: &PageRequest,
        now: Timestamp,
    ) -> StoreFuture<Listing<Attachment>>;

    /// The principal's attachments that are called this: by their file name, their title or the address that they
    /// were fetched from. The newest first, 10 at most.
    fn attachments_named(
        &self,
        principal: &Principal,
        name: &str,
        now: Timestamp,
    ) -> StoreFuture<Vec<Attachment>>;

    /// Says anew from when on an attachment is gone; `None` if it is gone already.
    fn extend(
        &self,
        principal: &Principal,
        id: &AttachmentId,
        expires: Option<Timestamp>,
        now: Timestamp,
    ) -> StoreFuture<Option<Attachment>>;

    /// Removes an attachment, and its document with the last one. Says whether there was one.
    fn detach(&self, principal: &Principal, id: &AttachmentId) -> StoreFuture<bool>;

    /// Removes some of the attachments that have expired, and says how many.
    fn expire(&self, now: Timestamp) -> StoreFuture<usize>;

    /// A document that the principal has attached.
    fn document(
        &self,
        principal: &Principal,
        id: ContentId,
        now: Timestamp,
    ) -> StoreFuture<Option<StoredDocument>>;

    /// Writes down what reading a document has told. Says whether the document is still there.
    fn describe_document(
        &self,
        id: ContentId,
        description: DocumentDescription,
    ) -> StoreFuture<bool>;

    /// Keeps something derived from a document, in place of what had that name before. Says whether
    /// the document is still there.
    fn store_part(&self, id: ContentId, name: &str, bytes: Bytes) -> StoreFuture<bool>;

    /// A part of a document that the principal has attached. The file itself is the part `original`.
    fn part(
        &self,
        principal: &Principal,
        id: ContentId,
        name: &str,
        now: Timestamp,
    ) -> StoreFuture<Option<Bytes>>;
}

/// How many attachments of one name are listed.
pub(crate) const CALLED_LISTED: usize = 10;

/// The part of a document that is its file.
pub const ORIGINAL: &str = "original";

pub(crate) fn check_part_name(name: &str) -> Result<()> {
    match crate::ids::any_id(name) {
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
