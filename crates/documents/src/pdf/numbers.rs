//! Numbers beside the lines of a page, as laws and drafts have them.

use super::glyphs::PageGlyphs;
use super::segments::LineSegment;

/// How many numbers make a column of line numbers.
const ENOUGH: usize = 5;

/// The segments that number the lines of a page, sorted.
///
/// They stand below each other at the edge of the text, at equal distances, and count by ones or fives.
pub(super) fn line_numbers(glyphs: &PageGlyphs, segments: &[LineSegment]) -> Vec<u32> {
    let mut numbers: Vec<(u32, i64)> = Vec::new();
    for (at, segment) in segments.iter().enumerate() {
        if let Some(number) = number(glyphs, segment) {
            numbers.push((at as u32, number));
        }
    }
    if numbers.len() < ENOUGH {
        return Vec::new();
    }
    let segment = |at: u32| &segments[at as usize];
    // Numbers are set flush with each other, at one end or the other.
    let mut found = Vec::new();
    for edge in [
        |s: &LineSegment| s.extent.end,
        |s: &LineSegment| s.extent.start,
    ] {
        numbers.sort_by(|a, b| edge(segment(a.0)).total_cmp(&edge(segment(b.0))));
        for column in numbers.chunk_by(|a, b| edge(segment(b.0)) - edge(segment(a.0)) < 1.0) {
            let mut column = column.to_vec();
            column.sort_by(|a, b| segment(a.0).base.total_cmp(&segment(b.0).base));
            if counts_lines(segments, &column) {
                found.extend(column.iter().map(|(at, _)| *at));
            }
        }
        if !found.is_empty() {
            break;
        }
    }
    found.sort_unstable();
    found
}

/// The number that a segment is, if it is nothing else.
fn number(glyphs: &PageGlyphs, segment: &LineSegment) -> Option<i64> {
    if segment.glyphs > 4 {
        return None;
    }
    let mut text = String::new();
    for at in &segment.pieces {
        let range = &glyphs.pieces[*at as usize].glyphs;
        for glyph in &glyphs.all[range.start as usize..range.end as usize] {
            text.push_str(glyphs.letters(glyph));
        }
    }
    let is_number = text.bytes().all(|byte| byte.is_ascii_digit());
    is_number.then(|| text.parse().ok())?
}

/// Whether numbers that stand below each other count the lines beside them.
fn counts_lines(segments: &[LineSegment], column: &[(u32, i64)]) -> bool {
    let segment = |at: u32| &segments[at as usize];
    let [(first, _), .., (last, _)] = column else {
        return false;
    };
    let (top, bottom) = (segment(*first).base, segment(*last).base);
    let steps = || column.windows(2).map(|pair| pair[1].1 - pair[0].1);
    let by = if steps().all(|step| step == 1) {
        1
    } else if steps().all(|step| step == 5) {
        5
    } else {
        return false;
    };
    if column.len() < ENOUGH {
        return false;
    }
    let gaps = || {
        let gap = |pair: &[(u32, i64)]| segment(pair[1].0).base - segment(pair[0].0).base;
        column.windows(2).map(gap)
    };
    let (least, most) = gaps().fold((f32::INFINITY, 0f32), |(least, most), gap| {
        (least.min(gap), most.max(gap))
    });
    // Where there are many, a formula or a heading may stand between.
    let is_regular = most <= 2.2 * least || column.len() > 3 * ENOUGH && most <= 6.0 * least;
    if least <= 0.0 || !is_regular {
        return false;
    }
    // Text stands on one side of them only, and on nearly every line.
    let (mut before, mut after) = (Vec::new(), Vec::new());
    let start = column.iter().map(|(at, _)| segment(*at).extent.start);
    let start = start.fold(f32::INFINITY, f32::min);
    for other in segments {
        if other.base < top - 1.0 || other.base > bottom + 1.0 {
            continue;
        }
        if other.extent.end < start {
            before.push(other.base);
        } else if other.extent.start > start + 1.0 && other.glyphs > 4 {
            after.push(other.base);
        }
    }
    let mut beside = match (before.is_empty(), after.is_empty()) {
        (true, false) => after,
        (false, true) => before,
        _ => return false,
    };
    beside.sort_by(f32::total_cmp);
    beside.dedup_by(|a, b| *a - *b < 2.0);
    let expected = (column.len() - 1) * by + 1;
    beside.len() * 10 >= expected * 6 && beside.len() <= expected + expected / 4 + 1
}
