//! The lines of a Markdown file, and which of them a byte is on.

use std::borrow::Cow;
use std::ops::Range;

use passage::PieceBreak;

use crate::document::TextStreamRole;
use crate::draft::DocumentDraft;
use crate::error::DocumentError;
use crate::plain::{FORM_FEED, each_line};

/// The text of a file and where its lines are.
pub(super) struct MarkdownSource<'t> {
    /// As it was written, but lines alone end lines.
    pub(super) text: Cow<'t, str>,
    /// By the place of the line in the document.
    lines: Vec<Range<usize>>,
}

impl<'t> MarkdownSource<'t> {
    /// Makes every line a line of the document, and all of them the flow of the markup.
    pub(super) fn new(text: &'t str, draft: &mut DocumentDraft<'_>) -> Result<Self, DocumentError> {
        let mut lines = Vec::new();
        each_line(text, draft, |draft, range| {
            let line = draft.line(&text[range.clone()])?;
            let written = &text[range.clone()];
            draft
                .builder
                .text(TextStreamRole::Markup, line, written, PieceBreak::Line);
            lines.push(range);
            Ok(())
        })?;
        let text = if text.contains(FORM_FEED) {
            Cow::Owned(text.replace(FORM_FEED, "\n"))
        } else {
            Cow::Borrowed(text)
        };
        Ok(Self { text, lines })
    }

    /// Where the line after that of a byte begins.
    pub(super) fn next_line(&self, at: usize) -> usize {
        let rest = self.text.as_bytes().get(at..).unwrap_or_default();
        at + memchr::memchr(b'\n', rest).map_or(rest.len(), |end| end + 1)
    }

    /// The part of a line that shows a text which stands at a byte of the file, or soon after, but not
    /// before a byte of the line.
    pub(super) fn range_in_line(
        &self,
        line: u32,
        at: usize,
        before: usize,
        text: &str,
    ) -> Range<usize> {
        /// Marks of code and links before a text are not longer.
        const NEAR: usize = 64;
        let Some(line) = self.lines.get(line as usize) else {
            return 0..0;
        };
        let at = at.max(line.start + before).min(line.end);
        let end = line.end.min(at + text.len() + NEAR);
        let rest = self.text.as_bytes().get(at..end).unwrap_or_default();
        let wanted = text.trim_end().as_bytes();
        let found = match rest.starts_with(wanted) {
            true => Some(0),
            false => memchr::memmem::find(rest, wanted),
        };
        // What is not found may be a character reference; white space at the end may be that of the line.
        let from = self.text.floor_char_boundary(at + found.unwrap_or(0));
        let to = self
            .text
            .floor_char_boundary((from + text.len()).min(line.end));
        from - line.start..to.max(from) - line.start
    }

    /// The line that a byte is on, or the next one.
    pub(super) fn line_at(&self, at: usize) -> u32 {
        let line = self.lines.partition_point(|line| line.end <= at);
        let last = self.lines.len().saturating_sub(1);
        u32::try_from(line.min(last)).unwrap_or(u32::MAX)
    }
}

/// How many marks of block quotes and list items stand before the text of a line.
pub(super) fn marks_before(line: &str) -> usize {
    let bytes = line.as_bytes();
    let mut marks = 0;
    let mut quotes = 0;
    for (at, byte) in bytes.iter().enumerate() {
        match byte {
            b'>' => quotes += 1,
            b'-' | b'*' | b'+' | b'.' | b')' => {
                marks += usize::from(matches!(bytes.get(at + 1), None | Some(b' ' | b'\t')));
            }
            b' ' | b'\t' | b'0'..=b'9' => {}
            _ => return quotes + marks,
        }
    }
    // A rule may be as long as it likes.
    let rule = line.trim_start_matches(['>', ' ', '\t']);
    let is_rule = |mark: char| rule.chars().all(|c| c == mark || c == ' ' || c == '\t');
    if is_rule('*') || is_rule('-') {
        quotes
    } else {
        quotes + marks
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn marks_that_nest() {
        for (line, marks) in [
            ("> > a", 2),
            (">>- 1. * + a > b - c", 6),
            ("-5 - a", 1),
            ("- - - - -", 0),
            ("> * * *", 1),
            ("+ + +", 3),
            ("a - b", 0),
            ("3.14", 0),
            ("", 0),
        ] {
            assert_eq!(marks_before(line), marks, "{line}");
        }
    }
}
