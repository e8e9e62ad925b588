//! Lines: their words in the order they are read, with boxes.

use std::ops::Range;

use super::asides::TextArea;
use super::bidi::{is_right_to_left, logical};
use super::glyphs::{GlyphRun, LineExtent, PageGlyphs, TextDirection};
use super::leaders::without_leaders;
use super::numbers::line_numbers;
use super::order::{MarginSegments, MarginText, SegmentRow, reading_order};
use super::segments::{LineSegment, segments};
use super::words::{WordLetters, segment_words};
use crate::geometry::Word;
use crate::recognised::{RecognisedLine, RecognisedLines, RecognisedWord};

/// A line as it is set.
#[derive(Debug, Clone)]
pub(super) struct PdfLine {
    pub(super) text: String,
    pub(super) words: Vec<Word>,
    pub(super) direction: TextDirection,
    /// Where it stands, along and across its direction.
    pub(super) extent: LineExtent,
    pub(super) base: f32,
    pub(super) size: f32,
    /// Which column of the page it belongs to.
    pub(super) column: u32,
    /// Whether it belongs to the text that runs the way most of the page does.
    pub(super) is_main: bool,
    /// Whether all of it is bold.
    pub(super) is_bold: bool,
    /// Whether it begins above the line, as notes do with their marks.
    pub(super) begins_raised: bool,
    /// Whether it stands beside the text.
    pub(super) aside: Option<MarginText>,
    /// How sure its words are, if they were recognised in a picture.
    pub(super) confidences: Vec<u8>,
}

/// The lines of a page that is a picture, as they were recognised.
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
            aside: None,
            confidences: line.confidences,
        })
    };
    lines.iter().filter_map(set).collect()
}

/// A larger gap is that between two cells of a table, in em.
const CELL_GAP: f32 = 1.5;

/// The lines of a page in reading order.
pub(super) fn lines(glyphs: &PageGlyphs, area: &mut TextArea, page: u32) -> Vec<PdfLine> {
    use TextDirection::{Down, Left, Right, Up};
    let mut counts = [Right, Down, Left, Up].map(|direction| {
        let of_direction = |piece: &&GlyphRun| piece.direction == direction;
        (glyphs.pieces.iter().filter(of_direction).count(), direction)
    });
    // The direction of most of the page first; among equals in the order above.
    counts.sort_by_key(|(count, direction)| (std::cmp::Reverse(*count), *direction));
    let most = counts[0].0;
    let mut lines = Vec::new();
    let mut column = 0;
    for (count, direction) in counts {
        if count == 0 {
            continue;
        }
        let segments = segments(glyphs, direction);
        let right_to_left = is_right_to_left(glyphs, direction);
        let mut beside = MarginSegments {
            numbers: line_numbers(glyphs, &segments),
            notes: Vec::new(),
        };
        if direction == Right {
            beside.notes = area.notes(glyphs, &segments, page);
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
        segment_words(glyphs, segment, before, &mut words);
        match &mut extent {
            Some(extent) => extent.cover(&segment.extent),
            None => extent = Some(segment.extent),
        }
        if segment.size > size {
            (base, size) = (segment.base, segment.size);
        }
    }
    let words = logical(without_leaders(words), right_to_left);
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
        aside: row.aside,
        confidences: Vec::new(),
    };
    for word in words {
        if !line.text.is_empty() {
            line.text.extend(word.before);
        }
        let start = line.text.len();
        line.text.push_str(&word.text);
        let range = start as u32..line.text.len() as u32;
        line.words.push(placed(range, direction, &word.extent));
    }
    line
}

/// A word on its page, whose number the builder says.
fn placed(range: Range<u32>, direction: TextDirection, extent: &LineExtent) -> Word {
    let (a, b) = direction.unturn(extent.start, extent.top);
    let (c, d) = direction.unturn(extent.end, extent.bottom);
    Word {
        range,
        sheet: 0,
        x: a.min(c),
        y: b.min(d),
        width: (a - c).abs(),
        height: (b - d).abs(),
    }
}
