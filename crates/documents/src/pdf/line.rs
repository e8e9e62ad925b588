//! Lines: their words in the order they are read, with boxes.

use std::borrow::Cow;
use std::collections::HashSet;
use std::ops::Range;

use super::glyphs::{Direction, Extent, Glyphs, Piece, WORD_GAP};
use super::numbers::line_numbers;
use super::order::{Row, reading_order};
use super::segments::{Segment, segments};
use crate::geometry::Word;

/// A line as it is set.
#[derive(Debug, Clone)]
pub(super) struct SetLine {
    pub(super) text: String,
    pub(super) words: Vec<Word>,
    pub(super) direction: Direction,
    /// Where it stands, along and across its direction.
    pub(super) extent: Extent,
    pub(super) base: f32,
    pub(super) size: f32,
    /// Which column of the page it belongs to.
    pub(super) column: u32,
    /// Whether it belongs to the text that runs the way most of the page does.
    pub(super) is_main: bool,
    /// Whether all of it is bold.
    pub(super) is_bold: bool,
    /// Whether it is a number beside the lines of the page.
    pub(super) is_line_number: bool,
}

/// A larger gap is that between two cells of a table, in em.
const CELL_GAP: f32 = 1.5;

/// The lines of a page in reading order.
pub(super) fn lines(glyphs: &Glyphs) -> Vec<SetLine> {
    use Direction::{Down, Left, Right, Up};
    let mut counts = [Right, Down, Left, Up].map(|direction| {
        let of_direction = |piece: &&Piece| piece.direction == direction;
        (glyphs.pieces.iter().filter(of_direction).count(), direction)
    });
    // The direction of most of the page first; among equals in the order above.
    counts.sort_by_key(|(count, direction)| (std::cmp::Reverse(*count), *direction));
    let most = counts[0].0;
    let mut lines = Vec::new();
    let mut column = 0;
    for (count, direction) in counts {
        if count == 0 {
            continue;
        }
        let segments = segments(glyphs, direction);
        let right_to_left = is_right_to_left(glyphs, direction);
        let numbers = line_numbers(glyphs, &segments);
        let rows = reading_order(&segments, &numbers, right_to_left);
        let columns = rows.last().map_or(0, |row| row.column + 1);
        for row in rows {
            let mut line = set_line(glyphs, &segments, &row, direction);
            if line.text.is_empty() {
                continue;
            }
            line.column += column;
            line.is_main = count * 5 >= most;
            lines.push(line);
        }
        column += columns;
    }
    lines
}

fn is_right_to_left(glyphs: &Glyphs, direction: Direction) -> bool {
    // Lines of vertical text follow each other to the left anyway.
    if direction != Direction::Right {
        return false;
    }
    let (mut right_to_left, mut letters) = (0usize, 0usize);
    for glyph in glyphs.all.iter().take(20_000) {
        for c in glyphs.letters(glyph).chars() {
            letters += usize::from(c.is_alphabetic());
            right_to_left += usize::from(is_right_to_left_letter(c));
        }
    }
    right_to_left * 2 > letters
}

fn is_right_to_left_letter(c: char) -> bool {
    matches!(c, '\u{590}'..='\u{8ff}' | '\u{fb1d}'..='\u{fdff}' | '\u{fe70}'..='\u{feff}' | '\u{10800}'..='\u{10fff}')
        && !c.is_numeric()
}

/// A glyph of a word, as it is read.
struct Part<'g> {
    start: f32,
    end: f32,
    letters: Cow<'g, str>,
}

/// A word of a line: letters and where they stand.
#[derive(Debug)]
struct Letters {
    text: String,
    extent: Extent,
    right_to_left: bool,
    /// What stands before it: nothing, a space or a tab.
    before: Option<char>,
}

