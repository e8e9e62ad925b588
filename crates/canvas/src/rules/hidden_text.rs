//! Invisible characters in texts that people read to decide.
//!
//! A bidirectional override can make "Delete" look like another word, and zero-width characters make two labels
//! look the same. Joiners and direction marks stay: Persian, Hindi, Hebrew and emoji need them.

/// Black flag, which begins the emoji of England, Scotland and Wales; tag characters follow it.
const BLACK_FLAG: char = '\u{1F3F4}';

/// Returns the first character that may not be part of a label.
pub(crate) fn find_hidden(text: &str) -> Option<char> {
    if text.bytes().all(|it| (0x20..0x7F).contains(&it)) {
        return None;
    }
    text.chars().find(|it| match it {
        '\t' | '\n' | '\r' => false,
        '\u{E0000}'..='\u{E007F}' => !text.contains(BLACK_FLAG),
        it => {
            it.is_control()
                || matches!(
                    it,
                    '\u{AD}'
                        | '\u{180E}'
                        | '\u{200B}'
                        | '\u{2028}'..='\u{202E}'
                        | '\u{2060}'..='\u{206F}'
                        | '\u{FEFF}'
                        | '\u{FFF9}'..='\u{FFFB}'
                )
        }
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn overrides_and_zero_width_characters_are_found() {
        for text in [
            "a\u{202E}b",
            "a\u{200B}b",
            "\u{FEFF}a",
            "a\u{2066}b",
            "a\u{0}",
            "a\u{E0041}",
        ] {
            assert!(find_hidden(text).is_some(), "{text:?}");
        }
    }

    #[test]
    fn scripts_and_emoji_that_need_joiners_are_kept() {
        for text in [
            "می\u{200C}خواهم",
            "👩\u{200D}💻",
            "🏴\u{E0067}\u{E0062}\u{E007F}",
            "שלום\u{200F}",
            "Zeile\nzwei",
        ] {
            assert_eq!(find_hidden(text), None, "{text:?}");
        }
    }
}
