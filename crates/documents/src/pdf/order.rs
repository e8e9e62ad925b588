//! The order in which the segments of a page are read, and the lines they form.
//!
//! A page is divided at the space between columns, a *gutter*: a strip that is free but for what spans
//! both columns, such as a title. What spans them divides the columns into bands; of each band the first
//! column is read to its end, then the second. Rows of short texts side by side are a table and are read
//! row by row.

mod gutters;

use self::gutters::{ColumnGutter, GutterSide, LEAST_LENGTH, aligned, side_by_side, together};
use super::segments::LineSegment;

/// Divisions within divisions; more are not made by people.
const MAX_DEPTH: usize = 16;

/// Lines with fewer glyphs are not those of a column of text.
const SHORT_LINE: u32 = 16;

/// Cells whose lines have as many glyphs hold sentences.
const LONG_CELL: u32 = 24;

/// A line: segments from start to end.
#[derive(Debug, Clone, PartialEq)]
pub(super) struct SegmentRow {
    /// As places in the segments given.
    pub(super) segments: Vec<u32>,
    /// Which column it belongs to, counted over the page.
    pub(super) column: u32,
    /// Whether it stands beside the text.
    pub(super) aside: Option<MarginText>,
}

/// What stands beside the text of a page.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum MarginText {
    /// The number of a line.
    LineNumber,
    /// A line of a note in the margin.
    Note,
}

/// What stands beside the text of a page: places in the segments, sorted.
#[derive(Debug, Default)]
pub(super) struct MarginSegments {
    /// Numbers of lines.
    pub(super) numbers: Vec<u32>,
    /// Notes in the margin.
    pub(super) notes: Vec<u32>,
}

/// Puts segments in reading order; numbers of lines come first, notes in the margin last.
pub(super) fn reading_order(
    segments: &[LineSegment],
    beside: &MarginSegments,
    right_to_left: bool,
) -> Vec<SegmentRow> {
    let is_beside = |at: &u32| {
        beside.numbers.binary_search(at).is_ok() || beside.notes.binary_search(at).is_ok()
    };
    let sorted = |mut all: Vec<u32>| {
        all.sort_by(|a, b| {
            let (a, b) = (&segments[*a as usize], &segments[*b as usize]);
            (a.base.total_cmp(&b.base)).then(a.extent.start.total_cmp(&b.extent.start))
        });
        all
    };
    let mut order = ReadingOrder {
        segments,
        right_to_left,
        rows: Vec::new(),
        column: 0,
    };
    if !beside.numbers.is_empty() {
        order.beside(beside.numbers.clone(), Some(MarginText::LineNumber));
    }
    let all = (0..segments.len() as u32).filter(|at| !is_beside(at));
    order.arrange(&sorted(all.collect()), 0);
    if !beside.notes.is_empty() {
        order.beside(sorted(beside.notes.clone()), Some(MarginText::Note));
    }
    order.rows
}

/// A part of a page from edge to edge: two columns, or what spans them.
#[derive(Debug, Default)]
struct PageBand {
    before: Vec<u32>,
    after: Vec<u32>,
    across: Vec<u32>,
}

impl PageBand {
    fn is_across(&self) -> bool {
        !self.across.is_empty()
    }

    /// Whether something stands on both sides.
    fn is_divided(&self) -> bool {
        !self.before.is_empty() && !self.after.is_empty()
    }
}

