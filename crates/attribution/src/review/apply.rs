//! Application and undo of corrections. Each is a new version of the record.

use crate::ids::derived_id;
use crate::model::{
    AssuranceLevel, AttributionRecord, ConfidenceTerm, Correction, CorrectionStatus, Credit,
    CreditRole, CreditSource, ProvenanceDetails, ProvenanceEvent, ReviewerRole,
};
use crate::score::{Calibration, reliability};

use super::correction_field::{
    CorrectionError, CorrectionField, is_same_name, is_unknown, validate_correction,
};

/// Decision of a reviewer.
#[derive(Debug, Clone, PartialEq)]
pub struct ReviewDecision {
    /// Reviewer.
    pub reviewer_id: String,
    /// Role of the reviewer.
    pub reviewer_role: ReviewerRole,
    /// Feedback that the decision belongs to.
    pub feedback_id: String,
    /// Time (RFC 3339).
    pub at: String,
}

/// Returns the reliability of a reviewer. The people who made a recording know it best.
fn reviewer_reliability(role: ReviewerRole) -> f64 {
    match role {
        ReviewerRole::Artist | ReviewerRole::Producer => 0.97,
        ReviewerRole::Manager => 0.92,
        ReviewerRole::Musicologist => 0.90,
        ReviewerRole::Fan => 0.60,
    }
}

fn find_correction<'r>(
    record: &'r mut AttributionRecord,
    id: &str,
    status: CorrectionStatus,
    word: &'static str,
) -> Result<&'r mut Correction, CorrectionError> {
    record
        .corrections
        .iter_mut()
        .find(|correction| correction.correction_id == id && correction.status == status)
        .ok_or_else(|| CorrectionError::NoSuchCorrection(id.to_owned(), word))
}

/// Accepts a pending correction: changes the field, rescores, and adds the events of a new version.
pub fn accept_correction(
    record: &mut AttributionRecord,
    correction_id: &str,
    decision: &ReviewDecision,
    calibration: &Calibration,
) -> Result<(), CorrectionError> {
    let correction =
        find_correction(record, correction_id, CorrectionStatus::Pending, "pending")?.clone();
    let (field, current) = validate_correction(
        record,
        &correction.field,
        &correction.current_value,
        &correction.corrected_value,
    )?;
    let replaced = change_field(record, field, &current, &correction, decision.reviewer_role);
    let stored = find_correction(record, correction_id, CorrectionStatus::Pending, "pending")?;
    stored.status = CorrectionStatus::Accepted;
    stored.replaced = replaced;
    stored.reviewer_role = Some(decision.reviewer_role);
    finish(
        record,
        &field.name(),
        "correction accepted",
        1,
        decision,
        calibration,
    );
    Ok(())
}

/// Rejects a pending correction. The credits stay as they are; the decision is part of the history.
pub fn reject_correction(
    record: &mut AttributionRecord,
    correction_id: &str,
    decision: &ReviewDecision,
    calibration: &Calibration,
) -> Result<(), CorrectionError> {
    find_correction(record, correction_id, CorrectionStatus::Pending, "pending")?.status =
        CorrectionStatus::Rejected;
    finish(
        record,
        "corrections",
        "correction rejected",
        0,
        decision,
        calibration,
    );
    Ok(())
}

/// Takes an accepted correction back.
pub fn undo_correction(
    record: &mut AttributionRecord,
    correction_id: &str,
    decision: &ReviewDecision,
    calibration: &Calibration,
) -> Result<(), CorrectionError> {
    let correction = find_correction(
        record,
        correction_id,
        CorrectionStatus::Accepted,
        "accepted",
    )?;
    correction.status = CorrectionStatus::Undone;
    let correction = correction.clone();
    let field = CorrectionField::from_name(&correction.field)
        .ok_or_else(|| CorrectionError::UnknownField(correction.field.clone()))?;
    match field {
        CorrectionField::Title => record.work_title.clone_from(&correction.current_value),
        CorrectionField::Artist => record.artist_name.clone_from(&correction.current_value),
        CorrectionField::Role(role) => {
            record.credits.retain(|credit| credit.role != role);
            record.credits.extend(correction.replaced);
        }
    }
    finish(
        record,
        &field.name(),
        "correction undone",
        0,
        decision,
        calibration,
    );
    Ok(())
}

