//! Reviews of citations in the form that clients write.

use citation_stream::ClientReview;
use json::Value;
use store::{CitationReview, ReviewAction, Timestamp};

/// Converts a review that a client wrote into its state. Returns `None` if it has no valid time.
pub(crate) fn stored_review(review: &ClientReview) -> Option<CitationReview> {
    Some(CitationReview {
        key: review.key.to_string(),
        action: ReviewAction::parse(&review.action)?,
        at: Timestamp(review.at?),
        note: review.note.clone(),
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
