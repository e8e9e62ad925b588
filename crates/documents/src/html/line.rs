//! Lines of text as a browser sets them: white space is collapsed, digits are raised and lowered.

use crate::digit_position::DigitPosition;
use crate::layout::FontFace;

/// Gap before the next text on a line, from the weakest to the strongest.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub(super) enum HtmlGap {
    None,
    Space,
    Cell,
}

/// Line under construction.
#[derive(Debug)]
pub(super) struct HtmlLine {
    /// Text so far; does not begin with white space.
    text: String,
    gap: HtmlGap,
    /// Marks with their byte positions.
    marks: Vec<(usize, LineMark)>,
}

/// Mark at a position of a line.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum LineMark {
    /// Beginning of text in a style.
    Face(FontFace),
    /// Beginning of a table cell; true for a heading.
    Cell(bool),
    /// Image.
    Image,
}

impl HtmlLine {
    pub(super) fn new() -> Self {
        Self {
            text: String::new(),
            gap: HtmlGap::None,
            marks: Vec::new(),
        }
    }

    /// Adds a mark at the end of the line. A style without text is replaced.
    pub(super) fn add_mark(&mut self, mark: LineMark) {
        let same = |other: &LineMark| matches!(other, LineMark::Face(_));
        match self.marks.last_mut() {
            Some((at, last)) if *at == self.text.len() && same(last) && same(&mark) => *last = mark,
            _ => self.marks.push((self.text.len(), mark)),
        }
    }

    /// Returns the marks of the line and clears them.
    pub(super) fn take_marks(&mut self) -> Vec<(usize, LineMark)> {
        std::mem::take(&mut self.marks)
    }

    pub(super) fn is_empty(&self) -> bool {
        self.text.is_empty()
    }

    /// Demands a gap before the next text.
    pub(super) fn add_gap(&mut self, gap: HtmlGap) {
        self.gap = self.gap.max(gap);
    }

    /// Returns the trimmed text, if there is any, and begins a new line.
    pub(super) fn take(&mut self) -> Option<String> {
        self.gap = HtmlGap::None;
        if self.text.is_empty() {
            return None;
        }
        let mut text = std::mem::take(&mut self.text);
        text.truncate(text.trim_end().len());
        Some(text)
    }

    /// Adds text and collapses its white space.
    pub(super) fn push(&mut self, text: &str, digits: DigitPosition) {
        let mut rest = text;
        while !rest.is_empty() {
            let space = rest.bytes().position(is_space).unwrap_or(rest.len());
            let (word, after) = rest.split_at(space);
            self.push_word(word, digits);
            rest = after.trim_start_matches(|c: char| c.is_ascii() && is_space(c as u8));
            if rest.len() < after.len() {
                self.add_gap(HtmlGap::Space);
            }
        }
    }

    /// Adds text of one line and keeps its white space.
    pub(super) fn push_preformatted(&mut self, text: &str, digits: DigitPosition) {
        self.push_word(text, digits);
    }

    fn push_word(&mut self, word: &str, digits: DigitPosition) {
        if digits == DigitPosition::Normal && !word.is_empty() && word.bytes().all(is_plain) {
            self.close_gap();
            self.text.push_str(word);
            return;
        }
        for c in word.chars() {
            if c == SOFT_HYPHEN || (c.is_control() && !c.is_whitespace()) {
                continue;
            }
            if self.text.is_empty() && c.is_whitespace() {
                continue;
            }
            self.close_gap();
            self.text.push(digits.apply(c));
        }
    }

    fn close_gap(&mut self) {
        if !self.text.is_empty() {
            match self.gap {
                HtmlGap::None => {}
                HtmlGap::Space => self.text.push(' '),
                HtmlGap::Cell => self.text.push('\t'),
            }
        }
        self.gap = HtmlGap::None;
    }
}

/// Character that is shown only where a line is broken; lines are not broken here.
const SOFT_HYPHEN: char = '\u{ad}';

/// Returns true for white space that is collapsed.
fn is_space(byte: u8) -> bool {
    matches!(byte, b' ' | b'\t' | b'\n' | b'\r' | 0xc)
}

/// Returns true for characters that need no special treatment.
fn is_plain(byte: u8) -> bool {
    matches!(byte, b'!'..=b'~')
}
