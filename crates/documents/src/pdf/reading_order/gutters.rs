//! Detection of gutters, the spaces between columns.

use super::{MIN_COLUMN_GLYPHS, ReadingOrder};
use crate::pdf::line_segments::LineSegment;

/// Maximum number of candidates of each kind that are examined closely.
const MAX_CANDIDATES: usize = 24;

/// Minimum number of glyphs in the lines of a column.
pub(super) const MIN_LINE_GLYPHS: u32 = 6;

/// Strip between two columns.
#[derive(Debug, Clone, Copy)]
pub(super) struct ColumnGutter {
    start: f32,
    end: f32,
}

/// Position of a segment relative to a gutter.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum GutterSide {
    Before,
    After,
    Across,
}

impl ColumnGutter {
    /// Returns the position of a segment.
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

/// Returns strips before the positions at which most segments begin. They find gutters that a
/// spanning segment interrupts, so that no strip is free.
fn before_edges(starts: &[f32], ends: &[f32], size: f32) -> Vec<ColumnGutter> {
    let mut edges: Vec<(usize, f32)> = starts
        .chunk_by(|a, b| b - a < 0.5)
        .map(|edge| (edge.len(), edge[0]))
        .filter(|(count, _)| *count > 2)
        .collect();
    edges.sort_by(|a, b| b.0.cmp(&a.0).then(a.1.total_cmp(&b.1)));
    edges.truncate(MAX_CANDIDATES);
    let strip = |(_, edge): (usize, f32)| {
        let ended = ends.partition_point(|end| *end <= edge - 0.6 * size);
        let last = ended.checked_sub(1).map(|last| ends[last])?;
        // The middle of the strip decides on which side a segment is.
        let start = last.max(edge - 1.2 * size);
        Some(ColumnGutter { start, end: edge })
    };
    edges.into_iter().filter_map(strip).collect()
}

impl ReadingOrder<'_> {
    /// Returns the best gutter of segments; `None` if they have only one column.
    pub(super) fn find_gutter(&self, all: &[u32]) -> Option<ColumnGutter> {
        let size = self.median_size(all);
        let mut starts: Vec<f32> = all
            .iter()
            .map(|at| self.segment(*at).extent.start)
            .collect();
        let mut ends: Vec<f32> = all.iter().map(|at| self.segment(*at).extent.end).collect();
        starts.sort_by(f32::total_cmp);
        ends.sort_by(f32::total_cmp);
        // Free strips are between the end of a segment and the next start. Segments that are on
        // neither side span the strip.
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
        strips.truncate(MAX_CANDIDATES);
        let strips = strips.into_iter().map(|(_, gutter)| gutter);
        let worth = |gutter: ColumnGutter| Some((self.score(&gutter, all, size)?, gutter));
        let best = strips
            .chain(before_edges(&starts, &ends, size))
            .filter_map(worth)
            .max_by(|a, b| a.0.total_cmp(&b.0));
        best.map(|(_, gutter)| gutter)
    }

    /// Returns a score for a strip as a gutter; `None` if it cannot be one.
    ///
    /// Gaps between words of continuous lines may align by chance, but not on many consecutive
    /// lines. So the score is based on bands of lines that nothing spans.
    fn score(&self, gutter: &ColumnGutter, all: &[u32], size: f32) -> Option<f32> {
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
        // Numbers and signs beside lines belong to these lines. Those of a chart may be inside a
        // column of text.
        let is_narrow = |all: &[u32]| {
            self.median_length_by_lines(all) < MIN_LINE_GLYPHS
                && self.median_length_by_glyphs(all) < MIN_COLUMN_GLYPHS
        };
        if is_narrow(&bands.before) || is_narrow(&bands.after) {
            return None;
        }
        // Lines of a column begin at the same position, and lines of prose also end at the same
        // position.
        let begin = largest_group(&mut bands.starts, 0.6 * size);
        let end = largest_group(&mut bands.ends, 0.6 * size);
        let is_prose = begin * 2 >= bands.right && end * 2 >= bands.left;
        // Lines at different heights are independent of each other.
        let is_independent = bands.lines > 5 && bands.aligned * 2 < bands.lines;
        let is_free = bands.across * 10 < bands.lines && gutter.end - gutter.start > size;
        if begin * 5 < bands.right * 2 && !is_independent && !(is_free && bands.longest > 7)
            || bands.across > 3 * bands.lines && !is_prose
        {
            return None;
        }
        // On a few continuous lines, gaps between words may align by chance.
        let is_narrow = gutter.end - gutter.start < 0.9 * size;
        let run_through = bands.longest < 6 && bands.aligned * 5 > bands.lines * 4;
        if run_through && (begin * 2 < bands.right || is_narrow) {
            return None;
        }
        let width = ((gutter.end - gutter.start) / size).min(4.0);
        Some(bands.lines as f32 - bands.across as f32 + width)
    }

    fn close_band(&self, before: &mut Vec<u32>, after: &mut Vec<u32>, bands: &mut BandStats) {
        let (left, right) = (self.baselines(before), self.baselines(after));
        let lines = lines_side_by_side(&left, &right);
        if lines > 1 {
            bands.lines += lines;
            bands.longest = bands.longest.max(lines);
            bands.aligned += shared_baselines(&left, &right);
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

/// Statistics of the bands that a strip divides into columns.
#[derive(Debug, Default)]
struct BandStats {
    /// Number of lines beside the other column.
    lines: usize,
    /// Number of lines at the height of a line of the other column.
    aligned: usize,
    /// Number of lines of the longest band.
    longest: usize,
    /// Number of lines before the strip.
    left: usize,
    /// Number of lines behind the strip.
    right: usize,
    /// Ends of the segments before the strip.
    ends: Vec<f32>,
    /// Starts of the segments behind the strip.
    starts: Vec<f32>,
    /// Segments before and behind the strip.
    before: Vec<u32>,
    after: Vec<u32>,
    /// Number of segments that span the strip.
    across: usize,
}

/// Returns the size of the largest group of nearly equal positions.
pub(super) fn largest_group(places: &mut [f32], slack: f32) -> usize {
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

/// Returns the number of baselines that two columns share.
pub(super) fn shared_baselines(left: &[(f32, f32)], right: &[(f32, f32)]) -> usize {
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

/// Returns the number of lines beside the other column, for the column that has fewer of them.
pub(super) fn lines_side_by_side(left: &[(f32, f32)], right: &[(f32, f32)]) -> usize {
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
