//! Sections of a text stream: headings, and the sentences, list items and table rows below them.

use std::ops::Range;

use documents::{Document, Line, LineRole, TextStream, TextStreamRole};

use super::headings::{HeadingPath, HeadingReader};
use super::sentences::{count_words, split_long, split_sentences};

/// Part of a section that is not divided: a sentence, or a piece of a very long one.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) struct TextUnit {
    /// Range in the text stream.
    pub(super) range: Range<usize>,
    /// Number of words.
    pub(super) words: usize,
    /// True if a paragraph, list item or table row ends here.
    pub(super) ends_paragraph: bool,
    /// Header of its table, if it is a row below the header.
    pub(super) table_header: Option<String>,
}

/// Text below the same headings.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub(super) struct Section {
    /// Headings, the outermost first.
    pub(super) headings: Vec<String>,
    /// Content in order, the lines of its own headings first.
    pub(super) units: Vec<TextUnit>,
}

/// Line of a text stream.
struct StreamLine<'a> {
    line: &'a Line,
    /// Position in [`Document::lines`].
    at: u32,
    range: Range<usize>,
}

/// Typical length of a line in bytes, by which the last line of a paragraph is recognised.
const PARAGRAPH_LINE: usize = 200;

/// Returns the sections of a text stream in order.
pub(super) fn read_sections(
    document: &Document,
    stream: &TextStream,
    max_words: usize,
) -> Vec<Section> {
    let lines = stream_lines(document, stream);
    let mut reader = SectionReader {
        text: stream.index.text().source(),
        max_words,
        line_length: typical_length(&lines),
        is_block_per_line: has_block_per_line(document),
        path: HeadingPath::default(),
        sections: vec![Section::default()],
        has_content: false,
    };
    let headings = HeadingReader::new(document);
    let is_body = stream.role == TextStreamRole::Body;
    let mut at = 0;
    while let Some(line) = lines.get(at) {
        let depth = headings.depth(line.at, line.line).filter(|_| is_body);
        if let Some(depth) = depth {
            reader.add_heading(depth, line);
            at += 1;
            continue;
        }
        let is_row = |line: &StreamLine<'_>| is_table_row(line.line);
        let of_kind = lines[at..].iter().take_while(|next| {
            is_row(next) == is_row(line)
                && (next.at == line.at || !is_body || headings.depth(next.at, next.line).is_none())
        });
        let end = at + of_kind.count().max(1);
        match is_row(line) {
            true => reader.add_rows(&lines[at..end]),
            false => reader.add_text(&lines[at..end]),
        }
        at = end;
    }
    reader.sections.retain(|section| !section.units.is_empty());
    reader.sections
}

/// Returns the lines of a text stream, without running headers and numbers.
fn stream_lines<'a>(document: &'a Document, stream: &TextStream) -> Vec<StreamLine<'a>> {
    let mut lines: Vec<StreamLine<'a>> = Vec::new();
    for piece in stream.index.text().pieces() {
        let Some(line) = document.lines().get(piece.id as usize) else {
            continue;
        };
        if matches!(
            line.role,
            LineRole::Running | LineRole::PageNumber | LineRole::LineNumber
        ) {
            continue;
        }
        match lines.last_mut() {
            Some(last) if last.at == piece.id => last.range.end = piece.range.end,
            _ => lines.push(StreamLine {
                line,
                at: piece.id,
                range: piece.range.clone(),
            }),
        }
    }
    lines
}

/// Returns true if every line of the document is a block of its own, such as a paragraph.
fn has_block_per_line(document: &Document) -> bool {
    let media_type = document.media_type();
    media_type.contains("html") || media_type.contains("wordprocessing")
}

/// Returns the length that most full lines come near to.
fn typical_length(lines: &[StreamLine<'_>]) -> usize {
    let mut lengths: Vec<usize> = lines.iter().map(|line| line.range.len()).collect();
    lengths.sort_unstable();
    lengths.get(lengths.len() * 3 / 4).copied().unwrap_or(0)
}

/// Collects sections.
struct SectionReader<'a> {
    text: &'a str,
    max_words: usize,
    line_length: usize,
    is_block_per_line: bool,
    path: HeadingPath,
    sections: Vec<Section>,
    /// True if the last section has more than headings.
    has_content: bool,
}

