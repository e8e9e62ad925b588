//! Received events, before anything is known of them but that they are JSON objects with a type.

use std::ops::Range;
use std::sync::Arc;

use crate::event::{Event, EventType};
use crate::json::{JsonError, Map, Scanner, Text, Value, plain_prefix, unescape};
use crate::model::SnapshotMemory;
use crate::typed::{Reader, Unclean};

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
    #[allow(clippy::needless_pass_by_value)] // the caller is done with the text
    pub fn read(&mut self, text: Text) -> Result<RawEvent, ReadError> {
        let mut event = RawEvent::default();
        self.read_into(&text, &mut event)?;
        Ok(event)
    }

    /// Reads one event into a place that is used again and again: faster, because an event is long.
    pub fn read_into(&mut self, text: &Text, slot: &mut RawEvent) -> Result<(), ReadError> {
        let (buffer, range) = text.parts();
        self.read_part(buffer, range, slot)
    }

    /// Reads one event that is a part of a buffer.
    #[inline]
    pub(crate) fn read_part(
        &mut self,
        buffer: &Arc<String>,
        range: Range<usize>,
        slot: &mut RawEvent,
    ) -> Result<(), ReadError> {
        if let Some((kind, behind)) = peek_type(&buffer[range.clone()]) {
            if let RawEvent::Unread(_) = slot {
                *slot = RawEvent::default();
            }
            if let RawEvent::Clean(event) = slot
                && self.read_clean(kind, behind, buffer, &range, event).is_ok()
            {
                event.set_faithful(buffer, range);
                return Ok(());
            }
        }
        *slot = read_unclean(Text::cut(buffer, range))?;
        Ok(())
    }

    #[inline]
    fn read_clean(
        &mut self,
        kind: EventType,
        behind: Option<usize>,
        buffer: &Arc<String>,
        range: &Range<usize>,
        event: &mut Event,
    ) -> Result<(), Unclean> {
        let mut reader = Reader::of(buffer, range.clone());
        reader.advance(behind.unwrap_or(0));
        if kind != EventType::MessagesSnapshot {
            return event.read_into(kind, &mut reader, behind.is_some());
        }
        self.memory.begin();
        reader.memory = Some(&mut self.memory);
        event.read_into(kind, &mut reader, behind.is_some())?;
        self.memory.commit(buffer);
        Ok(())
    }
}

/// A place to read into.
impl Default for RawEvent {
    fn default() -> Self {
        Self::Clean(Event::blank())
    }
}

#[cold]
fn read_unclean(text: Text) -> Result<RawEvent, ReadError> {
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

/// The type of an event that has a known one, and where it ends if it comes first.
#[inline]
fn peek_type(text: &str) -> Option<(EventType, Option<usize>)> {
    // How nearly every event begins.
    if let Some(rest) = text.strip_prefix("{\"type\":\"")
        && let end = plain_prefix(rest.as_bytes())
        && rest.as_bytes().get(end) == Some(&b'"')
    {
        let behind = text.len() - rest.len() + end + 1;
        return Some((EventType::from_str(&rest[..end])?, Some(behind)));
    }
    let mut scanner = Scanner::new(text, 0);
    scanner.expect(b'{', "").ok()?;
    loop {
        scanner.peek();
        let key = scanner.string().ok()?;
        scanner.expect(b':', "").ok()?;
        scanner.peek();
        if &text[key.range] == "type" {
            let name = scanner.string().ok()?;
            let inside = &text[name.range];
            let kind = if name.escaped {
                EventType::from_str(&unescape(inside))
            } else {
                EventType::from_str(inside)
            };
            return Some((kind?, None));
        }
        scanner.skip(1).ok()?;
        scanner.expect(b',', "").ok()?;
    }
}
