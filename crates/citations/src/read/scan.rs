//! One cursor over the JSON that models write: resumable at every byte, never failing.
//!
//! It follows brackets and strings, remembers the members of every object that stands where a
//! citation may stand, and hands each over when it closes. What is not JSON it reads around; whether
//! it had to is `clean`.

use memchr::{memchr2, memchr3};

use super::frame::{Expect, Frame, Member, Object, Place, Token, TokenKind};
use super::{Buffer, END, START};
use crate::fields::{self, BlockField};

/// Objects and arrays deeper than this are passed over.
pub(crate) const DEEPEST: usize = 64;

/// Longer objects and strings of a structured answer are not read.
pub(crate) const LONGEST_VALUE: usize = 1 << 20;

/// What stands between the delimiters, or the whole answer.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Flavour {
    /// The inside of a data block: any object may be an item or a group of items.
    Block,
    /// An answer that is JSON: items stand at the root and under `citation` and `citations`.
    Structured,
}

/// Who is told what was found.
pub(crate) trait Sink {
    /// An object closed where a citation may stand.
    fn object(&mut self, object: &Object<'_>);
    /// A string ended that is the value of a member or the item of a list.
    ///
    /// `hold` is where the first delimiter or tag in it stands.
    fn text(&mut self, _text: Token, _key: Option<Token>, _hold: Option<usize>) {}
    /// Something that is no object stands in a list of citations.
    fn stray(&mut self, _offset: usize) {}
}

/// Why the cursor stopped.
#[derive(Debug, PartialEq, Eq)]
pub(crate) enum Step {
    /// The text so far is read.
    More,
    /// The delimiter at this offset ends a block, or begins one in an answer that is no JSON.
    Delimiter(usize),
    /// The root of a structured answer ended before this offset.
    Root(usize),
}

#[derive(Debug)]
enum Lex {
    Between,
    Text(Open),
    Bare { start: usize },
    LineComment,
    Comment,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Quote {
    Double,
    Single,
    /// “ and ”
    Curly,
}

/// An open string.
#[derive(Debug, Clone, Copy)]
struct Open {
    start: usize,
    quote: Quote,
    escaped: bool,
    /// Which kinds of bytes it holds.
    seen: u8,
}

/// A byte at which a string in double quotes may end or turn.
const STOP: u8 = 4;
/// A byte that JSON wants escaped.
const CONTROL: u8 = 1;
/// A closing bracket.
const BRACKET: u8 = 2;

/// What kind of byte each is inside a string.
const CLASSES: [u8; 256] = {
    let mut table = [0; 256];
    let mut byte = 0;
    while byte < 0x20 {
        table[byte] = CONTROL;
        byte += 1;
    }
    table[b']' as usize] = BRACKET;
    table[b'}' as usize] = BRACKET;
    table[b'"' as usize] = STOP;
    table[b'\\' as usize] = STOP;
    table[b'<' as usize] = STOP;
    table
};

/// The cursor.
#[derive(Debug)]
pub(crate) struct Scanner {
    flavour: Flavour,
    /// Offset in the input up to which everything is read.
    pub(crate) at: usize,
    lex: Lex,
    frames: Vec<Frame>,
    members: Vec<Member>,
    /// How many brackets are open beyond [`DEEPEST`].
    excess: usize,
    /// Offset of the first thing that is not JSON.
    pub(crate) defect: Option<usize>,
    /// Whether some string holds a comma before a closing bracket, which mending would take out.
    pub(crate) doubt: bool,
    /// Where something was nested too deep.
    pub(crate) too_deep: Option<usize>,
    /// The first end delimiter inside a string.
    pub(crate) skipped_end: Option<usize>,
    /// Whether end delimiters count inside strings too.
    plain_ends: bool,
    /// Offset of the first delimiter or tag in the open string of a structured answer.
    pub(crate) hold: Option<usize>,
    /// How many citations earlier lists of a structured answer held.
    counted: usize,
    roots: usize,
}

impl Scanner {
    pub(crate) fn new(flavour: Flavour, at: usize, plain_ends: bool) -> Self {
        Self {
            flavour,
            at,
            lex: Lex::Between,
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
        !self.frames.is_empty() || !matches!(self.lex, Lex::Between)
    }

    /// Whether anything but white space was seen.
    pub(crate) fn is_blank(&self) -> bool {
        self.roots == 0 && self.defect.is_none() && !self.is_open()
    }

    /// The earliest offset whose bytes are still needed.
    pub(crate) fn needs_from(&self) -> usize {
        let mut needed = match self.lex {
            Lex::Text(Open { start, .. }) | Lex::Bare { start } => start,
            _ => self.at,
        };
        let wanted = |frame: &&Frame| !frame.array && frame.candidate && !frame.gone;
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
        buffer: &Buffer,
        end: usize,
        last: bool,
        sink: &mut dyn Sink,
    ) -> Step {
        while self.at < end {
            let step = match self.lex {
                Lex::Between => self.between(buffer, end, last, sink),
                Lex::Text(open) => self.text(buffer, end, last, open, sink),
                Lex::Bare { start } => {
                    self.bare(buffer, end, start);
                    None
                }
                Lex::LineComment => {
                    match memchr2(b'\n', b'<', buffer.bytes(self.at, end)) {
                        Some(found) => {
                            self.at += found;
                            self.lex = Lex::Between;
                        }
                        None => self.at = end,
                    }
                    None
                }
                Lex::Comment => match memchr2(b'*', b'<', buffer.bytes(self.at, end)) {
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
        Step::More
    }

    fn comment_end(&mut self, buffer: &Buffer, last: bool) -> Option<Step> {
        match buffer.byte(self.at) {
            Some(b'*') => match buffer.byte(self.at + 1) {
                Some(b'/') => {
                    self.at += 2;
                    self.lex = Lex::Between;
                }
                Some(_) => self.at += 1,
                None if last => self.at += 1,
                None => return Some(Step::More),
            },
            // A delimiter ends a comment too.
            _ => self.lex = Lex::Between,
        }
        None
    }

    fn between(
        &mut self,
        buffer: &Buffer,
        end: usize,
        last: bool,
        sink: &mut dyn Sink,
    ) -> Option<Step> {
        let byte = buffer.byte(self.at)?;
        match byte {
            b' ' | b'\n' | b'\r' | b'\t' => self.at += 1,
            b'"' => {
                if !self.plain_text(buffer, end, sink) {
                    self.open_text(1, Quote::Double);
                }
            }
            b'{' | b'[' => {
                self.at += 1;
                self.open(byte == b'[', buffer, sink);
            }
            b'}' | b']' => {
                self.at += 1;
                self.close(byte == b']', buffer, sink);
                if self.flavour == Flavour::Structured && self.frames.is_empty() {
                    return Some(Step::Root(self.at));
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
                    Flavour::Block => END,
                    Flavour::Structured => START,
                };
                match buffer.starts(self.at, delimiter) {
                    Some(true) => return Some(Step::Delimiter(self.at)),
                    None if !last => return Some(Step::More),
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
            b'\'' | b'/' | 0xE2 if self.flavour == Flavour::Structured => self.begin_bare(),
            b'\'' => {
                self.defective();
                self.open_text(1, Quote::Single);
            }
            b'/' => match buffer.byte(self.at + 1) {
                Some(b'/') => {
                    self.defective();
                    self.lex = Lex::LineComment;
                    self.at += 2;
                }
                Some(b'*') => {
                    self.defective();
                    self.lex = Lex::Comment;
                    self.at += 2;
                }
                None if !last => return Some(Step::More),
                _ => self.begin_bare(),
            },
            0xE2 => match (buffer.starts(self.at, "“"), buffer.starts(self.at, "”")) {
                (Some(false), Some(false)) => self.begin_bare(),
                (None, _) | (_, None) if !last => return Some(Step::More),
                _ => {
                    self.defective();
                    self.open_text("“".len(), Quote::Curly);
                }
            },
            _ => self.begin_bare(),
        }
        None
    }

    /// Takes a whole string that holds nothing special; whether it was one.
    #[inline]
    fn plain_text(&mut self, buffer: &Buffer, end: usize, sink: &mut dyn Sink) -> bool {
        let start = self.at + 1;
        let rest = buffer.bytes(start, end);
        let special = |byte: &u8| CLASSES[usize::from(*byte)] != 0;
        let Some(length) = rest.iter().position(special) else {
            return false;
        };
        if rest[length] != b'"' {
            return false;
        }
        let token = Token {
            start,
            end: start + length,
            kind: TokenKind::Text { escaped: false },
        };
        self.at = token.end + 1;
        self.report_text(token, sink);
        self.value(token, buffer);
        true
    }

    /// Reports a string of a structured answer, unless it is a plain name.
    fn report_text(&self, token: Token, sink: &mut dyn Sink) {
        if self.flavour == Flavour::Block {
            return;
        }
        let frame = self.frames.last();
        let is_value = frame.is_some_and(|frame| frame.array || frame.expect == Expect::Value);
        if is_value || self.hold.is_some() {
            let key = frame
                .filter(|frame| !frame.array && is_value)
                .and_then(|frame| frame.key);
            sink.text(token, key, self.hold);
        }
    }

    fn begin_bare(&mut self) {
        self.lex = Lex::Bare { start: self.at };
        self.at += 1;
    }

    fn open_text(&mut self, quote_length: usize, quote: Quote) {
        self.at += quote_length;
        self.lex = Lex::Text(Open {
            start: self.at,
            quote,
            escaped: false,
            seen: 0,
        });
    }

    fn bare(&mut self, buffer: &Buffer, end: usize, start: usize) {
        let rest = buffer.bytes(self.at, end);
        let stop = |byte: &u8| {
            matches!(
                byte,
                b' ' | b'\n'
                    | b'\r'
                    | b'\t'
                    | b','
                    | b':'
                    | b'{'
                    | b'}'
                    | b'['
                    | b']'
                    | b'"'
                    | b'<'
            )
        };
        match rest.iter().position(stop) {
            Some(found) => {
                self.at += found;
                self.end_bare(buffer, start);
            }
            None => self.at = end,
        }
    }

    fn end_bare(&mut self, buffer: &Buffer, start: usize) {
        self.lex = Lex::Between;
        let token = Token {
            start,
            end: self.at,
            kind: TokenKind::Bare,
        };
        if !is_literal(buffer.slice(start, self.at)) {
            self.defective();
        }
        self.value(token, buffer);
    }

    fn text(
        &mut self,
        buffer: &Buffer,
        end: usize,
        last: bool,
        mut open: Open,
        sink: &mut dyn Sink,
    ) -> Option<Step> {
        let rest = buffer.bytes(self.at, end);
        let found = match open.quote {
            Quote::Double => {
                let mut seen = open.seen;
                let stops = |byte: &u8| {
                    let class = CLASSES[usize::from(*byte)];
                    seen |= class;
                    class == STOP
                };
                let found = rest.iter().position(stops);
                open.seen = seen;
                found
            }
            Quote::Single => memchr3(b'\'', b'\\', b'<', rest),
            Quote::Curly => memchr3(0xE2, b'\\', b'<', rest),
        };
        self.lex = Lex::Text(open);
        let Some(found) = found else {
            self.at = end;
            return None;
        };
        self.at += found;
        match rest[found] {
            b'\\' => {
                if self.at + 1 >= buffer.end() && !last {
                    return Some(Step::More);
                }
                open.escaped = true;
                self.lex = Lex::Text(open);
                // The next character may be longer than a byte; its other bytes are plain.
                let plain = buffer.byte(self.at + 1) != Some(b'<');
                self.at = (self.at + 1 + usize::from(plain)).min(buffer.end());
            }
            b'<' => match self.flavour {
                Flavour::Block => match buffer.starts(self.at, END) {
                    None if !last => return Some(Step::More),
                    Some(true) if self.plain_ends || self.at_line_start(buffer) => {
                        return Some(Step::Delimiter(self.at));
                    }
                    Some(true) => {
                        self.skipped_end.get_or_insert(self.at);
                        self.at += END.len();
                    }
                    _ => self.at += 1,
                },
                Flavour::Structured => match (
                    buffer.starts(self.at, START),
                    buffer.starts_in_any_case(self.at, "<cite"),
                ) {
                    (None, _) | (_, None) if !last => return Some(Step::More),
                    (Some(true), _) if self.at_line_start(buffer) => {
                        return Some(Step::Delimiter(self.at));
                    }
                    (Some(true), _) | (_, Some(true)) => {
                        self.hold.get_or_insert(self.at);
                        self.at += 1;
                    }
                    _ => self.at += 1,
                },
            },
            0xE2 => match (buffer.starts(self.at, "”"), buffer.starts(self.at, "“")) {
                (Some(false), Some(false)) => self.at += 1,
                (None, _) | (_, None) if !last => return Some(Step::More),
                _ => return self.end_text(buffer, open, "”".len(), sink),
            },
            _ => return self.end_text(buffer, open, 1, sink),
        }
        None
    }

    /// Strings hold no line breaks in JSON: a delimiter after one is no part of a phrase.
    fn at_line_start(&self, buffer: &Buffer) -> bool {
        self.at > buffer.base() && buffer.byte(self.at - 1) == Some(b'\n')
    }

    fn end_text(
        &mut self,
        buffer: &Buffer,
        open: Open,
        quote_length: usize,
        sink: &mut dyn Sink,
    ) -> Option<Step> {
        self.lex = Lex::Between;
        let double = open.quote == Quote::Double;
        // Most strings hold nothing special.
        if self.flavour == Flavour::Block && (open.escaped || !double || open.seen != STOP) {
            let inside = buffer.slice(open.start, self.at);
            let control = open.seen & CONTROL != 0;
            if !double || control || (open.escaped && !super::strings::is_strict(inside)) {
                self.defective();
            }
            self.doubt = self.doubt || super::strings::is_doubtful(inside);
        }
        let token = Token {
            start: open.start,
            end: self.at,
            kind: TokenKind::Text {
                escaped: open.escaped,
            },
        };
        self.at += quote_length;
        self.report_text(token, sink);
        self.value(token, buffer);
        self.hold = None;
        self.skipped_end = None;
        None
    }

    /// Notes that the text is not JSON here.
    fn defective(&mut self) {
        self.defect.get_or_insert(self.at);
    }

    fn comma(&mut self) {
        let clean = match self.frames.last_mut() {
            Some(frame) if self.excess == 0 => {
                let clean = frame.expect == Expect::Comma;
                frame.expect = if frame.array {
                    Expect::Value
                } else {
                    Expect::Key
                };
                clean
            }
            frame => frame.is_some(),
        };
        if !clean {
            self.defective();
        }
    }

    fn colon(&mut self) {
        let clean = match self.frames.last_mut() {
            Some(frame) if self.excess == 0 => {
                let clean = frame.expect == Expect::Colon;
                frame.damaged |= !clean;
                if clean {
                    frame.expect = Expect::Value;
                }
                clean
            }
            frame => frame.is_some(),
        };
        if !clean {
            self.defective();
        }
    }

    fn open(&mut self, array: bool, buffer: &Buffer, sink: &mut dyn Sink) {
        let start = self.at - 1;
        if self.excess > 0 || self.frames.len() >= DEEPEST {
            self.excess += 1;
            self.too_deep.get_or_insert(start);
            return;
        }
        // A brace where a name should stand: the brace that closes this object is missing.
        let unclosed = |frame: &Frame| {
            !array
                && !frame.array
                && frame.in_list
                && matches!(frame.expect, Expect::Key | Expect::Comma)
        };
        if self.frames.last().is_some_and(unclosed) {
            self.defective();
            self.close_top(start, buffer, sink);
        }
        let place = self.place(buffer);
        if let Some(parent) = self.frames.last_mut() {
            let expected =
                parent.expect == Expect::Value || (parent.array && parent.expect == Expect::Key);
            if !expected {
                self.defect.get_or_insert(start);
            }
            parent.children |= place.candidate && !array;
        }
        self.roots += usize::from(self.frames.is_empty());
        self.frames
            .push(Frame::new(array, start, place, self.members.len()));
    }

    /// What may stand where the next bracket opens.
    fn place(&self, buffer: &Buffer) -> Place {
        let Some(parent) = self.frames.last() else {
            return Place {
                candidate: true,
                group: None,
                in_list: false,
            };
        };
        if parent.array {
            return Place {
                candidate: parent.candidate,
                group: parent.group.clone(),
                in_list: true,
            };
        }
        let name = parent.key.map(|key| key.name(buffer)).unwrap_or_default();
        let candidate = match self.flavour {
            Flavour::Block => {
                let own = fields::block_field(name.as_bytes());
                let nested = own.is_some_and(|(field, _)| {
                    matches!(field, BlockField::Timestamps | BlockField::Supporting)
                });
                parent.candidate && !parent.item && !nested
            }
            Flavour::Structured => matches!(&*name, "citation" | "citations"),
        };
        let group = (candidate && self.flavour == Flavour::Block).then(|| name.into());
        Place {
            candidate,
            group,
            in_list: false,
        }
    }

    fn close(&mut self, array: bool, buffer: &Buffer, sink: &mut dyn Sink) {
        if self.excess > 0 {
            self.excess -= 1;
            return;
        }
        let Some(depth) = self.frames.iter().rposition(|frame| frame.array == array) else {
            self.defective();
            return;
        };
        if depth + 1 < self.frames.len() {
            self.defective();
        }
        while self.frames.len() > depth + 1 {
            self.close_top(self.at - 1, buffer, sink);
        }
        if let Some(frame) = self.frames.last() {
            let empty = frame.count == 0;
            let clean = match frame.expect {
                Expect::Comma => true,
                Expect::Key => empty && !frame.array,
                Expect::Value => empty && frame.array,
                Expect::Colon => false,
            };
            if !clean {
                self.defective();
            }
        }
        self.close_top(self.at, buffer, sink);
    }

    /// Closes the innermost bracket; its last byte is before `end`.
    fn close_top(&mut self, end: usize, buffer: &Buffer, sink: &mut dyn Sink) {
        let Some(mut frame) = self.frames.pop() else {
            return;
        };
        if !frame.array && matches!(frame.expect, Expect::Colon | Expect::Value) {
            frame.damaged = true;
        }
        if frame.array && frame.telling {
            self.counted += frame.count;
        }
        if frame.array
            && frame.children
            && let Some(stray) = frame.stray
        {
            sink.stray(stray);
        }
        let too_long = self.flavour == Flavour::Structured && end - frame.start > LONGEST_VALUE;
        if !frame.array && frame.candidate && !frame.gone && !too_long {
            let position = match self.frames.last() {
                Some(parent) if parent.array => parent.count,
                _ => 0,
            };
            sink.object(&Object {
                range: frame.start..end,
                members: &self.members[frame.members..],
                group: frame.group,
                in_list: frame.in_list,
                item: frame.item,
                children: frame.children,
                damaged: frame.damaged,
                doubtful: self.doubt,
                number: self.counted + position + 1,
            });
            if frame.item {
                match self.frames.last_mut() {
                    Some(parent) if parent.array => parent.telling = true,
                    _ => self.counted += 1,
                }
            }
        }
        if let Some(parent) = self.frames.last_mut() {
            parent.children |= frame.children;
        }
        self.members.truncate(frame.members);
        let token = Token {
            start: frame.start,
            end,
            kind: TokenKind::Compound,
        };
        self.value(token, buffer);
    }

    /// A scalar ended, or a bracket closed.
    fn value(&mut self, token: Token, buffer: &Buffer) {
        if self.excess > 0 {
            return;
        }
        let is_text = matches!(token.kind, TokenKind::Text { .. });
        let Some(frame) = self.frames.last_mut() else {
            // A scalar at the root is valid JSON but holds nothing.
            self.roots += 1;
            return;
        };
        if frame.array {
            let missing = frame.expect == Expect::Comma;
            frame.expect = Expect::Comma;
            frame.count += 1;
            if token.kind != TokenKind::Compound {
                frame.stray.get_or_insert(token.start);
            }
            if missing {
                self.defect.get_or_insert(token.start);
            }
            return;
        }
        match frame.expect {
            Expect::Key | Expect::Comma => {
                let clean = frame.expect == Expect::Key && is_text;
                if token.kind == TokenKind::Compound {
                    frame.damaged = true;
                } else {
                    frame.key = Some(token);
                    frame.expect = Expect::Colon;
                }
                if !clean {
                    self.defect.get_or_insert(token.start);
                }
            }
            Expect::Colon => {
                frame.damaged = true;
                self.defect.get_or_insert(token.start);
            }
            Expect::Value => {
                frame.expect = Expect::Comma;
                frame.count += 1;
                let Some(key) = frame.key else { return };
                if frame.candidate {
                    match self.flavour {
                        Flavour::Block => {
                            let scalar = token.kind != TokenKind::Compound;
                            if scalar && !frame.item {
                                let name = key.name(buffer);
                                frame.item = fields::block_field(name.as_bytes()).is_some();
                            }
                            self.members.push(Member { key, value: token });
                        }
                        Flavour::Structured if !frame.item => {
                            let field = fields::field(&key.name(buffer));
                            frame.item = field.is_some_and(fields::is_telling);
                        }
                        Flavour::Structured => {}
                    }
                }
            }
        }
    }

    /// Ends the text at `self.at`: open brackets close, an open string takes its object with it.
    ///
    /// Returns where the object began that is lost.
    pub(crate) fn end(&mut self, buffer: &Buffer, sink: &mut dyn Sink) -> Option<usize> {
        let mut lost = None;
        match self.lex {
            Lex::Bare { start } => self.end_bare(buffer, start),
            Lex::Text(Open { start, .. }) => {
                self.lex = Lex::Between;
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
            _ => self.lex = Lex::Between,
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

/// Whether a bare word is JSON.
fn is_literal(word: &str) -> bool {
    if matches!(word, "true" | "false" | "null") {
        return true;
    }
    // Most are small numbers.
    let plain = !word.starts_with('0') && word.bytes().all(|byte| byte.is_ascii_digit());
    plain || agui::json::Value::parse(word).is_ok()
}
