//! Corrections that follow from conflicts between the sources of a record.

use attribution::{AttributionRecord, Correction, CorrectionStatus, CreditSource, reliability};

/// Returns a correction for each conflict in which one value has clearly more support than the one in the record.
pub fn suggest_corrections(record: &AttributionRecord) -> Vec<Correction> {
    let mut suggestions = Vec::new();
    for conflict in &record.conflicts {
        if record.reviewed_fields.contains(&conflict.field) {
            continue;
        }
        let of_role =
            |credit: &&attribution::Credit| credit.role.as_str().to_lowercase() == conflict.field;
        let credits: Vec<&attribution::Credit> = record.credits.iter().filter(of_role).collect();
        let best = credits
            .iter()
            .max_by(|a, b| a.confidence.total_cmp(&b.confidence));
        let worst = credits
            .iter()
            .min_by(|a, b| a.confidence.total_cmp(&b.confidence));
        let (Some(best), Some(worst)) = (best, worst) else {
            continue;
        };
        if best.entity_id == worst.entity_id || best.confidence - worst.confidence < 0.1 {
            continue;
        }
        let sources: Vec<&str> = best.sources.iter().map(|source| source.label()).collect();
        let against: Vec<&str> = worst.sources.iter().map(|source| source.label()).collect();
        let weight: f64 = best
            .sources
            .iter()
            .map(|source: &CreditSource| reliability(*source))
            .fold(0.0, f64::max);
        suggestions.push(Correction {
            correction_id: String::new(),
            field: conflict.field.clone(),
            current_value: worst.entity_name.clone(),
            corrected_value: best.entity_name.clone(),
            entity_id: Some(best.entity_id.clone()),
            confidence_in_correction: (best.confidence * weight).clamp(0.0, 1.0),
            evidence: Some(format!(
                "{} against {}",
                sources.join(", "),
                against.join(", ")
            )),
            status: CorrectionStatus::Pending,
            feedback_id: String::new(),
            reviewer_role: None,
            replaced: Vec::new(),
        });
    }
    suggestions
}