fn set_line(glyphs: &Glyphs, segments: &[Segment], row: &Row, direction: Direction) -> SetLine {
    let row_segments = || row.segments.iter().map(|at| &segments[*at as usize]);
    let mut words: Vec<Letters> = Vec::new();
    let mut extent: Option<Extent> = None;
    let (mut base, mut size) = (0.0, 0.0);
    for segment in row_segments() {
        let gap = extent.map_or(0.0, |extent| segment.extent.start - extent.end);
        let before = match extent {
            None => None,
            Some(_) if gap > CELL_GAP * segment.size => Some('\t'),
            Some(_) => Some(' '),
        };
        segment_words(glyphs, segment, before, &mut words);
        match &mut extent {
            Some(extent) => extent.cover(&segment.extent),
            None => extent = Some(segment.extent),
        }
        if segment.size > size {
            (base, size) = (segment.base, segment.size);
        }
    }
    let words = logical(without_leaders(words));
    let extent = extent.unwrap_or(Extent {
        start: 0.0,
        end: 0.0,
        top: 0.0,
        bottom: 0.0,
    });
    let mut line = SetLine {
        text: String::new(),
        words: Vec::with_capacity(words.len()),
        direction,
        extent,
        base,
        size,
        column: row.column,
        is_main: true,
        is_bold: row_segments().all(|segment| segment.is_bold),
        is_line_number: row.is_line_number,
    };
    for word in words {
        if !line.text.is_empty() {
            line.text.extend(word.before);
        }
        let start = line.text.len();
        line.text.push_str(&word.text);
        let range = start as u32..line.text.len() as u32;
        line.words.push(placed(range, direction, &word.extent));
    }
    line
}

/// A word on its page.
fn placed(range: Range<u32>, direction: Direction, extent: &Extent) -> Word {
    let (a, b) = direction.unturn(extent.start, extent.top);
    let (c, d) = direction.unturn(extent.end, extent.bottom);
    Word {
        range,
        x: a.min(c),
        y: b.min(d),
        width: (a - c).abs(),
        height: (b - d).abs(),
    }
}

/// Adds the words of a segment, from start to end.
fn segment_words(
    glyphs: &Glyphs,
    segment: &Segment,
    before: Option<char>,
    words: &mut Vec<Letters>,
) {
    let piece = |at: u32| &glyphs.pieces[at as usize];
    let spread = spread_letters(glyphs, &segment.pieces);
    let usual = Usual::of_segment(glyphs, segment);
    let mut rest = &segment.pieces[..];
    let mut before = before;
    while let [first, ..] = rest {
        let done = segment.pieces.len() - rest.len();
        let mut count = 1;
        while let Some(next) = rest.get(count)
            && (spread.contains(&(done + count))
                || is_one_word(rest[count - 1], piece(rest[count - 1]), *next, piece(*next))
                    && !is_reference(glyphs, &usual, piece(rest[count - 1]), piece(*next)))
        {
            count += 1;
        }
        let mut extent = piece(*first).extent;
        for at in &rest[1..count] {
            extent.cover(&piece(*at).extent);
        }
        let all = rest[..count].iter().flat_map(|at| {
            let range = &piece(*at).glyphs;
            (range.start..range.end).map(|glyph| &glyphs.all[glyph as usize])
        });
        let (mut right_to_left, mut letters) = (0usize, 0usize);
        for c in all.clone().flat_map(|glyph| glyphs.letters(glyph).chars()) {
            letters += usize::from(c.is_alphabetic());
            right_to_left += usize::from(is_right_to_left_letter(c));
        }
        let is_right_to_left = right_to_left > 0 && right_to_left * 2 >= letters;
        let parts: Vec<Part<'_>> = rest[..count]
            .iter()
            .flat_map(|at| {
                let piece = piece(*at);
                let is_raised = is_raised(&usual, piece);
                (piece.glyphs.start..piece.glyphs.end).map(move |glyph| {
                    let glyph = &glyphs.all[glyph as usize];
                    let letters = glyphs.letters(glyph);
                    Part {
                        start: glyph.start,
                        end: glyph.end,
                        letters: if is_raised {
                            Cow::Owned(letters.chars().map(raised).collect())
                        } else {
                            Cow::Borrowed(letters)
                        },
                    }
                })
            })
            .collect();
        if is_right_to_left {
            words.push(Letters {
                text: reversed(parts.iter().map(|part| &*part.letters)),
                extent,
                right_to_left: true,
                before,
            });
        } else {
            split_leaders(&parts, extent, before, words);
        }
        before = Some(' ');
        rest = &rest[count..];
    }
}

