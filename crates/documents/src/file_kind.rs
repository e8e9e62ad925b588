//! Kinds of files, recognised by their first bytes and their names.

use memchr::memmem;

use crate::error::DocumentError;

/// Kind of a text file.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum TextKind {
    Plain,
    Markdown,
    Html,
}

impl TextKind {
    pub(crate) fn media_type(self) -> &'static str {
        match self {
            Self::Plain => "text/plain",
            Self::Markdown => "text/markdown",
            Self::Html => "text/html",
        }
    }

    /// Returns the name of the kind for messages.
    pub(crate) fn name(self) -> &'static str {
        match self {
            Self::Plain => "text",
            Self::Markdown => "Markdown",
            Self::Html => "HTML",
        }
    }

    /// Returns the kind of a text by its beginning. The name of the file decides between kinds that the beginning
    /// leaves open.
    pub(crate) fn of_text(start: &[u8], name: &str) -> Self {
        let named = of_name(name);
        match (markup(start), named) {
            (MarkupHint::Html, _) | (_, Some(Self::Html)) => Self::Html,
            // Markdown may begin with an element or a comment.
            (MarkupHint::Element, named) => named.unwrap_or(Self::Html),
            (MarkupHint::None, named) => named.unwrap_or(Self::Plain),
        }
    }
}

/// Returns the kind that the extension of a name stands for.
fn of_name(name: &str) -> Option<TextKind> {
    let end = name.find(['?', '#']).unwrap_or(name.len());
    let file = name[..end].rsplit(['/', '\\']).next()?;
    let (_, extension) = file.rsplit_once('.')?;
    match extension.to_ascii_lowercase().as_str() {
        "md" | "markdown" | "mdown" | "mkd" | "mkdn" | "mdx" | "qmd" | "rmd" => {
            Some(TextKind::Markdown)
        }
        "html" | "htm" | "xhtml" | "xht" | "shtml" => Some(TextKind::Html),
        _ => None,
    }
}

/// Markup that a text begins with.
#[derive(Clone, Copy, PartialEq, Eq)]
enum MarkupHint {
    /// HTML document.
    Html,
    /// Element that HTML and Markdown may begin with.
    Element,
    None,
}

fn markup(start: &[u8]) -> MarkupHint {
    let mut rest = start;
    let mut seen = MarkupHint::None;
    loop {
        rest = rest.trim_ascii_start();
        let opening: &[u8] = match rest {
            [b'<', b'!', b'-', b'-', ..] => b"-->",
            [b'<', b'?', b'x', b'm', b'l', ..] => b"?>",
            _ => break,
        };
        if opening == b"-->" {
            seen = MarkupHint::Element;
        }
        let Some(end) = memmem::find(rest, opening) else {
            return seen;
        };
        rest = &rest[end + opening.len()..];
    }
    if let Some(doctype) = after_word(rest, b"<!doctype") {
        let name = after_word(doctype.trim_ascii_start(), b"html");
        return if name.is_some() {
            MarkupHint::Html
        } else {
            MarkupHint::None
        };
    }
    let begins_with = |tags: &[&str]| {
        tags.iter()
            .any(|tag| after_word(rest, tag.as_bytes()).is_some())
    };
    if begins_with(&["<html", "<head", "<body"]) {
        MarkupHint::Html
    } else if begins_with(ELEMENTS) {
        MarkupHint::Element
    } else {
        // Text after a comment does not indicate HTML.
        MarkupHint::None
    }
}

/// Tags that HTML texts begin with.
const ELEMENTS: &[&str] = &[
    "<a",
    "<article",
    "<b",
    "<blockquote",
    "<br",
    "<center",
    "<dl",
    "<div",
    "<font",
    "<form",
    "<h1",
    "<h2",
    "<h3",
    "<header",
    "<iframe",
    "<img",
    "<link",
    "<main",
    "<meta",
    "<nav",
    "<ol",
    "<p",
    "<pre",
    "<script",
    "<section",
    "<span",
    "<style",
    "<table",
    "<title",
    "<ul",
];

/// Returns the rest after a word in any case, if a tag name could end there.
fn after_word<'a>(text: &'a [u8], word: &[u8]) -> Option<&'a [u8]> {
    let (start, rest) = text.split_at_checked(word.len())?;
    let ends = matches!(
        rest.first(),
        None | Some(b' ' | b'\t' | b'\n' | b'\r' | 0xc | b'>' | b'/')
    );
    (start.eq_ignore_ascii_case(word) && ends).then_some(rest)
}

