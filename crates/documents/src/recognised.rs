//! Words that were recognised in images of pages.

use std::collections::BTreeMap;

use crate::geometry::Word;

/// Confidence in percent below which a recognised word may be another one.
pub const MIN_CONFIDENCE: u8 = 60;

/// Recognised word with its box, in points from the top left of its page.
#[derive(Debug, Clone, PartialEq)]
pub struct RecognisedWord {
    /// Text of the word.
    pub text: String,
    /// Left edge.
    pub x: f32,
    /// Top edge.
    pub y: f32,
    /// Width.
    pub width: f32,
    /// Height.
    pub height: f32,
    /// Confidence in percent.
    pub confidence: u8,
}

/// Recognised words of a page, line by line in reading order.
pub type RecognisedLines = Vec<Vec<RecognisedWord>>;

/// Recognised words of the pages of a file.
#[derive(Debug, Clone, Default, PartialEq)]
pub struct RecognisedPages {
    /// Lines by page number, from 1; `None` if the recognition failed.
    pub pages: BTreeMap<u32, Option<RecognisedLines>>,
}

/// Line of a document made of recognised words.
pub(crate) struct RecognisedLine {
    pub(crate) text: String,
    pub(crate) words: Vec<Word>,
    pub(crate) confidences: Vec<u8>,
}

impl RecognisedLine {
    /// Joins words with spaces. Returns `None` if they are all blank.
    pub(crate) fn of(words: &[RecognisedWord]) -> Option<Self> {
        let mut joined = Self {
            text: String::new(),
            words: Vec::new(),
            confidences: Vec::new(),
        };
        for word in words {
            let text = word.text.trim();
            if text.is_empty() {
                continue;
            }
            if !joined.text.is_empty() {
                joined.text.push(' ');
            }
            let start = joined.text.len();
            joined.text.push_str(text);
            joined.words.push(Word {
                range: start as u32..joined.text.len() as u32,
                // The builder sets the page.
                rendered_page: 0,
                x: word.x,
                y: word.y,
                width: word.width,
                height: word.height,
            });
            joined.confidences.push(word.confidence.min(100));
        }
        (!joined.text.is_empty()).then_some(joined)
    }
}
