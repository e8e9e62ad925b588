//! Page labels: printed numbers in any digits, Roman numerals, letters with numbers.

/// Words for a page before its label, in lower case.
const PAGE_WORDS: &[&str] = &[
    "p",
    "pp",
    "pg",
    "pgs",
    "page",
    "pages",
    "s",
    "seite",
    "seiten",
    "pag",
    "pág",
    "págs",
    "pags",
    "página",
    "páginas",
    "pagina",
    "pagine",
    "pagg",
    "blz",
    "bladzijde",
    "sid",
    "sida",
    "sidan",
    "side",
    "sivu",
    "str",
    "strana",
    "strona",
    "с",
    "стр",
    "страница",
    "стор",
    "σ",
    "σελ",
    "ص",
    "صفحه",
    "صفحة",
    "صص",
    "עמ",
    "עמוד",
    "pl",
];

/// Signs for a page after its number.
pub(super) const PAGE_SIGNS: [&str; 5] = ["页", "頁", "ページ", "쪽", "면"];

/// Returns true for a word that is followed by a page label.
pub(super) fn is_page_word(word: &str) -> bool {
    PAGE_WORDS.contains(&word.to_lowercase().as_str())
}

/// Returns a page label in its plain form: ASCII digits, Roman numerals in lower case. Returns `None` if the word is no
/// page label.
pub(super) fn page_label(word: &str) -> Option<String> {
    let plain: String = word.chars().map(plain_digit).collect();
    let digits = plain.trim_end_matches('f');
    if !digits.is_empty() && digits.len() <= 5 && digits.bytes().all(|byte| byte.is_ascii_digit()) {
        return Some(digits.to_owned());
    }
    if passage::parse_roman(&plain).is_some() {
        return Some(plain.to_ascii_lowercase());
    }
    let letters = plain.bytes().take_while(u8::is_ascii_alphabetic).count();
    let rest = &plain[letters..];
    let is_mixed = (1..=2).contains(&letters)
        && (1..=4).contains(&rest.len())
        && rest.bytes().all(|byte| byte.is_ascii_digit());
    is_mixed.then_some(plain)
}

/// Returns the ASCII digit for a decimal digit of scripts whose digits are used for pages.
pub(super) fn plain_digit(char: char) -> char {
    let zero = match char {
        '\u{660}'..='\u{669}' => '\u{660}',
        '\u{6f0}'..='\u{6f9}' => '\u{6f0}',
        '\u{966}'..='\u{96f}' => '\u{966}',
        '\u{9e6}'..='\u{9ef}' => '\u{9e6}',
        '\u{ff10}'..='\u{ff19}' => '\u{ff10}',
        char => return char,
    };
    char::from_digit(u32::from(char) - u32::from(zero), 10).unwrap_or(char)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn labels_are_read_in_every_script() {
        for (word, label) in [
            ("14", Some("14")),
            ("14ff", Some("14")),
            ("۱۴", Some("14")),
            ("٣", Some("3")),
            ("１２", Some("12")),
            ("XIV", Some("xiv")),
            ("A3", Some("A3")),
            ("harbour", None),
            ("iiii", None),
            ("123456", None),
            ("", None),
        ] {
            assert_eq!(page_label(word).as_deref(), label, "{word}");
        }
    }
}
