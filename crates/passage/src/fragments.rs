//! The parts of a quote that are in the text, when the whole is not.

use std::ops::Range;

use crate::find::{QuoteMatch, inside};
use crate::grams::{GRAM, SPAN, STEP, gram};
use crate::index::PassageTextIndex;
use crate::quote::Quote;

/// Bytes that are compared at most for one quote, so that repetitive texts do no harm.
const MAX_COMPARED: usize = 1 << 26;
/// Bytes at the start of a part whose grams are looked at to find rare ones.
const MAX_CHOICE: usize = 256;
/// Places of one gram that are looked at.
const MAX_PLACES: usize = 1 << 14;

/// A part of a quote that is in the text.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct QuoteFragment {
    /// Where the part is in the quote as it was given.
    pub quote: Range<usize>,
    /// Where it is in the text; the first place if there are several of the same length.
    pub found: QuoteMatch,
}

/// The parts of a quote that are in the text.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct QuoteFragments {
    /// In the order of the quote; they do not overlap.
    pub parts: Vec<QuoteFragment>,
    /// Whether each part is the longest there is at its start, and none was missed.
    pub complete: bool,
}

impl QuoteFragments {
    /// Bytes of the quote that are covered.
    pub fn covered(&self) -> usize {
        self.parts.iter().map(|part| part.quote.len()).sum()
    }
}

impl PassageTextIndex {
    /// The longest parts of a quote that are in the text, from left to right.
    ///
    /// Each part begins and ends with tokens on both sides and has at least `min_len` bytes of folded
    /// text (never fewer than 11). A quote fused from two places gives two parts; where they lie
    /// tells whether it was.
    pub fn fragments(
        &self,
        quote: &Quote,
        min_len: usize,
        within: Option<Range<usize>>,
    ) -> QuoteFragments {
        let core = quote.core();
        let mut search = FragmentSearch {
            index: self,
            quote,
            range: self.folded_within(within),
            min_len: min_len.max(SPAN),
            compared: 0,
            complete: true,
        };
        let mut parts = Vec::new();
        let mut at = core.start;
        while at + search.min_len <= core.end {
            if let Some(found) = search.longest(at) {
                let len = found.len();
                let range = quote.text().source_range(at..at + len);
                let matched = self.text().source_range(found.clone());
                let verbatim =
                    self.text().source()[matched.clone()] == quote.text().source()[range.clone()];
                parts.push(QuoteFragment {
                    quote: range,
                    found: QuoteMatch {
                        range: matched,
                        folded_range: found,
                        verbatim,
                    },
                });
                at += len;
            } else {
                at += 1;
            }
            let edges = &quote.text().spans.edges;
            at = edges.next(at).unwrap_or(core.end);
        }
        QuoteFragments {
            parts,
            complete: search.complete,
        }
    }
}

struct FragmentSearch<'a> {
    index: &'a PassageTextIndex,
    quote: &'a Quote,
    range: Range<usize>,
    min_len: usize,
    compared: usize,
    complete: bool,
}

impl<'a> FragmentSearch<'a> {
    /// The longest place of what begins at an edge of the quote.
    fn longest(&mut self, at: usize) -> Option<Range<usize>> {
        let text = self.index.text();
        let whole = self.quote.text().folded().as_bytes();
        let wanted = &whole[at..self.quote.core().end];
        let mut best: Option<Range<usize>> = None;
        for (offset, places) in self.rarest(wanted) {
            if places.len() > MAX_PLACES {
                self.complete = false;
            }
            for &place in places.iter().take(MAX_PLACES) {
                let start = place as usize * STEP - offset;
                self.compared += 1;
                if self.compared > MAX_COMPARED {
                    self.complete = false;
                    return best;
                }
                if !text.is_edge(start) {
                    continue;
                }
                let same = common(wanted, &text.folded().as_bytes()[start..self.range.end]);
                self.compared += same;
                let longer = best.as_ref().map_or(self.min_len, |best| best.len());
                let len = match self.whole_tokens(at, start, same) {
                    Some(len) if len >= longer => len,
                    _ => continue,
                };
                let is_better = best
                    .as_ref()
                    .is_none_or(|best| len > best.len() || start < best.start);
                if is_better {
                    best = Some(start..start + len);
                }
            }
        }
        best
    }

    /// For each offset modulo STEP the rarest gram near the start, and its places.
    fn rarest(&self, wanted: &[u8]) -> [(usize, &'a [u32]); STEP] {
        let mut lists: [(usize, &'a [u32]); STEP] = [(0, &[]); STEP];
        let mut shortest = [usize::MAX; STEP];
        for offset in 0..=self.min_len.min(MAX_CHOICE) - GRAM {
            let Some(gram) = gram(wanted, offset) else {
                break;
            };
            let shifted = self.range.start + offset..self.range.end;
            let list = inside(self.index.grams().get(gram), &shifted, STEP);
            if list.len() < shortest[offset % STEP] {
                shortest[offset % STEP] = list.len();
                lists[offset % STEP] = (offset, list);
            }
        }
        lists
    }

    /// The largest length up to `same` at which a token ends in the quote and in the text.
    fn whole_tokens(&self, at: usize, start: usize, same: usize) -> Option<usize> {
        let quote = &self.quote.text().spans.edges;
        let text = self.index.text();
        let mut len = same;
        loop {
            len = quote.previous(at + len)?.checked_sub(at)?;
            if len < self.min_len {
                return None;
            }
            if text.is_edge(start + len) {
                return Some(len);
            }
            len -= 1;
        }
    }
}

/// How many bytes two slices begin with alike.
fn common(one: &[u8], other: &[u8]) -> usize {
    let words = one.chunks_exact(32).zip(other.chunks_exact(32));
    let same = 32 * words.take_while(|(one, other)| one == other).count();
    let rest = one[same..].iter().zip(&other[same..]);
    same + rest.take_while(|(one, other)| one == other).count()
}
