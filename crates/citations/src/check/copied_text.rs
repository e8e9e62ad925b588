//! Traces that copying from a PDF leaves in a quote: accents before their letters, footnote marks as plain digits.

use super::CitationChecker;
use super::exact_match::ExactHit;
use super::expected_place::ExpectedPlace;

/// Longest footnote mark, in digits.
const MAX_MARK: usize = 3;

impl CitationChecker<'_> {
    /// Finds a quote as it was before it was copied.
    pub(super) fn best_hit_of_copy(
        &self,
        phrase: &str,
        expected: &ExpectedPlace,
    ) -> Option<ExactHit> {
        if let Some(composed) = with_composed_accents(phrase)
            && let Some(hit) = self.best_hit(&composed, expected)
        {
            return Some(hit);
        }
        let (words, mark) = without_last_mark(phrase)?;
        let hit = self.best_hit(words, expected)?;
        let flow = self.document.text_streams().get(hit.flow)?;
        let after = flow.index.text().source().get(hit.found.range.end..)?;
        (raised_mark(after).as_deref() == Some(mark)).then_some(hit)
    }
}

/// Returns a text with accents on the letters that follow them: `Jiˇr´ı` becomes `Jiří`. Returns `None` if it has none.
fn with_composed_accents(text: &str) -> Option<String> {
    if !text.contains(|char| combining(char).is_some()) {
        return None;
    }
    let mut composed = String::with_capacity(text.len());
    let mut chars = text.chars().peekable();
    let mut has_changed = false;
    while let Some(char) = chars.next() {
        let letter = chars.next_if(|next| combining(char).is_some() && next.is_alphabetic());
        match (combining(char), letter) {
            (Some(mark), Some(letter)) => {
                composed.push(match letter {
                    'ı' => 'i',
                    'ȷ' => 'j',
                    letter => letter,
                });
                composed.push(mark);
                has_changed = true;
            }
            _ => composed.push(char),
        }
    }
    has_changed.then_some(composed)
}

/// Returns the combining form of an accent that is a character by itself.
fn combining(char: char) -> Option<char> {
    Some(match char {
        '´' => '\u{301}',
        '¨' => '\u{308}',
        '¯' => '\u{304}',
        'ˆ' => '\u{302}',
        'ˇ' => '\u{30c}',
        '˘' => '\u{306}',
        '˙' => '\u{307}',
        '˚' => '\u{30a}',
        '˜' => '\u{303}',
        '˝' => '\u{30b}',
        _ => return None,
    })
}

/// Splits a footnote mark off the end of a quote: digits that follow a word or the end of a sentence directly.
fn without_last_mark(phrase: &str) -> Option<(&str, &str)> {
    let phrase = phrase.trim_end();
    let words = phrase.trim_end_matches(|char: char| char.is_ascii_digit());
    let mark = &phrase[words.len()..];
    let follows = words.ends_with(|char: char| {
        char.is_alphabetic() || matches!(char, '.' | ',' | ';' | '?' | '!' | '”' | '"' | '’' | ')')
    });
    // `12.5` ends with a decimal, not with a mark.
    let is_decimal = words
        .trim_end_matches(['.', ','])
        .ends_with(|char: char| char.is_ascii_digit());
    ((1..=MAX_MARK).contains(&mark.len()) && follows && !is_decimal).then_some((words, mark))
}

/// Returns the raised digits at the start of a text, as plain digits. Punctuation may precede them.
fn raised_mark(text: &str) -> Option<String> {
    let text = text.trim_start_matches(['.', ',', ';', '?', '!', '”', '"', '’', ')']);
    let digits: String = text.chars().map_while(plain_digit).collect();
    (!digits.is_empty()).then_some(digits)
}

fn plain_digit(char: char) -> Option<char> {
    Some(match char {
        '⁰' => '0',
        '¹' => '1',
        '²' => '2',
        '³' => '3',
        '⁴'..='⁹' => char::from_u32(u32::from(char) - u32::from('⁴') + u32::from('4'))?,
        _ => return None,
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn accents_move_onto_their_letters() {
        for (text, composed) in [
            (
                "Jiˇr´ı Zlatuˇska",
                Some("Jir\u{30c}i\u{301} Zlatus\u{30c}ka"),
            ),
            ("kash¯ıdah", Some("kashi\u{304}dah")),
            ("30˚ north", None),
            ("plain", None),
        ] {
            assert_eq!(with_composed_accents(text).as_deref(), composed, "{text}");
        }
    }

    #[test]
    fn marks_are_digits_after_a_word_or_a_sentence() {
        for (phrase, split) in [
            ("so it is.7", Some(("so it is.", "7"))),
            ("in most formats18", Some(("in most formats", "18"))),
            ("he said”12 ", Some(("he said”", "12"))),
            ("it was 12.5", None),
            ("in 1911", None),
            ("page 7", None),
            ("word1911", None),
            ("7", None),
        ] {
            assert_eq!(without_last_mark(phrase), split, "{phrase}");
        }
        assert_eq!(raised_mark(".⁷ Then").as_deref(), Some("7"));
        assert_eq!(raised_mark("¹² Then").as_deref(), Some("12"));
        assert_eq!(raised_mark(" 7"), None);
    }
}
