//! Tokens, members and open brackets of the scanned JSON.

use std::borrow::Cow;
use std::ops::Range;
use std::sync::Arc;

use json::Value;

use super::{InputBuffer, json_strings};
use crate::field_aliases::{BlockField, block_field};

/// Scalar, object or array. Strings are without their quotation marks.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) struct JsonToken {
    pub(crate) start: usize,
    pub(crate) end: usize,
    pub(crate) kind: JsonTokenKind,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum JsonTokenKind {
    Text { escaped: bool },
    Bare,
    Compound,
}

impl JsonToken {
    /// Returns the text of a string or a bare word.
    pub(crate) fn name<'a>(&self, buffer: &'a InputBuffer) -> Cow<'a, str> {
        let raw = buffer.slice(self.start, self.end);
        match self.kind {
            JsonTokenKind::Text { escaped: true } => Cow::Owned(json_strings::unescape(raw)),
            _ => Cow::Borrowed(raw),
        }
    }

    /// Returns the value, or `None` if it is invalid or its bytes were dropped.
    pub(crate) fn raw<'a>(&self, buffer: &'a InputBuffer) -> Option<RawValue<'a>> {
        if self.start < buffer.base() {
            return None;
        }
        let raw = buffer.slice(self.start, self.end);
        Some(match self.kind {
            JsonTokenKind::Text { .. } => RawValue::Text(self.name(buffer)),
            JsonTokenKind::Bare => RawValue::Value(match raw {
                "True" => Value::Bool(true),
                "False" => Value::Bool(false),
                "None" | "undefined" | "NaN" | "Infinity" | "-Infinity" => Value::Null,
                _ => match small_number(raw.as_bytes()) {
                    Some(number) => Value::from(number),
                    None => Value::parse(raw).ok()?,
                },
            }),
            JsonTokenKind::Compound => match NumberList::of(raw) {
                Some(numbers) => RawValue::Numbers(numbers),
                None => {
                    let strict = Value::parse(raw).ok();
                    let value =
                        strict.or_else(|| Value::parse(&super::reference_repair::repair(raw)).ok());
                    RawValue::Value(value?)
                }
            },
        })
    }

    /// Returns the value as a tree.
    pub(crate) fn value(&self, buffer: &InputBuffer) -> Option<Value> {
        self.raw(buffer).map(|raw| raw.to_value())
    }
}

/// Value that is read only as far as necessary.
#[derive(Debug)]
pub(crate) enum RawValue<'a> {
    Text(Cow<'a, str>),
    Numbers(NumberList<'a>),
    Value(Value),
}

impl RawValue<'_> {
    pub(crate) fn to_value(&self) -> Value {
        match self {
            Self::Text(text) => Value::from(text.as_ref()),
            Self::Numbers(numbers) => Value::Array(numbers.iter().map(Value::from).collect()),
            Self::Value(value) => value.clone(),
        }
    }

    /// Returns true if a condition in JavaScript accepts the value.
    pub(crate) fn truthy(&self) -> bool {
        match self {
            Self::Text(text) => !text.is_empty(),
            Self::Numbers(_) => true,
            Self::Value(value) => crate::js_format::truthy(value),
        }
    }

    /// Returns the value as text.
    pub(crate) fn to_text(&self) -> String {
        match self {
            Self::Text(text) => text.as_ref().to_owned(),
            Self::Numbers(_) => crate::js_format::text(&self.to_value()).into_owned(),
            Self::Value(value) => crate::js_format::text(value).into_owned(),
        }
    }
}

/// Content of a list of small numbers without signs, the usual form of line ids.
#[derive(Debug, Clone, Copy)]
pub(crate) struct NumberList<'a>(&'a str);

impl<'a> NumberList<'a> {
    /// Returns a list with its brackets, or `None` if it has other elements.
    pub(super) fn of(list: &'a str) -> Option<Self> {
        let inside = list.strip_prefix('[')?.strip_suffix(']')?;
        let small = |part: &[u8]| small_number(part.trim_ascii()).is_some();
        let mut parts = inside.as_bytes().split(|byte| *byte == b',');
        parts.all(small).then_some(Self(inside))
    }

