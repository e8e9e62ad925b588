//! Priority of a review, from five factors.

use schemars::JsonSchema;
use serde::Serialize;

use crate::model::{AttributionRecord, ProvenanceEventType};

/// Factors of the priority, each from 0 to 1, and their weighted sum.
#[derive(Debug, Clone, PartialEq, Serialize, JsonSchema)]
pub struct PriorityFactors {
    /// Low confidence, weight 0.30. A confidence below one half counts in full: a record that is certainly wrong needs
    /// a review more than a doubtful one.
    pub uncertainty: f64,
    /// Disagreement of the sources, weight 0.25.
    pub disagreement: f64,
    /// Size of the prediction sets beyond one role per person, weight 0.15.
    pub ambiguity: f64,
    /// No review so far, weight 0.15; each review takes a quarter off.
    pub never_reviewed: f64,
    /// Days since the last change, in full after 30 days, weight 0.15.
    pub age: f64,
    /// Weighted sum.
    pub priority: f64,
}

/// Returns the factors of the priority at a time.
pub fn priority_factors(record: &AttributionRecord, now: jiff::Timestamp) -> PriorityFactors {
    let reviews = record
        .provenance_chain
        .iter()
        .filter(|event| event.event_type == ProvenanceEventType::Review);
    let reviews = reviews.count();
    let people = record.conformal_set.set_sizes.len();
    let surplus: usize = record
        .conformal_set
        .set_sizes
        .values()
        .sum::<usize>()
        .saturating_sub(people);
    let days = record
        .updated_at
        .parse::<jiff::Timestamp>()
        .map_or(0.0, |updated| {
            (now.as_second() - updated.as_second()).max(0) as f64 / 86_400.0
        });
    let uncertainty = (2.0 * (1.0 - record.confidence_score)).clamp(0.0, 1.0);
    let disagreement = (1.0 - record.source_agreement).clamp(0.0, 1.0);
    let ambiguity = (surplus as f64 / 5.0).min(1.0);
    let never_reviewed = (1.0 - 0.25 * reviews as f64).max(0.0);
    let age = (days / 30.0).min(1.0);
    let priority = 0.30 * uncertainty
        + 0.25 * disagreement
        + 0.15 * ambiguity
        + 0.15 * never_reviewed
        + 0.15 * age;
    PriorityFactors {
        uncertainty,
        disagreement,
        ambiguity,
        never_reviewed,
        age,
        priority: priority.clamp(0.0, 1.0),
    }
}
