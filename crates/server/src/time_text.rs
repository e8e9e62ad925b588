//! Times as texts.

use store::Timestamp;

/// Returns a time in RFC 3339 form; `never` if it is out of range.
pub(crate) fn time_text(at: Timestamp) -> String {
    jiff::Timestamp::from_millisecond(at.0).map_or_else(|_| "never".to_owned(), |at| at.to_string())
}
