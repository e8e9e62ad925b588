//! What was found out about citations, and what people said about that.

use bytes::Bytes;
use documents::ContentId;

use crate::error::{Result, StoreError};
use crate::future::StoreFuture;
use crate::ids::{self, Principal, ThreadId, Timestamp};
use crate::paging::{Listing, PageRequest};

/// A verification, kept so that it can be shown again.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct StoredVerification {
    /// What its page is called by: the key of the citation, and what tells it from others with that key.
    pub id: String,
    /// The key of the citation.
    pub key: String,
    /// The thread it was made in, which it goes with; made outside of any, it stays.
    pub thread: Option<ThreadId>,
    /// The message that cites.
    pub message: Option<String>,
    /// The document that was looked into.
    pub document: Option<ContentId>,
    /// The citation as JSON.
    pub citation: Bytes,
    /// The verification as JSON.
    pub verification: Bytes,
    /// When.
    pub created: Timestamp,
}

/// What somebody did with a citation.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub enum ReviewAction {
    /// Looked at it.
    Opened,
    /// Looked away.
    Closed,
    /// Agreed.
    Accepted,
    /// Did not agree.
    Disputed,
}

impl ReviewAction {
    /// The word on the wire.
    pub fn as_str(self) -> &'static str {
        match self {
            Self::Opened => "opened",
            Self::Closed => "closed",
            Self::Accepted => "accepted",
            Self::Disputed => "disputed",
        }
    }

    /// Reads the word on the wire.
    pub fn parse(word: &str) -> Option<Self> {
        [Self::Opened, Self::Closed, Self::Accepted, Self::Disputed]
            .into_iter()
            .find(|action| action.as_str() == word)
    }
}

/// A step of somebody's review of a citation.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct CitationReview {
    /// The key of the citation.
    pub key: String,
    /// What was done.
    pub action: ReviewAction,
    /// When.
    pub at: Timestamp,
    /// Why.
    pub note: Option<String>,
}

/// Verifications and reviews.
pub trait EvidenceStore {
    /// Keeps verifications. Of those with one id the one that was kept last counts, as long as its thread is there.
    ///
    /// Those that the events of a run link to are kept with the events: [`Batch`](crate::Batch).
    fn store_verifications(
        &self,
        principal: &Principal,
        verifications: Vec<StoredVerification>,
    ) -> StoreFuture<()>;

    /// A verification.
    fn verification(
        &self,
        principal: &Principal,
        id: &str,
    ) -> StoreFuture<Option<StoredVerification>>;

    /// A verification, whoever's it is: for one who holds a signed link to it.
    fn linked_verification(&self, id: &str)
    -> StoreFuture<Option<(Principal, StoredVerification)>>;

    /// The verifications of a citation, the last first, 100 at most.
    fn verifications(
        &self,
        principal: &Principal,
        key: &str,
    ) -> StoreFuture<Vec<StoredVerification>>;

    /// The threads that a citation was verified in, of the last 1,000 times.
    fn citing_threads(&self, principal: &Principal, key: &str) -> StoreFuture<Vec<ThreadId>>;

    /// All the principal's verifications that count, in the order they were kept, as for an export.
    fn list_verifications(
        &self,
        principal: &Principal,
        slice: &PageRequest,
    ) -> StoreFuture<Listing<StoredVerification>>;

    /// All the principal's reviews in order, as for an export.
    fn list_reviews(
        &self,
        principal: &Principal,
        slice: &PageRequest,
    ) -> StoreFuture<Listing<CitationReview>>;

    /// Writes down a step of a review.
    fn review(&self, principal: &Principal, review: CitationReview) -> StoreFuture<()>;

    /// The steps of the review of a citation, the last first, 1,000 at most.
    fn reviews(&self, principal: &Principal, key: &str) -> StoreFuture<Vec<CitationReview>>;
}

/// How many verifications of one citation are listed.
pub(crate) const VERIFICATIONS_LISTED: usize = 100;
/// From how many times that one citation was verified the threads are listed.
pub(crate) const THREADS_LISTED: usize = 1_000;
/// How many steps of one review are listed.
pub(crate) const REVIEWS_LISTED: usize = 1_000;

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
