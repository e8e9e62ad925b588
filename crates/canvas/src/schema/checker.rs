//! Check of a value against a shape, with the named repairs.

use std::borrow::Cow;

use json::patch::escape;
use json::{Map, Number, Scanner, Value};

use super::compile::{NumberShape, Shape, ShapeMember, TextShape};
use crate::error::{MessageError, MessageRepair};

/// Largest number of errors that one check reports.
const MAX_ERRORS: usize = 100;
/// Largest number of repairs that are listed one by one.
const MAX_REPAIRS: usize = 1_000;

/// Segment of a path to a value.
#[derive(Debug)]
enum MessagePathSegment<'s> {
    Name(Cow<'s, str>),
    Index(usize),
}

/// Check in progress: the position in the message, errors and repairs so far.
#[derive(Debug, Default)]
pub(crate) struct Checker<'s> {
    path: Vec<MessagePathSegment<'s>>,
    pub(crate) errors: Vec<MessageError>,
    pub(crate) repairs: Vec<MessageRepair>,
}

impl<'s> Checker<'s> {
    /// Returns true while nothing was wrong.
    pub(crate) fn is_valid(&self) -> bool {
        self.errors.is_empty()
    }

    /// Calls `check` with the position moved to a member.
    pub(crate) fn within<R>(
        &mut self,
        name: impl Into<Cow<'s, str>>,
        check: impl FnOnce(&mut Self) -> R,
    ) -> R {
        self.path.push(MessagePathSegment::Name(name.into()));
        let result = check(self);
        self.path.pop();
        result
    }

    /// Calls `check` with the position moved to an item.
    pub(crate) fn at<R>(&mut self, index: usize, check: impl FnOnce(&mut Self) -> R) -> R {
        self.path.push(MessagePathSegment::Index(index));
        let result = check(self);
        self.path.pop();
        result
    }

    /// Returns the current position as a JSON Pointer.
    fn pointer(&self) -> String {
        let mut pointer = String::new();
        for segment in &self.path {
            pointer.push('/');
            match segment {
                MessagePathSegment::Name(name) => pointer.push_str(&escape(name)),
                MessagePathSegment::Index(index) => pointer.push_str(&index.to_string()),
            }
        }
        pointer
    }

    /// Reports an error at the current position.
    pub(crate) fn fail(&mut self, code: &'static str, message: impl Into<String>) {
        self.report(code, message.into(), None);
    }

    /// Reports an error at the current position with what is expected there.
    pub(crate) fn expect(
        &mut self,
        code: &'static str,
        message: impl Into<String>,
        expected: impl Into<String>,
    ) {
        self.report(code, message.into(), Some(expected.into()));
    }

    fn report(&mut self, code: &'static str, message: String, expected: Option<String>) {
        if self.errors.len() < MAX_ERRORS {
            self.errors.push(MessageError {
                path: self.pointer(),
                code,
                message,
                expected,
            });
        }
    }

    /// Records a repair at the current position.
    pub(crate) fn repaired(&mut self, code: &'static str, message: impl Into<String>) {
        if self.repairs.len() < MAX_REPAIRS {
            self.repairs.push(MessageRepair {
                path: self.pointer(),
                code,
                message: message.into(),
            });
        }
    }

    /// Records the removal of a member that no schema knows.
    fn removed(&mut self, name: &str) {
        if self.repairs.len() < MAX_REPAIRS {
            self.repairs.push(MessageRepair {
                path: format!("{}/{}", self.pointer(), escape(name)),
                code: "unknown_field",
                message: format!("The field '{name}' is not known here and was removed."),
            });
        }
    }

