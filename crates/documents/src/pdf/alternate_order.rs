//! Alternate reading orders: columns of cells that differ from the main order of a page.
//!
//! A caption is apart from the text, and a table is read row by row. A quote may nevertheless
//! continue from a caption to the text below it, or down a column of a table. So if a cell is
//! followed in the main order by something else than the cell directly below it, both orders are
//! indexed.

use std::ops::Range;

use super::glyphs::TextDirection;
use super::line::PdfLine;
use super::reading_order::MarginText;

/// Maximum number of cells above and below a cell that are examined.
const MAX_NEIGHBOURS: usize = 64;

/// Maximum distance between a cell and the cell below it, in em.
const MAX_DISTANCE: f32 = 3.0;

/// Minimum length of text before and after the point where a passage leaves the main order, in
/// bytes.
const MIN_CONTEXT: usize = 600;

/// Part of a line without a wide gap.
#[derive(Debug, Clone, PartialEq)]
pub(super) struct LineCell {
    /// Index of the line on the page.
    pub(super) line: usize,
    /// Range of the text of the line.
    pub(super) range: Range<usize>,
    start: f32,
    end: f32,
    base: f32,
    size: f32,
}

/// Returns the passages of a page that run down a column and are not contiguous in its text
/// streams.
///
/// `is_body` tells for each line if it belongs to the body.
pub(super) fn alternate_passages(lines: &[PdfLine], is_body: &[bool]) -> Vec<Vec<LineCell>> {
    let mut cells: Vec<LineCell> = (lines.iter().enumerate())
        .filter(|(_, line)| {
            let is_number = line.margin_text == Some(MarginText::LineNumber);
            line.direction == TextDirection::Right && line.is_main && !is_number
        })
        .flat_map(|(at, line)| line_cells(at, line))
        .collect();
    cells.sort_by(|a, b| {
        let start = a.start.total_cmp(&b.start);
        a.base.total_cmp(&b.base).then(start)
    });
    let below: Vec<Option<usize>> = (0..cells.len()).map(|at| cell_below(&cells, at)).collect();
    let mut above = vec![None; cells.len()];
    for (at, below) in below.iter().enumerate() {
        if let Some(below) = below {
            above[*below] = Some(at);
        }
    }
    let next = next_in_stream(is_body);
    let mut columns = Vec::new();
    for top in (0..cells.len()).filter(|at| above[*at].is_none()) {
        let column: Vec<usize> = std::iter::successors(Some(top), |at| below[*at]).collect();
        let parts = parts_outside_main_order(lines, &cells, &column, &next);
        columns.extend(parts.map(|part| {
            let cells = column[part].iter().map(|at| cells[*at].clone());
            cells.collect::<Vec<LineCell>>()
        }));
    }
    columns
}

/// Returns the cells of a line.
fn line_cells(at: usize, line: &PdfLine) -> impl Iterator<Item = LineCell> {
    let mut from = 0;
    let mut words = line.words.iter().peekable();
    line.text.split('\t').filter_map(move |text| {
        let range = from..from + text.len();
        from = range.end + 1;
        let (mut start, mut end) = (f32::INFINITY, f32::NEG_INFINITY);
        while let Some(word) = words.next_if(|word| (word.range.start as usize) < range.end) {
            start = start.min(word.x);
            end = end.max(word.x + word.width);
        }
        (start < end).then_some(LineCell {
            line: at,
            range,
            start,
            end,
            base: line.base,
            size: line.size,
        })
    })
}

/// Returns for each line of a page the next line of the same text stream.
fn next_in_stream(is_body: &[bool]) -> Vec<Option<usize>> {
    let mut next = vec![None; is_body.len()];
    let mut last: [Option<usize>; 2] = [None, None];
    for (at, is_body) in is_body.iter().enumerate().rev() {
        next[at] = last[usize::from(*is_body)];
        last[usize::from(*is_body)] = Some(at);
    }
    next
}

/// Returns the cell directly below a cell, if both are unambiguous neighbours.
fn cell_below(cells: &[LineCell], at: usize) -> Option<usize> {
    let found = nearest(
        cells,
        at,
        cells[at + 1..]
            .iter()
            .enumerate()
            .map(|(n, cell)| (at + 1 + n, cell)),
    )?;
    let others = cells[..found].iter().enumerate().rev();
    (nearest(cells, found, others)? == at && cells[at].is_continued_by(&cells[found]))
        .then_some(found)
}

/// Returns the nearest of `others`, which are ordered by distance, that overlaps a cell
/// horizontally; `None` if two are equally near.
fn nearest<'c>(
    cells: &[LineCell],
    of: usize,
    others: impl Iterator<Item = (usize, &'c LineCell)>,
) -> Option<usize> {
    let of = &cells[of];
    let distance = |other: &LineCell| (other.base - of.base).abs();
    let mut near = others
        .take(MAX_NEIGHBOURS)
        .take_while(|(_, other)| distance(other) < MAX_DISTANCE * of.size)
        .filter(|(_, other)| distance(other) > 0.5 * of.size.min(other.size))
        .filter(|(_, other)| other.start < of.end - 1.0 && of.start < other.end - 1.0);
    let (found, first) = near.next()?;
    let is_beside = |other: &LineCell| (other.base - first.base).abs() < 0.5 * first.size;
    near.next()
        .is_none_or(|(_, second)| !is_beside(second))
        .then_some(found)
}

impl LineCell {
    /// Returns true if `next` looks like the following line of this cell.
    fn is_continued_by(&self, next: &Self) -> bool {
        let size = self.size.max(next.size);
        let near = |one: f32, other: f32| (one - other).abs() < 3.0 * size;
        self.size.min(next.size) > 0.75 * size
            && (near(self.start, next.start) || near(self.end, next.end))
    }
}

/// Returns the parts of a column around the points where it leaves the main order of the page.
fn parts_outside_main_order(
    lines: &[PdfLine],
    cells: &[LineCell],
    column: &[usize],
    next: &[Option<usize>],
) -> impl Iterator<Item = Range<usize>> {
    let is_main_order = |upper: &LineCell, lower: &LineCell| {
        next[upper.line] == Some(lower.line)
            && upper.range.end == lines[upper.line].text.len()
            && lower.range.start == 0
    };
    let length = |at: usize| cells[column[at]].range.len();
    let mut parts: Vec<Range<usize>> = Vec::new();
    for at in 1..column.len() {
        if is_main_order(&cells[column[at - 1]], &cells[column[at]]) {
            continue;
        }
        let (mut start, mut end) = (at - 1, at + 1);
        let mut reached = length(start);
        while start > 0 && reached < MIN_CONTEXT {
            start -= 1;
            reached += length(start);
        }
        reached = length(at);
        while end < column.len() && reached < MIN_CONTEXT {
            reached += length(end);
            end += 1;
        }
        match parts.last_mut() {
            Some(last) if start <= last.end => last.end = last.end.max(end),
            _ => parts.push(start..end),
        }
    }
    parts.into_iter()
}
