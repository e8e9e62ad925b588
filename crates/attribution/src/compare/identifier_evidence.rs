//! Evidence of identifiers.

use serde_json::Value;

use super::Evidence;
use super::pair::ComparedRecord;

/// Identifiers, with the weight of two equal and of two different ones. An identifier of a person is unique; a
/// recording has several ISRCs and MBIDs, a person several IPI numbers.
const KINDS: &[(&str, f64, f64)] = &[
    ("isni", 6.0, -4.0),
    ("mbid", 6.0, -3.0),
    ("discogs_id", 6.0, -4.0),
    ("discogs", 6.0, -4.0),
    ("ipi", 6.0, -2.5),
    ("iswc", 5.0, -3.0),
    ("isrc", 5.0, -1.2),
    ("acoustid", 4.0, 0.0),
];

/// Returns the evidence of the identifiers, if it decides.
pub(super) fn compare(one: &ComparedRecord, other: &ComparedRecord) -> Option<Evidence> {
    let mut different: Option<Evidence> = None;
    for (kind, equal_weight, different_weight) in KINDS {
        let (a, b) = (values(one, kind), values(other, kind));
        if a.is_empty() || b.is_empty() {
            continue;
        }
        if let Some(shared) = a.iter().find(|value| b.contains(value)) {
            let reason = format!("same {}: {shared}", kind.to_uppercase());
            return Some(Evidence::new(*equal_weight, reason));
        }
        if *different_weight <= -2.5 && different.is_none() {
            let reason = format!("different {}: {} and {}", kind.to_uppercase(), a[0], b[0]);
            different = Some(Evidence::new(*different_weight, reason));
        }
    }
    different
}

/// Returns the identifiers of a kind, without signs.
fn values(record: &ComparedRecord, kind: &str) -> Vec<String> {
    let found = record
        .identifiers
        .iter()
        .find(|(name, _)| name.eq_ignore_ascii_case(kind));
    let Some((_, value)) = found else {
        return Vec::new();
    };
    let list = match value {
        Value::Array(list) => list.as_slice(),
        single => std::slice::from_ref(single),
    };
    let texts = list.iter().filter_map(|value| match value {
        Value::String(text) => Some(text.clone()),
        Value::Number(number) => Some(number.to_string()),
        _ => None,
    });
    texts
        .map(|text| plain_identifier(&text))
        .filter(|text| !text.is_empty())
        .collect()
}

/// Returns an identifier in upper case without spaces and signs.
pub(crate) fn plain_identifier(text: &str) -> String {
    text.chars()
        .filter(char::is_ascii_alphanumeric)
        .map(|letter| letter.to_ascii_uppercase())
        .collect()
}
