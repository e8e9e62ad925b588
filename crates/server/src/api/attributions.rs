//! Music credits: works, feedback, reviews and permissions. Names are snake_case, as in the data model of credits.

use attribution::{
    AssuranceLevel, AttributionRecord, Correction, EvidenceType, FeedbackCard, PriorityFactors,
    ProvenanceEvent, ReviewerRole, UncertaintySummary,
};
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

/// Part of the works. Filters apply before paging.
#[derive(Debug, Default, Deserialize, JsonSchema)]
pub(crate) struct AttributionListQuery {
    /// Maximum number of works; 50 if absent.
    #[schemars(range(min = 1, max = 100))]
    pub(crate) limit: Option<usize>,
    /// Number of works to skip.
    pub(crate) offset: Option<usize>,
    /// Works that need a review, or that do not.
    pub(crate) needs_review: Option<bool>,
    /// Works of this level: `LEVEL_0` to `LEVEL_3`, or `A0` to `A3`.
    pub(crate) assurance_level: Option<String>,
    /// Order; `confidence` if absent.
    #[schemars(extend("enum" = ["confidence", "title", "updated", "priority"]))]
    pub(crate) sort: Option<String>,
    /// Direction; `desc` if absent, `asc` for titles.
    #[schemars(extend("enum" = ["asc", "desc"]))]
    pub(crate) order: Option<String>,
}

/// Search over works.
#[derive(Debug, Deserialize, JsonSchema)]
pub(crate) struct AttributionSearchQuery {
    /// Words of a title, an artist or a name; up to 500 characters.
    #[serde(default)]
    pub(crate) q: String,
    /// Maximum number of works; 20 if absent.
    #[schemars(range(min = 1, max = 100))]
    pub(crate) limit: Option<usize>,
}

/// Position and size of a page.
#[derive(Debug, Default, Deserialize, JsonSchema)]
pub(crate) struct OffsetQuery {
    /// Maximum number of items; 50 if absent.
    #[schemars(range(min = 1, max = 100))]
    pub(crate) limit: Option<usize>,
    /// Number of items to skip.
    pub(crate) offset: Option<usize>,
}

/// Work that a search found.
#[derive(Debug, Serialize, JsonSchema)]
pub(crate) struct AttributionHit {
    /// Work.
    pub(crate) attribution: AttributionRecord,
    /// Score of the rank fusion; comparable only within one response.
    pub(crate) rrf_score: f64,
    /// Rank in the list of each method, from 1.
    pub(crate) ranks: std::collections::BTreeMap<String, usize>,
}

/// History of an attribution.
#[derive(Debug, Serialize, JsonSchema)]
pub(crate) struct AttributionHistory {
    /// Attribution id.
    pub(crate) attribution_id: String,
    /// Events, the oldest first.
    pub(crate) provenance_chain: Vec<ProvenanceEvent>,
    /// Uncertainty.
    pub(crate) uncertainty_summary: Option<UncertaintySummary>,
}

/// Feedback of a reviewer.
#[derive(Debug, Deserialize, JsonSchema)]
pub(crate) struct FeedbackRequest {
    /// Reviewer; the sender of the request if absent.
    #[serde(default)]
    pub(crate) reviewer_id: Option<String>,
    /// Role of the reviewer.
    pub(crate) reviewer_role: ReviewerRole,
    /// Version that the reviewer saw; a record that changed since is refused.
    #[serde(default)]
    pub(crate) attribution_version: Option<u64>,
    /// Proposed changes.
    #[serde(default)]
    pub(crate) corrections: Vec<Correction>,
    /// Assessment of the record as a whole, from 0 to 1.
    #[schemars(range(min = 0, max = 1))]
    pub(crate) overall_assessment: f64,
    /// Notes; required without corrections.
    #[serde(default)]
    pub(crate) free_text: Option<String>,
    /// Kind of evidence.
    pub(crate) evidence_type: EvidenceType,
}

/// Feedback that was stored.
#[derive(Debug, Serialize, JsonSchema)]
pub(crate) struct FeedbackResponse {
    /// Feedback.
    pub(crate) feedback: FeedbackCard,
    /// Record with its pending corrections.
    pub(crate) attribution: AttributionRecord,
}

/// Approval of records.
#[derive(Debug, Deserialize, JsonSchema)]
pub(crate) struct ApprovalRequest {
    /// Records with the versions that the reviewer saw.
    pub(crate) items: Vec<ApprovalItem>,
    /// Role of the reviewer.
    pub(crate) reviewer_role: ReviewerRole,
}

/// Record to approve.
#[derive(Debug, Deserialize, JsonSchema)]
pub(crate) struct ApprovalItem {
    /// Attribution id.
    pub(crate) attribution_id: String,
    /// Version that the reviewer saw.
    pub(crate) version: u64,
}

/// Outcome of an approval.
#[derive(Debug, Serialize, JsonSchema)]
pub(crate) struct ApprovalResponse {
    /// Number of approved records.
    pub(crate) approved: usize,
    /// Outcome of each record.
    pub(crate) items: Vec<ApprovedItem>,
}

/// Outcome of one record.
#[derive(Debug, Serialize, JsonSchema)]
pub(crate) struct ApprovedItem {
    /// Attribution id.
    pub(crate) attribution_id: String,
    /// True if the record was approved.
    pub(crate) approved: bool,
    /// New version of an approved record.
    pub(crate) version: Option<u64>,
    /// Reason of a refusal.
    pub(crate) reason: Option<String>,
}

/// Record of the review queue.
#[derive(Debug, Serialize, JsonSchema)]
pub(crate) struct ReviewQueueItem {
    /// Record.
    pub(crate) attribution: AttributionRecord,
    /// Factors of its priority.
    pub(crate) factors: PriorityFactors,
    /// Corrections that follow from conflicts between its sources.
    pub(crate) suggestions: Vec<Correction>,
}

/// Returns the level of a word: `LEVEL_2` or `A2`.
pub(crate) fn assurance_level(word: &str) -> Option<AssuranceLevel> {
    AssuranceLevel::from_word(word).or_else(|| {
        AssuranceLevel::ALL
            .iter()
            .copied()
            .find(|level| level.short_name().eq_ignore_ascii_case(word.trim()))
    })
}
