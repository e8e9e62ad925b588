//! What a gateway says of citations, as people like to see it.

use std::collections::HashMap;

use agui::json::Value;
use agui::patch::{Op, Operation};
use anstyle::{AnsiColor, Style};
use citations::{SOURCE_MISSING, State, Status};

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

/// What is known of citations by now.
#[derive(Debug, Default)]
pub(super) struct Cited {
    seen: bool,
    /// Markers by key.
    markers: HashMap<String, String>,
    /// Quotes by key.
    quotes: HashMap<String, String>,
    /// Counts by message and name.
    counts: HashMap<(String, String), f64>,
}

impl Cited {
    /// Whether a patch is about citations alone; then it is told in words, not as a patch.
    pub(super) fn takes(&mut self, operations: &[Operation]) -> bool {
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

    /// The lines that tell of a patch.
    pub(super) fn lines(&mut self, operations: &[Operation]) -> Vec<String> {
        let mut lines = Vec::new();
        for operation in operations {
            let (Op::Add, Some(value)) = (operation.op, &operation.value) else {
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
                    self.quotes
                        .insert((*key).to_owned(), short(quote.unwrap_or_default()));
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
                    lines.extend(self.summary(message));
                }
                [_, "verifications", key] => lines.push(self.verdict(key, &value.value())),
                _ => {}
            }
        }
        lines
    }

    fn verdict(&self, key: &str, verification: &Value) -> String {
        let status = Status::from_name(verification["status"].as_str().unwrap_or_default());
        let words = match verification["problem"].as_str() {
            Some("source_missing") => SOURCE_MISSING,
            _ => status.words(),
        };
        let style = match status.state() {
            State::Verified => GOOD,
            State::Partly => FAIR,
            State::Elsewhere => ELSEWHERE,
            State::Missing => BAD,
            State::Pending => DIM,
        };
        let mark = status.state().sign();
        let marker = self.markers.get(key);
        let marker = marker.map_or(String::new(), |marker| format!("[{}] ", shown(marker)));
        let quote = self.quotes.get(key).map_or("", String::as_str);
        let mut place: Vec<String> = Vec::new();
        place.extend(verification["attachmentId"].as_str().map(shown));
        if let Value::Number(page) = &verification["document"]["verifiedPageNumber"] {
            place.push(format!("page {}", page.as_f64()));
        }
        place.extend(verification["evidenceUrl"].as_str().map(shown));
        format!(
            "{style}{mark} {words}{style:#}  {marker}“{quote}”  {DIM}{}{DIM:#}",
            place.join(", ")
        )
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

    fn add(path: &str, value: impl Into<Value>) -> Operation {
        Operation::add(path, agui::json::Json::from(value.into()))
    }

    #[test]
    fn results_are_told_in_words() {
        let mut cited = Cited::default();
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
        assert_eq!(cited.lines(&first), Vec::<String>::new());
        let found = Value::from([("status", "not_found".into()), ("attachmentId", "t".into())]);
        let lines = cited.lines(&[add("/deepcitation/verifications/k", found)]);
        assert!(
            lines[0].contains("✗ not found") && lines[0].contains("[1] “High tide”"),
            "{lines:?}"
        );
        let end = [add("/deepcitation/messages/a~1b/status", "complete")];
        assert_eq!(cited.lines(&end), ["0 of 1 quote verified"]);
    }

    #[test]
    fn what_is_another_agents_is_shown_as_it_is() {
        let mut cited = Cited::default();
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
