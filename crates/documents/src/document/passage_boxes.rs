//! Boxes of passages on their pages, and the least certain of their recognised words.

use std::fmt;
use std::ops::Range;

use passage::TextPiece;

use super::alignment::LineAligner;
use super::{Document, Line, TextStream, TextStreamRole};
use crate::geometry::PageBox;
use crate::recognised::MIN_CONFIDENCE;

/// Recognised word that may be another one.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct DoubtfulWord {
    /// Word as it was recognised.
    pub word: String,
    /// Confidence in percent.
    pub confidence: u8,
}

impl fmt::Display for DoubtfulWord {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let Self { word, confidence } = self;
        write!(
            f,
            "the word “{word}” was recognised with a confidence of {confidence} % only"
        )
    }
}

impl Document {
    /// Returns the boxes of a byte range of a text stream: one for each row of its lines, around the words
    /// that the range touches.
    ///
    /// Hidden text has no boxes, nor have documents without positions of words.
    pub fn boxes(&self, stream: &TextStream, range: Range<usize>) -> Vec<PageBox> {
        let mut boxes = Vec::new();
        if stream.role == TextStreamRole::Hidden {
            return boxes;
        }
        for (line, part) in self.line_parts(stream, range) {
            let mut row: Option<PageBox> = None;
            for word in self.words_of(line) {
                if word.range.start as usize >= part.end || part.start >= word.range.end as usize {
                    continue;
                }
                let word = PageBox::of_word(&word.part(&line.text, part.clone()));
                row = match row {
                    Some(row) if row.is_beside(&word) => Some(row.union(word)),
                    row => {
                        boxes.extend(row);
                        Some(word)
                    }
                };
            }
            boxes.extend(row);
        }
        boxes
    }

    /// Returns the least certain of the words that a byte range of a text stream touches, if its confidence
    /// is below [`MIN_CONFIDENCE`].
    pub fn doubtful_word(&self, stream: &TextStream, range: Range<usize>) -> Option<DoubtfulWord> {
        if self.confidences.is_empty() {
            return None;
        }
        let mut least: Option<DoubtfulWord> = None;
        for (line, part) in self.line_parts(stream, range) {
            for (at, word) in (line.words.start as usize..).zip(self.words_of(line)) {
                let (start, end) = (word.range.start as usize, word.range.end as usize);
                let confidence = self.confidence(at);
                let is_touched = start < part.end && part.start < end;
                let is_less = |least: &DoubtfulWord| confidence < least.confidence;
                if is_touched && confidence < MIN_CONFIDENCE && least.as_ref().is_none_or(is_less) {
                    let word = line.text.get(start..end).unwrap_or_default().to_owned();
                    least = Some(DoubtfulWord { word, confidence });
                }
            }
        }
        least
    }

    /// Returns the lines with words that a byte range of a text stream touches, each with the touched part
    /// of its text.
    fn line_parts<'d>(
        &'d self,
        stream: &'d TextStream,
        range: Range<usize>,
    ) -> impl Iterator<Item = (&'d Line, Range<usize>)> {
        let pieces = stream.index.text().pieces_in(range.clone());
        pieces.iter().filter_map(move |piece| {
            let line = self.lines().get(piece.id as usize)?;
            if line.words.is_empty() {
                return None;
            }
            let offset =
                |at: usize| at.clamp(piece.range.start, piece.range.end) - piece.range.start;
            let part = offset(range.start)..offset(range.end);
            Some((line, self.part_of_line(stream, piece, line, part)?))
        })
    }

    /// Returns the part of a line's text that corresponds to a part of a piece.
    fn part_of_line(
        &self,
        stream: &TextStream,
        piece: &TextPiece,
        line: &Line,
        part: Range<usize>,
    ) -> Option<Range<usize>> {
        let text = stream.index.text();
        let of_piece = |piece: &TextPiece| text.source().get(piece.range.clone());
        if stream.role == TextStreamRole::Alternative {
            let start = start_of_cell(&line.text, of_piece(piece)?)?;
            return Some(start + part.start..start + part.end);
        }
        let pieces = text.pieces();
        let last = pieces.partition_point(|other| other.range.start < piece.range.start);
        let is_first = last == 0 || pieces[last - 1].id != piece.id;
        if is_first && line.text.starts_with(of_piece(piece)?.trim_end()) {
            return Some(part);
        }
        // The line contains markup: its pieces are aligned with it from the first on.
        let words = self.words_of(line).iter();
        let shown = words.map(|word| word.range.start as usize..word.range.end as usize);
        let mut aligner = LineAligner::new(&line.text, shown);
        let first = pieces[..last].partition_point(|other| other.id < piece.id);
        for other in &pieces[first..last] {
            aligner.align_next(of_piece(other)?);
        }
        let pairs = aligner.align_next(of_piece(piece)?);
        aligner.part(&pairs, part)
    }
}

/// Returns the position of a cell in a line whose cells are separated by tabs.
fn start_of_cell(line: &str, cell: &str) -> Option<usize> {
    let mut start = 0;
    for text in line.split('\t') {
        if text == cell {
            return Some(start);
        }
        start += text.len() + 1;
    }
    None
}
