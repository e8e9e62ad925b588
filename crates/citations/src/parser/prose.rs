//! Prose: markers, links, tags, the start of blocks, and what stands in code or maths.

use super::brackets::LONGEST_TARGET;
use super::footnotes::LONGEST_NOTE;
use super::inline_spans::{MathsSign, OpenLink, OpenSpans, PendingKind};
use super::prose_lines::CitationLine;
use super::tag_attributes::TagContent;
use super::{CitationParser, InputBuffer, START, Sender};
use crate::problem::ProblemReason;

/// An open tag may be this long.
pub(crate) const LONGEST_TAG: usize = 16 * 1024;
/// How far ahead a token may reach before it is taken for plain text.
pub(super) const LOOKAHEAD: usize = 64;

/// Bytes at which prose may turn into something else.
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

/// How many bytes there are before the first that may be special.
fn plain_length(bytes: &[u8]) -> usize {
    let mut at = 0;
    loop {
        // In steps of eight while none of them is special.
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
        // Many words have a c, few of them begin like a tag.
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

/// Where prose is being read.
#[derive(Debug, Default)]
pub(crate) struct ProseScanner {
    /// Offset up to which it has been looked at.
    pub(crate) at: usize,
    /// The byte before; 0 at the start.
    pub(super) previous: u8,
    /// Whether a line begins here.
    pub(super) line_start: bool,
    /// Whether nothing but white space stood in this line so far.
    pub(super) blank: bool,
    /// Where the words of this line begin, if they are hardly indented.
    pub(super) head: Option<usize>,
    /// The open code fence: its sign and length.
    pub(super) fence: Option<(u8, usize)>,
    /// A fence that opens with this line, unless a backtick follows in it.
    pub(super) opening: Option<(u8, usize)>,
    pub(crate) spans: OpenSpans,
    pub(super) note: Option<CitationLine>,
    /// The lines of a quoted block, and where it began.
    pub(super) quote: Option<(usize, String)>,
    /// No tag ends between these offsets.
    pub(super) tag_free: (usize, usize),
}

/// Why reading stopped.
pub(crate) enum ProseStop {
    /// More text is needed; what is left may be hidden later.
    Hold,
    /// More text is needed; what is left is plain.
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

    /// The earliest offset that is still needed.
    pub(crate) fn needs_from(&self) -> usize {
        // What has grown too long is not read any more, so that nothing of it has to be kept.
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

    /// Goes on at an offset, after something that was no prose.
    pub(crate) fn resume(&mut self, buffer: &InputBuffer, at: usize) {
        self.at = at;
        self.previous = buffer.byte(at.saturating_sub(1)).unwrap_or_default();
        self.line_start = false;
        self.blank = false;
    }

    /// Passes over bytes of this line.
    pub(super) fn pass(&mut self, buffer: &InputBuffer, to: usize) {
        if to > self.at {
            self.previous = buffer.byte(to - 1).unwrap_or_default();
            self.at = to;
            self.line_start = false;
        }
    }
}

impl CitationParser {
    /// Reads prose as far as it goes.
    pub(crate) fn run_prose(&mut self, last: bool, out: &mut Sender<'_>) -> ProseStop {
        loop {
            self.release(out);
            let end = self.prose_limit();
            if self.prose.at >= self.buffer.end() {
                return ProseStop::Wait;
            }
            if self.prose.at >= end {
                // A tag has waited for as long as it may.
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

    /// How far prose is read before a waiting tag has to be decided.
    fn prose_limit(&self) -> usize {
        let end = self.buffer.end();
        match self.prose.spans.first_tag() {
            Some(tag) => self.buffer.boundary(end.min(tag + LONGEST_TAG)),
            None => end,
        }
    }

    /// Passes over one byte.
    pub(super) fn step(&mut self) {
        let next = self.prose.at + 1;
        self.prose.pass(&self.buffer, next);
    }

    /// Something may begin here. Returns why reading stops, if it does.
    fn special(&mut self, byte: u8, last: bool, out: &mut Sender<'_>) -> Option<ProseStop> {
        let at = self.prose.at;
        let next = self.buffer.byte(at + 1);
        match byte {
            b'\n' => self.end_line(out),
            b'<' => return self.angle(last, out),
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

    /// How often a byte stands here in a row, up to what is looked at.
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

    /// Code in a fence: only a block or the end of the line matters.
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

    /// The prose ends, or a block interrupts it.
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

    /// Reports what no longer waits, in order.
    fn release(&mut self, out: &mut Sender<'_>) {
        while let Some(front) = self.prose.spans.waiting.front() {
            let open = self.prose.spans.first_open();
            if !front.dropped && open.is_some_and(|open| open <= front.at) {
                return;
            }
            let Some(waiting) = self.prose.spans.waiting.pop_front() else {
                return;
            };
            if waiting.dropped {
                continue;
            }
            match waiting.what {
                PendingKind::Marker(marker) => self.marker(marker, out),
                PendingKind::Tag(tag) => {
                    self.hide(tag.range.clone(), out);
                    match tag.content {
                        TagContent::Citation(citation) => self.tagged(*citation, tag.range, out),
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
