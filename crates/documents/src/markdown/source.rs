//! Lines of a Markdown file by byte position.

use std::borrow::Cow;
use std::ops::Range;

use passage::PieceBreak;

use crate::builder::DocumentDraft;
use crate::document::TextStreamRole;
use crate::error::DocumentError;
use crate::plain::{FORM_FEED, each_line};

/// Text of a file with the positions of its lines.
pub(super) struct MarkdownSource<'t> {
    /// Text as written, with line feeds instead of form feeds.
    pub(super) text: Cow<'t, str>,
    /// Byte ranges of the lines of the document.
    lines: Vec<Range<usize>>,
}

impl<'t> MarkdownSource<'t> {
    /// Adds every line to the document and to the text stream of the markup.
    pub(super) fn new(text: &'t str, draft: &mut DocumentDraft<'_>) -> Result<Self, DocumentError> {
        let mut lines = Vec::new();
        each_line(text, draft, |draft, range| {
            let line = draft.add_line(&text[range.clone()])?;
            let written = &text[range.clone()];
            draft
                .builder
                .add_text(TextStreamRole::Markup, line, written, PieceBreak::Line);
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

    /// Returns the beginning of the line after that of a byte position.
    pub(super) fn next_line(&self, at: usize) -> usize {
        let rest = self.text.as_bytes().get(at..).unwrap_or_default();
        at + memchr::memchr(b'\n', rest).map_or(rest.len(), |end| end + 1)
    }

    /// Returns the part of a line that shows a text. The text is at byte `at` of the file or soon after, and not
    /// before byte `before` of the line.
    pub(super) fn range_in_line(
        &self,
        line: u32,
        at: usize,
        before: usize,
        text: &str,
    ) -> Range<usize> {
        /// Bytes of markup that may precede the text.
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
        // Text that is not found may be a character reference. White space at the end may be outside the line.
        let from = self.text.floor_char_boundary(at + found.unwrap_or(0));
        let to = self
            .text
            .floor_char_boundary((from + text.len()).min(line.end));
        from - line.start..to.max(from) - line.start
    }

    /// Returns the line of a byte position, or the next line.
    pub(super) fn line_at(&self, at: usize) -> u32 {
        let line = self.lines.partition_point(|line| line.end <= at);
        let last = self.lines.len().saturating_sub(1);
        u32::try_from(line.min(last)).unwrap_or(u32::MAX)
    }
}

/// Returns the number of block quote and list markers before the text of a line.
pub(super) fn count_markers(line: &str) -> usize {
    let bytes = line.as_bytes();
    let mut markers = 0;
    let mut quotes = 0;
    for (at, byte) in bytes.iter().enumerate() {
        match byte {
            b'>' => quotes += 1,
            b'-' | b'*' | b'+' | b'.' | b')' => {
                markers += usize::from(matches!(bytes.get(at + 1), None | Some(b' ' | b'\t')));
            }
            b' ' | b'\t' | b'0'..=b'9' => {}
            _ => return quotes + markers,
        }
    }
    // The characters of a rule are no list markers.
    let rule = line.trim_start_matches(['>', ' ', '\t']);
    let is_rule = |mark: char| rule.chars().all(|c| c == mark || c == ' ' || c == '\t');
    if is_rule('*') || is_rule('-') {
        quotes
    } else {
        quotes + markers
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn nested_markers_are_counted() {
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
            assert_eq!(count_markers(line), marks, "{line}");
        }
    }
}
