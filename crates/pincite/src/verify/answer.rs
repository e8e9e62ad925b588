//! Claims to verify: the citations of an answer, or of a JSON file.

use std::collections::{HashMap, HashSet};
use std::ops::Range;
use std::path::Path;

use citations::resolve::choose_key;
use citations::{
    Citation, CitationForm, CitationId, CitationKey, CitationParser, MarkerTarget, ParseEvent,
    ParsedAnswer,
};
use json::Value;

use super::VerifyNotice;
use crate::command_error::CommandError;
use crate::stream::read_text;

/// Minimum number of words in quotation marks that `--quotes` checks.
const MIN_QUOTED: usize = 5;

/// A citation to check.
#[derive(Debug, Clone)]
pub(super) struct AnswerClaim {
    /// Key of the result.
    pub(super) key: String,
    pub(super) id: CitationId,
    pub(super) citation: Citation,
    /// Position of its first marker in the answer, or of the citation itself.
    pub(super) position: Option<AnswerPosition>,
    /// Text of its first marker, such as `[1]`.
    pub(super) marker: Option<String>,
    /// Number of the source that the citation names, from 0.
    pub(super) source: Option<u64>,
}

/// Position in the answer.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) struct AnswerPosition {
    /// Line, from 1.
    pub(super) line: usize,
    /// Column in characters, from 1.
    pub(super) column: usize,
    /// Offset in bytes, from 0.
    pub(super) offset: usize,
}

/// Claims of one answer or file.
#[derive(Debug, Default)]
pub(super) struct AnswerClaims {
    pub(super) claims: Vec<AnswerClaim>,
    pub(super) notices: Vec<VerifyNotice>,
    /// Text of the answer for a report; `None` for a file of citations.
    pub(super) visible: Option<VisibleAnswer>,
    keys: HashMap<CitationKey, (CitationId, usize)>,
}

/// Answer without data blocks and tags, with the positions of its citations.
#[derive(Debug, Default)]
pub(super) struct VisibleAnswer {
    pub(super) text: String,
    /// Citations in the order of the text.
    pub(super) chips: Vec<AnswerChip>,
}

/// A citation at a position of the text.
#[derive(Debug, Clone)]
pub(super) struct AnswerChip {
    /// Range of the marker; empty if there is none.
    pub(super) range: Range<usize>,
    /// Text of the marker.
    pub(super) label: Option<String>,
    /// Index of the claim.
    pub(super) claim: usize,
}

impl AnswerClaims {
    /// Parses the citations of an answer. `quotes` adds passages in quotation marks.
    pub(super) fn from_answer(text: &str, quotes: bool) -> Self {
        let mut reading = ParsedAnswer::default();
        let mut pieces = PieceOffsets::default();
        let mut reader = CitationParser::new();
        let mut handle = |event: ParseEvent<'_>| {
            if let ParseEvent::Text { offset, .. } = &event {
                pieces.0.push((reading.visible.len(), *offset));
            }
            reading.add(event);
        };
        reader.feed(text, &mut handle);
        reader.finish(&mut handle);
        reading.resolve();

