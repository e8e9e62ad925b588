//! Selection of windows by the votes of shared grams for diagonals.

use std::cmp::Reverse;
use std::ops::Range;

use super::{MAX_WINDOWS, MIN_WINDOW_STEPS, PassageFinder};
use crate::exact_search::positions_within;
use crate::gram_index::{GRAM, STEP, gram};
use crate::quote::Quote;

/// Maximum number of offsets in a quote that vote with their grams.
const MAX_OFFSETS: usize = 4096;
/// Maximum number of votes that are counted; the most frequent grams come last and may be left out.
const MAX_VOTES: usize = 1 << 15;
/// Maximum count of one strip of diagonals.
const MAX_COUNT: usize = u8::MAX as usize;
/// Number of strips that are skipped together if all have few votes.
const RUN: usize = 64;
/// Maximum number of candidates for a search with a budget.
const MAX_CANDIDATES: usize = 1 << 16;

/// Buffers for counting votes.
#[derive(Default)]
pub(super) struct VoteCounter {
    /// Votes per strip of neighbouring diagonals; all zero between searches.
    strips: Vec<u8>,
    /// Number of positions in the text, and offset in the quote.
    offsets: Vec<(u32, u32)>,
    /// Pairs of neighbouring strips to examine, as votes and first strip.
    candidates: Vec<(u8, u32)>,
    /// Pairs that are already examined, as bits.
    covered: Vec<u64>,
}

/// Lower bound on the votes of a similar place.
struct VoteBound {
    /// Bytes of the normalised core of the quote.
    len: usize,
    /// Bytes of the widest character.
    width: usize,
    /// Number of offsets that did not vote with all positions of their grams.
    left_out: usize,
}

impl VoteBound {
    /// Returns the minimum number of votes of a place within a distance.
    ///
    /// The place has at least `len - width * distance` bytes, and every `STEP`-th byte begins an
    /// indexed gram. An edit changes the grams that overlap its character.
    fn min_votes(&self, distance: usize) -> usize {
        let bytes = self.len.saturating_sub(self.width * distance + GRAM - 1);
        let changed = distance * (GRAM - 1 + self.width).div_ceil(STEP);
        (bytes / STEP)
            .saturating_sub(changed + self.left_out)
            .min(MAX_COUNT)
    }

    /// Returns the largest distance up to `most` at which every place has more than `unseen` votes.
    fn proved_distance(&self, unseen: usize, most: usize) -> Option<usize> {
        let proved = |distance: usize| self.min_votes(distance) > unseen;
        if !proved(0) {
            return None;
        }
        let (mut low, mut high) = (0, most);
        while low < high {
            let middle = (low + high).div_ceil(2);
            if proved(middle) {
                low = middle;
            } else {
                high = middle - 1;
            }
        }
        Some(low)
    }
}

