//! The four tools, independent of the caller: a model or the rules.

use ::attribution::{
    AttributionRecord, Correction, CorrectionStatus, EvidenceType, ReviewerRole, is_center_biased,
    validate_correction,
};

use super::agent_state::{AttributionAgentState, CorrectionPreview, WorkSummary, rounded};
use super::catalogue::{CreditCatalogue, CreditError, FeedbackInput};

/// Largest number of works of a search.
const MAX_WORKS: usize = 10;
/// Largest number of corrections that wait.
const MAX_PENDING: usize = 50;

fn percent(share: f64) -> String {
    format!("{:.0}%", share * 100.0)
}

/// Explains the confidence of a work by its factors.
pub(super) async fn explain_confidence(
    catalogue: &dyn CreditCatalogue,
    state: &mut AttributionAgentState,
    work_id: &str,
) -> Result<String, CreditError> {
    let record = catalogue.attribution(work_id).await?;
    let text = explanation(&record);
    state.set_work(&record);
    state.explanation_text = Some(text.clone());
    Ok(text)
}

fn explanation(record: &AttributionRecord) -> String {
    let mut sources: Vec<&str> = record
        .credits
        .iter()
        .flat_map(|credit| &credit.sources)
        .map(|source| source.label())
        .collect();
    sources.sort_unstable();
    sources.dedup();
    let agreement = match record.source_agreement {
        share if share >= 0.8 => "High",
        share if share >= 0.5 => "Moderate",
        _ => "Low",
    };
    let mut text = format!(
        "Confidence score of “{}” by {}: {}. Assurance level {} (the lowest of its credits).\n",
        record.work_title,
        record.artist_name,
        percent(record.confidence_score),
        record.assurance_level.short_name(),
    );
    match sources.len() {
        0 | 1 => text.push_str(&format!(
            "- One source: {}. There is nothing to compare it with.\n",
            sources.join(", ")
        )),
        count => text.push_str(&format!(
            "- {agreement} source agreement ({}) between {count} sources: {}.\n",
            percent(record.source_agreement),
            sources.join(", ")
        )),
    }
    for conflict in &record.conflicts {
        let values: Vec<String> = conflict
            .values
            .iter()
            .map(|(source, value)| format!("{source} names {value}"))
            .collect();
        text.push_str(&format!(
            "- Conflict about {}: {}.\n",
            conflict.field.replace('_', " "),
            values.join("; ")
        ));
    }
    let weakest = record
        .credits
        .iter()
        .min_by(|a, b| a.confidence.total_cmp(&b.confidence));
    if let Some(credit) = weakest {
        let steps: Vec<String> = credit
            .terms
            .iter()
            .map(|term| format!("{} {:+.0} points", term.label, term.change * 100.0))
            .collect();
        text.push_str(&format!(
            "- Weakest credit: {} as {}, {} ({}).\n",
            credit.entity_name,
            credit.role.label(),
            percent(credit.confidence),
            steps.join(", ")
        ));
    }
    let set = &record.conformal_set;
    match set.calibration_set_size {
        0 => text.push_str(
            "- Prediction sets are not calibrated yet: no reviewer has decided anything.",
        ),
        size => text.push_str(&format!(
            "- Prediction sets cover {} of {size} labelled credits (asked for {}).",
            percent(set.marginal_coverage),
            percent(set.coverage_level)
        )),
    }
    text
}

/// Searches the catalogue.
pub(super) async fn search_attributions(
    catalogue: &dyn CreditCatalogue,
    state: &mut AttributionAgentState,
    query: &str,
) -> Result<String, CreditError> {
    let found = catalogue.search(query, MAX_WORKS).await?;
    state.last_search_query = Some(query.to_owned());
    state.last_search_count = found.len();
    state.search_results = found.iter().map(WorkSummary::of).collect();
    if found.is_empty() {
        return Ok(format!("No attributions found for '{query}'."));
    }
    let lines: Vec<String> = found
        .iter()
        .map(|record| {
            format!(
                "- {} by {} (confidence {}, assurance {}, id {})",
                record.work_title,
                record.artist_name,
                percent(record.confidence_score),
                record.assurance_level.short_name(),
                record.attribution_id
            )
        })
        .collect();
    Ok(format!(
        "Found {} result(s):\n{}",
        found.len(),
        lines.join("\n")
    ))
}

/// Correction that is to be suggested.
pub(super) struct SuggestedCorrection<'a> {
    pub(super) work_id: &'a str,
    pub(super) field: &'a str,
    pub(super) current_value: &'a str,
    pub(super) suggested_value: &'a str,
    pub(super) reason: &'a str,
    pub(super) confidence: f64,
}

