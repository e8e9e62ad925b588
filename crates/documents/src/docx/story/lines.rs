//! Lines of a story, and the notes that belong to them.

use std::collections::HashMap;
use std::ops::Range;

use crate::document::{LineRole, TextStreamRole};
use crate::embedded_image::ImageDisplay;
use crate::layout::FontFace;

/// Line of a story.
#[derive(Debug, Default)]
pub(in crate::docx) struct StoryLine {
    /// Number of pages that begin before it.
    pub(in crate::docx) pages: u32,
    /// Trimmed text; empty if there is only text beside it.
    pub(in crate::docx) text: String,
    pub(in crate::docx) role: LineRole,
    /// Number of a list item before the text.
    pub(in crate::docx) number: Option<String>,
    /// Number of headings above it in the hierarchy, if it is a heading.
    pub(in crate::docx) depth: Option<u32>,
    pub(in crate::docx) is_title: bool,
    /// Styles of the letters, each with the byte position from which it applies.
    pub(in crate::docx) faces: Vec<(usize, FontFace)>,
    pub(in crate::docx) placement: LinePlacement,
    /// Texts that belong to the line but to other text streams.
    pub(in crate::docx) beside: Vec<(TextStreamRole, String)>,
    /// Lines of notes, comments and text boxes that belong to this line. They have none themselves.
    pub(in crate::docx) apart: Vec<StoryLine>,
}

/// Placement of a line on its page.
#[derive(Debug, Clone, Default, PartialEq)]
pub(in crate::docx) struct LinePlacement {
    /// True if it continues the paragraph of the line before it.
    pub(in crate::docx) is_continuation: bool,
    /// Nesting level of lists, from 1; 0 outside of lists.
    pub(in crate::docx) level: usize,
    pub(in crate::docx) has_bullet: bool,
    /// Number of the table, if the line is a row.
    pub(in crate::docx) table: Option<u32>,
    /// Byte ranges of the cells of the row.
    pub(in crate::docx) cells: Vec<Range<usize>>,
    pub(in crate::docx) drawings: Vec<InlineDrawing>,
}

/// Image on a line.
#[derive(Debug, Clone, Default, PartialEq)]
pub(in crate::docx) struct InlineDrawing {
    /// Alternative text.
    pub(in crate::docx) label: String,
    /// Name of its part in the package.
    pub(in crate::docx) part: Option<String>,
    pub(in crate::docx) display: ImageDisplay,
    /// True if text of the line precedes it.
    pub(in crate::docx) is_after_text: bool,
    /// Cell of the row, from 0.
    pub(in crate::docx) cell: usize,
}

/// Notes and comments by kind and id.
pub(in crate::docx) type Notes = HashMap<(NoteKind, String), Vec<StoryLine>>;

/// Kind of a note.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub(in crate::docx) enum NoteKind {
    Footnote,
    Endnote,
    Comment,
}

impl NoteKind {
    /// Returns the kind of note that an element refers to.
    pub(super) fn of_reference(name: &str) -> Option<Self> {
        match name {
            "footnoteReference" => Some(Self::Footnote),
            "endnoteReference" => Some(Self::Endnote),
            "commentReference" => Some(Self::Comment),
            _ => None,
        }
    }

    /// Returns the kind of note that an element contains.
    pub(super) fn of_note(name: &str) -> Option<Self> {
        match name {
            "footnote" => Some(Self::Footnote),
            "endnote" => Some(Self::Endnote),
            "comment" => Some(Self::Comment),
            _ => None,
        }
    }
}

/// Returns the lines, each followed by the lines that belong to it.
pub(super) fn flatten(lines: Vec<StoryLine>) -> Vec<StoryLine> {
    let mut all = Vec::with_capacity(lines.len());
    for mut line in lines {
        let apart = std::mem::take(&mut line.apart);
        all.push(line);
        all.extend(apart);
    }
    all
}
