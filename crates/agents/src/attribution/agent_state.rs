//! State that the agent shares with the client, kept per thread.

use ::attribution::AttributionRecord;
use json::Value;
use serde::{Deserialize, Serialize};

use crate::tool::SharedState;

/// Correction that waits for the reviewer's decision to submit it.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct CorrectionPreview {
    /// Attribution id.
    pub work_id: String,
    /// Version of the record that was seen.
    #[serde(default)]
    pub version: u64,
    /// Field.
    pub field: String,
    /// Value in the record.
    pub current_value: String,
    /// Proposed value.
    pub suggested_value: String,
    /// Reason.
    pub reason: String,
    /// Confidence from 0 to 1.
    pub confidence_in_correction: f64,
}

/// Work of a list.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct WorkSummary {
    /// Attribution id.
    pub attribution_id: String,
    /// Title.
    pub work_title: String,
    /// Main artists.
    pub artist_name: String,
    /// Confidence from 0 to 1.
    pub confidence_score: f64,
    /// Level of assurance.
    pub assurance_level: String,
}

impl WorkSummary {
    pub(super) fn of(record: &AttributionRecord) -> Self {
        Self {
            attribution_id: record.attribution_id.clone(),
            work_title: record.work_title.clone(),
            artist_name: record.artist_name.clone(),
            confidence_score: rounded(record.confidence_score),
            assurance_level: record.assurance_level.as_str().to_owned(),
        }
    }
}

/// Returns a number with four decimals, so that states do not differ in the last bits.
pub(super) fn rounded(value: f64) -> f64 {
    (value * 1e4).round() / 1e4
}

/// State of the agent.
#[derive(Debug, Clone, Default, PartialEq, Serialize, Deserialize)]
#[serde(default)]
pub struct AttributionAgentState {
    /// Work that the conversation is about.
    pub current_work_id: Option<String>,
    /// Its title.
    pub current_work_title: Option<String>,
    /// Its confidence from 0 to 1.
    pub confidence_score: Option<f64>,
    /// Number of works that need a review.
    pub review_queue_size: usize,
    /// Correction that was suggested last.
    pub pending_correction: Option<CorrectionPreview>,
    /// All corrections that wait to be submitted.
    pub pending_corrections: Vec<CorrectionPreview>,
    /// Last explanation.
    pub explanation_text: Option<String>,
    /// Last search.
    pub last_search_query: Option<String>,
    /// Number of its results.
    pub last_search_count: usize,
    /// Its results.
    pub search_results: Vec<WorkSummary>,
}

impl AttributionAgentState {
    /// Reads the state from that of the thread. Members that are missing or of another type have their default.
    pub(super) fn read(state: &Value) -> Self {
        let text = state.to_json();
        serde_json::from_str(&text).unwrap_or_else(|_| {
            // One member that does not fit must not lose the others.
            let mut kept = serde_json::Map::new();
            if let Ok(serde_json::Value::Object(map)) = serde_json::from_str(&text) {
                for (key, value) in map {
                    let alone = serde_json::Map::from_iter([(key.clone(), value.clone())]);
                    if serde_json::from_value::<Self>(serde_json::Value::Object(alone)).is_ok() {
                        kept.insert(key, value);
                    }
                }
            }
            serde_json::from_value(serde_json::Value::Object(kept)).unwrap_or_default()
        })
    }

    /// Writes the state into that of the thread; other members stay.
    pub(super) fn write(&self, shared: &SharedState) {
        let own = serde_json::to_string(self)
            .ok()
            .and_then(|text| Value::parse(&text).ok());
        let Some(Value::Object(own)) = own else {
            return;
        };
        shared.update(|state| {
            if state.as_object().is_none() {
                *state = Value::Object(json::Map::new());
            }
            if let Some(map) = state.as_object_mut() {
                for (key, value) in own.iter() {
                    map.insert(key.to_owned(), value.clone());
                }
            }
        });
    }

    /// Sets the work that the conversation is about.
    pub(super) fn set_work(&mut self, record: &AttributionRecord) {
        self.current_work_id = Some(record.attribution_id.clone());
        self.current_work_title = Some(record.work_title.clone());
        self.confidence_score = Some(rounded(record.confidence_score));
    }
}
