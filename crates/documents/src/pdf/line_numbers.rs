//! Line numbers beside the text, as in laws and drafts.

use super::glyphs::PageGlyphs;
use super::line_segments::LineSegment;

/// Minimum number of line numbers in a column.
const MIN_NUMBERS: usize = 5;

/// Returns the segments that are line numbers, as sorted indices.
///
/// Line numbers are aligned at the edge of the text, have equal distances, and count by ones or
/// fives.
pub(super) fn find_line_numbers(glyphs: &PageGlyphs, segments: &[LineSegment]) -> Vec<u32> {
    let mut numbers: Vec<(u32, i64)> = Vec::new();
    for (at, segment) in segments.iter().enumerate() {
        if let Some(number) = parse_number(glyphs, segment) {
            numbers.push((at as u32, number));
        }
    }
    if numbers.len() < MIN_NUMBERS {
        return Vec::new();
    }
    let segment = |at: u32| &segments[at as usize];
    // Line numbers are aligned at their start or at their end.
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

/// Returns the number in a segment that contains nothing else.
fn parse_number(glyphs: &PageGlyphs, segment: &LineSegment) -> Option<i64> {
    if segment.glyphs > 4 {
        return None;
    }
    let mut text = String::new();
    for at in &segment.runs {
        let range = &glyphs.runs[*at as usize].glyphs;
        for glyph in &glyphs.all[range.start as usize..range.end as usize] {
            text.push_str(glyphs.letters(glyph));
        }
    }
    let is_number = text.bytes().all(|byte| byte.is_ascii_digit());
    is_number.then(|| text.parse().ok())?
}

/// Returns true if numbers in a column count the lines beside them.
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
    if column.len() < MIN_NUMBERS {
        return false;
    }
    let gaps = || {
        let gap = |pair: &[(u32, i64)]| segment(pair[1].0).base - segment(pair[0].0).base;
        column.windows(2).map(gap)
    };
    let (least, most) = gaps().fold((f32::INFINITY, 0f32), |(least, most), gap| {
        (least.min(gap), most.max(gap))
    });
    // In a long column a formula or a heading may interrupt the regular distance.
    let is_regular = most <= 2.2 * least || column.len() > 3 * MIN_NUMBERS && most <= 6.0 * least;
    if least <= 0.0 || !is_regular {
        return false;
    }
    // Text is on one side only, and beside nearly every number.
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
