//! Cursor that reads described types from JSON text.

use std::any::Any;
use std::ops::Range;
use std::sync::Arc;

use super::NotTyped;
use crate::{Scanner, StringLiteral, Text};

/// Cursor over one JSON text that reads described types.
pub struct TypedReader<'a> {
    buffer: &'a Arc<String>,
    pub(super) scanner: Scanner<'a>,
    depth: usize,
    context: Option<&'a mut (dyn Any + 'static)>,
}

impl<'a> TypedReader<'a> {
    /// Creates a reader at the start of a text.
    pub fn new(text: &'a Text) -> Self {
        let (buffer, range) = text.parts();
        Self::for_range(buffer, range)
    }

    /// Creates a reader of a part of a buffer. Strings that it reads share the buffer.
    #[inline]
    pub fn for_range(buffer: &'a Arc<String>, range: Range<usize>) -> Self {
        Self {
            buffer,
            scanner: Scanner::new(&buffer[..range.end], range.start),
            depth: 0,
            context: None,
        }
    }

    /// Attaches data of the caller that [`TypedJson::read`](super::TypedJson::read) may use, for
    /// example a cache of values that were read before.
    pub fn set_context(&mut self, context: &'a mut (dyn Any + 'static)) {
        self.context = Some(context);
    }

    /// Returns the attached data if it is a `T`.
    pub fn context<T: Any>(&mut self) -> Option<&mut T> {
        self.context.as_mut()?.downcast_mut()
    }

    /// Returns the next byte that is not white space, without taking it; 0 at the end.
    pub fn peek(&mut self) -> u8 {
        self.scanner.peek()
    }

    /// Returns the byte offset in the buffer.
    pub fn pos(&self) -> usize {
        self.scanner.pos()
    }

    /// Returns the text that has not been read yet.
    pub fn rest(&self) -> &'a str {
        &self.scanner.text()[self.scanner.pos()..]
    }

    /// Skips a number of bytes.
    pub fn advance(&mut self, bytes: usize) {
        self.scanner.seek(self.scanner.pos() + bytes);
    }

    /// Enters an object that is not read by [`Self::read_members`].
    pub fn enter(&mut self) {
        self.depth += 1;
    }

    /// Leaves an object entered with [`Self::enter`].
    pub fn leave(&mut self) {
        self.depth -= 1;
    }

    /// Fails if anything but white space follows.
    pub fn expect_end(&mut self) -> Result<(), NotTyped> {
        Ok(self.scanner.expect_end()?)
    }

    /// Reads an object. Calls `member` with each key; it must read the value.
    ///
    /// Keys are passed as written: a key with escapes equals no key of a schema.
    #[inline]
    pub fn read_members(
        &mut self,
        member: impl FnMut(&mut Self, &'a str) -> Result<(), NotTyped>,
    ) -> Result<(), NotTyped> {
        self.read_members_from(false, member)
    }

    /// Reads an object, or its remaining members if the first ones have been read (`started`).
    #[inline]
    pub fn read_members_from(
        &mut self,
        started: bool,
        mut member: impl FnMut(&mut Self, &'a str) -> Result<(), NotTyped>,
    ) -> Result<(), NotTyped> {
        self.scanner.check_depth(self.depth)?;
        self.depth += 1;
        let mut more = if started {
            self.scanner.take(b',')
        } else {
            self.scanner.expect(b'{', "")?;
            self.scanner.peek() != b'}'
        };
        while more {
            self.scanner.peek();
            let key = self.scanner.read_string_literal()?;
            self.scanner.expect(b':', "")?;
            let key = &self.scanner.text()[key.range];
            member(self, key)?;
            more = self.scanner.take(b',');
        }
        self.scanner.expect(b'}', "")?;
        self.depth -= 1;
        Ok(())
    }

    /// Takes `key`, which includes comma, quotes and colon, if the text continues with exactly it.
    /// The caller reads the value.
    #[inline(always)]
    pub fn take_key(&mut self, key: &'static str) -> bool {
        let pos = self.scanner.pos();
        let found =
            self.scanner.text().as_bytes().get(pos..pos + key.len()) == Some(key.as_bytes());
        if found {
            self.scanner.seek(pos + key.len());
        }
        found
    }

    /// Reads an array. Calls `item` at each element; it must read the element.
    pub fn read_items(
        &mut self,
        mut item: impl FnMut(&mut Self) -> Result<(), NotTyped>,
    ) -> Result<(), NotTyped> {
        self.scanner.expect(b'[', "")?;
        self.scanner.check_depth(self.depth)?;
        self.depth += 1;
        if !self.scanner.take(b']') {
            loop {
                item(self)?;
                if !self.scanner.take(b',') {
                    break;
                }
            }
            self.scanner.expect(b']', "")?;
        }
        self.depth -= 1;
        Ok(())
    }

    /// Skips any value and returns its range in the buffer.
    pub fn skip_value(&mut self) -> Result<Range<usize>, NotTyped> {
        Ok(self.scanner.skip_value(self.depth)?)
    }

    /// Returns the position for [`Self::rewind`].
    pub fn mark(&self) -> (usize, usize) {
        (self.scanner.pos(), self.depth)
    }

    /// Returns to a position of [`Self::mark`].
    pub fn rewind(&mut self, (pos, depth): (usize, usize)) {
        self.scanner.seek(pos);
        self.depth = depth;
    }

    /// Takes the closing brace of the outermost object. Returns true if nothing follows it.
    #[inline]
    pub fn take_last_brace(&mut self) -> bool {
        self.scanner.take(b'}') && self.scanner.expect_end().is_ok()
    }

    /// Points `text` to a part of the buffer.
    #[inline]
    pub fn reslice(&self, text: &mut Text, range: Range<usize>) {
        text.recut(self.buffer, range);
    }

    /// Returns a part of the buffer as shared text.
    pub fn slice(&self, range: Range<usize>) -> Text {
        Text::cut(self.buffer, range)
    }

    #[inline]
    pub(super) fn string_literal(&mut self) -> Result<StringLiteral, NotTyped> {
        self.scanner.peek();
        Ok(self.scanner.read_string_literal()?)
    }

    /// Reads a string. A string with escapes is an error.
    pub fn read_unescaped(&mut self) -> Result<&'a str, NotTyped> {
        let literal = self.string_literal()?;
        if literal.escaped {
            return Err(NotTyped);
        }
        Ok(&self.scanner.text()[literal.range])
    }
}

impl std::fmt::Debug for TypedReader<'_> {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_struct("TypedReader")
            .field("scanner", &self.scanner)
            .field("depth", &self.depth)
            .finish_non_exhaustive()
    }
}
