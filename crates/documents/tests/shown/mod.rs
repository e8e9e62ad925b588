//! Documents in a form that tables of tests can hold.
#![allow(dead_code, unreachable_pub)] // each user needs its part

use documents::{Document, ReadLimits, TextStreamRole};

/// Reads a file that must be readable.
pub fn read(text: &str, name: &str) -> Document {
    match Document::read(text.as_bytes(), name, &ReadLimits::default()) {
        Ok(document) => document,
        Err(error) => panic!("{text:?}: {error}"),
    }
}

/// The lines, with a bar between them.
pub fn lines(document: &Document) -> String {
    let lines: Vec<&str> = document
        .lines()
        .iter()
        .map(|line| line.text.as_str())
        .collect();
    lines.join("|")
}

/// The pieces of a flow as `line:text`, with the breaks as bars and spaces.
pub fn flow(document: &Document, role: TextStreamRole) -> String {
    let Some(flow) = document.flows().iter().find(|flow| flow.role == role) else {
        return String::new();
    };
    let text = flow.index.text();
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
