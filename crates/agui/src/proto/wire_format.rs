//! Protobuf wire format: varints, tags, fields.

use super::ProtoError;

/// Maximum nesting of groups, as in the official decoder.
const MAX_GROUPS: usize = 100;

/// Payload of a field.
#[derive(Debug, Clone, Copy)]
pub(super) enum FieldPayload<'a> {
    /// Varint; `None` if it has more than ten bytes.
    Int(Option<u64>),
    /// Eight bytes.
    Fixed([u8; 8]),
    /// A string, bytes or a message.
    Bytes(&'a [u8]),
    /// Four bytes, a type that no field of AG-UI has.
    Other,
}

/// Cursor over the fields of one message.
#[derive(Debug)]
pub(super) struct FieldCursor<'a> {
    bytes: &'a [u8],
    pos: usize,
    /// True if malformed bytes are reported as `Invalid` instead of `Malformed`, because the
    /// official decoder checks this message in advance.
    scanned: bool,
}

impl<'a> FieldCursor<'a> {
    pub(super) fn new(bytes: &'a [u8], scanned: bool) -> Self {
        Self {
            bytes,
            pos: 0,
            scanned,
        }
    }

    fn broken(&self, reason: &'static str) -> ProtoError {
        if self.scanned {
            ProtoError::Invalid(reason)
        } else {
            ProtoError::Malformed(reason)
        }
    }

    /// Returns the next field. Groups, which no AG-UI message has, are skipped.
    #[inline]
    pub(super) fn next(&mut self) -> Result<Option<(u32, FieldPayload<'a>)>, ProtoError> {
        // Fast path: nearly every field has a short number and a short length.
        if let [tag @ 8..0x80, length @ ..0x80, rest @ ..] = &self.bytes[self.pos..]
            && tag & 7 == 2
            && let Some(bytes) = rest.get(..usize::from(*length))
        {
            self.pos += 2 + bytes.len();
            return Ok(Some((u32::from(tag >> 3), FieldPayload::Bytes(bytes))));
        }
        self.next_of_any_kind()
    }

    fn next_of_any_kind(&mut self) -> Result<Option<(u32, FieldPayload<'a>)>, ProtoError> {
        while self.pos < self.bytes.len() {
            let (number, wire_type) = self.tag()?;
            match wire_type {
                3 => self.skip_group(number)?,
                4 => return Err(self.broken("a group ends that did not begin")),
                _ => return Ok(Some((number, self.payload(wire_type)?))),
            }
        }
        Ok(None)
    }

    fn tag(&mut self) -> Result<(u32, u8), ProtoError> {
        let start = self.pos;
        let tag = self.varint()?;
        if self.pos - start > 5 {
            return Err(ProtoError::Malformed("a field number is too long"));
        }
        let tag = tag.and_then(|tag| u32::try_from(tag).ok());
        let tag = tag.ok_or(ProtoError::Malformed("a field number is too large"))?;
        match (tag >> 3, (tag & 7) as u8) {
            (0, _) => Err(self.broken("a field has the number 0")),
            (_, 6 | 7) => Err(self.broken("a field has an unknown wire type")),
            known => Ok(known),
        }
    }

    fn payload(&mut self, wire_type: u8) -> Result<FieldPayload<'a>, ProtoError> {
        Ok(match wire_type {
            0 => FieldPayload::Int(self.varint()?),
            1 => FieldPayload::Fixed(*self.take(8)?.first_chunk().expect("eight bytes were taken")),
            2 => {
                let length = self
                    .varint()?
                    .ok_or(ProtoError::Malformed("the length of a field is too long"))?;
                // The official decoder reads lengths as 32 bits.
                FieldPayload::Bytes(self.take(length as u32 as usize)?)
            }
            _ => {
                self.take(4)?;
                FieldPayload::Other
            }
        })
    }

    fn take(&mut self, length: usize) -> Result<&'a [u8], ProtoError> {
        let rest = &self.bytes[self.pos..];
        let taken = rest
            .get(..length)
            .ok_or_else(|| self.broken("a field is longer than its message"))?;
        self.pos += length;
        Ok(taken)
    }

    /// Reads a varint truncated to 64 bits; `None` if it has more than ten bytes.
    #[inline]
    fn varint(&mut self) -> Result<Option<u64>, ProtoError> {
        let (int, length) = read_varint(&self.bytes[self.pos..])
            .ok_or_else(|| self.broken("a message ends in the middle of a number"))?;
        self.pos += length;
        Ok(int)
    }

    fn skip_group(&mut self, number: u32) -> Result<(), ProtoError> {
        let mut open = vec![number];
        while let Some(&innermost) = open.last() {
            if self.pos >= self.bytes.len() {
                return Err(self.broken("a group does not end"));
            }
            match self.tag()? {
                (_, 3) if open.len() == MAX_GROUPS => {
                    return Err(ProtoError::Malformed("groups are nested too deep"));
                }
                (number, 3) => open.push(number),
                (number, 4) if number == innermost => drop(open.pop()),
                (_, 4) => return Err(ProtoError::Malformed("a group ends as another one")),
                (_, wire_type) => drop(self.payload(wire_type)?),
            }
        }
        Ok(())
    }
}

