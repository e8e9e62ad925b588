//! A line that is being set: white space runs together, digits are raised and lowered.

use super::styles::VerticalAlign;
use crate::html::elements::{lowered, raised};
use crate::layout::FontFace;

/// What stands before the next text, the strongest last.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Default)]
enum DocxGap {
    #[default]
    None,
    Space,
    Tab,
}

/// A line that is being set; it begins with something that is not white space.
#[derive(Debug, Default)]
pub(super) struct DocxLine {
    text: String,
    gap: DocxGap,
    /// How the letters look from a place on.
    faces: Vec<(usize, FontFace)>,
}

impl DocxLine {
    pub(super) fn is_empty(&self) -> bool {
        self.text.is_empty()
    }

    pub(super) fn space(&mut self) {
        self.gap = self.gap.max(DocxGap::Space);
    }

    pub(super) fn tab(&mut self) {
        self.gap = self.gap.max(DocxGap::Tab);
    }

    /// What was set, trimmed; the next line begins.
    pub(super) fn take(&mut self) -> String {
        self.gap = DocxGap::None;
        self.faces.clear();
        let mut text = std::mem::take(&mut self.text);
        text.truncate(text.trim_end().len());
        text
    }

    /// The same, and how its letters look from a place on.
    pub(super) fn take_with_faces(&mut self) -> (String, Vec<(usize, FontFace)>) {
        let faces = std::mem::take(&mut self.faces);
        (self.take(), faces)
    }

    pub(super) fn push(&mut self, text: &str, height: VerticalAlign, face: FontFace) {
        for c in text.chars() {
            self.push_char(c, height, face);
        }
    }

    pub(super) fn push_char(&mut self, c: char, height: VerticalAlign, face: FontFace) {
        if matches!(
            c,
            ' ' | '\t' | '\n' | '\r' | '\u{b}' | '\u{c}' | '\u{85}' | '\u{2028}' | '\u{2029}'
        ) {
            return self.space();
        }
        // A soft hyphen is shown only where a line is broken, and lines are not broken here.
        if c == '\u{ad}' || c.is_control() || (self.text.is_empty() && c.is_whitespace()) {
            return;
        }
        if !self.text.is_empty() {
            match self.gap {
                DocxGap::None => {}
                DocxGap::Space => self.text.push(' '),
                DocxGap::Tab => self.text.push('\t'),
            }
        }
        self.gap = DocxGap::None;
        if self.faces.last().is_none_or(|last| last.1 != face) {
            self.faces.push((self.text.len(), face));
        }
        self.text.push(match height {
            VerticalAlign::Normal => c,
            VerticalAlign::Raised => raised(c),
            VerticalAlign::Lowered => lowered(c),
        });
    }
}
