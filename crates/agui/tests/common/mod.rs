//! What the tests of this crate share.
#![allow(dead_code, unreachable_pub)] // each test file uses its part

pub mod compaction;
pub mod sequence;

use agui::compat::Boundary;
use agui::enforce::{Removed, enforce};
use agui::json::{Json, Text, Value};
use agui::{Event, EventReader, RawEvent};

/// The vectors of a file in `tests/data`.
pub fn vectors(file: &str) -> Vec<Value> {
    let path = format!("{}/tests/data/{file}", env!("CARGO_MANIFEST_DIR"));
    let text = std::fs::read_to_string(&path).expect("the vector file is there");
    let Value::Object(mut file) = Value::parse(&text).expect("vectors are JSON") else {
        panic!("a vector file is an object")
    };
    match file.remove("vectors") {
        Some(Value::Array(vectors)) if !vectors.is_empty() => vectors,
        _ => panic!("{path} has no vectors"),
    }
}

pub fn name(vector: &Value) -> &str {
    vector["name"].as_str().expect("vectors have names")
}

/// Ids as the vectors have them: minted-1, minted-2…
pub fn minted() -> impl FnMut() -> String {
    let mut count = 0;
    move || {
        count += 1;
        format!("minted-{count}")
    }
}

/// Reads a list of JSON events as they would come over a wire.
pub fn raw_events(list: &Value) -> Vec<RawEvent> {
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

/// Reads and enforces events that must pass unchanged.
pub fn events(list: &Value) -> Vec<Event> {
    let mut boundary = Boundary::new(minted());
    raw_events(list)
        .into_iter()
        .map(|event| {
            enforce(boundary.apply(event), |removed: Removed| {
                panic!("{removed:?} was removed from {}", list.to_json())
            })
            .expect("valid")
            .expect("known")
        })
        .collect()
}

/// A JSON list of what the events say.
pub fn to_values(events: &[Event]) -> Value {
    Value::Array(events.iter().map(to_value).collect())
}

pub fn to_value(event: &Event) -> Value {
    Value::parse(&event.to_json()).expect("events are written as JSON")
}

pub fn json(value: &Value) -> Json {
    Json::from(value.clone())
}

pub fn unhex(text: &str) -> Vec<u8> {
    (0..text.len())
        .step_by(2)
        .map(|at| u8::from_str_radix(&text[at..at + 2], 16).expect("hex"))
        .collect()
}
