//! Where a quote is, word for word or folded.

use std::collections::BinaryHeap;
use std::ops::{ControlFlow, Range};

use crate::grams::{SPAN, STEP, gram};
use crate::index::PassageTextIndex;
use crate::quote::Quote;

/// How many grams of a quote are looked at to find rare ones.
const MAX_CHOICE: usize = 256;

/// A place where a quote is, word for word or folded.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct QuoteMatch {
    /// Where it is in the source, in bytes.
    pub range: Range<usize>,
    /// Where it is in the folded text.
    pub folded_range: Range<usize>,
    /// Whether the source has the quote's core byte for byte.
    pub verbatim: bool,
}

/// What to tell of the places where a quote is.
#[derive(Clone, Debug)]
pub struct MatchRequest {
    /// Only places inside this range of the source.
    pub within: Option<Range<usize>>,
    /// At most so many places; all are counted.
    pub limit: usize,
    /// The places nearest to this byte of the source, instead of the first ones.
    pub near: Option<usize>,
}

impl Default for MatchRequest {
    /// The first ten places.
    fn default() -> Self {
        Self {
            within: None,
            limit: 10,
            near: None,
        }
    }
}

/// The places where a quote is.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct QuoteOccurrences {
    /// How many there are.
    pub count: usize,
    /// Those that were wanted, in the order of the text.
    pub matches: Vec<QuoteMatch>,
}

/// What a place must begin and end with.
#[derive(Clone, Copy, PartialEq, Eq)]
enum EdgeRule {
    Tokens,
    Any,
}

type Visit<'a> = &'a mut dyn FnMut(Range<usize>) -> ControlFlow<()>;

impl PassageTextIndex {
    /// The first place of a quote, in the whole text or inside a range of the source.
    pub fn find(&self, quote: &Quote, within: Option<Range<usize>>) -> Option<QuoteMatch> {
        let mut first: Option<Range<usize>> = None;
        // Only long quotes of one reading are visited in order; the others need all places.
        let ordered =
            quote.folded().len() >= SPAN && quote.others().is_empty() && !quote.has_dates();
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
        first.map(|found| self.matched(quote, found))
    }

