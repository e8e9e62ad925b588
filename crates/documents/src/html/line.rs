//! Text as a browser sets it: white space runs together, digits are raised and lowered.

use super::elements::{lowered, raised};
use crate::layout::FontFace;

/// What stands before the next text on a line, the strongest last.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub(super) enum HtmlGap {
    None,
    Space,
    Cell,
}

/// How text is set.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub(super) enum HtmlVerticalAlign {
    #[default]
    Normal,
    Raised,
    Lowered,
}

/// A line that is being set.
#[derive(Debug)]
pub(super) struct HtmlLine {
    /// Begins with something that is not white space.
    text: String,
    gap: HtmlGap,
    /// What begins where, in bytes.
    marks: Vec<(usize, LineMark)>,
}

/// What begins at a place of a line.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum LineMark {
    /// Text of a face.
    Face(FontFace),
    /// A cell of a table; whether it is a heading.
    Cell(bool),
    /// An image.
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

    /// Says what begins here.
    pub(super) fn mark(&mut self, mark: LineMark) {
        let same = |other: &LineMark| matches!(other, LineMark::Face(_));
        match self.marks.last_mut() {
            Some((at, last)) if *at == self.text.len() && same(last) && same(&mark) => *last = mark,
            _ => self.marks.push((self.text.len(), mark)),
        }
    }

    /// What begins where on the line.
    pub(super) fn take_marks(&mut self) -> Vec<(usize, LineMark)> {
        std::mem::take(&mut self.marks)
    }

    pub(super) fn is_empty(&self) -> bool {
        self.text.is_empty()
    }

    /// What comes next does not touch what is there.
    pub(super) fn gap(&mut self, gap: HtmlGap) {
        self.gap = self.gap.max(gap);
    }

    /// What was set, trimmed; the next line begins.
    pub(super) fn take(&mut self) -> Option<String> {
        self.gap = HtmlGap::None;
        if self.text.is_empty() {
            return None;
        }
        let mut text = std::mem::take(&mut self.text);
        text.truncate(text.trim_end().len());
        Some(text)
    }

    /// Sets text in which white space runs together.
    pub(super) fn push(&mut self, text: &str, height: HtmlVerticalAlign) {
        let mut rest = text;
        while !rest.is_empty() {
            let space = rest.bytes().position(is_space).unwrap_or(rest.len());
            let (word, after) = rest.split_at(space);
            self.push_word(word, height);
            rest = after.trim_start_matches(|c: char| c.is_ascii() && is_space(c as u8));
            if rest.len() < after.len() {
                self.gap(HtmlGap::Space);
            }
        }
    }

    /// Sets text of one line in which white space stays.
    pub(super) fn push_preformatted(&mut self, text: &str, height: HtmlVerticalAlign) {
        self.push_word(text, height);
    }

    fn push_word(&mut self, word: &str, height: HtmlVerticalAlign) {
        if height == HtmlVerticalAlign::Normal && !word.is_empty() && word.bytes().all(is_plain) {
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
            self.text.push(match height {
                HtmlVerticalAlign::Normal => c,
                HtmlVerticalAlign::Raised => raised(c),
                HtmlVerticalAlign::Lowered => lowered(c),
            });
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

/// Shown only where a line is broken, and lines are not broken here.
const SOFT_HYPHEN: char = '\u{ad}';

/// White space that runs together.
fn is_space(byte: u8) -> bool {
    matches!(byte, b' ' | b'\t' | b'\n' | b'\r' | 0xc)
}

/// Set as it is, wherever it stands.
fn is_plain(byte: u8) -> bool {
    matches!(byte, b'!'..=b'~')
}
