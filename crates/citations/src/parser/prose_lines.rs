//! Lines of prose: code fences, footnotes and block quotes.

use super::footnotes::{self, LONGEST_NOTE};
use super::prose::{LONGEST_TAG, LOOKAHEAD};
use super::{CitationForm, CitationParser, ParsedCitation, Sender};

/// Line that may be a citation.
#[derive(Debug)]
pub(super) struct CitationLine {
    /// Offset of its content.
    pub(super) from: usize,
    /// Label of a footnote; `None` for a line of a block quote.
    pub(super) label: Option<String>,
    /// Offset of the line.
    pub(super) start: usize,
}

/// Returns the number of bytes before the words of a line: white space, signs of block quotes, and before a
/// code fence the sign of a list.
///
/// Returns the length of the line if more text is needed to decide.
fn indent(bytes: &[u8], more: bool) -> usize {
    let blank = |byte: &&u8| matches!(byte, b' ' | b'\t' | b'>');
    let plain = bytes.iter().take_while(blank).count();
    let rest = &bytes[plain..];
    let digits = rest
        .iter()
        .take(9)
        .take_while(|byte| byte.is_ascii_digit())
        .count();
    let sign = match rest.get(digits) {
        Some(b'-' | b'*' | b'+') if digits == 0 => 1,
        Some(b'.' | b')') if digits > 0 => digits + 1,
        None if more => return bytes.len(),
        _ => return plain,
    };
    let rest = &rest[sign..];
    let gap = rest
        .iter()
        .take_while(|byte| matches!(byte, b' ' | b'\t'))
        .count();
    match rest.get(gap) {
        Some(b'`' | b'~') if gap > 0 => plain + sign + gap,
        None if more => bytes.len(),
        _ => plain,
    }
}

impl CitationParser {
    /// Reads the first bytes of a line. Returns false if more text is needed.
    pub(super) fn begin_line(&mut self, last: bool, out: &mut Sender<'_>) -> bool {
        let at = self.prose.at;
        let bytes = self.buffer.bytes(at, self.buffer.end().min(at + LOOKAHEAD));
        let more = bytes.len() < LOOKAHEAD && !last;
        let indent = indent(bytes, more);
        let Some(&first) = bytes.get(indent) else {
            if more {
                return false;
            }
            self.prose.line_start = false;
            self.begin_note(false, out);
            return true;
        };
        let spaces = bytes.iter().take_while(|byte| **byte == b' ').count();
        self.prose.head = (spaces == indent && spaces < 4).then_some(at + indent);
        let run = bytes[indent..]
            .iter()
            .take_while(|byte| **byte == first)
            .count();
        let sign = matches!(first, b'`' | b'~') && run >= 3;
        if matches!(first, b'`' | b'~') && indent + run == bytes.len() && more {
            return false;
        }
        if let Some((open, length)) = self.prose.fence {
            let tail = &bytes[indent + run..];
            let blank = tail
                .iter()
                .take_while(|byte| matches!(byte, b' ' | b'\t' | b'\r'))
                .count();
            if sign && first == open && run >= length {
                if blank == tail.len() && more {
                    return false;
                }
                if tail.get(blank).is_none_or(|byte| *byte == b'\n') {
                    self.prose.fence = None;
                    self.prose.pass(&self.buffer, at + indent + run);
                    self.prose.blank = false;
                }
            }
            self.prose.line_start = false;
            return true;
        }
        if sign {
            self.prose.opening = Some((first, run));
            self.begin_note(false, out);
            let skipped = at + indent + run;
            if first == b'`' {
                self.prose.spans.ticks(at + indent, run);
            }
            self.prose.pass(&self.buffer, skipped);
            self.prose.blank = false;
            return true;
        }
        let quoted = spaces < 4 && bytes[..indent].contains(&b'>');
        self.prose.line_start = false;
        self.begin_note(quoted, out);
        true
    }

    /// Begins, continues or ends a block quote at the start of a line.
    fn begin_note(&mut self, quoted: bool, out: &mut Sender<'_>) {
        let at = self.prose.at;
        if quoted {
            self.prose.note = Some(CitationLine {
                from: at,
                label: None,
                start: at,
            });
            return;
        }
        self.prose.note = None;
        self.end_quote(at, out);
    }

    /// Handles the end of a line.
    pub(super) fn end_line(&mut self, out: &mut Sender<'_>) {
        let at = self.prose.at;
        self.end_note(at, out);
        let opening = self.prose.opening.take();
        if let Some((_, run)) = opening {
            // The text after the sign is the name of a language.
            if let Some((b'`', _)) = opening {
                self.prose.spans.ticks(at, run);
            }
            self.prose.fence = opening;
        }
        if self.prose.blank || opening.is_some() {
            self.prose.spans.end_all();
        } else {
            self.prose.spans.end_line(at, LONGEST_TAG);
        }
        self.step();
        self.prose.line_start = true;
        self.prose.blank = true;
    }

    /// Ends a line that may be a citation.
    pub(super) fn end_note(&mut self, at: usize, out: &mut Sender<'_>) {
        let Some(note) = self.prose.note.take() else {
            return;
        };
        let line = self.buffer.slice(note.from, at);
        let plain = at - note.from <= LONGEST_NOTE
            && !line.contains("<cite")
            && note.from >= self.buffer.base();
        match note.label {
            Some(label) => {
                if let Some(citation) = plain.then(|| footnotes::footnote(&label, line)).flatten() {
                    let mut found =
                        ParsedCitation::new(citation, CitationForm::Footnote, note.start..at);
                    found.label = Some(label.clone());
                    self.cited(Box::new(found), out);
                }
                self.entries.footnote_defined(&label);
            }
            None => {
                let head = |char: char| char == ' ' || char == '\t' || char == '>';
                let line = if plain {
                    line.trim_start_matches(head).trim_end().to_owned()
                } else {
                    String::new()
                };
                let (_, block) = self
                    .prose
                    .quote
                    .get_or_insert_with(|| (note.start, String::new()));
                if !block.is_empty() {
                    block.push('\n');
                }
                if block.len() <= LONGEST_NOTE {
                    block.push_str(&line);
                }
            }
        }
    }

    pub(super) fn end_quote(&mut self, at: usize, out: &mut Sender<'_>) {
        if let Some((start, block)) = self.prose.quote.take()
            && block.len() <= LONGEST_NOTE
            && let Some(citation) = footnotes::quote(&block)
        {
            self.found(citation, start..at, CitationForm::Quote, out);
        }
    }
}
