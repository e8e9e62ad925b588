//! Gutters: the space between columns.

use super::{ReadingOrder, SHORT_LINE};
use crate::pdf::segments::LineSegment;

/// How many places for a gutter are looked at closely, of each kind.
const CANDIDATES: usize = 24;

/// Columns whose lines have fewer glyphs are none.
pub(super) const LEAST_LENGTH: u32 = 6;

/// A strip between columns.
#[derive(Debug, Clone, Copy)]
pub(super) struct ColumnGutter {
    start: f32,
    end: f32,
}

/// Where a segment stands to a gutter.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum GutterSide {
    Before,
    After,
    Across,
}

impl ColumnGutter {
    /// Where a segment stands.
    pub(super) fn side(&self, segment: &LineSegment) -> GutterSide {
        let middle = (self.start + self.end) / 2.0;
        if segment.extent.end <= middle {
            GutterSide::Before
        } else if segment.extent.start >= middle {
            GutterSide::After
        } else {
            GutterSide::Across
        }
    }
}

/// Strips before the places where most segments begin: something that spans the columns may begin or end
/// between them, so that no strip is free.
fn before_edges(starts: &[f32], ends: &[f32], size: f32) -> Vec<ColumnGutter> {
    let mut edges: Vec<(usize, f32)> = starts
        .chunk_by(|a, b| b - a < 0.5)
        .map(|edge| (edge.len(), edge[0]))
        .filter(|(count, _)| *count > 2)
        .collect();
    edges.sort_by(|a, b| b.0.cmp(&a.0).then(a.1.total_cmp(&b.1)));
    edges.truncate(CANDIDATES);
    let strip = |(_, edge): (usize, f32)| {
        let ended = ends.partition_point(|end| *end <= edge - 0.6 * size);
        let last = ended.checked_sub(1).map(|last| ends[last])?;
        // The middle decides what stands before it.
        let start = last.max(edge - 1.2 * size);
        Some(ColumnGutter { start, end: edge })
    };
    edges.into_iter().filter_map(strip).collect()
}

impl ReadingOrder<'_> {
    /// The best gutter, if there is one.
    pub(super) fn gutter(&self, all: &[u32]) -> Option<ColumnGutter> {
        let size = self.usual_size(all);
        let mut starts: Vec<f32> = all
            .iter()
            .map(|at| self.segment(*at).extent.start)
            .collect();
        let mut ends: Vec<f32> = all.iter().map(|at| self.segment(*at).extent.end).collect();
        starts.sort_by(f32::total_cmp);
        ends.sort_by(f32::total_cmp);
        // Free strips lie between an end and the next start; what is neither before nor after one
        // spans it.
        let mut strips: Vec<(usize, ColumnGutter)> = Vec::new();
        let mut begun = 0;
        for (ended, end) in ends.iter().enumerate() {
            let Some(next_end) = ends.get(ended + 1) else {
                break;
            };
            while starts.get(begun).is_some_and(|start| *start < *end) {
                begun += 1;
            }
            let Some(next) = starts.get(begun) else {
                break;
            };
            if next <= next_end && next - end >= 0.6 * size {
                let gutter = ColumnGutter {
                    start: *end,
                    end: *next,
                };
                strips.push((begun - (ended + 1), gutter));
            }
        }
        strips.sort_by(|a, b| {
            let width = |gutter: &ColumnGutter| gutter.end - gutter.start;
            (a.0.cmp(&b.0)).then(width(&b.1).total_cmp(&width(&a.1)))
        });
        strips.truncate(CANDIDATES);
        let strips = strips.into_iter().map(|(_, gutter)| gutter);
        let worth = |gutter: ColumnGutter| Some((self.worth(&gutter, all, size)?, gutter));
        let best = strips
            .chain(before_edges(&starts, &ends, size))
            .filter_map(worth)
            .max_by(|a, b| a.0.total_cmp(&b.0));
        best.map(|(_, gutter)| gutter)
    }

    /// How much a strip is like a gutter; nothing if it is none.
    ///
    /// Words of lines that run through may stand above each other by chance, but not on many lines in
    /// a row. So what counts are bands of lines that nothing spans.
    fn worth(&self, gutter: &ColumnGutter, all: &[u32], size: f32) -> Option<f32> {
        let mut bands = BandStats::default();
        let (mut before, mut after) = (Vec::new(), Vec::new());
        for at in all {
            match gutter.side(self.segment(*at)) {
                GutterSide::Before => before.push(*at),
                GutterSide::After => after.push(*at),
                GutterSide::Across => {
                    self.close_band(&mut before, &mut after, &mut bands);
                    bands.across += 1;
                }
            }
        }
        self.close_band(&mut before, &mut after, &mut bands);
        let needed = if bands.across == 0 { 2 } else { 3 };
        if bands.longest < needed {
            return None;
        }
        // Numbers and signs beside lines belong to them; those of a chart may stand in a column of text.
        let is_narrow = |all: &[u32]| {
            self.middle_length(all) < LEAST_LENGTH && self.usual_length(all) < SHORT_LINE
        };
        if is_narrow(&bands.before) || is_narrow(&bands.after) {
            return None;
        }
        // Lines of a column begin together, and those of prose end together too.
        let begin = together(&mut bands.starts, 0.6 * size);
        let end = together(&mut bands.ends, 0.6 * size);
        let is_prose = begin * 2 >= bands.right && end * 2 >= bands.left;
        // Lines that do not stand at the same heights are not the same lines.
        let is_independent = bands.lines > 5 && bands.aligned * 2 < bands.lines;
        let is_free = bands.across * 10 < bands.lines && gutter.end - gutter.start > size;
        if begin * 5 < bands.right * 2 && !is_independent && !(is_free && bands.longest > 7)
            || bands.across > 3 * bands.lines && !is_prose
        {
            return None;
        }
        // On a few lines that run through, words may stand above each other by chance.
        let is_narrow = gutter.end - gutter.start < 0.9 * size;
        let run_through = bands.longest < 6 && bands.aligned * 5 > bands.lines * 4;
        if run_through && (begin * 2 < bands.right || is_narrow) {
            return None;
        }
        let width = ((gutter.end - gutter.start) / size).min(4.0);
        Some(bands.lines as f32 - bands.across as f32 + width)
    }

    fn close_band(&self, before: &mut Vec<u32>, after: &mut Vec<u32>, bands: &mut BandStats) {
        let (left, right) = (self.bases(before), self.bases(after));
        let lines = side_by_side(&left, &right);
        if lines > 1 {
            bands.lines += lines;
            bands.longest = bands.longest.max(lines);
            bands.aligned += aligned(&left, &right);
            bands.left += left.len();
            bands.right += right.len();
            let ends = before.iter().map(|at| self.segment(*at).extent.end);
            bands.ends.extend(ends);
            let starts = after.iter().map(|at| self.segment(*at).extent.start);
            bands.starts.extend(starts);
            bands.before.append(before);
            bands.after.append(after);
        }
        before.clear();
        after.clear();
    }
}

