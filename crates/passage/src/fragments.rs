//! Search for the parts of a quote that are in the text if the whole is not.

use std::ops::Range;

use crate::exact_search::{QuoteMatch, positions_within};
use crate::gram_index::{GRAM, SPAN, STEP, gram};
use crate::quote::Quote;
use crate::text_index::PassageTextIndex;

/// Maximum number of bytes compared for one quote, which bounds the time on repetitive texts.
const MAX_COMPARED: usize = 1 << 26;
/// Number of bytes at the start of a part in which a rare gram is searched.
const MAX_RANKED_BYTES: usize = 256;
/// Maximum number of positions of one gram that are examined.
const MAX_POSITIONS: usize = 1 << 14;

/// A part of a quote that is in the text.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct QuoteFragment {
    /// Range in the original quote.
    pub quote: Range<usize>,
    /// Match in the text; the first one if several have the same length.
    pub found: QuoteMatch,
}

/// Parts of a quote that are in the text.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct QuoteFragments {
    /// Parts in the order of the quote. They do not overlap.
    pub parts: Vec<QuoteFragment>,
    /// True if each part is the longest at its start and no part was missed.
    pub complete: bool,
}

impl QuoteFragments {
    /// Returns the number of bytes of the quote that are covered by parts.
    pub fn covered(&self) -> usize {
        self.parts.iter().map(|part| part.quote.len()).sum()
    }
}

impl PassageTextIndex {
    /// Returns the longest parts of a quote that are in the text, from left to right.
    ///
    /// Each part begins and ends at token boundaries in quote and text and has at least `min_len`
    /// bytes of normalised text (never fewer than 11). A quote that joins two passages gives two
    /// parts in distant places.
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
            range: self.normalised_within(within),
            min_len: min_len.max(SPAN),
            compared: 0,
            complete: true,
        };
        let mut parts = Vec::new();
        let mut at = core.start;
        while at + search.min_len <= core.end {
            if let Some(found) = search.longest_match(at) {
                let len = found.len();
                let range = quote.text().source_range(at..at + len);
                let matched = self.text().source_range(found.clone());
                let verbatim =
                    self.text().source()[matched.clone()] == quote.text().source()[range.clone()];
                parts.push(QuoteFragment {
                    quote: range,
                    found: QuoteMatch {
                        range: matched,
                        normalised_range: found,
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

/// State of one search for fragments.
struct FragmentSearch<'a> {
    index: &'a PassageTextIndex,
    quote: &'a Quote,
    range: Range<usize>,
    min_len: usize,
    compared: usize,
    complete: bool,
}

impl<'a> FragmentSearch<'a> {
    /// Returns the longest match of the text that begins at a token boundary of the quote.
    fn longest_match(&mut self, at: usize) -> Option<Range<usize>> {
        let text = self.index.text();
        let whole = self.quote.text().normalised().as_bytes();
        let wanted = &whole[at..self.quote.core().end];
        let mut best: Option<Range<usize>> = None;
        for (offset, places) in self.rarest_grams(wanted) {
            if places.len() > MAX_POSITIONS {
                self.complete = false;
            }
            for &place in places.iter().take(MAX_POSITIONS) {
                let start = place as usize * STEP - offset;
                self.compared += 1;
                if self.compared > MAX_COMPARED {
                    self.complete = false;
                    return best;
                }
                if !text.is_edge(start) {
                    continue;
                }
                let same =
                    common_prefix_len(wanted, &text.normalised().as_bytes()[start..self.range.end]);
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

    /// Returns for each offset modulo `STEP` the rarest gram near the start, and its positions.
    fn rarest_grams(&self, wanted: &[u8]) -> [(usize, &'a [u32]); STEP] {
        let mut lists: [(usize, &'a [u32]); STEP] = [(0, &[]); STEP];
        let mut shortest = [usize::MAX; STEP];
        for offset in 0..=self.min_len.min(MAX_RANKED_BYTES) - GRAM {
            let Some(gram) = gram(wanted, offset) else {
                break;
            };
            let shifted = self.range.start + offset..self.range.end;
            let list = positions_within(self.index.grams().get(gram), &shifted, STEP);
            if list.len() < shortest[offset % STEP] {
                shortest[offset % STEP] = list.len();
                lists[offset % STEP] = (offset, list);
            }
        }
        lists
    }

    /// Returns the largest length up to `same` at which a token ends both in the quote and in the
    /// text.
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

/// Returns the number of equal bytes at the start of two slices.
fn common_prefix_len(one: &[u8], other: &[u8]) -> usize {
    let words = one.chunks_exact(32).zip(other.chunks_exact(32));
    let same = 32 * words.take_while(|(one, other)| one == other).count();
    let rest = one[same..].iter().zip(&other[same..]);
    same + rest.take_while(|(one, other)| one == other).count()
}
