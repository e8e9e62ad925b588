//! Resolved entities and attributions.

use std::collections::BTreeMap;

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use super::record::EntityIdentifiers;
use super::words::{
    AssuranceLevel, ConflictSeverity, CreditRole, CreditSource, EntityType, ProvenanceEventType,
    ResolutionMethod,
};

/// Record that an entity was made from.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, JsonSchema)]
pub struct RecordReference {
    /// Id of the record.
    pub record_id: String,
    /// Source.
    pub source: CreditSource,
    /// Id at the source.
    pub source_id: String,
    /// Agreement of the record with the others, from 0 to 1.
    pub agreement_score: f64,
    /// Reasons for which the record was merged.
    #[serde(default)]
    pub reasons: Vec<String>,
}

/// Entity that one or more records describe.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, JsonSchema)]
pub struct ResolvedEntity {
    /// Version of the data model.
    pub schema_version: String,
    /// Id.
    pub entity_id: String,
    /// Type.
    pub entity_type: EntityType,
    /// Name or title.
    pub canonical_name: String,
    /// Other names.
    pub alternative_names: Vec<String>,
    /// Identifiers.
    pub identifiers: EntityIdentifiers,
    /// Records.
    pub source_records: Vec<RecordReference>,
    /// Method by which the records were merged.
    pub resolution_method: ResolutionMethod,
    /// Confidence of the merge, from 0 to 1.
    pub resolution_confidence: f64,
    /// Level of assurance.
    pub assurance_level: AssuranceLevel,
    /// Conflicts between the records.
    pub conflicts: Vec<CreditConflict>,
    /// True if a person should look at the merge.
    pub needs_review: bool,
    /// Reason for a review.
    pub review_reason: Option<String>,
    /// Ids of entities that became part of this one.
    pub merged_from: Vec<String>,
    /// Time of resolution (RFC 3339).
    pub resolved_at: String,
}

/// Credit of a person or group.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, JsonSchema)]
pub struct Credit {
    /// Person or group.
    pub entity_id: String,
    /// Name.
    pub entity_name: String,
    /// Role.
    pub role: CreditRole,
    /// Role as a source writes it.
    pub role_detail: Option<String>,
    /// Confidence from 0 to 1.
    pub confidence: f64,
    /// Sources that assert the credit.
    pub sources: Vec<CreditSource>,
    /// Sources that contradict the credit: they name others for the role.
    #[serde(default)]
    pub contradicted_by: Vec<CreditSource>,
    /// Level of assurance.
    pub assurance_level: AssuranceLevel,
    /// Names under which the sources credit the entity.
    #[serde(default)]
    pub credited_as: Vec<String>,
    /// Terms of the confidence, in the order in which they were applied.
    #[serde(default)]
    pub terms: Vec<ConfidenceTerm>,
}

/// Term of a confidence: what changed it, and by how much.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, JsonSchema)]
pub struct ConfidenceTerm {
    /// Description.
    pub label: String,
    /// Change of the confidence.
    pub change: f64,
    /// Confidence afterwards.
    pub confidence: f64,
}

/// Conflict between sources about a field.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, JsonSchema)]
pub struct CreditConflict {
    /// Field: a role such as `producer`, or `work_title`.
    pub field: String,
    /// Values by source.
    pub values: BTreeMap<String, String>,
    /// Severity.
    pub severity: ConflictSeverity,
}

/// Prediction sets of roles with their calibration.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, JsonSchema)]
pub struct ConformalSet {
    /// Coverage that was asked for.
    pub coverage_level: f64,
    /// Roles that cannot be excluded, by entity id.
    pub prediction_sets: BTreeMap<String, Vec<CreditRole>>,
    /// Sizes of the sets.
    pub set_sizes: BTreeMap<String, usize>,
    /// Coverage measured on labels that were held out.
    pub marginal_coverage: f64,
    /// Expected calibration error.
    pub calibration_error: f64,
    /// Method.
    pub calibration_method: String,
    /// Number of labels.
    pub calibration_set_size: usize,
}

/// Contribution of a source.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, JsonSchema)]
pub struct SourceContribution {
    /// Source.
    pub source: CreditSource,
    /// Mean confidence of its records.
    pub confidence: f64,
    /// Reliability weight.
    pub weight: f64,
    /// Number of its records.
    pub record_count: usize,
    /// True if people wrote it for this purpose.
    pub is_human: bool,
}

/// Summary of the uncertainty.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, JsonSchema)]
pub struct UncertaintySummary {
    /// Contributions of the sources.
    pub source_contributions: Vec<SourceContribution>,
    /// One minus the confidence.
    pub total_uncertainty: f64,
    /// Cause of most of the uncertainty.
    pub dominant_uncertainty_source: Option<String>,
}