impl SectionReader<'_> {
    fn add_heading(&mut self, depth: u32, line: &StreamLine<'_>) {
        self.path.enter(depth, self.text[line.range.clone()].trim());
        let headings = self.path.titles();
        // A heading without text of its own begins the section of the heading below it.
        match self.sections.last_mut() {
            Some(section) if !self.has_content => section.headings = headings,
            _ => self.sections.push(Section {
                headings,
                units: Vec::new(),
            }),
        }
        self.has_content = false;
        self.push(&line.range, true, None);
    }

    fn add_rows(&mut self, rows: &[StreamLine<'_>]) {
        let header = rows.first().map(|row| cells(&row.line.text));
        for (nth, row) in rows.iter().enumerate() {
            let header = header.as_deref().filter(|_| nth > 0 && rows.len() > 2);
            self.push(&row.range, true, header);
        }
        self.has_content = true;
    }

    fn add_text(&mut self, lines: &[StreamLine<'_>]) {
        let mut start = 0;
        for (at, line) in lines.iter().enumerate() {
            let next = lines.get(at + 1);
            if next.is_some_and(|next| !self.ends_paragraph(line, next)) {
                continue;
            }
            let range = lines[start].range.start..line.range.end;
            let sentences = split_sentences(self.text, range);
            let count = sentences.len();
            for (nth, sentence) in sentences.into_iter().enumerate() {
                self.push(&sentence, nth + 1 == count, None);
            }
            start = at + 1;
        }
        self.has_content = true;
    }

    /// Returns true if a paragraph or list item ends with this line.
    fn ends_paragraph(&self, line: &StreamLine<'_>, next: &StreamLine<'_>) -> bool {
        if self.is_block_per_line || line.line.role != next.line.role || is_list_item(next.line) {
            return true;
        }
        let text = self.text[line.range.clone()].trim_end();
        let ends_sentence = text.ends_with(['.', '!', '?', ':', '”', '"', '。', '！', '？']);
        let is_short = text.len() * 5 < self.line_length * 4;
        text.len() > PARAGRAPH_LINE || (ends_sentence && is_short)
    }

    fn push(&mut self, range: &Range<usize>, ends_paragraph: bool, table_header: Option<&str>) {
        let Some(section) = self.sections.last_mut() else {
            return;
        };
        let text = &self.text[range.clone()];
        let start = range.start + (text.len() - text.trim_start().len());
        let range = start..range.start + text.trim_end().len();
        if range.is_empty() {
            return;
        }
        let pieces = split_long(self.text, range, self.max_words);
        let count = pieces.len();
        for (nth, range) in pieces.into_iter().enumerate() {
            section.units.push(TextUnit {
                words: count_words(&self.text[range.clone()]),
                range,
                ends_paragraph: ends_paragraph && nth + 1 == count,
                table_header: table_header.map(str::to_owned),
            });
        }
    }
}

/// Returns true if the line is a row of a table: its cells have tabs between them, or bars in Markdown.
fn is_table_row(line: &Line) -> bool {
    line.text.contains('\t') || (line.text.starts_with('|') && line.text.len() > 1)
}

/// Returns the cells of a table row as text.
fn cells(row: &str) -> String {
    let cells = row.trim_matches('|').split(['\t', '|']).map(str::trim);
    cells.collect::<Vec<_>>().join(" | ")
}

/// Returns true if the line begins with the sign or number of a list item.
fn is_list_item(line: &Line) -> bool {
    let text = line.text.as_str();
    if text.starts_with(['•', '‣', '◦', '–']) {
        return true;
    }
    if let Some(rest) = text.strip_prefix(['-', '*', '+']) {
        return rest.starts_with(' ');
    }
    let digits = text.bytes().take_while(u8::is_ascii_digit).count();
    (1..=3).contains(&digits)
        && text[digits..].starts_with(['.', ')'])
        && text[digits + 1..].starts_with(' ')
}
