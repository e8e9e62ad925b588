//! Right-to-left scripts.
//!
//! Glyphs are stored from left to right or in any order. This module puts them in reading order.

use super::glyphs::{PageGlyphs, TextDirection};
use super::words::WordLetters;

/// Returns true if most of a page is written from right to left.
pub(super) fn is_right_to_left(glyphs: &PageGlyphs, direction: TextDirection) -> bool {
    // Lines of vertical text follow each other to the left in any script.
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

/// Returns true for a character of a right-to-left script.
pub(super) fn is_right_to_left_letter(c: char) -> bool {
    matches!(c, '\u{590}'..='\u{8ff}' | '\u{fb1d}'..='\u{fdff}' | '\u{fe70}'..='\u{feff}' | '\u{10800}'..='\u{10fff}')
        && !c.is_numeric()
}

/// Returns the text of glyphs of a right-to-left script that were sorted from left to right.
/// Numbers in it keep their order.
pub(super) fn reverse_text<'g>(drawn: impl DoubleEndedIterator<Item = &'g str>) -> String {
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

/// Puts the words of a line, sorted from left to right, in reading order.
///
/// On a right-to-left page every line with a word of such a script is right-to-left. On other pages
/// the majority of the words of the line decides.
pub(super) fn to_reading_order(mut words: Vec<WordLetters>, of_page: bool) -> Vec<WordLetters> {
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
            move_punctuation_to_end(&mut word.text);
        }
        words.reverse();
    }
    // Runs of the other direction are reversed now. Numbers within them belong to the run.
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

/// Moves punctuation from the start of a word to its end, where it belongs on a right-to-left line.
fn move_punctuation_to_end(word: &mut String) {
    let rest = word.trim_start_matches(['.', ',', ':', ';', '!']);
    let count = word.len() - rest.len();
    let is_number = !rest.is_empty() && rest.chars().all(char::is_numeric);
    if count > 0 && (is_number || rest.starts_with(char::is_alphabetic)) {
        let marks: String = word.drain(..count).collect();
        word.push_str(&marks);
    }
}
