//! Notes in the margin.
//!
//! A note stands beside the lines of the text, outside the area that the text of the document fills. That
//! area is learned from the pages so far: a page alone does not tell a note from a word in a list that is
//! explained beside it.

use super::glyphs::PageGlyphs;
use super::segments::LineSegment;

/// Segments with as many glyphs show where text begins and ends.
const LONG: u32 = 40;

/// Notes are shorter.
const SHORT: u32 = 70;

/// How many long segments must be known.
const ENOUGH: usize = 20;

/// How many of them are kept.
const KEPT: usize = 4096;

/// Where the text of a document stands, along the line.
#[derive(Debug, Default)]
pub(super) struct TextArea {
    /// Of left and right pages.
    sides: [MarginSide; 2],
}

#[derive(Debug, Default)]
struct MarginSide {
    starts: Vec<f32>,
    ends: Vec<f32>,
}

impl TextArea {
    /// The segments of a page that are notes in its margin, sorted.
    pub(super) fn notes(
        &mut self,
        glyphs: &PageGlyphs,
        segments: &[LineSegment],
        page: u32,
    ) -> Vec<u32> {
        let side = &mut self.sides[page as usize % 2];
        let is_long = |segment: &&LineSegment| segment.glyphs >= LONG;
        for segment in segments.iter().filter(is_long) {
            if side.starts.len() < KEPT {
                side.starts.push(segment.extent.start);
                side.ends.push(segment.extent.end);
            }
        }
        let Some((start, end)) = side.area() else {
            return Vec::new();
        };
        // This page may be set in another way; a running head may be wider than the text.
        let is_wider = |s: &&LineSegment| s.glyphs >= LONG && s.extent.start < start - 2.0;
        if segments.iter().filter(is_wider).count() > 1 {
            return Vec::new();
        }
        // Where lines of this page end together, its text ends, too.
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
            segment.glyphs < SHORT
                && segment.extent.end - segment.extent.start < 0.6 * (end - start)
        };
        // Where wide lines begin there is a column: its short lines are no notes.
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
        outside.sort_by(|a, b| {
            let base = |at: &u32| segments[*at as usize].base;
            base(a).total_cmp(&base(b))
        });
        // A note stands beside a line, or goes on from one that does.
        let mut last: Option<&LineSegment> = None;
        outside.retain(|at| {
            let segment = &segments[*at as usize];
            let first = lines.partition_point(|base| *base < segment.base - 0.5 * segment.size);
            let is_beside = lines
                .get(first)
                .is_some_and(|base| *base < segment.base + 0.5 * segment.size);
            let goes_on = last.is_some_and(|last| segment.base - last.base < 1.6 * segment.size);
            if is_beside || goes_on {
                last = Some(segment);
            }
            is_beside || goes_on
        });
        outside.sort_unstable();
        outside
    }
}

impl MarginSide {
    /// Where text begins and ends: as far out as a fair part of the long segments reaches.
    fn area(&mut self) -> Option<(f32, f32)> {
        let count = self.starts.len();
        if count < ENOUGH {
            return None;
        }
        self.starts.sort_by(f32::total_cmp);
        self.ends.sort_by(f32::total_cmp);
        // Lines that are not justified end nearly together.
        let outermost = |places: &[f32]| {
            let mut slacks = [2.0, 10.0, 40.0].into_iter();
            slacks.find_map(|slack| aligned(places, slack))
        };
        let ends: Vec<f32> = self.ends.iter().rev().map(|end| -end).collect();
        let (start, end) = (outermost(&self.starts)?, -outermost(&ends)?);
        (end - start > 0.0).then_some((start, end))
    }
}

/// The first of some sorted places where about as many segments begin as anywhere: columns do, but not
/// lists and listings.
fn aligned(places: &[f32], slack: f32) -> Option<f32> {
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

/// Whether a segment has a word or a large number; numbers of sections and bullets are no notes.
fn has_letters(glyphs: &PageGlyphs, segment: &LineSegment) -> bool {
    let pieces = segment.pieces.iter().map(|at| &glyphs.pieces[*at as usize]);
    let mut letters = pieces
        .flat_map(|piece| glyphs.of_piece(piece))
        .flat_map(|glyph| glyphs.letters(glyph).chars());
    let is_number = segment.glyphs > 2 && letters.clone().all(|c| c.is_ascii_digit());
    is_number
        || letters
            .by_ref()
            .filter(|c| c.is_alphabetic())
            .nth(2)
            .is_some()
}