/// Returns a varint truncated to 64 bits and its length; `None` if the bytes end inside it.
#[inline]
fn read_varint(bytes: &[u8]) -> Option<(Option<u64>, usize)> {
    match bytes {
        [first, ..] if *first < 0x80 => Some((Some(u64::from(*first)), 1)),
        _ => read_long_varint(bytes),
    }
}

fn read_long_varint(bytes: &[u8]) -> Option<(Option<u64>, usize)> {
    let length = bytes.iter().position(|byte| *byte < 0x80)? + 1;
    if length > 10 {
        return Some((None, length));
    }
    let int = bytes[..length]
        .iter()
        .rev()
        .fold(0, |int, byte| int << 7 | u64::from(byte & 0x7f));
    Some((Some(int), length))
}

/// Takes a varint of at most ten bytes from the front.
#[inline]
pub(super) fn take_varint(bytes: &mut &[u8]) -> Option<u64> {
    let (int, length) = read_varint(bytes)?;
    *bytes = &bytes[length..];
    int
}

/// Takes a length and as many bytes from the front.
#[inline]
pub(super) fn take_bytes<'a>(bytes: &mut &'a [u8]) -> Option<&'a [u8]> {
    let length = usize::try_from(take_varint(bytes)?).ok()?;
    let (taken, rest) = bytes.split_at_checked(length)?;
    *bytes = rest;
    Some(taken)
}

/// Returns the number of bytes of a varint.
#[inline]
pub(super) fn varint_len(int: u64) -> usize {
    // 7 bits per byte; 0 takes one byte.
    (64 - (int | 1).leading_zeros() as usize).div_ceil(7)
}

/// Encodes a varint and returns its length.
#[inline]
pub(super) fn varint(mut int: u64) -> ([u8; 10], usize) {
    let mut bytes = [0; 10];
    let mut length = 0;
    while int >= 0x80 {
        bytes[length] = int as u8 | 0x80;
        int >>= 7;
        length += 1;
    }
    bytes[length] = int as u8;
    (bytes, length + 1)
}

/// Appends a varint.
#[inline]
pub(super) fn put_varint(int: u64, out: &mut Vec<u8>) {
    if int < 0x80 {
        out.push(int as u8);
        return;
    }
    let (bytes, length) = varint(int);
    out.extend_from_slice(&bytes[..length]);
}

/// Returns true if a message contains only fields of unknown numbers, at least one of them a valid
/// message: an event type of a newer protocol.
pub(super) fn is_newer_event(message: &[u8], known: impl Fn(u32) -> bool) -> bool {
    let mut found = false;
    walk(message, |number, bytes| {
        found |= bytes.is_some();
        !known(number) && bytes.is_none_or(|bytes| walk(bytes, |_, _| true))
    }) && found
}

/// Returns true if the bytes are well-formed protobuf and `visit` accepts each field outside of
/// groups. Numbers that do not fit are malformed here.
fn walk(mut rest: &[u8], mut visit: impl FnMut(u32, Option<&[u8]>) -> bool) -> bool {
    let mut open = Vec::new();
    while !rest.is_empty() {
        let Some(tag) = take_exact(&mut rest, 5, 0x0f) else {
            return false;
        };
        let number = (tag >> 3) as u32;
        let (mut bytes, mut fixed) = (None, 0);
        match tag & 7 {
            _ if number == 0 => return false,
            0 if take_exact(&mut rest, 10, 1).is_some() => {}
            1 => fixed = 8,
            2 => {
                let length = take_exact(&mut rest, 5, 0x0f).map(|length| length as usize);
                let Some((taken, after)) = length.and_then(|length| rest.split_at_checked(length))
                else {
                    return false;
                };
                (bytes, rest) = (Some(taken), after);
            }
            // A known field number with a group is not an event.
            3 => {
                if open.is_empty() && !visit(number, None) {
                    return false;
                }
                open.push(number);
                continue;
            }
            4 if open.pop() == Some(number) => continue,
            5 => fixed = 4,
            _ => return false,
        }
        let Some(after) = rest.get(fixed..) else {
            return false;
        };
        rest = after;
        if open.is_empty() && !visit(number, bytes) {
            return false;
        }
    }
    open.is_empty()
}

/// Takes a varint of at most `most` bytes; a last byte of a varint of that length may be at most
/// `last`.
fn take_exact(rest: &mut &[u8], most: usize, last: u8) -> Option<u64> {
    let (int, length) = read_varint(rest)?;
    if length > most || (length == most && rest[length - 1] > last) {
        return None;
    }
    *rest = &rest[length..];
    int
}
