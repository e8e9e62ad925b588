//! Reading order of the segments of a page, and the rows that they form.
//!
//! A page is divided at the space between columns, the *gutter*: a strip that is free except for
//! segments that span both columns, such as a title. These divide the columns into bands. In each
//! band the first column is read to its end, then the second. Rows of short texts side by side are
//! a table and are read row by row.

mod gutters;

use self::gutters::{
    ColumnGutter, GutterSide, MIN_LINE_GLYPHS, largest_group, lines_side_by_side, shared_baselines,
};
use super::line_segments::LineSegment;

/// Maximum depth of nested divisions.
const MAX_DEPTH: usize = 16;

/// Number of glyphs below which a line is too short for a column of text.
const MIN_COLUMN_GLYPHS: u32 = 16;

/// Minimum number of glyphs in the lines of a cell that holds sentences.
const MIN_SENTENCE_GLYPHS: u32 = 24;

/// A row of segments from start to end.
#[derive(Debug, Clone, PartialEq)]
pub(super) struct SegmentRow {
    /// Indices of the segments.
    pub(super) segments: Vec<u32>,
    /// Number of the column, counted over the page.
    pub(super) column: u32,
    /// Kind of text beside the main text, if it is such.
    pub(super) margin_text: Option<MarginText>,
}

/// Kind of text beside the main text.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum MarginText {
    /// A line number.
    LineNumber,
    /// A line of a margin note.
    Note,
}

/// Segments beside the main text, as sorted indices.
#[derive(Debug, Default)]
pub(super) struct MarginSegments {
    /// Line numbers.
    pub(super) numbers: Vec<u32>,
    /// Margin notes.
    pub(super) notes: Vec<u32>,
}

/// Puts segments in reading order. Line numbers come first, margin notes last.
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
        order.add_margin_rows(beside.numbers.clone(), Some(MarginText::LineNumber));
    }
    let all = (0..segments.len() as u32).filter(|at| !is_beside(at));
    order.arrange(&sorted(all.collect()), 0);
    if !beside.notes.is_empty() {
        order.add_margin_rows(sorted(beside.notes.clone()), Some(MarginText::Note));
    }
    order.rows
}

/// Horizontal band of a page: two columns, or segments that span them.
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

    /// Returns true if both columns have segments.
    fn is_divided(&self) -> bool {
        !self.before.is_empty() && !self.after.is_empty()
    }
}

