//! Prose: markers, links, tags, the start of blocks, and what stands in code or maths.

use super::notes::{self, LONGEST_NOTE};
use super::spans::{Link, Maths, Spans, Target, What};
use super::tag::{self, Content, Tag};
use super::{Buffer, Form, Found, Marker, Reader, Reference, START, Sender};
use crate::problem::Reason;

/// An open tag may be this long.
pub(crate) const LONGEST_TAG: usize = 16 * 1024;
/// How far ahead a token may reach before it is taken for plain text.
const LOOKAHEAD: usize = 64;
/// The target of a link may be this long.
const LONGEST_TARGET: usize = 1024;

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

/// Where prose is being read.
#[derive(Debug, Default)]
pub(crate) struct Prose {
    /// Offset up to which it has been looked at.
    pub(crate) at: usize,
    /// The byte before; 0 at the start.
    previous: u8,
    /// Whether a line begins here.
    line_start: bool,
    /// Whether nothing but white space stood in this line so far.
    blank: bool,
    /// Where the words of this line begin, if they are hardly indented.
    head: Option<usize>,
    /// The open code fence: its sign and length.
    fence: Option<(u8, usize)>,
    /// A fence that opens with this line, unless a backtick follows in it.
    opening: Option<(u8, usize)>,
    pub(crate) spans: Spans,
    note: Option<Note>,
    /// The lines of a quoted block, and where it began.
    quote: Option<(usize, String)>,
    /// No tag ends between these offsets.
    tag_free: (usize, usize),
}

/// A line that may be a citation.
#[derive(Debug)]
struct Note {
    /// Where what it says begins.
    from: usize,
    /// The label of a footnote; none for a quoted line.
    label: Option<String>,
    /// Where it began.
    start: usize,
}

/// Why reading stopped.
pub(crate) enum Stop {
    /// More text is needed; what is left may be hidden later.
    Hold,
    /// More text is needed; what is left is plain.
    Wait,
    /// A data block begins here.
    Block,
}

/// How many bytes stand before the words of a line: white space, signs of quotes, and before a code
/// fence the sign of a list. All of them if that cannot be told yet.
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

impl Prose {
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
        let note = self.note.as_ref().map_or(self.at, |note| note.from);
        let link = self.spans.link.map_or(self.at, |link| link.close);
        self.at.min(note).min(link)
    }

    /// Goes on at an offset, after something that was no prose.
    pub(crate) fn resume(&mut self, buffer: &Buffer, at: usize) {
        self.at = at;
        self.previous = buffer.byte(at.saturating_sub(1)).unwrap_or_default();
        self.line_start = false;
        self.blank = false;
    }

    /// Passes over bytes of this line.
    fn pass(&mut self, buffer: &Buffer, to: usize) {
        if to > self.at {
            self.previous = buffer.byte(to - 1).unwrap_or_default();
            self.at = to;
            self.line_start = false;
        }
    }
}