    /// Returns the numbers.
    pub(crate) fn iter(self) -> impl Iterator<Item = i64> {
        let parts = self.0.as_bytes().split(|byte| *byte == b',');
        parts.filter_map(|part| small_number(part.trim_ascii()))
    }
}

/// Reads a number of up to 15 digits without a sign.
pub(super) fn small_number(digits: &[u8]) -> Option<i64> {
    let plain = matches!(digits.len(), 1..=15) && (digits == b"0" || digits[0] != b'0');
    if !plain || !digits.iter().all(u8::is_ascii_digit) {
        return None;
    }
    Some(
        digits
            .iter()
            .fold(0, |value, digit| value * 10 + i64::from(digit - b'0')),
    )
}

/// Member of an object.
#[derive(Debug, Clone, Copy)]
pub(crate) struct ObjectMember {
    pub(crate) key: JsonToken,
    pub(crate) value: JsonToken,
    /// Field of an entry, and the number of its name.
    pub(crate) field: Option<(BlockField, usize)>,
}

impl ObjectMember {
    pub(crate) fn new(key: JsonToken, value: JsonToken, buffer: &InputBuffer) -> Self {
        let field = block_field(key.name(buffer).as_bytes());
        Self { key, value, field }
    }

    /// Returns true if this member makes its object an entry.
    pub(crate) fn is_field(&self) -> bool {
        self.field.is_some() && self.value.kind != JsonTokenKind::Compound
    }
}

/// Token that may come next.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum ExpectedToken {
    Key,
    Colon,
    Value,
    Comma,
}

/// Surroundings of a bracket.
#[derive(Debug)]
pub(crate) struct BracketPlace {
    /// True if this object, or an object in this array, may be a citation.
    pub(crate) is_candidate: bool,
    /// Name of the group: the document of its entries. Objects in an array have the group of the array.
    pub(crate) group: Option<Arc<str>>,
    /// True inside of an array.
    pub(crate) is_in_list: bool,
}

/// Open bracket.
#[derive(Debug)]
pub(crate) struct OpenBracket {
    pub(crate) is_array: bool,
    pub(crate) start: usize,
    pub(crate) is_candidate: bool,
    /// True if its first bytes were dropped.
    pub(crate) is_dropped: bool,
    pub(crate) group: Option<Arc<str>>,
    pub(crate) is_in_list: bool,
    pub(crate) expect: ExpectedToken,
    /// Name of the member that is being read.
    pub(crate) key: Option<JsonToken>,
    /// Index of its first member in the list of all members.
    pub(crate) members: usize,
    /// Number of members or elements.
    pub(crate) count: usize,
    /// True if it has a field of a citation.
    pub(crate) is_entry: bool,
    /// True if it contains objects that may be citations.
    pub(crate) has_children: bool,
    /// True if an object in this array has a field of a citation.
    pub(crate) has_entries: bool,
    /// True if a part of it could not be understood.
    pub(crate) is_damaged: bool,
    /// Offset of the first element of an array that is no object.
    pub(crate) stray: Option<usize>,
}

impl OpenBracket {
    pub(crate) fn new(is_array: bool, start: usize, place: BracketPlace, members: usize) -> Self {
        Self {
            is_array,
            start,
            is_candidate: place.is_candidate,
            is_dropped: false,
            group: place.group,
            is_in_list: place.is_in_list,
            expect: if is_array {
                ExpectedToken::Value
            } else {
                ExpectedToken::Key
            },
            key: None,
            members,
            count: 0,
            is_entry: false,
            has_children: false,
            has_entries: false,
            is_damaged: false,
            stray: None,
        }
    }
}

/// Closed object that may be a citation.
#[derive(Debug)]
pub(crate) struct ClosedObject<'a> {
    pub(crate) range: Range<usize>,
    /// Members; only for data blocks.
    pub(crate) members: &'a [ObjectMember],
    pub(crate) group: Option<&'a str>,
    pub(crate) is_in_list: bool,
    pub(crate) is_entry: bool,
    pub(crate) has_children: bool,
    pub(crate) is_damaged: bool,
    /// True if a repair of the block could change its words, or words before it.
    pub(crate) is_doubtful: bool,
    /// Position among the citations of a JSON answer, from 1.
    pub(crate) number: usize,
}
