//! Votes of shared grams for diagonals.

use std::cmp::Reverse;
use std::ops::Range;

use super::{MAX_STEPS, MAX_WINDOWS, PassageFinder};
use crate::find::inside;
use crate::grams::{GRAM, STEP, gram};
use crate::quote::Quote;

/// Offsets of a quote whose grams may vote.
const MAX_OFFSETS: usize = 4096;
/// Votes that are counted; the grams with the most places come last and may be left out.
const MAX_VOTES: usize = 1 << 15;
/// More votes than this for one diagonal are not told apart.
const FULL: usize = u8::MAX as usize;
/// Strips that are passed over together.
const RUN: usize = 64;
/// Candidates that are kept when effort is spent.
const MAX_CANDIDATES: usize = 1 << 16;

/// Memory for the count of votes.
#[derive(Default)]
pub(super) struct VoteCounter {
    /// Votes per strip of diagonals; all zero between searches.
    strips: Vec<u8>,
    /// Number of places, and offset in the quote.
    offsets: Vec<(u32, u32)>,
    /// Pairs of strips worth a look: votes, first strip.
    candidates: Vec<(u8, u32)>,
    /// Pairs that were looked at, as bits.
    covered: Vec<u64>,
}

/// What makes the number of votes of a near place certain.
struct VoteBound {
    /// Bytes of the quote.
    len: usize,
    /// Bytes of the widest character.
    width: usize,
    /// Offsets whose grams did not vote.
    left_out: usize,
}

impl VoteBound {
    /// How many votes a place within a distance has at least.
    ///
    /// The place has at least `len - width * distance` bytes and a gram was taken at every STEP-th;
    /// an edit changes those that touch the bytes of its character.
    fn votes(&self, distance: usize) -> usize {
        let bytes = self.len.saturating_sub(self.width * distance + GRAM - 1);
        let changed = distance * (GRAM - 1 + self.width).div_ceil(STEP);
        (bytes / STEP)
            .saturating_sub(changed + self.left_out)
            .min(FULL)
    }

    /// The largest distance up to `most` at which a place has more than so many votes.
    fn proves(&self, unseen: usize, most: usize) -> Option<usize> {
        let proved = |distance: usize| self.votes(distance) > unseen;
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
    /// Looks where the votes are, and says up to which distance nothing was missed.
    pub(super) fn vote(
        &mut self,
        quote: &Quote,
        range: &Range<usize>,
        max_distance: usize,
        effort: u64,
    ) -> Option<usize> {
        let core = quote.folded().as_bytes();
        if core.len() < GRAM || range.is_empty() {
            return None;
        }
        let width = if core.is_ascii() {
            self.index.width()
        } else {
            4
        };
        // The votes of one place lie within its insertions and deletions, that is in two strips.
        let spread = (max_distance * width + 1).max(64).next_power_of_two();
        let shift = spread.trailing_zeros();
        let strips = ((range.len() + core.len()) >> shift) + 2;
        let left_out = self.count(core, range, shift, strips);
        let lemma = VoteBound {
            len: core.len(),
            width,
            left_out,
        };
        let unseen = self.choose(strips, effort);
        let slack = max_distance.max(self.pattern.len() / 8) * width;
        let window = |first: u32| {
            // The diagonal of a vote was moved by the length of the quote to stay positive. The
            // window covers the pairs before and after too: they hold the same votes.
            let low = range.start + ((first as usize) << shift);
            let start = low
                .saturating_sub(core.len() + slack + spread)
                .max(range.start);
            let end = (low + 3 * spread + slack).min(range.end);
            start..end.max(start)
        };
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
            let window = window(first);
            let steps = window.len() as u64 * self.pattern.blocks() as u64;
            // Nothing with so few votes can be as near as what was found.
            let needed = self.best_distance().min(max_distance);
            if lemma.votes(needed) > votes {
                break;
            }
            let few =
                windows >= MAX_WINDOWS || (windows > 0 && votes * 2 < usize::from(candidates[0].0));
            let allowed = if few { effort } else { effort.max(MAX_STEPS) };
            if spent + steps > allowed {
                break;
            }
            spent += steps;
            self.scan(window, max_distance);
            for strip in first.saturating_sub(1)..=first + 1 {
                if let Some(word) = covered.get_mut(strip as usize / 64) {
                    *word |= 1 << (strip % 64);
                }
            }
            windows += 1;
            seen += 1;
        }
        let unseen = candidates
            .get(seen)
            .map_or(unseen, |&(votes, _)| usize::from(votes));
        self.votes.candidates = candidates;
        self.votes.covered = covered;
        lemma.proves(unseen, max_distance)
    }

    /// Counts the votes of the rarest grams; says how many offsets were left out.
    fn count(&mut self, core: &[u8], range: &Range<usize>, shift: u32, strips: usize) -> usize {
        let grams = self.index.grams();
        let is_whole = range.len() == self.index.text().folded().len();
        let places = |offset: usize| {
            let list = gram(core, offset).map_or(&[][..], |gram| grams.get(gram));
            if is_whole {
                list
            } else {
                inside(list, range, STEP)
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
            // What is left of the votes still shows some places, but proves nothing.
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

    /// Gathers the pairs of strips with the most votes, clears the strips, and says how many votes
    /// a pair that was not gathered has at most.
    fn choose(&mut self, strips: usize, effort: u64) -> usize {
        let votes = &mut self.votes;
        let strips = &mut votes.strips[..strips];
        let sums = |strips: &[u8]| sums(strips).max().unwrap_or(0);
        let most = sums(strips);
        let least = if effort == 0 {
            most.div_ceil(2).max(1)
        } else {
            1
        };
        votes.candidates.clear();
        // Most runs of strips have few votes; those are passed over at once.
        for start in (0..strips.len() - 1).step_by(RUN) {
            let run = &strips[start..(start + RUN + 1).min(strips.len())];
            if sums(run) >= least {
                let found = self::sums(run).enumerate().filter(|&(_, sum)| sum >= least);
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

/// The votes of each pair of neighbouring strips.
fn sums(strips: &[u8]) -> impl Iterator<Item = u8> + '_ {
    let pairs = strips.iter().zip(&strips[1..]);
    pairs.map(|(one, other)| one.saturating_add(*other))
}