    /// Checks a value. Numeric strings become numbers and unknown members are removed.
    pub(crate) fn check(&mut self, shape: &'s Shape, value: &mut Value) {
        match shape {
            Shape::Any => self.check_finite(value),
            Shape::Boolean => {
                if !matches!(value, Value::Bool(_)) {
                    self.wrong_type(shape, value);
                }
            }
            Shape::Number(number) => self.check_number(shape, number, value),
            Shape::Text(text) => match value {
                Value::String(string) => self.check_text(text, string),
                _ => self.wrong_type(shape, value),
            },
            Shape::Choice(words) => match value {
                Value::String(word) if words.contains(word) => {}
                Value::String(word) => {
                    let message = format!("'{}' is not an allowed value.", excerpt(word));
                    self.expect("not_allowed", message, words.join(", "));
                }
                _ => self.wrong_type(shape, value),
            },
            Shape::List { items, min, max } => match value {
                Value::Array(values) => self.check_list(items, *min, *max, values),
                _ => self.wrong_type(shape, value),
            },
            Shape::Record { members, others } => match value {
                Value::Object(_) => self.check_record(members, others.as_deref(), value),
                _ => self.wrong_type(shape, value),
            },
            Shape::OneOf(arms) => match arms.iter().find(|arm| arm.has_type_of(value)) {
                Some(arm) => self.check(arm, value),
                None => self.wrong_type(shape, value),
            },
        }
    }

    fn wrong_type(&mut self, shape: &Shape, value: &Value) {
        let message = format!("This is {}.", type_of(value));
        self.expect("wrong_type", message, shape.description());
    }

    /// Refuses numbers that overflow in open parts of a message.
    fn check_finite(&mut self, value: &Value) {
        if is_finite(value) {
            return;
        }
        match value {
            Value::Number(number) if !number.as_f64().is_finite() => {
                self.expect("not_finite", "The number is too large.", "a finite number");
            }
            Value::Array(items) => {
                for (index, item) in items.iter().enumerate() {
                    self.at(index, |checker| checker.check_finite(item));
                }
            }
            Value::Object(members) => {
                for (name, member) in members.iter() {
                    self.within(name.to_owned(), |checker| checker.check_finite(member));
                }
            }
            _ => {}
        }
    }

    /// Checks that a value is a number without bounds.
    pub(crate) fn check_plain_number(&mut self, value: &mut Value) {
        const ANY_NUMBER: NumberShape = NumberShape {
            is_integer: false,
            min: None,
            max: None,
        };
        self.check_number(&Shape::Number(ANY_NUMBER), &ANY_NUMBER, value);
    }

    fn check_number(&mut self, shape: &Shape, bounds: &NumberShape, value: &mut Value) {
        if let Value::String(text) = value
            && let Some(number) = numeric_literal(text)
        {
            let message = format!("The string \"{}\" was read as a number.", excerpt(text));
            *value = Value::Number(number);
            self.repaired("numeric_string", message);
        }
        let Value::Number(number) = value else {
            return self.wrong_type(shape, value);
        };
        let double = number.as_f64();
        if !double.is_finite() {
            return self.expect("not_finite", "The number is too large.", "a finite number");
        }
        if bounds.is_integer && number.as_safe_int().is_none() {
            return self.expect("wrong_type", "This is not an integer.", "an integer");
        }
        if bounds.min.is_some_and(|min| double < min) || bounds.max.is_some_and(|max| double > max)
        {
            let expected = match (bounds.min, bounds.max) {
                (Some(min), Some(max)) => format!("{min} to {max}"),
                (Some(min), None) => format!("at least {min}"),
                (_, max) => format!("at most {}", max.unwrap_or_default()),
            };
            self.expect(
                "out_of_range",
                format!("{double} is out of range."),
                expected,
            );
        }
    }

    fn check_text(&mut self, shape: &TextShape, text: &str) {
        // Counting characters is needed only if the bytes do not decide.
        if text.len() > shape.max && text.chars().count() > shape.max {
            let expected = format!("at most {} characters", shape.max);
            return self.expect("too_long", "The text is too long.", expected);
        }
        if text.len() < shape.min {
            let expected = format!("at least {} characters", shape.min);
            return self.expect("too_short", "The text is too short.", expected);
        }
        if let Err(fault) = shape.format.check(text) {
            self.expect(fault.code, fault.message, fault.expected);
        }
    }

