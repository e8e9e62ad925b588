//! Edit distances inside a window of the text, and the places that result from them.

use std::ops::Range;

use super::{CandidateEnd, CandidatePlace, NearestPassage, PassageFinder};
use crate::edit_distance::ColumnStart;
use crate::quote::Quote;

impl PassageFinder<'_> {
    /// Computes the distances in a normalised range and collects the ends of similar places.
    pub(super) fn scan(&mut self, range: Range<usize>, max_distance: usize) {
        let text = self.index.text();
        let range = to_char_boundaries(text.normalised(), range);
        // Ends within this distance of each other belong to the same place.
        let min_distance = self.pattern.len().div_ceil(2);
        let mut at = range.start;
        let mut nearest = self.nearest;
        let mut group: Option<(CandidateEnd, usize)> = None;
        let ends = &mut self.ends;
        let better = |new: CandidateEnd, old: CandidateEnd| {
            new.distance < old.distance
                || (new.distance == old.distance && text.is_edge(new.at) && !text.is_edge(old.at))
        };
        let chars = text.normalised()[range].chars();
        self.pattern
            .scan(chars, ColumnStart::Free, &mut self.column, |c, distance| {
                at += c.len_utf8();
                let end = CandidateEnd { distance, at };
                if distance <= max_distance {
                    match &mut group {
                        Some((best, seen)) if at - *seen <= min_distance => {
                            if better(end, *best) {
                                *best = end;
                            }
                            *seen = at;
                        }
                        _ => {
                            ends.extend(group.take().map(|(best, _)| best));
                            group = Some((end, at));
                        }
                    }
                }
                if nearest.is_none_or(|nearest| better(end, nearest)) {
                    nearest = Some(end);
                }
            });
        ends.extend(group.map(|(best, _)| best));
        self.nearest = nearest;
    }

    /// Converts the collected ends to places.
    pub(super) fn collect_places(
        &mut self,
        quote: &Quote,
        limit: usize,
        complete_to: Option<usize>,
    ) -> NearestPassage {
        let mut ends = std::mem::take(&mut self.ends);
        let edges = &self.index.text().spans.edges;
        ends.sort_unstable_by_key(|end| (end.distance, !edges.get(end.at), end.at));
        let min_distance = self.pattern.len().div_ceil(2);
        self.reversed.set(quote.normalised().chars().rev());
        let mut places: Vec<CandidatePlace> = Vec::new();
        let mut taken: Vec<usize> = Vec::new();
        for &end in &ends {
            if places.len() == limit.max(1) {
                break;
            }
            // Windows overlap, so one place may have been collected twice.
            if taken
                .iter()
                .all(|other| other.abs_diff(end.at) > min_distance)
            {
                taken.push(end.at);
                places.push(self.find_start(end));
            }
        }
        let nearest = match self.nearest {
            Some(end) if places.is_empty() => Some(self.find_start(end)),
            _ => None,
        };
        self.ends = ends;
        NearestPassage {
            places,
            nearest,
            complete_to,
        }
    }

    /// Finds the start of a place whose end is known.
    fn find_start(&mut self, end: CandidateEnd) -> CandidatePlace {
        let text = self.index.text();
        let furthest = (self.pattern.len() + end.distance) * 4;
        let from =
            to_char_boundaries(text.normalised(), end.at.saturating_sub(furthest)..end.at).start;
        let mut at = end.at;
        let mut start = (self.pattern.len() == end.distance).then_some(end.at);
        let longest = self.pattern.len() + end.distance;
        let chars = text.normalised()[from..end.at].chars().rev().take(longest);
        self.reversed.scan(
            chars,
            ColumnStart::Fixed,
            &mut self.column,
            |c, distance| {
                at -= c.len_utf8();
                // Among equal starts a token boundary is preferred, otherwise the shortest place.
                if distance == end.distance
                    && start.is_none_or(|start| !text.is_edge(start) && text.is_edge(at))
                {
                    start = Some(at);
                }
            },
        );
        let normalised = start.unwrap_or(from)..end.at;
        CandidatePlace {
            distance: end.distance,
            range: text.source_range(normalised.clone()),
            passage: text.source_range(text.whole_tokens(normalised.clone())),
            normalised_range: normalised,
        }
    }
}

/// Extends a range to character boundaries and limits it to the text.
fn to_char_boundaries(text: &str, range: Range<usize>) -> Range<usize> {
    let mut start = range.start.min(text.len());
    while !text.is_char_boundary(start) {
        start -= 1;
    }
    let mut end = range.end.clamp(start, text.len());
    while !text.is_char_boundary(end) {
        end += 1;
    }
    start..end
}
