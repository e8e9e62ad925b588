//! Text strings of a PDF.

use encoding_rs::{UTF_16BE, UTF_16LE, WINDOWS_1252};

/// Decodes a text string, without control characters.
pub(super) fn text_string(bytes: &[u8]) -> String {
    let text = match bytes {
        [0xfe, 0xff, rest @ ..] => UTF_16BE.decode_without_bom_handling(rest).0,
        [0xff, 0xfe, rest @ ..] => UTF_16LE.decode_without_bom_handling(rest).0,
        [0xef, 0xbb, 0xbf, rest @ ..] => String::from_utf8_lossy(rest),
        // PDFDocEncoding differs from this encoding in a few signs. Valid UTF-8 is most likely
        // UTF-8, although the byte order mark is missing.
        _ => match std::str::from_utf8(bytes) {
            Ok(text) => text.into(),
            Err(_) => WINDOWS_1252.decode_without_bom_handling(bytes).0,
        },
    };
    let spaced = |c: char| if c.is_whitespace() { ' ' } else { c };
    text.chars()
        .map(spaced)
        .filter(|c| !c.is_control())
        .collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn decodes_text_strings() {
        for (bytes, text) in [
            (&b"plain"[..], "plain"),
            (b"\xfe\xff\0n\0a\0\xef", "naï"),
            (b"\xff\xfen\0a\0\xef\0", "naï"),
            (b"\xef\xbb\xbfna\xc3\xaf", "naï"),
            (b"na\xef", "naï"),
            (b"two\r\nlines\x00", "two  lines"),
        ] {
            assert_eq!(text_string(bytes), text);
        }
    }
}
