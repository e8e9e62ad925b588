//! Words: letters without a gap, in reading order.

use std::borrow::Cow;
use std::collections::HashSet;

use super::bidi::{is_right_to_left_letter, reverse_text};
use super::dot_leaders::split_leaders;
use super::glyphs::{GlyphRun, LineExtent, PageGlyphs, WORD_GAP};
use super::line_segments::LineSegment;

/// A glyph of a word.
pub(super) struct WordPart<'g> {
    pub(super) start: f32,
    pub(super) end: f32,
    pub(super) letters: Cow<'g, str>,
}

/// A word of a line, or a part of it in another size, with its extent.
#[derive(Debug)]
pub(super) struct WordLetters {
    pub(super) text: String,
    pub(super) extent: LineExtent,
    pub(super) right_to_left: bool,
    /// True if it is raised above the line.
    pub(super) is_raised: bool,
    /// Separator before it: none, a space or a tab.
    pub(super) before: Option<char>,
}

/// Adds the words of a segment, from start to end.
pub(super) fn add_segment_words(
    glyphs: &PageGlyphs,
    segment: &LineSegment,
    before: Option<char>,
    words: &mut Vec<WordLetters>,
) {
    let run = |at: u32| &glyphs.runs[at as usize];
    let spread = letter_spaced_runs(glyphs, &segment.runs);
    let mut rest = &segment.runs[..];
    let mut before = before;
    while !rest.is_empty() {
        let done = segment.runs.len() - rest.len();
        let mut count = 1;
        while let Some(next) = rest.get(count)
            && (spread.contains(&(done + count))
                || is_one_word(rest[count - 1], run(rest[count - 1]), *next, run(*next))
                    && !is_reference(glyphs, segment, &rest[count - 1..]))
        {
            count += 1;
        }
        let is_alike = |a: &u32, b: &u32| has_same_appearance(run(*a), run(*b));
        for part in rest[..count].chunk_by(is_alike) {
            push_part(glyphs, segment, part, before, words);
            before = None;
        }
        before = Some(' ');
        rest = &rest[count..];
    }
}

/// Returns true if two runs of a word have the same appearance; an exponent or a small capital
/// differs.
fn has_same_appearance(left: &GlyphRun, right: &GlyphRun) -> bool {
    let larger = (left.size - right.size).abs() / left.size.max(right.size);
    let is_higher = (left.base - right.base).abs() > 0.5;
    if left.font == right.font {
        larger < 0.05
    } else {
        larger < 0.005 && !is_higher
    }
}

/// Adds letters of the same appearance.
fn push_part(
    glyphs: &PageGlyphs,
    segment: &LineSegment,
    runs: &[u32],
    before: Option<char>,
    words: &mut Vec<WordLetters>,
) {
    let runs = || runs.iter().map(|at| &glyphs.runs[*at as usize]);
    let extent = runs().map(|run| run.extent).reduce(|mut all, next| {
        all.cover(&next);
        all
    });
    let Some(extent) = extent else { return };
    let parts: Vec<WordPart<'_>> = runs()
        .flat_map(|run| {
            let is_raised = is_raised(segment, run);
            glyphs.glyphs_of(run).iter().map(move |glyph| {
                let letters = glyphs.letters(glyph);
                WordPart {
                    start: glyph.start,
                    end: glyph.end,
                    letters: if is_raised {
                        Cow::Owned(letters.chars().map(superscript).collect())
                    } else {
                        Cow::Borrowed(letters)
                    },
                }
            })
        })
        .collect();
    let is_raised = runs().all(|run| is_raised(segment, run));
    let begun = words.len();
    let mut before = before;
    for (right_to_left, parts) in direction_runs(&parts) {
        if right_to_left {
            words.push(WordLetters {
                text: reverse_text(parts.iter().map(|part| &*part.letters)),
                extent: part_extent(parts, extent),
                right_to_left,
                is_raised: false,
                before,
            });
        } else {
            split_leaders(parts, extent, before, words);
        }
        before = None;
    }
    for word in &mut words[begun..] {
        word.is_raised = is_raised;
    }
}

