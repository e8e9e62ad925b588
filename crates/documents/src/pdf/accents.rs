//! Accents that are drawn as separate glyphs above or below a letter.

use unicode_normalization::UnicodeNormalization;

/// Spacing accents and the combining marks that correspond to them.
const ACCENTS: [(char, char); 17] = [
    ('`', '\u{300}'),
    ('´', '\u{301}'),
    ('^', '\u{302}'),
    ('ˆ', '\u{302}'),
    ('~', '\u{303}'),
    ('˜', '\u{303}'),
    ('¯', '\u{304}'),
    ('ˉ', '\u{304}'),
    ('˘', '\u{306}'),
    ('˙', '\u{307}'),
    ('¨', '\u{308}'),
    ('˚', '\u{30a}'),
    ('°', '\u{30a}'),
    ('˝', '\u{30b}'),
    ('ˇ', '\u{30c}'),
    ('¸', '\u{327}'),
    ('˛', '\u{328}'),
];

/// Returns true if a character may be an accent of the letter on which it is drawn.
pub(super) fn is_accent(c: char) -> bool {
    mark(c).is_some()
}

fn mark(c: char) -> Option<char> {
    if matches!(c, '\u{300}'..='\u{36f}') {
        return Some(c);
    }
    let accent = ACCENTS.iter().find(|(accent, _)| *accent == c)?;
    Some(accent.1)
}

/// Composes a letter with an accent; `None` if Unicode has no such letter.
pub(super) fn compose(letter: &str, accent: char) -> Option<String> {
    let mut chars = letter.chars();
    let letter = match (chars.next()?, chars.next()) {
        ('ı', None) => 'i',
        ('ȷ', None) => 'j',
        (c, None) if c.is_alphabetic() => c,
        _ => return None,
    };
    let composed: String = [letter, mark(accent)?].into_iter().nfc().collect();
    (composed.chars().count() == 1).then_some(composed)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn composes_accents_with_their_letters() {
        for (letter, accent, whole) in [
            ("o", '¨', Some("ö")),
            ("ı", '´', Some("í")),
            ("C", 'ˇ', Some("Č")),
            ("e", '\u{301}', Some("é")),
            ("x", '´', None),
            ("7", '^', None),
            ("ae", '´', None),
            ("", '´', None),
        ] {
            assert_eq!(
                compose(letter, accent).as_deref(),
                whole,
                "{letter}{accent}"
            );
        }
        assert!(!is_accent('a'));
    }
}
