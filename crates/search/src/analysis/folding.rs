//! Forms of words that are compared: lower case, and without accents.

use std::borrow::Cow;

use unicode_normalization::UnicodeNormalization;

/// Returns a word in lower case and compatibility form, without invisible characters.
pub(super) fn lower(word: &str) -> Cow<'_, str> {
    if word.is_ascii() {
        return match word.bytes().any(|byte| byte.is_ascii_uppercase()) {
            true => Cow::Owned(word.to_ascii_lowercase()),
            false => Cow::Borrowed(word),
        };
    }
    Cow::Owned(
        word.chars()
            .filter(|char| !is_invisible(*char))
            .nfkc()
            .flat_map(char::to_lowercase)
            .nfc()
            .collect(),
    )
}

/// Returns a word in lower case without accents. Letters that are not written with a mark, such as ß or ø, become
/// their plain spelling.
pub(crate) fn fold(lower: &str) -> Cow<'_, str> {
    if lower.is_ascii() {
        return Cow::Borrowed(lower);
    }
    let mut folded = String::with_capacity(lower.len());
    for char in lower.nfd().filter(|char| !is_accent(*char)) {
        match char {
            'ß' => folded.push_str("ss"),
            'æ' => folded.push_str("ae"),
            'œ' => folded.push_str("oe"),
            'þ' => folded.push_str("th"),
            'ø' => folded.push('o'),
            'đ' | 'ð' => folded.push('d'),
            'ł' => folded.push('l'),
            'ı' => folded.push('i'),
            'ħ' => folded.push('h'),
            'ŧ' => folded.push('t'),
            'ς' => folded.push('σ'),
            char => folded.push(char),
        }
    }
    // Kana and Hangul were taken apart too; their marks are not accents.
    Cow::Owned(folded.nfc().collect())
}

fn is_accent(char: char) -> bool {
    matches!(char, '\u{300}'..='\u{36f}' | '\u{591}'..='\u{5c7}' | '\u{610}'..='\u{61a}' | '\u{64b}'..='\u{65f}' | '\u{670}')
}

fn is_invisible(char: char) -> bool {
    matches!(char, '\u{ad}' | '\u{200b}'..='\u{200f}' | '\u{2060}' | '\u{fe00}'..='\u{fe0f}' | '\u{feff}')
}
