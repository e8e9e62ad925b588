//! Notes in the margin.
//!
//! A margin note is beside the lines of the text, outside the area that the text of the document
//! fills. That area is learned from the pages read so far, because on a single page a note looks
//! like a term that is explained beside it.

use super::glyphs::PageGlyphs;
use super::line_segments::LineSegment;

/// Minimum number of glyphs of a segment that shows the edges of the text area.
const MIN_LONG_GLYPHS: u32 = 40;

/// Maximum number of glyphs of a segment of a note.
const MAX_NOTE_GLYPHS: u32 = 70;

/// Number of long segments that are needed to know the text area.
const MIN_LONG_SEGMENTS: usize = 20;

/// Maximum number of segment edges that are kept.
const MAX_EDGES: usize = 4096;

/// Horizontal area of the text of a document.
#[derive(Debug, Default)]
pub(super) struct TextArea {
    /// Edges of left and right pages.
    sides: [MarginSide; 2],
}

/// Edges of the long segments of left or right pages.
#[derive(Debug, Default)]
struct MarginSide {
    starts: Vec<f32>,
    ends: Vec<f32>,
}

impl TextArea {
    /// Returns the segments of a page that are margin notes, as sorted indices, and adds the page
    /// to the statistics.
    pub(super) fn find_notes(
        &mut self,
        glyphs: &PageGlyphs,
        segments: &[LineSegment],
        page: u32,
    ) -> Vec<u32> {
        let side = &mut self.sides[page as usize % 2];
        let is_long = |segment: &&LineSegment| segment.glyphs >= MIN_LONG_GLYPHS;
        for segment in segments.iter().filter(is_long) {
            if side.starts.len() < MAX_EDGES {
                side.starts.push(segment.extent.start);
                side.ends.push(segment.extent.end);
            }
        }
        let Some((start, end)) = side.edges() else {
            return Vec::new();
        };
        // A page with text outside of the area has another layout. Running heads may be wider than
        // the text.
        let is_wider =
            |s: &&LineSegment| s.glyphs >= MIN_LONG_GLYPHS && s.extent.start < start - 2.0;
        if segments.iter().filter(is_wider).count() > 1 {
            return Vec::new();
        }
        // Lines of this page that end at the same position show the edge of its text, too.
        let mut ends: Vec<f32> = segments
            .iter()
            .filter(is_long)
            .map(|s| s.extent.end)
            .collect();
        ends.sort_by(f32::total_cmp);
        let mut edges = ends.chunk_by(|a, b| b - a < 1.0).rev();
        let edge = edges.find(|edge| edge.len() > 2);
        let end = edge.map_or(end, |edge| edge[0].max(end));
        let is_outside = |s: &LineSegment| {
            s.extent.end < start - 0.3 * s.size || s.extent.start > end + 0.8 * s.size
        };
        let (mut outside, mut lines) = (Vec::new(), Vec::new());
        for (at, segment) in segments.iter().enumerate() {
            if is_outside(segment) {
                outside.push(at as u32);
            } else if segment.glyphs > 4 {
                lines.push(segment.base);
            }
        }
        let is_narrow = |segment: &LineSegment| {
            segment.glyphs < MAX_NOTE_GLYPHS
                && segment.extent.end - segment.extent.start < 0.6 * (end - start)
        };
        // Wide lines at a position show a column, so its short lines are not notes.
        let of = |at: &u32| &segments[*at as usize];
        let wide = outside.iter().map(of).filter(|s| !is_narrow(s));
        let mut columns: Vec<f32> = wide.map(|s| s.extent.start).collect();
        columns.sort_by(f32::total_cmp);
        outside.retain(|at| {
            let segment = of(at);
            let left = segment.extent.start - 2.0;
            let first = columns.partition_point(|start| *start < left);
            let in_column = columns.get(first).is_some_and(|start| *start < left + 4.0);
            is_narrow(segment) && !in_column && has_letters(glyphs, segment)
        });
        if outside.is_empty() || outside.len() * 2 > lines.len() {
            return Vec::new();
        }
        lines.sort_by(f32::total_cmp);
        retain_beside_lines(&mut outside, segments, &lines);
        outside.sort_unstable();
        outside
    }
}

/// Keeps the segments that are beside a line of text or continue a note that is. `lines` are sorted
/// baselines.
fn retain_beside_lines(notes: &mut Vec<u32>, segments: &[LineSegment], lines: &[f32]) {
    notes.sort_by(|a, b| {
        let base = |at: &u32| segments[*at as usize].base;
        base(a).total_cmp(&base(b))
    });
    let mut last: Option<&LineSegment> = None;
    notes.retain(|at| {
        let segment = &segments[*at as usize];
        let first = lines.partition_point(|base| *base < segment.base - 0.5 * segment.size);
        let is_beside = lines
            .get(first)
            .is_some_and(|base| *base < segment.base + 0.5 * segment.size);
        let continues = last.is_some_and(|last| segment.base - last.base < 1.6 * segment.size);
        if is_beside || continues {
            last = Some(segment);
        }
        is_beside || continues
    });
}

impl MarginSide {
    /// Returns the edges of the text: the outermost positions that a fair share of the long
    /// segments reach.
    fn edges(&mut self) -> Option<(f32, f32)> {
        let count = self.starts.len();
        if count < MIN_LONG_SEGMENTS {
            return None;
        }
        self.starts.sort_by(f32::total_cmp);
        self.ends.sort_by(f32::total_cmp);
        // Ragged lines end at nearly the same position.
        let outermost = |places: &[f32]| {
            let mut slacks = [2.0, 10.0, 40.0].into_iter();
            slacks.find_map(|slack| first_common_start(places, slack))
        };
        let ends: Vec<f32> = self.ends.iter().rev().map(|end| -end).collect();
        let (start, end) = (outermost(&self.starts)?, -outermost(&ends)?);
        (end - start > 0.0).then_some((start, end))
    }
}

/// Returns the first of the sorted positions at which about as many segments begin as at any other.
/// Columns have such a position; lists and listings do not.
fn first_common_start(places: &[f32], slack: f32) -> Option<f32> {
    let mut last = 0;
    let mut counts = Vec::with_capacity(places.len());
    for (at, place) in places.iter().enumerate() {
        while places.get(last).is_some_and(|other| other - place < slack) {
            last += 1;
        }
        counts.push(last - at);
    }
    let most = counts.iter().copied().max()?;
    let at = counts.iter().position(|count| count * 2 >= most)?;
    (most * 6 >= places.len()).then(|| places[at])
}

/// Returns true if a segment contains a word or a large number. Section numbers and bullets are not
/// notes.
fn has_letters(glyphs: &PageGlyphs, segment: &LineSegment) -> bool {
    let runs = segment.runs.iter().map(|at| &glyphs.runs[*at as usize]);
    let mut letters = runs
        .flat_map(|run| glyphs.glyphs_of(run))
        .flat_map(|glyph| glyphs.letters(glyph).chars());
    let is_number = segment.glyphs > 2 && letters.clone().all(|c| c.is_ascii_digit());
    is_number
        || letters
            .by_ref()
            .filter(|c| c.is_alphabetic())
            .nth(2)
            .is_some()
}
