//! Reviews of citations in the form that clients write.

use citations::CitationKey;
use json::{Json, Value};
use store::{CitationReview, ReviewAction, Timestamp};

/// Reads a review that a client wrote into its state. Returns `None` if it is incomplete.
pub(crate) fn read_review(key: CitationKey, review: &Json) -> Option<CitationReview> {
    let value = review.value();
    Some(CitationReview {
        key: key.to_string(),
        action: ReviewAction::parse(value.get("action")?.as_str()?)?,
        at: read_time(value.get("at")?)?,
        note: value.get("note").and_then(Value::as_str).map(str::to_owned),
    })
}

/// Reads a point in time: milliseconds since 1970 or a text such as `2026-01-31T12:00:00Z`.
pub fn read_time(value: &Value) -> Option<Timestamp> {
    match value {
        Value::Number(number) => number.as_safe_int().map(Timestamp),
        Value::String(text) => {
            let at: jiff::Timestamp = text.parse().ok()?;
            Some(Timestamp(at.as_millisecond()))
        }
        _ => None,
    }
}
