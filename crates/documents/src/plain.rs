//! Plain text, and the lines of any text file.

use std::ops::Range;

use crate::draft::Draft;
use crate::error::ReadError;

/// Ends a page.
pub(crate) const FORM_FEED: char = '\u{c}';

/// Reads plain text: every line is a line of the body.
pub(crate) fn read(text: &str, draft: &mut Draft<'_>) -> Result<(), ReadError> {
    each_line(text, draft, |draft, line| draft.body_line(&text[line]))
}

/// Begins the pages of a text and calls for the lines on them, trimmed, in bytes; empty ones are left
/// out.
pub(crate) fn each_line(
    text: &str,
    draft: &mut Draft<'_>,
    mut line: impl FnMut(&mut Draft<'_>, Range<usize>) -> Result<(), ReadError>,
) -> Result<(), ReadError> {
    // A form feed after the last line ends the last page; it does not begin one.
    let text = text.trim_end();
    let mut start = 0;
    let ends = memchr::memchr2_iter(b'\n', FORM_FEED as u8, text.as_bytes());
    for end in ends.chain([text.len()]) {
        let raw = &text[start..end];
        let from = start + raw.len() - raw.trim_start().len();
        let trimmed = raw.trim();
        if !trimmed.is_empty() {
            line(draft, from..from + trimmed.len())?;
        }
        if text.as_bytes().get(end) == Some(&(FORM_FEED as u8)) {
            draft.page()?;
        }
        start = end + 1;
    }
    Ok(())
}
