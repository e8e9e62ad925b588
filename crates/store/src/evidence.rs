//! Verifications of citations, and people's reviews of them.

use bytes::Bytes;
use documents::ContentId;

use crate::error::{Result, StoreError};
use crate::future::StoreFuture;
use crate::ids::{self, Principal, ThreadId, Timestamp};
use crate::paging::{Listing, PageRequest};

/// Verification of a citation, the content of an evidence page.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct StoredVerification {
    /// Id of its evidence page: the key of the citation, and a suffix if others have the same key.
    pub id: String,
    /// Key of the citation.
    pub key: String,
    /// Thread that cites; the verification is deleted with it. `None` if it was made outside of threads.
    pub thread: Option<ThreadId>,
    /// Id of the message that cites.
    pub message: Option<String>,
    /// Document that was searched.
    pub document: Option<ContentId>,
    /// Citation as JSON.
    pub citation: Bytes,
    /// Verification as JSON.
    pub verification: Bytes,
    /// Time.
    pub created: Timestamp,
}

/// Action of a person on a citation.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub enum ReviewAction {
    /// Opened the citation.
    Opened,
    /// Closed the citation.
    Closed,
    /// Accepted the verdict.
    Accepted,
    /// Disputed the verdict.
    Disputed,
}

impl ReviewAction {
    /// Returns the word used in JSON.
    pub fn as_str(self) -> &'static str {
        match self {
            Self::Opened => "opened",
            Self::Closed => "closed",
            Self::Accepted => "accepted",
            Self::Disputed => "disputed",
        }
    }

    /// Parses the word used in JSON.
    pub fn parse(word: &str) -> Option<Self> {
        [Self::Opened, Self::Closed, Self::Accepted, Self::Disputed]
            .into_iter()
            .find(|action| action.as_str() == word)
    }
}

/// Step of a person's review of a citation.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct CitationReview {
    /// Key of the citation.
    pub key: String,
    /// Action.
    pub action: ReviewAction,
    /// Time.
    pub at: Timestamp,
    /// Note of the person.
    pub note: Option<String>,
}

/// Verifications and reviews.
pub trait EvidenceStore {
    /// Stores verifications. Of several with one id the last one is shown, as long as its thread exists.
    ///
    /// Verifications that events link to are stored with the events:
    /// [`LogBatch::with_verifications`](crate::LogBatch::with_verifications).
    fn store_verifications(
        &self,
        principal: &Principal,
        verifications: Vec<StoredVerification>,
    ) -> StoreFuture<()>;

    /// Returns a verification of the principal.
    fn verification(
        &self,
        principal: &Principal,
        id: &str,
    ) -> StoreFuture<Option<StoredVerification>>;

    /// Returns a verification of any principal, for a client that holds a signed link to it.
    fn linked_verification(&self, id: &str)
    -> StoreFuture<Option<(Principal, StoredVerification)>>;

    /// Returns the verifications of a citation: latest first, at most 100.
    fn verifications(
        &self,
        principal: &Principal,
        key: &str,
    ) -> StoreFuture<Vec<StoredVerification>>;

    /// Returns the verifications that searched a document: latest first, at most 1,000.
    fn verifications_in(
        &self,
        principal: &Principal,
        document: ContentId,
    ) -> StoreFuture<Vec<StoredVerification>>;

    /// Returns the threads of the last 1,000 verifications of a citation.
    fn citing_threads(&self, principal: &Principal, key: &str) -> StoreFuture<Vec<ThreadId>>;

    /// Lists the principal's verifications in the order in which they were stored; for each id the last one.
    fn list_verifications(
        &self,
        principal: &Principal,
        page: &PageRequest,
    ) -> StoreFuture<Listing<StoredVerification>>;

    /// Lists the principal's reviews in order.
    fn list_reviews(
        &self,
        principal: &Principal,
        page: &PageRequest,
    ) -> StoreFuture<Listing<CitationReview>>;

    /// Stores a step of a review.
    fn review(&self, principal: &Principal, review: CitationReview) -> StoreFuture<()>;

    /// Returns the steps of the review of a citation: latest first, at most 1,000.
    fn reviews(&self, principal: &Principal, key: &str) -> StoreFuture<Vec<CitationReview>>;
}

/// Largest number of verifications that are returned for one citation.
pub(crate) const MAX_VERIFICATIONS: usize = 100;
/// Largest number of verifications that are returned for one document.
pub(crate) const MAX_IN_DOCUMENT: usize = 1_000;
/// Number of verifications of one citation whose threads are returned.
pub(crate) const MAX_CITING: usize = 1_000;
/// Largest number of steps that are returned for one review.
pub(crate) const MAX_REVIEWS: usize = 1_000;

impl StoredVerification {
    pub(crate) fn check(&self) -> Result<()> {
        ids::check_id("the verification's id", &self.id)?;
        ids::check_id("the citation's key", &self.key)?;
        if !self.id.starts_with(&self.key) {
            return Err(StoreError::invalid(
                "the verification's id",
                "it does not begin with the citation's key",
            ));
        }
        Ok(())
    }
}

impl CitationReview {
    pub(crate) fn check(&self) -> Result<()> {
        ids::check_id("the citation's key", &self.key)?;
        ids::check_text("the note", self.note.as_deref().unwrap_or_default())
    }
}
