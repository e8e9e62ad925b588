//! Claims from quotation marks: quotations with the sources that people name after them.

use std::collections::HashSet;
use std::ops::Range;

use citations::{
    Attribution, Citation, CitationForm, ParsedAnswer, Quotation, WrittenReference, find_quotations,
};
use pulldown_cmark::{Event, Options, Parser, Tag};

use super::answer::{AlternativeSource, AnswerChip, AnswerClaim, AnswerClaims};
use super::positions::{LineStarts, PieceOffsets};
use super::sources::SourceSet;

/// Minimum number of words of a quotation without a source that `--quotes` checks.
const MIN_QUOTED: usize = 5;

/// Finder of quotations in an answer.
pub(super) struct QuotationFinder<'a> {
    pub(super) reading: &'a ParsedAnswer,
    pub(super) pieces: &'a PieceOffsets,
    pub(super) lines: &'a LineStarts<'a>,
    pub(super) sources: &'a SourceSet,
    /// True if quotations without a source are claims, too.
    pub(super) has_all: bool,
}

impl QuotationFinder<'_> {
    /// Adds the quotations that are claims.
    pub(super) fn add_to(&mut self, claims: &mut AnswerClaims, chips: &mut Vec<AnswerChip>) {
        let visible = self.reading.visible.as_str();
        let found = find_quotations(visible);
        if found.is_empty() {
            return;
        }
        let code = code_ranges(visible);
        let cited = self.cited_ranges();
        let mut phrases: HashSet<String> = HashSet::new();
        for claim in &claims.claims {
            phrases.extend(claim.citation.full_phrase.clone());
        }
        for quote in &found {
            let start = self.pieces.input(quote.range.start);
            if is_inside(&code, quote.range.start) || is_inside(&cited, start) {
                continue;
            }
            let phrase = phrase(&visible[quote.words.clone()]);
            let attribution = quote
                .attribution
                .as_ref()
                .filter(|found| self.is_attribution(found));
            let is_claim = match attribution {
                Some(_) => true,
                None => {
                    self.has_all && count_words(&phrase) >= MIN_QUOTED && !phrases.contains(&phrase)
                }
            };
            if is_claim {
                phrases.insert(phrase.clone());
                self.add_quotation(quote, &phrase, attribution, claims, chips);
            }
        }
    }

    /// Returns true if the text after a quotation names its source: by its form, or because such a source was given.
    fn is_attribution(&self, attribution: &Attribution) -> bool {
        let names = std::iter::once(&attribution.reference).chain(&attribution.others);
        attribution.is_certain()
            || names
                .filter_map(|reference| reference.source.as_deref())
                .any(|name| self.sources.name_of_reference(name).is_some())
    }

    fn add_quotation(
        &self,
        quote: &Quotation,
        phrase: &str,
        attribution: Option<&Attribution>,
        claims: &mut AnswerClaims,
        chips: &mut Vec<AnswerChip>,
    ) {
        let references = attribution.into_iter().flat_map(|attribution| {
            std::iter::once(&attribution.reference).chain(&attribution.others)
        });
        let mut named = references.map(|reference| self.named_source(phrase, reference));
        let (citation, source_name) = match named.next() {
            Some(first) => (first.citation, first.source_name),
            None => (quoted(phrase), None),
        };
        let alternatives = named.collect();
        let start = self.pieces.input(quote.range.start);
        // The last character decides, because the next one may belong to another piece.
        let end = self.pieces.input(quote.range.end - 1) + 1;
        let claim = claims.add(AnswerClaim {
            key: citation.key().to_string(),
            id: citation.id(),
            citation,
            position: self.lines.position(self.pieces.input(quote.words.start)),
            marker: None,
            source: None,
            source_name,
            alternatives,
        });
        // The chip follows the quotation and its attribution.
        let at = attribution.map_or(quote.range.end, |found| found.end);
        chips.extend(claim.map(|claim| AnswerChip {
            range: at..at,
            anchor: start..end,
            number: None,
            words: None,
            claim,
        }));
    }

    /// Returns the citation of a phrase in the source that a reference names.
    fn named_source(&self, phrase: &str, reference: &WrittenReference) -> AlternativeSource {
        let mut citation = quoted(phrase);
        citation.attachment_id.clone_from(&reference.source);
        if let Some(page) = &reference.page {
            citation.set_page_label(page);
        }
        let name = reference.source.as_deref();
        let name = name.and_then(|name| self.sources.name_of_reference(name));
        AlternativeSource {
            citation,
            source_name: name.map(str::to_owned),
        }
    }

    /// Returns the ranges of the citations that the parser found in the text, sorted.
    fn cited_ranges(&self) -> Vec<Range<usize>> {
        let citations = self.reading.citations.iter();
        let in_text = citations.filter(|cited| {
            matches!(
                cited.found.form,
                CitationForm::Footnote | CitationForm::Quote
            )
        });
        let mut ranges: Vec<Range<usize>> =
            in_text.map(|cited| cited.found.range.clone()).collect();
        ranges.sort_by_key(|range| range.start);
        ranges
    }
}

