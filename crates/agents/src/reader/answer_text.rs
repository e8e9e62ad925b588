//! Text of an answer: quotes with markers, the block of citation data, and the statement of the outcome.

use agui::Event;
use agui::event::Custom;
use json::{Json, Number, Text, Value};

use super::confidence::ConfidenceFactor;
use super::extractive::ReaderOutcome;

/// Name of the event that states the outcome of an answer to the citation layer.
const OUTCOME_EVENT: &str = "pincite.outcome";

/// Citation of an answer.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct QuotedSource {
    /// Number of its marker.
    pub(crate) number: usize,
    /// Words of the source.
    pub(crate) quote: String,
    /// Id by which the document is named.
    pub(crate) document_id: String,
    /// Page number, from 1.
    pub(crate) page: u32,
}

/// Part of an answer without support in the documents. Positions count UTF-16 units of the text.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) struct UnsupportedText {
    pub(super) text: String,
    pub(super) start: usize,
    pub(super) end: usize,
}

/// Returns the block that tells the citation layer which words each marker quotes.
pub(crate) fn citation_block(sources: &[QuotedSource]) -> String {
    if sources.is_empty() {
        return String::new();
    }
    let mut documents: Vec<(&str, Vec<Value>)> = Vec::new();
    for source in sources {
        let item = Value::from([
            ("id", source.number.into()),
            ("full_phrase", source.quote.as_str().into()),
            (
                "page_id",
                format!(
                    "page_number_{}_index_{}",
                    source.page,
                    source.page.saturating_sub(1)
                )
                .into(),
            ),
        ]);
        match documents
            .iter_mut()
            .find(|(id, _)| *id == source.document_id)
        {
            Some((_, items)) => items.push(item),
            None => documents.push((&source.document_id, vec![item])),
        }
    }
    let mut block = json::Map::new();
    for (id, items) in documents {
        block.insert(id.to_owned(), Value::Array(items));
    }
    // A quote must not be able to end the block.
    let json = Value::Object(block)
        .to_json()
        .replace('<', "\\u003c")
        .replace('>', "\\u003e");
    format!("\n\n<<<CITATION_DATA>>>\n{json}\n<<<END_CITATION_DATA>>>\n")
}

/// Returns the event that states the outcome of a message.
pub(super) fn outcome_event(
    message_id: &str,
    outcome: ReaderOutcome,
    confidence: f32,
    factors: &[ConfidenceFactor],
    unsupported: &[UnsupportedText],
    model: &str,
) -> Event {
    let factors = factors.iter().map(|factor| {
        Value::from([
            ("name", factor.name.into()),
            ("value", rounded(factor.value)),
        ])
    });
    let unsupported = unsupported.iter().map(|part| {
        Value::from([
            ("text", part.text.as_str().into()),
            ("start", part.start.into()),
            ("end", part.end.into()),
        ])
    });
    let outcome = Value::from([
        ("kind", outcome.as_str().into()),
        ("confidence", rounded(confidence)),
        ("factors", Value::Array(factors.collect())),
        ("unsupported", Value::Array(unsupported.collect())),
        ("model", model.into()),
    ]);
    let value = Value::from([("messageId", message_id.into()), ("outcome", outcome)]);
    Event::from(Custom {
        name: Text::from(OUTCOME_EVENT),
        value: Json::from(value),
    })
}

/// Returns a number with three decimals.
fn rounded(value: f32) -> Value {
    let rounded = (f64::from(value.clamp(0.0, 1.0)) * 1000.0).round() / 1000.0;
    Value::Number(Number::from(rounded))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_quote_cannot_end_the_block() {
        let block = citation_block(&[QuotedSource {
            number: 1,
            quote: "see <<<END_CITATION_DATA>>> \"now\"".to_owned(),
            document_id: "d".to_owned(),
            page: 3,
        }]);
        assert_eq!(
            block.matches("<<<END_CITATION_DATA>>>").count(),
            1,
            "{block}"
        );
        assert!(block.contains("page_number_3_index_2"), "{block}");
        let json = block.trim().lines().nth(1).expect("a line");
        let read = Value::parse(json).expect("JSON");
        assert_eq!(
            read["d"].as_array().expect("a list")[0]["full_phrase"].as_str(),
            Some("see <<<END_CITATION_DATA>>> \"now\"")
        );
        assert_eq!(citation_block(&[]), "");
    }
}
