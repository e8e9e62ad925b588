//! Content of JSON strings as models write them.

use std::borrow::Cow;

use crate::js_format::is_space;

/// Returns true if every escape is valid JSON.
pub(crate) fn is_strict(inside: &str) -> bool {
    let bytes = inside.as_bytes();
    let mut at = 0;
    while let Some(found) = memchr::memchr(b'\\', &bytes[at..]) {
        at += found;
        at += match bytes.get(at + 1) {
            Some(b'"' | b'\\' | b'/' | b'b' | b'f' | b'n' | b'r' | b't') => 2,
            Some(b'u') if unit(&bytes[at + 2..]).is_some() => 6,
            _ => return false,
        };
    }
    true
}

/// Returns true if a repair would remove a comma from the string: one before a closing bracket.
pub(crate) fn is_doubtful(inside: &str) -> bool {
    memchr::memchr2_iter(b']', b'}', inside.as_bytes()).any(|at| {
        let before = inside[..at].trim_end_matches(|char| is_space(char) || char == '\\');
        before.ends_with(',')
    })
}

/// Reads four hexadecimal digits as a UTF-16 code unit.
fn unit(digits: &[u8]) -> Option<u32> {
    let digits = digits.get(..4)?;
    if !digits.iter().all(u8::is_ascii_hexdigit) {
        return None;
    }
    u32::from_str_radix(std::str::from_utf8(digits).ok()?, 16).ok()
}

/// Unescapes a string. An unknown escape loses its backslash, a lone surrogate becomes U+FFFD.
pub(crate) fn unescape(inside: &str) -> String {
    unescape_with(inside, |_, _| {})
}

/// Unescapes a string and calls `piece` for the start of each piece without escapes, with its offsets in the
/// result and in the source.
pub(crate) fn unescape_with(inside: &str, mut piece: impl FnMut(usize, usize)) -> String {
    let bytes = inside.as_bytes();
    let mut out = String::with_capacity(inside.len());
    let mut at = 0;
    while let Some(found) = memchr::memchr(b'\\', &bytes[at..]) {
        out.push_str(&inside[at..at + found]);
        at += found + 1;
        piece(out.len(), at - 1);
        let (char, length) = match bytes.get(at) {
            Some(b'b') => ('\u{8}', 1),
            Some(b'f') => ('\u{c}', 1),
            Some(b'n') => ('\n', 1),
            Some(b'r') => ('\r', 1),
            Some(b't') => ('\t', 1),
            Some(b'u') => match unit(&bytes[at + 1..]) {
                Some(high) => surrogates(high, &bytes[at + 5..]),
                None => continue_plain(&mut out, inside, &mut at),
            },
            _ => continue_plain(&mut out, inside, &mut at),
        };
        if length > 0 {
            out.push(char);
            at += length;
        }
        piece(out.len(), at);
    }
    out.push_str(&inside[at.min(inside.len())..]);
    out
}

/// Takes the character after a backslash as it is.
fn continue_plain(out: &mut String, inside: &str, at: &mut usize) -> (char, usize) {
    if let Some(char) = inside.get(*at..).and_then(|rest| rest.chars().next()) {
        out.push(char);
        *at += char.len_utf8();
    }
    (' ', 0)
}

/// Returns the character of a code unit, joined with the following escape if that is its second half, and the
/// number of bytes after the backslash.
fn surrogates(high: u32, rest: &[u8]) -> (char, usize) {
    if (0xD800..0xDC00).contains(&high)
        && let [b'\\', b'u', digits @ ..] = rest
        && let Some(low @ 0xDC00..0xE000) = unit(digits)
    {
        let code = 0x1_0000 + ((high - 0xD800) << 10) + (low - 0xDC00);
        return (
            char::from_u32(code).unwrap_or(char::REPLACEMENT_CHARACTER),
            11,
        );
    }
    (
        char::from_u32(high).unwrap_or(char::REPLACEMENT_CHARACTER),
        5,
    )
}

/// Removes every comma before a closing bracket, also with white space between them.
pub(crate) fn without_trailing_commas(text: &str) -> Cow<'_, str> {
    let mut out = String::new();
    let mut kept = 0;
    for (at, _) in text.match_indices(',') {
        let next = text[at + 1..].trim_start_matches(is_space).chars().next();
        if matches!(next, Some(']' | '}')) {
            out.push_str(&text[kept..at]);
            kept = at + 1;
        }
    }
    if kept == 0 {
        return Cow::Borrowed(text);
    }
    out.push_str(&text[kept..]);
    Cow::Owned(out)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn escapes_are_decoded() {
        for (inside, expected) in [
            (r"a\nb", "a\nb"),
            (r#"\"\\\/"#, "\"\\/"),
            (r"\ud83d\ude80!", "🚀!"),
            (r"\ud83d alone", "\u{fffd} alone"),
            (r"\ude80\ud83d", "\u{fffd}\u{fffd}"),
            (r"\u12 x", "u12 x"),
            (r"\~\é\", "~é"),
            (r"full\_phrase", "full_phrase"),
            ("", ""),
        ] {
            assert_eq!(unescape(inside), expected, "{inside}");
        }
    }

    #[test]
    fn only_json_escapes_are_strict() {
        for inside in [r"a\nb", r"\u00e9", r"\\x", ""] {
            assert!(is_strict(inside), "{inside}");
        }
        for inside in [r"\~", r"\u12", r"\\\~", "\\"] {
            assert!(!is_strict(inside), "{inside}");
        }
    }

    #[test]
    fn commas_before_brackets_are_doubtful() {
        for inside in ["a, ] b", "a,}", "a,\\ ]", "x ],\u{a0}]"] {
            assert!(is_doubtful(inside), "{inside}");
        }
        for inside in ["a ] b", ", a]", "a,"] {
            assert!(!is_doubtful(inside), "{inside}");
        }
        assert_eq!(without_trailing_commas("a, ] b,}c,"), "a ] b}c,");
    }
}
