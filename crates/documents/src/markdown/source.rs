//! The lines of a Markdown file, and which of them a byte is on.

use std::borrow::Cow;
use std::ops::Range;

use passage::Break;

use crate::document::FlowRole;
use crate::draft::Draft;
use crate::error::ReadError;
use crate::plain::{FORM_FEED, each_line};

/// The text of a file and where its lines are.
pub(super) struct Source<'t> {
    /// As it was written, but lines alone end lines.
    pub(super) text: Cow<'t, str>,
    /// By the place of the line in the document.
    lines: Vec<Range<usize>>,
}

impl<'t> Source<'t> {
    /// Makes every line a line of the document, and all of them the flow of the markup.
    pub(super) fn new(text: &'t str, draft: &mut Draft<'_>) -> Result<Self, ReadError> {
        let mut lines = Vec::new();
        each_line(text, draft, |draft, range| {
            let line = draft.line(&text[range.clone()])?;
            let written = &text[range.clone()];
            draft
                .builder
                .text(FlowRole::Markup, line, written, Break::Line);
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

    /// The line that a byte is on, or the next one.
    pub(super) fn line_at(&self, at: usize) -> u32 {
        let line = self.lines.partition_point(|line| line.end <= at);
        let last = self.lines.len().saturating_sub(1);
        u32::try_from(line.min(last)).unwrap_or(u32::MAX)
    }
}
