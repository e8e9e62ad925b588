//! Scanner of the JSON that models write. It can stop at every byte and never fails.
//!
//! The scanner tracks brackets and strings, remembers the members of every object that may be a citation, and
//! reports each object when it closes. It reads around everything that is not JSON and records that as a
//! `defect`.

use memchr::memchr2;

use super::entry::EntryFields;
use super::tokens::{ClosedObject, JsonToken, JsonTokenKind, ObjectMember, OpenBracket};
use super::{END, InputBuffer, START};

/// Deepest nesting that is read. Deeper objects and arrays are skipped.
pub(crate) const MAX_DEPTH: usize = 64;

/// Longest object or string of a JSON answer that is read, in bytes.
pub(crate) const LONGEST_VALUE: usize = 1 << 20;

/// Kind of text that is scanned.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum ScannedKind {
    /// The content of a data block: any object may be an entry or a group of entries.
    Block,
    /// An answer that is JSON: citations are at the root and under `citation` and `citations`.
    JsonAnswer,
}

/// Receiver of everything that the scanner finds.
pub(crate) trait ScanSink {
    /// Called when an object closes that may be a citation.
    fn object(&mut self, object: &ClosedObject<'_>);
    /// Called for an entry of a data block that has a quote.
    fn item(&mut self, _item: &EntryFields<'_>, _object: &ClosedObject<'_>) {}
    /// Called at the end of a string that is the value of a member or an element of an array.
    ///
    /// `hold` is the offset of the first delimiter or tag in it.
    fn text(&mut self, _text: JsonToken, _key: Option<JsonToken>, _hold: Option<usize>) {}
    /// Called for an element of a list of citations that is no object.
    fn stray(&mut self, _offset: usize) {}
}

/// Reason why the scanner stopped.
#[derive(Debug, PartialEq, Eq)]
pub(crate) enum ScanStep {
    /// All text received so far was read.
    More,
    /// The delimiter at this offset ends a block, or begins one in an answer that is not JSON after all.
    Delimiter(usize),
    /// The root of a JSON answer ended before this offset.
    Root(usize),
}

#[derive(Debug)]
pub(super) enum LexState {
    Between,
    Text(OpenString),
    Bare { start: usize },
    LineComment,
    Comment,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum QuoteMark {
    Double,
    Single,
    /// “ or ”
    Curly,
}

/// String that has not ended.
#[derive(Debug, Clone, Copy)]
pub(super) struct OpenString {
    pub(super) start: usize,
    pub(super) quote: QuoteMark,
    pub(super) escaped: bool,
    /// Classes of the bytes in it, combined.
    pub(super) seen: u8,
}

/// Scanner of the JSON in a data block or in a JSON answer.
#[derive(Debug)]
pub(crate) struct BlockScanner {
    pub(super) kind: ScannedKind,
    /// Offset in the input up to which everything was read.
    pub(crate) at: usize,
    pub(super) lex: LexState,
    pub(super) brackets: Vec<OpenBracket>,
    pub(super) members: Vec<ObjectMember>,
    /// Number of open brackets beyond [`MAX_DEPTH`].
    pub(super) excess: usize,
    /// Offset of the first text that is not JSON.
    pub(crate) defect: Option<usize>,
    /// True if a string holds a comma before a closing bracket, which a repair would remove.
    pub(crate) doubt: bool,
    /// Offset of the first bracket that was nested too deep.
    pub(crate) too_deep: Option<usize>,
    /// Offset of the first end delimiter inside of a string.
    pub(crate) skipped_end: Option<usize>,
    /// True if end delimiters count inside of strings, too.
    pub(super) plain_ends: bool,
    /// Offset of the first delimiter or tag in the open string of a JSON answer.
    pub(crate) hold: Option<usize>,
    /// Number of citations in earlier lists of a JSON answer.
    pub(super) counted: usize,
    pub(super) roots: usize,
}

impl BlockScanner {
    pub(crate) fn new(kind: ScannedKind, at: usize, plain_ends: bool) -> Self {
        Self {
            kind,
            at,
            lex: LexState::Between,
            brackets: Vec::new(),
            members: Vec::new(),
            excess: 0,
            defect: None,
            doubt: false,
            too_deep: None,
            skipped_end: None,
            plain_ends,
            hold: None,
            counted: 0,
            roots: 0,
        }
    }

