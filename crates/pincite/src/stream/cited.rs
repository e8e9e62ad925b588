//! What a gateway says of citations, as people like to see it.

use std::collections::HashMap;

use anstyle::{AnsiColor, Style};
use citations::{DisplayState, SOURCE_MISSING, VerificationStatus};
use json::Value;
use json::patch::{PatchOp, PatchOperation};

use crate::failure::shown;

const GOOD: Style = AnsiColor::Green.on_default();
const FAIR: Style = AnsiColor::Yellow.on_default();
const ELSEWHERE: Style = AnsiColor::Blue.on_default();
const BAD: Style = AnsiColor::Red.on_default();
const DIM: Style = Style::new().dimmed();

/// The state key of a gateway, unless it was given another.
const KEY: &str = "/deepcitation";
/// The same results in forms for other frontends.
const COMPANIONS: [&str; 2] = ["/citations", "/rag"];
/// How much of a quote is shown.
const QUOTE: usize = 60;
/// How wide states are, as a rule.
const STATE: usize = 15;

/// What there is to tell of citations.
pub(super) enum CitationUpdate {
    /// What is true of one.
    Row(CitationRow),
    /// What is true of all in a message.
    Summary(String),
}

/// What is true of a citation.
pub(super) struct CitationRow {
    /// The number of its marker; those without come last.
    pub(super) number: u64,
    pub(super) text: String,
}

/// What is known of citations by now.
#[derive(Debug, Default)]
pub(super) struct CitationReport {
    seen: bool,
    /// Markers by key.
    markers: HashMap<String, String>,
    /// Quotes by key, and the pages that they are said to be on.
    quotes: HashMap<String, (String, Option<f64>)>,
    /// Counts by message and name.
    counts: HashMap<(String, String), f64>,
}

impl CitationReport {
    /// Whether a patch is about citations alone; then it is told in words, not as a patch.
    pub(super) fn takes(&mut self, operations: &[PatchOperation]) -> bool {
        let below = |path: &str, key: &str| {
            path.strip_prefix(key)
                .is_some_and(|rest| rest.is_empty() || rest.starts_with('/'))
        };
        self.seen |= operations
            .iter()
            .any(|operation| below(&operation.path, KEY));
        self.seen
            && operations.iter().all(|operation| {
                let path = operation.path.as_str();
                below(path, KEY) || COMPANIONS.iter().any(|key| below(path, key))
            })
    }

    /// Whether anybody checks citations.
    pub(super) fn is_checked(&self) -> bool {
        self.seen
    }

    /// What a patch tells.
    pub(super) fn told(&mut self, operations: &[PatchOperation]) -> Vec<CitationUpdate> {
        let mut told = Vec::new();
        for operation in operations {
            let (PatchOp::Add, Some(value)) = (operation.op, &operation.value) else {
                continue;
            };
            let path: Vec<String> = operation.path.split('/').skip(1).map(unescaped).collect();
            let path: Vec<&str> = path.iter().map(String::as_str).collect();
            match path.as_slice() {
                [_, "citations", key] => {
                    let value = value.value();
                    let quote = value["fullPhrase"]
                        .as_str()
                        .or_else(|| value["sourceContext"].as_str());
                    let page = match &value["pageNumber"] {
                        Value::Number(page) => Some(page.as_f64()),
                        _ => None,
                    };
                    let quote = short(quote.unwrap_or_default());
                    self.quotes.insert((*key).to_owned(), (quote, page));
                }
                [_, "messages", _, "markers", marker] => {
                    if let Some(key) = value.value().as_str() {
                        self.markers.insert(key.to_owned(), (*marker).to_owned());
                    }
                }
                [_, "messages", message, "summary", name] => {
                    if let Value::Number(number) = &*value.value() {
                        let place = ((*message).to_owned(), (*name).to_owned());
                        self.counts.insert(place, number.as_f64());
                    }
                }
                [_, "messages", message, "status"]
                    if value.value().as_str() == Some("complete") =>
                {
                    told.extend(self.summary(message).map(CitationUpdate::Summary));
                }
                [_, "verifications", key] => {
                    told.push(CitationUpdate::Row(self.verdict(key, &value.value())));
                }
                _ => {}
            }
        }
        told
    }

