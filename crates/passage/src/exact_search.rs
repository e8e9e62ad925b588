//! Search for a quote that is in the text, verbatim or normalised.

use std::collections::BinaryHeap;
use std::ops::{ControlFlow, Range};

use crate::gram_index::{SPAN, STEP, gram};
use crate::quote::Quote;
use crate::text_index::PassageTextIndex;

/// Maximum number of grams of a quote that are compared to find the rarest.
const MAX_RANKED_GRAMS: usize = 256;

/// A place that contains a quote, verbatim or normalised.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct QuoteMatch {
    /// Range in the source, in bytes.
    pub range: Range<usize>,
    /// Range in the normalised text.
    pub normalised_range: Range<usize>,
    /// True if the source contains the quote's core byte for byte.
    pub verbatim: bool,
}

/// Limits on the matches that a search returns.
#[derive(Clone, Debug)]
pub struct MatchRequest {
    /// Range of the source to search; `None` for all of it.
    pub within: Option<Range<usize>>,
    /// Maximum number of matches that are returned. All are counted.
    pub limit: usize,
    /// Byte of the source; the matches nearest to it are returned instead of the first ones.
    pub near: Option<usize>,
}

impl Default for MatchRequest {
    /// Returns a request for the first ten matches.
    fn default() -> Self {
        Self {
            within: None,
            limit: 10,
            near: None,
        }
    }
}

/// Matches of a quote.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct QuoteOccurrences {
    /// Number of all matches.
    pub count: usize,
    /// The requested matches, in the order of the text.
    pub matches: Vec<QuoteMatch>,
}

/// Condition on the two ends of a match.
#[derive(Clone, Copy, PartialEq, Eq)]
enum EdgeRule {
    Tokens,
    Any,
}

/// Callback for each match; `Break` ends the search.
type Visit<'a> = &'a mut dyn FnMut(Range<usize>) -> ControlFlow<()>;

impl PassageTextIndex {
    /// Returns the first match of a quote, in the whole text or inside a range of the source.
    pub fn find(&self, quote: &Quote, within: Option<Range<usize>>) -> Option<QuoteMatch> {
        let mut first: Option<Range<usize>> = None;
        // Only long quotes with one reading are visited in order; for the others all matches are
        // compared.
        let ordered = quote.normalised().len() >= SPAN
            && quote.alternate_readings().is_empty()
            && !quote.has_dates();
        self.visit(quote, within, &mut |found| {
            if first.as_ref().is_none_or(|first| found.start < first.start) {
                first = Some(found);
            }
            if ordered {
                ControlFlow::Break(())
            } else {
                ControlFlow::Continue(())
            }
        });
        first.map(|found| self.to_match(quote, found))
    }

    /// Counts all matches of a quote and returns some of them.
    pub fn occurrences(&self, quote: &Quote, request: &MatchRequest) -> QuoteOccurrences {
        let near = request
            .near
            .map(|at| self.text().normalised_range(at..at).start);
        let key = |at: usize| near.map_or(at, |near| at.abs_diff(near));
        let mut count = 0;
        let mut kept: BinaryHeap<(usize, usize, usize)> = BinaryHeap::new();
        self.visit(quote, request.within.clone(), &mut |found| {
            count += 1;
            let entry = (key(found.start), found.start, found.end);
            if kept.len() < request.limit {
                kept.push(entry);
            } else if let Some(mut worst) = kept.peek_mut()
                && entry < *worst
            {
                *worst = entry;
            }
            ControlFlow::Continue(())
        });
        let mut places: Vec<_> = kept.into_iter().map(|(_, start, end)| start..end).collect();
        places.sort_unstable_by_key(|place| place.start);
        QuoteOccurrences {
            count,
            matches: places
                .into_iter()
                .map(|place| self.to_match(quote, place))
                .collect(),
        }
    }

    pub(crate) fn to_match(&self, quote: &Quote, normalised: Range<usize>) -> QuoteMatch {
        let range = self.text().source_range(normalised.clone());
        let verbatim =
            self.text().source()[range.clone()] == quote.text().source()[quote.source_range()];
        QuoteMatch {
            range,
            normalised_range: normalised,
            verbatim,
        }
    }

