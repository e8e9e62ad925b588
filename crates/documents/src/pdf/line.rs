//! Lines of a page: words in reading order with their boxes.

use std::ops::Range;

use super::bidi::{is_right_to_left, to_reading_order};
use super::dot_leaders::replace_leaders;
use super::glyphs::{GlyphRun, LineExtent, PageGlyphs, TextDirection};
use super::line_numbers::find_line_numbers;
use super::line_segments::{LineSegment, find_segments};
use super::margin_notes::TextArea;
use super::reading_order::{MarginSegments, MarginText, SegmentRow, reading_order};
use super::words::{WordLetters, add_segment_words};
use crate::geometry::Word;
use crate::recognised::{RecognisedLine, RecognisedLines, RecognisedWord};

/// A line of a page.
#[derive(Debug, Clone)]
pub(super) struct PdfLine {
    pub(super) text: String,
    pub(super) words: Vec<Word>,
    pub(super) direction: TextDirection,
    /// Extent along and across its direction.
    pub(super) extent: LineExtent,
    pub(super) base: f32,
    pub(super) size: f32,
    /// Number of the column of the page.
    pub(super) column: u32,
    /// True if the line has the main direction of the page.
    pub(super) is_main: bool,
    /// True if the whole line is bold.
    pub(super) is_bold: bool,
    /// True if the line begins with raised text, as footnotes do with their marks.
    pub(super) begins_raised: bool,
    /// Kind of text beside the main text, if it is such.
    pub(super) margin_text: Option<MarginText>,
    /// Confidences of the words in percent, if they were recognised in a picture.
    pub(super) confidences: Vec<u8>,
}

/// Converts recognised lines of a page that is a picture.
pub(super) fn recognised_lines(lines: &RecognisedLines) -> Vec<PdfLine> {
    let set = |words: &Vec<RecognisedWord>| {
        let line = RecognisedLine::of(words)?;
        let around = |pick: fn(&Word) -> f32, worse: fn(f32, f32) -> f32| {
            line.words.iter().map(pick).reduce(worse).unwrap_or(0.0)
        };
        let extent = LineExtent {
            start: around(|word| word.x, f32::min),
            end: around(|word| word.x + word.width, f32::max),
            top: around(|word| word.y, f32::min),
            bottom: around(|word| word.y + word.height, f32::max),
        };
        Some(PdfLine {
            text: line.text,
            words: line.words,
            direction: TextDirection::Right,
            extent,
            base: extent.bottom,
            size: extent.bottom - extent.top,
            column: 0,
            is_main: true,
            is_bold: false,
            begins_raised: false,
            margin_text: None,
            confidences: line.confidences,
        })
    };
    lines.iter().filter_map(set).collect()
}

/// Gap between two cells of a table, in em.
const CELL_GAP: f32 = 1.5;

/// Returns the lines of a page in reading order.
pub(super) fn page_lines(glyphs: &PageGlyphs, area: &mut TextArea, page: u32) -> Vec<PdfLine> {
    use TextDirection::{Down, Left, Right, Up};
    let mut counts = [Right, Down, Left, Up].map(|direction| {
        let of_direction = |run: &&GlyphRun| run.direction == direction;
        (glyphs.runs.iter().filter(of_direction).count(), direction)
    });
    // The main direction of the page comes first; equal directions keep the order above.
    counts.sort_by_key(|(count, direction)| (std::cmp::Reverse(*count), *direction));
    let most = counts[0].0;
    let mut lines = Vec::new();
    let mut column = 0;
    for (count, direction) in counts {
        if count == 0 {
            continue;
        }
        let segments = find_segments(glyphs, direction);
        let right_to_left = is_right_to_left(glyphs, direction);
        let mut beside = MarginSegments {
            numbers: find_line_numbers(glyphs, &segments),
            notes: Vec::new(),
        };
        if direction == Right {
            beside.notes = area.find_notes(glyphs, &segments, page);
            let numbers = &beside.numbers;
            beside.notes.retain(|at| numbers.binary_search(at).is_err());
        }
        let rows = reading_order(&segments, &beside, right_to_left);
        let columns = rows.last().map_or(0, |row| row.column + 1);
        for row in rows {
            let mut line = set_line(glyphs, &segments, &row, direction, right_to_left);
            if line.text.is_empty() {
                continue;
            }
            line.column += column;
            line.is_main = count * 5 >= most;
            lines.push(line);
        }
        column += columns;
    }
    lines
}

fn set_line(
    glyphs: &PageGlyphs,
    segments: &[LineSegment],
    row: &SegmentRow,
    direction: TextDirection,
    right_to_left: bool,
) -> PdfLine {
    let row_segments = || row.segments.iter().map(|at| &segments[*at as usize]);
    let mut words: Vec<WordLetters> = Vec::new();
    let mut extent: Option<LineExtent> = None;
    let (mut base, mut size) = (0.0, 0.0);
    for segment in row_segments() {
        let gap = extent.map_or(0.0, |extent| segment.extent.start - extent.end);
        let before = match extent {
            None => None,
            Some(_) if gap > CELL_GAP * segment.size => Some('\t'),
            Some(_) if gap < 0.0 => None,
            Some(_) => Some(' '),
        };
        add_segment_words(glyphs, segment, before, &mut words);
        match &mut extent {
            Some(extent) => extent.cover(&segment.extent),
            None => extent = Some(segment.extent),
        }
        if segment.size > size {
            (base, size) = (segment.base, segment.size);
        }
    }
    let words = to_reading_order(replace_leaders(words), right_to_left);
    let extent = extent.unwrap_or(LineExtent {
        start: 0.0,
        end: 0.0,
        top: 0.0,
        bottom: 0.0,
    });
    let mut line = PdfLine {
        text: String::new(),
        words: Vec::with_capacity(words.len()),
        direction,
        extent,
        base,
        size,
        column: row.column,
        is_main: true,
        is_bold: row_segments().all(|segment| segment.is_bold),
        begins_raised: words.len() > 1 && words[0].is_raised,
        margin_text: row.margin_text,
        confidences: Vec::new(),
    };
    for word in words {
        if !line.text.is_empty() {
            line.text.extend(word.before);
        }
        let start = line.text.len();
        line.text.push_str(&word.text);
        let range = start as u32..line.text.len() as u32;
        line.words
            .push(word_with_box(range, direction, &word.extent));
    }
    line
}

/// Returns a word with its box. The builder adds the page number.
fn word_with_box(range: Range<u32>, direction: TextDirection, extent: &LineExtent) -> Word {
    let (a, b) = direction.to_page(extent.start, extent.top);
    let (c, d) = direction.to_page(extent.end, extent.bottom);
    Word {
        range,
        rendered_page: 0,
        x: a.min(c),
        y: b.min(d),
        width: (a - c).abs(),
        height: (b - d).abs(),
    }
}
