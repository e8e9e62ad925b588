//! `google.protobuf.Value` and `Struct`, read to JSON text.

use std::borrow::Cow;
use std::fmt::Write as _;

use hashbrown::HashMap;

use super::ProtoError;
use super::wire::{Cursor, Payload};
use crate::json::{MAX_DEPTH, write_int, write_string};

/// Objects with more members than this are searched by hash.
const INDEX_FROM: usize = 16;

/// What came in for one field so far.
///
/// A message that comes in pieces is the message of their bytes one after the other. The pieces are
/// kept apart, so that no byte is copied and deep nesting costs nothing.
#[derive(Debug, Default)]
pub(super) enum Slot<'a> {
    #[default]
    Absent,
    Int(u64),
    One(&'a [u8]),
    Many(Vec<&'a [u8]>),
}

impl<'a> Slot<'a> {
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

    /// The number; 0 if absent.
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

/// A `Value` whose inside has not been read yet.
#[derive(Debug)]
pub(super) enum Any<'a> {
    Null,
    Bool(bool),
    Number(f64),
    Text(&'a [u8]),
    List(Slot<'a>),
    Object(Slot<'a>),
}

impl<'a> Any<'a> {
    /// Reads a `Value`: its last kind counts. `None` if it has no kind.
    pub(super) fn read(pieces: &[&'a [u8]]) -> Result<Option<Self>, ProtoError> {
        let mut found = None;
        for piece in pieces {
            let mut cursor = Cursor::new(piece, false);
            while let Some(field) = cursor.next()? {
                match field {
                    (1, Payload::Int(int)) => {
                        known(int)?;
                        found = Some(Self::Null);
                    }
                    (2, Payload::Fixed(bytes)) => {
                        found = Some(Self::Number(f64::from_le_bytes(bytes)));
                    }
                    (3, Payload::Bytes(bytes)) => found = Some(Self::Text(bytes)),
                    (4, Payload::Int(int)) => found = Some(Self::Bool(known(int)? != 0)),
                    (5, Payload::Bytes(bytes)) => match &mut found {
                        Some(Self::Object(slot)) => slot.push(bytes),
                        _ => found = Some(Self::Object(Slot::One(bytes))),
                    },
                    (6, Payload::Bytes(bytes)) => match &mut found {
                        Some(Self::List(slot)) => slot.push(bytes),
                        _ => found = Some(Self::List(Slot::One(bytes))),
                    },
                    _ => {}
                }
            }
        }
        Ok(found)
    }

    /// Appends it as JSON; `depth` arrays and objects are around it.
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

/// The number of a field that is known, or an error if it is longer than a number can be.
pub(super) fn known(int: Option<u64>) -> Result<u64, ProtoError> {
    int.ok_or(ProtoError::Malformed("a number has more than 10 bytes"))
}

/// Appends a string as JSON; bytes that are not UTF-8 become U+FFFD.
#[inline]
pub(super) fn write_text(bytes: &[u8], out: &mut String) {
    match std::str::from_utf8(bytes) {
        Ok(text) => write_string(text, out),
        Err(_) => write_string(&String::from_utf8_lossy(bytes), out),
    }
}

/// Appends a double so that reading it gives the same one. `NaN` and infinities become `null`, as
/// `JSON.stringify` writes them.
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
        let mut cursor = Cursor::new(piece, false);
        while let Some((number, payload)) = cursor.next()? {
            let (1, Payload::Bytes(item)) = (number, payload) else {
                continue;
            };
            if !out.ends_with('[') {
                out.push(',');
            }
            // An item keeps its place even if it says nothing.
            let item = Any::read(&[item])?.unwrap_or(Any::Null);
            item.write(out, depth + 1)?;
        }
    }
    out.push(']');
    Ok(())
}

/// Appends a `Struct` as JSON; `depth` arrays and objects are around it.
pub(super) fn write_object(
    pieces: &[&[u8]],
    out: &mut String,
    depth: usize,
) -> Result<(), ProtoError> {
    deeper(depth)?;
    let mut members = Members::default();
    for piece in pieces {
        let mut cursor = Cursor::new(piece, false);
        while let Some((number, payload)) = cursor.next()? {
            if let (1, Payload::Bytes(entry)) = (number, payload)
                && let Some((key, value)) = read_entry(entry)?
                && let Some(replaced) = members.insert(key, value)
            {
                // Nobody will read it, but it has to be readable.
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

/// A member of a `Struct`; `None` if it has no value.
fn read_entry(entry: &[u8]) -> Result<Option<(Cow<'_, str>, Any<'_>)>, ProtoError> {
    let (mut key, mut value) = (&[][..], Slot::Absent);
    let mut cursor = Cursor::new(entry, false);
    while let Some(field) = cursor.next()? {
        match field {
            (1, Payload::Bytes(bytes)) => key = bytes,
            (2, Payload::Bytes(bytes)) => value.push(bytes),
            _ => {}
        }
    }
    let value = Any::read(value.pieces())?;
    Ok(value.map(|value| (String::from_utf8_lossy(key), value)))
}

/// The members of an object: of those with the same key, the last counts.
#[derive(Default)]
struct Members<'a> {
    list: Vec<(Cow<'a, str>, Any<'a>)>,
    /// Where each key is, once there are many.
    index: HashMap<Cow<'a, str>, usize>,
}

impl<'a> Members<'a> {
    /// Adds a member and returns the value it replaces.
    fn insert(&mut self, key: Cow<'a, str>, value: Any<'a>) -> Option<Any<'a>> {
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
