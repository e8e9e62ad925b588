//! Typed reading and writing of described JSON.
//!
//! Reading is all or nothing: a text is either exactly as the protocol describes it, or
//! [`Unclean`], and then enforcement looks at it in detail. So every rule about *what is wrong* lives
//! in enforcement alone, and what reads cleanly needs no enforcement.

use std::num::NonZeroI64;
use std::sync::Arc;

use crate::json::{Json, JsonError, JsonObject, Text, unescape, write_string};
use crate::schema::Schema;

mod macros;
mod reader;

pub(crate) use macros::{object, words};
pub(crate) use reader::Reader;

/// The text is not exactly as described; enforcement says why.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) struct Unclean;

impl From<JsonError> for Unclean {
    fn from(_: JsonError) -> Self {
        Self
    }
}

/// A type with a described JSON form.
pub(crate) trait Typed: Sized {
    /// What the protocol says of it.
    const SCHEMA: Schema;
    /// What it says where the value is optional.
    const OPTIONAL: Schema = Self::SCHEMA;
    /// Whether it must be present.
    const REQUIRED: bool = true;

    fn read(reader: &mut Reader<'_>) -> Result<Self, Unclean>;

    /// Becomes what is read; what it becomes on failure does not matter.
    #[inline]
    fn read_over(&mut self, reader: &mut Reader<'_>) -> Result<(), Unclean> {
        *self = Self::read(reader)?;
        Ok(())
    }

    fn absent() -> Result<Self, Unclean> {
        Err(Unclean)
    }

    fn is_absent(&self) -> bool {
        false
    }

    fn write(&self, out: &mut String);
}

/// Sets a member that must not be there twice.
#[inline]
pub(crate) fn fill<T: Typed>(slot: &mut Option<T>, reader: &mut Reader<'_>) -> Result<(), Unclean> {
    if slot.is_some() {
        return Err(Unclean);
    }
    *slot = Some(T::read(reader)?);
    Ok(())
}

/// Writes `"key":value`, with a comma before it if needed.
pub(crate) fn write_member<T: Typed>(key: &str, value: &T, out: &mut String) {
    if value.is_absent() {
        return;
    }
    write_key(key, out);
    value.write(out);
}

/// Writes `"key":`, with a comma before it if needed. Keys of the protocol need no escapes.
pub(crate) fn write_key(key: &str, out: &mut String) {
    if !out.ends_with('{') {
        out.push(',');
    }
    out.push('"');
    out.push_str(key);
    out.push_str("\":");
}

impl Typed for Text {
    const SCHEMA: Schema = Schema::Text;

    #[inline]
    fn read(reader: &mut Reader<'_>) -> Result<Self, Unclean> {
        let literal = reader.literal()?;
        if literal.escaped {
            return Ok(Self::from(unescape(&reader.scanner.text()[literal.range])));
        }
        Ok(reader.cut(literal.range))
    }

    #[inline]
    fn read_over(&mut self, reader: &mut Reader<'_>) -> Result<(), Unclean> {
        let literal = reader.literal()?;
        if literal.escaped {
            *self = Self::from(unescape(&reader.scanner.text()[literal.range]));
        } else {
            reader.recut(self, literal.range);
        }
        Ok(())
    }

    fn write(&self, out: &mut String) {
        write_string(self, out);
    }
}

impl Typed for String {
    const SCHEMA: Schema = Schema::Text;

    fn read(reader: &mut Reader<'_>) -> Result<Self, Unclean> {
        let literal = reader.literal()?;
        let inside = &reader.scanner.text()[literal.range];
        Ok(if literal.escaped {
            unescape(inside)
        } else {
            inside.to_owned()
        })
    }

    fn write(&self, out: &mut String) {
        write_string(self, out);
    }
}

impl Typed for bool {
    const SCHEMA: Schema = Schema::Flag;

    fn read(reader: &mut Reader<'_>) -> Result<Self, Unclean> {
        let flag = reader.peek() == b't';
        reader.scanner.word(if flag { "true" } else { "false" })?;
        Ok(flag)
    }

    fn write(&self, out: &mut String) {
        out.push_str(if *self { "true" } else { "false" });
    }
}

/// An integer within ±(2^53−1), the range every JSON reader agrees on.
#[derive(Clone, Copy, PartialEq, Eq)]
pub struct SafeInt(
    /// The integer with its highest bit flipped, which is never zero: an absent one costs no space.
    NonZeroI64,
);

impl SafeInt {
    /// The greatest.
    pub const MAX: i64 = 9_007_199_254_740_991;

