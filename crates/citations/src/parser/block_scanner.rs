//! One cursor over the JSON that models write: resumable at every byte, never failing.
//!
//! It follows brackets and strings, remembers the members of every object that stands where a
//! citation may stand, and hands each over when it closes. What is not JSON it reads around; whether
//! it had to is `clean`.

use memchr::memchr2;

use super::entry::EntryFields;
use super::tokens::{ClosedObject, JsonToken, JsonTokenKind, ObjectMember, OpenBracket};
use super::{END, InputBuffer, START};

/// Objects and arrays deeper than this are passed over.
pub(crate) const DEEPEST: usize = 64;

/// Longer objects and strings of a structured answer are not read.
pub(crate) const LONGEST_VALUE: usize = 1 << 20;

/// What stands between the delimiters, or the whole answer.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum BlockFlavour {
    /// The inside of a data block: any object may be an item or a group of items.
    Block,
    /// An answer that is JSON: items stand at the root and under `citation` and `citations`.
    Structured,
}

/// Who is told what was found.
pub(crate) trait ScanSink {
    /// An object closed where a citation may stand.
    fn object(&mut self, object: &ClosedObject<'_>);
    /// An entry of a data block ended that has a phrase.
    fn item(&mut self, _item: &EntryFields<'_>, _object: &ClosedObject<'_>) {}
    /// A string ended that is the value of a member or the item of a list.
    ///
    /// `hold` is where the first delimiter or tag in it stands.
    fn text(&mut self, _text: JsonToken, _key: Option<JsonToken>, _hold: Option<usize>) {}
    /// Something that is no object stands in a list of citations.
    fn stray(&mut self, _offset: usize) {}
}

/// Why the cursor stopped.
#[derive(Debug, PartialEq, Eq)]
pub(crate) enum ScanStep {
    /// The text so far is read.
    More,
    /// The delimiter at this offset ends a block, or begins one in an answer that is no JSON.
    Delimiter(usize),
    /// The root of a structured answer ended before this offset.
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
    /// “ and ”
    Curly,
}

/// An open string.
#[derive(Debug, Clone, Copy)]
pub(super) struct OpenString {
    pub(super) start: usize,
    pub(super) quote: QuoteMark,
    pub(super) escaped: bool,
    /// Which kinds of bytes it holds.
    pub(super) seen: u8,
}

/// The cursor.
#[derive(Debug)]
pub(crate) struct BlockScanner {
    pub(super) flavour: BlockFlavour,
    /// Offset in the input up to which everything is read.
    pub(crate) at: usize,
    pub(super) lex: LexState,
    pub(super) frames: Vec<OpenBracket>,
    pub(super) members: Vec<ObjectMember>,
    /// How many brackets are open beyond [`DEEPEST`].
    pub(super) excess: usize,
    /// Offset of the first thing that is not JSON.
    pub(crate) defect: Option<usize>,
    /// Whether some string holds a comma before a closing bracket, which mending would take out.
    pub(crate) doubt: bool,
    /// Where something was nested too deep.
    pub(crate) too_deep: Option<usize>,
    /// The first end delimiter inside a string.
    pub(crate) skipped_end: Option<usize>,
    /// Whether end delimiters count inside strings too.
    pub(super) plain_ends: bool,
    /// Offset of the first delimiter or tag in the open string of a structured answer.
    pub(crate) hold: Option<usize>,
    /// How many citations earlier lists of a structured answer held.
    pub(super) counted: usize,
    pub(super) roots: usize,
}

impl BlockScanner {
    pub(crate) fn new(flavour: BlockFlavour, at: usize, plain_ends: bool) -> Self {
        Self {
            flavour,
            at,
            lex: LexState::Between,
            frames: Vec::new(),
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

    /// Whether a bracket or string is open.
    pub(crate) fn is_open(&self) -> bool {
        !self.frames.is_empty() || !matches!(self.lex, LexState::Between)
    }

    /// Whether anything but white space was seen.
    pub(crate) fn is_blank(&self) -> bool {
        self.roots == 0 && self.defect.is_none() && !self.is_open()
    }

    /// The earliest offset whose bytes are still needed.
    pub(crate) fn needs_from(&self) -> usize {
        let mut needed = match self.lex {
            LexState::Text(OpenString { start, .. }) | LexState::Bare { start } => start,
            _ => self.at,
        };
        let wanted = |frame: &&OpenBracket| !frame.array && frame.candidate && !frame.gone;
        if let Some(frame) = self.frames.iter().find(wanted) {
            needed = needed.min(frame.start);
        }
        needed
    }

    /// Gives up the objects that began before `offset`: their bytes are about to go.
    pub(crate) fn forget_before(&mut self, offset: usize) {
        for frame in &mut self.frames {
            frame.gone |= frame.start < offset;
        }
    }

    /// Reads on up to `end`, an offset in the input.
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
            // A delimiter ends a comment too.
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
                if self.flavour == BlockFlavour::Structured && self.frames.is_empty() {
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
                let delimiter = match self.flavour {
                    BlockFlavour::Block => END,
                    BlockFlavour::Structured => START,
                };
                match buffer.starts(self.at, delimiter) {
                    Some(true) => return Some(ScanStep::Delimiter(self.at)),
                    None if !last => return Some(ScanStep::More),
                    _ => self.begin_bare(),
                }
            }
            // Outside every bracket stands prose or a fence: quotes in it are no strings.
            _ if self.frames.is_empty() => {
                self.defective();
                self.at += 1;
                let junk = |byte: &u8| !matches!(byte, b'{' | b'[' | b'<' | b'"' | b'}' | b']');
                let rest = buffer.bytes(self.at, end);
                self.at += rest.iter().take_while(|byte| junk(byte)).count();
            }
            b'\'' | b'/' | 0xE2 if self.flavour == BlockFlavour::Structured => self.begin_bare(),
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

    /// Ends the text at `self.at`: open brackets close, an open string takes its object with it.
    ///
    /// Returns where the object began that is lost.
    pub(crate) fn end(&mut self, buffer: &InputBuffer, sink: &mut dyn ScanSink) -> Option<usize> {
        let mut lost = None;
        match self.lex {
            LexState::Bare { start } => self.end_bare(buffer, start),
            LexState::Text(OpenString { start, .. }) => {
                self.lex = LexState::Between;
                let object = self
                    .frames
                    .iter()
                    .rev()
                    .find(|frame| !frame.array && frame.candidate);
                lost = Some(object.map_or(start, |frame| frame.start));
                if let Some(frame) = self
                    .frames
                    .iter_mut()
                    .rev()
                    .find(|frame| !frame.array && frame.candidate)
                {
                    frame.candidate = false;
                }
            }
            _ => self.lex = LexState::Between,
        }
        self.excess = 0;
        if !self.frames.is_empty() {
            self.defective();
        }
        while !self.frames.is_empty() {
            self.close_top(self.at, buffer, sink);
        }
        lost
    }
}

/// Whether a bare word ends before this byte.
#[inline]
pub(super) fn ends_bare(byte: &u8) -> bool {
    matches!(
        byte,
        b' ' | b'\n' | b'\r' | b'\t' | b',' | b':' | b'{' | b'}' | b'[' | b']' | b'"' | b'<'
    )
}

/// Whether a bare word is JSON.
pub(super) fn is_literal(word: &str) -> bool {
    if matches!(word, "true" | "false" | "null") {
        return true;
    }
    // Most are small numbers.
    let plain = !word.starts_with('0') && word.bytes().all(|byte| byte.is_ascii_digit());
    plain || json::Value::parse(word).is_ok()
}
