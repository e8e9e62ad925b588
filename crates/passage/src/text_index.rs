//! Text with the tables that make searching it fast.

use std::sync::OnceLock;

use crate::dates::{DateMark, Day};
use crate::gram_index::{GramIndex, TokenStarts};
use crate::normalised_text::NormalisedText;

/// Indexed text that can be searched for quotes.
///
/// It is built once, in time linear in the text. The cost of a lookup depends on the quote and on
/// the frequency of its rarest parts in the text, not on the length of the text.
///
/// ```
/// use passage::{PassageTextIndex, Quote, NormalisedText};
///
/// let index = PassageTextIndex::new(NormalisedText::new("Sales rose by 12.5 % in 2024, the board said.")?);
/// let quote = Quote::new("“sales  ROSE by 12.5% in 2024”", index.text())?;
/// let found = index.find(&quote, None).expect("it is there");
/// assert_eq!(&index.text().source()[found.range], "Sales rose by 12.5 % in 2024");
///
/// let changed = Quote::new("sales rose by 2.5% in 2024", index.text())?;
/// assert_eq!(index.find(&changed, None), None);
/// # Ok::<(), passage::TextTooLong>(())
/// ```
#[derive(Clone, Debug)]
pub struct PassageTextIndex {
    text: NormalisedText,
    grams: GramIndex,
    /// Built at the first search for a short quote.
    token_starts: OnceLock<TokenStarts>,
    /// Positions of hyphens inside a line; found at the first match that is not verbatim.
    inline_hyphens: OnceLock<Vec<u32>>,
    /// Indices into the dates of the text, ordered by day.
    days: Vec<u32>,
    /// Bytes of the widest character of the normalised text; 4 if it is not ASCII.
    width: usize,
}

/// All other fields are derived from the text and its grams.
impl PartialEq for PassageTextIndex {
    fn eq(&self, other: &Self) -> bool {
        self.text == other.text && self.grams == other.grams
    }
}

impl Eq for PassageTextIndex {}

impl PassageTextIndex {
    /// Indexes a text.
    pub fn new(text: NormalisedText) -> Self {
        let grams = GramIndex::build(text.normalised().as_bytes());
        Self::with_grams(text, grams)
    }

    pub(crate) fn with_grams(text: NormalisedText, grams: GramIndex) -> Self {
        let mut days: Vec<u32> = (0..text.dates.len() as u32).collect();
        days.sort_by_key(|&nth| text.dates[nth as usize].day);
        let width = if text.normalised().is_ascii() { 1 } else { 4 };
        Self {
            text,
            grams,
            token_starts: OnceLock::new(),
            inline_hyphens: OnceLock::new(),
            days,
            width,
        }
    }

    /// Returns the text.
    pub fn text(&self) -> &NormalisedText {
        &self.text
    }

    /// Returns the text and drops the tables.
    pub fn into_text(self) -> NormalisedText {
        self.text
    }

    pub(crate) fn grams(&self) -> &GramIndex {
        &self.grams
    }

    pub(crate) fn token_starts(&self) -> &TokenStarts {
        self.token_starts.get_or_init(|| {
            TokenStarts::build(self.text.normalised().as_bytes(), &self.text.spans.edges)
        })
    }

    /// Returns the normalised positions at which a hyphen inside a line was dropped.
    pub(crate) fn inline_hyphens(&self) -> &[u32] {
        self.inline_hyphens
            .get_or_init(|| self.text.inline_hyphens())
    }

    pub(crate) fn width(&self) -> usize {
        self.width
    }

    /// Returns the dates of the text that denote a day, in order.
    pub(crate) fn dates_of(&self, day: Day) -> impl Iterator<Item = DateMark> + '_ {
        let dates = &self.text.dates;
        let day_of = |nth: &u32| dates[*nth as usize].day;
        let first = self.days.partition_point(|nth| day_of(nth) < day);
        self.days[first..]
            .iter()
            .map(|&nth| dates[nth as usize])
            .take_while(move |date| date.day == day)
    }
}
