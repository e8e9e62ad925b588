//! Corrections that the agent without a model suggests.

use ::attribution::{AttributionRecord, CorrectionField, Credit, current_values};

use super::catalogue::CreditError;
use super::credit_tools::{SuggestedCorrection, suggest_correction};
use super::liner_notes::{LinerNote, find_liner_note};
use super::offline::OfflineRun;
use crate::reader::{QuotedSource, citation_block};

/// Proposed value with its reason.
struct ProposedValue {
    name: String,
    reason: String,
    confidence: f64,
    /// Liner note that names the person.
    note: Option<LinerNote>,
}

impl OfflineRun<'_> {
    /// Suggests a correction. Without a value from the person, liner notes of the library and then the sources decide.
    pub(super) async fn correct(
        &mut self,
        record: &AttributionRecord,
        field: &str,
        value: Option<String>,
    ) -> Result<(), CreditError> {
        let Some(parsed) = CorrectionField::from_name(field) else {
            self.say(&format!("I do not know the field {field}.")).await;
            return Ok(());
        };
        self.state.set_work(record);
        let note = find_liner_note(self.library, record, parsed).await;
        let values = current_values(record, parsed);
        let title = &record.work_title;
        let Some(proposed) = propose(record, parsed, value, note) else {
            let known = if values.is_empty() {
                "unknown".to_owned()
            } else {
                values.join(", ")
            };
            let text = format!(
                "The {field} of “{title}” is {known}. I found nothing better in the sources or in the library. Tell me the name: “The {field} of “{title}” should be …”."
            );
            self.say(&text).await;
            return Ok(());
        };
        if values.len() == 1 && values[0].eq_ignore_ascii_case(&proposed.name) {
            let text = format!(
                "The record already names {} as {field} of “{title}”; nothing needs to change.",
                proposed.name
            );
            self.say(&text).await;
            return Ok(());
        }
        let doubtful = doubtful_credit(record, parsed, &proposed.name);
        let current = doubtful.map(|credit| credit.entity_name.clone());
        let current = current
            .or(values.into_iter().next())
            .unwrap_or_else(|| "Unknown".to_owned());
        self.suggest(
            record,
            field,
            &current,
            proposed,
            doubtful.map(|credit| credit.entity_id.as_str()),
        )
        .await;
        Ok(())
    }

    async fn suggest(
        &mut self,
        record: &AttributionRecord,
        field: &str,
        current: &str,
        proposed: ProposedValue,
        entity: Option<&str>,
    ) {
        let arguments = serde_json::json!({
            "work_id": record.attribution_id,
            "field": field,
            "current_value": current,
            "suggested_value": proposed.name,
            "reason": proposed.reason,
        });
        let call = self.start_call("suggest_correction", &arguments).await;
        let suggestion = SuggestedCorrection {
            work_id: &record.attribution_id,
            field,
            current_value: current,
            suggested_value: &proposed.name,
            reason: &proposed.reason,
            confidence: proposed.confidence,
        };
        let result = suggest_correction(self.catalogue, &mut self.state, suggestion).await;
        let is_made = result.is_ok();
        let failure = self.end_call(&call, result).await;
        if !is_made {
            return self.say(&failure).await;
        }
        let mut text = format!(
            "I suggest a correction of “{}”:\n{field}: {current} → {}\n",
            record.work_title, proposed.name
        );
        match proposed.note {
            Some(note) => {
                text.push_str(&format!(
                    "The liner notes say: “{}” [1]\nSay “submit it” to send it.",
                    note.quote
                ));
                text.push_str(&citation_block(&[QuotedSource {
                    number: 1,
                    quote: note.quote,
                    document_id: note.document_id,
                    page: note.page,
                }]));
            }
            None => text.push_str(&format!(
                "Reason: {}\nSay “submit it” to send it.",
                proposed.reason
            )),
        }
        self.say(&text).await;
        let difference =
            serde_json::json!({"field": field, "current": current, "suggested": proposed.name});
        self.call_client("show_correction_diff", &difference).await;
        if let Some(entity) = entity {
            self.call_client("highlight_credit", &serde_json::json!({"entityId": entity}))
                .await;
        }
    }
}

/// Returns the value to propose: that of the reviewer, of liner notes, or of the sources.
fn propose(
    record: &AttributionRecord,
    field: CorrectionField,
    value: Option<String>,
    note: Option<LinerNote>,
) -> Option<ProposedValue> {
    let fits = |note: &LinerNote| {
        value
            .as_ref()
            .is_none_or(|value| note.name.eq_ignore_ascii_case(value))
    };
    if let Some(note) = note.filter(fits) {
        return Some(ProposedValue {
            name: value.unwrap_or_else(|| note.name.clone()),
            reason: format!("Liner notes: “{}” ({})", note.quote, note.document_name),
            confidence: 0.95,
            note: Some(note),
        });
    }
    if let Some(name) = value {
        return Some(ProposedValue {
            name,
            reason: "Stated by the reviewer".to_owned(),
            confidence: 0.8,
            note: None,
        });
    }
    let credits: Vec<&Credit> = record
        .credits
        .iter()
        .filter(|credit| field == CorrectionField::Role(credit.role))
        .collect();
    let best = credits
        .iter()
        .max_by(|a, b| a.confidence.total_cmp(&b.confidence))?;
    let sources: Vec<&str> = best.sources.iter().map(|source| source.label()).collect();
    (credits.len() > 1).then(|| ProposedValue {
        name: best.entity_name.clone(),
        reason: format!("Named by {}", sources.join(" and ")),
        confidence: best.confidence,
        note: None,
    })
}

/// Returns the credit of a role that has the least confidence, other than that of the proposed person.
fn doubtful_credit<'r>(
    record: &'r AttributionRecord,
    field: CorrectionField,
    proposed: &str,
) -> Option<&'r Credit> {
    record
        .credits
        .iter()
        .filter(|credit| {
            field == CorrectionField::Role(credit.role)
                && !credit.entity_name.eq_ignore_ascii_case(proposed)
        })
        .min_by(|a, b| a.confidence.total_cmp(&b.confidence))
}
