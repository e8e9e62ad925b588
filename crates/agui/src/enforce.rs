//! Schema enforcement: removes members that AG-UI does not describe and rejects wrong values.

use crate::event::{Event, EventType};
use crate::received::{ReceivedEvent, UntypedEvent};
use json::typed::{TypedReader, check_members, strip_members};
use json::{Map, Text, Value};

pub use json::typed::{InvalidJson, SchemaFault};

/// Report of something that was removed from an event.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum RemovedValue {
    /// Whole event of an unknown type.
    Event {
        /// Unknown type.
        type_name: String,
    },
    /// Member or list item.
    Part {
        /// Type of the event.
        kind: EventType,
        /// `/`-joined keys and original indices.
        path: String,
    },
}

/// Error of an event with wrong values.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[error("{kind}: {}", .faults.iter().map(ToString::to_string).collect::<Vec<_>>().join("; "))]
pub struct EnforceError {
    /// Type of the event.
    pub kind: EventType,
    /// All wrong values, at least one.
    pub faults: Vec<SchemaFault>,
}

/// Removes members that are not described and checks the rest. Returns `Ok(None)` if the whole event
/// was removed because its type is unknown.
///
/// A typed event is returned unchanged: reading it has applied the same rules.
pub fn enforce(
    event: ReceivedEvent,
    mut removed: impl FnMut(RemovedValue),
) -> Result<Option<Event>, EnforceError> {
    let UntypedEvent { text, mut members } = match event {
        ReceivedEvent::Typed(event) => return Ok(Some(event)),
        ReceivedEvent::Untyped(untyped) => untyped,
    };
    let name = members.get("type").and_then(Value::as_str);
    let Some(kind) = name.and_then(EventType::from_str) else {
        removed(RemovedValue::Event {
            type_name: name.unwrap_or_default().to_owned(),
        });
        return Ok(None);
    };
    // Stripping never drops an event as a whole, because no required member of an event is a union.
    for path in strip_members(&mut members, "type", &[kind.fields(), kind.common_fields()]) {
        removed(RemovedValue::Part { kind, path });
    }
    let faults = check_event(kind, &mut members);
    if !faults.is_empty() {
        return Err(EnforceError { kind, faults });
    }
    let json = Text::from(Value::Object(members).to_json());
    let mut event = Event::placeholder();
    match event.read_into(kind, &mut TypedReader::new(&json), false) {
        Ok(()) => {
            event.set_received(text);
            Ok(Some(event))
        }
        // Not reachable while the typed readers implement the schema; tests compare the two.
        Err(_) => Err(EnforceError {
            kind,
            faults: vec![SchemaFault {
                path: String::new(),
                expected: "an event as described".to_owned(),
            }],
        }),
    }
}

/// Removes every optional member of an event that is `null`. A producer must do so before it emits
/// the event.
///
/// Nulls with a meaning (required values, opaque data) and unknown members stay.
pub fn drop_optional_nulls(event: &mut Map) {
    let Some(kind) = event
        .get("type")
        .and_then(Value::as_str)
        .and_then(EventType::from_str)
    else {
        return;
    };
    json::typed::drop_optional_nulls(event, &[kind.fields(), kind.common_fields()]);
}

/// Checks the described members of an event and completes the input of `RUN_STARTED`.
fn check_event(kind: EventType, members: &mut Map) -> Vec<SchemaFault> {
    let faults = check_members(members, &[kind.common_fields(), kind.fields()]);
    if kind == EventType::RunStarted
        && let Some(Value::Object(input)) = members.get_mut("input")
    {
        complete_input(input);
    }
    faults
}

/// Adds the lists that an input may leave out, and removes a state of `null`.
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
