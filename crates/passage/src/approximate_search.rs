//! Approximate search for a quote.
//!
//! Grams that quote and text share vote for the diagonals on which they lie. In windows with many
//! votes the edit distance is computed with bit-parallel arithmetic. A passage within `k` edits
//! shares a known minimum of grams with the quote, so the votes also prove the distance up to which
//! no passage was missed.

mod diagonal_votes;
mod window_scan;

use std::ops::Range;

use crate::edit_distance::{Column, MyersPattern};
use crate::exact_search::MatchRequest;
use crate::gram_index::SPAN;
use crate::quote::Quote;
use crate::text_index::PassageTextIndex;
use diagonal_votes::VoteCounter;

/// Parameters of an approximate search.
#[derive(Clone, Debug)]
pub struct SearchTolerance {
    /// Maximum edit distance: characters of the normalised text inserted, deleted or replaced.
    pub max_distance: usize,
    /// Range of the source to search; `None` for all of it.
    pub within: Option<Range<usize>>,
    /// Maximum number of places that are returned.
    pub limit: usize,
    /// Budget for a complete search, in steps of about a nanosecond.
    ///
    /// With 0 only the windows with the most votes are searched. That finds quotes with up to a
    /// tenth of their characters changed, and [`NearestPassage::complete_to`] tells the distance
    /// for which it is proved complete.
    pub effort: u64,
}

impl SearchTolerance {
    /// Budget that makes every search for an ordinary quote complete.
    pub const THOROUGH: u64 = 1 << 30;

    /// Longest quote that is searched approximately, in characters of its normalised core.
    ///
    /// A longer quote is only found exactly; [`PassageTextIndex::fragments`] has no such limit.
    pub const MAX_QUOTE: usize = 1 << 14;

    /// Returns parameters for the best three places within a distance, with the least effort.
    pub fn within_distance(max_distance: usize) -> Self {
        Self {
            max_distance,
            within: None,
            limit: 3,
            effort: 0,
        }
    }
}

/// A place that is similar to a quote.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct CandidatePlace {
    /// Edit distance; also 0 if only the form of a date differs.
    pub distance: usize,
    /// Range in the source, in bytes.
    pub range: Range<usize>,
    /// Range in the normalised text.
    pub normalised_range: Range<usize>,
    /// The same range extended to whole tokens, in the source.
    pub passage: Range<usize>,
}

/// Result of an approximate search.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct NearestPassage {
    /// Places within the maximum distance, nearest first.
    pub places: Vec<CandidatePlace>,
    /// The best place that was examined, if none is within the maximum distance.
    pub nearest: Option<CandidatePlace>,
    /// Distance up to which no place was missed; `None` if nothing is proved.
    pub complete_to: Option<usize>,
}

/// Cost in steps up to which a range is scanned without using the index: about a page of text.
const SCAN_STEPS: u64 = 1 << 14;
/// Minimum budget for a quote that is too short for votes: about a millisecond.
const SHORT_QUOTE_STEPS: u64 = 1 << 20;
/// Maximum number of windows that are scanned because of their votes.
const MAX_WINDOWS: usize = 12;
/// Minimum budget for windows: some milliseconds.
const MIN_WINDOW_STEPS: u64 = 1 << 23;

/// End of a similar place, before its start is known.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
struct CandidateEnd {
    distance: usize,
    at: usize,
}

/// Searcher for quotes in one index. It reuses its buffers between searches.
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
    /// Creates a finder for an index.
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

    /// Returns the index.
    pub fn index(&self) -> &'a PassageTextIndex {
        self.index
    }

    /// Searches for the places that are most similar to a quote.
    pub fn locate(&mut self, quote: &Quote, tolerance: &SearchTolerance) -> NearestPassage {
        if quote.is_empty() {
            return NearestPassage::default();
        }
        let exact = self.exact_places(quote, tolerance);
        if !exact.places.is_empty() {
            return exact;
        }
        if quote
            .normalised()
            .chars()
            .nth(SearchTolerance::MAX_QUOTE)
            .is_some()
        {
            return NearestPassage::default();
        }
        self.ends.clear();
        self.nearest = None;
        self.pattern.set(quote.normalised().chars());
        // A distance of the quote's length would be reached everywhere.
        let max_distance = tolerance.max_distance.min(self.pattern.len() - 1);
        let range = self.index.normalised_within(tolerance.within.clone());
        let steps = range.len() as u64 * self.pattern.blocks() as u64;
        let complete_to = if steps <= SCAN_STEPS {
            self.scan(range, max_distance);
            Some(max_distance)
        } else {
            let proved = self.scan_by_votes(quote, &range, max_distance, tolerance.effort);
            let needed = self.best_distance().min(max_distance);
            let is_short = quote.normalised().len() < SPAN;
            let effort = tolerance
                .effort
                .max(if is_short { SHORT_QUOTE_STEPS } else { 0 });
            if proved.is_none_or(|proved| proved < needed) && steps <= effort {
                self.ends.clear();
                self.scan(range, max_distance);
                Some(max_distance)
            } else {
                proved
            }
        };
        self.collect_places(quote, tolerance.limit, complete_to)
    }

    /// Returns the exact matches of a quote. If none consists of whole tokens, returns those that
    /// begin or end inside a token.
    fn exact_places(&self, quote: &Quote, tolerance: &SearchTolerance) -> NearestPassage {
        let limit = tolerance.limit.max(1);
        let request = MatchRequest {
            within: tolerance.within.clone(),
            limit,
            near: None,
        };
        let text = self.index.text();
        let place = |normalised: Range<usize>| CandidatePlace {
            distance: 0,
            range: text.source_range(normalised.clone()),
            passage: text.source_range(text.whole_tokens(normalised.clone())),
            normalised_range: normalised,
        };
        let found = self.index.occurrences(quote, &request).matches;
        let mut places: Vec<CandidatePlace> = found
            .into_iter()
            .map(|found| place(found.normalised_range))
            .collect();
        if places.is_empty() {
            let parts = self
                .index
                .find_inside_tokens(quote, tolerance.within.clone(), limit);
            places = parts.into_iter().map(place).collect();
        }
        NearestPassage {
            places,
            nearest: None,
            complete_to: Some(0),
        }
    }

    /// Returns the smallest distance that was found so far.
    fn best_distance(&self) -> usize {
        let best = self.ends.iter().map(|end| end.distance).min();
        best.unwrap_or(usize::MAX)
    }
}
