//! Line under construction: white space is collapsed, digits are raised and lowered.

use crate::digit_position::DigitPosition;
use crate::layout::FontFace;

/// Gap before the next text, from the weakest to the strongest.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Default)]
enum DocxGap {
    #[default]
    None,
    Space,
    Tab,
}

/// Line under construction. It does not begin with white space.
#[derive(Debug, Default)]
pub(super) struct DocxLine {
    text: String,
    gap: DocxGap,
    /// Styles of the letters, each with the byte position from which it applies.
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

    /// Returns the trimmed text and begins the next line.
    pub(super) fn take(&mut self) -> String {
        self.gap = DocxGap::None;
        self.faces.clear();
        let mut text = std::mem::take(&mut self.text);
        text.truncate(text.trim_end().len());
        text
    }

    /// Returns the trimmed text and its styles, and begins the next line.
    pub(super) fn take_with_faces(&mut self) -> (String, Vec<(usize, FontFace)>) {
        let faces = std::mem::take(&mut self.faces);
        (self.take(), faces)
    }

    pub(super) fn push(&mut self, text: &str, digits: DigitPosition, face: FontFace) {
        for c in text.chars() {
            self.push_char(c, digits, face);
        }
    }

    pub(super) fn push_char(&mut self, c: char, digits: DigitPosition, face: FontFace) {
        if matches!(
            c,
            ' ' | '\t' | '\n' | '\r' | '\u{b}' | '\u{c}' | '\u{85}' | '\u{2028}' | '\u{2029}'
        ) {
            return self.space();
        }
        // A soft hyphen is shown only where a line is broken; lines are not broken here.
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
        self.text.push(digits.apply(c));
    }
}
