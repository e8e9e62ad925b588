//! Words that were recognised in pictures of pages.

use std::collections::BTreeMap;

use crate::geometry::Word;

/// Below this confidence, in percent, a word may be another one.
pub const SURE: u8 = 60;

/// A word that was recognised, and where it stands, in points from the top left of its page.
#[derive(Debug, Clone, PartialEq)]
pub struct RecognisedWord {
    /// What it says.
    pub text: String,
    /// The left edge.
    pub x: f32,
    /// The top edge.
    pub y: f32,
    /// How wide it is.
    pub width: f32,
    /// How high it is.
    pub height: f32,
    /// How sure it is, in percent.
    pub confidence: u8,
}

/// The words of a page, line by line, in the order they are read.
pub type RecognisedLines = Vec<Vec<RecognisedWord>>;

/// What was recognised on the pages of a file that were looked at.
#[derive(Debug, Clone, Default, PartialEq)]
pub struct RecognisedPages {
    /// By page, from 1; nothing if it failed.
    pub pages: BTreeMap<u32, Option<RecognisedLines>>,
}

/// A recognised line as the lines of documents are.
pub(crate) struct RecognisedLine {
    pub(crate) text: String,
    pub(crate) words: Vec<Word>,
    pub(crate) confidences: Vec<u8>,
}

impl RecognisedLine {
    /// Joins words with spaces; none if they are all empty.
    pub(crate) fn of(words: &[RecognisedWord]) -> Option<Self> {
        let mut joined = Self {
            text: String::new(),
            words: Vec::new(),
            confidences: Vec::new(),
        };
        for word in words {
            let said = word.text.trim();
            if said.is_empty() {
                continue;
            }
            if !joined.text.is_empty() {
                joined.text.push(' ');
            }
            let start = joined.text.len();
            joined.text.push_str(said);
            joined.words.push(Word {
                range: start as u32..joined.text.len() as u32,
                sheet: 0,
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
