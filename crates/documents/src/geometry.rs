//! Where words stand on their pages.

use std::ops::Range;

use crate::document::{Document, Flow};

/// A word of a line and where it stands.
///
/// Lengths are in points (1/72 inch), from the top left of the page as it is displayed.
#[derive(Debug, Clone, PartialEq)]
pub struct Word {
    /// Its part of the line's text, in bytes.
    pub range: Range<u32>,
    /// The left edge.
    pub x: f32,
    /// The top edge.
    pub y: f32,
    /// How wide it is.
    pub width: f32,
    /// How high it is.
    pub height: f32,
}

/// The size of a page as it is displayed, in points.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct PageSize {
    /// How wide it is.
    pub width: f32,
    /// How high it is.
    pub height: f32,
}

/// A part of a page, in points from its top left.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct PageBox {
    /// The page, from 1.
    pub page: u32,
    /// The left edge.
    pub x: f32,
    /// The top edge.
    pub y: f32,
    /// How wide it is.
    pub width: f32,
    /// How high it is.
    pub height: f32,
}

impl PageBox {
    fn of_word(page: u32, word: &Word) -> Self {
        Self {
            page,
            x: word.x,
            y: word.y,
            width: word.width,
            height: word.height,
        }
    }

    fn cover(&mut self, word: &Word) {
        let right = (self.x + self.width).max(word.x + word.width);
        let bottom = (self.y + self.height).max(word.y + word.height);
        self.x = self.x.min(word.x);
        self.y = self.y.min(word.y);
        self.width = right - self.x;
        self.height = bottom - self.y;
    }
}

impl Document {
    /// Where a range of a flow's source stands: a box for each line, around the words that it touches.
    ///
    /// Documents whose files have no geometry, such as HTML, give none.
    pub fn boxes(&self, flow: &Flow, range: Range<usize>) -> Vec<PageBox> {
        let mut boxes = Vec::new();
        for piece in flow.index.text().pieces_in(range.clone()) {
            let Some(line) = self.lines().get(piece.id as usize) else {
                continue;
            };
            let offset =
                |at: usize| at.clamp(piece.range.start, piece.range.end) - piece.range.start;
            let (start, end) = (offset(range.start), offset(range.end));
            let mut around: Option<PageBox> = None;
            for word in self.words_of(line) {
                if (word.range.start as usize) < end && start < word.range.end as usize {
                    match &mut around {
                        Some(around) => around.cover(word),
                        None => around = Some(PageBox::of_word(line.page, word)),
                    }
                }
            }
            boxes.extend(around);
        }
        boxes
    }
}
