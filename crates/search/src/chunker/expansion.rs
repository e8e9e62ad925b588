//! Growth of a chunk to its neighbourhood.

use std::ops::Range;

use documents::Document;

use super::line_range;
use super::sentences::is_unspaced;
use crate::chunk::Chunk;

impl Chunk {
    /// Returns the text of the chunk.
    pub fn text<'a>(&self, document: &'a Document) -> &'a str {
        let stream = document.text_streams().get(usize::from(self.stream));
        stream
            .and_then(|stream| stream.index.text().source().get(self.span.clone()))
            .unwrap_or_default()
    }

    /// Returns the chunk grown to its neighbourhood; see [`Chunk::expand`]. It keeps its id and headings.
    #[must_use]
    pub fn expanded(&self, document: &Document, chunks: &[Chunk], max_chars: usize) -> Chunk {
        let span = self.expand(document, chunks, max_chars);
        let stream = document.text_streams().get(usize::from(self.stream));
        let lines = stream.and_then(|stream| line_range(document, stream, span.clone()));
        let (first, last) = lines.unwrap_or((self.first, self.last));
        Chunk {
            first,
            last,
            span,
            ..self.clone()
        }
    }

    /// Grows the span of a chunk up to a number of characters: first inside its section, then across sections. Words
    /// are not cut. `chunks` are those of the document. The span itself is never shortened.
    pub fn expand(&self, document: &Document, chunks: &[Chunk], max_chars: usize) -> Range<usize> {
        let stream = document.text_streams().get(usize::from(self.stream));
        let Some(text) = stream.map(|stream| stream.index.text().source()) else {
            return self.span.clone();
        };
        let of_stream = || chunks.iter().filter(|chunk| chunk.stream == self.stream);
        let span_of = |first: Option<&Chunk>, last: Option<&Chunk>| {
            let start = first.map_or(self.span.start, |chunk| chunk.span.start);
            let end = last.map_or(self.span.end, |chunk| chunk.span.end);
            start.min(self.span.start)..end.max(self.span.end)
        };
        // The section is the run of chunks around this one that have the same headings.
        let is_in_section = |chunk: &&Chunk| chunk.headings == self.headings;
        let before: Vec<&Chunk> = of_stream()
            .filter(|chunk| chunk.order <= self.order)
            .collect();
        let first = before
            .iter()
            .rev()
            .copied()
            .take_while(is_in_section)
            .last();
        let after = of_stream().filter(|chunk| chunk.order >= self.order);
        let last = after.take_while(is_in_section).last();
        let section = span_of(first, last);
        let whole = span_of(of_stream().next(), of_stream().next_back());
        let span = grow(text, self.span.clone(), &section, max_chars);
        grow(text, span, &whole, max_chars)
    }
}

/// Grows a range inside a frame, by the same number of characters on both sides where there is room.
fn grow(text: &str, range: Range<usize>, frame: &Range<usize>, max_chars: usize) -> Range<usize> {
    let (Some(own), Some(before), Some(after)) = (
        text.get(range.clone()),
        text.get(frame.start..range.start),
        text.get(range.end..frame.end),
    ) else {
        return range;
    };
    let Some(room) = max_chars.checked_sub(own.chars().count()) else {
        return range;
    };
    let available = before.chars().take(room).count();
    let wanted_after = room - available.min(room / 2);
    let taken = after.char_indices().nth(wanted_after);
    let mut end = range.end + taken.map_or(after.len(), |(at, _)| at);
    if end < frame.end {
        end = range.end + whole_words(text, range.end, end).len();
    }
    let room = room - text[range.end..end].chars().count();
    let mut start = range.start;
    for (at, _) in before.char_indices().rev().take(room) {
        start = frame.start + at;
    }
    if start > frame.start {
        let from = text[start..range.start]
            .char_indices()
            .map(|(at, _)| start + at)
            .find(|at| is_word_border(text, *at));
        start = from.unwrap_or(range.start);
    }
    start..end
}

/// Returns the text between two positions without a word that is cut at its end.
fn whole_words(text: &str, start: usize, end: usize) -> &str {
    let part = &text[start..end];
    let border = part
        .char_indices()
        .map(|(at, _)| start + at)
        .chain([end])
        .rfind(|at| is_word_border(text, *at));
    text[start..border.unwrap_or(start)].trim_end()
}

/// Returns true if no word continues over this position.
fn is_word_border(text: &str, at: usize) -> bool {
    let is_free =
        |char: Option<char>| char.is_none_or(|char| char.is_whitespace() || is_unspaced(char));
    is_free(text[..at].chars().next_back()) || is_free(text[at..].chars().next())
}
