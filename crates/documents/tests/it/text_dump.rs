//! Compact text forms of documents, for tables of expected results.

use documents::{Document, ReadLimits, TextStreamRole};

/// Reads a text file. Panics if it is refused.
pub(crate) fn read(text: &str, name: &str) -> Document {
    match Document::read(text.as_bytes(), name, &ReadLimits::default()) {
        Ok(document) => document,
        Err(error) => panic!("{text:?}: {error}"),
    }
}

/// Returns the lines, joined by bars.
pub(crate) fn lines(document: &Document) -> String {
    let lines: Vec<&str> = document
        .lines()
        .iter()
        .map(|line| line.text.as_str())
        .collect();
    lines.join("|")
}

/// Returns the pieces of a text stream as `line:text`, with the breaks between them as bars and spaces.
pub(crate) fn stream_text(document: &Document, role: TextStreamRole) -> String {
    let Some(stream) = document
        .text_streams()
        .iter()
        .find(|stream| stream.role == role)
    else {
        return String::new();
    };
    let text = stream.index.text();
    let mut shown = String::new();
    let mut end = 0;
    for piece in text.pieces() {
        shown.push_str(&text.source()[end..piece.range.start].replace('\n', "|"));
        shown.push_str(&format!(
            "{}:{}",
            piece.id + 1,
            &text.source()[piece.range.clone()]
        ));
        end = piece.range.end;
    }
    shown
}
