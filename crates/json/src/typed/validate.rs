//! Tolerant reading: removes what a schema does not describe and reports every wrong value.

use std::fmt::Write as _;

use super::{SafeInt, Schema, SchemaField, TypedJson, TypedReader};
use crate::patch::is_pointer;
use crate::{JsonError, Map, Number, Text, Value};

/// A wrong value and the value that was expected.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[error("invalid value at {}: expected {expected}", if path.is_empty() { "the top" } else { path })]
pub struct SchemaFault {
    /// `/`-joined keys and indices.
    pub path: String,
    /// Description of a valid value.
    pub expected: String,
}

/// Error of reading a described type from JSON text.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
pub enum InvalidJson {
    /// The text is not JSON.
    #[error("invalid JSON: {0}")]
    Json(#[from] JsonError),
    /// The JSON does not match the schema.
    #[error("{}", .0.iter().map(ToString::to_string).collect::<Vec<_>>().join("; "))]
    Faults(Vec<SchemaFault>),
}

/// Reads a described type from JSON text. Members and items that the schema does not describe are
/// left out; `removed` is called with their paths.
pub fn read_text<T: TypedJson>(json: &str, removed: impl FnMut(String)) -> Result<T, InvalidJson> {
    read_value(Value::parse(json)?, removed).map_err(InvalidJson::Faults)
}

/// Reads a described type from a parsed value, as [`read_text`] does.
pub fn read_value<T: TypedJson>(
    mut value: Value,
    mut removed: impl FnMut(String),
) -> Result<T, Vec<SchemaFault>> {
    let mut check = SchemaCheck::default();
    let mut stripper = SchemaStripper::default();
    let decision = stripper.strip_value(&mut value, const { &T::SCHEMA });
    for path in stripper.removed {
        removed(path);
    }
    if decision == StripDecision::Drop {
        check.add_fault(expected(const { &T::SCHEMA }));
    } else {
        check.check_value(&mut value, const { &T::SCHEMA });
    }
    if check.faults.is_empty() {
        let json = Text::from(value.to_json());
        if let Ok(value) = T::read(&mut TypedReader::new(&json)) {
            return Ok(value);
        }
        check.add_fault("a value as described");
    }
    Err(check.faults)
}

/// Removes members that none of the field lists describes, except `tag`, and items of unknown kinds
/// inside the others. Returns the paths of everything removed.
pub fn strip_members(
    members: &mut Map,
    tag: &str,
    fields: &[&'static [SchemaField]],
) -> Vec<String> {
    let mut stripper = SchemaStripper::default();
    stripper.strip_object(members, Some(tag), fields, false);
    stripper.removed
}

/// Checks members against the field lists. Integers such as `1.0` are rewritten as `1`.
pub fn check_members(members: &mut Map, fields: &[&'static [SchemaField]]) -> Vec<SchemaFault> {
    let mut check = SchemaCheck::default();
    check.check_object(members, fields);
    check.faults
}

/// Removes every optional member of a described object that is `null`.
pub fn drop_optional_nulls_of<T: TypedJson>(members: &mut Map) {
    if let Schema::Object(fields) = T::SCHEMA {
        drop_optional_nulls(members, &[fields]);
    }
}

/// Removes every optional member that is `null`, at any depth.
///
/// Nulls with a meaning (required values, opaque data) and members that are not described stay.
pub fn drop_optional_nulls(members: &mut Map, fields: &[&'static [SchemaField]]) {
    members.retain(|key, value| match find_field(fields, key) {
        Some(field) if *value == Value::Null => field.required,
        Some(field) => {
            drop_nested_nulls(value, field.schema);
            true
        }
        None => true,
    });
}

fn drop_nested_nulls(value: &mut Value, schema: &'static Schema) {
    match (schema, value) {
        (Schema::Object(fields), Value::Object(members)) => drop_optional_nulls(members, &[fields]),
        (Schema::Union(union), Value::Object(members)) => {
            let arm = union.arm_of(members);
            if let Some(arm) = arm {
                drop_optional_nulls(members, &[arm.fields]);
            }
        }
        (Schema::Array(item) | Schema::NonEmpty(item), Value::Array(items)) => {
            for value in items {
                drop_nested_nulls(value, item);
            }
        }
        (Schema::TextOr(schema), value) => drop_nested_nulls(value, schema),
        _ => {}
    }
}

fn find_field(fields: &[&'static [SchemaField]], key: &str) -> Option<&'static SchemaField> {
    fields
        .iter()
        .flat_map(|fields| fields.iter())
        .find(|field| field.key == key)
}

/// Decision about a value after its inside was stripped.
#[derive(PartialEq, Eq)]
enum StripDecision {
    Keep,
    Drop,
}

/// Appends a segment to `path` and returns the former length.
fn push_segment(path: &mut String, segment: impl std::fmt::Display) -> usize {
    let length = path.len();
    // Writing to a String cannot fail.
    let _ = write!(path, "/{segment}");
    length
}

/// Removes members and items that are not described.
#[derive(Default)]
struct SchemaStripper {
    /// Path of the current value.
    path: String,
    removed: Vec<String>,
}

impl SchemaStripper {
    fn at_child<T>(
        &mut self,
        segment: impl std::fmt::Display,
        visit: impl FnOnce(&mut Self) -> T,
    ) -> T {
        let length = push_segment(&mut self.path, segment);
        let result = visit(self);
        self.path.truncate(length);
        result
    }

    fn strip_object(
        &mut self,
        members: &mut Map,
        tag: Option<&str>,
        fields: &[&'static [SchemaField]],
        open: bool,
    ) -> StripDecision {
        let before = self.removed.len();
        let mut decision = StripDecision::Keep;
        members.retain(|key, value| {
            if Some(key) == tag {
                return true;
            }
            let field = find_field(fields, key);
            self.at_child(key, |stripper| {
                let keep = match field {
                    None => open,
                    Some(field) => match stripper.strip_value(value, field.schema) {
                        StripDecision::Drop if field.required => {
                            decision = StripDecision::Drop;
                            true
                        }
                        StripDecision::Drop => false,
                        StripDecision::Keep => true,
                    },
                };
                if !keep {
                    stripper.removed.push(stripper.path.clone());
                }
                keep
            })
        });
        if decision == StripDecision::Drop {
            self.removed.truncate(before);
        }
        decision
    }

    fn strip_value(&mut self, value: &mut Value, schema: &'static Schema) -> StripDecision {
        match (schema, value) {
            (Schema::Object(fields), Value::Object(members)) => {
                self.strip_object(members, None, &[fields], false)
            }
            (Schema::Union(union), Value::Object(members)) => {
                let arm = union.arm_of(members);
                match arm {
                    Some(arm) => {
                        self.strip_object(members, Some(union.tag), &[arm.fields], union.open)
                    }
                    None => StripDecision::Drop,
                }
            }
            (Schema::Array(item) | Schema::NonEmpty(item), Value::Array(items)) => {
                let mut index = 0;
                items.retain_mut(|value| {
                    let keep = self.at_child(index, |stripper| {
                        let keep = stripper.strip_value(value, item) == StripDecision::Keep;
                        if !keep {
                            stripper.removed.push(stripper.path.clone());
                        }
                        keep
                    });
                    index += 1;
                    keep
                });
                StripDecision::Keep
            }
            (Schema::TextOr(schema), value @ Value::Array(_)) => self.strip_value(value, schema),
            _ => StripDecision::Keep,
        }
    }
}

/// Collects the wrong values of an object.
#[derive(Default)]
struct SchemaCheck {
    /// Path of the current value.
    path: String,
    faults: Vec<SchemaFault>,
    /// Number of faults that are a `null` in a place for any other value.
    nulls: usize,
}

impl SchemaCheck {
    fn add_fault(&mut self, expected: impl Into<String>) {
        self.faults.push(SchemaFault {
            path: self.path.clone(),
            expected: expected.into(),
        });
    }

    fn at_child(&mut self, segment: impl std::fmt::Display, visit: impl FnOnce(&mut Self)) {
        let length = push_segment(&mut self.path, segment);
        visit(self);
        self.path.truncate(length);
    }

    fn check_object(&mut self, members: &mut Map, fields: &[&'static [SchemaField]]) {
        for field in fields.iter().flat_map(|fields| fields.iter()) {
            self.at_child(field.key, |check| match members.get_mut(field.key) {
                Some(value) => check.check_value(value, field.schema),
                None if field.required => {
                    check.add_fault(format!("{}, but it is missing", expected(field.schema)));
                }
                None => {}
            });
        }
    }

    fn check_value(&mut self, value: &mut Value, schema: &'static Schema) {
        let fits = match (schema, value) {
            (Schema::Any | Schema::NullIsAbsent, _) => true,
            (Schema::NotNull, value) => {
                self.nulls += usize::from(*value == Value::Null);
                *value != Value::Null
            }
            (Schema::Text, value) => value.as_str().is_some(),
            (Schema::OneOf(names), value) => {
                value.as_str().is_some_and(|name| names.contains(&name))
            }
            (Schema::Pointer, value) => value.as_str().is_some_and(is_pointer),
            (Schema::Flag, value) => matches!(value, Value::Bool(_)),
            (Schema::Opaque, value) => value.as_object().is_some(),
            (Schema::SafeInt, Value::Number(number)) => normalise_int(number, -SafeInt::MAX),
            (Schema::Count, Value::Number(number)) => normalise_int(number, 0),
            (Schema::Array(item), Value::Array(items)) => {
                self.check_items(items, item);
                true
            }
            (Schema::NonEmpty(item), Value::Array(items)) => {
                self.check_items(items, item);
                !items.is_empty()
            }
            (Schema::TextOr(_), Value::String(_)) => true,
            (Schema::TextOr(schema), value @ Value::Array(_)) => {
                // Faults inside are reported as one fault of the choice, because it is not clear
                // that the array form was meant. Faults that are only nulls are reported in place.
                let (faults, nulls) = (self.faults.len(), self.nulls);
                self.check_value(value, schema);
                let found = self.faults.len() - faults;
                if found > 0 && found == self.nulls - nulls {
                    return;
                }
                self.faults.truncate(faults);
                found == 0
            }
            (Schema::Object(fields), Value::Object(members)) => {
                self.check_object(members, &[fields]);
                true
            }
            (Schema::Union(union), Value::Object(members)) => {
                let arm = union.arm_of(members);
                if let Some(arm) = arm {
                    self.check_object(members, &[arm.fields]);
                }
                arm.is_some()
            }
            _ => false,
        };
        if !fits {
            self.add_fault(expected(schema));
        }
    }

    fn check_items(&mut self, items: &mut [Value], schema: &'static Schema) {
        for (index, item) in items.iter_mut().enumerate() {
            self.at_child(index, |check| check.check_value(item, schema));
        }
    }
}

/// Returns true for an integer from `least` to 2^53−1, and rewrites it without fraction or exponent.
fn normalise_int(number: &mut Number, least: i64) -> bool {
    match number.as_safe_int() {
        Some(int) if int >= least => {
            *number = Number::Int(int);
            true
        }
        _ => false,
    }
}

/// Describes the valid values of a schema for an error message.
fn expected(schema: &Schema) -> String {
    match schema {
        Schema::Text => "a string".to_owned(),
        Schema::OneOf(names) => format!("one of \"{}\"", names.join("\", \"")),
        Schema::Flag => "true or false".to_owned(),
        Schema::SafeInt => "an integer within ±(2^53−1)".to_owned(),
        Schema::Count => "an integer from 0 to 2^53−1".to_owned(),
        Schema::Pointer => "a JSON Pointer (empty, or starting with '/')".to_owned(),
        Schema::Any | Schema::NullIsAbsent => "a value".to_owned(),
        Schema::NotNull => "a value other than null".to_owned(),
        Schema::Opaque | Schema::Object(_) => "an object".to_owned(),
        Schema::Array(_) => "an array".to_owned(),
        Schema::NonEmpty(_) => "an array with at least one item".to_owned(),
        Schema::TextOr(_) => "a string or valid content parts".to_owned(),
        Schema::Union(union) => format!("an object with a known \"{}\"", union.tag),
    }
}
