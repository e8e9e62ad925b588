//! The catalogue of music credits as the agent sees it.

use std::pin::Pin;

use ::attribution::{AttributionRecord, Correction, EvidenceType, ReviewerRole};

/// Failure of the catalogue. The message says what to do.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[error("{0}")]
pub struct CreditError(pub String);

/// Future of a request to the catalogue.
pub type CreditFuture<'a, T> = Pin<Box<dyn Future<Output = Result<T, CreditError>> + Send + 'a>>;

/// Feedback that the agent submits for a reviewer.
#[derive(Debug, Clone, PartialEq)]
pub struct FeedbackInput {
    /// Role of the reviewer.
    pub reviewer_role: ReviewerRole,
    /// Version that the reviewer saw.
    pub attribution_version: Option<u64>,
    /// Proposed changes.
    pub corrections: Vec<Correction>,
    /// Assessment of the record as a whole, from 0 to 1.
    pub overall_assessment: f64,
    /// Notes.
    pub free_text: Option<String>,
    /// Kind of evidence.
    pub evidence_type: EvidenceType,
}

/// Feedback that was stored.
#[derive(Debug, Clone, PartialEq)]
pub struct SubmittedFeedback {
    /// Feedback id.
    pub feedback_id: String,
    /// True for an assessment in the middle, which says little.
    pub center_bias_flag: bool,
    /// Record afterwards.
    pub record: AttributionRecord,
}

/// Catalogue of a principal.
pub trait CreditCatalogue: Send + Sync {
    /// Returns an attribution by its id or by that of its work.
    fn attribution<'a>(&'a self, id: &'a str) -> CreditFuture<'a, AttributionRecord>;

    /// Searches works, the best first.
    fn search<'a>(
        &'a self,
        query: &'a str,
        limit: usize,
    ) -> CreditFuture<'a, Vec<AttributionRecord>>;

    /// Stores feedback.
    fn submit<'a>(
        &'a self,
        id: &'a str,
        feedback: FeedbackInput,
    ) -> CreditFuture<'a, SubmittedFeedback>;

    /// Accepts all pending corrections of a record.
    fn accept_pending<'a>(&'a self, id: &'a str) -> CreditFuture<'a, AttributionRecord>;

    /// Takes the last accepted correction of a record back.
    fn undo_last<'a>(&'a self, id: &'a str) -> CreditFuture<'a, AttributionRecord>;

    /// Returns the number of works that need a review, and the most urgent ones.
    fn review_queue(&self, limit: usize) -> CreditFuture<'_, (usize, Vec<AttributionRecord>)>;
}