    fn verdict(&self, key: &str, verification: &Value) -> CitationRow {
        let status =
            VerificationStatus::from_name(verification["status"].as_str().unwrap_or_default());
        let source_missing = verification["problem"].as_str() == Some("source_missing");
        let words = match source_missing {
            true => SOURCE_MISSING,
            false => status.words(),
        };
        let style = match status.state() {
            DisplayState::Verified => GOOD,
            DisplayState::Partly => FAIR,
            DisplayState::Elsewhere => ELSEWHERE,
            DisplayState::Missing => BAD,
            DisplayState::Pending => DIM,
        };
        let sign = status.state().sign();
        let marker = self.markers.get(key);
        let number = marker.and_then(|marker| marker.parse().ok());
        let marker = marker.map_or(String::new(), |marker| format!("[{}] ", shown(marker)));
        let (quote, cited) = self.quotes.get(key).cloned().unwrap_or_default();
        let mut text = format!("{style}{sign} {words:STATE$}{style:#}  {marker}“{quote}”");
        let reason = match status.state() {
            _ if source_missing => Some(
                "there is no document of this name: attach it, and run the agent again".to_owned(),
            ),
            DisplayState::Partly | DisplayState::Missing => note(verification).map(shown),
            DisplayState::Elsewhere if status == VerificationStatus::FoundOnOtherPage => {
                cited.map(|page| format!("the citation names page {page}"))
            }
            _ => None,
        };
        let mut place = Vec::from_iter(source(verification));
        if let Value::Number(page) = &verification["document"]["verifiedPageNumber"] {
            place.push(format!("page {}", page.as_f64()));
        }
        let place = Some(place.join(", ")).filter(|place| !place.is_empty());
        let url = verification["evidenceUrl"].as_str().map(shown);
        for more in [reason, place, url].into_iter().flatten() {
            text.push_str(&format!("\n    {DIM}{more}{DIM:#}"));
        }
        CitationRow {
            number: number.unwrap_or(u64::MAX),
            text,
        }
    }

    /// One honest line.
    fn summary(&self, message: &str) -> Option<String> {
        let count = |name: &str| {
            let place = (message.to_owned(), name.to_owned());
            self.counts.get(&place).copied().unwrap_or(0.0)
        };
        let total = count("total");
        let quotes = if total == 1.0 { "quote" } else { "quotes" };
        (total > 0.0).then(|| format!("{} of {total} {quotes} verified", count("verified")))
    }
}

/// What people call the source, and its id if that is something else.
fn source(verification: &Value) -> Option<String> {
    let id = verification["attachmentId"].as_str();
    let label = verification["label"].as_str();
    Some(match (label, id) {
        (Some(label), Some(id)) if label != id => format!("{} ({})", shown(label), shown(id)),
        (label, id) => shown(label.or(id)?),
    })
}

/// Why it is not simply found.
fn note(verification: &Value) -> Option<&str> {
    let attempts = verification["searchAttempts"].as_array()?;
    attempts
        .iter()
        .rev()
        .find_map(|attempt| attempt["note"].as_str())
}

/// A segment of a JSON Pointer.
fn unescaped(segment: &str) -> String {
    segment.replace("~1", "/").replace("~0", "~")
}

fn short(quote: &str) -> String {
    let mut short: String = quote.chars().take(QUOTE).collect();
    if quote.chars().nth(QUOTE).is_some() {
        short.push('…');
    }
    shown(&short)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn add(path: &str, value: impl Into<Value>) -> PatchOperation {
        PatchOperation::add(path, json::Json::from(value.into()))
    }

    #[test]
    fn results_are_told_in_words() {
        let mut cited = CitationReport::default();
        let first = [
            add(
                "/deepcitation/citations/k",
                Value::from([("fullPhrase", "High tide".into())]),
            ),
            add("/deepcitation/messages/a~1b/markers/1", "k"),
            add(
                "/deepcitation/messages/a~1b/summary/total",
                Value::from(1_usize),
            ),
            add("/citations/a~1b/-", Value::from(1_usize)),
        ];
        assert!(cited.takes(&first));
        assert!(cited.told(&first).is_empty());
        let attempt = Value::from([("note", "a number differs".into())]);
        let found = Value::from([
            ("status", "not_found".into()),
            ("attachmentId", "t".into()),
            ("label", "tides.pdf".into()),
            ("searchAttempts", Value::Array(vec![attempt])),
            ("evidenceUrl", "http://here/p/1".into()),
        ]);
        let told = cited.told(&[add("/deepcitation/verifications/k", found)]);
        let [CitationUpdate::Row(row)] = told.as_slice() else {
            panic!("one row");
        };
        assert_eq!(row.number, 1);
        let plain = anstream::adapter::strip_str(&row.text).to_string();
        assert_eq!(
            plain,
            "✗ not found        [1] “High tide”\n    a number differs\n    tides.pdf (t)\n    http://here/p/1"
        );
        let end = [add("/deepcitation/messages/a~1b/status", "complete")];
        let told = cited.told(&end);
        assert!(
            matches!(&told[..], [CitationUpdate::Summary(line)] if line == "0 of 1 quote verified")
        );
    }

    #[test]
    fn what_is_another_agents_is_shown_as_it_is() {
        let mut cited = CitationReport::default();
        let others = [add("/rag/citations/-", Value::from(1_usize))];
        assert!(!cited.takes(&others));
        assert!(!cited.takes(&[add("/deepcitations", Value::from(1_usize))]));
        assert!(!cited.takes(&[
            add("/deepcitation", Value::from(1_usize)),
            add("/mine", "x")
        ]));
        assert!(cited.takes(&others), "beside a gateway's");
    }
}