impl Reader {
    /// Reads prose as far as it goes.
    pub(crate) fn run_prose(&mut self, last: bool, out: &mut Sender<'_>) -> Stop {
        loop {
            self.release(out);
            let end = self.prose_limit();
            if self.prose.at >= self.buffer.end() {
                return Stop::Wait;
            }
            if self.prose.at >= end {
                // A tag has waited for as long as it may.
                self.prose.spans.end_all();
                continue;
            }
            if self.prose.line_start && !self.begin_line(last, out) {
                return Stop::Wait;
            }
            if self.prose.fence.is_some() {
                if let Some(stop) = self.run_code(last) {
                    return stop;
                }
                continue;
            }
            let from = self.prose.at;
            let rest = self.buffer.bytes(from, end);
            let plain = rest.iter().position(|byte| SPECIAL[usize::from(*byte)]);
            let found = from + plain.unwrap_or(rest.len());
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
    fn step(&mut self) {
        let next = self.prose.at + 1;
        self.prose.pass(&self.buffer, next);
    }

    /// Something may begin here. Returns why reading stops, if it does.
    fn special(&mut self, byte: u8, last: bool, out: &mut Sender<'_>) -> Option<Stop> {
        let at = self.prose.at;
        let next = self.buffer.byte(at + 1);
        match byte {
            b'\n' => self.end_line(out),
            b'<' => return self.angle(last, out),
            b'c' | b'C' => return self.bare_cite(last, out),
            b'[' => return self.open_square(last),
            b']' => {
                if next.is_none() && !last {
                    return Some(Stop::Wait);
                }
                if let Some(open) = self.prose.spans.close_label()
                    && next == Some(b'(')
                {
                    self.prose.spans.link = Some(Link { open, close: at });
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
                    return Some(Stop::Wait);
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
                    return Some(Stop::Wait);
                }
                self.dollar(two, after);
            }
            b'\\' => {
                if next.is_none() && !last {
                    return Some(Stop::Wait);
                }
                let length = match next {
                    Some(b'(') => {
                        self.prose.spans.open_maths(Maths::Round, at);
                        2
                    }
                    Some(b'[') => {
                        self.prose.spans.open_maths(Maths::Square, at);
                        2
                    }
                    Some(b')') => {
                        self.prose.spans.close_maths(Maths::Round, at);
                        2
                    }
                    Some(b']') => {
                        self.prose.spans.close_maths(Maths::Square, at);
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
            if !spans.close_maths(Maths::Dollars, at) {
                spans.open_maths(Maths::Dollars, at);
            }
        } else {
            let blank = |byte: Option<u8>| byte.is_none_or(|byte| byte.is_ascii_whitespace());
            let previous = (self.prose.previous != 0).then_some(self.prose.previous);
            let closes = !blank(previous) && !after.is_some_and(|byte| byte.is_ascii_digit());
            let closed = closes && spans.close_maths(Maths::Dollar, at);
            if !closed && !blank(after) {
                spans.open_maths(Maths::Dollar, at);
            }
        }
        self.prose.pass(&self.buffer, at + length);
    }

    /// `<`: a block, a tag, or nothing.
    fn angle(&mut self, last: bool, out: &mut Sender<'_>) -> Option<Stop> {
        let at = self.prose.at;
        let block = self.buffer.starts(at, START);
        if block == Some(true) {
            return Some(Stop::Block);
        }
        let open = self.starts_tag(at, "<cite", 6);
        let close = self.starts_tag(at, "</cite>", 7);
        if !last && [block, open, close].contains(&None) {
            return Some(Stop::Hold);
        }
        if close == Some(true) {
            let range = at..at + 7;
            self.prose.spans.wait(
                at,
                What::Tag(Box::new(Tag {
                    range,
                    content: Content::Nothing,
                })),
            );
            self.prose.pass(&self.buffer, at + 7);
            return None;
        }
        if open == Some(true) {
            return self.tag(5, last, out);
        }
        self.step();
        None
    }

    /// Whether a tag of that name begins here, in any case; `None` if it cannot be told yet.
    fn starts_tag(&self, at: usize, name: &str, length: usize) -> Option<bool> {
        let bytes = self.buffer.bytes(at, self.buffer.end().min(at + length));
        let head = &bytes[..bytes.len().min(name.len())];
        if !head.eq_ignore_ascii_case(&name.as_bytes()[..head.len()]) {
            return Some(false);
        }
        if bytes.len() < length {
            return None;
        }
        let after = bytes.get(name.len());
        Some(after.is_none_or(|byte| byte.is_ascii_whitespace() || matches!(byte, b'/' | b'>')))
    }

    /// `cite attachment_id=` without the bracket before it.
    fn bare_cite(&mut self, last: bool, out: &mut Sender<'_>) -> Option<Stop> {
        const NAMES: [&str; 5] = [
            "attachment_id",
            "attachment\\_id",
            "file_id",
            "fileId",
            "attachmentId",
        ];
        let at = self.prose.at;
        let word = self.starts_tag(at, "cite", 5);
        // In a string of a structured answer the text before it may have been shown.
        let preceded =
            self.inner || self.prose.previous.is_ascii_alphabetic() || self.prose.previous == b'<';
        if preceded || word == Some(false) {
            self.step();
            return None;
        }
        let bytes = self.buffer.bytes(at, self.buffer.end().min(at + LOOKAHEAD));
        let blank = bytes
            .iter()
            .skip(4)
            .take_while(|byte| byte.is_ascii_whitespace())
            .count();
        let rest = bytes.get(4 + blank..).unwrap_or_default();
        let named = NAMES.iter().find(|name| {
            let length = rest.len().min(name.len());
            rest[..length].eq_ignore_ascii_case(&name.as_bytes()[..length])
        });
        let after = named.and_then(|name| {
            let rest = rest.get(name.len()..)?;
            rest.iter().find(|byte| !byte.is_ascii_whitespace())
        });
        let open_ended = bytes.len() < LOOKAHEAD && !last;
        match (named, after) {
            (Some(_), Some(b'=')) if word == Some(true) && blank > 0 => self.tag(4, last, out),
            (Some(_), None) if open_ended => Some(Stop::Hold),
            _ => {
                self.step();
                None
            }
        }
    }

    /// A tag begins here with `name` bytes.
    fn tag(&mut self, name: usize, last: bool, out: &mut Sender<'_>) -> Option<Stop> {
        let at = self.prose.at;
        let window = self.buffer.end().min(at + LONGEST_TAG);
        let bytes = self.buffer.bytes(at, window);
        let (free_from, free_to) = self.prose.tag_free;
        let known = if free_from <= at && at < free_to {
            free_to.min(window) - at
        } else {
            name
        };
        let plain = bytes.get(name) == Some(&b'>') && name == 5;
        let end = match plain {
            true => Some(name + 1),
            false => tag::find_end(bytes, known.max(name)),
        };
        // A block counts wherever it stands, so that no tag reaches over one.
        let to = end.unwrap_or(bytes.len());
        let searched = &bytes[known.saturating_sub(START.len()).min(to)..to];
        let interrupted = memchr::memmem::find(searched, START.as_bytes()).is_some();
        if interrupted {
            self.problem(at, Reason::UnfinishedTag, out);
            self.prose.pass(&self.buffer, at + name);
            return None;
        }
        if let Some(end) = end {
            let range = at..at + end;
            let inside = self.buffer.slice(at + name, at + end);
            let content = tag::parse(inside);
            self.prose
                .spans
                .wait(at, What::Tag(Box::new(Tag { range, content })));
            self.prose.pass(&self.buffer, at + end);
            return None;
        }
        self.prose.tag_free = (at, window);
        if window == at + LONGEST_TAG || last {
            let reason = if last && window < at + LONGEST_TAG {
                Reason::UnfinishedTag
            } else {
                Reason::TagTooLong
            };
            self.problem(at, reason, out);
            self.prose.pass(&self.buffer, at + name);
            return None;
        }
        Some(Stop::Hold)
    }

    /// `[`: a marker, a footnote, or the label of a link.
    fn open_square(&mut self, last: bool) -> Option<Stop> {
        let at = self.prose.at;
        let bytes = self.buffer.bytes(at, self.buffer.end().min(at + LOOKAHEAD));
        let footnote = bytes.get(1) == Some(&b'^');
        let start = 1 + usize::from(footnote);
        let inside = |byte: &&u8| match footnote {
            true => byte.is_ascii_alphanumeric() || matches!(byte, b'_' | b'-' | b'.'),
            false => byte.is_ascii_digit(),
        };
        let length = bytes.iter().skip(start).take_while(inside).count();
        let close = start + length;
        // A label may turn out to be the beginning of a tag without its bracket.
        let stop = Some(if footnote { Stop::Hold } else { Stop::Wait });
        if close >= bytes.len() && bytes.len() < LOOKAHEAD && !last {
            return stop;
        }
        let closed = length > 0 && bytes.get(close) == Some(&b']');
        if closed && close + 1 >= bytes.len() && bytes.len() < LOOKAHEAD && !last {
            return stop;
        }
        let text = self.buffer.slice(at + start, at + close);
        let after = bytes.get(close + 1).copied();
        let reference = match (closed, footnote) {
            (false, _) => None,
            (true, true) => Some(Reference::Footnote {
                label: text.to_owned(),
            }),
            (true, false) => text.parse().ok().map(Reference::Number),
        };
        match reference {
            Some(Reference::Footnote { label })
                if after == Some(b':') && self.prose.head == Some(at) =>
            {
                self.prose.note = Some(Note {
                    from: at + close + 2,
                    label: Some(label),
                    start: at,
                });
                self.prose.pass(&self.buffer, at + close + 2);
                self.prose.blank = false;
            }
            Some(reference) => {
                let marker = Marker {
                    reference,
                    range: at..at + close + 1,
                    visible: 0,
                };
                self.prose.spans.wait(at, What::Marker(marker));
                self.prose.spans.open_label(at);
                // The closing bracket is looked at next: a link may follow.
                self.prose.pass(&self.buffer, at + close);
            }
            None => {
                self.prose.spans.open_label(at);
                self.step();
            }
        }
        None
    }

    /// `)`: the target of a link may end.
    fn close_round(&mut self) {
        let Some(link) = self.prose.spans.link else {
            return;
        };
        let at = self.prose.at;
        let target = self.buffer.slice(link.close + 2, at);
        if target.len() > LONGEST_TARGET || link.close + 2 > at {
            self.prose.spans.link = None;
            return;
        }
        match Target::parse(target) {
            Target::Open => {}
            Target::Nothing => self.prose.spans.link = None,
            Target::Link => self.prose.spans.end_link(at),
            Target::Cite {
                number,
                source_match,
            } => {
                self.prose.spans.end_link(at);
                let label = link.open + 1..link.close;
                let reference = Reference::Link {
                    number,
                    label,
                    source_match,
                };
                let marker = Marker {
                    reference,
                    range: link.open..at + 1,
                    visible: 0,
                };
                self.prose.spans.wait(link.open, What::Marker(marker));
            }
        }
    }

    /// Looks at the first bytes of a line; whether that could be done.
    fn begin_line(&mut self, last: bool, out: &mut Sender<'_>) -> bool {
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

    /// A line begins: a quoted block begins, goes on or ends.
    fn begin_note(&mut self, quoted: bool, out: &mut Sender<'_>) {
        let at = self.prose.at;
        if quoted {
            self.prose.note = Some(Note {
                from: at,
                label: None,
                start: at,
            });
            return;
        }
        self.prose.note = None;
        self.end_quote(at, out);
    }

    /// A line ends.
    fn end_line(&mut self, out: &mut Sender<'_>) {
        let at = self.prose.at;
        self.end_note(at, out);
        let opening = self.prose.opening.take();
        if let Some((_, run)) = opening {
            // What stands behind the sign names the language.
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

    /// A line that may be a citation ends.
    fn end_note(&mut self, at: usize, out: &mut Sender<'_>) {
        let Some(note) = self.prose.note.take() else {
            return;
        };
        let line = self.buffer.slice(note.from, at);
        let plain = at - note.from <= LONGEST_NOTE
            && !line.contains("<cite")
            && note.from >= self.buffer.base();
        match note.label {
            Some(label) => {
                if let Some(citation) = plain.then(|| notes::footnote(&label, line)).flatten() {
                    let mut found = Found::new(citation, Form::Footnote, note.start..at);
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

    fn end_quote(&mut self, at: usize, out: &mut Sender<'_>) {
        if let Some((start, block)) = self.prose.quote.take()
            && block.len() <= LONGEST_NOTE
            && let Some(citation) = notes::quote(&block)
        {
            self.found(citation, start..at, Form::Quote, out);
        }
    }

    /// Code in a fence: only a block or the end of the line matters.
    fn run_code(&mut self, last: bool) -> Option<Stop> {
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
            Some(true) => Some(Stop::Block),
            None if !last => Some(Stop::Hold),
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
                What::Marker(marker) => self.marker(marker, out),
                What::Tag(tag) => {
                    self.hide(tag.range.clone(), out);
                    match tag.content {
                        Content::Citation(citation) => self.tagged(*citation, tag.range, out),
                        Content::NoPhrase => self.problem(tag.range.start, Reason::NoPhrase, out),
                        Content::Nothing => {}
                    }
                }
            }
        }
    }
}