/// Divides segments into bands. Segments on only one side belong to the spanning band above or
/// below, because the last line of a paragraph is short.
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

    /// Adds lines beside the main text.
    fn add_margin_rows(&mut self, all: Vec<u32>, margin_text: Option<MarginText>) {
        self.rows.extend(all.into_iter().map(|at| SegmentRow {
            segments: vec![at],
            column: self.column,
            margin_text,
        }));
        self.column += 1;
    }

    /// Orders segments that are sorted by their position across the lines.
    fn arrange(&mut self, all: &[u32], depth: usize) {
        let gutter = if depth < MAX_DEPTH && all.len() > 3 {
            self.find_gutter(all)
        } else {
            None
        };
        let Some(gutter) = gutter else {
            self.form_rows(all);
            return;
        };
        let bands = bands(&self.sides(&gutter, all));
        if bands.len() == 1 && bands[0].is_across() {
            self.form_rows(all);
            return;
        }
        for band in bands {
            if band.is_across() {
                self.arrange(&band.across, depth + 1);
            } else {
                self.order_columns(band.before, band.after, depth);
            }
        }
    }

    /// Returns the sides of segments at a gutter. A segment on the same line as one that spans the
    /// gutter spans it, too.
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

    /// Returns true if a line is the short last line of a paragraph: close to the line above, with
    /// the same start, and farther from the text below.
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

    /// Orders a band of two columns.
    fn order_columns(&mut self, before: Vec<u32>, after: Vec<u32>, depth: usize) {
        if self.is_table(&before, &after) {
            self.order_table(&before, &after, depth);
            return;
        }
        self.order_sides(before, after, depth);
    }

    /// Orders a table row by row, and cells of several lines cell by cell.
    fn order_table(&mut self, before: &[u32], after: &[u32], depth: usize) {
        let is_long = |all: &[u32]| self.median_length_by_glyphs(all) >= MIN_SENTENCE_GLYPHS;
        let is_high = |all: &[u32]| self.baselines(all).len() > 2;
        let has_long_cells =
            (is_long(before) || is_long(after)) && is_high(before) && is_high(after);
        let all = self.merge_sides(before.to_vec(), after);
        let bands = self.bands(&all);
        if !has_long_cells || bands.len() < 2 {
            self.form_rows(&all);
            return;
        }
        let (mut before, mut after) = (before, after);
        for bottom in bands {
            let upper = |all: &[u32]| all.partition_point(|at| self.segment(*at).base <= bottom);
            let (left, rest_left) = before.split_at(upper(before));
            let (right, rest_right) = after.split_at(upper(after));
            (before, after) = (rest_left, rest_right);
            let lines = |all: &[u32]| self.baselines(all).len();
            if left.is_empty() || right.is_empty() || lines(left).max(lines(right)) < 2 {
                let row = self.merge_sides(left.to_vec(), right);
                self.form_rows(&row);
            } else {
                self.order_sides(left.to_vec(), right.to_vec(), depth);
            }
        }
    }

    /// Merges the two sides of a gutter in the order of their position across the lines.
    fn merge_sides(&self, mut before: Vec<u32>, after: &[u32]) -> Vec<u32> {
        before.extend(after);
        before.sort_by(|a, b| self.segment(*a).base.total_cmp(&self.segment(*b).base));
        before
    }

    /// Divides segments at the larger gaps between lines. Returns the position of the last line of
    /// each band.
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
        let least = usual + 0.3 * self.median_size(all);
        let wide = gaps.iter().filter(|(gap, _)| *gap > least);
        wide.map(|(_, base)| *base).chain([base]).collect()
    }

    fn order_sides(&mut self, before: Vec<u32>, after: Vec<u32>, depth: usize) {
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

    /// Returns true if segments side by side are read row by row.
    fn is_table(&self, before: &[u32], after: &[u32]) -> bool {
        if before.is_empty() || after.is_empty() {
            return false;
        }
        let (left, right) = (self.baselines(before), self.baselines(after));
        let fewer = left.len().min(right.len());
        if lines_side_by_side(&left, &right) == 0 {
            return true;
        }
        let aligned = shared_baselines(&left, &right);
        if fewer < 3 {
            return aligned > 0;
        }
        // Columns of prose may share baselines, but their lines are long.
        let usual = self
            .median_length_by_glyphs(before)
            .min(self.median_length_by_glyphs(after));
        let middle = self
            .median_length_by_lines(before)
            .min(self.median_length_by_lines(after));
        let narrow = usual < MIN_COLUMN_GLYPHS || middle < MIN_LINE_GLYPHS;
        // Words within continuous lines do not start at the same position.
        let mut starts: Vec<f32> = after
            .iter()
            .map(|at| self.segment(*at).extent.start)
            .collect();
        let begin = largest_group(&mut starts, 2.0 * self.median_size(after));
        aligned * 10 >= fewer * 6 && (narrow || begin * 2 < right.len())
    }

    /// Returns the baselines of segments with their sizes, in order.
    fn baselines(&self, all: &[u32]) -> Vec<(f32, f32)> {
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

    /// Returns the number of glyphs of each line, sorted.
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

    /// Returns the median line length by glyphs: half of all glyphs are in shorter lines.
    fn median_length_by_glyphs(&self, all: &[u32]) -> u32 {
        let lengths = self.lengths(all);
        let half: u32 = lengths.iter().sum::<u32>() / 2;
        let mut seen = 0;
        let is_half = |length: &&u32| {
            seen += **length;
            seen > half
        };
        lengths.iter().find(is_half).copied().unwrap_or(0)
    }

    /// Returns the median line length: half of all lines have fewer glyphs.
    fn median_length_by_lines(&self, all: &[u32]) -> u32 {
        let lengths = self.lengths(all);
        lengths.get(lengths.len() / 2).copied().unwrap_or(0)
    }

    fn median_size(&self, all: &[u32]) -> f32 {
        let mut sizes: Vec<f32> = all.iter().map(|at| self.segment(*at).size).collect();
        let middle = sizes.len() / 2;
        *sizes.select_nth_unstable_by(middle, f32::total_cmp).1
    }

    /// Forms rows of segments line by line.
    fn form_rows(&mut self, all: &[u32]) {
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

    /// Adds a row, or two if texts are drawn over each other.
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
                    margin_text: None,
                });
            }
        }
    }
}
