//! AG-UI events from and to JSON values.

use agui::compat::LegacyUpgrader;
use agui::enforce::{RemovedValue, enforce};
use agui::{Event, EventReader, ReceivedEvent};
use json::{Json, Text, Value};

/// Returns a generator of the ids in the golden vectors: `minted-1`, `minted-2` and so on.
pub fn sequential_ids() -> impl FnMut() -> String {
    let mut count = 0;
    move || {
        count += 1;
        format!("minted-{count}")
    }
}

/// Reads a JSON list of events as if they had been received.
pub fn received_events(list: &Value) -> Vec<ReceivedEvent> {
    let mut reader = EventReader::new();
    list.as_array()
        .expect("a list of events")
        .iter()
        .map(|event| {
            let text = Text::from(event.to_json());
            reader.read(text).expect("an object with a type")
        })
        .collect()
}

/// Reads and enforces a JSON list of events. Panics if enforcement changes one of them.
pub fn events(list: &Value) -> Vec<Event> {
    let mut upgrader = LegacyUpgrader::new(sequential_ids());
    received_events(list)
        .into_iter()
        .map(|event| {
            enforce(upgrader.apply(event), |removed: RemovedValue| {
                panic!("{removed:?} was removed from {}", list.to_json())
            })
            .expect("valid")
            .expect("known")
        })
        .collect()
}

/// Returns the events as a JSON list.
pub fn to_values(events: &[Event]) -> Value {
    Value::Array(events.iter().map(to_value).collect())
}

/// Returns the event as a JSON value.
pub fn to_value(event: &Event) -> Value {
    Value::parse(&event.to_json()).expect("events are written as JSON")
}

/// Returns the value as JSON that is not parsed again.
pub fn json(value: &Value) -> Json {
    Json::from(value.clone())
}
