//! Received events: typed if they match the schema exactly, otherwise a JSON object with a type.

use std::ops::Range;
use std::sync::Arc;

use crate::event::{Event, EventType};
use crate::model::SnapshotCache;
use json::typed::{NotTyped, TypedReader};
use json::{JsonError, Map, Scanner, Text, Value, plain_prefix_len, unescape};

/// Error of a text that is not an event.
#[derive(Debug, Clone, Copy, PartialEq, Eq, thiserror::Error)]
pub enum EventReadError {
    /// The text is not JSON.
    #[error("invalid JSON: {0}")]
    InvalidJson(#[from] JsonError),
    /// The JSON is not an object.
    #[error("an event must be a JSON object")]
    NotAnObject,
    /// The `type` is missing or not a non-empty string.
    #[error("an event needs a non-empty string `type`")]
    NoType,
}

/// Received event: typed, or untyped until the legacy upgrade and enforcement have processed it.
#[derive(Debug, Clone)]
pub enum ReceivedEvent {
    /// Event that matches the schema exactly.
    Typed(Event),
    /// Any other event: unknown types, unknown members, wrong values, legacy forms.
    Untyped(UntypedEvent),
}

/// Received event that does not match the schema exactly.
#[derive(Debug, Clone)]
pub struct UntypedEvent {
    /// JSON as received.
    pub text: Text,
    /// Members of the JSON object.
    pub members: Map,
}

impl UntypedEvent {
    /// Returns the received `type`.
    pub fn type_name(&self) -> &str {
        self.members
            .get("type")
            .and_then(Value::as_str)
            .unwrap_or_default()
    }
}

impl ReceivedEvent {
    /// JSON as received.
    pub fn text(&self) -> Text {
        match self {
            Self::Typed(event) => match event.received() {
                Some(text) => text.clone(),
                None => Text::from(event.to_json()),
            },
            Self::Untyped(untyped) => untyped.text.clone(),
        }
    }

    /// Appends the JSON as received, without line breaks between its tokens.
    pub fn write_line(&self, out: &mut String) {
        let start = out.len();
        match self {
            Self::Typed(event) => match event.received() {
                Some(text) => out.push_str(text),
                None => event.write(out),
            },
            Self::Untyped(untyped) => out.push_str(&untyped.text),
        }
        crate::sse::remove_line_breaks(out, start);
    }

    /// Returns the received `type`.
    pub fn type_name(&self) -> &str {
        match self {
            Self::Typed(event) => event.kind().as_str(),
            Self::Untyped(untyped) => untyped.type_name(),
        }
    }
}

/// Reads events from JSON text. Use one reader per stream, because it caches the last messages
/// snapshot.
#[derive(Debug, Default)]
pub struct EventReader {
    snapshots: SnapshotCache,
}

impl EventReader {
    /// Creates a reader for a new stream.
    pub fn new() -> Self {
        Self::default()
    }

    /// Reads one event.
    #[allow(clippy::needless_pass_by_value)] // the caller is done with the text
    pub fn read(&mut self, text: Text) -> Result<ReceivedEvent, EventReadError> {
        let mut event = ReceivedEvent::default();
        self.read_into(&text, &mut event)?;
        Ok(event)
    }

    /// Reads one event into a reused slot, which avoids moving the large event.
    pub fn read_into(
        &mut self,
        text: &Text,
        slot: &mut ReceivedEvent,
    ) -> Result<(), EventReadError> {
        let (buffer, range) = text.parts();
        self.read_part(buffer, range, slot)
    }

    /// Reads one event from a range of a buffer.
    #[inline]
    pub(crate) fn read_part(
        &mut self,
        buffer: &Arc<String>,
        range: Range<usize>,
        slot: &mut ReceivedEvent,
    ) -> Result<(), EventReadError> {
        if let Some((kind, type_end)) = peek_type(&buffer[range.clone()]) {
            if let ReceivedEvent::Untyped(_) = slot {
                *slot = ReceivedEvent::default();
            }
            if let ReceivedEvent::Typed(event) = slot
                && self
                    .read_typed(kind, type_end, buffer, &range, event)
                    .is_ok()
            {
                event.set_exact_received(buffer, range);
                return Ok(());
            }
        }
        *slot = read_untyped(Text::cut(buffer, range))?;
        Ok(())
    }

    #[inline]
    fn read_typed(
        &mut self,
        kind: EventType,
        type_end: Option<usize>,
        buffer: &Arc<String>,
        range: &Range<usize>,
        event: &mut Event,
    ) -> Result<(), NotTyped> {
        let mut reader = TypedReader::for_range(buffer, range.clone());
        reader.advance(type_end.unwrap_or(0));
        if kind != EventType::MessagesSnapshot {
            return event.read_into(kind, &mut reader, type_end.is_some());
        }
        self.snapshots.begin();
        reader.set_context(&mut self.snapshots);
        event.read_into(kind, &mut reader, type_end.is_some())?;
        self.snapshots.commit(buffer);
        Ok(())
    }
}

/// Returns a slot to read into.
impl Default for ReceivedEvent {
    fn default() -> Self {
        Self::Typed(Event::placeholder())
    }
}

#[cold]
fn read_untyped(text: Text) -> Result<ReceivedEvent, EventReadError> {
    match Value::parse(&text)? {
        Value::Object(members) => match members.get("type") {
            Some(Value::String(name)) if !name.is_empty() => {
                Ok(ReceivedEvent::Untyped(UntypedEvent { text, members }))
            }
            _ => Err(EventReadError::NoType),
        },
        _ => Err(EventReadError::NotAnObject),
    }
}

/// Returns the type of an event; `None` if it is not known or the text is not an event.
pub(crate) fn event_type_of(text: &str) -> Option<EventType> {
    peek_type(text).map(|(kind, _)| kind)
}

/// Returns a known event type, and the offset behind it if it is the first member.
#[inline]
fn peek_type(text: &str) -> Option<(EventType, Option<usize>)> {
    // Fast path: nearly every event begins with its type.
    if let Some(rest) = text.strip_prefix("{\"type\":\"")
        && let end = plain_prefix_len(rest.as_bytes())
        && rest.as_bytes().get(end) == Some(&b'"')
    {
        let type_end = text.len() - rest.len() + end + 1;
        return Some((EventType::from_str(&rest[..end])?, Some(type_end)));
    }
    let mut scanner = Scanner::new(text, 0);
    scanner.expect(b'{', "").ok()?;
    loop {
        scanner.peek();
        let key = scanner.read_string_literal().ok()?;
        scanner.expect(b':', "").ok()?;
        scanner.peek();
        if &text[key.range] == "type" {
            let name = scanner.read_string_literal().ok()?;
            let inside = &text[name.range];
            let kind = if name.escaped {
                EventType::from_str(&unescape(inside))
            } else {
                EventType::from_str(inside)
            };
            return Some((kind?, None));
        }
        scanner.skip_value(1).ok()?;
        scanner.expect(b',', "").ok()?;
    }
}
