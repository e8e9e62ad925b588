//! Checking citations against documents.
//!
//! A [`CitationChecker`] searches the cited lines first, then the page, then the document. Only words that
//! are in the source, exactly or normalised, are *found*. A passage that is similar to the quote, or parts of
//! it, are at most *partial*. A difference in a number, a unit, a negation or a name, or a word that was
//! exchanged for another one, makes the quote *not found*; the [`Verdict`] shows the nearest passage and a
//! word diff then.

mod change_assessment;
mod copied_text;
#[cfg(test)]
mod difference_tests;
mod differences;
mod exact_match;
mod expected_place;
mod languages;
mod left_out_marks;
mod lexicon;
mod match_boxes;
mod names;
mod near_match;
mod page_labels;
mod quantities;
mod readable_text;
mod verdict;
mod word_pairs;
mod word_weights;

use std::cell::OnceCell;

use documents::{Document, PassageLocation};
use passage::{PassageFinder, Quote};

pub use differences::QuoteDifference;
pub use verdict::{DiffSpan, SourcePassage, Verdict};
pub use word_weights::WordWeight;

use crate::citation::Citation;
use crate::search_attempt::{
    PhraseType, QuoteVariation, SearchAttempt, SearchMethod, SearchScope, VariationType,
};
use crate::status::VerificationStatus;
use crate::verification::{ConfidenceLevel, DocumentMatch, MatchAmbiguity, VerificationProblem};
use exact_match::ExactHit;
use expected_place::{ExpectedPlace, PlaceMatch};
use page_labels::PageLabels;

/// Bytes of text around a match that a snippet shows on each side.
const CONTEXT: usize = 60;

/// Longest quote, in bytes, that is checked quickly.
const QUICK_BYTES: usize = 2 << 10;
/// Most text streams of a document that is checked quickly.
const QUICK_FLOWS: usize = 16;
/// Most places that are compared with a quote in a quick check.
const QUICK_PLACES: usize = 256;

/// Checks citations against one document and reuses its memory for each.
pub struct CitationChecker<'d> {
    document: &'d Document,
    finders: Vec<PassageFinder<'d>>,
    /// Printed page numbers; collected for the first citation that names a page.
    labels: OnceCell<PageLabels>,
}

impl<'d> CitationChecker<'d> {
    /// Creates a checker for a document.
    pub fn new(document: &'d Document) -> Self {
        let finders = document.text_streams().iter();
        Self {
            document,
            finders: finders
                .map(|flow| PassageFinder::new(&flow.index))
                .collect(),
            labels: OnceCell::new(),
        }
    }

    /// Returns the place that a citation names.
    fn expected_place(&self, citation: &Citation) -> ExpectedPlace {
        if citation.page().is_none() && citation.page_label().is_none() {
            return ExpectedPlace::of(citation, self.document, &PageLabels::default());
        }
        let labels = self.labels.get_or_init(|| PageLabels::of(self.document));
        ExpectedPlace::of(citation, self.document, labels)
    }