    /// `None` if it is out of range.
    pub fn new(int: i64) -> Option<Self> {
        let safe = (-Self::MAX..=Self::MAX).contains(&int);
        NonZeroI64::new(int ^ i64::MIN).filter(|_| safe).map(Self)
    }

    /// The integer.
    pub fn get(self) -> i64 {
        self.0.get() ^ i64::MIN
    }
}

impl std::fmt::Debug for SafeInt {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        self.get().fmt(f)
    }
}

/// A count from 0 to 2^53−1.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, PartialOrd, Ord)]
pub struct Count(u64);

impl Count {
    /// `None` if it is out of range.
    pub fn new(count: u64) -> Option<Self> {
        (count <= SafeInt::MAX.unsigned_abs()).then_some(Self(count))
    }

    /// The number.
    pub fn get(self) -> u64 {
        self.0
    }
}

fn read_int(reader: &mut Reader<'_>) -> Result<SafeInt, Unclean> {
    reader.peek();
    let literal = reader.scanner.number()?;
    // Enforcement rewrites 1.0, 1e3 and -0 as plain integers.
    let int = literal.parse().map_err(|_| Unclean)?;
    SafeInt::new(int).filter(|_| literal != "-0").ok_or(Unclean)
}

impl Typed for SafeInt {
    const SCHEMA: Schema = Schema::SafeInt;

    fn read(reader: &mut Reader<'_>) -> Result<Self, Unclean> {
        read_int(reader)
    }

    fn write(&self, out: &mut String) {
        crate::json::write_int(self.get(), out);
    }
}

impl Typed for Count {
    const SCHEMA: Schema = Schema::Count;

    fn read(reader: &mut Reader<'_>) -> Result<Self, Unclean> {
        let int = read_int(reader)?;
        Ok(Self(u64::try_from(int.get()).map_err(|_| Unclean)?))
    }

    fn write(&self, out: &mut String) {
        crate::json::write_int(self.0.cast_signed(), out);
    }
}

impl Typed for Json {
    const SCHEMA: Schema = Schema::Any;
    const OPTIONAL: Schema = Schema::NotNull;

    fn read(reader: &mut Reader<'_>) -> Result<Self, Unclean> {
        let range = reader.skip()?;
        Ok(Self::from_scanned(reader.cut(range)))
    }

    fn write(&self, out: &mut String) {
        Self::write(self, out);
    }
}

impl Typed for JsonObject {
    const SCHEMA: Schema = Schema::Opaque;

    fn read(reader: &mut Reader<'_>) -> Result<Self, Unclean> {
        Self::new(Json::read(reader)?).ok_or(Unclean)
    }

    fn write(&self, out: &mut String) {
        self.as_json().write(out);
    }
}

impl<T: Typed> Typed for Option<T> {
    const SCHEMA: Schema = T::OPTIONAL;
    const REQUIRED: bool = false;

    fn read(reader: &mut Reader<'_>) -> Result<Self, Unclean> {
        // A null in an optional place is never clean.
        if reader.peek() == b'n' {
            return Err(Unclean);
        }
        T::read(reader).map(Some)
    }

    fn absent() -> Result<Self, Unclean> {
        Ok(None)
    }

    fn is_absent(&self) -> bool {
        self.is_none()
    }

    fn write(&self, out: &mut String) {
        if let Some(value) = self {
            value.write(out);
        }
    }
}

impl<T: Typed> Typed for Box<T> {
    const SCHEMA: Schema = T::SCHEMA;
    const OPTIONAL: Schema = T::OPTIONAL;

    fn read(reader: &mut Reader<'_>) -> Result<Self, Unclean> {
        T::read(reader).map(Self::new)
    }

    fn write(&self, out: &mut String) {
        T::write(self, out);
    }
}

impl<T: Typed> Typed for Arc<T> {
    const SCHEMA: Schema = T::SCHEMA;

    fn read(reader: &mut Reader<'_>) -> Result<Self, Unclean> {
        T::read(reader).map(Self::new)
    }

    fn write(&self, out: &mut String) {
        T::write(self, out);
    }
}

impl<T: Typed> Typed for Vec<T> {
    const SCHEMA: Schema = Schema::Array(&T::SCHEMA);

    fn read(reader: &mut Reader<'_>) -> Result<Self, Unclean> {
        let mut items = Self::new();
        reader.items(|reader| {
            items.push(T::read(reader)?);
            Ok(())
        })?;
        Ok(items)
    }

    fn write(&self, out: &mut String) {
        out.push('[');
        for (index, item) in self.iter().enumerate() {
            if index > 0 {
                out.push(',');
            }
            item.write(out);
        }
        out.push(']');
    }
}