/// Returns a citation that names no source.
fn quoted(phrase: &str) -> Citation {
    Citation {
        full_phrase: Some(phrase.to_owned()),
        ..Citation::default()
    }
}

/// Returns true if an offset is in one of these ranges, which are sorted and do not overlap.
fn is_inside(ranges: &[Range<usize>], at: usize) -> bool {
    let after = ranges.partition_point(|range| range.start <= at);
    after > 0 && ranges[after - 1].contains(&at)
}

/// Returns the ranges of code in a Markdown text, sorted.
fn code_ranges(text: &str) -> Vec<Range<usize>> {
    if !text.contains(['`', '~']) {
        return Vec::new();
    }
    let events = Parser::new_ext(text, Options::ENABLE_TABLES).into_offset_iter();
    let is_code =
        |event: &Event<'_>| matches!(event, Event::Code(_) | Event::Start(Tag::CodeBlock(_)));
    events
        .filter(|(event, _)| is_code(event))
        .map(|(_, range)| range)
        .collect()
}

/// Returns the words of a quotation without the signs of block quotes and marks of footnotes inside it.
fn phrase(words: &str) -> String {
    let lines = words
        .lines()
        .map(|line| line.trim_start_matches(['>', ' ', '\t']));
    let mut phrase = lines.collect::<Vec<_>>().join("\n");
    while let Some(start) = phrase.find("[^")
        && let Some(length) = phrase[start..].find(']')
    {
        phrase.replace_range(start..=start + length, "");
    }
    phrase.trim().to_owned()
}

/// Returns the number of words. Scripts without spaces count two characters as a word.
fn count_words(phrase: &str) -> usize {
    let has_no_spaces = |char: &char| matches!(u32::from(*char), 0x0e00..=0x0eff | 0x1000..=0x109f | 0x1780..=0x17ff | 0x3040..=0x30ff | 0x3400..=0x9fff | 0xf900..=0xfaff | 0x20000..=0x3ffff);
    let dense = phrase.chars().filter(has_no_spaces).count();
    let spaced = phrase
        .split_whitespace()
        .filter(|word| !word.chars().any(|char| has_no_spaces(&char)));
    spaced.count() + dense.div_ceil(2)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn words_are_counted_in_every_script() {
        assert_eq!(count_words("one two three"), 3);
        assert_eq!(count_words("第一座码头建于一九一一年"), 6);
        assert_eq!(count_words("اسکله در سال ساخته شد"), 5);
    }

    #[test]
    fn signs_of_the_text_are_not_words_of_the_quotation() {
        assert_eq!(phrase("High tide\n> at[^1] noon"), "High tide\nat noon");
    }
}
