//! Integers that every JSON reader can represent.

use std::num::NonZeroI64;

use super::{NotTyped, Schema, TypedJson, TypedReader};
use crate::write_int;

/// Integer within ±(2^53−1), the range in which a double holds every integer.
#[derive(Clone, Copy, PartialEq, Eq)]
pub struct SafeInt(
    /// The integer with its highest bit flipped. It is never zero, so `Option<SafeInt>` takes no
    /// extra space.
    NonZeroI64,
);

impl SafeInt {
    /// Greatest safe integer, 2^53−1.
    pub const MAX: i64 = 9_007_199_254_740_991;

    /// Wraps an integer; `None` if it is out of range.
    pub fn new(int: i64) -> Option<Self> {
        let safe = (-Self::MAX..=Self::MAX).contains(&int);
        NonZeroI64::new(int ^ i64::MIN).filter(|_| safe).map(Self)
    }

    /// Returns the integer.
    pub fn get(self) -> i64 {
        self.0.get() ^ i64::MIN
    }
}

impl std::fmt::Debug for SafeInt {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        self.get().fmt(f)
    }
}

/// Count from 0 to 2^53−1.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, PartialOrd, Ord)]
pub struct SafeCount(u64);

impl SafeCount {
    /// Wraps a count; `None` if it is out of range.
    pub fn new(count: u64) -> Option<Self> {
        (count <= SafeInt::MAX.unsigned_abs()).then_some(Self(count))
    }

    /// Returns the count.
    pub fn get(self) -> u64 {
        self.0
    }
}

fn read_int(reader: &mut TypedReader<'_>) -> Result<SafeInt, NotTyped> {
    reader.peek();
    let literal = reader.scanner.read_number_literal()?;
    // Other spellings such as 1.0, 1e3 and -0 are rewritten by validation.
    let int = literal.parse().map_err(|_| NotTyped)?;
    SafeInt::new(int)
        .filter(|_| literal != "-0")
        .ok_or(NotTyped)
}

impl TypedJson for SafeInt {
    const SCHEMA: Schema = Schema::SafeInt;

    fn read(reader: &mut TypedReader<'_>) -> Result<Self, NotTyped> {
        read_int(reader)
    }

    fn write(&self, out: &mut String) {
        write_int(self.get(), out);
    }
}

impl TypedJson for SafeCount {
    const SCHEMA: Schema = Schema::Count;

    fn read(reader: &mut TypedReader<'_>) -> Result<Self, NotTyped> {
        let int = read_int(reader)?;
        Ok(Self(u64::try_from(int.get()).map_err(|_| NotTyped)?))
    }

    fn write(&self, out: &mut String) {
        write_int(self.0.cast_signed(), out);
    }
}
