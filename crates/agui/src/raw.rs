//! Received events, before anything is known of them but that they are JSON objects with a type.

use crate::event::{Event, EventType};
use crate::json::{JsonError, Map, Scanner, Text, Value, unescape};
use crate::model::SnapshotMemory;
use crate::typed::Reader;

/// Why a text is not an event.
#[derive(Debug, Clone, Copy, PartialEq, Eq, thiserror::Error)]
pub enum ReadError {
    /// It is not JSON.
    #[error("invalid JSON: {0}")]
    InvalidJson(#[from] JsonError),
    /// It is JSON, but no object.
    #[error("an event must be a JSON object")]
    NotAnObject,
    /// It has no `type`, or one that is not a non-empty string.
    #[error("an event needs a non-empty string `type`")]
    NoType,
}

/// A received event: clean, or to be looked at by the compatibility boundary and enforcement.
#[derive(Debug, Clone)]
pub enum RawEvent {
    /// Exactly as the protocol describes it.
    Clean(Event),
    /// Anything else: unknown types, unknown members, wrong values, older forms.
    Unread(Unread),
}

/// A received event that does not read cleanly.
#[derive(Debug, Clone)]
pub struct Unread {
    /// The JSON as received.
    pub text: Text,
    /// Its members.
    pub members: Map,
}

impl Unread {
    /// The `type` as received.
    pub fn type_name(&self) -> &str {
        self.members
            .get("type")
            .and_then(Value::as_str)
            .unwrap_or_default()
    }
}

impl RawEvent {
    /// The JSON as received.
    pub fn text(&self) -> Text {
        match self {
            Self::Clean(event) => match event.received() {
                Some(text) => text.clone(),
                None => Text::from(event.to_json()),
            },
            Self::Unread(unread) => unread.text.clone(),
        }
    }

    /// The `type` as received.
    pub fn type_name(&self) -> &str {
        match self {
            Self::Clean(event) => event.kind().as_str(),
            Self::Unread(unread) => unread.type_name(),
        }
    }
}

/// Reads the JSON text of events. Keep one per stream: it remembers the last messages snapshot.
#[derive(Debug, Default)]
pub struct EventReader {
    memory: SnapshotMemory,
}

impl EventReader {
    /// A reader for a new stream.
    pub fn new() -> Self {
        Self::default()
    }

    /// Reads one event.
    pub fn read(&mut self, text: Text) -> Result<RawEvent, ReadError> {
        if let Some(kind) = peek_type(&text)
            && let Some(event) = self.read_clean(kind, &text)
        {
            return Ok(RawEvent::Clean(event));
        }
        match Value::parse(&text)? {
            Value::Object(members) => match members.get("type") {
                Some(Value::String(name)) if !name.is_empty() => {
                    Ok(RawEvent::Unread(Unread { text, members }))
                }
                _ => Err(ReadError::NoType),
            },
            _ => Err(ReadError::NotAnObject),
        }
    }

    fn read_clean(&mut self, kind: EventType, text: &Text) -> Option<Event> {
        let mut reader = Reader::new(text);
        if kind != EventType::MessagesSnapshot {
            return Event::read(kind, text, &mut reader).ok();
        }
        self.memory.begin();
        reader.memory = Some(&mut self.memory);
        let event = Event::read(kind, text, &mut reader).ok()?;
        self.memory.commit(text);
        Some(event)
    }
}

/// The type of an event that has a known one, found without reading the rest if it comes first.
fn peek_type(text: &Text) -> Option<EventType> {
    let mut scanner = Scanner::new(text, 0);
    scanner.expect(b'{', "").ok()?;
    loop {
        scanner.peek();
        let key = scanner.string().ok()?;
        scanner.expect(b':', "").ok()?;
        scanner.peek();
        if &text[key.range] == "type" {
            let name = scanner.string().ok()?;
            return if name.escaped {
                EventType::from_str(&unescape(&text[name.range]))
            } else {
                EventType::from_str(&text[name.range])
            };
        }
        scanner.skip(1).ok()?;
        scanner.expect(b',', "").ok()?;
    }
}
