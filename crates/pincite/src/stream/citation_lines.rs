//! Verification results of a gateway as lines of text.

use std::collections::HashMap;

use anstyle::{AnsiColor, Style};
use citations::{DisplayState, SOURCE_MISSING, VerificationStatus};
use json::Value;
use json::patch::{PatchOp, PatchOperation};

use crate::command_error::printable;

const GOOD: Style = AnsiColor::Green.on_default();
const FAIR: Style = AnsiColor::Yellow.on_default();
const ELSEWHERE: Style = AnsiColor::Blue.on_default();
const BAD: Style = AnsiColor::Red.on_default();
const DIM: Style = Style::new().dimmed();

/// State key of a gateway with default settings.
const STATE_KEY: &str = "/deepcitation";
/// State keys with the same results for other frontends.
const OTHER_KEYS: [&str; 2] = ["/citations", "/rag"];
/// Limit on the characters of a quote.
const MAX_QUOTE: usize = 60;
/// Width of the column with the result.
const RESULT_WIDTH: usize = 15;

/// A line about citations.
pub(super) enum CitationUpdate {
    /// Result of one citation.
    Row(CitationRow),
    /// Summary of a message.
    Summary(String),
}

/// Result of one citation as text.
pub(super) struct CitationRow {
    /// Number of its marker; citations without a number come last.
    pub(super) number: u64,
    pub(super) text: String,
}

/// Citations that the state contains so far.
#[derive(Debug, Default)]
pub(super) struct CitationReport {
    /// True if the state has had our key.
    seen: bool,
    /// Markers by citation key.
    markers: HashMap<String, String>,
    /// Quotes and cited pages by citation key.
    quotes: HashMap<String, (String, Option<f64>)>,
    /// Counts of the summary by message and name.
    counts: HashMap<(String, String), f64>,
}

impl CitationReport {
    /// Returns true if a patch changes citations only. Such a patch is shown in words.
    pub(super) fn is_about_citations(&mut self, operations: &[PatchOperation]) -> bool {
        let is_below = |path: &str, key: &str| {
            path.strip_prefix(key)
                .is_some_and(|rest| rest.is_empty() || rest.starts_with('/'))
        };
        self.seen |= operations
            .iter()
            .any(|operation| is_below(&operation.path, STATE_KEY));
        self.seen
            && operations.iter().all(|operation| {
                let path = operation.path.as_str();
                is_below(path, STATE_KEY) || OTHER_KEYS.iter().any(|key| is_below(path, key))
            })
    }

    /// Returns true if a gateway verifies the citations.
    pub(super) fn is_verified(&self) -> bool {
        self.seen
    }

    /// Returns the lines for a patch.
    pub(super) fn updates(&mut self, operations: &[PatchOperation]) -> Vec<CitationUpdate> {
        let mut updates = Vec::new();
        for operation in operations {
            let (PatchOp::Add, Some(value)) = (operation.op, &operation.value) else {
                continue;
            };
            let path: Vec<String> = operation.path.split('/').skip(1).map(unescape).collect();
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
                    updates.extend(self.summary(message).map(CitationUpdate::Summary));
                }
                [_, "verifications", key] => {
                    updates.push(CitationUpdate::Row(self.row(key, &value.value())));
                }
                _ => {}
            }
        }
        updates
    }

    fn row(&self, key: &str, verification: &Value) -> CitationRow {
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
        let marker = marker.map_or(String::new(), |marker| format!("[{}] ", printable(marker)));
        let (quote, cited) = self.quotes.get(key).cloned().unwrap_or_default();
        let mut text = format!("{style}{sign} {words:RESULT_WIDTH$}{style:#}  {marker}“{quote}”");
        let reason = match status.state() {
            _ if source_missing => {
                Some("no document has this name; upload it and run the agent again".to_owned())
            }
            DisplayState::Partly | DisplayState::Missing => note(verification).map(printable),
            DisplayState::Elsewhere if status == VerificationStatus::FoundOnOtherPage => {
                cited.map(|page| format!("the citation names page {page}"))
            }
            _ => None,
        };
        let mut place = Vec::from_iter(source(verification));
        let page = |name: &str| match &verification["document"][name] {
            Value::Number(page) => Some(page.as_f64()),
            _ => None,
        };
        match (page("verifiedPageNumber"), page("verifiedEndPageNumber")) {
            (Some(first), Some(last)) => place.push(format!("pages {first}–{last}")),
            (Some(page), None) => place.push(format!("page {page}")),
            _ => {}
        }
        let place = Some(place.join(", ")).filter(|place| !place.is_empty());
        let url = verification["evidenceUrl"].as_str().map(printable);
        for more in [reason, place, url].into_iter().flatten() {
            text.push_str(&format!("\n    {DIM}{more}{DIM:#}"));
        }
        CitationRow {
            number: number.unwrap_or(u64::MAX),
            text,
        }
    }

    /// Returns the summary of a message.
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