    /// Visits the normalised range of every match of a quote, each once.
    fn visit(&self, quote: &Quote, within: Option<Range<usize>>, visit: Visit<'_>) {
        let core = quote.normalised().as_bytes();
        if core.is_empty() {
            return;
        }
        let range = self.normalised_within(within);
        let visit: Visit<'_> = &mut |found: Range<usize>| match self.reads_like(quote, &found) {
            true => visit(found),
            false => ControlFlow::Continue(()),
        };
        let mut flow = self.visit_core(core, &range, visit);
        for alternate in quote.alternate_readings() {
            if flow.is_continue() {
                flow = self.visit_core(alternate.core.as_bytes(), &range, &mut |found| {
                    let spaced = |&at: &usize| self.text().has_space_before(found.start + at);
                    if alternate.group_spaces.iter().all(spaced) {
                        visit(found)
                    } else {
                        ControlFlow::Continue(())
                    }
                });
            }
        }
        if flow.is_continue() && quote.has_dates() {
            self.visit_dated_matches(quote, &range, visit);
        }
    }

    fn visit_core(&self, core: &[u8], range: &Range<usize>, visit: Visit<'_>) -> ControlFlow<()> {
        if core.len() < SPAN {
            self.visit_short(core, range, visit)
        } else {
            self.visit_long(core, range, EdgeRule::Tokens, visit)
        }
    }

    /// Maps a range of the source to the normalised text; `None` means all of it.
    pub(crate) fn normalised_within(&self, within: Option<Range<usize>>) -> Range<usize> {
        within.map_or(0..self.text().normalised().len(), |range| {
            self.text().normalised_range(range)
        })
    }

    /// Returns the first matches of a long quote, including those that begin or end inside a token.
    pub(crate) fn find_inside_tokens(
        &self,
        quote: &Quote,
        within: Option<Range<usize>>,
        limit: usize,
    ) -> Vec<Range<usize>> {
        let core = quote.normalised().as_bytes();
        let mut places = Vec::new();
        if core.len() >= SPAN {
            let range = self.normalised_within(within);
            let _ = self.visit_long(core, &range, EdgeRule::Any, &mut |found| {
                places.push(found);
                if places.len() < limit {
                    ControlFlow::Continue(())
                } else {
                    ControlFlow::Break(())
                }
            });
        }
        places
    }

    /// Returns true if a match may be at a position: inside the range and at permitted edges.
    fn is_allowed_at(&self, at: usize, len: usize, range: &Range<usize>, edges: EdgeRule) -> bool {
        let text = self.text();
        let end = at + len;
        at >= range.start
            && end <= range.end
            && (edges == EdgeRule::Any || (text.is_edge(at) && text.is_edge(end)))
    }

    fn is_match_at(&self, core: &[u8], at: usize, range: &Range<usize>, edges: EdgeRule) -> bool {
        self.is_allowed_at(at, core.len(), range, edges)
            && self.text().normalised().as_bytes()[at..at + core.len()] == *core
    }

    fn visit_short(&self, core: &[u8], range: &Range<usize>, visit: Visit<'_>) -> ControlFlow<()> {
        for positions in self.token_starts().get(core) {
            for &at in positions_within(positions, range, 1) {
                let at = at as usize;
                if self.is_match_at(core, at, range, EdgeRule::Tokens) {
                    visit(at..at + core.len())?;
                }
            }
        }
        ControlFlow::Continue(())
    }

    /// Returns for each offset modulo `STEP` the offset of the rarest gram in the core, and the
    /// positions of that gram in the text.
    ///
    /// The text was indexed at every `STEP`-th byte, so each match contains the chosen gram of one
    /// of these offsets at an indexed position.
    fn rarest_grams(&self, core: &[u8]) -> [(usize, &[u32]); STEP] {
        let mut lists: [(usize, &[u32]); STEP] = [(0, &[]); STEP];
        let mut shortest = [usize::MAX; STEP];
        for offset in 0..(core.len() - SPAN + STEP).min(MAX_RANKED_GRAMS) {
            let Some(gram) = gram(core, offset) else {
                break;
            };
            let list = self.grams().get(gram);
            let phase = offset % STEP;
            if list.len() < shortest[phase] {
                shortest[phase] = list.len();
                lists[phase] = (offset, list);
            }
        }
        lists
    }

    /// Returns an upper bound on the number of text positions that a search for the quote compares.
    pub fn places_to_compare(&self, quote: &Quote) -> usize {
        let alternates = quote
            .alternate_readings()
            .iter()
            .map(|alternate| alternate.core.as_bytes());
        let cores = std::iter::once(quote.normalised().as_bytes()).chain(alternates);
        let places = cores.map(|core| match core.len() {
            0 => 0,
            length if length < SPAN => self.token_starts().get(core).map(<[u32]>::len).sum(),
            _ => self
                .rarest_grams(core)
                .iter()
                .map(|(_, list)| list.len())
                .sum(),
        });
        let dates = match quote.has_dates() {
            true => self.text().normalised().len(),
            false => 0,
        };
        places.sum::<usize>() + dates
    }

    fn visit_long(
        &self,
        core: &[u8],
        range: &Range<usize>,
        edges: EdgeRule,
        visit: Visit<'_>,
    ) -> ControlFlow<()> {
        let mut lists = self.rarest_grams(core);
        let mut work = 0;
        for (offset, list) in &mut lists {
            let shifted = range.start + *offset..range.end + *offset;
            *list = positions_within(list, &shifted, STEP);
            work += list.len();
        }
        if work.saturating_mul(core.len()) > 16 * (range.len() + core.len()) + (1 << 20) {
            return self.visit_repeating(core, range, edges, visit);
        }
        let head = |&(offset, list): &(usize, &[u32])| {
            list.first()
                .map(|&at| (at as usize * STEP).saturating_sub(offset))
        };
        loop {
            let next = (0..STEP)
                .filter_map(|phase| Some((head(&lists[phase])?, phase)))
                .min();
            let Some((at, phase)) = next else {
                return ControlFlow::Continue(());
            };
            lists[phase].1 = &lists[phase].1[1..];
            if self.is_match_at(core, at, range, edges) {
                visit(at..at + core.len())?;
            }
        }
    }

    /// Visits the matches of a repetitive quote in a repetitive text in linear time (Knuth, Morris
    /// and Pratt).
    fn visit_repeating(
        &self,
        core: &[u8],
        range: &Range<usize>,
        edges: EdgeRule,
        visit: Visit<'_>,
    ) -> ControlFlow<()> {
        // `borders[n]` is the length of the longest proper prefix of the first n bytes that is also
        // their suffix.
        let mut borders = vec![0u32; core.len() + 1];
        let mut border = 0;
        for at in 1..core.len() {
            while border > 0 && core[at] != core[border] {
                border = borders[border] as usize;
            }
            border += usize::from(core[at] == core[border]);
            borders[at + 1] = border as u32;
        }
        let text = self.text();
        let mut same = 0;
        for at in range.clone() {
            let byte = text.normalised().as_bytes()[at];
            while same > 0 && (same == core.len() || byte != core[same]) {
                same = borders[same] as usize;
            }
            same += usize::from(byte == core[same]);
            let end = at + 1;
            if same == core.len() && self.is_allowed_at(end - same, same, range, edges) {
                visit(end - same..end)?;
            }
        }
        ControlFlow::Continue(())
    }

    /// Visits the places that write a date of the quote in another form.
    fn visit_dated_matches(&self, quote: &Quote, range: &Range<usize>, visit: Visit<'_>) {
        let text = self.text();
        let dates = quote.dates();
        let Some(first) = dates.first() else { return };
        for date in self.dates_of(first.day) {
            if let Some(found) = quote.match_around_date(text, &date)
                && found.start >= range.start
                && found.end <= range.end
                && text.is_edge(found.start)
                && text.is_edge(found.end)
                && text.normalised()[found.clone()] != *quote.normalised()
                && visit(found).is_break()
            {
                return;
            }
        }
    }
}

/// Returns the part of an ascending list whose positions, multiplied by `unit`, lie in a range.
pub(crate) fn positions_within<'a>(
    list: &'a [u32],
    range: &Range<usize>,
    unit: usize,
) -> &'a [u32] {
    let first = list.partition_point(|&at| (at as usize) * unit < range.start);
    let list = &list[first..];
    &list[..list.partition_point(|&at| (at as usize) * unit < range.end)]
}
