//! Prose: markers, links, tags, starts of data blocks, code and maths.

use super::brackets::LONGEST_TARGET;
use super::footnotes::LONGEST_NOTE;
use super::inline_spans::{MathsSign, OpenLink, OpenSpans, PendingKind};
use super::prose_lines::CitationLine;
use super::tag_attributes::TagContent;
use super::{CitationParser, InputBuffer, START, Sender};
use crate::problem::ProblemReason;

/// Longest open tag, in bytes.
pub(crate) const LONGEST_TAG: usize = 16 * 1024;
/// Most bytes that are inspected to decide what begins at a position.
pub(super) const LOOKAHEAD: usize = 64;

/// Bytes at which something other than plain text may begin.
const SPECIAL: [bool; 256] = {
    let mut table = [false; 256];
    let bytes = b"<[])`$\\\ncC";
    let mut index = 0;
    while index < bytes.len() {
        table[bytes[index] as usize] = true;
        index += 1;
    }
    table
};

/// Returns the number of bytes before the first that may be special.
fn plain_length(bytes: &[u8]) -> usize {
    let mut at = 0;
    loop {
        // Skip eight bytes at a time while none of them is special.
        while let Some(step) = bytes[at..].first_chunk::<8>()
            && !step
                .iter()
                .fold(false, |any, byte| any | SPECIAL[usize::from(*byte)])
        {
            at += step.len();
        }
        let rest = &bytes[at..];
        let Some(found) = rest.iter().position(|byte| SPECIAL[usize::from(*byte)]) else {
            return bytes.len();
        };
        at += found;
        // Many words have a c, but few begin like a tag.
        let begins_tag = match (bytes[at], bytes.get(at + 1)) {
            (b'c' | b'C', Some(next)) => next.eq_ignore_ascii_case(&b'i'),
            _ => true,
        };
        if begins_tag {
            return at;
        }
        at += 1;
    }
}

/// State of reading prose.
#[derive(Debug, Default)]
pub(crate) struct ProseScanner {
    /// Offset up to which the prose was read.
    pub(crate) at: usize,
    /// Byte before that offset; 0 at the start.
    pub(super) previous: u8,
    /// True at the start of a line.
    pub(super) line_start: bool,
    /// True if there was only white space in this line.
    pub(super) blank: bool,
    /// Offset of the first word of this line, if it is indented by less than four spaces.
    pub(super) head: Option<usize>,
    /// Open code fence: its sign and length.
    pub(super) fence: Option<(u8, usize)>,
    /// Code fence that begins with this line, unless a backtick follows.
    pub(super) opening: Option<(u8, usize)>,
    pub(crate) spans: OpenSpans,
    pub(super) note: Option<CitationLine>,
    /// Lines of an open block quote, and the offset of its start.
    pub(super) quote: Option<(usize, String)>,
    /// Range in which no tag ends.
    pub(super) tag_free: (usize, usize),
}

/// Reason why reading stopped.
pub(crate) enum ProseStop {
    /// More text is needed, and the rest may have to be hidden.
    Hold,
    /// More text is needed, and the rest can be shown.
    Wait,
    /// A data block begins here.
    Block,
}

impl ProseScanner {
    pub(crate) fn at(offset: usize) -> Self {
        Self {
            at: offset,
            line_start: true,
            blank: true,
            ..Self::default()
        }
    }

    /// Returns the first offset that is still needed.
    pub(crate) fn needs_from(&self) -> usize {
        // Notes and targets that are too long will not be read, so their bytes are not needed.
        let wanted = |from: usize, longest: usize| {
            if self.at.saturating_sub(from) > longest {
                self.at
            } else {
                from
            }
        };
        let note = self
            .note
            .as_ref()
            .map_or(self.at, |note| wanted(note.from, LONGEST_NOTE));
        let link = self
            .spans
            .link
            .map_or(self.at, |link| wanted(link.close, LONGEST_TARGET));
        self.at.min(note).min(link)
    }