        let lines = LineStarts::of(text);
        let mut claims = Self::default();
        let mut chips = Vec::new();
        for cited in &reading.citations {
            let marker = cited.markers.first().map(|&at| &reading.markers[at]);
            let offset = marker.map_or(cited.found.range.start, |marker| marker.range.start);
            let shown = marker.and_then(|marker| text.get(marker.range.clone()));
            let claim = claims.add(AnswerClaim {
                key: cited.found.key.to_string(),
                id: cited.found.citation.id(),
                citation: cited.found.citation.clone(),
                position: Some(lines.position(offset)),
                marker: shown.map(str::to_owned),
                source: cited.found.document_index,
            });
            let Some(claim) = claim else {
                continue;
            };
            for marker in cited.markers.iter().map(|&at| &reading.markers[at]) {
                chips.push(AnswerChip {
                    range: marker.visible..marker.visible + marker.range.len(),
                    label: label(&marker.reference, text),
                    claim,
                });
            }
            if cited.markers.is_empty()
                && matches!(cited.found.form, CitationForm::Tag | CitationForm::Quote)
            {
                let at = after_words(&reading.visible, pieces.visible(cited.found.range.end));
                chips.push(AnswerChip {
                    range: at..at,
                    label: None,
                    claim,
                });
            }
        }
        if quotes {
            claims.add_quotes(&reading, &pieces, &lines, &mut chips);
        }
        chips.sort_by_key(|chip| chip.range.start);
        for problem in &reading.problems {
            let position = lines.position(problem.offset);
            claims.notices.push(
                VerifyNotice::new(
                    problem.reason.code(),
                    format!(
                        "line {}, column {}: {}",
                        position.line, position.column, problem.reason
                    ),
                )
                .with("position", position.to_value()),
            );
        }
        claims.visible = Some(VisibleAnswer {
            text: reading.visible,
            chips,
        });
        claims
    }

    /// Adds passages in quotation marks that are not cited.
    fn add_quotes(
        &mut self,
        reading: &ParsedAnswer,
        pieces: &PieceOffsets,
        lines: &LineStarts<'_>,
        chips: &mut Vec<AnswerChip>,
    ) {
        let mut cited: HashSet<String> = HashSet::new();
        for claim in &self.claims {
            cited.extend(claim.citation.full_phrase.clone());
        }
        for quoted in quoted(&reading.visible) {
            let phrase = &reading.visible[quoted.clone()];
            if phrase.split_whitespace().count() < MIN_QUOTED || !cited.insert(phrase.to_owned()) {
                continue;
            }
            let citation = Citation {
                full_phrase: Some(phrase.to_owned()),
                ..Citation::default()
            };
            let claim = self.add(AnswerClaim {
                key: citation.key().to_string(),
                id: citation.id(),
                citation,
                position: Some(lines.position(pieces.input(quoted.start))),
                marker: None,
                source: None,
            });
            // The chip follows the closing quotation mark.
            let close = reading.visible[quoted.end..].chars().next();
            let at = quoted.end + close.map_or(0, char::len_utf8);
            chips.extend(claim.map(|claim| AnswerChip {
                range: at..at,
                label: None,
                claim,
            }));
        }
    }

    /// Reads the citations of a JSON file: `{key: {…}}`.
    pub(super) fn from_file(path: &Path) -> Result<Self, CommandError> {
        let invalid = |reason: String| CommandError::WrongContent {
            path: path.to_owned(),
            expected: "a JSON object of citations",
            reason,
        };
        let value = Value::parse(&read_text(path)?).map_err(|error| invalid(error.to_string()))?;
        let Value::Object(entries) = value else {
            return Err(invalid("the JSON value is not an object".to_owned()));
        };
        let mut claims = Self::default();
        for (key, value) in entries.iter() {
            match Citation::from_json(value) {
                Some(citation) => claims.claims.push(AnswerClaim {
                    key: key.to_owned(),
                    id: citation.id(),
                    citation,
                    position: None,
                    marker: None,
                    source: None,
                }),
                None => claims.notices.push(
                    VerifyNotice::new(
                        "not_an_object",
                        format!("citation '{key}' is not a JSON object and was skipped"),
                    )
                    .with("key", key),
                ),
            }
        }
        Ok(claims)
    }

    /// Adds a claim unless it is known, and returns its index. Returns `None` if other citations have all keys that it
    /// could have.
    fn add(&mut self, mut claim: AnswerClaim) -> Option<usize> {
        let (key, id) = (claim.citation.key(), claim.id);
        let key = choose_key(key, id, |key| self.keys.get(&key).map(|(id, _)| *id))?;
        if let Some((_, at)) = self.keys.get(&key) {
            return Some(*at);
        }
        claim.key = key.to_string();
        let at = self.claims.len();
        self.keys.insert(key, (claim.id, at));
        self.claims.push(claim);
        Some(at)
    }
}

impl AnswerPosition {
    pub(super) fn to_value(self) -> Value {
        Value::from([
            ("line", self.line.into()),
            ("column", self.column.into()),
            ("offset", self.offset.into()),
        ])
    }
}