/// Details of a provenance event.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(tag = "type", rename_all = "snake_case")]
pub enum ProvenanceDetails {
    /// Records were imported.
    Fetch {
        /// Source.
        source: CreditSource,
        /// Id at the source.
        source_id: String,
        /// Number of records.
        records_fetched: usize,
        /// True if the source slowed the import down.
        rate_limited: bool,
    },
    /// Records were merged.
    Resolve {
        /// Method.
        method: ResolutionMethod,
        /// Number of records.
        records_input: usize,
        /// Number of entities.
        entities_output: usize,
        /// Lowest and highest confidence.
        confidence_range: (f64, f64),
        /// Reasons.
        reasons: Vec<String>,
    },
    /// The confidence was computed.
    Score {
        /// Confidence before.
        previous_confidence: Option<f64>,
        /// Confidence after.
        new_confidence: f64,
        /// Method.
        scoring_method: String,
    },
    /// A reviewer decided.
    Review {
        /// Reviewer.
        reviewer_id: String,
        /// Feedback.
        feedback_card_id: String,
        /// Number of corrections that were applied.
        corrections_applied: usize,
    },
    /// The record changed.
    Update {
        /// Version before.
        previous_version: u64,
        /// Version after.
        new_version: u64,
        /// Names of the fields that changed.
        fields_changed: Vec<String>,
        /// Cause.
        trigger: String,
    },
    /// Feedback arrived.
    Feedback {
        /// Feedback.
        feedback_card_id: String,
        /// Assessment of the record as a whole.
        overall_assessment: f64,
        /// Number of corrections.
        corrections_count: usize,
        /// True if corrections were accepted.
        accepted: bool,
    },
}

/// Event in the history of an attribution.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, JsonSchema)]
pub struct ProvenanceEvent {
    /// Type.
    pub event_type: ProvenanceEventType,
    /// Time (RFC 3339).
    pub timestamp: String,
    /// Program or person that caused it.
    pub agent: String,
    /// Details.
    pub details: ProvenanceDetails,
    /// Feedback that caused it.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub feedback_card_id: Option<String>,
    /// Number of the source in citations, from 1.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub citation_index: Option<u32>,
}

impl ProvenanceEvent {
    /// Creates an event. Its type follows from the details.
    pub fn new(timestamp: &str, agent: &str, details: ProvenanceDetails) -> Self {
        Self {
            event_type: match &details {
                ProvenanceDetails::Fetch { .. } => ProvenanceEventType::Fetch,
                ProvenanceDetails::Resolve { .. } => ProvenanceEventType::Resolve,
                ProvenanceDetails::Score { .. } => ProvenanceEventType::Score,
                ProvenanceDetails::Review { .. } => ProvenanceEventType::Review,
                ProvenanceDetails::Update { .. } => ProvenanceEventType::Update,
                ProvenanceDetails::Feedback { .. } => ProvenanceEventType::Feedback,
            },
            timestamp: timestamp.to_owned(),
            agent: agent.to_owned(),
            details,
            feedback_card_id: None,
            citation_index: None,
        }
    }
}

/// Attribution of a recording: its credits with their confidence, and its history.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, JsonSchema)]
pub struct AttributionRecord {
    /// Version of the data model.
    pub schema_version: String,
    /// Id.
    pub attribution_id: String,
    /// Recording or work that it is about.
    pub work_entity_id: String,
    /// Title.
    pub work_title: String,
    /// Main artists.
    pub artist_name: String,
    /// Credits.
    pub credits: Vec<Credit>,
    /// Level of assurance: the lowest of the credits.
    pub assurance_level: AssuranceLevel,
    /// Confidence from 0 to 1: the mean of the credits.
    pub confidence_score: f64,
    /// Prediction sets.
    pub conformal_set: ConformalSet,
    /// Agreement of the sources from 0 to 1.
    pub source_agreement: f64,
    /// Conflicts between sources.
    #[serde(default)]
    pub conflicts: Vec<CreditConflict>,
    /// History.
    pub provenance_chain: Vec<ProvenanceEvent>,
    /// Uncertainty.
    pub uncertainty_summary: Option<UncertaintySummary>,
    /// True if a person should look at it.
    pub needs_review: bool,
    /// Priority of a review, from 0 to 1.
    pub review_priority: f64,
    /// Time of creation (RFC 3339).
    pub created_at: String,
    /// Time of the last change (RFC 3339).
    pub updated_at: String,
    /// Version, from 1.
    pub version: u64,
    /// Title, artist and credits that a reviewer has confirmed or corrected; the sources do not change them.
    #[serde(default)]
    pub reviewed_fields: Vec<String>,
    /// Corrections of all feedback, with their states.
    #[serde(default)]
    pub corrections: Vec<super::feedback::Correction>,
    /// Records that it was made from.
    #[serde(default)]
    pub source_records: Vec<RecordReference>,
}
