//! Type coercion of JavaScript, for events with wrong values.
//!
//! Such an event is sent with the values that the official encoder would send: a missing string as
//! `undefined`, a number in place of a string as its digits.

use std::borrow::Cow;
use std::fmt::Write as _;

use json::{Map, Value};

/// Returns `String(value)`.
pub(super) fn text(value: &Value) -> Cow<'_, str> {
    match value {
        Value::String(text) => Cow::Borrowed(text),
        Value::Null => Cow::Borrowed("null"),
        Value::Bool(true) => Cow::Borrowed("true"),
        Value::Bool(false) => Cow::Borrowed("false"),
        Value::Number(number) => Cow::Owned(number_text(number.as_f64())),
        Value::Array(items) => {
            let items = items.iter().map(|item| match item {
                Value::Null => Cow::Borrowed(""),
                item => text(item),
            });
            Cow::Owned(items.collect::<Vec<_>>().join(","))
        }
        Value::Object(_) => Cow::Borrowed("[object Object]"),
    }
}

/// Returns `String(number)`.
fn number_text(number: f64) -> String {
    let size = number.abs();
    if number.is_infinite() {
        let sign = if number < 0.0 { "-" } else { "" };
        return format!("{sign}Infinity");
    }
    if number == 0.0 {
        return "0".to_owned();
    }
    let mut text = String::new();
    // Writing to a String cannot fail.
    if (1e-6..1e21).contains(&size) {
        let _ = write!(text, "{number}");
    } else {
        let _ = write!(text, "{number:e}");
        if size > 1.0
            && let Some(at) = text.find('e')
        {
            text.insert(at + 1, '+');
        }
    }
    text
}

/// Returns `BigInt(value)` as an int64; `None` if it throws.
pub(super) fn int(value: &Value) -> Option<i64> {
    match value {
        Value::Number(number) => {
            let double = number.as_f64();
            // Every integral double from -2^63 to below 2^63 is an i64.
            let fits =
                (-9_223_372_036_854_775_808.0..9_223_372_036_854_775_808.0).contains(&double);
            (fits && double.trunc() == double).then_some(double as i64)
        }
        Value::Bool(flag) => Some(i64::from(*flag)),
        Value::Null => None,
        value => match text(value).trim() {
            "" => Some(0),
            digits => digits.parse().ok(),
        },
    }
}

/// Returns `Boolean(value)`.
pub(super) fn truth(value: &Value) -> bool {
    match value {
        Value::Null => false,
        Value::Bool(flag) => *flag,
        Value::Number(number) => number.as_f64() != 0.0,
        Value::String(text) => !text.is_empty(),
        Value::Array(_) | Value::Object(_) => true,
    }
}

/// Returns the entries of `Object.keys(value)` for a value that is not an object; `None` if it
/// throws.
pub(super) fn properties(value: &Value) -> Option<Map> {
    let numbered = |values: &mut dyn Iterator<Item = Value>| {
        let members = values.enumerate();
        members
            .map(|(index, value)| (index.to_string(), value))
            .collect()
    };
    match value {
        Value::Null | Value::Object(_) => None,
        Value::Array(items) => Some(numbered(&mut items.iter().cloned())),
        Value::String(text) => {
            let units = text.encode_utf16();
            let mut units = units.map(|unit| Value::String(String::from_utf16_lossy(&[unit])));
            Some(numbered(&mut units))
        }
        Value::Bool(_) | Value::Number(_) => Some(Map::new()),
    }
}

/// Returns the members in the property order of JavaScript: array indices by number, then the
/// others in insertion order.
pub(super) fn property_order(map: &Map) -> Vec<(&str, &Value)> {
    let mut members: Vec<_> = map.iter().collect();
    if members.iter().any(|(key, _)| array_index(key).is_some()) {
        members.sort_by_key(|(key, _)| array_index(key).unwrap_or(u32::MAX));
    }
    members
}

fn array_index(key: &str) -> Option<u32> {
    let canonical = key == "0" || matches!(key.as_bytes().first(), Some(b'1'..=b'9'));
    key.parse()
        .ok()
        .filter(|index| canonical && *index != u32::MAX)
}
