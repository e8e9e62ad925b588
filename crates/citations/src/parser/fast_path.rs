//! Fast path for entries that are plain JSON.
//!
//! Most entries of a data block arrive complete and without mistakes. They do not need a scanner that can
//! stop at every byte; the result is the same. Everything else is left to the scanner, which then reads the
//! beginning of the entry a second time.

use std::borrow::Cow;

use super::InputBuffer;
use super::block_scanner::{BlockScanner, MAX_DEPTH, ScanSink, ScannedKind, ends_bare, is_literal};
use super::entry::EntryFields;
use super::string_lexer::{STOP, StringFlaws, class, is_plain};
use super::tokens::{
    ClosedObject, ExpectedToken, JsonToken, JsonTokenKind, NumberList, RawValue, small_number,
};
use crate::field_aliases::{BlockField, block_field};

impl BlockScanner {
    /// Reads a complete entry that begins here. Returns false if it is incomplete or not plain.
    pub(super) fn plain_entry(
        &mut self,
        buffer: &InputBuffer,
        end: usize,
        sink: &mut dyn ScanSink,
    ) -> bool {
        // The object and a list in it add two brackets.
        let shallow = self.brackets.len() + 2 <= MAX_DEPTH;
        let Some(list) = self.brackets.last_mut() else {
            return false;
        };
        let listed = list.is_array && list.is_candidate && list.expect == ExpectedToken::Value;
        if self.kind != ScannedKind::Block || !listed || !shallow {
            return false;
        }
        let start = self.at;
        let mut item = EntryFields::default();
        let mut pass = FastPass::new(buffer, start, end);
        let Some(has_field) = pass.object(&mut item) else {
            return false;
        };
        // An entry without a quote may have one under other names.
        if !item.has_phrase() {
            return false;
        }
        self.at = start + pass.at;
        let object = ClosedObject {
            range: start..self.at,
            members: &[],
            group: list.group.as_deref(),
            is_in_list: true,
            is_entry: has_field,
            has_children: false,
            is_damaged: false,
            is_doubtful: self.doubt,
            number: self.counted + list.count + 1,
        };
        sink.item(&item, &object);
        list.has_children = true;
        list.has_entries |= has_field;
        let token = JsonToken {
            start,
            end: self.at,
            kind: JsonTokenKind::Compound,
        };
        self.value(token, buffer);
        true
    }
}

/// One pass over an object. Every function returns `None` to give up.
struct FastPass<'a> {
    buffer: &'a InputBuffer,
    bytes: &'a [u8],
    at: usize,
    /// Offset of the first byte in the input.
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

    /// Returns the next byte that is no white space.
    #[inline]
    fn next(&mut self) -> Option<u8> {
        loop {
            match *self.bytes.get(self.at)? {
                b' ' | b'\n' | b'\r' | b'\t' => self.at += 1,
                byte => return Some(byte),
            }
        }
    }

    /// Returns the token that was read since `from`.
    #[inline]
    fn token(&self, from: usize, kind: JsonTokenKind) -> JsonToken {
        JsonToken {
            start: self.start + from,
            end: self.start + self.at,
            kind,
        }
    }

    /// Reads the members of the object. Returns true if one of its fields is a scalar.
    fn object(&mut self, item: &mut EntryFields<'a>) -> Option<bool> {
        let mut has_field = false;
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
            has_field |= field.is_some() && first != b'[';
            // Values are written in place, because moving them costs more than reading them.
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
                b'}' => return Some(has_field),
                _ => return None,
            }
        }
    }

    /// Reads the name of a member and returns its field.
    #[inline]
    fn name(&mut self) -> Option<Option<(BlockField, usize)>> {
        let rest = self.bytes.get(self.at + 1..)?;
        let length = memchr::memchr(b'"', rest)?;
        // A known name has no escapes.
        let field = block_field(&rest[..length]);
        if field.is_some() {
            self.at += length + 2;
            return Some(field);
        }
        self.text().map(|name| block_field(name.as_bytes()))
    }

    /// Reads a string without special characters.
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

    /// Reads any string that is valid JSON and that a repair would not change.
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

    /// Reads a list of small numbers.
    fn numbers(&mut self) -> Option<NumberList<'a>> {
        let inside = |byte: &u8| matches!(byte, b'0'..=b'9' | b',' | b' ' | b'\n' | b'\r' | b'\t');
        let rest = &self.bytes[self.at + 1..];
        let length = rest.iter().position(|byte| !inside(byte))?;
        let start = self.start + self.at;
        self.at += length + 2;
        NumberList::of(self.buffer.slice(start, start + length + 2))
    }

    /// Reads the bytes up to the end of a bare word.
    #[inline]
    fn word(&mut self) -> Option<&'a [u8]> {
        let rest = &self.bytes[self.at..];
        let length = rest.iter().position(ends_bare)?;
        self.at += length;
        Some(&rest[..length])
    }

    /// Reads a number, `true`, `false` or `null`.
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
