//! The cursor that described types are read with.

use std::ops::Range;
use std::sync::Arc;

use super::Unclean;
use crate::json::{Literal, Scanner, Text};
use crate::model::SnapshotMemory;

/// A cursor over one JSON text that reads described types.
pub(crate) struct Reader<'a> {
    buffer: &'a Arc<String>,
    pub(super) scanner: Scanner<'a>,
    depth: usize,
    /// Messages of the last snapshot, where they may be recalled instead of read.
    pub(crate) memory: Option<&'a mut SnapshotMemory>,
}

impl<'a> Reader<'a> {
    pub(crate) fn new(text: &'a Text) -> Self {
        let (buffer, range) = text.parts();
        Self::of(buffer, range)
    }

    /// A reader of a part of a buffer.
    #[inline]
    pub(crate) fn of(buffer: &'a Arc<String>, range: Range<usize>) -> Self {
        Self {
            buffer,
            scanner: Scanner::new(&buffer[..range.end], range.start),
            depth: 0,
            memory: None,
        }
    }

    pub(crate) fn peek(&mut self) -> u8 {
        self.scanner.peek()
    }

    pub(crate) fn pos(&self) -> usize {
        self.scanner.pos()
    }

    /// What has not been read yet.
    pub(crate) fn rest(&self) -> &'a str {
        &self.scanner.text()[self.scanner.pos()..]
    }

    pub(crate) fn advance(&mut self, bytes: usize) {
        self.scanner.jump(self.scanner.pos() + bytes);
    }

    /// Enters an object that is not read by [`Self::members`].
    pub(crate) fn deeper(&mut self) {
        self.depth += 1;
    }

    /// Leaves it.
    pub(crate) fn shallower(&mut self) {
        self.depth -= 1;
    }

    pub(crate) fn end(&mut self) -> Result<(), Unclean> {
        Ok(self.scanner.end()?)
    }

    /// Reads an object, giving each key to `member`, which takes the value.
    ///
    /// Keys come as they are written: one with escapes equals no key of the protocol.
    #[inline]
    pub(crate) fn members(
        &mut self,
        member: impl FnMut(&mut Self, &'a str) -> Result<(), Unclean>,
    ) -> Result<(), Unclean> {
        self.members_from(false, member)
    }

    /// Reads an object of which the first members have been read, if it is `started`.
    #[inline]
    pub(crate) fn members_from(
        &mut self,
        started: bool,
        mut member: impl FnMut(&mut Self, &'a str) -> Result<(), Unclean>,
    ) -> Result<(), Unclean> {
        self.scanner.deeper(self.depth)?;
        self.depth += 1;
        let mut more = if started {
            self.scanner.take(b',')
        } else {
            self.scanner.expect(b'{', "")?;
            self.scanner.peek() != b'}'
        };
        while more {
            self.scanner.peek();
            let key = self.scanner.string()?;
            self.scanner.expect(b':', "")?;
            let key = &self.scanner.text()[key.range];
            member(self, key)?;
            more = self.scanner.take(b',');
        }
        self.scanner.expect(b'}', "")?;
        self.depth -= 1;
        Ok(())
    }

    /// Takes a comma, a key and a colon if they come next exactly so; the value is up to the caller.
    #[inline(always)]
    pub(crate) fn take_key(&mut self, key: &'static str) -> bool {
        let pos = self.scanner.pos();
        let found =
            self.scanner.text().as_bytes().get(pos..pos + key.len()) == Some(key.as_bytes());
        if found {
            self.scanner.jump(pos + key.len());
        }
        found
    }

    /// Reads an array, calling `item` at each element, which takes it.
    pub(crate) fn items(
        &mut self,
        mut item: impl FnMut(&mut Self) -> Result<(), Unclean>,
    ) -> Result<(), Unclean> {
        self.scanner.expect(b'[', "")?;
        self.scanner.deeper(self.depth)?;
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

    /// Takes any value and returns where it stood.
    pub(crate) fn skip(&mut self) -> Result<Range<usize>, Unclean> {
        Ok(self.scanner.skip(self.depth)?)
    }

    /// Where it is, to come back to.
    pub(crate) fn mark(&self) -> (usize, usize) {
        (self.scanner.pos(), self.depth)
    }

    /// Goes back to where it was.
    pub(crate) fn rewind(&mut self, (pos, depth): (usize, usize)) {
        self.scanner.jump(pos);
        self.depth = depth;
    }

    /// Whether nothing follows but the end of the outermost object.
    #[inline]
    pub(crate) fn closes(&mut self) -> bool {
        self.scanner.take(b'}') && self.scanner.end().is_ok()
    }

    /// Makes a text that part of the buffer.
    #[inline]
    pub(crate) fn recut(&self, text: &mut Text, range: Range<usize>) {
        text.recut(self.buffer, range);
    }

    /// Cuts a part of the text out as it is.
    pub(crate) fn cut(&self, range: Range<usize>) -> Text {
        Text::cut(self.buffer, range)
    }

    #[inline]
    pub(super) fn literal(&mut self) -> Result<Literal, Unclean> {
        self.scanner.peek();
        Ok(self.scanner.string()?)
    }

    /// Takes a string without escapes and returns it as it stands.
    pub(crate) fn plain(&mut self) -> Result<&'a str, Unclean> {
        let literal = self.literal()?;
        if literal.escaped {
            return Err(Unclean);
        }
        Ok(&self.scanner.text()[literal.range])
    }
}