impl PassageFinder<'_> {
    /// Scans the windows with the most votes. Returns the distance up to which no place was missed.
    pub(super) fn scan_by_votes(
        &mut self,
        quote: &Quote,
        range: &Range<usize>,
        max_distance: usize,
        effort: u64,
    ) -> Option<usize> {
        let core = quote.normalised().as_bytes();
        if core.len() < GRAM || range.is_empty() {
            return None;
        }
        let width = if core.is_ascii() {
            self.index.width()
        } else {
            4
        };
        // Insertions and deletions spread the votes of one place over at most two neighbouring
        // strips.
        let spread = (max_distance * width + 1).max(64).next_power_of_two();
        let shift = spread.trailing_zeros();
        let strips = ((range.len() + core.len()) >> shift) + 2;
        let left_out = self.count_votes(core, range, shift, strips);
        let bound = VoteBound {
            len: core.len(),
            width,
            left_out,
        };
        let unseen = self.collect_candidates(strips, effort);
        let slack = max_distance.max(self.pattern.len() / 8) * width;
        let candidates = std::mem::take(&mut self.votes.candidates);
        let mut covered = std::mem::take(&mut self.votes.covered);
        covered.clear();
        covered.resize(strips / 64 + 1, 0u64);
        let mut spent = 0;
        let mut seen = 0;
        let mut windows = 0;
        for &(votes, first) in &candidates {
            let votes = usize::from(votes);
            if covered[first as usize / 64] >> (first % 64) & 1 == 1 {
                seen += 1;
                continue;
            }
            let low = range.start + ((first as usize) << shift);
            let window = window_around(low, core.len() + slack + spread, 3 * spread + slack, range);
            let steps = window.len() as u64 * self.pattern.blocks() as u64;
            // A place with so few votes cannot be nearer than the best one found.
            let needed = self.best_distance().min(max_distance);
            if bound.min_votes(needed) > votes {
                break;
            }
            let few =
                windows >= MAX_WINDOWS || (windows > 0 && votes * 2 < usize::from(candidates[0].0));
            let allowed = if few {
                effort
            } else {
                effort.max(MIN_WINDOW_STEPS)
            };
            if spent + steps > allowed {
                break;
            }
            spent += steps;
            self.scan(window, max_distance);
            mark_covered(&mut covered, first);
            windows += 1;
            seen += 1;
        }
        let unseen = candidates
            .get(seen)
            .map_or(unseen, |&(votes, _)| usize::from(votes));
        self.votes.candidates = candidates;
        self.votes.covered = covered;
        bound.proved_distance(unseen, max_distance)
    }

    /// Counts the votes of the rarest grams. Returns the number of offsets that did not vote
    /// completely.
    fn count_votes(
        &mut self,
        core: &[u8],
        range: &Range<usize>,
        shift: u32,
        strips: usize,
    ) -> usize {
        let grams = self.index.grams();
        let is_whole = range.len() == self.index.text().normalised().len();
        let places = |offset: usize| {
            let list = gram(core, offset).map_or(&[][..], |gram| grams.get(gram));
            if is_whole {
                list
            } else {
                positions_within(list, range, STEP)
            }
        };
        let all = core.len() - GRAM + 1;
        let step = all.div_ceil(MAX_OFFSETS);
        let votes = &mut self.votes;
        votes.offsets.clear();
        votes.offsets.extend(
            (0..all)
                .step_by(step)
                .map(|offset| (places(offset).len() as u32, offset as u32)),
        );
        let total: u64 = votes
            .offsets
            .iter()
            .map(|&(count, _)| u64::from(count))
            .sum();
        if total > MAX_VOTES as u64 {
            votes.offsets.sort_unstable();
        }
        if votes.strips.len() < strips {
            votes.strips.resize(strips, 0);
        }
        let mut counted = 0;
        let mut left_out = all - votes.offsets.len();
        for &(count, offset) in &votes.offsets {
            // A part of the votes still helps to find places, but cannot prove that none was
            // missed.
            let room = MAX_VOTES - counted;
            left_out += usize::from(count as usize > room);
            counted += room.min(count as usize);
            let moved = core.len() - offset as usize;
            for &place in places(offset as usize).iter().take(room) {
                let diagonal = place as usize * STEP - range.start + moved;
                let strip = &mut votes.strips[diagonal >> shift];
                *strip = strip.saturating_add(1);
            }
        }
        left_out
    }

    /// Collects the pairs of strips with the most votes and clears the strips. Returns the maximum
    /// number of votes of a pair that was not collected.
    fn collect_candidates(&mut self, strips: usize, effort: u64) -> usize {
        let votes = &mut self.votes;
        let strips = &mut votes.strips[..strips];
        let max_sum = |strips: &[u8]| pair_sums(strips).max().unwrap_or(0);
        let most = max_sum(strips);
        let least = if effort == 0 {
            most.div_ceil(2).max(1)
        } else {
            1
        };
        votes.candidates.clear();
        // Most runs of strips have few votes and are skipped as a whole.
        for start in (0..strips.len() - 1).step_by(RUN) {
            let run = &strips[start..(start + RUN + 1).min(strips.len())];
            if max_sum(run) >= least {
                let found = pair_sums(run).enumerate().filter(|&(_, sum)| sum >= least);
                votes
                    .candidates
                    .extend(found.map(|(nth, sum)| (sum, (start + nth) as u32)));
            }
        }
        strips.fill(0);
        let candidates = &mut votes.candidates;
        candidates.sort_unstable_by_key(|&(votes, first)| (Reverse(votes), first));
        let limit = if effort == 0 {
            4 * MAX_WINDOWS
        } else {
            MAX_CANDIDATES
        };
        let unseen = candidates.get(limit).map_or(least - 1, |&(votes, _)| votes);
        candidates.truncate(limit);
        usize::from(unseen)
    }
}

/// Returns the votes of each pair of neighbouring strips.
fn pair_sums(strips: &[u8]) -> impl Iterator<Item = u8> + '_ {
    let pairs = strips.iter().zip(&strips[1..]);
    pairs.map(|(one, other)| one.saturating_add(*other))
}

/// Returns the window of a pair of strips that begins at `low`, limited to the searched range.
///
/// Diagonals are shifted by the length of the quote to stay positive. The window includes the pairs
/// before and after, because they count the same votes.
fn window_around(low: usize, before: usize, after: usize, range: &Range<usize>) -> Range<usize> {
    let start = low.saturating_sub(before).max(range.start);
    let end = (low + after).min(range.end);
    start..end.max(start)
}

/// Marks a pair of strips and its two neighbours as examined.
fn mark_covered(covered: &mut [u64], first: u32) {
    for strip in first.saturating_sub(1)..=first + 1 {
        if let Some(word) = covered.get_mut(strip as usize / 64) {
            *word |= 1 << (strip % 64);
        }
    }
}
