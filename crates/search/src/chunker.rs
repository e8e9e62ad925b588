//! Division of documents into chunks that follow their structure.

mod expansion;
mod headings;
mod sections;
mod sentences;

use std::ops::Range;

use documents::{Document, TextStreamRole};

use crate::chunk::{Chunk, ChunkId, LinePosition};
pub use headings::outline_of;
use sections::{Section, TextUnit, read_sections};
pub use sentences::split_sentences;

/// Divides documents into chunks.
///
/// A chunk never extends over a heading and never cuts a word. It cuts a sentence only if that sentence alone is
/// over the limit. Running headers, page numbers and line numbers are in no chunk.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Chunker {
    /// Least number of words of a chunk, if its section has as many.
    pub min_words: usize,
    /// Largest number of words of a chunk.
    pub max_words: usize,
}

impl Default for Chunker {
    fn default() -> Self {
        Self {
            min_words: 120,
            max_words: 220,
        }
    }
}

impl Chunker {
    /// Returns the chunks of a document in order: first those of the body, then those of notes and captions.
    pub fn chunks(&self, document: &Document) -> Vec<Chunk> {
        let mut chunks = Vec::new();
        for (at, stream) in (0..).zip(document.text_streams()) {
            if !matches!(stream.role, TextStreamRole::Body | TextStreamRole::Apart) {
                continue;
            }
            for section in read_sections(document, stream, self.max_words) {
                self.add_chunks(document, at, &section, &mut chunks);
            }
        }
        chunks
    }

    fn add_chunks(
        &self,
        document: &Document,
        stream: u8,
        section: &Section,
        chunks: &mut Vec<Chunk>,
    ) {
        let Some(text) = document.text_streams().get(usize::from(stream)) else {
            return;
        };
        for units in self.pack(&section.units) {
            let (Some(first), Some(last)) = (units.first(), units.last()) else {
                continue;
            };
            let span = first.range.start..last.range.end;
            let Some((first_line, last_line)) = line_range(document, text, span.clone()) else {
                continue;
            };
            chunks.push(Chunk {
                id: ChunkId::of(document.id(), stream, &span),
                order: u32::try_from(chunks.len()).unwrap_or(u32::MAX),
                headings: section.headings.clone(),
                table_header: first.table_header.clone(),
                first: first_line,
                last: last_line,
                stream,
                span,
            });
        }
    }

    /// Divides the units of a section into chunks of about equal size, preferably at the end of a paragraph.
    fn pack<'a>(&self, units: &'a [TextUnit]) -> Vec<&'a [TextUnit]> {
        let mut left: usize = units.iter().map(|unit| unit.words).sum();
        let mut packed = Vec::new();
        let (mut start, mut words) = (0, 0);
        let mut goal = self.goal(left);
        for (at, unit) in units.iter().enumerate() {
            if words > 0 && words + unit.words > self.max_words {
                packed.push(&units[start..at]);
                (start, words) = (at, 0);
                goal = self.goal(left);
            }
            words += unit.words;
            left -= unit.words;
            let is_good_end = unit.ends_paragraph && words >= self.min_words.min(goal) && left > 0;
            if is_good_end || (words >= goal && left > 0 && self.has_room(left)) {
                packed.push(&units[start..=at]);
                (start, words) = (at + 1, 0);
                goal = self.goal(left);
            }
        }
        if start < units.len() {
            packed.push(&units[start..]);
        }
        packed
    }

    /// Returns true if what is left makes a chunk of its own.
    fn has_room(&self, left: usize) -> bool {
        left >= self.min_words / 2
    }

    /// Returns the size of the next chunk if what is left is divided evenly.
    fn goal(&self, left: usize) -> usize {
        let count = left.div_ceil(self.max_words).max(1);
        left.div_ceil(count)
    }
}

/// Returns the first and last line of a range of a text stream.
pub(crate) fn line_range(
    document: &Document,
    stream: &documents::TextStream,
    span: Range<usize>,
) -> Option<(LinePosition, LinePosition)> {
    let pieces = stream.index.text().pieces_in(span);
    let position = |piece: &passage::TextPiece| {
        let line = document.lines().get(piece.id as usize)?;
        Some(LinePosition {
            page: line.page,
            line: line.number,
        })
    };
    Some((position(pieces.first()?)?, position(pieces.last()?)?))
}
