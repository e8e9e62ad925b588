//! Types with a described JSON form: a schema as data, a strict reader and a writer.
//!
//! Reading with a [`TypedReader`] is all or nothing: a text either matches the schema exactly or
//! yields [`NotTyped`], without a reason. [`read_text`] and [`read_value`] are the tolerant way: they
//! remove members that the schema does not describe and report every wrong value. All rules about
//! wrong values live there, so a text that the strict reader accepts needs no further check.

use crate::JsonError;

mod basic_types;
mod integer;
mod macros;
mod operation;
mod reader;
mod schema;
mod validate;

pub use integer::{SafeCount, SafeInt};
pub use reader::TypedReader;
pub use schema::{Schema, SchemaField, SchemaUnion, UnionArm, optional, required};
pub use validate::{
    InvalidJson, SchemaFault, check_members, drop_optional_nulls, drop_optional_nulls_of,
    read_text, read_value, strip_members,
};

/// Error of the strict reader: the text does not match the schema exactly.
///
/// It carries no reason, because the tolerant functions report one.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct NotTyped;

impl From<JsonError> for NotTyped {
    fn from(_: JsonError) -> Self {
        Self
    }
}

/// A type with a described JSON form.
pub trait TypedJson: Sized {
    /// Schema of the value.
    const SCHEMA: Schema;
    /// Schema of the value as an optional member.
    const OPTIONAL: Schema = Self::SCHEMA;
    /// True if the member must be present.
    const REQUIRED: bool = true;

    /// Reads the next value.
    fn read(reader: &mut TypedReader<'_>) -> Result<Self, NotTyped>;

    /// Reads the next value into `self`, reusing its buffers. On failure `self` is unspecified.
    #[inline]
    fn read_in_place(&mut self, reader: &mut TypedReader<'_>) -> Result<(), NotTyped> {
        *self = Self::read(reader)?;
        Ok(())
    }

    /// Returns the value of an absent member, or an error if the member is required.
    fn absent() -> Result<Self, NotTyped> {
        Err(NotTyped)
    }

    /// Returns true if the member is left out when the object is written.
    fn is_absent(&self) -> bool {
        false
    }

    /// Appends the value as JSON.
    fn write(&self, out: &mut String);
}

/// Reads a member into an empty slot. A second member of the same name is an error.
#[inline]
pub fn read_member<T: TypedJson>(
    slot: &mut Option<T>,
    reader: &mut TypedReader<'_>,
) -> Result<(), NotTyped> {
    if slot.is_some() {
        return Err(NotTyped);
    }
    *slot = Some(T::read(reader)?);
    Ok(())
}

/// Writes `"key":value` with a comma before it if needed; nothing for an absent value.
pub fn write_member<T: TypedJson>(key: &str, value: &T, out: &mut String) {
    if value.is_absent() {
        return;
    }
    write_key(key, out);
    value.write(out);
}

/// Writes `"key":` with a comma before it if needed. The key must need no escapes.
pub fn write_key(key: &str, out: &mut String) {
    if !out.ends_with('{') {
        out.push(',');
    }
    out.push('"');
    out.push_str(key);
    out.push_str("\":");
}
