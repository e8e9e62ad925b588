//! Exact and normalised matches, and the choice among several of them.

use std::ops::Range;

use documents::{PassageLocation, TextStream, TextStreamRole};
use passage::{MatchRequest, Quote, QuoteMatch};

use super::CitationChecker;
use super::expected_place::{ExpectedPlace, PlaceMatch};
use super::quantities::differs_in_unit_case;
use crate::search_attempt::SearchLocation;

/// Most matches near the expected place that are compared.
const NEAR: usize = 64;

/// Match of a quote or an anchor.
#[derive(Debug, Clone)]
pub(super) struct ExactHit {
    pub(super) flow: usize,
    pub(super) found: QuoteMatch,
    pub(super) place: PassageLocation,
    pub(super) place_match: PlaceMatch,
    /// Number of matches in the document.
    pub(super) count: usize,
    /// Number of matches on the expected page.
    pub(super) on_page: usize,
}

impl ExactHit {
    pub(super) fn location(&self) -> SearchLocation {
        SearchLocation {
            page: Some(self.place.first.0.into()),
            line: Some(self.place.first.1.into()),
        }
    }
}

impl CitationChecker<'_> {
    /// Finds the best match: nearest to the expected place, and in the body rather than in other text streams.
    pub(super) fn best_hit(&self, words: &str, expected: &ExpectedPlace) -> Option<ExactHit> {
        self.best_hit_among(words, expected, usize::MAX)
    }

    /// Finds the best match, or `None` if more than `most` places would have to be compared.
    pub(super) fn best_hit_among(
        &self,
        words: &str,
        expected: &ExpectedPlace,
        mut most: usize,
    ) -> Option<ExactHit> {
        let mut best: Option<ExactHit> = None;
        // These text streams repeat the text of others.
        let is_repetition = |flow: &TextStream| {
            matches!(
                flow.role,
                TextStreamRole::Markup | TextStreamRole::Alternative
            )
        };
        let flows = || self.document.text_streams().iter().enumerate();
        let first = flows().filter(|(_, flow)| !is_repetition(flow));
        for (at, flow) in first.chain(flows().filter(|(_, flow)| is_repetition(flow))) {
            if is_repetition(flow) && best.is_some() {
                break;
            }
            let Ok(quote) = Quote::new(words, flow.index.text()) else {
                continue;
            };
            if most < usize::MAX {
                most = most.checked_sub(flow.index.places_to_compare(&quote))?;
            }
            let Some(hit) = self.best_in(at, &quote, words.len(), expected) else {
                continue;
            };
            best = Some(match best {
                None => hit,
                Some(mut before) => {
                    let (count, on_page) = (before.count + hit.count, before.on_page + hit.on_page);
                    if hit.place_match < before.place_match {
                        before = hit;
                    }
                    ExactHit {
                        count,
                        on_page,
                        ..before
                    }
                }
            });
        }
        best
    }

    fn best_in(
        &self,
        at: usize,
        quote: &Quote,
        length: usize,
        expected: &ExpectedPlace,
    ) -> Option<ExactHit> {
        if quote.is_empty() {
            return None;
        }
        let flow = self.document.text_streams().get(at)?;
        let index = &flow.index;
        let line = expected.first_line(self.document);
        let near = line.and_then(|line| Some(index.text().range_of_pieces(line..line + 1)?.start));
        let all = index.occurrences(
            quote,
            &MatchRequest {
                within: None,
                limit: NEAR,
                near,
            },
        );
        let page = expected
            .page
            .and_then(|page| self.document.range_of_pages(flow, page..page + 1));
        let hit = |found: QuoteMatch| {
            let place = self.document.locate(flow, found.range.clone())?;
            Some(ExactHit {
                flow: at,
                place_match: expected.place_match(&place),
                found,
                place,
                count: all.count,
                on_page: 0,
            })
        };
        // Candidates are the matches nearest to the expected line. If there are more than that, those on its
        // page are added.
        let mut candidates: Vec<QuoteMatch> = all.matches.clone();
        let mut on_page = 0;
        if let Some(page) = page.as_ref().filter(|_| all.count <= NEAR) {
            on_page = { candidates.iter() }
                .filter(|found| touches(found, page))
                .count();
        } else if let Some(page) = page {
            let slack = length.saturating_mul(2).saturating_add(256);
            let around = page.start.saturating_sub(slack)..page.end.saturating_add(slack);
            let here = index.occurrences(
                quote,
                &MatchRequest {
                    within: Some(around),
                    limit: NEAR,
                    near,
                },
            );
            on_page = match here.count {
                count if count > NEAR => count,
                _ => { here.matches.iter() }
                    .filter(|found| touches(found, &page))
                    .count(),
            };
            candidates.extend(here.matches);
        }
        let distance = |hit: &ExactHit| {
            let page = expected.page.unwrap_or(hit.place.first.0);
            (
                hit.place_match,
                page.abs_diff(hit.place.first.0),
                expected.line_distance(&hit.place),
                hit.found.range.start,
            )
        };
        candidates.retain(|found| found.verbatim || !self.differs_in_units(flow, quote, found));
        let mut hit = candidates
            .into_iter()
            .filter_map(hit)
            .min_by_key(distance)?;
        hit.on_page = on_page;
        Some(hit)
    }
}

impl CitationChecker<'_> {
    /// Returns true if the case of a unit symbol makes it another unit.
    fn differs_in_units(&self, flow: &TextStream, quote: &Quote, found: &QuoteMatch) -> bool {
        let text = flow.index.text();
        let actual = text.tokens_in(found.normalised_range.clone());
        differs_in_unit_case(
            (quote.text(), quote.text().tokens_in(quote.core())),
            (text, actual),
        )
    }
}

fn touches(found: &QuoteMatch, page: &Range<usize>) -> bool {
    found.range.start < page.end && found.range.end > page.start
}
