//! Words that are there, exactly or folded, and which of several places is meant.

use std::ops::Range;

use documents::{PassageLocation, TextStream, TextStreamRole};
use passage::{MatchRequest, Quote, QuoteMatch};

use super::CitationChecker;
use super::expected_place::{ExpectedPlace, PlaceMatch};
use crate::search_attempt::SearchLocation;

/// How many places near the expected one are looked at.
const NEAR: usize = 64;

/// A place where the words are.
#[derive(Debug, Clone)]
pub(super) struct ExactHit {
    pub(super) flow: usize,
    pub(super) found: QuoteMatch,
    pub(super) place: PassageLocation,
    pub(super) standing: PlaceMatch,
    /// In how many places they are.
    pub(super) count: usize,
    /// In how many on the expected page.
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
    /// The best place where words are: nearest to the expected one, in the body rather than apart from it.
    pub(super) fn best_hit(&self, words: &str, expected: &ExpectedPlace) -> Option<ExactHit> {
        self.best_hit_among(words, expected, usize::MAX)
    }

    /// The same; nothing if more places than so many have to be compared with the words.
    pub(super) fn best_hit_among(
        &self,
        words: &str,
        expected: &ExpectedPlace,
        mut most: usize,
    ) -> Option<ExactHit> {
        let mut best: Option<ExactHit> = None;
        // These say the same as the others, once more.
        let is_again = |flow: &TextStream| {
            matches!(
                flow.role,
                TextStreamRole::Markup | TextStreamRole::Alternative
            )
        };
        let flows = || self.document.flows().iter().enumerate();
        let first = flows().filter(|(_, flow)| !is_again(flow));
        for (at, flow) in first.chain(flows().filter(|(_, flow)| is_again(flow))) {
            if is_again(flow) && best.is_some() {
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
                    if hit.standing < before.standing {
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
        let flow = self.document.flows().get(at)?;
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
            let place = self.document.place(flow, found.range.clone())?;
            Some(ExactHit {
                flow: at,
                standing: expected.standing(&place),
                found,
                place,
                count: all.count,
                on_page: 0,
            })
        };
        // Those nearest to the expected line, and, should the text be full of them, those on its page.
        let mut candidates: Vec<QuoteMatch> = all.matches.clone();
        let mut on_page = 0;
        let touches = |found: &QuoteMatch, page: &Range<usize>| {
            found.range.start < page.end && found.range.end > page.start
        };
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
                hit.standing,
                page.abs_diff(hit.place.first.0),
                expected.line_distance(&hit.place),
                hit.found.range.start,
            )
        };
        let mut hit = candidates
            .into_iter()
            .filter_map(hit)
            .min_by_key(distance)?;
        hit.on_page = on_page;
        Some(hit)
    }
}
