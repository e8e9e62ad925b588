//! Where a quote most nearly is.
//!
//! Grams that quote and text share vote for the diagonals they lie on; where many vote, the edit
//! distance is computed by bits. A place within `k` edits shares a number of grams that can be
//! counted beforehand, so the votes also prove which distances can be found nowhere else.

mod votes;
mod window;

use std::ops::Range;

use crate::find::MatchRequest;
use crate::grams::SPAN;
use crate::index::PassageTextIndex;
use crate::myers::{Column, MyersPattern};
use crate::quote::Quote;
use votes::VoteCounter;

/// How far to look for a quote that is not there word for word.
#[derive(Clone, Debug)]
pub struct SearchTolerance {
    /// Places may be so many edits away: characters of the folded text inserted, deleted, replaced.
    pub max_distance: usize,
    /// Only places inside this range of the source.
    pub within: Option<Range<usize>>,
    /// At most so many places.
    pub limit: usize,
    /// How much may be spent on making sure that no place was missed, in steps of about a nanosecond.
    ///
    /// With 0 the votes alone decide; that finds quotes with up to a tenth of their characters
    /// changed, and [`NearestPassage::complete_to`] says what it proves.
    pub effort: u64,
}

impl SearchTolerance {
    /// An effort that makes every search of an ordinary quote complete.
    pub const THOROUGH: u64 = 1 << 30;

    /// The longest quote that is looked for, in characters of its folded core.
    ///
    /// A longer one is only found where it is word for word; [`PassageTextIndex::fragments`] has no such limit.
    pub const MAX_QUOTE: usize = 1 << 14;

    /// The best three places within a distance, by votes.
    pub fn within_distance(max_distance: usize) -> Self {
        Self {
            max_distance,
            within: None,
            limit: 3,
            effort: 0,
        }
    }
}

/// A place that is like a quote.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct CandidatePlace {
    /// How many edits away it is; 0 too where only the form of a date is another.
    pub distance: usize,
    /// Where it is in the source.
    pub range: Range<usize>,
    /// Where it is in the folded text.
    pub folded_range: Range<usize>,
    /// The same place grown to whole tokens, in the source.
    pub passage: Range<usize>,
}

/// Where a quote most nearly is.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct NearestPassage {
    /// Places within the wanted distance, nearest first.
    pub places: Vec<CandidatePlace>,
    /// The best place that was seen if none is within the wanted distance.
    pub nearest: Option<CandidatePlace>,
    /// No place at this distance or less was missed; `None` if nothing is proved.
    pub complete_to: Option<usize>,
}

/// Steps that are always spent rather than asking the index: a page of text.
const SMALL: u64 = 1 << 14;
/// Steps that are always spent on a quote too short for votes: about a millisecond.
const SHORT: u64 = 1 << 20;
/// Windows that are looked at because of their votes.
const MAX_WINDOWS: usize = 12;
/// Steps that are spent on windows in any case: some milliseconds.
const MAX_STEPS: u64 = 1 << 23;

/// An end of a place, before its start is known.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
struct CandidateEnd {
    distance: usize,
    at: usize,
}

/// Looks for quotes in one index, using the same memory for each.
///
/// ```
/// use passage::{PassageFinder, PassageTextIndex, SearchTolerance, Quote, NormalisedText};
///
/// let index = PassageTextIndex::new(NormalisedText::new("The committee approved the annual budget on Friday.")?);
/// let quote = Quote::new("comittee aproved the anual budget", index.text())?;
/// let located = PassageFinder::new(&index).locate(&quote, &SearchTolerance::within_distance(5));
/// let place = &located.places[0];
/// assert_eq!(place.distance, 3);
/// assert_eq!(&index.text().source()[place.range.clone()], "committee approved the annual budget");
/// # Ok::<(), passage::TextTooLong>(())
/// ```
pub struct PassageFinder<'a> {
    index: &'a PassageTextIndex,
    pattern: MyersPattern,
    reversed: MyersPattern,
    column: Column,
    votes: VoteCounter,
    ends: Vec<CandidateEnd>,
    nearest: Option<CandidateEnd>,
}

impl<'a> PassageFinder<'a> {
    /// A finder for an index.
    pub fn new(index: &'a PassageTextIndex) -> Self {
        Self {
            index,
            pattern: MyersPattern::default(),
            reversed: MyersPattern::default(),
            column: Column::new(),
            votes: VoteCounter::default(),
            ends: Vec::new(),
            nearest: None,
        }
    }

    /// The index that is searched.
    pub fn index(&self) -> &'a PassageTextIndex {
        self.index
    }

    /// Where a quote most nearly is.
    pub fn locate(&mut self, quote: &Quote, nearness: &SearchTolerance) -> NearestPassage {
        if quote.is_empty() {
            return NearestPassage::default();
        }
        let exact = self.exact(quote, nearness);
        if !exact.places.is_empty() {
            return exact;
        }
        if quote
            .folded()
            .chars()
            .nth(SearchTolerance::MAX_QUOTE)
            .is_some()
        {
            return NearestPassage::default();
        }
        self.ends.clear();
        self.nearest = None;
        self.pattern.set(quote.folded().chars());
        // At the length of the quote and beyond, every place is near enough.
        let max_distance = nearness.max_distance.min(self.pattern.len() - 1);
        let range = self.index.folded_within(nearness.within.clone());
        let steps = range.len() as u64 * self.pattern.blocks() as u64;
        let complete_to = if steps <= SMALL {
            self.scan(range, max_distance);
            Some(max_distance)
        } else {
            let proved = self.vote(quote, &range, max_distance, nearness.effort);
            let needed = self.best_distance().min(max_distance);
            let is_short = quote.folded().len() < SPAN;
            let effort = nearness.effort.max(if is_short { SHORT } else { 0 });
            if proved.is_none_or(|proved| proved < needed) && steps <= effort {
                self.ends.clear();
                self.scan(range, max_distance);
                Some(max_distance)
            } else {
                proved
            }
        };
        self.places(quote, nearness.limit, complete_to)
    }

    /// The places of a quote that is there after all; if none is made of whole tokens, those that
    /// begin or end inside one.
    fn exact(&self, quote: &Quote, nearness: &SearchTolerance) -> NearestPassage {
        let limit = nearness.limit.max(1);
        let wanted = MatchRequest {
            within: nearness.within.clone(),
            limit,
            near: None,
        };
        let text = self.index.text();
        let place = |folded: Range<usize>| CandidatePlace {
            distance: 0,
            range: text.source_range(folded.clone()),
            passage: text.source_range(text.whole_tokens(folded.clone())),
            folded_range: folded,
        };
        let found = self.index.occurrences(quote, &wanted).matches;
        let mut places: Vec<CandidatePlace> = found
            .into_iter()
            .map(|found| place(found.folded_range))
            .collect();
        if places.is_empty() {
            let parts = self
                .index
                .inside_tokens(quote, nearness.within.clone(), limit);
            places = parts.into_iter().map(place).collect();
        }
        NearestPassage {
            places,
            nearest: None,
            complete_to: Some(0),
        }
    }

    /// The distance of the best end so far.
    fn best_distance(&self) -> usize {
        let best = self.ends.iter().map(|end| end.distance).min();
        best.unwrap_or(usize::MAX)
    }
}