    /// Continues at an offset, after something that was not prose.
    pub(crate) fn resume(&mut self, buffer: &InputBuffer, at: usize) {
        self.at = at;
        self.previous = buffer.byte(at.saturating_sub(1)).unwrap_or_default();
        self.line_start = false;
        self.blank = false;
    }

    /// Skips bytes of this line.
    pub(super) fn pass(&mut self, buffer: &InputBuffer, to: usize) {
        if to > self.at {
            self.previous = buffer.byte(to - 1).unwrap_or_default();
            self.at = to;
            self.line_start = false;
        }
    }
}

impl CitationParser {
    /// Reads all prose that was received.
    pub(crate) fn run_prose(&mut self, last: bool, out: &mut Sender<'_>) -> ProseStop {
        loop {
            self.release(out);
            let end = self.prose_limit();
            if self.prose.at >= self.buffer.end() {
                return ProseStop::Wait;
            }
            if self.prose.at >= end {
                // A tag has waited for the longest allowed distance.
                self.prose.spans.end_all();
                continue;
            }
            if self.prose.line_start && !self.begin_line(last, out) {
                return ProseStop::Wait;
            }
            if self.prose.fence.is_some() {
                if let Some(stop) = self.run_code(last) {
                    return stop;
                }
                continue;
            }
            let from = self.prose.at;
            let rest = self.buffer.bytes(from, end);
            let found = from + plain_length(rest);
            let stretch = self.buffer.bytes(from, found);
            self.prose.blank = self.prose.blank && stretch.iter().all(u8::is_ascii_whitespace);
            self.prose.pass(&self.buffer, found);
            let Some(byte) = self.buffer.byte(found).filter(|_| found < end) else {
                continue;
            };
            if byte != b'\n' {
                self.prose.blank = false;
            }
            if let Some(stop) = self.special(byte, last, out) {
                return stop;
            }
        }
    }

    /// Returns the offset up to which prose is read before a waiting tag must be decided.
    fn prose_limit(&self) -> usize {
        let end = self.buffer.end();
        match self.prose.spans.first_tag() {
            Some(tag) => self.buffer.boundary(end.min(tag + LONGEST_TAG)),
            None => end,
        }
    }

    /// Skips one byte.
    pub(super) fn step(&mut self) {
        let next = self.prose.at + 1;
        self.prose.pass(&self.buffer, next);
    }

    /// Handles a byte at which something may begin. Returns a reason to stop, if there is one.
    fn special(&mut self, byte: u8, last: bool, out: &mut Sender<'_>) -> Option<ProseStop> {
        let at = self.prose.at;
        let next = self.buffer.byte(at + 1);
        match byte {
            b'\n' => self.end_line(out),
            b'<' => return self.open_angle(last, out),
            b'c' | b'C' => return self.bare_cite(last, out),
            b'[' => return self.open_square(last, out),
            b']' => {
                if next.is_none() && !last {
                    return Some(ProseStop::Wait);
                }
                if let Some(open) = self.prose.spans.close_label()
                    && next == Some(b'(')
                {
                    self.prose.spans.link = Some(OpenLink { open, close: at });
                }
                self.step();
            }
            b')' => {
                self.close_round();
                self.step();
            }
            b'`' => {
                let run = self.run_of(b'`');
                if at + run >= self.buffer.end() && !last && run < LOOKAHEAD {
                    return Some(ProseStop::Wait);
                }
                if self.prose.opening.is_some_and(|(sign, _)| sign == b'`') {
                    self.prose.opening = None;
                }
                self.prose.spans.ticks(at, run);
                self.prose.pass(&self.buffer, at + run);
            }
            b'$' => {
                let two = next == Some(b'$');
                let after = self.buffer.byte(at + 1 + usize::from(two));
                if after.is_none() && !last {
                    return Some(ProseStop::Wait);
                }
                self.dollar(two, after);
            }
            b'\\' => {
                if next.is_none() && !last {
                    return Some(ProseStop::Wait);
                }
                let length = match next {
                    Some(b'(') => {
                        self.prose.spans.open_maths(MathsSign::Round, at);
                        2
                    }
                    Some(b'[') => {
                        self.prose.spans.open_maths(MathsSign::Square, at);
                        2
                    }
                    Some(b')') => {
                        self.prose.spans.close_maths(MathsSign::Round, at);
                        2
                    }
                    Some(b']') => {
                        self.prose.spans.close_maths(MathsSign::Square, at);
                        2
                    }
                    Some(b'\\' | b'`' | b'$') => 2,
                    _ => 1,
                };
                self.prose.pass(&self.buffer, at + length);
            }
            _ => self.step(),
        }
        None
    }