    /// Returns true if a bracket or a string is open.
    pub(crate) fn is_open(&self) -> bool {
        !self.brackets.is_empty() || !matches!(self.lex, LexState::Between)
    }

    /// Returns true if there was only white space.
    pub(crate) fn is_blank(&self) -> bool {
        self.roots == 0 && self.defect.is_none() && !self.is_open()
    }

    /// Returns the first offset whose bytes are still needed.
    pub(crate) fn needs_from(&self) -> usize {
        let mut needed = match self.lex {
            LexState::Text(OpenString { start, .. }) | LexState::Bare { start } => start,
            _ => self.at,
        };
        let wanted = |bracket: &&OpenBracket| {
            !bracket.is_array && bracket.is_candidate && !bracket.is_dropped
        };
        if let Some(bracket) = self.brackets.iter().find(wanted) {
            needed = needed.min(bracket.start);
        }
        needed
    }

    /// Gives up the objects that began before `offset`, because their bytes will be dropped.
    pub(crate) fn forget_before(&mut self, offset: usize) {
        for bracket in &mut self.brackets {
            bracket.is_dropped |= bracket.start < offset;
        }
    }

    /// Reads up to the offset `end`.
    pub(crate) fn run(
        &mut self,
        buffer: &InputBuffer,
        end: usize,
        last: bool,
        sink: &mut dyn ScanSink,
    ) -> ScanStep {
        while self.at < end {
            let step = match self.lex {
                LexState::Between => self.between(buffer, end, last, sink),
                LexState::Text(open) => self.text(buffer, end, last, open, sink),
                LexState::Bare { start } => {
                    self.bare(buffer, end, start);
                    None
                }
                LexState::LineComment => {
                    match memchr2(b'\n', b'<', buffer.bytes(self.at, end)) {
                        Some(found) => {
                            self.at += found;
                            self.lex = LexState::Between;
                        }
                        None => self.at = end,
                    }
                    None
                }
                LexState::Comment => match memchr2(b'*', b'<', buffer.bytes(self.at, end)) {
                    Some(found) => {
                        self.at += found;
                        self.comment_end(buffer, last)
                    }
                    None => {
                        self.at = end;
                        None
                    }
                },
            };
            if let Some(step) = step {
                return step;
            }
        }
        ScanStep::More
    }

    fn comment_end(&mut self, buffer: &InputBuffer, last: bool) -> Option<ScanStep> {
        match buffer.byte(self.at) {
            Some(b'*') => match buffer.byte(self.at + 1) {
                Some(b'/') => {
                    self.at += 2;
                    self.lex = LexState::Between;
                }
                Some(_) => self.at += 1,
                None if last => self.at += 1,
                None => return Some(ScanStep::More),
            },
            // A delimiter ends a comment, too.
            _ => self.lex = LexState::Between,
        }
        None
    }

    fn between(
        &mut self,
        buffer: &InputBuffer,
        end: usize,
        last: bool,
        sink: &mut dyn ScanSink,
    ) -> Option<ScanStep> {
        let byte = buffer.byte(self.at)?;
        match byte {
            b' ' | b'\n' | b'\r' | b'\t' => self.at += 1,
            b'"' => {
                if !self.plain_text(buffer, end, sink) {
                    self.open_text(1, QuoteMark::Double);
                }
            }
            b'{' if self.plain_entry(buffer, end, sink) => {}
            b'{' | b'[' => {
                self.at += 1;
                self.open(byte == b'[', buffer, sink);
            }
            b'}' | b']' => {
                self.at += 1;
                self.close(byte == b']', buffer, sink);
                if self.kind == ScannedKind::JsonAnswer && self.brackets.is_empty() {
                    return Some(ScanStep::Root(self.at));
                }
            }
            b',' => {
                self.comma();
                self.at += 1;
            }
            b':' => {
                self.colon();
                self.at += 1;
            }
            b'<' => {
                let delimiter = match self.kind {
                    ScannedKind::Block => END,
                    ScannedKind::JsonAnswer => START,
                };
                match buffer.starts(self.at, delimiter) {
                    Some(true) => return Some(ScanStep::Delimiter(self.at)),
                    None if !last => return Some(ScanStep::More),
                    _ => self.begin_bare(),
                }
            }
            // Outside of all brackets is prose or a code fence, where quotation marks begin no strings.
            _ if self.brackets.is_empty() => self.skip_prose(buffer, end),
            b'\'' | b'/' | 0xE2 if self.kind == ScannedKind::JsonAnswer => self.begin_bare(),
            b'\'' => {
                self.defective();
                self.open_text(1, QuoteMark::Single);
            }
            b'/' => match buffer.byte(self.at + 1) {
                Some(b'/') => {
                    self.defective();
                    self.lex = LexState::LineComment;
                    self.at += 2;
                }
                Some(b'*') => {
                    self.defective();
                    self.lex = LexState::Comment;
                    self.at += 2;
                }
                None if !last => return Some(ScanStep::More),
                _ => self.begin_bare(),
            },
            0xE2 => match (buffer.starts(self.at, "“"), buffer.starts(self.at, "”")) {
                (Some(false), Some(false)) => self.begin_bare(),
                (None, _) | (_, None) if !last => return Some(ScanStep::More),
                _ => {
                    self.defective();
                    self.open_text("“".len(), QuoteMark::Curly);
                }
            },
            _ => self.begin_bare(),
        }
        None
    }

