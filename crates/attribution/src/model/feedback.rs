//! Feedback of reviewers.

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use super::words::{EvidenceType, ReviewerRole};

/// State of a correction.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "UPPERCASE")]
pub enum CorrectionStatus {
    /// Not decided yet.
    #[default]
    Pending,
    /// Applied to the record.
    Accepted,
    /// Refused.
    Rejected,
    /// Applied, and taken back later.
    Undone,
}

/// Proposed change of one field.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, JsonSchema)]
pub struct Correction {
    /// Id, unique within the record. Assigned by the server.
    #[serde(default)]
    pub correction_id: String,
    /// Field: a role such as `producer`, `work_title` or `artist_name`.
    pub field: String,
    /// Value at the time of the proposal; `Unknown` if there is none.
    pub current_value: String,
    /// Proposed value.
    pub corrected_value: String,
    /// Entity whose credit changes.
    #[serde(default)]
    pub entity_id: Option<String>,
    /// Confidence of the reviewer, from 0 to 1.
    #[serde(default = "default_confidence")]
    pub confidence_in_correction: f64,
    /// Evidence in words, for example a quotation from liner notes.
    #[serde(default)]
    pub evidence: Option<String>,
    /// State.
    #[serde(default)]
    pub status: CorrectionStatus,
    /// Feedback that proposed it. Set by the server.
    #[serde(default)]
    pub feedback_id: String,
    /// Role of the reviewer who proposed it. Set by the server.
    #[serde(default)]
    pub reviewer_role: Option<ReviewerRole>,
    /// Credits of the role before it was accepted, for undo.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub replaced: Vec<super::attribution::Credit>,
}

fn default_confidence() -> f64 {
    0.8
}

/// Feedback of a reviewer on an attribution.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, JsonSchema)]
pub struct FeedbackCard {
    /// Version of the data model.
    pub schema_version: String,
    /// Id.
    pub feedback_id: String,
    /// Attribution that the feedback is about.
    pub attribution_id: String,
    /// Reviewer.
    pub reviewer_id: String,
    /// Role of the reviewer.
    pub reviewer_role: ReviewerRole,
    /// Version of the attribution that the reviewer saw.
    pub attribution_version: u64,
    /// Proposed changes.
    pub corrections: Vec<Correction>,
    /// Assessment of the record as a whole, from 0 to 1.
    pub overall_assessment: f64,
    /// True for an assessment in the middle, from 0.45 to 0.55, which says little.
    pub center_bias_flag: bool,
    /// Notes.
    pub free_text: Option<String>,
    /// Kind of evidence.
    pub evidence_type: EvidenceType,
    /// Time of submission (RFC 3339).
    pub submitted_at: String,
}

/// Returns true for an assessment in the middle, from 0.45 to 0.55.
pub fn is_center_biased(assessment: f64) -> bool {
    (0.45..=0.55).contains(&assessment)
}