    /// Document that is checked against.
    pub fn document(&self) -> &'d Document {
        self.document
    }

    /// Checks a citation.
    pub fn check(&mut self, citation: &Citation) -> Verdict {
        let expected = self.expected_place(citation);
        let hit = phrase(citation).and_then(|phrase| {
            self.best_hit(phrase, &expected)
                .or_else(|| self.best_hit_of_copy(phrase, &expected))
        });
        let mut verdict = self.judge(citation, &expected, hit);
        verdict.verification.citation = Some(Box::new(citation.clone()));
        verdict
    }

    /// Checks a citation if that takes microseconds only: the quote is in the document and easy to find.
    ///
    /// Returns `None` if [`CitationChecker::check`] might take longer. The verdict is the same, without the
    /// copy of the citation.
    pub fn check_quickly(&mut self, citation: &Citation) -> Option<Verdict> {
        let phrase = phrase(citation)?;
        if phrase.len() > QUICK_BYTES || self.document.text_streams().len() > QUICK_FLOWS {
            return None;
        }
        let expected = self.expected_place(citation);
        let hit = self.best_hit_among(phrase, &expected, QUICK_PLACES)?;
        Some(self.judge(citation, &expected, Some(hit)))
    }

    /// Returns the verdict, given the best match of the quote.
    fn judge(
        &mut self,
        citation: &Citation,
        expected: &ExpectedPlace,
        hit: Option<ExactHit>,
    ) -> Verdict {
        let anchor = citation.anchor_text.as_deref();
        let anchor = anchor.filter(|anchor| !anchor.trim().is_empty());
        let mut verdict = Verdict {
            page_outside: expected.page_outside.clone(),
            ..Verdict::default()
        };
        if expected.page_outside.is_some() {
            verdict.verification.problem = Some(VerificationProblem::PageOutside);
        }
        verdict
            .verification
            .attachment_id
            .clone_from(&citation.attachment_id);
        let status = match phrase(citation) {
            Some(phrase) => self.check_phrase((phrase, hit), anchor, expected, &mut verdict),
            None => VerificationStatus::NotFound,
        };
        let status = match (status, anchor) {
            (VerificationStatus::NotFound, Some(anchor)) => {
                self.check_anchor(anchor, expected, &mut verdict)
            }
            (status, _) => status,
        };
        let status = self.apply_doubt(status, &mut verdict);
        verdict.verification.status = Some(status);
        self.set_boxes(&mut verdict);
        verdict
    }

    /// Lowers the status to partial if text recognition is unsure about a word of the match.
    fn apply_doubt(&self, status: VerificationStatus, verdict: &mut Verdict) -> VerificationStatus {
        let mut doubts = verdict.passages.iter().filter_map(|passage| {
            let flow = self.document.text_streams().get(passage.flow)?;
            self.document.doubtful_word(flow, passage.range.clone())
        });
        let Some(doubt) = doubts.next() else {
            return status;
        };
        if let Some(attempt) = verdict.verification.search_attempts.last_mut() {
            attempt.note = Some(doubt.to_string());
        }
        verdict.doubt = Some(doubt);
        match status {
            VerificationStatus::FoundAnchorTextOnly | VerificationStatus::NotFound => status,
            _ => VerificationStatus::PartialTextFound,
        }
    }

    fn check_phrase(
        &mut self,
        (phrase, hit): (&str, Option<ExactHit>),
        anchor: Option<&str>,
        expected: &ExpectedPlace,
        verdict: &mut Verdict,
    ) -> VerificationStatus {
        self.record(phrase, expected, hit.as_ref(), verdict);
        match hit {
            Some(hit) => self.accept_hit(&hit, anchor, expected, verdict),
            None => self.check_similar(phrase, anchor, expected, verdict),
        }
    }

    /// Records the place of a quote that was found, and returns the status.
    fn accept_hit(
        &self,
        hit: &ExactHit,
        anchor: Option<&str>,
        expected: &ExpectedPlace,
        verdict: &mut Verdict,
    ) -> VerificationStatus {
        verdict.verification.verified_full_phrase = Some(self.source(hit).to_owned());
        self.set_place(hit, verdict);
        verdict.verification.ambiguity = hit.ambiguity(expected);
        let anchor = anchor.map(|anchor| self.anchor_inside(anchor, hit));
        if let Some(Some(found)) = &anchor {
            verdict.verification.verified_anchor_text = Some(found.clone());
        }
        match hit.place_match {
            PlaceMatch::OtherPage => VerificationStatus::FoundOnOtherPage,
            PlaceMatch::OtherLine => VerificationStatus::FoundOnOtherLine,
            PlaceMatch::Here if anchor == Some(None) => {
                VerificationStatus::FoundPhraseMissedAnchorText
            }
            PlaceMatch::Here => VerificationStatus::Found,
        }
    }

    fn check_anchor(
        &mut self,
        anchor: &str,
        expected: &ExpectedPlace,
        verdict: &mut Verdict,
    ) -> VerificationStatus {
        let hit = self.best_hit(anchor, expected);
        let mut attempt = self.attempt(anchor, PhraseType::AnchorText, expected, hit.as_ref());
        attempt.method = Some(SearchMethod::AnchorTextFallback);
        attempt.search_scope = Some(SearchScope::Document);
        verdict.verification.search_attempts.push(attempt);
        match hit {
            // The attempt holds the place. The passage that is shown is the one that the quote contradicts.
            Some(_) if verdict.difference.is_some() => VerificationStatus::NotFound,
            Some(hit) => {
                verdict.verification.verified_anchor_text = Some(self.source(&hit).to_owned());
                self.set_place(&hit, verdict);
                VerificationStatus::FoundAnchorTextOnly
            }
            None => VerificationStatus::NotFound,
        }
    }

    /// Returns the anchor as it is written inside of a match.
    fn anchor_inside(&self, anchor: &str, hit: &ExactHit) -> Option<String> {
        let index = &self.document.text_streams().get(hit.flow)?.index;
        let quote = Quote::new(anchor, index.text()).ok()?;
        let found = index.find(&quote, Some(hit.found.range.clone()))?;
        index.text().source().get(found.range).map(str::to_owned)
    }

    fn source(&self, hit: &ExactHit) -> &'d str {
        self.text(hit.flow, hit.found.range.clone())
    }

    fn text(&self, flow: usize, range: std::ops::Range<usize>) -> &'d str {
        let flow = self.document.text_streams().get(flow);
        let source = flow.map_or("", |flow| flow.index.text().source());
        source.get(range).unwrap_or_default()
    }

    /// Returns the passage at a range of a text stream.
    fn passage(&self, flow: usize, range: std::ops::Range<usize>) -> Option<SourcePassage> {
        let place = self
            .document
            .locate(self.document.text_streams().get(flow)?, range.clone())?;
        Some(SourcePassage {
            text: self.text(flow, range.clone()).to_owned(),
            place,
            flow,
            range,
        })
    }

    /// Records the place of a match.
    fn set_place(&self, hit: &ExactHit, verdict: &mut Verdict) {
        let range = hit.found.range.clone();
        verdict.verification.document = Some(self.document_match(&hit.place));
        verdict.verification.verified_match_snippet = Some(self.snippet(hit.flow, &range));
        verdict.passages.extend(self.passage(hit.flow, range));
    }

    fn document_match(&self, place: &PassageLocation) -> DocumentMatch {
        let page = self
            .document
            .pages()
            .get(place.first.0.saturating_sub(1) as usize);
        DocumentMatch {
            verified_page_number: Some(place.first.0.into()),
            verified_end_page_number: place.end_page().map(u64::from),
            verified_line_ids: place.lines.iter().map(|&line| line.into()).collect(),
            mime_type: Some(self.document.media_type().to_owned()),
            total_lines_on_page: page.map(|page| page.lines.len() as u64),
            ..DocumentMatch::default()
        }
    }

    /// Returns a match with some words before and after it.
    fn snippet(&self, flow: usize, range: &std::ops::Range<usize>) -> String {
        let source = match self.document.text_streams().get(flow) {
            Some(flow) => flow.index.text().source(),
            None => return String::new(),
        };
        let mut start = range.start.saturating_sub(CONTEXT);
        while !source.is_char_boundary(start) {
            start += 1;
        }
        let mut end = (range.end + CONTEXT).min(source.len());
        while !source.is_char_boundary(end) {
            end -= 1;
        }
        // Cut at the boundaries of words.
        if start > 0 {
            let skipped = source[start..range.start].find(char::is_whitespace);
            start += skipped.unwrap_or(range.start - start);
        }
        if end < source.len() {
            let kept = source[range.end..end].rfind(char::is_whitespace);
            end = range.end + kept.unwrap_or(0);
        }
        let text = &source[start..end];
        // Splitting ASCII text by bytes is faster, and nearly all text is ASCII.
        match text.is_ascii() {
            true => join_words(text.split_ascii_whitespace(), text.len()),
            false => join_words(text.split_whitespace(), text.len()),
        }
    }

    /// Records the searches that led to a match or to none.
    fn record(
        &self,
        phrase: &str,
        expected: &ExpectedPlace,
        hit: Option<&ExactHit>,
        verdict: &mut Verdict,
    ) {
        let mut steps = Vec::new();
        if !expected.lines.is_empty() {
            steps.push((
                SearchMethod::LineWithBuffer,
                SearchScope::Line,
                PlaceMatch::Here,
            ));
        }
        if expected.page.is_some() {
            steps.push((
                SearchMethod::CurrentPage,
                SearchScope::Page,
                PlaceMatch::OtherLine,
            ));
        }
        steps.push((
            SearchMethod::ExpandedWindow,
            SearchScope::Document,
            PlaceMatch::OtherPage,
        ));
        for (method, scope, reach) in steps {
            let reached = hit.filter(|hit| hit.place_match <= reach);
            let mut attempt = self.attempt(phrase, PhraseType::FullPhrase, expected, reached);
            attempt.method = Some(method);
            if scope != SearchScope::Document {
                attempt.page_searched = expected.page.map(u64::from);
            }
            if scope == SearchScope::Line {
                attempt.line_searched = expected.line_searched();
            }
            attempt.search_scope = Some(scope);
            verdict.verification.search_attempts.push(attempt);
            if reached.is_some() {
                break;
            }
        }
    }

    fn attempt(
        &self,
        phrase: &str,
        kind: PhraseType,
        expected: &ExpectedPlace,
        hit: Option<&ExactHit>,
    ) -> SearchAttempt {
        let mut attempt = SearchAttempt {
            success: hit.is_some(),
            search_phrase: phrase.to_owned(),
            search_phrase_type: Some(kind.clone()),
            expected_location: expected.location(),
            ..SearchAttempt::default()
        };
        if let Some(hit) = hit {
            let exact = hit.found.verbatim;
            attempt.found_location = Some(hit.location());
            attempt.matched_text = Some(self.source(hit).to_owned());
            attempt.occurrences_found = Some(hit.count as u64);
            attempt.matched_expected_occurrence = Some(hit.place_match == PlaceMatch::Here);
            attempt.variation_type = Some(match exact {
                true => VariationType::Exact,
                false => VariationType::Normalized,
            });
            attempt.matched_variation = Some(match (kind, exact) {
                (PhraseType::AnchorText, true) => QuoteVariation::ExactAnchorText,
                (PhraseType::AnchorText, false) => QuoteVariation::NormalizedAnchorText,
                (_, true) => QuoteVariation::ExactFullPhrase,
                (_, false) => QuoteVariation::NormalizedFullPhrase,
            });
        }
        attempt
    }
}

