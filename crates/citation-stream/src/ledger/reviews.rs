//! Reviews: what readers decided about citations.

use citations::CitationKey;
use hashbrown::HashMap;
use json::{Json, Map, Value};

use super::as_text;

/// Limit on the bytes of a review's note.
const MAX_NOTE_BYTES: usize = 4096;

/// Review of a citation that a client wrote into its state.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct ClientReview {
    /// Key of the citation.
    pub key: CitationKey,
    /// One of `opened`, `closed`, `accepted` and `disputed`.
    pub action: String,
    /// Time in milliseconds since 1970, or `None` if the client wrote no valid time.
    pub at: Option<i64>,
    /// Note of the reader.
    pub note: Option<String>,
}

impl ClientReview {
    fn new(key: CitationKey, review: &Value) -> Self {
        let text = |name: &str| review.get(name).and_then(Value::as_str).map(str::to_owned);
        Self {
            key,
            action: text("action").unwrap_or_default(),
            at: review.get("at").and_then(timestamp),
            note: text("note"),
        }
    }
}

/// The last review of each citation, in the order of the first ones.
#[derive(Debug, Clone, Default)]
pub(crate) struct CitationReviews(Vec<(CitationKey, Json)>);

impl CitationReviews {
    pub(crate) fn is_empty(&self) -> bool {
        self.0.is_empty()
    }

    pub(crate) fn iter(&self) -> impl Iterator<Item = (CitationKey, &Json)> {
        self.0.iter().map(|(key, review)| (*key, review))
    }

    /// Returns all reviews.
    pub(crate) fn to_vec(&self) -> Vec<ClientReview> {
        let reviews = self.0.iter();
        reviews
            .map(|(key, review)| ClientReview::new(*key, &review.value()))
            .collect()
    }

    /// Sets the review of a citation, even if the present one is newer.
    pub(crate) fn set(&mut self, key: CitationKey, review: Json) {
        match self.0.iter_mut().find(|(known, _)| *known == key) {
            Some((_, known)) => *known = review,
            None => self.0.push((key, review)),
        }
    }

    /// Adds reviews of a state that are valid and newer than the present ones. Returns those that were added.
    pub(crate) fn merge<'r>(
        &mut self,
        reviews: impl Iterator<Item = (CitationKey, &'r Value)>,
    ) -> Vec<ClientReview> {
        let mut added = Vec::new();
        let known = self.0.iter().enumerate();
        let mut positions: HashMap<CitationKey, usize> =
            known.map(|(at, (key, _))| (*key, at)).collect();
        for (key, value) in reviews {
            let Some(given) = parse_review(value) else {
                continue;
            };
            let review = as_text(&given);
            match positions.get(&key).and_then(|at| self.0.get_mut(*at)) {
                Some((_, known)) if !is_newer(&given, &known.value()) => continue,
                Some((_, known)) => *known = review,
                None => {
                    positions.insert(key, self.0.len());
                    self.0.push((key, review));
                }
            }
            added.push(ClientReview::new(key, &given));
        }
        added
    }
}

/// Reads a review and returns its described members, or `None` if the value is not a review.
pub(crate) fn parse_review(value: &Value) -> Option<Value> {
    let action = value.get("action")?.as_str()?;
    if !matches!(action, "opened" | "closed" | "accepted" | "disputed") {
        return None;
    }
    let mut review = Map::new();
    review.insert("action".to_owned(), Value::from(action));
    let at = value.get("at")?;
    if !matches!(at, Value::String(_) | Value::Number(_)) {
        return None;
    }
    review.insert("at".to_owned(), at.clone());
    let note = value.get("note").and_then(Value::as_str);
    if let Some(note) = note.filter(|note| note.len() <= MAX_NOTE_BYTES) {
        review.insert("note".to_owned(), Value::from(note));
    }
    Some(Value::Object(review))
}

/// Returns true if a review was made after another, or was changed at the same time.
fn is_newer(review: &Value, known: &Value) -> bool {
    let (at, before) = (review.get("at"), known.get("at"));
    let order = match (at.and_then(timestamp), before.and_then(timestamp)) {
        (None, None) => at
            .and_then(Value::as_str)
            .cmp(&before.and_then(Value::as_str)),
        // A review without a valid time counts as older.
        (at, before) => at.cmp(&before),
    };
    let differs = |name: &str| review.get(name) != known.get(name);
    order.is_gt() || order.is_eq() && (differs("action") || differs("note"))
}

/// Reads a time in milliseconds since 1970: a number, or an RFC 3339 text.
fn timestamp(at: &Value) -> Option<i64> {
    match at {
        Value::Number(at) => at.as_safe_int(),
        Value::String(at) => {
            let at: jiff::Timestamp = at.parse().ok()?;
            Some(at.as_millisecond())
        }
        _ => None,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn replaces_only_older_reviews() {
        let key = CitationKey::from_hex("b4ba9bdb57544aa1").expect("16 hex digits");
        let mut reviews = CitationReviews::default();
        for (json, is_added) in [
            (r#"{"action":"opened","at":1000}"#, true),
            (r#"{"action":"opened","at":1000}"#, false),
            (r#"{"action":"accepted","at":"1970-01-01T00:00:01Z"}"#, true),
            (r#"{"action":"disputed","at":999}"#, false),
            (r#"{"action":"disputed","at":"some day"}"#, false),
            (r#"{"action":"applauded","at":2000}"#, false),
            (r#"{"action":"closed"}"#, false),
            (r#"{"action":"closed","at":2000,"note":"n","x":1}"#, true),
        ] {
            let value = Value::parse(json).expect("JSON");
            let added = reviews.merge([(key, &value)].into_iter());
            assert_eq!(!added.is_empty(), is_added, "{json}");
        }
        let (_, last) = reviews.iter().next().expect("one review");
        assert_eq!(
            last.to_json(),
            r#"{"action":"closed","at":2000,"note":"n"}"#
        );
    }
}
