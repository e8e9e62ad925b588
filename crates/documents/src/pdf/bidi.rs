//! Scripts that are read from right to left.
//!
//! Glyphs stand in a file from left to right, or in any order; here they are put as they are read.

use super::glyphs::{PageGlyphs, TextDirection};
use super::words::WordLetters;

/// Whether most of a page is read from right to left.
pub(super) fn is_right_to_left(glyphs: &PageGlyphs, direction: TextDirection) -> bool {
    // Lines of vertical text follow each other to the left anyway.
    if direction != TextDirection::Right {
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

/// Whether a character belongs to a script that is read from right to left.
pub(super) fn is_right_to_left_letter(c: char) -> bool {
    matches!(c, '\u{590}'..='\u{8ff}' | '\u{fb1d}'..='\u{fdff}' | '\u{fe70}'..='\u{feff}' | '\u{10800}'..='\u{10fff}')
        && !c.is_numeric()
}

/// The letters of glyphs that were drawn from left to right and are read from right to left; numbers
/// among them are not.
pub(super) fn reversed<'g>(drawn: impl DoubleEndedIterator<Item = &'g str>) -> String {
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

/// Puts the words of a line, drawn from left to right, in the order they are read.
///
/// On a page that is read from right to left, so is every line that has a word of such a script; on
/// others the words of the line decide.
pub(super) fn logical(mut words: Vec<WordLetters>, of_page: bool) -> Vec<WordLetters> {
    let count = words.iter().filter(|word| word.right_to_left).count();
    if count == 0 {
        return words;
    }
    let is_letter = |word: &WordLetters| word.text.chars().any(char::is_alphabetic);
    let left_to_right = words
        .iter()
        .filter(|word| !word.right_to_left && is_letter(word))
        .count();
    let separators: Vec<Option<char>> = words.iter().map(|word| word.before).collect();
    let base = of_page || count >= left_to_right;
    if base {
        for word in words.iter_mut().filter(|word| !word.right_to_left) {
            marks_behind(&mut word.text);
        }
        words.reverse();
    }
    // Runs of the other direction are the wrong way round now; numbers within them belong to them.
    let mut start = 0;
    while start < words.len() {
        let runs_back = |word: &WordLetters| {
            if base {
                !word.right_to_left && is_letter(word)
            } else {
                word.right_to_left
            }
        };
        let run = words[start..].iter().take_while(|word| match base {
            true => !word.right_to_left,
            false => runs_back(word),
        });
        let count = match words.get(start).is_some_and(runs_back) {
            true => run.enumerate().filter(|(_, word)| runs_back(word)).last(),
            false => None,
        };
        let count = count.map_or(0, |(last, _)| last + 1);
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

/// Moves the marks before a word to its end: on a line that is read from right to left they follow it.
fn marks_behind(word: &mut String) {
    let rest = word.trim_start_matches(['.', ',', ':', ';', '!']);
    let count = word.len() - rest.len();
    let is_number = !rest.is_empty() && rest.chars().all(char::is_numeric);
    if count > 0 && (is_number || rest.starts_with(char::is_alphabetic)) {
        let marks: String = word.drain(..count).collect();
        word.push_str(&marks);
    }
}
