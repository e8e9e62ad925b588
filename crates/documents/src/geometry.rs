//! Where words stand on their pages.

use std::ops::Range;

use passage::TextPiece;

use crate::align::LineAligner;
use crate::document::{Document, Line, TextStream, TextStreamRole};
use crate::recognised::SURE;

/// A word of a line and where it stands.
///
/// Lengths are in points (1/72 inch), from the top left of the page as it is displayed.
#[derive(Debug, Clone, PartialEq)]
pub struct Word {
    /// Its part of the line's text, in bytes.
    pub range: Range<u32>,
    /// The sheet, from 1, as [`Document::sheets`] counts them.
    pub sheet: u32,
    /// The left edge.
    pub x: f32,
    /// The top edge.
    pub y: f32,
    /// How wide it is.
    pub width: f32,
    /// How high it is.
    pub height: f32,
}

impl Word {
    /// The word, or the part of it that a range of the line's text touches if the script has no spaces.
    fn part(&self, line: &str, range: Range<usize>) -> Self {
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

/// Whether a character belongs to a script that has no spaces between words.
fn is_unspaced(c: char) -> bool {
    matches!(c, '\u{e00}'..='\u{eff}' | '\u{1780}'..='\u{17ff}' | '\u{2e80}'..='\u{9fff}' | '\u{f900}'..='\u{faff}' | '\u{20000}'..='\u{3ffff}')
}

/// The size of a page as it is displayed, in points.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct PageSize {
    /// How wide it is.
    pub width: f32,
    /// How high it is.
    pub height: f32,
}

/// A word that may be another one.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct DoubtfulWord {
    /// The word as it was recognised.
    pub word: String,
    /// How sure it is, in percent.
    pub confidence: u8,
}

impl std::fmt::Display for DoubtfulWord {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        let Self { word, confidence } = self;
        write!(
            f,
            "the word “{word}” was recognised with a confidence of {confidence} % only"
        )
    }
}

/// A part of a page as it is drawn, in points from its top left.
#[derive(Debug, Clone, Copy, PartialEq, serde::Serialize, serde::Deserialize)]
pub struct PageBox {
    /// The sheet, from 1, as [`Document::sheets`] counts them.
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
    fn of_word(word: &Word) -> Self {
        Self {
            page: word.sheet,
            x: word.x,
            y: word.y,
            width: word.width,
            height: word.height,
        }
    }

    /// The smallest box around both; the page is that of the first.
    pub fn union(self, other: Self) -> Self {
        let right = (self.x + self.width).max(other.x + other.width);
        let bottom = (self.y + self.height).max(other.y + other.height);
        let (x, y) = (self.x.min(other.x), self.y.min(other.y));
        Self {
            page: self.page,
            x,
            y,
            width: right - x,
            height: bottom - y,
        }
    }

    /// Whether a word stands in the same row, or in the same column if the line is set vertically.
    fn stands_beside(&self, word: &Self) -> bool {
        let touch = |start: f32, length: f32, from: f32, extent: f32| {
            start < from + extent && from < start + length
        };
        self.page == word.page
            && (touch(self.y, self.height, word.y, word.height)
                || (self.height > self.width && touch(self.x, self.width, word.x, word.width)))
    }
}

impl Line {
    /// Where a part of its text without wide gaps begins.
    fn start_of_cell(&self, cell: &str) -> Option<usize> {
        let mut start = 0;
        for text in self.text.split('\t') {
            if text == cell {
                return Some(start);
            }
            start += text.len() + 1;
        }
        None
    }
}

impl Document {
    /// Where a range of a flow's source stands: a box for each row of its lines, around the words that it
    /// touches.
    ///
    /// What is not shown has no boxes, nor have documents that were neither set on pages nor laid out.
    pub fn boxes(&self, flow: &TextStream, range: Range<usize>) -> Vec<PageBox> {
        let mut boxes = Vec::new();
        if flow.role == TextStreamRole::Hidden {
            return boxes;
        }
        let text = flow.index.text();
        for piece in text.pieces_in(range.clone()) {
            let Some(line) = self.lines().get(piece.id as usize) else {
                continue;
            };
            if line.words.is_empty() {
                continue;
            }
            let offset =
                |at: usize| at.clamp(piece.range.start, piece.range.end) - piece.range.start;
            let Some(part) = self.part(flow, piece, line, offset(range.start)..offset(range.end))
            else {
                continue;
            };
            let mut around: Option<PageBox> = None;
            for word in self.words_of(line) {
                if word.range.start as usize >= part.end || part.start >= word.range.end as usize {
                    continue;
                }
                let word = PageBox::of_word(&word.part(&line.text, part.clone()));
                around = match around {
                    Some(row) if row.stands_beside(&word) => Some(row.union(word)),
                    row => {
                        boxes.extend(row);
                        Some(word)
                    }
                };
            }
            boxes.extend(around);
        }
        boxes
    }

    /// The least sure of the words that a range of a flow's source touches, if that one may be another.
    pub fn doubt(&self, flow: &TextStream, range: Range<usize>) -> Option<DoubtfulWord> {
        if self.confidences.is_empty() {
            return None;
        }
        let text = flow.index.text();
        let mut least: Option<(u8, String)> = None;
        for piece in text.pieces_in(range.clone()) {
            let Some(line) = self.lines().get(piece.id as usize) else {
                continue;
            };
            let offset =
                |at: usize| at.clamp(piece.range.start, piece.range.end) - piece.range.start;
            let part = self.part(flow, piece, line, offset(range.start)..offset(range.end));
            let part = part.unwrap_or_default();
            for (at, word) in (line.words.start as usize..).zip(self.words_of(line)) {
                let (start, end) = (word.range.start as usize, word.range.end as usize);
                let sure = self.confidence(at);
                let touched = start < part.end && part.start < end;
                if touched && sure < SURE && least.as_ref().is_none_or(|least| sure < least.0) {
                    let text = line.text.get(start..end).unwrap_or_default();
                    least = Some((sure, text.to_owned()));
                }
            }
        }
        least.map(|(confidence, word)| DoubtfulWord { word, confidence })
    }

    /// The part of a line's text that a part of a piece is.
    fn part(
        &self,
        flow: &TextStream,
        piece: &TextPiece,
        line: &Line,
        part: Range<usize>,
    ) -> Option<Range<usize>> {
        let text = flow.index.text();
        let of_piece = |piece: &TextPiece| text.source().get(piece.range.clone());
        if flow.role == TextStreamRole::Alternative {
            let start = line.start_of_cell(of_piece(piece)?)?;
            return Some(start + part.start..start + part.end);
        }
        let pieces = text.pieces();
        let last = pieces.partition_point(|other| other.range.start < piece.range.start);
        let is_first = last == 0 || pieces[last - 1].id != piece.id;
        if is_first && line.text.starts_with(of_piece(piece)?.trim_end()) {
            return Some(part);
        }
        // The line is written with markup: its pieces are gone through from the first.
        let words = self.words_of(line).iter();
        let shown = words.map(|word| word.range.start as usize..word.range.end as usize);
        let mut aligner = LineAligner::new(&line.text, shown);
        let first = pieces[..last].partition_point(|other| other.id < piece.id);
        for other in &pieces[first..last] {
            aligner.next(of_piece(other)?);
        }
        let pairs = aligner.next(of_piece(piece)?);
        aligner.part(&pairs, part)
    }
}
