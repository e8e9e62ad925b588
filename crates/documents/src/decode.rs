//! Decoding of text files: encoding, line ends, control characters.

mod declared_encoding;

use encoding_rs::{Encoding, UTF_8, UTF_16BE, UTF_16LE, WINDOWS_1252};

use crate::error::DocumentError;
use crate::file_kind::{TextKind, refuse_unsupported};

/// Bytes at the beginning of a file that decide its kind.
const BEGINNING: usize = 1 << 16;

/// Decodes a text file. Lines of the result end with a line feed. Returns an error if the file is no text.
pub fn decode_text(bytes: &[u8], name: &str) -> Result<String, DocumentError> {
    Ok(decode(bytes, name)?.0)
}

/// Returns the text of a file and its kind, or an error if it is no text.
///
/// Lines of the text end with a line feed. White space is the only kind of control characters in it.
pub(crate) fn decode(bytes: &[u8], name: &str) -> Result<(String, TextKind), DocumentError> {
    refuse_unsupported(bytes)?;
    let beginning = |bytes: &[u8]| TextKind::of_text(&bytes[..bytes.len().min(BEGINNING)], name);
    match Encoding::for_bom(bytes) {
        Some((encoding, mark)) => {
            let (text, _) = encoding.decode_without_bom_handling(&bytes[mark..]);
            refuse_binary_text(&text, encoding, mark)?;
            let kind = beginning(text.as_bytes());
            Ok((without_controls(text.into_owned()), kind))
        }
        None => {
            refuse_binary(bytes)?;
            let kind = beginning(bytes);
            let encoding = encoding_of(bytes, kind)?;
            let (text, _) = encoding.decode_without_bom_handling(bytes);
            Ok((without_controls(text.into_owned()), kind))
        }
    }
}

/// Returns the encoding of bytes without a byte order mark.
fn encoding_of(bytes: &[u8], kind: TextKind) -> Result<&'static Encoding, DocumentError> {
    let declared = match kind {
        TextKind::Html => declared_encoding::find(bytes),
        TextKind::Plain | TextKind::Markdown => None,
    };
    let sequences = Utf8Sequences::count(bytes);
    match declared {
        // Pages that were converted keep their old declaration. Text in an encoding of one byte per
        // character is hardly ever UTF-8 by accident; in one of two bytes it may be.
        Some(declared)
            if !(declared.is_single_byte() && sequences.whole > 0 && sequences.broken == 0) =>
        {
            Ok(declared)
        }
        // A few broken characters do not make a text Windows-1252.
        _ if sequences.whole >= sequences.broken => Ok(UTF_8),
        _ => match bytes
            .iter()
            .position(|byte| UNUSED_IN_WINDOWS_1252.contains(byte))
        {
            Some(at) => Err(DocumentError::NotText {
                at,
                byte: bytes[at],
            }),
            None => Ok(WINDOWS_1252),
        },
    }
}

const UNUSED_IN_WINDOWS_1252: [u8; 5] = [0x81, 0x8d, 0x8f, 0x90, 0x9d];

/// Counts that show if bytes are UTF-8.
struct Utf8Sequences {
    /// Valid characters of two or more bytes.
    whole: usize,
    /// Invalid sequences.
    broken: usize,
}

impl Utf8Sequences {
    fn count(bytes: &[u8]) -> Self {
        let (mut whole, mut broken) = (0, 0);
        for chunk in bytes.utf8_chunks() {
            whole += chunk.valid().bytes().filter(|byte| *byte >= 0xc0).count();
            broken += usize::from(!chunk.invalid().is_empty());
        }
        Self { whole, broken }
    }
}

/// Returns true for control characters that text files do not contain. Escapes of terminals occur in logs.
fn is_binary(byte: u8) -> bool {
    byte < 0x20 && !matches!(byte, b'\t'..=b'\r' | 0x1b)
}

fn refuse_binary(bytes: &[u8]) -> Result<(), DocumentError> {
    match bytes.iter().position(|byte| is_binary(*byte)) {
        Some(at) => Err(DocumentError::NotText {
            at,
            byte: bytes[at],
        }),
        None => Ok(()),
    }
}

