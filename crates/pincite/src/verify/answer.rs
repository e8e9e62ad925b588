//! Claims to verify: the citations of an answer, or of a JSON file.

use std::collections::HashMap;
use std::ops::Range;
use std::path::Path;

use citations::resolve::choose_key;
use citations::{
    Citation, CitationForm, CitationId, CitationKey, CitationParser, CitedPassage, MarkerTarget,
    ParseEvent, ParsedAnswer,
};
use json::Value;

use super::VerifyNotice;
use super::answer_file::AnswerFile;
use super::positions::{AnswerPosition, LineStarts, PieceOffsets};
use super::quotation_claims::QuotationFinder;
use super::sources::SourceSet;
use crate::command_error::CommandError;
use crate::stream::read_text;

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
    /// Name of the source that the attribution of a quotation means, if it was given.
    pub(super) source_name: Option<String>,
    /// Other sources that the attribution names. The quotation is right if it is in one of them.
    pub(super) alternatives: Vec<AlternativeSource>,
}

/// Another source that the attribution of a quotation names.
#[derive(Debug, Clone)]
pub(super) struct AlternativeSource {
    pub(super) citation: Citation,
    /// Name of the source, if it was given.
    pub(super) source_name: Option<String>,
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
    /// Range of the marker in the visible text; empty if there is none.
    pub(super) range: Range<usize>,
    /// Range of the marker or of the quotation in the answer as written.
    pub(super) anchor: Range<usize>,
    /// Number of the marker, as in `[1]`.
    pub(super) number: Option<u64>,
    /// Words of a link that is the marker.
    pub(super) words: Option<String>,
    /// Index of the claim.
    pub(super) claim: usize,
}

impl AnswerClaims {
    /// Parses the citations of an answer: those in the forms of models, and quotations with the attributions that people
    /// write. `quotes` adds quotations without a source.
    pub(super) fn from_answer(answer: &AnswerFile, quotes: bool, sources: &SourceSet) -> Self {
        let text = answer.text.as_str();
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

        let lines = LineStarts::of(answer);
        let mut claims = Self::default();
        let mut chips = Vec::new();
        for cited in &reading.citations {
            claims.add_parsed(cited, &reading, &pieces, &lines, &mut chips);
        }
        let mut finder = QuotationFinder {
            reading: &reading,
            pieces: &pieces,
            lines: &lines,
            sources,
            has_all: quotes,
        };
        let parsed = claims.claims.len();
        finder.add_to(&mut claims, &mut chips);
        chips.sort_by_key(|chip| chip.range.start);
        if (1..claims.claims.len()).contains(&parsed) {
            claims.order_by_chips(&mut chips);
        }
        for problem in &reading.problems {
            let notice = VerifyNotice::new(problem.reason.code(), problem.reason.to_string());
            claims.notices.push(match lines.position(problem.offset) {
                Some(at) => VerifyNotice {
                    message: format!("line {}, column {}: {}", at.line, at.column, notice.message),
                    ..notice.with("position", at.to_value())
                },
                None => notice,
            });
        }
        claims.visible = Some(VisibleAnswer {
            text: reading.visible,
            chips,
        });
        claims
    }

    /// Puts the claims in the order of their first chips, so that quotations and other citations are mixed as in the answer.
    fn order_by_chips(&mut self, chips: &mut [AnswerChip]) {
        let mut places = vec![usize::MAX; self.claims.len()];
        for (at, chip) in chips.iter().enumerate().rev() {
            places[chip.claim] = at;
        }
        let mut order: Vec<usize> = (0..places.len()).collect();
        order.sort_by_key(|claim| places[*claim]);
        let mut new_index = vec![0; order.len()];
        for (at, claim) in order.iter().enumerate() {
            new_index[*claim] = at;
        }
        self.claims = order
            .iter()
            .map(|claim| self.claims[*claim].clone())
            .collect();
        for (_, at) in self.keys.values_mut() {
            *at = new_index[*at];
        }
        for chip in chips {
            chip.claim = new_index[chip.claim];
        }
    }

    /// Adds a citation that the parser found.
    fn add_parsed(
        &mut self,
        cited: &CitedPassage,
        reading: &ParsedAnswer,
        pieces: &PieceOffsets,
        lines: &LineStarts<'_>,
        chips: &mut Vec<AnswerChip>,
    ) {
        let text = lines.text;
        let marker = cited.markers.first().map(|&at| &reading.markers[at]);
        let offset = marker.map_or(cited.found.range.start, |marker| marker.range.start);
        let shown = marker.and_then(|marker| text.get(marker.range.clone()));
        let claim = self.add(AnswerClaim {
            key: cited.found.key.to_string(),
            id: cited.found.citation.id(),
            citation: cited.found.citation.clone(),
            position: lines.position(offset),
            marker: shown.map(str::to_owned),
            source: cited.found.document_index,
            source_name: None,
            alternatives: Vec::new(),
        });
        let Some(claim) = claim else {
            return;
        };
        for marker in cited.markers.iter().map(|&at| &reading.markers[at]) {
            chips.push(AnswerChip {
                range: marker.visible..marker.visible + marker.range.len(),
                anchor: marker.range.clone(),
                number: marker_number(&marker.reference),
                words: link_words(&marker.reference, text),
                claim,
            });
        }
        let is_in_text = matches!(cited.found.form, CitationForm::Tag | CitationForm::Quote);
        if cited.markers.is_empty() && is_in_text {
            let at = after_words(&reading.visible, pieces.visible(cited.found.range.end));
            chips.push(AnswerChip {
                range: at..at,
                anchor: cited.found.range.clone(),
                number: None,
                words: None,
                claim,
            });
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
                    source_name: None,
                    alternatives: Vec::new(),
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
    pub(super) fn add(&mut self, mut claim: AnswerClaim) -> Option<usize> {
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

/// Returns the number of a marker.
fn marker_number(reference: &MarkerTarget) -> Option<u64> {
    match reference {
        MarkerTarget::Number(number) | MarkerTarget::Link { number, .. } => Some(*number),
        MarkerTarget::Footnote { label } => label.parse().ok(),
    }
}

/// Returns the words of a link that is a marker.
fn link_words(reference: &MarkerTarget, text: &str) -> Option<String> {
    match reference {
        MarkerTarget::Link { label, .. } => text.get(label.clone()).map(str::to_owned),
        MarkerTarget::Number(_) | MarkerTarget::Footnote { .. } => None,
    }
}

/// Returns the end of the last word before `at`.
fn after_words(text: &str, at: usize) -> usize {
    text.get(..at).map_or(at, |before| before.trim_end().len())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn keys_are_unique() {
        let claim = |phrase: &str| {
            let citation = Citation {
                full_phrase: Some(phrase.to_owned()),
                ..Citation::default()
            };
            AnswerClaim {
                key: String::new(),
                id: citation.id(),
                citation,
                position: None,
                marker: None,
                source: None,
                source_name: None,
                alternatives: Vec::new(),
            }
        };
        let mut claims = AnswerClaims::default();
        assert_eq!(claims.add(claim("one")), Some(0));
        assert_eq!(claims.add(claim("two")), Some(1));
        assert_eq!(claims.add(claim("one")), Some(0));
        assert_eq!(claims.claims.len(), 2);
    }
}
