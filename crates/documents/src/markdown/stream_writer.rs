//! Writers of text streams, piece by piece.

use passage::PieceBreak;

use crate::builder::DocumentBuilder;
use crate::document::TextStreamRole;

/// Writers of the text streams of a file.
pub(super) struct StreamWriters {
    body: StreamWriter,
    apart: StreamWriter,
    hidden: StreamWriter,
}

impl StreamWriters {
    pub(super) fn new() -> Self {
        Self {
            body: StreamWriter::new(TextStreamRole::Body),
            apart: StreamWriter::new(TextStreamRole::Apart),
            hidden: StreamWriter::new(TextStreamRole::Hidden),
        }
    }

    /// Returns the writer of a stream. Text of any other role belongs to the body.
    pub(super) fn get(&mut self, role: TextStreamRole) -> &mut StreamWriter {
        match role {
            TextStreamRole::Apart => &mut self.apart,
            TextStreamRole::Hidden => &mut self.hidden,
            TextStreamRole::Body | TextStreamRole::Markup | TextStreamRole::Alternative => {
                &mut self.body
            }
        }
    }

    /// Ends the pieces of all streams with a line.
    pub(super) fn end_all(&mut self) {
        for stream in [&mut self.body, &mut self.apart, &mut self.hidden] {
            stream.end(PieceBreak::Line);
        }
    }

    /// Passes the last pieces of all streams to the builder.
    pub(super) fn flush_all(&mut self, builder: &mut DocumentBuilder) {
        for stream in [&mut self.body, &mut self.apart, &mut self.hidden] {
            stream.flush(builder);
        }
    }
}

/// Writer of a text stream. The text of one line is one piece, up to the next break.
pub(super) struct StreamWriter {
    role: TextStreamRole,
    /// Line of the piece; never before that of the piece before it.
    line: u32,
    text: String,
    /// Break after the piece, if it has ended.
    end: Option<PieceBreak>,
}

impl StreamWriter {
    fn new(role: TextStreamRole) -> Self {
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

    /// Ends the piece, if there is one. Of several breaks, a line break counts.
    pub(super) fn end(&mut self, end: PieceBreak) {
        if !self.text.is_empty() && self.end != Some(PieceBreak::Line) {
            self.end = Some(end);
        }
    }

    /// Passes the piece to the builder.
    fn flush(&mut self, builder: &mut DocumentBuilder) {
        let end = self.end.take();
        let text = match end {
            Some(_) => self.text.trim_end(),
            None => &self.text,
        };
        if !text.is_empty() {
            builder.add_text(self.role, self.line, text, end.unwrap_or(PieceBreak::None));
        }
        self.text.clear();
    }
}