/// The pieces, by number, that go on a word whose letters are set apart: single letters with equal gaps.
fn spread_letters(glyphs: &Glyphs, pieces: &[u32]) -> HashSet<usize> {
    let piece = |at: usize| &glyphs.pieces[pieces[at] as usize];
    let is_letter = |at: usize| {
        let range = &piece(at).glyphs;
        let first = glyphs.letters(&glyphs.all[range.start as usize]);
        range.end - range.start == 1 && first.chars().all(char::is_alphabetic)
    };
    let gap = |at: usize| (piece(at).extent.start - piece(at - 1).extent.end) / piece(at).size;
    let is_joint = |at: &usize| {
        is_letter(*at - 1) && is_letter(*at) && !piece(*at - 1).spaced && gap(*at) > WORD_GAP
    };
    let mut spread = HashSet::new();
    let joints: Vec<usize> = (1..pieces.len()).filter(is_joint).collect();
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

/// Whether a piece is set above the line, as exponents and marks of notes are.
fn is_raised(usual: &Usual, piece: &Piece) -> bool {
    piece.size < 0.85 * usual.size && usual.base - piece.base > 0.15 * usual.size
}

/// How most of a segment is set; a large first letter does not count.
struct Usual {
    base: f32,
    size: f32,
}

impl Usual {
    fn of_segment(glyphs: &Glyphs, segment: &Segment) -> Self {
        let length = |piece: &&Piece| piece.glyphs.end - piece.glyphs.start;
        let pieces = segment.pieces.iter().map(|at| &glyphs.pieces[*at as usize]);
        let mut usual = Self {
            base: segment.base,
            size: segment.size,
        };
        let at_base = |piece: &&Piece| (piece.base - segment.base).abs() < 0.1 * segment.size;
        let largest = |piece: &&Piece| piece.size > 0.95 * segment.size;
        let large: u32 = pieces
            .clone()
            .filter(largest)
            .map(|piece| length(&piece))
            .sum();
        if large * 4 < segment.glyphs
            && let Some(longest) = pieces
                .filter(at_base)
                .filter(|p| !largest(p))
                .max_by_key(length)
        {
            (usual.base, usual.size) = (longest.base, longest.size);
        }
        usual
    }
}

/// Whether a piece is raised letters after a word, which refer to a note; "th" after a number does not.
fn is_reference(glyphs: &Glyphs, usual: &Usual, before: &Piece, piece: &Piece) -> bool {
    let last = |piece: &Piece| {
        let last = &glyphs.all[piece.glyphs.end as usize - 1];
        glyphs.letters(last).chars().last()
    };
    is_raised(usual, piece)
        && !is_raised(usual, before)
        && last(piece).is_some_and(char::is_alphabetic)
        && last(before).is_some_and(char::is_alphabetic)
}

/// A digit above the line.
fn raised(c: char) -> char {
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

/// Whether nothing stands between two pieces.
fn is_one_word(first: u32, left: &Piece, second: u32, right: &Piece) -> bool {
    let gap = right.extent.start - left.extent.end;
    let spaced = left.spaced && second > first;
    !spaced && gap < WORD_GAP * left.size.min(right.size)
}

/// The letters of glyphs that were drawn from left to right and are read from right to left; numbers
/// among them are not.
fn reversed<'g>(drawn: impl DoubleEndedIterator<Item = &'g str>) -> String {
    let mut text = String::new();
    let mut number: Vec<&str> = Vec::new();
    for letters in drawn.rev() {
        if letters.chars().all(char::is_numeric) {
            number.push(letters);
            continue;
        }
        text.extend(number.drain(..).rev());
        text.push_str(letters);
    }
    text.extend(number.drain(..).rev());
    text
}

const LEADERS: [char; 5] = ['.', '·', '․', '…', '∙'];

fn is_leader(text: &str) -> bool {
    !text.is_empty() && text.chars().all(|c| LEADERS.contains(&c))
}

/// Adds the words of glyphs without a gap: a row of leader dots among them stands apart.
fn split_leaders(
    parts: &[Part<'_>],
    extent: Extent,
    before: Option<char>,
    words: &mut Vec<Letters>,
) {
    let mut before = before;
    let mut push = |parts: &[Part<'_>]| {
        let (Some(first), Some(last)) = (parts.first(), parts.last()) else {
            return;
        };
        words.push(Letters {
            text: parts.iter().map(|part| &*part.letters).collect(),
            extent: Extent {
                start: first.start.min(last.start),
                end: last.end.max(first.end),
                ..extent
            },
            right_to_left: false,
            before,
        });
        before = Some(' ');
    };
    let mut rest = parts;
    let mut from = 0;
    while let Some(at) = (from..rest.len()).find(|at| is_leader(&rest[*at].letters)) {
        let dots = rest[at..]
            .iter()
            .take_while(|part| is_leader(&part.letters))
            .count();
        if dots < 5 {
            from = at + dots;
            continue;
        }
        push(&rest[..at]);
        push(&rest[at..at + dots]);
        rest = &rest[at + dots..];
        from = 0;
    }
    push(rest);
}

/// Makes one sign of the dots that lead from a title to its page.
fn without_leaders(words: Vec<Letters>) -> Vec<Letters> {
    let mut kept: Vec<Letters> = Vec::with_capacity(words.len());
    // How many words at the end of `kept` are dots, and how many dots these have.
    let (mut count, mut dots) = (0, 0);
    for word in words {
        if !is_leader(&word.text) {
            (count, dots) = (0, 0);
            kept.push(word);
            continue;
        }
        count += 1;
        dots += word.text.chars().count();
        kept.push(word);
        if dots < 5 {
            continue;
        }
        for dot in kept.split_off(kept.len() - (count - 1)) {
            if let Some(first) = kept.last_mut() {
                first.extent.cover(&dot.extent);
            }
        }
        count = 1;
        if let Some(first) = kept.last_mut() {
            first.text = "…".to_owned();
        }
    }
    kept
}

/// Puts the words of a line, drawn from left to right, in the order they are read.
fn logical(mut words: Vec<Letters>) -> Vec<Letters> {
    let count = words.iter().filter(|word| word.right_to_left).count();
    if count == 0 {
        return words;
    }
    let is_letter = |word: &Letters| word.text.chars().any(char::is_alphabetic);
    let left_to_right = words
        .iter()
        .filter(|word| !word.right_to_left && is_letter(word))
        .count();
    let separators: Vec<Option<char>> = words.iter().map(|word| word.before).collect();
    let base = count >= left_to_right;
    if base {
        words.reverse();
    }
    // Runs of the other direction are the wrong way round now.
    let mut start = 0;
    while start < words.len() {
        let runs_back = |word: &Letters| {
            if base {
                !word.right_to_left && is_letter(word)
            } else {
                word.right_to_left
            }
        };
        let count = words[start..]
            .iter()
            .take_while(|word| runs_back(word))
            .count();
        words[start..start + count].reverse();
        start += count.max(1);
    }
    if base {
        let last = separators.len();
        for (at, word) in words.iter_mut().enumerate() {
            word.before = if at == 0 { None } else { separators[last - at] };
        }
    } else {
        for (word, before) in words.iter_mut().zip(separators) {
            word.before = before;
        }
    }
    words
}
