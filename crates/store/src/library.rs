//! The library: progress of reading and indexing the documents of principals, their labels, and the job queue.

use bytes::Bytes;
use documents::ContentId;

use crate::error::{Result, StoreError};
use crate::future::StoreFuture;
use crate::ids::{self, AttachmentId, Principal, Timestamp};

/// Progress of a principal's document in the library.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub enum LibraryState {
    /// Waits to be read and indexed.
    Queued,
    /// Is being read.
    Reading,
    /// Is being indexed.
    Indexing,
    /// Can be searched, unless a newer version has replaced it.
    Ready,
    /// Cannot be read or indexed.
    Failed,
    /// No longer attached, and no longer in the index.
    Removed,
}

impl LibraryState {
    /// All states, in the order of their codes.
    pub const ALL: [Self; 6] = [
        Self::Queued,
        Self::Reading,
        Self::Indexing,
        Self::Ready,
        Self::Failed,
        Self::Removed,
    ];

    /// Returns the name that clients read.
    pub fn name(self) -> &'static str {
        match self {
            Self::Queued => "queued",
            Self::Reading => "reading",
            Self::Indexing => "indexing",
            Self::Ready => "ready",
            Self::Failed => "failed",
            Self::Removed => "removed",
        }
    }

    /// Returns true if the job queue has nothing more to do.
    pub fn is_final(self) -> bool {
        matches!(self, Self::Ready | Self::Failed | Self::Removed)
    }
}

/// Principal's document in the library.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct LibraryEntry {
    /// Document.
    pub document: ContentId,
    /// Its latest attachment that no newer version has replaced; `None` if it is no longer attached.
    pub attachment: Option<AttachmentId>,
    /// Name of that attachment.
    pub name: String,
    /// Path or address that the attachment came from.
    pub origin: Option<String>,
    /// Time of that attachment.
    pub created: Timestamp,
    /// Title that the principal gave, or that of the document.
    pub title: Option<String>,
    /// Labels, in alphabetical order.
    pub labels: Vec<String>,
    /// True if a newer version of the same file has replaced it in search.
    pub is_superseded: bool,
    /// Number of pages, once it is read.
    pub pages: Option<u32>,
    /// Progress.
    pub state: LibraryState,
    /// Number of pages that were read so far.
    pub pages_done: u32,
    /// Number of attempts to read and index it.
    pub attempts: u32,
    /// Reason of the last failure.
    pub reason: Option<String>,
    /// Hint about the last failure.
    pub hint: Option<String>,
    /// Number of the last change, which orders the changes of a principal's documents.
    pub changed: u64,
}

/// Document to read and index, or to remove from the index if it is no longer attached.
#[derive(Debug, Clone, PartialEq, Eq, Hash)]
pub struct LibraryJob {
    /// Principal.
    pub principal: Principal,
    /// Document.
    pub document: ContentId,
    /// Number of the change that the job follows. A result for an earlier change is ignored.
    pub revision: u64,
    /// Number of attempts, this one included.
    pub attempts: u32,
}

/// Progress or end of a [`LibraryJob`].
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum LibraryJobUpdate {
    /// So many pages were read.
    Reading {
        /// Number of pages.
        pages: u32,
    },
    /// Reading is done; the index is being written.
    Indexing,
    /// The index has the document.
    Indexed {
        /// Number of its chunks.
        chunks: u32,
    },
    /// The index no longer has the document.
    Removed,
    /// The document cannot be read or indexed.
    Failed {
        /// Reason for people.
        reason: String,
        /// Hint for people.
        hint: String,
    },
    /// The attempt failed for a reason that may pass; the job is queued again.
    Retry {
        /// Reason for people.
        reason: String,
        /// Hint for people.
        hint: String,
    },
}

/// Documents that are queued again.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum RequeueScope {
    /// Those that a process left unfinished.
    Unfinished,
    /// All, because the index is made anew.
    All,
}

/// Numbers of documents of all principals by state.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub struct LibraryCounts {
    /// Documents that wait or are in work.
    pub open: u64,
    /// Documents that are done.
    pub ready: u64,
    /// Documents that cannot be read or indexed.
    pub failed: u64,
    /// Chunks of the documents that are done.
    pub chunks: u64,
}

/// Identity of the derived data, by which a process notices that it was made anew.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct DerivedIndex {
    /// Id of the search index that belongs to the store.
    pub id: Option<String>,
    /// Model of the stored vectors and their dimension.
    pub model: Option<(String, u32)>,
}

/// Change of what a principal says about a document. `None` leaves a member as it is.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct DocumentChange {
    /// New title; the inner `None` restores that of the document.
    pub title: Option<Option<String>>,
    /// Labels in place of the present ones.
    pub labels: Option<Vec<String>>,
    /// Labels in addition to the present ones.
    pub added_labels: Vec<String>,
}