    /// Returns the number of equal bytes at this position, up to [`LOOKAHEAD`].
    fn run_of(&self, sign: u8) -> usize {
        let at = self.prose.at;
        let bytes = self.buffer.bytes(at, self.buffer.end().min(at + LOOKAHEAD));
        bytes.iter().take_while(|byte| **byte == sign).count()
    }

    fn dollar(&mut self, two: bool, after: Option<u8>) {
        let at = self.prose.at;
        let length = 1 + usize::from(two);
        let spans = &mut self.prose.spans;
        if two {
            if !spans.close_maths(MathsSign::Dollars, at) {
                spans.open_maths(MathsSign::Dollars, at);
            }
        } else {
            let blank = |byte: Option<u8>| byte.is_none_or(|byte| byte.is_ascii_whitespace());
            let previous = (self.prose.previous != 0).then_some(self.prose.previous);
            let closes = !blank(previous) && !after.is_some_and(|byte| byte.is_ascii_digit());
            let closed = closes && spans.close_maths(MathsSign::Dollar, at);
            if !closed && !blank(after) {
                spans.open_maths(MathsSign::Dollar, at);
            }
        }
        self.prose.pass(&self.buffer, at + length);
    }

    /// Reads code in a fence, where only a data block or the end of the line matters.
    fn run_code(&mut self, last: bool) -> Option<ProseStop> {
        let at = self.prose.at;
        let rest = self.buffer.bytes(at, self.buffer.end());
        let Some(found) = memchr::memchr2(b'<', b'\n', rest) else {
            self.prose.pass(&self.buffer, at + rest.len());
            return None;
        };
        let found_at = at + found;
        let newline = rest[found] == b'\n';
        self.prose.pass(&self.buffer, found_at);
        if newline {
            self.step();
            self.prose.line_start = true;
            self.prose.blank = true;
            return None;
        }
        match self.buffer.starts(found_at, START) {
            Some(true) => Some(ProseStop::Block),
            None if !last => Some(ProseStop::Hold),
            _ => {
                self.step();
                None
            }
        }
    }

    /// Ends the prose, at the end of the input or before a block.
    pub(crate) fn end_prose(&mut self, last: bool, out: &mut Sender<'_>) {
        self.prose.spans.end_all();
        self.release(out);
        if last {
            let at = self.prose.at;
            self.end_note(at, out);
            self.end_quote(at, out);
        } else {
            self.prose.note = None;
        }
    }

    /// Reports everything that no longer waits, in order.
    fn release(&mut self, out: &mut Sender<'_>) {
        while let Some(front) = self.prose.spans.pending.front() {
            let open = self.prose.spans.first_open();
            if !front.is_dropped && open.is_some_and(|open| open <= front.at) {
                return;
            }
            let Some(item) = self.prose.spans.pending.pop_front() else {
                return;
            };
            if item.is_dropped {
                continue;
            }
            match item.kind {
                PendingKind::Marker(marker) => self.marker(marker, out),
                PendingKind::Tag(tag) => {
                    self.hide(tag.range.clone(), out);
                    match tag.content {
                        TagContent::Citation(citation) => {
                            self.report_tag(*citation, tag.range, out);
                        }
                        TagContent::NoPhrase => {
                            self.problem(tag.range.start, ProblemReason::NoPhrase, out);
                        }
                        TagContent::Nothing => {}
                    }
                }
            }
        }
    }
}