/// Returns the text of a marker.
fn label(reference: &MarkerTarget, text: &str) -> Option<String> {
    match reference {
        MarkerTarget::Number(number) => Some(number.to_string()),
        MarkerTarget::Link { label, .. } => text.get(label.clone()).map(str::to_owned),
        MarkerTarget::Footnote { label } => Some(label.clone()),
    }
}

/// Returns the end of the last word before `at`.
fn after_words(text: &str, at: usize) -> usize {
    text.get(..at).map_or(at, |before| before.trim_end().len())
}

/// Offsets of the pieces of the visible text: in the visible text and in the input.
#[derive(Default)]
struct PieceOffsets(Vec<(usize, usize)>);

impl PieceOffsets {
    /// Converts an offset of the visible text to the input.
    fn input(&self, at: usize) -> usize {
        let after = self.0.partition_point(|&(visible, _)| visible <= at);
        let (visible, input) = self.piece(after);
        input + at - visible
    }

    /// Converts an offset of the input to the visible text. Hidden input maps to the start of the next piece.
    fn visible(&self, at: usize) -> usize {
        let after = self.0.partition_point(|&(_, input)| input <= at);
        let (visible, input) = self.piece(after);
        let next = self.0.get(after).map_or(usize::MAX, |next| next.0);
        (visible + at.saturating_sub(input)).min(next)
    }

    fn piece(&self, after: usize) -> (usize, usize) {
        let last = after.checked_sub(1).and_then(|at| self.0.get(at));
        last.copied().unwrap_or_default()
    }
}

/// Offsets of the line starts of a text.
struct LineStarts<'a> {
    text: &'a str,
    starts: Vec<usize>,
}

impl<'a> LineStarts<'a> {
    fn of(text: &'a str) -> Self {
        let ends = text.match_indices('\n').map(|(at, _)| at + 1);
        Self {
            text,
            starts: std::iter::once(0).chain(ends).collect(),
        }
    }

    fn position(&self, offset: usize) -> AnswerPosition {
        let line = self.starts.partition_point(|&start| start <= offset);
        let start = self
            .starts
            .get(line.saturating_sub(1))
            .copied()
            .unwrap_or(0);
        let before = self.text.get(start..offset).unwrap_or_default();
        AnswerPosition {
            line,
            column: before.chars().count() + 1,
            offset,
        }
    }
}

/// Returns the ranges between quotation marks. The end of a paragraph closes an open quotation.
fn quoted(text: &str) -> Vec<std::ops::Range<usize>> {
    const PAIRS: [(char, char); 6] = [
        ('“', '”'),
        ('„', '“'),
        ('«', '»'),
        ('»', '«'),
        ('「', '」'),
        ('"', '"'),
    ];
    let mut found = Vec::new();
    let mut open: Option<(char, usize)> = None;
    let mut line_is_blank = false;
    for (at, char) in text.char_indices() {
        match char {
            '\n' if line_is_blank => open = None,
            '\n' => line_is_blank = true,
            char if char.is_whitespace() => {}
            _ => line_is_blank = false,
        }
        match open {
            Some((close, start)) if char == close || (close == '“' && char == '”') => {
                found.push(start..at);
                open = None;
            }
            Some(_) => {}
            None => {
                let pair = PAIRS.iter().find(|(first, _)| *first == char);
                open = pair.map(|(_, close)| (*close, at + char.len_utf8()));
            }
        }
    }
    found
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn quotations_are_found_in_every_style() {
        let text = "He said “one two”, „drei vier“, «cinq» and \"six\". An open \" ends\n\nhere \"seven\".";
        let found: Vec<&str> = quoted(text).into_iter().map(|range| &text[range]).collect();
        assert_eq!(found, ["one two", "drei vier", "cinq", "six", "seven"]);
    }

    #[test]
    fn positions_count_lines_and_characters() {
        let lines = LineStarts::of("äb\nc\n");
        let at = |offset| {
            let position = lines.position(offset);
            (position.line, position.column)
        };
        assert_eq!(
            [at(0), at(2), at(4), at(6)],
            [(1, 1), (1, 2), (2, 1), (3, 1)]
        );
    }
}
