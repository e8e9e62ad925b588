//! What stands below what: texts of a page that are read in another order, too.
//!
//! A caption is set apart from the text, and a table is read row by row. Yet a reader may go on from a
//! caption to the text below it, or down a column of a table. So where a text is followed by something
//! else than what stands right below it, both are passages.

use std::ops::Range;

use super::glyphs::TextDirection;
use super::line::PdfLine;
use super::order::MarginText;

/// How many cells above and below one are looked at.
const NEIGHBOURS: usize = 64;

/// What is farther below does not follow, in em.
const FAR: f32 = 3.0;

/// How far a passage may reach from where it leaves the order of the page, in bytes.
const REACH: usize = 600;

/// A part of a line without a wide gap.
#[derive(Debug, Clone, PartialEq)]
pub(super) struct LineCell {
    /// The line, as its place on the page.
    pub(super) line: usize,
    /// The part of its text.
    pub(super) range: Range<usize>,
    start: f32,
    end: f32,
    base: f32,
    size: f32,
}

/// The passages of a page that run down and are not in its flows: cells, one below the other.
///
/// `is_body` says of each line whether it is in the body.
pub(super) fn columns(lines: &[PdfLine], is_body: &[bool]) -> Vec<Vec<LineCell>> {
    let mut cells: Vec<LineCell> = (lines.iter().enumerate())
        .filter(|(_, line)| {
            let is_number = line.aside == Some(MarginText::LineNumber);
            line.direction == TextDirection::Right && line.is_main && !is_number
        })
        .flat_map(|(at, line)| cells(at, line))
        .collect();
    cells.sort_by(|a, b| {
        let start = a.start.total_cmp(&b.start);
        a.base.total_cmp(&b.base).then(start)
    });
    let below: Vec<Option<usize>> = (0..cells.len()).map(|at| below(&cells, at)).collect();
    let mut above = vec![None; cells.len()];
    for (at, below) in below.iter().enumerate() {
        if let Some(below) = below {
            above[*below] = Some(at);
        }
    }
    let next = next_of_flow(is_body);
    let mut columns = Vec::new();
    for top in (0..cells.len()).filter(|at| above[*at].is_none()) {
        let column: Vec<usize> = std::iter::successors(Some(top), |at| below[*at]).collect();
        let parts = unusual_parts(lines, &cells, &column, &next);
        columns.extend(parts.map(|part| {
            let cells = column[part].iter().map(|at| cells[*at].clone());
            cells.collect::<Vec<LineCell>>()
        }));
    }
    columns
}

/// The cells of a line.
fn cells(at: usize, line: &PdfLine) -> impl Iterator<Item = LineCell> {
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

/// The line of the same flow that comes next, for each line of a page.
fn next_of_flow(is_body: &[bool]) -> Vec<Option<usize>> {
    let mut next = vec![None; is_body.len()];
    let mut last: [Option<usize>; 2] = [None, None];
    for (at, is_body) in is_body.iter().enumerate().rev() {
        next[at] = last[usize::from(*is_body)];
        last[usize::from(*is_body)] = Some(at);
    }
    next
}

/// The cell right below one, if it is the only one there and has no other above it.
fn below(cells: &[LineCell], at: usize) -> Option<usize> {
    let found = nearest(
        cells,
        at,
        cells[at + 1..]
            .iter()
            .enumerate()
            .map(|(n, cell)| (at + 1 + n, cell)),
    )?;
    let others = cells[..found].iter().enumerate().rev();
    (nearest(cells, found, others)? == at && cells[at].goes_on_in(&cells[found])).then_some(found)
}

/// The nearest cell in a column with one, among others in the order of their distance; none if several are
/// as near.
fn nearest<'c>(
    cells: &[LineCell],
    of: usize,
    others: impl Iterator<Item = (usize, &'c LineCell)>,
) -> Option<usize> {
    let of = &cells[of];
    let distance = |other: &LineCell| (other.base - of.base).abs();
    let mut near = others
        .take(NEIGHBOURS)
        .take_while(|(_, other)| distance(other) < FAR * of.size)
        .filter(|(_, other)| distance(other) > 0.5 * of.size.min(other.size))
        .filter(|(_, other)| other.start < of.end - 1.0 && of.start < other.end - 1.0);
    let (found, first) = near.next()?;
    let is_beside = |other: &LineCell| (other.base - first.base).abs() < 0.5 * first.size;
    near.next()
        .is_none_or(|(_, second)| !is_beside(second))
        .then_some(found)
}

impl LineCell {
    /// Whether another one looks like its next line.
    fn goes_on_in(&self, next: &Self) -> bool {
        let size = self.size.max(next.size);
        let near = |one: f32, other: f32| (one - other).abs() < 3.0 * size;
        self.size.min(next.size) > 0.75 * size
            && (near(self.start, next.start) || near(self.end, next.end))
    }
}

/// The parts of a column around the places where it leaves the order of the page.
fn unusual_parts(
    lines: &[PdfLine],
    cells: &[LineCell],
    column: &[usize],
    next: &[Option<usize>],
) -> impl Iterator<Item = Range<usize>> {
    let is_usual = |upper: &LineCell, lower: &LineCell| {
        next[upper.line] == Some(lower.line)
            && upper.range.end == lines[upper.line].text.len()
            && lower.range.start == 0
    };
    let length = |at: usize| cells[column[at]].range.len();
    let mut parts: Vec<Range<usize>> = Vec::new();
    for at in 1..column.len() {
        if is_usual(&cells[column[at - 1]], &cells[column[at]]) {
            continue;
        }
        let (mut start, mut end) = (at - 1, at + 1);
        let mut reached = length(start);
        while start > 0 && reached < REACH {
            start -= 1;
            reached += length(start);
        }
        reached = length(at);
        while end < column.len() && reached < REACH {
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