/// Refuses control characters in text that was decoded after a byte order mark. The error has the position in
/// the file.
fn refuse_binary_text(text: &str, encoding: &Encoding, mark: usize) -> Result<(), DocumentError> {
    let Err(DocumentError::NotText { at, byte }) = refuse_binary(text.as_bytes()) else {
        return Ok(());
    };
    let before = if encoding == UTF_16LE {
        text[..at].encode_utf16().count() * 2
    } else if encoding == UTF_16BE {
        text[..at].encode_utf16().count() * 2 + 1
    } else {
        at
    };
    Err(DocumentError::NotText {
        at: mark + before,
        byte,
    })
}

/// Unifies line ends and removes control characters other than white space, which could move the cursor of a
/// terminal.
fn without_controls(text: String) -> String {
    let may_change = |byte: u8| matches!(byte, b'\r' | 0x1b | 0x7f | 0xc2);
    if !text.bytes().any(may_change) {
        return text;
    }
    let mut clean = String::with_capacity(text.len());
    let mut chars = text.chars().peekable();
    while let Some(c) = chars.next() {
        if c == '\r' {
            chars.next_if_eq(&'\n');
            clean.push('\n');
        } else if !c.is_control() || c.is_whitespace() {
            clean.push(c);
        }
    }
    clean
}

#[cfg(test)]
mod tests {
    use super::*;

    fn text(bytes: &[u8], name: &str) -> Result<String, DocumentError> {
        decode(bytes, name).map(|(text, _)| text)
    }

    #[test]
    fn texts_are_decoded_from_all_encodings() {
        for (bytes, name, expected) in [
            (&b"na\xc3\xafve"[..], "", "naïve"),
            (b"\xef\xbb\xbfna\xc3\xafve", "", "naïve"),
            (b"\xff\xfen\0a\0\xef\0", "", "naï"),
            (b"\xfe\xff\0n\0a\0\xef", "", "naï"),
            (b"na\xefve \x80 5", "", "naïve € 5"),
            (b"caf\xc3\xa9 cr\xc3\xa8me \xe9", "", "café crème \u{fffd}"),
            (b"cut caf\xc3\xa9 \xe2\x82", "", "cut café \u{fffd}"),
            (
                b"<html><meta charset=koi8-r>\xd1",
                "",
                "<html><meta charset=koi8-r>я",
            ),
            (
                b"<html><meta charset=latin1>\xc3\xa9",
                "",
                "<html><meta charset=latin1>é",
            ),
            (
                b"<html><meta charset=latin1>\xe9",
                "",
                "<html><meta charset=latin1>é",
            ),
            (
                b"<html><meta charset=shift_jis>\x82\xa0",
                "",
                "<html><meta charset=shift_jis>あ",
            ),
            (b"one\rtwo\r\nthree\n\rfour", "", "one\ntwo\nthree\n\nfour"),
            (b"\x1b[31mred\x7f \xc2\x9b", "", "[31mred "),
            (b"\xef\xbb\xbf", "", ""),
            (b"", "", ""),
        ] {
            assert_eq!(text(bytes, name).as_deref(), Ok(expected), "{bytes:?}");
        }
    }

    #[test]
    fn binary_files_are_refused_with_a_position() {
        for (bytes, at, byte) in [
            (&b"seventeen letters\0"[..], 17, 0),
            (b"\x02", 0, 2),
            (b"\xff\xfea\0\x01\0", 4, 1),
            (b"\xfe\xff\0a\0\x01", 5, 1),
            (b"\xef\xbb\xbfab\x01", 5, 1),
            (b"abc\xff\x9d", 4, 0x9d),
        ] {
            assert_eq!(
                text(bytes, ""),
                Err(DocumentError::NotText { at, byte }),
                "{bytes:?}"
            );
        }
    }

    #[test]
    fn html_in_utf_16_is_recognised() {
        let bytes: Vec<u8> = "\u{feff}<!doctype html><p>a"
            .encode_utf16()
            .flat_map(u16::to_le_bytes)
            .collect();
        assert_eq!(
            decode(&bytes, "a.txt").map(|(_, kind)| kind),
            Ok(TextKind::Html)
        );
    }
}