/// Returns the extent of glyphs along the line.
pub(super) fn part_extent(parts: &[WordPart<'_>], around: LineExtent) -> LineExtent {
    let (mut start, mut end) = (f32::INFINITY, f32::NEG_INFINITY);
    for part in parts {
        (start, end) = (start.min(part.start), end.max(part.end));
    }
    LineExtent {
        start,
        end,
        ..around
    }
}

/// Divides glyphs at changes of the reading direction. Neutral characters belong to the text before
/// them.
fn direction_runs<'p, 'g>(parts: &'p [WordPart<'g>]) -> Vec<(bool, &'p [WordPart<'g>])> {
    let direction = |part: &WordPart<'_>| {
        let mut letters = part.letters.chars();
        let letter = letters.find(|c| c.is_alphabetic() || is_right_to_left_letter(*c));
        letter.map(is_right_to_left_letter)
    };
    let mut current = parts.iter().find_map(direction).unwrap_or(false);
    let mut runs = Vec::new();
    let mut start = 0;
    for (at, part) in parts.iter().enumerate() {
        if let Some(next) = direction(part)
            && next != current
        {
            runs.push((current, &parts[start..at]));
            (current, start) = (next, at);
        }
    }
    runs.push((current, &parts[start..]));
    runs
}

/// Returns the indices of runs that continue a letter-spaced word: single letters with equal gaps.
fn letter_spaced_runs(glyphs: &PageGlyphs, runs: &[u32]) -> HashSet<usize> {
    let run = |at: usize| &glyphs.runs[runs[at] as usize];
    // Only scripts with capitals are letter-spaced. In others, gaps cannot distinguish words.
    let has_case = |c: char| c.is_lowercase() || c.is_uppercase();
    let is_letter = |at: usize| {
        let range = &run(at).glyphs;
        let first = glyphs.letters(&glyphs.all[range.start as usize]);
        range.end - range.start == 1 && first.chars().all(has_case)
    };
    let gap = |at: usize| (run(at).extent.start - run(at - 1).extent.end) / run(at).size;
    let is_joint = |at: &usize| {
        is_letter(*at - 1) && is_letter(*at) && !run(*at - 1).spaced && gap(*at) > WORD_GAP
    };
    let mut spread = HashSet::new();
    let joints: Vec<usize> = (1..runs.len()).filter(is_joint).collect();
    for run in joints.chunk_by(|a, b| a + 1 == *b) {
        let mut gaps: Vec<f32> = run.iter().map(|at| gap(*at)).collect();
        let middle = gaps.len() / 2;
        let usual = *gaps.select_nth_unstable_by(middle, f32::total_cmp).1;
        if run.len() >= 3 {
            spread.extend(run.iter().copied().filter(|at| gap(*at) < 1.5 * usual));
        }
    }
    spread
}

/// Returns true if a run is raised, as exponents and footnote marks are.
fn is_raised(segment: &LineSegment, run: &GlyphRun) -> bool {
    run.size < 0.85 * segment.size && segment.base - run.base > 0.15 * segment.size
}

/// Returns true if the second run is a raised footnote mark after a word. "th" after a number is
/// not, nor is a letter within a word.
fn is_reference(glyphs: &PageGlyphs, segment: &LineSegment, runs: &[u32]) -> bool {
    let [first, second, rest @ ..] = runs else {
        return false;
    };
    let run = |at: u32| &glyphs.runs[at as usize];
    let ends_with_letter = |at: u32| {
        let last = glyphs.glyphs_of(run(at)).last();
        let last = last.and_then(|glyph| glyphs.letters(glyph).chars().last());
        last.is_some_and(char::is_alphabetic)
    };
    let goes_on = rest.first().is_some_and(|next| {
        is_one_word(*second, run(*second), *next, run(*next))
            && !is_raised(segment, run(*next))
            && ends_with_letter(*next)
    });
    is_raised(segment, run(*second))
        && !is_raised(segment, run(*first))
        && ends_with_letter(*first)
        && ends_with_letter(*second)
        && !goes_on
}

/// Returns the superscript form of a digit.
fn superscript(c: char) -> char {
    let c = match c {
        '٠'..='٩' => char::from(b'0' + (c as u32 - '٠' as u32) as u8),
        '۰'..='۹' => char::from(b'0' + (c as u32 - '۰' as u32) as u8),
        other => other,
    };
    match c {
        '0' => '⁰',
        '1' => '¹',
        '2' => '²',
        '3' => '³',
        '4'..='9' => char::from_u32(c as u32 - '4' as u32 + '⁴' as u32).unwrap_or(c),
        '+' => '⁺',
        '-' | '−' | '–' => '⁻',
        other => other,
    }
}

/// Returns true if two runs have nothing between them.
fn is_one_word(first: u32, left: &GlyphRun, second: u32, right: &GlyphRun) -> bool {
    let gap = right.extent.start - left.extent.end;
    let spaced = left.spaced && second > first;
    !spaced && gap < WORD_GAP * left.size.min(right.size)
}