/// Joins words with single spaces.
fn join_words<'a>(words: impl Iterator<Item = &'a str>, size: usize) -> String {
    let mut text = String::with_capacity(size);
    for word in words {
        if !text.is_empty() {
            text.push(' ');
        }
        text.push_str(word);
    }
    text
}

/// Returns the quote of a citation unless it is blank.
fn phrase(citation: &Citation) -> Option<&str> {
    let phrase = citation.full_phrase.as_deref();
    phrase.filter(|phrase| !phrase.trim().is_empty())
}

impl ExactHit {
    /// Returns the number of matches and the confidence in the chosen one, if there are several.
    fn ambiguity(&self, expected: &ExpectedPlace) -> Option<MatchAmbiguity> {
        if self.count < 2 {
            return None;
        }
        let (confidence, note) = match (self.place_match, self.on_page) {
            (PlaceMatch::Here, 1) if expected.page.is_some() => {
                (ConfidenceLevel::High, "one of them is on the page given")
            }
            (PlaceMatch::Here, _) if !expected.lines.is_empty() => {
                (ConfidenceLevel::High, "one of them is on the lines given")
            }
            (PlaceMatch::Here, _) if expected.page.is_some() => (
                ConfidenceLevel::Medium,
                "several of them are on the page given",
            ),
            _ => (
                ConfidenceLevel::Low,
                "the citation does not say which one is meant",
            ),
        };
        Some(MatchAmbiguity {
            total_occurrences: Some(self.count as u64),
            occurrences_on_expected_page: expected.page.map(|_| self.on_page as u64),
            confidence: Some(confidence),
            note: Some(format!("the words stand in {} places; {note}", self.count)),
        })
    }
}
