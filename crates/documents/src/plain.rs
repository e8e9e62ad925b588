//! Reader of plain text, and the lines and pages of any text file.

use std::ops::Range;

use crate::builder::DocumentDraft;
use crate::error::DocumentError;
use crate::layout::{BlockShape, FontFace, MAX_COLUMNS};

/// Character that ends a page.
pub(crate) const FORM_FEED: char = '\u{c}';

/// Largest number of characters of a typed line; longer lines belong to prose.
const MAX_TYPED: usize = 130;

/// Reads plain text: every line is a line of the body.
pub(crate) fn read(text: &str, draft: &mut DocumentDraft<'_>) -> Result<(), DocumentError> {
    let shape = shape(text);
    let mut end = 0;
    each_line(text, draft, |draft, line| {
        let at = draft.line_count();
        draft.add_body_line(&text[line.clone()])?;
        // Empty lines, and the white space before the line.
        let between = text.get(end..line.start).unwrap_or_default();
        let before = between.rfind(['\n', FORM_FEED]).map_or(0, |last| last + 1);
        let empty = between[..before]
            .bytes()
            .filter(|byte| *byte == b'\n')
            .count();
        draft.sketch_pages_to(at);
        draft.sketch.add_gap(empty.saturating_sub(1));
        draft.sketch.begin_block(shape);
        if let BlockShape::Typed(_) = shape {
            draft
                .sketch
                .add_text(at, 0..0, &between[before..], FontFace::default());
        }
        let length = line.len();
        draft
            .sketch
            .add_text(at, 0..length, &text[line.clone()], FontFace::default());
        end = line.end;
        Ok(())
    })
}

/// Returns the shape of the text: prose if a fifth of its lines is long, otherwise typed text, which may be
/// set in columns with spaces.
fn shape(text: &str) -> BlockShape {
    let (mut long, mut all) = (0_usize, 0_usize);
    let mut columns = 0;
    for line in text.lines().take(2000).filter(|line| !line.is_empty()) {
        all += 1;
        let length = line.chars().take(MAX_TYPED + 1).count();
        long += usize::from(length > MAX_TYPED);
        match u8::try_from(length) {
            Ok(length) if length <= MAX_COLUMNS => columns = length.max(columns),
            _ => {}
        }
    }
    if long * 5 > all {
        BlockShape::Prose
    } else {
        BlockShape::Typed(columns)
    }
}

/// Begins the pages of a text and calls `line` with the byte range of each line, trimmed; it adds the line. Blank
/// lines are left out but counted: lines have the numbers that an editor shows, from 1 on each page.
pub(crate) fn each_line(
    text: &str,
    draft: &mut DocumentDraft<'_>,
    mut line: impl FnMut(&mut DocumentDraft<'_>, Range<usize>) -> Result<(), DocumentError>,
) -> Result<(), DocumentError> {
    // A form feed after the last line ends the last page; it does not begin one.
    let text = text.trim_end();
    let (mut start, mut number) = (0, 1);
    let ends = memchr::memchr2_iter(b'\n', FORM_FEED as u8, text.as_bytes());
    for end in ends.chain([text.len()]) {
        let raw = &text[start..end];
        let from = start + raw.len() - raw.trim_start().len();
        let trimmed = raw.trim();
        if !trimmed.is_empty() {
            line(draft, from..from + trimmed.len())?;
            draft.builder.set_line_number(number);
        }
        match text.as_bytes().get(end) {
            Some(&b'\n') => number += 1,
            Some(_) => {
                draft.begin_page()?;
                // The line break after a form feed ends the line of the form feed.
                number = u32::from(text.as_bytes().get(end + 1) != Some(&b'\n'));
            }
            None => {}
        }
        start = end + 1;
    }
    Ok(())
}
