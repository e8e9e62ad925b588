//! Typed reading and writing of described JSON.
//!
//! Reading is all or nothing: a text is either exactly as the protocol describes it, or
//! [`Unclean`], and then enforcement looks at it in detail. So every rule about *what is wrong* lives
//! in enforcement alone, and what reads cleanly needs no enforcement.

use std::num::NonZeroI64;
use std::ops::Range;
use std::sync::Arc;

use crate::json::{Json, JsonError, JsonObject, Literal, Scanner, Text, unescape, write_string};
use crate::model::SnapshotMemory;
use crate::schema::Schema;

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

    fn absent() -> Result<Self, Unclean> {
        Err(Unclean)
    }

    fn is_absent(&self) -> bool {
        false
    }

    fn write(&self, out: &mut String);
}

/// A cursor over one JSON text that reads described types.
pub(crate) struct Reader<'a> {
    buffer: &'a Arc<String>,
    scanner: Scanner<'a>,
    depth: usize,
    /// Messages of the last snapshot, where they may be recalled instead of read.
    pub(crate) memory: Option<&'a mut SnapshotMemory>,
}

impl<'a> Reader<'a> {
    pub(crate) fn new(text: &'a Text) -> Self {
        let (buffer, range) = text.parts();
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

    /// Cuts a part of the text out as it is.
    pub(crate) fn cut(&self, range: Range<usize>) -> Text {
        Text::cut(self.buffer, range)
    }

    #[inline]
    fn literal(&mut self) -> Result<Literal, Unclean> {
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

/// Defines a struct with a described JSON form: `field: Type = "key"`, optional if the type is.
macro_rules! object {
    (
        $(#[$meta:meta])*
        $name:ident {
            $( $(#[$field_meta:meta])* $field:ident: $type:ty = $key:literal $(as $schema:expr)? ),* $(,)?
        }
    ) => {
        $(#[$meta])*
        #[derive(Debug, Clone, PartialEq)]
        pub struct $name {
            $( $(#[$field_meta])* pub $field: $type, )*
        }

        impl $name {
            /// Reads it from JSON text; members that are not described are left out.
            pub fn from_json(json: &str) -> Result<Self, $crate::enforce::InvalidJson> {
                $crate::enforce::read_described(json)
            }

            /// It as compact JSON.
            pub fn to_json(&self) -> String {
                let mut out = String::new();
                $crate::typed::Typed::write(self, &mut out);
                out
            }

            pub(crate) const FIELDS: &'static [$crate::schema::Field] = &[
                $( $crate::schema::Field {
                    key: $key,
                    schema: crate::typed::object!(@schema $type $(, $schema)?),
                    required: <$type as $crate::typed::Typed>::REQUIRED,
                }, )*
            ];
        }

        impl $crate::typed::Typed for $name {
            const SCHEMA: $crate::schema::Schema = $crate::schema::Schema::Object(Self::FIELDS);

            fn read(reader: &mut $crate::typed::Reader<'_>) -> Result<Self, $crate::typed::Unclean> {
                $( let mut $field: Option<$type> = None; )*
                reader.members(|reader, key| match key {
                    $( $key => $crate::typed::fill(&mut $field, reader), )*
                    _ => Err($crate::typed::Unclean),
                })?;
                Ok(Self {
                    $( $field: match $field {
                        Some(value) => value,
                        None => <$type as $crate::typed::Typed>::absent()?,
                    }, )*
                })
            }

            fn write(&self, out: &mut String) {
                out.push('{');
                $( $crate::typed::write_member($key, &self.$field, out); )*
                out.push('}');
            }
        }
    };
    (@schema $type:ty) => { &<$type as $crate::typed::Typed>::SCHEMA };
    (@schema $type:ty, $schema:expr) => { &$schema };
}

/// Defines an enum of fixed strings.
macro_rules! words {
    (
        $(#[$meta:meta])*
        $name:ident { $( $(#[$variant_meta:meta])* $variant:ident = $word:literal ),* $(,)? }
    ) => {
        $(#[$meta])*
        #[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
        pub enum $name { $( $(#[$variant_meta])* $variant, )* }

        impl $name {
            /// Every word.
            pub const WORDS: &'static [&'static str] = &[$($word),*];

            /// The word on the wire.
            pub fn as_str(self) -> &'static str {
                match self { $( Self::$variant => $word, )* }
            }

            /// The meaning of a word.
            #[allow(clippy::should_implement_trait)]
            pub fn from_str(word: &str) -> Option<Self> {
                match word { $( $word => Some(Self::$variant), )* _ => None }
            }
        }

        impl std::fmt::Display for $name {
            fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
                f.write_str(self.as_str())
            }
        }

        impl $crate::typed::Typed for $name {
            const SCHEMA: $crate::schema::Schema = $crate::schema::Schema::OneOf(Self::WORDS);

            fn read(reader: &mut $crate::typed::Reader<'_>) -> Result<Self, $crate::typed::Unclean> {
                Self::from_str(reader.plain()?).ok_or($crate::typed::Unclean)
            }

            fn write(&self, out: &mut String) {
                out.push('"');
                out.push_str(self.as_str());
                out.push('"');
            }
        }
    };
}

pub(crate) use {object, words};
