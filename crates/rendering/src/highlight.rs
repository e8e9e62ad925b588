//! Boxes of a passage on the pages of a document.

use std::ops::Range;

use documents::{Document, PageBox, TextStream};
use serde::{Deserialize, Serialize};

use crate::nearby_rows::find_nearby_rows;
use crate::style::HighlightState;

/// Passage to highlight: a box for each of its lines, on any number of pages.
#[derive(Debug, Clone, Default, PartialEq, Serialize, Deserialize)]
pub struct Highlight {
    /// Result of the verification, which decides the colour.
    pub state: HighlightState,
    /// Boxes of the passage. Lines that belong together share a pair of brackets, one pair for each column and
    /// page.
    pub phrase: Vec<PageBox>,
    /// Boxes of the key words, which are tinted.
    pub anchor: Vec<PageBox>,
    /// Rows of words near the passage, its own included: crops are cut between them. See [`Highlight::with_nearby_rows`].
    pub rows: Vec<PageBox>,
}

impl Highlight {
    /// Creates the highlight of a range of a text stream and of the key words in it.
    ///
    /// Key words that are nearly the whole passage are not tinted.
    pub fn new(
        document: &Document,
        stream: &TextStream,
        phrase: Range<usize>,
        anchor: Option<Range<usize>>,
        state: HighlightState,
    ) -> Self {
        let words = |range: &Range<usize>| {
            let text = stream.index.text().source().get(range.clone());
            let text = text.unwrap_or_default();
            let unspaced = text.chars().filter(|c| is_unspaced(*c)).count();
            text.split_whitespace().count() + unspaced
        };
        let boxes = document.boxes(stream, phrase.clone());
        let anchor = anchor.filter(|anchor| {
            let few = words(anchor);
            words(&phrase) >= few + if few == 1 { 1 } else { 2 }
        });
        let anchor = anchor.map_or_else(Vec::new, |anchor| document.boxes(stream, anchor));
        Self {
            state,
            anchor: if anchor == boxes { Vec::new() } else { anchor },
            phrase: boxes,
            rows: Vec::new(),
        }
    }

    /// Adds the rows of words that the document has near the passage.
    #[must_use]
    pub fn with_nearby_rows(self, document: &Document) -> Self {
        let boxes = if self.phrase.is_empty() {
            &self.anchor
        } else {
            &self.phrase
        };
        Self {
            rows: find_nearby_rows(document, boxes),
            ..self
        }
    }

    /// Returns the pages with a highlight, in order.
    pub fn pages(&self) -> Vec<u32> {
        let boxes = self.phrase.iter().chain(&self.anchor);
        let mut pages: Vec<u32> = boxes.map(|part| part.rendered_page).collect();
        pages.sort_unstable();
        pages.dedup();
        pages
    }
}

/// Returns true for scripts without spaces between words; each character counts as a word.
fn is_unspaced(c: char) -> bool {
    matches!(c, '\u{e00}'..='\u{eff}' | '\u{1000}'..='\u{109f}' | '\u{3041}'..='\u{30ff}' | '\u{3400}'..='\u{9fff}' | '\u{f900}'..='\u{faff}' | '\u{20000}'..='\u{3fffd}')
}