    fn check_list(&mut self, shape: &'s Shape, min: usize, max: usize, values: &mut [Value]) {
        let count = values.len();
        if count > max {
            let message = format!("There are {count} items.");
            return self.expect("too_many", message, format!("at most {max} items"));
        }
        if count < min {
            let message = format!("There are {count} items.");
            self.expect("too_few", message, format!("at least {min} items"));
        }
        for (index, value) in values.iter_mut().enumerate() {
            self.at(index, |checker| checker.check(shape, value));
        }
    }

    fn check_record(
        &mut self,
        members: &'s [ShapeMember],
        others: Option<&'s Shape>,
        value: &mut Value,
    ) {
        let Value::Object(object) = value else {
            return;
        };
        let mut known = 0;
        for member in members {
            match object.get_mut(&member.name) {
                Some(value) => {
                    known += 1;
                    self.within(member.name.as_str(), |checker| {
                        checker.check(&member.shape, value);
                    });
                }
                None if member.is_required => self.within(member.name.as_str(), |checker| {
                    let message = format!("The field '{}' is missing.", member.name);
                    checker.expect("required", message, member.shape.description());
                }),
                None => {}
            }
        }
        if object.len() == known {
            return;
        }
        let is_known = |name: &str| members.iter().any(|member| member.name == name);
        match others {
            Some(Shape::Any) => {
                for (name, value) in object.iter().filter(|(name, _)| !is_known(name)) {
                    self.within(name.to_owned(), |checker| checker.check_finite(value));
                }
            }
            Some(_) => {}
            None => {
                let known: Vec<&str> = members.iter().map(|member| member.name.as_str()).collect();
                self.remove_unknown(object, &known);
            }
        }
    }

    /// Removes all members but the known ones.
    pub(crate) fn remove_unknown(&mut self, object: &mut Map, known: &[&str]) {
        object.retain(|name, _| {
            let keep = known.contains(&name);
            if !keep {
                self.removed(name);
            }
            keep
        });
    }
}

impl Shape {
    /// Returns true if a value has the JSON type of the shape.
    fn has_type_of(&self, value: &Value) -> bool {
        match self {
            Self::Any => true,
            Self::Boolean => matches!(value, Value::Bool(_)),
            Self::Number(_) => matches!(value, Value::Number(_)),
            Self::Text(_) | Self::Choice(_) => matches!(value, Value::String(_)),
            Self::List { .. } => matches!(value, Value::Array(_)),
            Self::Record { .. } => matches!(value, Value::Object(_)),
            Self::OneOf(arms) => arms.iter().any(|arm| arm.has_type_of(value)),
        }
    }
}

/// Returns true if all numbers of a value are finite.
fn is_finite(value: &Value) -> bool {
    match value {
        Value::Number(number) => number.as_f64().is_finite(),
        Value::Array(items) => items.iter().all(is_finite),
        Value::Object(members) => members.iter().all(|(_, member)| is_finite(member)),
        _ => true,
    }
}

/// Parses a string that is exactly a JSON number.
fn numeric_literal(text: &str) -> Option<Number> {
    let text = text.trim();
    if text.is_empty() || text.len() > 64 {
        return None;
    }
    let mut scanner = Scanner::new(text, 0);
    let literal = scanner.read_number_literal().ok()?;
    scanner.expect_end().ok()?;
    let number = Number::from_literal(literal);
    number.as_f64().is_finite().then_some(number)
}

/// Returns true for a string that is exactly a JSON number.
pub(crate) fn is_numeric(text: &str) -> bool {
    numeric_literal(text).is_some()
}

/// Returns the words for the type of a value.
fn type_of(value: &Value) -> &'static str {
    match value {
        Value::Null => "null",
        Value::Bool(_) => "true or false",
        Value::Number(_) => "a number",
        Value::String(_) => "a string",
        Value::Array(_) => "an array",
        Value::Object(_) => "an object",
    }
}

/// Returns the beginning of a text for a message.
fn excerpt(text: &str) -> String {
    const LENGTH: usize = 60;
    match text.char_indices().nth(LENGTH) {
        Some((end, _)) => format!("{}…", &text[..end]),
        None => text.to_owned(),
    }
}