/// Documents in the library, their labels, the job queue of the search index, and stored vectors.
///
/// Every change of a principal's attachments queues the document, so the index follows the store. One process works
/// on the queue; all others only read it.
pub trait LibraryStore {
    /// Returns the entries of documents. Documents without an attachment that has not expired are left out.
    fn library_entries(
        &self,
        principal: &Principal,
        documents: &[ContentId],
        now: Timestamp,
    ) -> StoreFuture<Vec<LibraryEntry>>;

    /// Returns the entries that changed after a number, in the order of their changes, at most `limit`. Entries of
    /// removed documents are among them.
    fn library_changes(
        &self,
        principal: &Principal,
        after: u64,
        limit: usize,
        now: Timestamp,
    ) -> StoreFuture<Vec<LibraryEntry>>;

    /// Returns the number of the last change of all libraries.
    fn last_library_change(&self) -> StoreFuture<u64>;

    /// Changes title and labels. Returns false if the principal has no such document.
    fn change_document(
        &self,
        principal: &Principal,
        document: ContentId,
        change: DocumentChange,
    ) -> StoreFuture<bool>;

    /// Returns the labels of a principal's documents with the number of documents, in alphabetical order.
    fn labels(&self, principal: &Principal) -> StoreFuture<Vec<(String, u64)>>;

    /// Takes jobs from the queue: the oldest of each principal in turn.
    fn claim_library_jobs(&self, limit: usize) -> StoreFuture<Vec<LibraryJob>>;

    /// Stores progress and results. Those of documents that changed meanwhile are ignored.
    fn update_library_jobs(&self, updates: Vec<(LibraryJob, LibraryJobUpdate)>) -> StoreFuture<()>;

    /// Queues one document again, also if it is done or failed. Returns false if the principal has no such document.
    fn requeue_document(&self, principal: &Principal, document: ContentId) -> StoreFuture<bool>;

    /// Queues documents again. Returns their number.
    fn requeue_library(&self, scope: RequeueScope) -> StoreFuture<u64>;

    /// Returns the numbers of documents by state.
    fn library_counts(&self) -> StoreFuture<LibraryCounts>;

    /// Returns the identity of the derived data.
    fn derived_index(&self) -> StoreFuture<DerivedIndex>;

    /// Stores the id of the search index; `None` has it made anew.
    fn set_search_index(&self, id: Option<String>) -> StoreFuture<()>;

    /// Stores the model of the vectors and their dimension. Vectors of another model are removed.
    fn set_vector_model(&self, model: Option<(String, u32)>) -> StoreFuture<()>;

    /// Stores vectors by the keys of the texts that they were made from.
    fn store_vectors(&self, vectors: Vec<(u64, Bytes)>) -> StoreFuture<()>;

    /// Removes vectors.
    fn remove_vectors(&self, keys: Vec<u64>) -> StoreFuture<()>;

    /// Returns vectors whose keys come after a key, in the order of their keys, at most `limit`.
    fn vectors(&self, after: Option<u64>, limit: usize) -> StoreFuture<Vec<(u64, Bytes)>>;
}

/// Largest number of labels of a document.
const MAX_LABELS: usize = 64;
/// Longest label in bytes.
const MAX_LABEL_BYTES: usize = 128;

/// Returns labels without duplicates in alphabetical order.
pub(crate) fn normalise_labels(labels: impl IntoIterator<Item = String>) -> Result<Vec<String>> {
    let mut normalised: Vec<String> = Vec::new();
    for label in labels {
        let label = label.trim();
        if label.is_empty() {
            return Err(StoreError::invalid("the label", "it is empty"));
        }
        if label.len() > MAX_LABEL_BYTES {
            return Err(StoreError::invalid(
                "the label",
                "it is longer than 128 bytes",
            ));
        }
        if label.chars().any(char::is_control) {
            return Err(StoreError::invalid(
                "the label",
                "it contains a control character",
            ));
        }
        normalised.push(label.to_owned());
    }
    normalised.sort_unstable();
    normalised.dedup();
    match normalised.len() > MAX_LABELS {
        true => Err(StoreError::invalid("the labels", "there are more than 64")),
        false => Ok(normalised),
    }
}

impl DocumentChange {
    /// Checks the texts.
    pub(crate) fn check(&self) -> Result<()> {
        if let Some(Some(title)) = &self.title {
            ids::check_text("the title", title)?;
        }
        normalise_labels(self.labels.iter().flatten().cloned())?;
        normalise_labels(self.added_labels.iter().cloned())?;
        Ok(())
    }

    /// Returns the labels after the change.
    pub(crate) fn labels_after(&self, present: Vec<String>) -> Result<Vec<String>> {
        let kept = self.labels.clone().unwrap_or(present);
        normalise_labels(kept.into_iter().chain(self.added_labels.iter().cloned()))
    }
}
