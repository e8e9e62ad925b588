//! Passages that are similar to a quote that was not found.

use documents::TextStreamRole;
use passage::{
    CandidatePlace as Near, Quote, QuoteFragments, SearchTolerance, parts_between_ellipses,
};

use super::differences::{DiffAssessment, QuoteDifference, assess, meaning_change_in};
use super::exact_match::ExactHit;
use super::expected_place::ExpectedPlace;
use super::readable_text::{diff_spans, whole_diff};
use super::{CitationChecker, SourcePassage, Verdict};
use crate::search_attempt::{
    PhraseType, QuoteVariation, SearchAttempt, SearchLocation, SearchMethod, SearchScope,
};
use crate::status::VerificationStatus;

/// Largest share of characters that may differ in a passage that is compared with the quote.
const MAX_DISTANCE: f64 = 0.30;
/// Shortest part of a quote that counts as found, in bytes of normalised text.
const MIN_PART: usize = 16;
/// Share of a quote that must be found if it is found in several parts.
const MIN_COVERED: f64 = 0.75;
/// Share of a quote that must be found if it is found in one part.
const MIN_ONE_PART: f64 = 0.6;
/// Largest distance between the parts around an ellipsis, in bytes.
const MAX_LEFT_OUT: usize = 20_000;
/// Most matches of the first part that are tried.
const MAX_STARTS: usize = 16;
/// Share of differing characters above which the nearest passage may be only one of several that the quote was
/// put together from.
const DISTANT: f64 = 0.15;
/// Shortest part of a fused quote, in bytes of normalised text.
const MIN_FUSED: usize = 20;
/// Share of a fused quote that its parts must cover.
const MIN_FUSED_COVERED: f64 = 0.9;
/// Largest distance between parts that count as one place, in bytes.
const MAX_GAP: usize = 300;
/// Fewest words of a quote that may be partly found.
const MIN_WORDS: usize = 3;

/// Result of a comparison with the nearest passage.
enum NearComparison {
    /// The comparison decides the status.
    Settled(VerificationStatus),
    /// Much of the passage differs, and it says something else.
    Distant,
}

