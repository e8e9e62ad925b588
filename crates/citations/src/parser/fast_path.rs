//! Entries that are plain JSON, in one pass.
//!
//! Most entries of a data block arrive whole and clean. Those need no cursor that can stop at every
//! byte: here they are read as the cursor would read them. What is not surely clean, or not wholly
//! here, is left to the cursor; nothing of it is read twice but its beginning.

use std::borrow::Cow;

use super::InputBuffer;
use super::block_scanner::{BlockFlavour, BlockScanner, DEEPEST, ScanSink, ends_bare, is_literal};
use super::entry::EntryFields;
use super::string_lexer::{STOP, StringFlaws, class, is_plain};
use super::tokens::{
    ClosedObject, ExpectedToken, JsonToken, JsonTokenKind, NumberList, RawValue, small_number,
};
use crate::field_aliases::{BlockField, block_field};

impl BlockScanner {
    /// Takes a whole entry that begins here; whether it was plain and could be taken.
    pub(super) fn plain_entry(
        &mut self,
        buffer: &InputBuffer,
        end: usize,
        sink: &mut dyn ScanSink,
    ) -> bool {
        // The object and a list in it are two brackets more.
        let shallow = self.frames.len() + 2 <= DEEPEST;
        let Some(list) = self.frames.last_mut() else {
            return false;
        };
        let listed = list.array && list.candidate && list.expect == ExpectedToken::Value;
        if self.flavour != BlockFlavour::Block || !listed || !shallow {
            return false;
        }
        let start = self.at;
        let mut item = EntryFields::default();
        let mut pass = FastPass::new(buffer, start, end);
        let Some(telling) = pass.object(&mut item) else {
            return false;
        };
        // Without a phrase it may have one under other names.
        if !item.has_phrase() {
            return false;
        }
        self.at = start + pass.at;
        let object = ClosedObject {
            range: start..self.at,
            members: &[],
            group: list.group.as_deref(),
            in_list: true,
            item: telling,
            children: false,
            damaged: false,
            doubtful: self.doubt,
            number: self.counted + list.count + 1,
        };
        sink.item(&item, &object);
        list.children = true;
        list.telling |= telling;
        let token = JsonToken {
            start,
            end: self.at,
            kind: JsonTokenKind::Compound,
        };
        self.value(token, buffer);
        true
    }
}

/// A pass over one object. Everything in it gives up with `None`.
struct FastPass<'a> {
    buffer: &'a InputBuffer,
    bytes: &'a [u8],
    at: usize,
    /// The offset of the first byte in the input.
    start: usize,
}

impl<'a> FastPass<'a> {
    fn new(buffer: &'a InputBuffer, start: usize, end: usize) -> Self {
        Self {
            buffer,
            bytes: buffer.bytes(start, end),
            at: 0,
            start,
        }
    }

    /// The next byte that is no white space.
    #[inline]
    fn next(&mut self) -> Option<u8> {
        loop {
            match *self.bytes.get(self.at)? {
                b' ' | b'\n' | b'\r' | b'\t' => self.at += 1,
                byte => return Some(byte),
            }
        }
    }

    /// What was read since a place.
    #[inline]
    fn token(&self, from: usize, kind: JsonTokenKind) -> JsonToken {
        JsonToken {
            start: self.start + from,
            end: self.start + self.at,
            kind,
        }
    }

    /// Fills in the members of the object; whether a scalar is among its fields.
    fn object(&mut self, item: &mut EntryFields<'a>) -> Option<bool> {
        let mut telling = false;
        self.at += 1;
        loop {
            if self.next()? != b'"' {
                return None;
            }
            let field = self.name()?;
            if self.next()? != b':' {
                return None;
            }
            self.at += 1;
            let first = self.next()?;
            telling |= field.is_some() && first != b'[';
            // Each value is written where it stays: moving it around costs more than reading it.
            let mut nowhere = None;
            let place = field.and_then(|(field, name)| item.place(field, name));
            let place = place.unwrap_or(&mut nowhere);
            match first {
                b'"' => match self.plain_text() {
                    Some(text) => *place = Some(RawValue::Text(Cow::Borrowed(text))),
                    None => *place = Some(RawValue::Text(self.text()?)),
                },
                b'[' => *place = Some(RawValue::Numbers(self.numbers()?)),
                _ => *place = Some(self.bare()?),
            }
            let next = self.next()?;
            self.at += 1;
            match next {
                b',' => {}
                b'}' => return Some(telling),
                _ => return None,
            }
        }
    }

    /// The name of a member, as the field it stands for.
    #[inline]
    fn name(&mut self) -> Option<Option<(BlockField, usize)>> {
        let rest = self.bytes.get(self.at + 1..)?;
        let length = memchr::memchr(b'"', rest)?;
        // A name that is known holds nothing odd.
        let field = block_field(&rest[..length]);
        if field.is_some() {
            self.at += length + 2;
            return Some(field);
        }
        self.text().map(|name| block_field(name.as_bytes()))
    }

    /// A string with nothing special in it.
    #[inline]
    fn plain_text(&mut self) -> Option<&'a str> {
        let rest = self.bytes.get(self.at + 1..)?;
        let length = memchr::memchr(b'"', rest)?;
        if !is_plain(&rest[..length]) {
            return None;
        }
        let start = self.start + self.at + 1;
        self.at += length + 2;
        Some(self.buffer.slice(start, start + length))
    }

    /// Any string that is JSON and that mending would not change.
    fn text(&mut self) -> Option<Cow<'a, str>> {
        self.at += 1;
        let from = self.at;
        let (mut seen, mut escaped) = (0, false);
        loop {
            let byte = *self.bytes.get(self.at)?;
            seen |= class(byte);
            match byte {
                b'"' => break,
                b'\\' => {
                    escaped = true;
                    self.at += 2;
                }
                _ if class(byte) == STOP => return None,
                _ => self.at += 1,
            }
        }
        let token = self.token(from, JsonTokenKind::Text { escaped });
        self.at += 1;
        let clean = StringFlaws::of(token, seen, self.buffer) == StringFlaws::default();
        clean.then(|| token.name(self.buffer))
    }

    /// A list of small numbers.
    fn numbers(&mut self) -> Option<NumberList<'a>> {
        let inside = |byte: &u8| matches!(byte, b'0'..=b'9' | b',' | b' ' | b'\n' | b'\r' | b'\t');
        let rest = &self.bytes[self.at + 1..];
        let length = rest.iter().position(|byte| !inside(byte))?;
        let start = self.start + self.at;
        self.at += length + 2;
        NumberList::of(self.buffer.slice(start, start + length + 2))
    }

    /// The bytes up to the end of a bare word.
    #[inline]
    fn word(&mut self) -> Option<&'a [u8]> {
        let rest = &self.bytes[self.at..];
        let length = rest.iter().position(ends_bare)?;
        self.at += length;
        Some(&rest[..length])
    }

    /// A number, or a word that JSON knows.
    fn bare(&mut self) -> Option<RawValue<'a>> {
        let from = self.at;
        if let Some(number) = small_number(self.word()?) {
            return Some(RawValue::Value(number.into()));
        }
        let token = self.token(from, JsonTokenKind::Bare);
        let word = self.buffer.slice(token.start, token.end);
        if word.is_empty() || !is_literal(word) {
            return None;
        }
        token.raw(self.buffer)
    }
}
