//! Encoding that an HTML page declares.

use encoding_rs::{Encoding, UTF_8, UTF_16BE, UTF_16LE};
use memchr::memmem;

/// Bytes at the beginning of a page in which a declaration counts.
const BEGINNING: usize = 4096;

/// Returns the encoding that HTML or XHTML declares in its text.
pub(crate) fn find(bytes: &[u8]) -> Option<&'static Encoding> {
    let start = &bytes[..bytes.len().min(BEGINNING)];
    let label = label(&start.to_ascii_lowercase())?;
    let encoding = Encoding::for_label(&label)?;
    // A declaration of UTF-16 is wrong: it was read byte by byte.
    let wide = encoding == UTF_16LE || encoding == UTF_16BE;
    Some(if wide { UTF_8 } else { encoding })
}

fn label(start: &[u8]) -> Option<Vec<u8>> {
    let mut rest = start;
    if rest.starts_with(b"<?xml") {
        let end = memmem::find(rest, b"?>")?;
        if let Some(label) = value_of(&rest[..end], b"encoding") {
            return Some(label);
        }
    }
    loop {
        rest = &rest[memchr::memchr(b'<', rest)?..];
        if rest.starts_with(b"<!--") {
            rest = &rest[memmem::find(rest, b"-->")?..];
        } else if rest.starts_with(b"<meta") {
            let end = memchr::memchr(b'>', rest).unwrap_or(rest.len());
            if let Some(label) = value_of(&rest[..end], b"charset") {
                return Some(label);
            }
            rest = &rest[end..];
        } else {
            rest = &rest[1..];
        }
    }
}

/// Returns the value after `name=` in a tag.
fn value_of(tag: &[u8], name: &[u8]) -> Option<Vec<u8>> {
    memmem::find_iter(tag, name).find_map(|at| {
        let after = tag[at + name.len()..].trim_ascii_start();
        let value = after.strip_prefix(b"=")?.trim_ascii_start();
        let value = value
            .strip_prefix(b"\"")
            .or(value.strip_prefix(b"'"))
            .unwrap_or(value);
        let ends =
            |byte: &u8| matches!(byte, b'"' | b'\'' | b';' | b'/') || byte.is_ascii_whitespace();
        let end = value.iter().position(ends).unwrap_or(value.len());
        (end > 0).then(|| value[..end].to_vec())
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn declarations_are_found() {
        for (page, name) in [
            ("<meta charset=windows-1251>", Some("windows-1251")),
            ("<META CharSet = 'Big5'/>", Some("Big5")),
            (
                "<meta http-equiv=content-type content='text/html; charset=gbk'>",
                Some("GBK"),
            ),
            (
                "<!-- <meta charset=big5> --><meta charset=euc-kr>",
                Some("EUC-KR"),
            ),
            (
                "<?xml version='1.0' encoding=\"iso-8859-2\"?><html>",
                Some("ISO-8859-2"),
            ),
            ("<meta name=charset><meta charset=utf-16>", Some("UTF-8")),
            ("<meta charset=nonsense>", None),
            ("<meta charset=>", None),
            ("<!-- <meta charset=big5>", None),
            ("charset=big5", None),
            ("", None),
        ] {
            assert_eq!(find(page.as_bytes()).map(Encoding::name), name, "{page}");
        }
    }
}
