//! What the cursor remembers: tokens, members and open brackets.

use std::borrow::Cow;
use std::ops::Range;
use std::sync::Arc;

use json::Value;

use super::{InputBuffer, json_strings};
use crate::field_aliases::{BlockField, block_field};

/// A scalar or a bracketed value; strings without their quotes.
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
    /// What a string or bare word says.
    pub(crate) fn name<'a>(&self, buffer: &'a InputBuffer) -> Cow<'a, str> {
        let raw = buffer.slice(self.start, self.end);
        match self.kind {
            JsonTokenKind::Text { escaped: true } => Cow::Owned(json_strings::unescape(raw)),
            _ => Cow::Borrowed(raw),
        }
    }

    /// The value; `None` if it cannot be read, or if its bytes are gone.
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

    /// The same as a tree.
    pub(crate) fn value(&self, buffer: &InputBuffer) -> Option<Value> {
        self.raw(buffer).map(|raw| raw.to_value())
    }
}

/// A value, as far as it has to be read.
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

    /// Whether a condition in JavaScript takes it for true.
    pub(crate) fn truthy(&self) -> bool {
        match self {
            Self::Text(text) => !text.is_empty(),
            Self::Numbers(_) => true,
            Self::Value(value) => crate::js_format::truthy(value),
        }
    }

    /// As text.
    pub(crate) fn to_text(&self) -> String {
        match self {
            Self::Text(text) => text.as_ref().to_owned(),
            Self::Numbers(_) => crate::js_format::text(&self.to_value()).into_owned(),
            Self::Value(value) => crate::js_format::text(value).into_owned(),
        }
    }
}

/// The inside of a list of small numbers without signs, the common form of line ids.
#[derive(Debug, Clone, Copy)]
pub(crate) struct NumberList<'a>(&'a str);

impl<'a> NumberList<'a> {
    /// A list with its brackets; nothing if something else is in it.
    pub(super) fn of(list: &'a str) -> Option<Self> {
        let inside = list.strip_prefix('[')?.strip_suffix(']')?;
        let small = |part: &[u8]| small_number(part.trim_ascii()).is_some();
        let mut parts = inside.as_bytes().split(|byte| *byte == b',');
        parts.all(small).then_some(Self(inside))
    }

    /// The numbers.
    pub(crate) fn iter(self) -> impl Iterator<Item = i64> {
        let parts = self.0.as_bytes().split(|byte| *byte == b',');
        parts.filter_map(|part| small_number(part.trim_ascii()))
    }
}

/// A small number without a sign.
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

/// A member of an object.
#[derive(Debug, Clone, Copy)]
pub(crate) struct ObjectMember {
    pub(crate) key: JsonToken,
    pub(crate) value: JsonToken,
    /// Which field of an entry it is, and under which of its names.
    pub(crate) field: Option<(BlockField, usize)>,
}

impl ObjectMember {
    pub(crate) fn new(key: JsonToken, value: JsonToken, buffer: &InputBuffer) -> Self {
        let field = block_field(key.name(buffer).as_bytes());
        Self { key, value, field }
    }

    /// Whether it makes its object an entry.
    pub(crate) fn is_field(&self) -> bool {
        self.field.is_some() && self.value.kind != JsonTokenKind::Compound
    }
}

/// What comes next.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum ExpectedToken {
    Key,
    Colon,
    Value,
    Comma,
}

/// Where a bracket stands.
#[derive(Debug)]
pub(crate) struct BracketPlace {
    /// Whether an object here may be a citation, or the objects in an array here.
    pub(crate) candidate: bool,
    /// The name above it: the document, for items of a group. Objects in an array have that of the array.
    pub(crate) group: Option<Arc<str>>,
    /// Whether it stands in an array.
    pub(crate) in_list: bool,
}

/// An open bracket.
#[derive(Debug)]
pub(crate) struct OpenBracket {
    pub(crate) array: bool,
    pub(crate) start: usize,
    pub(crate) candidate: bool,
    /// Whether its first bytes are not kept any more.
    pub(crate) gone: bool,
    pub(crate) group: Option<Arc<str>>,
    pub(crate) in_list: bool,
    pub(crate) expect: ExpectedToken,
    /// The name of the member that is being read.
    pub(crate) key: Option<JsonToken>,
    /// Where its members begin in the list of all.
    pub(crate) members: usize,
    /// How many members or items it has.
    pub(crate) count: usize,
    /// Whether it has a field of a citation.
    pub(crate) item: bool,
    /// Whether objects stood in it that may be citations.
    pub(crate) children: bool,
    /// Whether an item of this array has a field of a citation.
    pub(crate) telling: bool,
    /// Whether something in it could not be understood.
    pub(crate) damaged: bool,
    /// The first item of an array that is no object.
    pub(crate) stray: Option<usize>,
}

impl OpenBracket {
    pub(crate) fn new(array: bool, start: usize, place: BracketPlace, members: usize) -> Self {
        Self {
            array,
            start,
            candidate: place.candidate,
            gone: false,
            group: place.group,
            in_list: place.in_list,
            expect: if array {
                ExpectedToken::Value
            } else {
                ExpectedToken::Key
            },
            key: None,
            members,
            count: 0,
            item: false,
            children: false,
            telling: false,
            damaged: false,
            stray: None,
        }
    }
}

/// An object that closed where a citation may stand.
#[derive(Debug)]
pub(crate) struct ClosedObject<'a> {
    pub(crate) range: Range<usize>,
    /// Its members; only kept for data blocks.
    pub(crate) members: &'a [ObjectMember],
    pub(crate) group: Option<&'a str>,
    pub(crate) in_list: bool,
    pub(crate) item: bool,
    pub(crate) children: bool,
    pub(crate) damaged: bool,
    /// Whether mending the block could change its words, or those before it.
    pub(crate) doubtful: bool,
    /// Its running number among the citations of a structured answer.
    pub(crate) number: usize,
}
