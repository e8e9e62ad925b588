//! A text with its index.

use std::sync::OnceLock;

use crate::dates::{DateMark, Day};
use crate::grams::{GramIndex, TokenStarts};
use crate::text::NormalisedText;

/// A text that quotes can be looked for in.
///
/// It is built once, in time linear in the text; what a lookup costs depends on the quote and on how
/// often its rarest parts are in the text, not on the length of the text.
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
    /// Made when the first short quote is looked for.
    heads: OnceLock<TokenStarts>,
    /// Numbers of the text's dates, ordered by day.
    days: Vec<u32>,
    /// Bytes of the widest character of the folded text.
    width: usize,
}

/// Everything else follows from the text and its grams.
impl PartialEq for PassageTextIndex {
    fn eq(&self, other: &Self) -> bool {
        self.text == other.text && self.grams == other.grams
    }
}

impl Eq for PassageTextIndex {}

impl PassageTextIndex {
    /// Indexes a text.
    pub fn new(text: NormalisedText) -> Self {
        let grams = GramIndex::build(text.folded().as_bytes());
        Self::with_grams(text, grams)
    }

    pub(crate) fn with_grams(text: NormalisedText, grams: GramIndex) -> Self {
        let mut days: Vec<u32> = (0..text.dates.len() as u32).collect();
        days.sort_by_key(|&nth| text.dates[nth as usize].day);
        let width = if text.folded().is_ascii() { 1 } else { 4 };
        Self {
            text,
            grams,
            heads: OnceLock::new(),
            days,
            width,
        }
    }

    /// The text.
    pub fn text(&self) -> &NormalisedText {
        &self.text
    }

    /// Gives the text back.
    pub fn into_text(self) -> NormalisedText {
        self.text
    }

    pub(crate) fn grams(&self) -> &GramIndex {
        &self.grams
    }

    pub(crate) fn heads(&self) -> &TokenStarts {
        self.heads.get_or_init(|| {
            TokenStarts::build(self.text.folded().as_bytes(), &self.text.spans.edges)
        })
    }

    pub(crate) fn width(&self) -> usize {
        self.width
    }

    /// The dates of the text that name a day, in order.
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
