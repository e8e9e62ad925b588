//! Positions on pages: sizes, boxes and words with their boxes.
//!
//! Lengths are in points (1/72 inch), from the top left of a page as it is displayed.

use std::ops::Range;

use serde::{Deserialize, Serialize};

/// Size of a page as it is displayed, in points.
#[derive(Debug, Clone, Copy, PartialEq, Serialize, Deserialize)]
pub struct PageSize {
    /// Width.
    pub width: f32,
    /// Height.
    pub height: f32,
}

/// Size of the pages of our layout.
pub(crate) const A4: PageSize = PageSize {
    width: 595.0,
    height: 842.0,
};

/// Word of a line with its box. It has at least one character that is not white space.
#[derive(Debug, Clone, PartialEq)]
pub struct Word {
    /// Byte range in the text of the line.
    pub range: Range<u32>,
    /// Number of the rendered page, from 1; see
    /// [`Document::rendered_page_count`](crate::Document::rendered_page_count).
    pub rendered_page: u32,
    /// Left edge.
    pub x: f32,
    /// Top edge.
    pub y: f32,
    /// Width.
    pub width: f32,
    /// Height.
    pub height: f32,
}

impl Word {
    /// Returns the word, or only the part that a range of the line touches if its script has no spaces
    /// between words.
    pub(crate) fn part(&self, line: &str, range: Range<usize>) -> Self {
        let mut part = self.clone();
        let (first, last) = (self.range.start as usize, self.range.end as usize);
        let text = line.get(first..last).unwrap_or_default();
        let count = text.chars().count();
        if range.start <= first && last <= range.end || !text.chars().any(is_unspaced) {
            return part;
        }
        // Characters of such scripts are about equally wide.
        let touched = text
            .char_indices()
            .map(|(at, c)| first + at..first + at + c.len_utf8());
        let is_touched = |c: &Range<usize>| c.start < range.end && range.start < c.end;
        let before = touched.clone().take_while(|c| !is_touched(c)).count();
        let inside = touched.filter(is_touched).count();
        let share = |length: f32, number: usize| length * number as f32 / count as f32;
        if self.width >= self.height {
            part.x += share(self.width, before);
            part.width = share(self.width, inside);
        } else {
            part.y += share(self.height, before);
            part.height = share(self.height, inside);
        }
        part
    }
}

/// Returns true if a character belongs to a script without spaces between words.
fn is_unspaced(c: char) -> bool {
    matches!(c, '\u{e00}'..='\u{eff}' | '\u{1780}'..='\u{17ff}' | '\u{2e80}'..='\u{9fff}' | '\u{f900}'..='\u{faff}' | '\u{20000}'..='\u{3ffff}')
}

/// Box on a rendered page.
#[derive(Debug, Clone, Copy, PartialEq, Serialize, Deserialize)]
pub struct PageBox {
    /// Number of the rendered page, from 1; see
    /// [`Document::rendered_page_count`](crate::Document::rendered_page_count).
    pub rendered_page: u32,
    /// Left edge.
    pub x: f32,
    /// Top edge.
    pub y: f32,
    /// Width.
    pub width: f32,
    /// Height.
    pub height: f32,
}

impl PageBox {
    pub(crate) fn of_word(word: &Word) -> Self {
        Self {
            rendered_page: word.rendered_page,
            x: word.x,
            y: word.y,
            width: word.width,
            height: word.height,
        }
    }

    /// Returns the smallest box around both, on the page of the first.
    pub fn union(self, other: Self) -> Self {
        let right = (self.x + self.width).max(other.x + other.width);
        let bottom = (self.y + self.height).max(other.y + other.height);
        let (x, y) = (self.x.min(other.x), self.y.min(other.y));
        Self {
            rendered_page: self.rendered_page,
            x,
            y,
            width: right - x,
            height: bottom - y,
        }
    }

    /// Returns true if a word is in the same row, or in the same column if the line is set vertically.
    pub(crate) fn is_beside(&self, word: &Self) -> bool {
        let touch = |start: f32, length: f32, from: f32, extent: f32| {
            start < from + extent && from < start + length
        };
        self.rendered_page == word.rendered_page
            && (touch(self.y, self.height, word.y, word.height)
                || (self.height > self.width && touch(self.x, self.width, word.x, word.width)))
    }
}