impl CitationChecker<'_> {
    /// Checks a quote that has no exact or normalised match.
    pub(super) fn check_similar(
        &mut self,
        phrase: &str,
        anchor: Option<&str>,
        expected: &ExpectedPlace,
        verdict: &mut Verdict,
    ) -> VerificationStatus {
        if let Some(parts) = self.find_parts_around_ellipses(phrase, expected) {
            let note = "the quote leaves something out, its parts are there";
            self.accept_parts(phrase, parts, note, verdict);
            verdict.difference = Some(QuoteDifference::WordsMissing);
            return VerificationStatus::PartialTextFound;
        }
        match self.compare_nearest(phrase, anchor, expected, verdict) {
            Some(NearComparison::Settled(status)) => status,
            // The quote may have been put together from this passage and another one.
            Some(NearComparison::Distant) if self.is_fused(phrase) => {
                verdict.difference = None;
                self.check_parts(phrase, verdict)
            }
            Some(NearComparison::Distant) => VerificationStatus::NotFound,
            None => self.check_parts(phrase, verdict),
        }
    }

    /// Returns true if a quote is made of long parts that are far from each other in the source.
    fn is_fused(&self, phrase: &str) -> bool {
        let Some(flow) = self.document.text_streams().first() else {
            return false;
        };
        let Ok(quote) = Quote::new(phrase, flow.index.text()) else {
            return false;
        };
        let fragments = flow.index.fragments(&quote, MIN_FUSED, None);
        let far = |pair: &[passage::QuoteFragment]| {
            let (first, second) = (&pair[0].found.range, &pair[1].found.range);
            second.start < first.start || second.start > first.end.saturating_add(MAX_GAP)
        };
        fragments.covered() as f64 >= MIN_FUSED_COVERED * phrase.len() as f64
            && fragments.parts.windows(2).any(far)
    }

    /// Finds the parts of a quote with ellipses, in order and not far apart.
    ///
    /// Prefers parts on the expected page, then parts that are near to each other. Returns `None` if a part
    /// is missing.
    fn find_parts_around_ellipses(
        &self,
        phrase: &str,
        expected: &ExpectedPlace,
    ) -> Option<Vec<SourcePassage>> {
        let parts = parts_between_ellipses(phrase);
        // An ellipsis at the start or the end leaves one part.
        let cut = parts.len() == 1 && parts.first() != Some(&(0..phrase.len()));
        if parts.len() < 2 && !cut {
            return None;
        }
        for (at, flow) in self.document.text_streams().iter().enumerate() {
            let text = flow.index.text();
            let quotes = parts
                .iter()
                .map(|part| Quote::new(&phrase[part.clone()], text));
            let quotes: Vec<Quote> = quotes.collect::<Result<_, _>>().ok()?;
            let page = expected
                .page
                .and_then(|page| self.document.range_of_pages(flow, page..page + 1));
            let wanted = passage::MatchRequest {
                limit: MAX_STARTS,
                near: page.map(|page| page.start),
                ..passage::MatchRequest::default()
            };
            let starts = flow.index.occurrences(&quotes[0], &wanted).matches;
            let whole = starts.into_iter().filter_map(|start| {
                let mut found = vec![start.range];
                for quote in &quotes[1..] {
                    let from = found.last()?.end;
                    let to = from.saturating_add(MAX_LEFT_OUT).min(text.source().len());
                    found.push(flow.index.find(quote, Some(from..to))?.range);
                }
                let all = found.first()?.start..found.last()?.end;
                let place = self.document.locate(flow, all.clone())?;
                let begun = expected
                    .page
                    .unwrap_or(place.first.0)
                    .abs_diff(place.first.0);
                Some(((expected.place_match(&place), begun, all.len()), found))
            });
            if let Some((_, found)) = whole.min_by_key(|(order, _)| *order) {
                return found
                    .into_iter()
                    .map(|range| self.passage(at, range))
                    .collect();
            }
        }
        None
    }

    /// Compares a quote with the passage that is most similar to it. Returns `None` if there is no similar
    /// passage.
    fn compare_nearest(
        &mut self,
        phrase: &str,
        anchor: Option<&str>,
        expected: &ExpectedPlace,
        verdict: &mut Verdict,
    ) -> Option<NearComparison> {
        let (flow, near) = self.nearest(phrase, expected)?;
        let index = &self.document.text_streams().get(flow)?.index;
        let quote = Quote::new(phrase, index.text()).ok()?;
        let (range, diff) = whole_diff(&quote, index.text(), near.passage.clone());
        let assessment = assess(&diff, &quote, index);
        let passage = self.passage(flow, range.clone())?;
        let length = quote.normalised().chars().count();
        verdict.distance = Some((near.distance * 1000 / length.max(1)) as u32);
        if assessment == DiffAssessment::SameWithoutMarks {
            let hit = self.hit_at(flow, range, expected)?;
            let mut attempt = self.attempt(phrase, PhraseType::FullPhrase, expected, Some(&hit));
            attempt.search_scope = Some(SearchScope::Document);
            attempt.method = Some(SearchMethod::ExpandedWindow);
            verdict.verification.search_attempts.push(attempt);
            let status = self.accept_hit(&hit, anchor, expected, verdict);
            return Some(NearComparison::Settled(status));
        }
        let distant = near.distance as f64 > DISTANT * length as f64;
        let status = match assessment {
            // In a quote of one or two words a misspelling leaves too little to compare.
            DiffAssessment::Harmless(_) if diff.quote.len() < MIN_WORDS => None,
            DiffAssessment::SameWithoutMarks | DiffAssessment::Harmless(_) => {
                Some(VerificationStatus::PartialTextFound)
            }
            DiffAssessment::ChangesMeaning(_) => Some(VerificationStatus::NotFound),
            DiffAssessment::Other(_) => None,
        };
        verdict.difference = match assessment {
            DiffAssessment::Harmless(difference) => Some(difference).filter(|_| status.is_some()),
            DiffAssessment::ChangesMeaning(difference) => Some(difference),
            DiffAssessment::Other(difference) => difference,
            DiffAssessment::SameWithoutMarks => None,
        };
        let is_partial = status == Some(VerificationStatus::PartialTextFound);
        verdict.diff = diff_spans(&diff, &quote, index.text().source());
        let attempt = self.near_attempt(phrase, expected, &passage, is_partial, verdict.difference);
        verdict.verification.search_attempts.push(attempt);
        if is_partial {
            verdict.verification.verified_full_phrase = Some(passage.text.clone());
            verdict.verification.document = Some(self.document_match(&passage.place));
            verdict.verification.verified_match_snippet = Some(self.snippet(flow, &range));
            verdict.passages.push(passage);
        } else {
            verdict.nearest = Some(passage);
        }
        Some(match status? {
            VerificationStatus::NotFound if distant => NearComparison::Distant,
            status => NearComparison::Settled(status),
        })
    }

    /// Returns the match at a passage that has the quoted words and footnote marks between them.
    fn hit_at(
        &self,
        flow: usize,
        range: std::ops::Range<usize>,
        expected: &ExpectedPlace,
    ) -> Option<ExactHit> {
        let stream = self.document.text_streams().get(flow)?;
        let place = self.document.locate(stream, range.clone())?;
        let place_match = expected.place_match(&place);
        Some(ExactHit {
            flow,
            found: passage::QuoteMatch {
                normalised_range: stream.index.text().normalised_range(range.clone()),
                range,
                verbatim: false,
            },
            place,
            place_match,
            count: 1,
            on_page: 1,
        })
    }

    /// Returns the search attempt for the nearest passage.
    fn near_attempt(
        &self,
        phrase: &str,
        expected: &ExpectedPlace,
        passage: &SourcePassage,
        is_partial: bool,
        difference: Option<QuoteDifference>,
    ) -> SearchAttempt {
        let note = match difference {
            Some(difference) if is_partial => {
                format!("the passage differs: {}", difference.as_str())
            }
            Some(difference) => {
                format!(
                    "the nearest passage says something else: {}",
                    difference.as_str()
                )
            }
            None => "the nearest passage says something else altogether".to_owned(),
        };
        SearchAttempt {
            method: Some(SearchMethod::CustomPhraseFallback),
            success: is_partial,
            search_phrase: phrase.to_owned(),
            search_phrase_type: Some(PhraseType::FullPhrase),
            search_scope: Some(SearchScope::Document),
            expected_location: expected.location(),
            found_location: Some(location(passage)),
            matched_variation: is_partial.then_some(QuoteVariation::PartialFullPhrase),
            matched_text: Some(passage.text.clone()),
            note: Some(note),
            ..SearchAttempt::default()
        }
    }

    /// Finds the passage that is most similar to a quote, on the expected page if several are.
    fn nearest(&mut self, phrase: &str, expected: &ExpectedPlace) -> Option<(usize, Near)> {
        let mut best: Option<(usize, Near)> = None;
        for (at, flow) in self.document.text_streams().iter().enumerate() {
            if flow.role == TextStreamRole::Hidden {
                continue;
            }
            let quote = Quote::new(phrase, flow.index.text()).ok()?;
            let length = quote.normalised().chars().count();
            let nearness =
                SearchTolerance::within_distance(((length as f64 * MAX_DISTANCE) as usize).max(2));
            let located = self.finders.get_mut(at)?.locate(&quote, &nearness);
            for near in located.places.into_iter().chain(located.nearest) {
                let on_page = |near: &Near| {
                    let place = self.document.locate(flow, near.passage.clone());
                    place.is_some_and(|place| {
                        expected.place_match(&place) != super::expected_place::PlaceMatch::OtherPage
                    })
                };
                let better = match &best {
                    None => true,
                    Some((flow, before)) if near.distance == before.distance => {
                        *flow == at && on_page(&near) && !on_page(before)
                    }
                    Some((_, before)) => near.distance < before.distance,
                };
                if better {
                    best = Some((at, near));
                }
            }
        }
        best
    }

    /// Searches parts of a quote, for example of two sentences that were joined.
    fn check_parts(&mut self, phrase: &str, verdict: &mut Verdict) -> VerificationStatus {
        let mut best: Option<(usize, QuoteFragments)> = None;
        for (at, flow) in self.document.text_streams().iter().enumerate() {
            let Ok(quote) = Quote::new(phrase, flow.index.text()) else {
                continue;
            };
            let fragments = flow.index.fragments(&quote, MIN_PART, None);
            if best
                .as_ref()
                .is_none_or(|(_, before)| fragments.covered() > before.covered())
            {
                best = Some((at, fragments));
            }
        }
        let Some((at, fragments)) = best else {
            return VerificationStatus::NotFound;
        };
        let covered = fragments.covered() as f64 / phrase.len().max(1) as f64;
        let enough = match fragments.parts.len() {
            0 => false,
            1 => covered >= MIN_ONE_PART,
            _ => covered >= MIN_COVERED,
        };
        let Some(flow) = self.document.text_streams().get(at) else {
            return VerificationStatus::NotFound;
        };
        let meaning_change = Quote::new(phrase, flow.index.text())
            .ok()
            .and_then(|quote| meaning_change_in(&quote, uncovered(&fragments, phrase.len())));
        if !enough || meaning_change.is_some() {
            verdict.difference = verdict.difference.or(meaning_change.filter(|_| enough));
            return VerificationStatus::NotFound;
        }
        let ranges = fragments.parts.into_iter().map(|part| part.found.range);
        let parts: Option<Vec<SourcePassage>> =
            ranges.map(|range| self.passage(at, range)).collect();
        let Some(parts) = parts else {
            return VerificationStatus::NotFound;
        };
        let note = match parts.len() {
            1 => "only a part of the quote is there",
            _ => "the quote is put together from several places",
        };
        self.accept_parts(phrase, parts, note, verdict);
        verdict.distance = Some(((1.0 - covered.min(1.0)) * 1000.0) as u32);
        verdict.difference = Some(QuoteDifference::WordsAdded).filter(|_| covered < 0.99);
        VerificationStatus::PartialTextFound
    }

    /// Records that parts of a quote were found.
    fn accept_parts(
        &self,
        phrase: &str,
        parts: Vec<SourcePassage>,
        note: &str,
        verdict: &mut Verdict,
    ) {
        let texts: Vec<&str> = parts.iter().map(|part| part.text.as_str()).collect();
        let text = texts.join(" … ");
        verdict.verification.search_attempts.push(SearchAttempt {
            method: Some(SearchMethod::CustomPhraseFallback),
            success: true,
            search_phrase: phrase.to_owned(),
            search_phrase_type: Some(PhraseType::FullPhrase),
            search_scope: Some(SearchScope::Document),
            found_location: parts.first().map(location),
            matched_variation: Some(QuoteVariation::PartialFullPhrase),
            matched_text: Some(text.clone()),
            note: Some(note.to_owned()),
            ..SearchAttempt::default()
        });
        verdict.verification.verified_full_phrase = Some(text);
        if let Some(first) = parts.first() {
            verdict.verification.document = Some(self.document_match(&first.place));
            verdict.verification.verified_match_snippet =
                Some(self.snippet(first.flow, &first.range));
        }
        // Nearest passage and diff belong to another passage than these parts.
        verdict.nearest = None;
        verdict.diff.clear();
        verdict.passages = parts;
    }
}

fn location(passage: &SourcePassage) -> SearchLocation {
    SearchLocation {
        page: Some(passage.place.first.0.into()),
        line: Some(passage.place.first.1.into()),
    }
}

/// Returns the ranges of a quote that no fragment covers.
fn uncovered(
    fragments: &QuoteFragments,
    length: usize,
) -> impl Iterator<Item = std::ops::Range<usize>> {
    let mut from = 0;
    let mut gaps = Vec::new();
    for part in &fragments.parts {
        gaps.push(from..part.quote.start.max(from));
        from = part.quote.end;
    }
    gaps.push(from..length.max(from));
    gaps.into_iter()
}