/// What is known of the bands that a strip divides into columns.
#[derive(Debug, Default)]
struct BandStats {
    /// Lines that stand beside the other column.
    lines: usize,
    /// Lines that stand at the same height as one of the other column.
    aligned: usize,
    /// The most lines of a band.
    longest: usize,
    /// Lines before the strip.
    left: usize,
    /// Lines behind the strip.
    right: usize,
    /// Where segments before the strip end.
    ends: Vec<f32>,
    /// Where segments behind the strip begin.
    starts: Vec<f32>,
    /// Segments before and behind the strip.
    before: Vec<u32>,
    after: Vec<u32>,
    /// Segments that span the strip.
    across: usize,
}

/// How many of some places are nearly the same.
pub(super) fn together(places: &mut [f32], slack: f32) -> usize {
    places.sort_by(f32::total_cmp);
    let mut first = 0;
    let mut most = 0;
    for (at, place) in places.iter().enumerate() {
        while place - places[first] > slack {
            first += 1;
        }
        most = most.max(at + 1 - first);
    }
    most
}

/// How many lines two columns have in common.
pub(super) fn aligned(left: &[(f32, f32)], right: &[(f32, f32)]) -> usize {
    let mut right = right.iter().peekable();
    let mut count = 0;
    for (base, size) in left {
        while right
            .next_if(|(other, _)| *other < base - 0.25 * size)
            .is_some()
        {}
        if right
            .peek()
            .is_some_and(|(other, _)| *other <= base + 0.25 * size)
        {
            count += 1;
        }
    }
    count
}

/// How many lines of two columns stand beside the other column, in the one that has fewer of them.
pub(super) fn side_by_side(left: &[(f32, f32)], right: &[(f32, f32)]) -> usize {
    let beside = |lines: &[(f32, f32)], others: &[(f32, f32)]| {
        let (Some((first, size)), Some((last, _))) = (others.first(), others.last()) else {
            return 0;
        };
        let range = first - 0.3 * size..=last + 0.3 * size;
        lines
            .iter()
            .filter(|(base, _)| range.contains(base))
            .count()
    };
    beside(left, right).min(beside(right, left))
}
