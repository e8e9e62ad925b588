//! Edit distances inside a window of the text, and the places they make.

use std::ops::Range;

use super::{CandidateEnd, CandidatePlace, NearestPassage, PassageFinder};
use crate::myers::ColumnStart;
use crate::quote::Quote;

impl PassageFinder<'_> {
    /// Computes the distances in a folded range and keeps the ends of near places.
    pub(super) fn scan(&mut self, range: Range<usize>, max_distance: usize) {
        let text = self.index.text();
        let range = on_boundaries(text.folded(), range);
        // Ends that are closer than this belong to one place.
        let apart = self.pattern.len().div_ceil(2);
        let mut at = range.start;
        let mut nearest = self.nearest;
        let mut group: Option<(CandidateEnd, usize)> = None;
        let ends = &mut self.ends;
        let better = |new: CandidateEnd, old: CandidateEnd| {
            new.distance < old.distance
                || (new.distance == old.distance && text.is_edge(new.at) && !text.is_edge(old.at))
        };
        let chars = text.folded()[range].chars();
        self.pattern
            .scan(chars, ColumnStart::Free, &mut self.column, |c, distance| {
                at += c.len_utf8();
                let end = CandidateEnd { distance, at };
                if distance <= max_distance {
                    match &mut group {
                        Some((best, seen)) if at - *seen <= apart => {
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

    /// Turns the ends that were kept into places.
    pub(super) fn places(
        &mut self,
        quote: &Quote,
        limit: usize,
        complete_to: Option<usize>,
    ) -> NearestPassage {
        let mut ends = std::mem::take(&mut self.ends);
        let edges = &self.index.text().spans.edges;
        ends.sort_unstable_by_key(|end| (end.distance, !edges.get(end.at), end.at));
        let apart = self.pattern.len().div_ceil(2);
        self.reversed.set(quote.folded().chars().rev());
        let mut places: Vec<CandidatePlace> = Vec::new();
        let mut taken: Vec<usize> = Vec::new();
        for &end in &ends {
            if places.len() == limit.max(1) {
                break;
            }
            // Windows overlap: one place may have been seen twice.
            if taken.iter().all(|other| other.abs_diff(end.at) > apart) {
                taken.push(end.at);
                places.push(self.place(end));
            }
        }
        let nearest = match self.nearest {
            Some(end) if places.is_empty() => Some(self.place(end)),
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
    fn place(&mut self, end: CandidateEnd) -> CandidatePlace {
        let text = self.index.text();
        let furthest = (self.pattern.len() + end.distance) * 4;
        let from = on_boundaries(text.folded(), end.at.saturating_sub(furthest)..end.at).start;
        let mut at = end.at;
        let mut start = (self.pattern.len() == end.distance).then_some(end.at);
        let longest = self.pattern.len() + end.distance;
        let chars = text.folded()[from..end.at].chars().rev().take(longest);
        self.reversed.scan(
            chars,
            ColumnStart::Fixed,
            &mut self.column,
            |c, distance| {
                at -= c.len_utf8();
                // Of several starts the first that a token begins at is the best, else the shortest.
                if distance == end.distance
                    && start.is_none_or(|start| !text.is_edge(start) && text.is_edge(at))
                {
                    start = Some(at);
                }
            },
        );
        let folded = start.unwrap_or(from)..end.at;
        CandidatePlace {
            distance: end.distance,
            range: text.source_range(folded.clone()),
            passage: text.source_range(text.whole_tokens(folded.clone())),
            folded_range: folded,
        }
    }
}

/// A range grown to character boundaries and cut to the text.
fn on_boundaries(text: &str, range: Range<usize>) -> Range<usize> {
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
