//! Enforcement: what the protocol does not describe is removed, what it forbids is refused.

use std::fmt::Write as _;

use crate::event::{Event, EventType};
use crate::json::{JsonError, Map, Number, Text, Value};
use crate::patch::is_pointer;
use crate::raw::{RawEvent, Unread};
use crate::schema::{Field, Schema};
use crate::typed::{Reader, SafeInt, Typed};

/// Something that was removed from an event.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Removed {
    /// The whole event: its type is unknown.
    Event {
        /// The type.
        type_name: String,
    },
    /// A member or an item.
    Part {
        /// The event's type.
        kind: EventType,
        /// `/`-joined keys and original indices.
        path: String,
    },
}

/// A described member has a wrong value.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[error("{kind}: {}", .faults.iter().map(ToString::to_string).collect::<Vec<_>>().join("; "))]
pub struct EnforceError {
    /// The event's type.
    pub kind: EventType,
    /// Every wrong value, at least one.
    pub faults: Vec<Fault>,
}

/// A wrong value and what was expected.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[error("invalid value at {}: expected {expected}", if path.is_empty() { "the top" } else { path })]
pub struct Fault {
    /// `/`-joined keys and indices.
    pub path: String,
    /// What should stand there.
    pub expected: String,
}

/// Removes what is not described and checks the rest. `Ok(None)`: the event was dropped.
///
/// An event that read cleanly passes as it is; the rules are the same, reading has applied them.
pub fn enforce(
    event: RawEvent,
    mut removed: impl FnMut(Removed),
) -> Result<Option<Event>, EnforceError> {
    let Unread { text, mut members } = match event {
        RawEvent::Clean(event) => return Ok(Some(event)),
        RawEvent::Unread(unread) => unread,
    };
    let name = members.get("type").and_then(Value::as_str);
    let Some(kind) = name.and_then(EventType::from_str) else {
        removed(Removed::Event {
            type_name: name.unwrap_or_default().to_owned(),
        });
        return Ok(None);
    };
    let mut walk = Walk::default();
    walk.strip_event(kind, &mut members);
    for path in walk.found.drain(..) {
        removed(Removed::Part { kind, path });
    }
    let faults = check_event(kind, &mut members);
    if !faults.is_empty() {
        return Err(EnforceError { kind, faults });
    }
    let json = Text::from(Value::Object(members).to_json());
    let mut event = Event::blank();
    match event.read_into(kind, &mut Reader::new(&json), false) {
        Ok(()) => {
            event.set_received(text);
            Ok(Some(event))
        }
        // Not reachable while the typed readers implement the schema; tests compare the two.
        Err(_) => Err(EnforceError {
            kind,
            faults: vec![Fault {
                path: String::new(),
                expected: "an event as described".to_owned(),
            }],
        }),
    }
}