/// Divides segments into bands. Where only one side has something, it goes with what spans the columns
/// above or below: the last line of a paragraph is short.
fn bands(sides: &[(u32, GutterSide)]) -> Vec<PageBand> {
    let mut bands: Vec<PageBand> = Vec::new();
    let is_across = |side: &GutterSide| *side == GutterSide::Across;
    for part in sides.chunk_by(|a, b| is_across(&a.1) == is_across(&b.1)) {
        let of_side = |side: GutterSide| {
            let of_side = part.iter().filter(|segment| segment.1 == side);
            of_side.map(|segment| segment.0).collect::<Vec<u32>>()
        };
        let mut band = PageBand {
            before: of_side(GutterSide::Before),
            after: of_side(GutterSide::After),
            across: of_side(GutterSide::Across),
        };
        let is_alone = part.len() == sides.len();
        if !band.is_divided() && !is_alone {
            band = PageBand {
                across: part.iter().map(|segment| segment.0).collect(),
                ..PageBand::default()
            };
        }
        match bands.last_mut() {
            Some(last) if last.is_across() && band.is_across() => last.across.extend(band.across),
            _ => bands.push(band),
        }
    }
    bands
}

struct ReadingOrder<'s> {
    segments: &'s [LineSegment],
    right_to_left: bool,
    rows: Vec<SegmentRow>,
    column: u32,
}