    /// All places of a quote: how many, and some of them.
    pub fn occurrences(&self, quote: &Quote, wanted: &MatchRequest) -> QuoteOccurrences {
        let near = wanted.near.map(|at| self.text().folded_range(at..at).start);
        let key = |at: usize| near.map_or(at, |near| at.abs_diff(near));
        let mut count = 0;
        let mut kept: BinaryHeap<(usize, usize, usize)> = BinaryHeap::new();
        self.visit(quote, wanted.within.clone(), &mut |found| {
            count += 1;
            let entry = (key(found.start), found.start, found.end);
            if kept.len() < wanted.limit {
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
                .map(|place| self.matched(quote, place))
                .collect(),
        }
    }

    pub(crate) fn matched(&self, quote: &Quote, folded: Range<usize>) -> QuoteMatch {
        let range = self.text().source_range(folded.clone());
        let verbatim =
            self.text().source()[range.clone()] == quote.text().source()[quote.source_range()];
        QuoteMatch {
            range,
            folded_range: folded,
            verbatim,
        }
    }

    /// Visits the folded range of every place of a quote, each once.
    fn visit(&self, quote: &Quote, within: Option<Range<usize>>, visit: Visit<'_>) {
        let core = quote.folded().as_bytes();
        if core.is_empty() {
            return;
        }
        let range = self.folded_within(within);
        let mut flow = self.visit_core(core, &range, visit);
        for other in quote.others() {
            if flow.is_continue() {
                flow = self.visit_core(other.core.as_bytes(), &range, &mut |found| {
                    let spaced = |&at: &usize| self.text().has_space_before(found.start + at);
                    if other.joints.iter().all(spaced) {
                        visit(found)
                    } else {
                        ControlFlow::Continue(())
                    }
                });
            }
        }
        if flow.is_continue() && quote.has_dates() {
            self.visit_dated(quote, &range, visit);
        }
    }

    fn visit_core(&self, core: &[u8], range: &Range<usize>, visit: Visit<'_>) -> ControlFlow<()> {
        if core.len() < SPAN {
            self.visit_short(core, range, visit)
        } else {
            self.visit_long(core, range, EdgeRule::Tokens, visit)
        }
    }

    /// The folded text of a range of the source, or all of it.
    pub(crate) fn folded_within(&self, within: Option<Range<usize>>) -> Range<usize> {
        within.map_or(0..self.text().folded().len(), |range| {
            self.text().folded_range(range)
        })
    }

    /// The first places of a long quote, whether tokens begin and end there or not.
    pub(crate) fn inside_tokens(
        &self,
        quote: &Quote,
        within: Option<Range<usize>>,
        limit: usize,
    ) -> Vec<Range<usize>> {
        let core = quote.folded().as_bytes();
        let mut places = Vec::new();
        if core.len() >= SPAN {
            let range = self.folded_within(within);
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

    /// Whether the core may be at a position: inside the range, with tokens at both ends.
    fn fits(&self, at: usize, len: usize, range: &Range<usize>, edges: EdgeRule) -> bool {
        let text = self.text();
        let end = at + len;
        at >= range.start
            && end <= range.end
            && (edges == EdgeRule::Any || (text.is_edge(at) && text.is_edge(end)))
    }

    fn is_place(&self, core: &[u8], at: usize, range: &Range<usize>, edges: EdgeRule) -> bool {
        self.fits(at, core.len(), range, edges)
            && self.text().folded().as_bytes()[at..at + core.len()] == *core
    }

    fn visit_short(&self, core: &[u8], range: &Range<usize>, visit: Visit<'_>) -> ControlFlow<()> {
        for positions in self.heads().get(core) {
            for &at in inside(positions, range, 1) {
                let at = at as usize;
                if self.is_place(core, at, range, EdgeRule::Tokens) {
                    visit(at..at + core.len())?;
                }
            }
        }
        ControlFlow::Continue(())
    }

    /// A place of a core holds a gram that was taken at one of STEP offsets modulo STEP: for each, where the rarest of
    /// its grams is, in the core and in the text.
    fn rarest(&self, core: &[u8]) -> [(usize, &[u32]); STEP] {
        let mut lists: [(usize, &[u32]); STEP] = [(0, &[]); STEP];
        let mut shortest = [usize::MAX; STEP];
        for offset in 0..(core.len() - SPAN + STEP).min(MAX_CHOICE) {
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

    /// How many places of the text have to be compared with a quote to find all of its own, at most.
    pub fn places_to_compare(&self, quote: &Quote) -> usize {
        let others = quote.others().iter().map(|other| other.core.as_bytes());
        let cores = std::iter::once(quote.folded().as_bytes()).chain(others);
        let places = cores.map(|core| match core.len() {
            0 => 0,
            length if length < SPAN => self.heads().get(core).map(<[u32]>::len).sum(),
            _ => self.rarest(core).iter().map(|(_, list)| list.len()).sum(),
        });
        let dates = match quote.has_dates() {
            true => self.text().folded().len(),
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
        let mut lists = self.rarest(core);
        let mut work = 0;
        for (offset, list) in &mut lists {
            let shifted = range.start + *offset..range.end + *offset;
            *list = inside(list, &shifted, STEP);
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
            if self.is_place(core, at, range, edges) {
                visit(at..at + core.len())?;
            }
        }
    }

    /// Visits the places of a quote that repeats itself in a text that does: every byte is read once.
    fn visit_repeating(
        &self,
        core: &[u8],
        range: &Range<usize>,
        edges: EdgeRule,
        visit: Visit<'_>,
    ) -> ControlFlow<()> {
        // borders[n]: the longest proper prefix of the first n bytes that is also their suffix.
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
            let byte = text.folded().as_bytes()[at];
            while same > 0 && (same == core.len() || byte != core[same]) {
                same = borders[same] as usize;
            }
            same += usize::from(byte == core[same]);
            let end = at + 1;
            if same == core.len() && self.fits(end - same, same, range, edges) {
                visit(end - same..end)?;
            }
        }
        ControlFlow::Continue(())
    }

    /// Visits the places where a date of the quote is written in another form.
    fn visit_dated(&self, quote: &Quote, range: &Range<usize>, visit: Visit<'_>) {
        let text = self.text();
        let dates = quote.dates();
        let Some(first) = dates.first() else { return };
        for date in self.dates_of(first.day) {
            if let Some(found) = quote.place_around(text, &date)
                && found.start >= range.start
                && found.end <= range.end
                && text.is_edge(found.start)
                && text.is_edge(found.end)
                && text.folded()[found.clone()] != *quote.folded()
                && visit(found).is_break()
            {
                return;
            }
        }
    }
}

/// The positions of an ascending list, each times `unit`, that lie in a range.
pub(crate) fn inside<'a>(list: &'a [u32], range: &Range<usize>, unit: usize) -> &'a [u32] {
    let first = list.partition_point(|&at| (at as usize) * unit < range.start);
    let list = &list[first..];
    &list[..list.partition_point(|&at| (at as usize) * unit < range.end)]
}