    fn skip_prose(&mut self, buffer: &InputBuffer, end: usize) {
        self.defective();
        self.at += 1;
        let is_prose = |byte: &u8| !matches!(byte, b'{' | b'[' | b'<' | b'"' | b'}' | b']');
        let rest = buffer.bytes(self.at, end);
        self.at += rest.iter().take_while(|byte| is_prose(byte)).count();
    }

    fn begin_bare(&mut self) {
        self.lex = LexState::Bare { start: self.at };
        self.at += 1;
    }

    fn bare(&mut self, buffer: &InputBuffer, end: usize, start: usize) {
        let rest = buffer.bytes(self.at, end);
        match rest.iter().position(ends_bare) {
            Some(found) => {
                self.at += found;
                self.end_bare(buffer, start);
            }
            None => self.at = end,
        }
    }

    fn end_bare(&mut self, buffer: &InputBuffer, start: usize) {
        self.lex = LexState::Between;
        let token = JsonToken {
            start,
            end: self.at,
            kind: JsonTokenKind::Bare,
        };
        if !is_literal(buffer.slice(start, self.at)) {
            self.defective();
        }
        self.value(token, buffer);
    }

    /// Ends the text at `self.at` and closes all open brackets. The object with an open string is lost.
    ///
    /// Returns the offset at which the lost object began.
    pub(crate) fn end(&mut self, buffer: &InputBuffer, sink: &mut dyn ScanSink) -> Option<usize> {
        let mut lost = None;
        match self.lex {
            LexState::Bare { start } => self.end_bare(buffer, start),
            LexState::Text(OpenString { start, .. }) => {
                self.lex = LexState::Between;
                let object = self
                    .brackets
                    .iter()
                    .rev()
                    .find(|bracket| !bracket.is_array && bracket.is_candidate);
                lost = Some(object.map_or(start, |bracket| bracket.start));
                if let Some(bracket) = self
                    .brackets
                    .iter_mut()
                    .rev()
                    .find(|bracket| !bracket.is_array && bracket.is_candidate)
                {
                    bracket.is_candidate = false;
                }
            }
            _ => self.lex = LexState::Between,
        }
        self.excess = 0;
        if !self.brackets.is_empty() {
            self.defective();
        }
        while !self.brackets.is_empty() {
            self.close_top(self.at, buffer, sink);
        }
        lost
    }
}

/// Returns true if a bare word ends before this byte.
#[inline]
pub(super) fn ends_bare(byte: &u8) -> bool {
    matches!(
        byte,
        b' ' | b'\n' | b'\r' | b'\t' | b',' | b':' | b'{' | b'}' | b'[' | b']' | b'"' | b'<'
    )
}

/// Returns true if a bare word is valid JSON.
pub(super) fn is_literal(word: &str) -> bool {
    if matches!(word, "true" | "false" | "null") {
        return true;
    }
    // Most bare words are small numbers.
    let plain = !word.starts_with('0') && word.bytes().all(|byte| byte.is_ascii_digit());
    plain || json::Value::parse(word).is_ok()
}