impl ReadingOrder<'_> {
    fn segment(&self, at: u32) -> &LineSegment {
        &self.segments[at as usize]
    }

    /// Adds lines that stand beside the text.
    fn beside(&mut self, all: Vec<u32>, aside: Option<MarginText>) {
        self.rows.extend(all.into_iter().map(|at| SegmentRow {
            segments: vec![at],
            column: self.column,
            aside,
        }));
        self.column += 1;
    }

    /// Reads segments, which are sorted by where they stand across.
    fn arrange(&mut self, all: &[u32], depth: usize) {
        let gutter = if depth < MAX_DEPTH && all.len() > 3 {
            self.gutter(all)
        } else {
            None
        };
        let Some(gutter) = gutter else {
            self.rows(all);
            return;
        };
        let bands = bands(&self.sides(&gutter, all));
        if bands.len() == 1 && bands[0].is_across() {
            self.rows(all);
            return;
        }
        for band in bands {
            if band.is_across() {
                self.arrange(&band.across, depth + 1);
            } else {
                self.columns(band.before, band.after, depth);
            }
        }
    }

    /// Where segments stand to a gutter; what shares a line with one that spans it, spans it too.
    fn sides(&self, gutter: &ColumnGutter, all: &[u32]) -> Vec<(u32, GutterSide)> {
        let on_line = |a: &u32, b: &u32| {
            let (a, b) = (self.segment(*a), self.segment(*b));
            b.base - a.base < 0.15 * a.size.min(b.size)
        };
        let lines: Vec<&[u32]> = all.chunk_by(on_line).collect();
        let mut sides = Vec::with_capacity(all.len());
        let mut above: Option<&[u32]> = None;
        for (at, line) in lines.iter().enumerate() {
            let side = |at: &u32| gutter.side(self.segment(*at));
            let below = lines.get(at + 1).copied();
            let spans = line.iter().any(|at| side(at) == GutterSide::Across)
                || above.is_some_and(|above| self.ends_paragraph(above, line, below));
            above = spans.then_some(*line);
            let side = |at: &u32| if spans { GutterSide::Across } else { side(at) };
            sides.extend(line.iter().map(|at| (*at, side(at))));
        }
        sides
    }

    /// Whether a line is the short last one of a paragraph: it follows the line above closely, begins
    /// where that one does, and what is below is farther away.
    fn ends_paragraph(&self, above: &[u32], line: &[u32], below: Option<&[u32]>) -> bool {
        let ([only], [above, ..]) = (line, above) else {
            return false;
        };
        let (line, above) = (self.segment(*only), self.segment(*above));
        let gap = line.base - above.base;
        let rest = below.and_then(|below| below.first());
        let rest = rest.map_or(f32::INFINITY, |at| self.segment(*at).base - line.base);
        (line.extent.start - above.extent.start).abs() < 0.5 * line.size
            && (line.size - above.size).abs() < 0.05 * line.size
            && gap < 1.5 * line.size
            && rest > 1.2 * gap
    }

    /// Reads a band of two columns.
    fn columns(&mut self, before: Vec<u32>, after: Vec<u32>, depth: usize) {
        if self.is_table(&before, &after) {
            self.table(&before, &after, depth);
            return;
        }
        self.side_after_side(before, after, depth);
    }

    /// Reads a table: row by row, and where cells have several lines, cell by cell.
    fn table(&mut self, before: &[u32], after: &[u32], depth: usize) {
        let is_long = |all: &[u32]| self.usual_length(all) >= LONG_CELL;
        let is_high = |all: &[u32]| self.bases(all).len() > 2;
        let has_long_cells =
            (is_long(before) || is_long(after)) && is_high(before) && is_high(after);
        let all = self.merged(before.to_vec(), after);
        let bands = self.bands(&all);
        if !has_long_cells || bands.len() < 2 {
            self.rows(&all);
            return;
        }
        let (mut before, mut after) = (before, after);
        for bottom in bands {
            let upper = |all: &[u32]| all.partition_point(|at| self.segment(*at).base <= bottom);
            let (left, rest_left) = before.split_at(upper(before));
            let (right, rest_right) = after.split_at(upper(after));
            (before, after) = (rest_left, rest_right);
            let lines = |all: &[u32]| self.bases(all).len();
            if left.is_empty() || right.is_empty() || lines(left).max(lines(right)) < 2 {
                let row = self.merged(left.to_vec(), right);
                self.rows(&row);
            } else {
                self.side_after_side(left.to_vec(), right.to_vec(), depth);
            }
        }
    }

    /// Two sides of a gutter in order of where they stand across.
    fn merged(&self, mut before: Vec<u32>, after: &[u32]) -> Vec<u32> {
        before.extend(after);
        before.sort_by(|a, b| self.segment(*a).base.total_cmp(&self.segment(*b).base));
        before
    }

    /// Divides segments at the wider gaps between their lines: the lowest line of each band.
    fn bands(&self, all: &[u32]) -> Vec<f32> {
        let mut gaps: Vec<(f32, f32)> = Vec::new();
        let (mut bottom, mut base) = (f32::NEG_INFINITY, f32::NEG_INFINITY);
        for at in all {
            let segment = self.segment(*at);
            if base.is_finite() && segment.base - base > 0.3 * segment.size {
                gaps.push((segment.extent.top - bottom, base));
            }
            bottom = bottom.max(segment.extent.bottom);
            base = segment.base;
        }
        if gaps.is_empty() {
            return vec![base];
        }
        let mut widths: Vec<f32> = gaps.iter().map(|(gap, _)| *gap).collect();
        let usual = widths.len() / 5;
        let usual = *widths.select_nth_unstable_by(usual, f32::total_cmp).1;
        let least = usual + 0.3 * self.usual_size(all);
        let wide = gaps.iter().filter(|(gap, _)| *gap > least);
        wide.map(|(_, base)| *base).chain([base]).collect()
    }

    fn side_after_side(&mut self, before: Vec<u32>, after: Vec<u32>, depth: usize) {
        let (first, second) = if self.right_to_left {
            (after, before)
        } else {
            (before, after)
        };
        for column in [first, second] {
            if !column.is_empty() {
                self.arrange(&column, depth + 1);
            }
        }
    }

    /// Whether what stands side by side is read row by row.
    fn is_table(&self, before: &[u32], after: &[u32]) -> bool {
        if before.is_empty() || after.is_empty() {
            return false;
        }
        let (left, right) = (self.bases(before), self.bases(after));
        let fewer = left.len().min(right.len());
        if side_by_side(&left, &right) == 0 {
            return true;
        }
        let aligned = aligned(&left, &right);
        if fewer < 3 {
            return aligned > 0;
        }
        // Columns of prose may stand on common lines, but their lines are long.
        let usual = self.usual_length(before).min(self.usual_length(after));
        let middle = self.middle_length(before).min(self.middle_length(after));
        let narrow = usual < SHORT_LINE || middle < LEAST_LENGTH;
        // Words of lines that run through do not begin together.
        let mut starts: Vec<f32> = after
            .iter()
            .map(|at| self.segment(*at).extent.start)
            .collect();
        let begin = together(&mut starts, 2.0 * self.usual_size(after));
        aligned * 10 >= fewer * 6 && (narrow || begin * 2 < right.len())
    }

    /// The lines that segments stand on, with their sizes, in order.
    fn bases(&self, all: &[u32]) -> Vec<(f32, f32)> {
        let mut bases: Vec<(f32, f32)> = Vec::new();
        for at in all {
            let segment = self.segment(*at);
            match bases.last() {
                Some((base, size)) if segment.base - base < 0.3 * size => {}
                _ => bases.push((segment.base, segment.size)),
            }
        }
        bases
    }

    /// How many glyphs each line has, sorted.
    fn lengths(&self, all: &[u32]) -> Vec<u32> {
        let mut lengths: Vec<u32> = Vec::new();
        let mut line: Option<(f32, f32)> = None;
        for at in all {
            let segment = self.segment(*at);
            match (line, lengths.last_mut()) {
                (Some((base, size)), Some(length)) if segment.base - base < 0.3 * size => {
                    *length += segment.glyphs;
                }
                _ => {
                    line = Some((segment.base, segment.size));
                    lengths.push(segment.glyphs);
                }
            }
        }
        lengths.sort_unstable();
        lengths
    }

    /// How many glyphs a line has: half of all glyphs stand on lines that are shorter.
    fn usual_length(&self, all: &[u32]) -> u32 {
        let lengths = self.lengths(all);
        let half: u32 = lengths.iter().sum::<u32>() / 2;
        let mut seen = 0;
        let is_half = |length: &&u32| {
            seen += **length;
            seen > half
        };
        lengths.iter().find(is_half).copied().unwrap_or(0)
    }

    /// How many glyphs a line has: half of all lines are shorter.
    fn middle_length(&self, all: &[u32]) -> u32 {
        let lengths = self.lengths(all);
        lengths.get(lengths.len() / 2).copied().unwrap_or(0)
    }

    fn usual_size(&self, all: &[u32]) -> f32 {
        let mut sizes: Vec<f32> = all.iter().map(|at| self.segment(*at).size).collect();
        let middle = sizes.len() / 2;
        *sizes.select_nth_unstable_by(middle, f32::total_cmp).1
    }

    /// Reads segments line by line.
    fn rows(&mut self, all: &[u32]) {
        let mut rest = all;
        while let [first, ..] = rest {
            let first = self.segment(*first);
            let on_line = |at: &u32| {
                let segment = self.segment(*at);
                segment.base - first.base < 0.3 * first.size.min(segment.size)
            };
            let count = rest.iter().take_while(|at| on_line(at)).count().max(1);
            let mut row = rest[..count].to_vec();
            rest = &rest[count..];
            row.sort_by(|a, b| {
                let start = |at: &u32| self.segment(*at).extent.start;
                start(a).total_cmp(&start(b))
            });
            self.push_row(row);
        }
        self.column += 1;
    }

    /// Adds a line, or two if texts are drawn over each other.
    fn push_row(&mut self, row: Vec<u32>) {
        let (mut line, mut over): (Vec<u32>, Vec<u32>) = (Vec::new(), Vec::new());
        let mut end = f32::NEG_INFINITY;
        for at in row {
            let segment = self.segment(at);
            let overlap = end - segment.extent.start;
            let width = segment.extent.end - segment.extent.start;
            if overlap > 0.5 * segment.size.min(width) && overlap > 0.5 * width {
                over.push(at);
            } else {
                end = segment.extent.end.max(end);
                line.push(at);
            }
        }
        for segments in [line, over] {
            if !segments.is_empty() {
                self.rows.push(SegmentRow {
                    segments,
                    column: self.column,
                    aside: None,
                });
            }
        }
    }
}
