//! Pairs of records as JSON Lines.

use serde::de::IgnoredAny;
use serde::{Deserialize, Deserializer};
use serde_json::{Map, Value, json};

use super::compare_records;

/// Record that is compared.
#[derive(Debug, Clone, Default, PartialEq, Deserialize)]
pub struct ComparedRecord {
    /// Name or title.
    pub name: String,
    /// Type of entity, as in the data model: `ARTIST`, `RECORDING`.
    #[serde(default, rename = "type")]
    pub entity_type: Option<String>,
    /// Identifiers by kind.
    #[serde(default, deserialize_with = "map_or_empty")]
    pub identifiers: Map<String, Value>,
    /// Other names.
    #[serde(default, deserialize_with = "strings")]
    pub aliases: Vec<String>,
    /// Surroundings of the credit.
    #[serde(default, deserialize_with = "context_or_default")]
    pub context: ComparedContext,
}

/// Surroundings of a credit.
#[derive(Debug, Clone, Default, PartialEq, Deserialize)]
#[serde(default)]
pub struct ComparedContext {
    /// Role as the source writes it.
    #[serde(deserialize_with = "text")]
    pub role: Option<String>,
    /// Title of the track.
    #[serde(deserialize_with = "text")]
    pub track: Option<String>,
    /// Title of the release.
    #[serde(deserialize_with = "text")]
    pub release: Option<String>,
    /// Main artists of the release.
    #[serde(deserialize_with = "strings")]
    pub release_artist: Vec<String>,
    /// Co-credited names.
    #[serde(deserialize_with = "strings")]
    pub with: Vec<String>,
    /// Labels.
    #[serde(deserialize_with = "strings")]
    pub labels: Vec<String>,
    /// Genres.
    #[serde(deserialize_with = "strings")]
    pub genres: Vec<String>,
    /// Styles, which are finer than genres.
    #[serde(deserialize_with = "strings")]
    pub styles: Vec<String>,
    /// Country of the release.
    #[serde(deserialize_with = "text")]
    pub country: Option<String>,
    /// Year of the release.
    #[serde(deserialize_with = "year")]
    pub year: Option<i32>,
}

/// Failure to read a pair.
#[derive(Debug, thiserror::Error)]
pub enum CompareError {
    /// The line is not a JSON object with `id`, `a` and `b`.
    #[error(
        "not a pair of records: {0}. A line has the form {{\"id\":…,\"a\":{{\"name\":…}},\"b\":{{\"name\":…}}}}."
    )]
    NotAPair(#[from] serde_json::Error),
}

#[derive(Deserialize)]
struct ComparedPair {
    id: Value,
    a: ComparedRecord,
    b: ComparedRecord,
}

/// Compares the pair on a line of JSON. Returns a line with `id`, `same`, `score` and `reasons`.
pub fn compare_line(line: &str) -> Result<String, CompareError> {
    let pair: ComparedPair = serde_json::from_str(line)?;
    let result = compare_records(&pair.a, &pair.b);
    Ok(json!({
        "id": pair.id,
        "same": result.same,
        "score": result.score,
        "reasons": result.reasons,
    })
    .to_string())
}

/// Reads a text; a number becomes its digits, other values are ignored.
fn text<'de, D: Deserializer<'de>>(deserializer: D) -> Result<Option<String>, D::Error> {
    Ok(match Value::deserialize(deserializer)? {
        Value::String(text) if !text.trim().is_empty() => Some(text),
        Value::Number(number) => Some(number.to_string()),
        _ => None,
    })
}

/// Reads a list of texts; a single text is a list of one.
fn strings<'de, D: Deserializer<'de>>(deserializer: D) -> Result<Vec<String>, D::Error> {
    let values = match Value::deserialize(deserializer)? {
        Value::Array(values) => values,
        other => vec![other],
    };
    let texts = values.into_iter().filter_map(|value| match value {
        Value::String(text) if !text.trim().is_empty() => Some(text),
        _ => None,
    });
    Ok(texts.collect())
}

/// Reads a year: a number, or a text that begins with four digits.
fn year<'de, D: Deserializer<'de>>(deserializer: D) -> Result<Option<i32>, D::Error> {
    let year = match Value::deserialize(deserializer)? {
        Value::String(text) => text.trim().get(..4).and_then(|digits| digits.parse().ok()),
        Value::Number(number) => number
            .as_i64()
            .and_then(|number| i32::try_from(number).ok()),
        _ => None,
    };
    Ok(year.filter(|year| (1000..3000).contains(year)))
}

fn map_or_empty<'de, D: Deserializer<'de>>(
    deserializer: D,
) -> Result<Map<String, Value>, D::Error> {
    Ok(match Value::deserialize(deserializer)? {
        Value::Object(map) => map,
        _ => Map::new(),
    })
}

#[derive(Deserialize)]
#[serde(untagged)]
enum ContextOrOther {
    Context(Box<ComparedContext>),
    Other(IgnoredAny),
}

fn context_or_default<'de, D: Deserializer<'de>>(
    deserializer: D,
) -> Result<ComparedContext, D::Error> {
    Ok(match ContextOrOther::deserialize(deserializer)? {
        ContextOrOther::Context(context) => *context,
        ContextOrOther::Other(_) => ComparedContext::default(),
    })
}