/// Confirms all credits of a record as they are.
pub fn confirm_record(
    record: &mut AttributionRecord,
    decision: &ReviewDecision,
    calibration: &Calibration,
) {
    for credit in &mut record.credits {
        support(credit, decision.reviewer_role, 0.9);
    }
    record.needs_review = false;
    let is_new = !record
        .reviewed_fields
        .iter()
        .any(|field| field == "credits");
    if is_new {
        record.reviewed_fields.push("credits".to_owned());
    }
    finish(
        record,
        "credits",
        "record approved",
        0,
        decision,
        calibration,
    );
    record.needs_review = false;
}

/// Adds the support of a reviewer to a credit.
fn support(credit: &mut Credit, role: ReviewerRole, confidence: f64) {
    let before = credit.confidence;
    credit.confidence = 1.0 - (1.0 - before) * (1.0 - reviewer_reliability(role) * confidence);
    credit.terms.push(ConfidenceTerm {
        label: format!("{} confirms", role.as_str().to_lowercase()),
        change: credit.confidence - before,
        confidence: credit.confidence,
    });
    let is_artist = role == ReviewerRole::Artist;
    if is_artist && !credit.sources.contains(&CreditSource::ArtistInput) {
        credit.sources.push(CreditSource::ArtistInput);
    }
    let others = credit
        .sources
        .iter()
        .any(|source| *source != CreditSource::ArtistInput);
    credit.assurance_level = match (is_artist, others) {
        (true, true) => AssuranceLevel::Level3,
        _ => credit.assurance_level.max(AssuranceLevel::Level1),
    };
}

/// Changes the field of a record. Returns the credits of the role as they were.
fn change_field(
    record: &mut AttributionRecord,
    field: CorrectionField,
    current: &str,
    correction: &Correction,
    reviewer: ReviewerRole,
) -> Vec<Credit> {
    let role = match field {
        CorrectionField::Title => {
            record.work_title = correction.corrected_value.trim().to_owned();
            return Vec::new();
        }
        CorrectionField::Artist => {
            record.artist_name = correction.corrected_value.trim().to_owned();
            return Vec::new();
        }
        CorrectionField::Role(role) => role,
    };
    let replaced: Vec<Credit> = record
        .credits
        .iter()
        .filter(|credit| credit.role == role)
        .cloned()
        .collect();
    let suggested = correction.corrected_value.trim();
    let is_known = replaced
        .iter()
        .any(|credit| is_same_name(&credit.entity_name, suggested));
    if !(is_known && is_same_name(current, suggested)) {
        record
            .credits
            .retain(|credit| credit.role != role || credit.entity_name != current);
    }
    if is_unknown(suggested) {
        return replaced;
    }
    if let Some(credit) = record
        .credits
        .iter_mut()
        .find(|credit| credit.role == role && is_same_name(&credit.entity_name, suggested))
    {
        credit.entity_name = suggested.to_owned();
        support(credit, reviewer, correction.confidence_in_correction);
        return replaced;
    }
    let credit = new_credit(record, &replaced, role, current, correction, reviewer);
    record.credits.push(credit);
    replaced
}