/// Returns the label of the source, with its id if that is different.
fn source(verification: &Value) -> Option<String> {
    let id = verification["attachmentId"].as_str();
    let label = verification["label"].as_str();
    Some(match (label, id) {
        (Some(label), Some(id)) if label != id => {
            format!("{} ({})", printable(label), printable(id))
        }
        (label, id) => printable(label.or(id)?),
    })
}

/// Returns the note of the last search attempt that has one.
fn note(verification: &Value) -> Option<&str> {
    let attempts = verification["searchAttempts"].as_array()?;
    attempts
        .iter()
        .rev()
        .find_map(|attempt| attempt["note"].as_str())
}

/// Decodes a segment of a JSON Pointer.
fn unescape(segment: &str) -> String {
    segment.replace("~1", "/").replace("~0", "~")
}

fn short(quote: &str) -> String {
    let mut short: String = quote.chars().take(MAX_QUOTE).collect();
    if quote.chars().nth(MAX_QUOTE).is_some() {
        short.push('…');
    }
    printable(&short)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn add(path: &str, value: impl Into<Value>) -> PatchOperation {
        PatchOperation::add(path, json::Json::from(value.into()))
    }

    #[test]
    fn shows_results_in_words() {
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
        assert!(cited.is_about_citations(&first));
        assert!(cited.updates(&first).is_empty());
        let attempt = Value::from([("note", "a number differs".into())]);
        let found = Value::from([
            ("status", "not_found".into()),
            ("attachmentId", "t".into()),
            ("label", "tides.pdf".into()),
            ("searchAttempts", Value::Array(vec![attempt])),
            ("evidenceUrl", "http://here/p/1".into()),
        ]);
        let updates = cited.updates(&[add("/deepcitation/verifications/k", found)]);
        let [CitationUpdate::Row(row)] = updates.as_slice() else {
            panic!("one row");
        };
        assert_eq!(row.number, 1);
        let plain = anstream::adapter::strip_str(&row.text).to_string();
        assert_eq!(
            plain,
            "✗ not found        [1] “High tide”\n    a number differs\n    tides.pdf (t)\n    http://here/p/1"
        );
        let end = [add("/deepcitation/messages/a~1b/status", "complete")];
        let updates = cited.updates(&end);
        assert!(
            matches!(&updates[..], [CitationUpdate::Summary(line)] if line == "0 of 1 quote verified")
        );
    }

    #[test]
    fn ignores_state_of_other_agents() {
        let mut cited = CitationReport::default();
        let others = [add("/rag/citations/-", Value::from(1_usize))];
        assert!(!cited.is_about_citations(&others));
        assert!(!cited.is_about_citations(&[add("/deepcitations", Value::from(1_usize))]));
        assert!(!cited.is_about_citations(&[
            add("/deepcitation", Value::from(1_usize)),
            add("/mine", "x")
        ]));
        assert!(cited.is_about_citations(&others), "together with our key");
    }
}