/// Checks a correction and adds it to those that wait. A second one for the same value replaces the first.
pub(super) async fn suggest_correction(
    catalogue: &dyn CreditCatalogue,
    state: &mut AttributionAgentState,
    suggested: SuggestedCorrection<'_>,
) -> Result<String, CreditError> {
    let record = catalogue.attribution(suggested.work_id).await?;
    let checked = validate_correction(
        &record,
        suggested.field,
        suggested.current_value,
        suggested.suggested_value,
    );
    let (field, current) = checked.map_err(|error| CreditError(error.to_string()))?;
    let preview = CorrectionPreview {
        work_id: record.attribution_id.clone(),
        version: record.version,
        field: field.name(),
        current_value: current,
        suggested_value: suggested.suggested_value.trim().to_owned(),
        reason: suggested.reason.to_owned(),
        confidence_in_correction: rounded(suggested.confidence.clamp(0.0, 1.0)),
    };
    state.set_work(&record);
    state.pending_corrections.retain(|other| {
        (&other.work_id, &other.field, &other.current_value)
            != (&preview.work_id, &preview.field, &preview.current_value)
    });
    if state.pending_corrections.len() >= MAX_PENDING {
        return Err(CreditError(
            "Too many corrections wait. Submit or discard them first.".to_owned(),
        ));
    }
    let text = format!(
        "Correction suggested for “{}”:\n{}: '{}' → '{}'\nReason: {}\nUse submit_feedback to finalize.",
        record.work_title,
        preview.field,
        preview.current_value,
        preview.suggested_value,
        preview.reason
    );
    state.pending_corrections.push(preview.clone());
    state.pending_correction = Some(preview);
    Ok(text)
}

/// Feedback that is to be submitted.
pub(super) struct SubmittedAssessment<'a> {
    pub(super) work_id: &'a str,
    pub(super) overall_assessment: f64,
    pub(super) free_text: Option<&'a str>,
    pub(super) reviewer_role: ReviewerRole,
    pub(super) evidence_type: EvidenceType,
}

/// Submits feedback with the corrections of the work that wait.
pub(super) async fn submit_feedback(
    catalogue: &dyn CreditCatalogue,
    state: &mut AttributionAgentState,
    submitted: SubmittedAssessment<'_>,
) -> Result<String, CreditError> {
    let record = catalogue.attribution(submitted.work_id).await?;
    let id = record.attribution_id.as_str();
    let waiting: Vec<CorrectionPreview> = state
        .pending_corrections
        .iter()
        .filter(|preview| preview.work_id == id)
        .cloned()
        .collect();
    let corrections: Vec<Correction> = waiting
        .iter()
        .map(|preview| correction(&record, preview))
        .collect();
    let free_text = submitted
        .free_text
        .map(str::trim)
        .filter(|text| !text.is_empty())
        .map(str::to_owned);
    let feedback = FeedbackInput {
        reviewer_role: submitted.reviewer_role,
        // The corrections were made for the version that was seen.
        attribution_version: waiting
            .iter()
            .map(|preview| preview.version)
            .min()
            .filter(|version| *version > 0),
        corrections,
        overall_assessment: submitted.overall_assessment,
        free_text: free_text.or_else(|| {
            waiting
                .is_empty()
                .then(|| format!("Assessment: {}", percent(submitted.overall_assessment)))
        }),
        evidence_type: submitted.evidence_type,
    };
    let stored = catalogue.submit(id, feedback).await?;
    state
        .pending_corrections
        .retain(|preview| preview.work_id != id);
    state.pending_correction = state.pending_corrections.last().cloned();
    state.set_work(&stored.record);
    let bias = match is_center_biased(submitted.overall_assessment) {
        true => " (center bias detected: consider if you can be more decisive)",
        false => "",
    };
    Ok(format!(
        "Feedback submitted (ID: {})\nWork: “{}”, version {}\nCorrections: {}\nAssessment: {}{bias}",
        stored.feedback_id,
        stored.record.work_title,
        stored.record.version,
        waiting.len(),
        percent(submitted.overall_assessment),
    ))
}

fn correction(record: &AttributionRecord, preview: &CorrectionPreview) -> Correction {
    let credited = record
        .credits
        .iter()
        .find(|credit| credit.entity_name == preview.current_value);
    Correction {
        correction_id: String::new(),
        field: preview.field.clone(),
        current_value: preview.current_value.clone(),
        corrected_value: preview.suggested_value.clone(),
        entity_id: credited.map(|credit| credit.entity_id.clone()),
        confidence_in_correction: preview.confidence_in_correction,
        evidence: Some(preview.reason.clone()),
        status: CorrectionStatus::Pending,
        feedback_id: String::new(),
        reviewer_role: None,
        replaced: Vec::new(),
    }
}