/// First bytes of unsupported kinds of files, with the names of the kinds.
const UNSUPPORTED: &[(&[u8], &str)] = &[
    (b"\x89PNG\r\n\x1a\n", "PNG"),
    (b"\xff\xd8\xff", "JPEG"),
    (b"GIF87a", "GIF"),
    (b"GIF89a", "GIF"),
    (b"II*\0", "TIFF"),
    (b"MM\0*", "TIFF"),
    (b"{\\rtf", "RTF"),
    (b"%!PS-Adobe", "PostScript"),
    (
        b"\xd0\xcf\x11\xe0\xa1\xb1\x1a\xe1",
        "an old .doc, .xls or .ppt file",
    ),
    (b"PK\x05\x06", "an empty ZIP archive"),
    (b"\x1f\x8b", "gzip"),
    (b"BZh", "bzip2"),
    (b"\xfd7zXZ\0", "xz"),
    (b"\x28\xb5\x2f\xfd", "Zstandard"),
    (b"7z\xbc\xaf\x27\x1c", "7z"),
    (b"Rar!\x1a\x07", "RAR"),
    (b"SQLite format 3\0", "SQLite"),
    (b"PAR1", "Parquet"),
    (b"\x7fELF", "an ELF program"),
    (b"\0asm", "WebAssembly"),
    (b"ID3", "MP3"),
    (b"OggS", "Ogg"),
    (b"fLaC", "FLAC"),
    (b"\x1a\x45\xdf\xa3", "Matroska"),
];

/// Names in ZIP archives that show their kind.
const ARCHIVES: &[(&[u8], &str)] = &[
    (b"word/", "DOCX"),
    (b"xl/", "XLSX"),
    (b"ppt/", "PPTX"),
    (b"mimetypeapplication/epub", "EPUB"),
    (
        b"mimetypeapplication/vnd.oasis.opendocument",
        "OpenDocument",
    ),
];

/// Returns an error for known kinds of files that are not supported.
pub(crate) fn refuse_unsupported(bytes: &[u8]) -> Result<(), DocumentError> {
    if is_ole(bytes) && memmem::find(bytes, ENCRYPTED_PACKAGE).is_some() {
        return Err(DocumentError::Encryption);
    }
    let kind = if is_zip(bytes) {
        zip_kind(bytes)
    } else if let Some(boxed) = boxed_kind(bytes) {
        boxed
    } else {
        let known = UNSUPPORTED
            .iter()
            .find(|(start, _)| bytes.starts_with(start));
        match known {
            // A text may begin with the same three letters; files of these kinds soon have control characters.
            Some((start, _)) if start.is_ascii() && start.len() < 5 && looks_like_text(bytes) => {
                return Ok(());
            }
            Some((_, kind)) => kind,
            None => return Ok(()),
        }
    };
    Err(DocumentError::Unsupported { kind })
}

fn looks_like_text(bytes: &[u8]) -> bool {
    let start = &bytes[..bytes.len().min(512)];
    !start
        .iter()
        .any(|byte| *byte < 0x20 && !byte.is_ascii_whitespace())
}

/// Returns true if a file is a PDF.
///
/// There may be other bytes before the header, but a text that mentions it is no PDF.
pub fn is_pdf(bytes: &[u8]) -> bool {
    let start = &bytes[..bytes.len().min(1024)];
    match memmem::find(start, b"%PDF-") {
        Some(0) => true,
        Some(at) => {
            start.get(at + 5).is_some_and(u8::is_ascii_digit)
                && start[at - 1].is_ascii_control()
                && memmem::find(bytes, b"startxref").is_some()
        }
        None => false,
    }
}

/// Returns true for ZIP archives, which include DOCX files.
pub(crate) fn is_zip(bytes: &[u8]) -> bool {
    bytes.starts_with(b"PK\x03\x04")
}

/// Returns true for the container of older office files and of encrypted newer ones.
fn is_ole(bytes: &[u8]) -> bool {
    bytes.starts_with(b"\xd0\xcf\x11\xe0\xa1\xb1\x1a\xe1")
}

/// Name of the encrypted content in such a container, in UTF-16.
const ENCRYPTED_PACKAGE: &[u8] = b"E\0n\0c\0r\0y\0p\0t\0e\0d\0P\0a\0c\0k\0a\0g\0e\0";

