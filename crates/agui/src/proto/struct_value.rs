//! Decoder of `google.protobuf.Value` and `Struct` to JSON text.

use std::borrow::Cow;
use std::fmt::Write as _;

use hashbrown::HashMap;

use super::ProtoError;
use super::wire_format::{FieldCursor, FieldPayload};
use json::{MAX_DEPTH, write_int, write_string};

/// Number of members above which an object is indexed by hash.
const INDEX_FROM: usize = 16;

/// Received data of one field.
///
/// A message that comes in pieces is the message of their concatenated bytes. The pieces are kept
/// apart, so that no byte is copied and deep nesting is cheap.
#[derive(Debug, Default)]
pub(super) enum FieldSlot<'a> {
    #[default]
    Absent,
    Int(u64),
    One(&'a [u8]),
    Many(Vec<&'a [u8]>),
}

impl<'a> FieldSlot<'a> {
    #[inline]
    pub(super) fn push(&mut self, bytes: &'a [u8]) {
        match self {
            Self::Absent | Self::Int(_) => *self = Self::One(bytes),
            Self::One(first) => *self = Self::Many(vec![first, bytes]),
            Self::Many(all) => all.push(bytes),
        }
    }

    pub(super) fn pieces(&self) -> &[&'a [u8]] {
        match self {
            Self::Absent | Self::Int(_) => &[],
            Self::One(bytes) => std::slice::from_ref(bytes),
            Self::Many(all) => all,
        }
    }

    /// Returns the number; 0 if absent.
    pub(super) fn int(&self) -> u64 {
        match self {
            Self::Int(int) => *int,
            _ => 0,
        }
    }

    pub(super) fn is_absent(&self) -> bool {
        matches!(self, Self::Absent)
    }
}

/// `Value` whose content has not been decoded yet.
#[derive(Debug)]
pub(super) enum UnreadValue<'a> {
    Null,
    Bool(bool),
    Number(f64),
    Text(&'a [u8]),
    List(FieldSlot<'a>),
    Object(FieldSlot<'a>),
}

impl<'a> UnreadValue<'a> {
    /// Reads a `Value`; the last kind counts. Returns `None` if it has no kind.
    pub(super) fn read(pieces: &[&'a [u8]]) -> Result<Option<Self>, ProtoError> {
        let mut found = None;
        for piece in pieces {
            let mut cursor = FieldCursor::new(piece, false);
            while let Some(field) = cursor.next()? {
                match field {
                    (1, FieldPayload::Int(int)) => {
                        check_varint(int)?;
                        found = Some(Self::Null);
                    }
                    (2, FieldPayload::Fixed(bytes)) => {
                        found = Some(Self::Number(f64::from_le_bytes(bytes)));
                    }
                    (3, FieldPayload::Bytes(bytes)) => found = Some(Self::Text(bytes)),
                    (4, FieldPayload::Int(int)) => {
                        found = Some(Self::Bool(check_varint(int)? != 0));
                    }
                    (5, FieldPayload::Bytes(bytes)) => match &mut found {
                        Some(Self::Object(slot)) => slot.push(bytes),
                        _ => found = Some(Self::Object(FieldSlot::One(bytes))),
                    },
                    (6, FieldPayload::Bytes(bytes)) => match &mut found {
                        Some(Self::List(slot)) => slot.push(bytes),
                        _ => found = Some(Self::List(FieldSlot::One(bytes))),
                    },
                    _ => {}
                }
            }
        }
        Ok(found)
    }

    /// Appends the value as JSON at nesting depth `depth`.
    pub(super) fn write(&self, out: &mut String, depth: usize) -> Result<(), ProtoError> {
        match self {
            Self::Null => out.push_str("null"),
            Self::Bool(flag) => out.push_str(if *flag { "true" } else { "false" }),
            Self::Number(number) => write_number(*number, out),
            Self::Text(bytes) => write_text(bytes, out),
            Self::List(slot) => write_list(slot.pieces(), out, depth)?,
            Self::Object(slot) => write_object(slot.pieces(), out, depth)?,
        }
        Ok(())
    }
}

/// Returns the number of a known field, or an error if it has more than 10 bytes.
pub(super) fn check_varint(int: Option<u64>) -> Result<u64, ProtoError> {
    int.ok_or(ProtoError::Malformed("a number has more than 10 bytes"))
}

/// Appends a string as JSON; invalid UTF-8 becomes U+FFFD.
#[inline]
pub(super) fn write_text(bytes: &[u8], out: &mut String) {
    match std::str::from_utf8(bytes) {
        Ok(text) => write_string(text, out),
        Err(_) => write_string(&String::from_utf8_lossy(bytes), out),
    }
}

/// Appends a double so that parsing gives the same value. `NaN` and infinities become `null`, as in
/// `JSON.stringify`.
fn write_number(number: f64, out: &mut String) {
    if !number.is_finite() {
        out.push_str("null");
    } else if number == 0.0 && number.is_sign_negative() {
        out.push_str("-0");
    } else if number.trunc() == number && number.abs() <= 9_007_199_254_740_991.0 {
        write_int(number as i64, out);
    } else {
        // Writing to a String cannot fail.
        let _ = write!(out, "{number:?}");
    }
}

fn deeper(depth: usize) -> Result<(), ProtoError> {
    if depth >= MAX_DEPTH {
        return Err(ProtoError::Malformed("values are nested too deep"));
    }
    Ok(())
}

fn write_list(pieces: &[&[u8]], out: &mut String, depth: usize) -> Result<(), ProtoError> {
    deeper(depth)?;
    out.push('[');
    for piece in pieces {
        let mut cursor = FieldCursor::new(piece, false);
        while let Some((number, payload)) = cursor.next()? {
            let (1, FieldPayload::Bytes(item)) = (number, payload) else {
                continue;
            };
            if !out.ends_with('[') {
                out.push(',');
            }
            // An item without a kind is `null`, so that the others keep their index.
            let item = UnreadValue::read(&[item])?.unwrap_or(UnreadValue::Null);
            item.write(out, depth + 1)?;
        }
    }
    out.push(']');
    Ok(())
}

/// Appends a `Struct` as JSON at nesting depth `depth`.
pub(super) fn write_object(
    pieces: &[&[u8]],
    out: &mut String,
    depth: usize,
) -> Result<(), ProtoError> {
    deeper(depth)?;
    let mut members = ObjectMembers::default();
    for piece in pieces {
        let mut cursor = FieldCursor::new(piece, false);
        while let Some((number, payload)) = cursor.next()? {
            if let (1, FieldPayload::Bytes(entry)) = (number, payload)
                && let Some((key, value)) = read_entry(entry)?
                && let Some(replaced) = members.insert(key, value)
            {
                // A replaced value is not written, but it must be valid.
                let end = out.len();
                replaced.write(out, depth + 1)?;
                out.truncate(end);
            }
        }
    }
    out.push('{');
    for (key, value) in &members.list {
        if !out.ends_with('{') {
            out.push(',');
        }
        write_string(key, out);
        out.push(':');
        value.write(out, depth + 1)?;
    }
    out.push('}');
    Ok(())
}

/// Reads a member of a `Struct`; `None` if it has no value.
fn read_entry(entry: &[u8]) -> Result<Option<(Cow<'_, str>, UnreadValue<'_>)>, ProtoError> {
    let (mut key, mut value) = (&[][..], FieldSlot::Absent);
    let mut cursor = FieldCursor::new(entry, false);
    while let Some(field) = cursor.next()? {
        match field {
            (1, FieldPayload::Bytes(bytes)) => key = bytes,
            (2, FieldPayload::Bytes(bytes)) => value.push(bytes),
            _ => {}
        }
    }
    let value = UnreadValue::read(value.pieces())?;
    Ok(value.map(|value| (String::from_utf8_lossy(key), value)))
}

/// Members of an object; the last of equal keys counts.
#[derive(Default)]
struct ObjectMembers<'a> {
    list: Vec<(Cow<'a, str>, UnreadValue<'a>)>,
    /// Index of each key, if there are many.
    index: HashMap<Cow<'a, str>, usize>,
}

impl<'a> ObjectMembers<'a> {
    /// Adds a member and returns the value that it replaces.
    fn insert(&mut self, key: Cow<'a, str>, value: UnreadValue<'a>) -> Option<UnreadValue<'a>> {
        let at = if self.list.len() < INDEX_FROM {
            self.list.iter().position(|(known, _)| *known == key)
        } else {
            if self.index.is_empty() {
                let keys = self.list.iter().map(|(key, _)| key.clone());
                self.index.extend(keys.zip(0..));
            }
            self.index.get(&key).copied()
        };
        match at {
            Some(at) => Some(std::mem::replace(&mut self.list[at].1, value)),
            None => {
                if !self.index.is_empty() {
                    self.index.insert(key.clone(), self.list.len());
                }
                self.list.push((key, value));
                None
            }
        }
    }
}