/// Returns the credit of a person whom no source names for the role.
fn new_credit(
    record: &AttributionRecord,
    replaced: &[Credit],
    role: CreditRole,
    current: &str,
    correction: &Correction,
    reviewer: ReviewerRole,
) -> Credit {
    let suggested = correction.corrected_value.trim();
    // Someone who has another role on the record keeps the id.
    let known = record
        .credits
        .iter()
        .find(|credit| is_same_name(&credit.entity_name, suggested));
    let entity_id = known
        .map(|credit| credit.entity_id.clone())
        .or_else(|| {
            correction
                .entity_id
                .clone()
                .filter(|id| replaced.iter().all(|credit| credit.entity_id != *id))
        })
        .unwrap_or_else(|| {
            derived_id(&format!(
                "person\n{}@{}",
                suggested.to_lowercase(),
                record.artist_name.to_lowercase()
            ))
        });
    let contradicted_by: Vec<CreditSource> = replaced
        .iter()
        .filter(|credit| credit.entity_name == current)
        .flat_map(|credit| credit.sources.clone())
        .collect();
    let mut credit = Credit {
        entity_id,
        entity_name: suggested.to_owned(),
        role,
        role_detail: None,
        confidence: 0.0,
        sources: Vec::new(),
        contradicted_by: contradicted_by.clone(),
        assurance_level: AssuranceLevel::Level0,
        credited_as: vec![suggested.to_owned()],
        terms: Vec::new(),
    };
    support(&mut credit, reviewer, correction.confidence_in_correction);
    for source in contradicted_by {
        let before = credit.confidence;
        credit.confidence *= 1.0 - 0.2 * reliability(source);
        credit.terms.push(ConfidenceTerm {
            label: format!("{} names others", source.label()),
            change: credit.confidence - before,
            confidence: credit.confidence,
        });
    }
    credit
}

/// Applies the accepted corrections to a record that was computed anew from its sources.
pub(crate) fn reapply_corrections(record: &mut AttributionRecord) {
    let accepted: Vec<Correction> = record
        .corrections
        .iter()
        .filter(|correction| correction.status == CorrectionStatus::Accepted)
        .cloned()
        .collect();
    for correction in accepted {
        let reviewer = correction
            .reviewer_role
            .unwrap_or(ReviewerRole::Musicologist);
        let field = CorrectionField::from_name(&correction.field);
        if let Some(field) = field {
            change_field(
                record,
                field,
                &correction.current_value,
                &correction,
                reviewer,
            );
        }
    }
    rescore(record);
}

/// Computes what follows from the credits.
fn rescore(record: &mut AttributionRecord) {
    let count = record.credits.len().max(1) as f64;
    record.confidence_score = record
        .credits
        .iter()
        .map(|credit| credit.confidence)
        .sum::<f64>()
        / count;
    let lowest = record
        .credits
        .iter()
        .map(|credit| credit.assurance_level)
        .min();
    record.assurance_level = lowest.unwrap_or(AssuranceLevel::Level0);
    record.needs_review = record.confidence_score < 0.5;
}

fn finish(
    record: &mut AttributionRecord,
    field: &str,
    trigger: &str,
    applied: usize,
    decision: &ReviewDecision,
    calibration: &Calibration,
) {
    let before = record.confidence_score;
    rescore(record);
    record.conformal_set = calibration.sets(&record.credits);
    if !record.reviewed_fields.iter().any(|known| known == field) && applied > 0 {
        record.reviewed_fields.push(field.to_owned());
    }
    // A decided conflict is no reason for another review.
    record
        .conflicts
        .retain(|conflict| applied == 0 || conflict.field != field);
    let mut events = vec![
        ProvenanceDetails::Review {
            reviewer_id: decision.reviewer_id.clone(),
            feedback_card_id: decision.feedback_id.clone(),
            corrections_applied: applied,
        },
        ProvenanceDetails::Update {
            previous_version: record.version,
            new_version: record.version + 1,
            fields_changed: vec![field.to_owned()],
            trigger: trigger.to_owned(),
        },
    ];
    if (before - record.confidence_score).abs() > 1e-9 {
        events.push(ProvenanceDetails::Score {
            previous_confidence: Some(before),
            new_confidence: record.confidence_score,
            scoring_method: "noisy_or_with_contradictions".to_owned(),
        });
    }
    for details in events {
        let mut event = ProvenanceEvent::new(&decision.at, &decision.reviewer_id, details);
        event.feedback_card_id = Some(decision.feedback_id.clone());
        record.provenance_chain.push(event);
    }
    record.version += 1;
    record.updated_at.clone_from(&decision.at);
}
