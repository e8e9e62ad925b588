//! Texts reduced to letters and digits, to locate quotes independently of the product.
//!
//! This is deliberately not the normalisation of the product: the judge must not share code with
//! the judged program.

use std::ops::Range;

use memchr::memmem;
use unicode_normalization::UnicodeNormalization;
use unicode_normalization::char::is_combining_mark;

/// Letters and digits of a text in lower case without accents, with their positions in the text.
#[derive(Clone, Debug)]
pub(crate) struct Skeleton {
    bones: String,
    /// For each byte of `bones`, the byte of the text at which its character begins.
    origins: Vec<usize>,
}

impl Skeleton {
    /// Returns the skeleton of a text.
    pub(crate) fn new(text: &str) -> Self {
        let (mut bones, mut origins) = (String::new(), Vec::new());
        for (at, c) in text.char_indices() {
            for small in bones_of(c) {
                bones.push(small);
                origins.resize(bones.len(), at);
            }
        }
        Self { bones, origins }
    }

    /// Returns the letters and digits alone.
    pub(crate) fn into_bones(self) -> String {
        self.bones
    }

    /// Returns the ranges of the text that have the letters and digits of a quote.
    pub(crate) fn places(&self, quote: &str) -> impl Iterator<Item = Range<usize>> {
        let quote = Self::new(quote).bones;
        let found: Vec<usize> = match quote.is_empty() {
            true => Vec::new(),
            false => memmem::find_iter(self.bones.as_bytes(), quote.as_bytes()).collect(),
        };
        let length = quote.len();
        found
            .into_iter()
            .map(move |at| self.origins[at]..self.origins[at + length - 1])
    }
}

/// Returns the skeleton with a mark for each character that is neither a letter nor usual
/// punctuation: a bullet, a star at the beginning of a line, a symbol, an isolated sign.
pub(crate) fn marked(text: &str) -> String {
    let usual = |c: char| {
        c.is_whitespace()
            || c.is_control()
            || (c.is_ascii_punctuation() && !matches!(c, '*' | '#' | '|'))
            || "“”‘’«»„‚‹›–—‐‑−…、。，：；（）？！《》「」『』【】،؛؟·".contains(c)
            || matches!(c, '\u{ad}' | '\u{200b}'..='\u{200f}' | '\u{202a}'..='\u{202e}' | '\u{2060}'..='\u{206f}' | '\u{feff}')
    };
    // "--" or "%" before its operand is a sign; a dash between words is not.
    let is_sign = |word: &str| word.is_ascii() && !matches!(word, "-" | "." | "..." | "\"" | "'");
    let mut out = String::with_capacity(text.len());
    for word in text.split_whitespace() {
        let before = out.len();
        for c in word.chars() {
            let before = out.len();
            out.extend(bones_of(c));
            if out.len() == before && !usual(c) && !is_combining_mark(c) {
                out.push('•');
            }
        }
        if out.len() == before && is_sign(word) {
            out.push('•');
        }
    }
    out
}

/// Reduces a character to small letters and digits: ligatures split, accents removed.
fn bones_of(c: char) -> impl Iterator<Item = char> {
    std::iter::once(c)
        .nfkd()
        .filter(|c| c.is_alphanumeric())
        .flat_map(char::to_lowercase)
}

/// Reduces a text to letters, digits and the marks of numbers: everything that a dishonest quote changes.
pub(crate) fn strict(text: &str) -> String {
    let chars: Vec<char> = text.chars().collect();
    let mut out = String::with_capacity(text.len());
    for (at, &c) in chars.iter().enumerate() {
        let before = at.checked_sub(1).map(|at| chars[at]);
        let after = chars.get(at + 1).copied();
        let digit = |c: Option<char>| c.is_some_and(|c| c.is_ascii_digit());
        // A space is permitted between a number and its unit.
        let near = |mut places: Box<dyn Iterator<Item = &char> + '_>| {
            digit(places.find(|c| !c.is_whitespace()).copied())
        };
        let near_number =
            || near(Box::new(chars[..at].iter().rev())) || near(Box::new(chars[at + 1..].iter()));
        match c {
            '.' | ',' | ':' | '/' if digit(before) && digit(after) => out.push(c),
            '-' | '−' | '–' | '+' if digit(after) => out.push(if c == '+' { '+' } else { '-' }),
            '%' | '‰' | '$' | '€' | '£' | '¥' | '°' if near_number() => out.push(c),
            c => out.extend(bones_of(c)),
        }
    }
    out
}

#[cfg(test)]
mod tests {
    use super::{Skeleton, marked, strict};

    #[test]
    fn finds_places_in_the_text() {
        let text = "The “ﬁrst” co-\noperation, É.";
        let skeleton = Skeleton::new(text);
        let found: Vec<_> = skeleton.places("First cooperation e").collect();
        assert_eq!(found.len(), 1);
        assert_eq!(&text[found[0].start..found[0].start + 3], "ﬁ");
        assert!(text[found[0].end..].starts_with('É'));
        assert_eq!(skeleton.places("…").count(), 0);
    }

    #[test]
    fn marks_bullets() {
        assert_eq!(marked("One. • Two, “three” ﬁ"), "one•twothreefi");
        assert_eq!(marked("e\u{301} – a - b"), "eab");
        assert_eq!(marked("cases. -- If no ? [...] Any"), "cases•ifno••any");
    }

    #[test]
    fn strict_form_keeps_signs_and_units() {
        for (one, other) in [
            ("12.5", "1.25"),
            ("5 %", "5"),
            ("$5", "€5"),
            ("a -5 b", "a 5 b"),
            ("1,5", "15"),
        ] {
            assert_ne!(strict(one), strict(other));
        }
        assert_eq!(strict("Don’t — say."), strict("don't say"));
        assert_eq!(strict("5%"), strict("5 %"));
    }
}