/// Why a text is not what the protocol describes.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
pub enum InvalidJson {
    /// It is not JSON.
    #[error("invalid JSON: {0}")]
    Json(#[from] JsonError),
    /// It is JSON, but not as described.
    #[error("{}", .0.iter().map(ToString::to_string).collect::<Vec<_>>().join("; "))]
    Faults(Vec<Fault>),
}

/// Reads a described value; members and items that are not described are left out.
pub(crate) fn read_described<T: Typed>(
    json: &str,
    removed: impl FnMut(String),
) -> Result<T, InvalidJson> {
    read_value(Value::parse(json)?, removed).map_err(InvalidJson::Faults)
}

/// The same, of a value that has been parsed.
pub(crate) fn read_value<T: Typed>(
    mut value: Value,
    mut removed: impl FnMut(String),
) -> Result<T, Vec<Fault>> {
    let mut check = Check::default();
    let mut walk = Walk::default();
    let verdict = walk.strip(&mut value, const { &T::SCHEMA });
    for path in walk.found {
        removed(path);
    }
    if verdict == Verdict::Drop {
        check.fault(expected(const { &T::SCHEMA }));
    } else {
        check.value(&mut value, const { &T::SCHEMA });
    }
    if check.faults.is_empty() {
        let json = Text::from(value.to_json());
        if let Ok(value) = T::read(&mut Reader::new(&json)) {
            return Ok(value);
        }
        check.fault("a value as described");
    }
    Err(check.faults)
}

/// Removes every optional member of a described object that is `null`.
pub(crate) fn drop_nulls_of<T: Typed>(members: &mut Map) {
    if let Schema::Object(fields) = T::SCHEMA {
        drop_nulls(members, &[fields]);
    }
}

/// Removes every optional member that is `null`, as a producer must before it emits an event.
///
/// Nulls that mean something (required values, opaque data) and unknown members stay.
pub fn drop_optional_nulls(event: &mut Map) {
    let Some(kind) = event
        .get("type")
        .and_then(Value::as_str)
        .and_then(EventType::from_str)
    else {
        return;
    };
    drop_nulls(event, &[kind.fields(), kind.common_fields()]);
}

fn drop_nulls(members: &mut Map, fields: &[&'static [Field]]) {
    members.retain(|key, value| match find(fields, key) {
        Some(field) if *value == Value::Null => must_be_there(field),
        Some(field) => {
            drop_nulls_in(value, field.schema);
            true
        }
        None => true,
    });
}

fn drop_nulls_in(value: &mut Value, schema: &'static Schema) {
    match (schema, value) {
        (Schema::Object(fields), Value::Object(members)) => drop_nulls(members, &[fields]),
        (Schema::Union(union), Value::Object(members)) => {
            let arm = union.arm_of(members);
            if let Some(arm) = arm {
                drop_nulls(members, &[arm.fields]);
            }
        }
        (Schema::Array(item) | Schema::NonEmpty(item), Value::Array(items)) => {
            for value in items {
                drop_nulls_in(value, item);
            }
        }
        (Schema::TextOr(schema), value) => drop_nulls_in(value, schema),
        _ => {}
    }
}

/// Whether a member may not be left out; a run's input is completed with its lists.
fn must_be_there(field: &Field) -> bool {
    field.required && !matches!(field.key, "tools" | "context")
}

fn find(fields: &[&'static [Field]], key: &str) -> Option<&'static Field> {
    fields
        .iter()
        .flat_map(|fields| fields.iter())
        .find(|field| field.key == key)
}

/// Whether a stripped value stays where it is.
#[derive(PartialEq, Eq)]
enum Verdict {
    Keep,
    Drop,
}

/// A walk through a value that knows where it is and collects paths.
#[derive(Default)]
struct Walk {
    path: String,
    found: Vec<String>,
}

impl Walk {
    fn within<T>(
        &mut self,
        segment: impl std::fmt::Display,
        visit: impl FnOnce(&mut Self) -> T,
    ) -> T {
        let length = self.path.len();
        let _ = write!(self.path, "/{segment}");
        let result = visit(self);
        self.path.truncate(length);
        result
    }

    fn strip_event(&mut self, kind: EventType, members: &mut Map) {
        // The top of an event is never dropped by its parts: no required member is a union.
        self.strip_members(
            members,
            Some("type"),
            &[kind.fields(), kind.common_fields()],
            false,
        );
    }

    fn strip_members(
        &mut self,
        members: &mut Map,
        tag: Option<&str>,
        fields: &[&'static [Field]],
        open: bool,
    ) -> Verdict {
        let before = self.found.len();
        let mut verdict = Verdict::Keep;
        members.retain(|key, value| {
            if Some(key) == tag {
                return true;
            }
            let field = find(fields, key);
            self.within(key, |walk| {
                let keep = match field {
                    None => open,
                    Some(field) => match walk.strip(value, field.schema) {
                        Verdict::Drop if field.required => {
                            verdict = Verdict::Drop;
                            true
                        }
                        Verdict::Drop => false,
                        Verdict::Keep => true,
                    },
                };
                if !keep {
                    walk.found.push(walk.path.clone());
                }
                keep
            })
        });
        if verdict == Verdict::Drop {
            self.found.truncate(before);
        }
        verdict
    }

    fn strip(&mut self, value: &mut Value, schema: &'static Schema) -> Verdict {
        match (schema, value) {
            (Schema::Object(fields), Value::Object(members)) => {
                self.strip_members(members, None, &[fields], false)
            }
            (Schema::Union(union), Value::Object(members)) => {
                let arm = union.arm_of(members);
                match arm {
                    Some(arm) => {
                        self.strip_members(members, Some(union.tag), &[arm.fields], union.open)
                    }
                    None => Verdict::Drop,
                }
            }
            (Schema::Array(item) | Schema::NonEmpty(item), Value::Array(items)) => {
                let mut index = 0;
                items.retain_mut(|value| {
                    let keep = self.within(index, |walk| {
                        let keep = walk.strip(value, item) == Verdict::Keep;
                        if !keep {
                            walk.found.push(walk.path.clone());
                        }
                        keep
                    });
                    index += 1;
                    keep
                });
                Verdict::Keep
            }
            (Schema::TextOr(schema), value @ Value::Array(_)) => self.strip(value, schema),
            _ => Verdict::Keep,
        }
    }
}

/// Checks described members; writes integers such as `1.0` plainly and completes a run's input.
fn check_event(kind: EventType, members: &mut Map) -> Vec<Fault> {
    let mut check = Check::default();
    check.members(members, &[kind.common_fields(), kind.fields()]);
    if kind == EventType::RunStarted
        && let Some(Value::Object(input)) = members.get_mut("input")
    {
        complete_input(input);
    }
    check.faults
}

/// Gives an input the lists it may leave out.
fn complete_input(input: &mut Map) {
    for key in ["tools", "context"] {
        if !input.contains(key) {
            input.insert(key.to_owned(), Value::Array(Vec::new()));
        }
    }
    if input.get("state") == Some(&Value::Null) {
        input.remove("state");
    }
}

#[derive(Default)]
struct Check {
    walk: Walk,
    faults: Vec<Fault>,
    /// How many of the faults are a `null` where any other value would do.
    nulls: usize,
}

impl Check {
    fn fault(&mut self, expected: impl Into<String>) {
        self.faults.push(Fault {
            path: self.walk.path.clone(),
            expected: expected.into(),
        });
    }

    fn within(&mut self, segment: impl std::fmt::Display, visit: impl FnOnce(&mut Self)) {
        let length = self.walk.path.len();
        let _ = write!(self.walk.path, "/{segment}");
        visit(self);
        self.walk.path.truncate(length);
    }

    fn members(&mut self, members: &mut Map, fields: &[&'static [Field]]) {
        for field in fields.iter().flat_map(|fields| fields.iter()) {
            self.within(field.key, |check| match members.get_mut(field.key) {
                Some(value) => check.value(value, field.schema),
                None if must_be_there(field) => {
                    check.fault(format!("{}, but it is missing", expected(field.schema)));
                }
                None => {}
            });
        }
    }

    fn value(&mut self, value: &mut Value, schema: &'static Schema) {
        let fits = match (schema, value) {
            (Schema::Any | Schema::NullIsAbsent, _) => true,
            (Schema::NotNull, value) => {
                self.nulls += usize::from(*value == Value::Null);
                *value != Value::Null
            }
            (Schema::Text, value) => value.as_str().is_some(),
            (Schema::OneOf(words), value) => {
                value.as_str().is_some_and(|word| words.contains(&word))
            }
            (Schema::Pointer, value) => value.as_str().is_some_and(is_pointer),
            (Schema::Flag, value) => matches!(value, Value::Bool(_)),
            (Schema::Opaque, value) => value.as_object().is_some(),
            (Schema::SafeInt, Value::Number(number)) => plain_int(number, -SafeInt::MAX),
            (Schema::Count, Value::Number(number)) => plain_int(number, 0),
            (Schema::Array(item), Value::Array(items)) => {
                self.items(items, item);
                true
            }
            (Schema::NonEmpty(item), Value::Array(items)) => {
                self.items(items, item);
                !items.is_empty()
            }
            (Schema::TextOr(_), Value::String(_)) => true,
            (Schema::TextOr(schema), value @ Value::Array(_)) => {
                // One fault at the place of the choice, whatever is wrong inside; only nulls leave
                // no doubt which choice was meant.
                let (faults, nulls) = (self.faults.len(), self.nulls);
                self.value(value, schema);
                let found = self.faults.len() - faults;
                if found > 0 && found == self.nulls - nulls {
                    return;
                }
                self.faults.truncate(faults);
                found == 0
            }
            (Schema::Object(fields), Value::Object(members)) => {
                self.members(members, &[fields]);
                true
            }
            (Schema::Union(union), Value::Object(members)) => {
                let arm = union.arm_of(members);
                if let Some(arm) = arm {
                    self.members(members, &[arm.fields]);
                }
                arm.is_some()
            }
            _ => false,
        };
        if !fits {
            self.fault(expected(schema));
        }
    }

    fn items(&mut self, items: &mut [Value], schema: &'static Schema) {
        for (index, item) in items.iter_mut().enumerate() {
            self.within(index, |check| check.value(item, schema));
        }
    }
}

/// Whether it is an integer from `least` to 2^53−1; if so it is written plainly from now on.
fn plain_int(number: &mut Number, least: i64) -> bool {
    match number.as_safe_int() {
        Some(int) if int >= least => {
            *number = Number::Int(int);
            true
        }
        _ => false,
    }
}

fn expected(schema: &Schema) -> String {
    match schema {
        Schema::Text => "a string".to_owned(),
        Schema::OneOf(words) => format!("one of \"{}\"", words.join("\", \"")),
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