/// Returns the kind of an archive by the names of its entries.
pub(crate) fn zip_kind(bytes: &[u8]) -> &'static str {
    // The directory at the end names all entries, the first header the first.
    let start = &bytes[..bytes.len().min(4096)];
    let end = &bytes[bytes.len().saturating_sub(1 << 16)..];
    let holds =
        |name: &[u8]| memmem::find(start, name).is_some() || memmem::find(end, name).is_some();
    let known = ARCHIVES.iter().find(|(name, _)| holds(name));
    known.map_or("ZIP", |(_, kind)| kind)
}

/// Returns the kind of a file that begins with a size and then names its kind.
fn boxed_kind(bytes: &[u8]) -> Option<&'static str> {
    let outer = bytes.get(..4)?;
    let (middle, inner) = (bytes.get(4..8)?, bytes.get(8..12)?);
    match (outer, middle, inner) {
        (b"RIFF", _, b"WEBP") => Some("WebP"),
        (b"RIFF", _, b"WAVE") => Some("WAV"),
        (b"RIFF", _, b"AVI ") => Some("AVI"),
        ([0, ..], b"ftyp", b"heic" | b"heix" | b"mif1" | b"msf1") => Some("HEIC"),
        ([0, ..], b"ftyp", b"avif" | b"avis") => Some("AVIF"),
        ([0, ..], b"ftyp", _) => Some("MP4"),
        _ => None,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn content_decides_before_the_name() {
        for (start, name, kind) in [
            ("<!DOCTYPE html>", "a.md", TextKind::Html),
            ("\n <!-- c -->\n<HTML lang=de>", "a.txt", TextKind::Html),
            (
                "<?xml version='1.0'?>\n<!doctype HTML PUBLIC>",
                "",
                TextKind::Html,
            ),
            ("<p>one", "a.txt", TextKind::Html),
            ("<p>one", "", TextKind::Html),
            ("<p align=center>", "a.md", TextKind::Markdown),
            ("<!-- c -->\n# One", "a.md", TextKind::Markdown),
            ("<!-- c -->\nOne", "a.txt", TextKind::Plain),
            ("<pizza>", "", TextKind::Plain),
            ("<?xml version='1.0'?><svg>", "a.svg", TextKind::Plain),
            ("<!doctype svg>", "", TextKind::Plain),
            ("<<<<<", "", TextKind::Plain),
            ("# One", "", TextKind::Plain),
            ("# One", "notes.txt", TextKind::Plain),
            (
                "# One",
                "https://a.example/notes.MD?raw=1#top",
                TextKind::Markdown,
            ),
            ("# One", "C:\\notes.md\\a", TextKind::Plain),
            ("words", "a.html", TextKind::Html),
            ("<!--", "a", TextKind::Html),
        ] {
            assert_eq!(
                TextKind::of_text(start.as_bytes(), name),
                kind,
                "{start:?} {name:?}"
            );
        }
    }

    #[test]
    fn unsupported_files_are_refused_by_name() {
        for (bytes, kind) in [
            (
                &b"PK\x03\x04....[Content_Types].xml....word/document.xml"[..],
                "DOCX",
            ),
            (b"PK\x03\x04....mimetypeapplication/epub+zip", "EPUB"),
            (b"PK\x03\x04....a.txt", "ZIP"),
            (b"\x89PNG\r\n\x1a\n\0", "PNG"),
            (b"RIFF\x01\x02\x03\x04WEBPVP8 ", "WebP"),
            (b"\0\0\0\x18ftypheic", "HEIC"),
            (b"ID3\x03\0\0", "MP3"),
        ] {
            assert_eq!(
                refuse_unsupported(bytes),
                Err(DocumentError::Unsupported { kind })
            );
        }
    }

    #[test]
    fn a_pdf_may_begin_with_other_bytes() {
        assert!(is_pdf(b"%PDF-1.4\n"));
        assert!(is_pdf(b"\xef\xbb\xbf\n%PDF-1.4 x startxref"));
        assert!(!is_pdf(b"A file begins with %PDF-1.4. startxref"));
    }

    #[test]
    fn texts_that_mention_a_kind_are_not_refused() {
        for text in [
            "A file begins with %PDF-1.4.",
            "ID3 tags",
            "BZh is bzip2",
            "PK",
            "",
            "abcdftypheic",
        ] {
            assert_eq!(refuse_unsupported(text.as_bytes()), Ok(()), "{text}");
        }
    }
}
