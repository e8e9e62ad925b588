//! The text of a flow, piece by piece.

use passage::PieceBreak;

use crate::document::{DocumentBuilder, TextStreamRole};

/// A flow that is being written: what stands on one line is one piece, up to the next break.
pub(super) struct StreamWriter {
    role: TextStreamRole,
    /// Where the piece stands; never before that of the piece before it.
    line: u32,
    text: String,
    /// What follows the piece, if it has ended.
    end: Option<PieceBreak>,
}

impl StreamWriter {
    pub(super) fn new(role: TextStreamRole) -> Self {
        Self {
            role,
            line: 0,
            text: String::new(),
            end: None,
        }
    }

    /// Appends text of a line.
    pub(super) fn push(&mut self, builder: &mut DocumentBuilder, line: u32, text: &str) {
        let ended = self.text.is_empty() || self.end.is_some();
        let text = if ended { text.trim_start() } else { text };
        if text.is_empty() {
            return;
        }
        if ended || line > self.line {
            self.flush(builder);
            self.line = line.max(self.line);
        }
        self.text.push_str(text);
    }

    /// Ends the piece, if there is one. The strongest of several breaks counts.
    pub(super) fn end(&mut self, end: PieceBreak) {
        if !self.text.is_empty() && self.end != Some(PieceBreak::Line) {
            self.end = Some(end);
        }
    }

    /// Hands the piece over.
    pub(super) fn flush(&mut self, builder: &mut DocumentBuilder) {
        let end = self.end.take();
        let text = match end {
            Some(_) => self.text.trim_end(),
            None => &self.text,
        };
        if !text.is_empty() {
            builder.text(self.role, self.line, text, end.unwrap_or(PieceBreak::None));
        }
        self.text.clear();
    }
}
