//! Events: the common fields, the received text and the data of each type.

use std::ops::Range;
use std::sync::Arc;

use json::typed::{
    NotTyped, SafeInt, Schema, SchemaField, TypedJson, TypedReader, optional, read_member,
    write_key, write_member,
};
use json::{Json, JsonObject, Text};

mod define;
mod types;

pub use types::*;

/// Fields that every event may have.
#[derive(Debug, Clone, Default, PartialEq)]
pub struct CommonFields {
    /// Milliseconds since 1970 by convention; the protocol defines no unit.
    pub timestamp: Option<SafeInt>,
    /// Original event of the provider.
    pub raw_event: Option<Box<Json>>,
    /// Metadata with arbitrary keys.
    pub metadata: Option<Box<JsonObject>>,
    /// Subagent that produced the event; absent for the parent agent. Events about a run as a whole
    /// never have it; events about a subagent name it in their own data.
    pub subagent_run_id: Option<Text>,
}

impl CommonFields {
    const FIELDS: [SchemaField; 4] = [
        optional("timestamp", &Schema::SafeInt),
        optional("rawEvent", &Schema::NotNull),
        optional("metadata", &Schema::Opaque),
        optional("subagentRunId", &Schema::Text),
    ];

    fn read(
        &mut self,
        reader: &mut TypedReader<'_>,
        key: &str,
        attributable: bool,
    ) -> Result<(), NotTyped> {
        match key {
            "timestamp" => read_member(&mut self.timestamp, reader),
            "rawEvent" if reader.peek() != b'n' => read_member(&mut self.raw_event, reader),
            "metadata" => read_member(&mut self.metadata, reader),
            "subagentRunId" if attributable => read_member(&mut self.subagent_run_id, reader),
            _ => Err(NotTyped),
        }
    }

    fn write(&self, out: &mut String) {
        write_member("subagentRunId", &self.subagent_run_id, out);
        write_member("timestamp", &self.timestamp, out);
        write_member("rawEvent", &self.raw_event, out);
        write_member("metadata", &self.metadata, out);
    }
}

/// Event that matches the protocol's schema.
#[derive(Debug, Clone)]
pub struct Event {
    common: CommonFields,
    data: EventData,
    /// Received JSON, if the event was received.
    received: Option<Text>,
    /// True if `received` has exactly the meaning of the event and can be forwarded.
    is_received_exact: bool,
}

impl Event {
    /// Creates an event.
    pub fn new(data: EventData) -> Self {
        Self {
            common: CommonFields::default(),
            data,
            received: None,
            is_received_exact: false,
        }
    }

    /// Creates an event with common fields.
    pub fn with_common(data: impl Into<EventData>, common: CommonFields) -> Self {
        Self {
            common,
            ..Self::new(data.into())
        }
    }

    /// Returns an empty event to read into.
    pub(crate) fn placeholder() -> Self {
        Self::new(EventData::TextMessageChunk(TextMessageChunk {
            message_id: None,
            role: None,
            delta: None,
            name: None,
        }))
    }

    /// Reads an event in place, if the text matches the schema exactly.
    ///
    /// `typed`: the reader is behind the type, which is the first member. Reading in place avoids
    /// moving the large event.
    #[inline]
    pub(crate) fn read_into(
        &mut self,
        kind: EventType,
        reader: &mut TypedReader<'_>,
        typed: bool,
    ) -> Result<(), NotTyped> {
        self.common = CommonFields::default();
        self.read_data(kind, reader, typed)
    }

    /// Sets the received text, which has the same meaning as the event.
    #[inline]
    pub(crate) fn set_exact_received(&mut self, buffer: &Arc<String>, range: Range<usize>) {
        match &mut self.received {
            Some(text) => text.recut(buffer, range),
            None => self.received = Some(Text::cut(buffer, range)),
        }
        self.is_received_exact = true;
    }

    /// Sets the received text of an event that enforcement has changed.
    pub(crate) fn set_received(&mut self, text: Text) {
        self.received = Some(text);
        self.is_received_exact = false;
    }

    /// Returns the type.
    pub fn kind(&self) -> EventType {
        self.data.kind()
    }

    /// Returns the data of the event's type.
    pub fn data(&self) -> &EventData {
        &self.data
    }

    /// Fields that every event may have.
    pub fn common(&self) -> &CommonFields {
        &self.common
    }

    /// Splits the event into its data and common fields.
    pub fn into_parts(self) -> (EventData, CommonFields) {
        (self.data, self.common)
    }

    /// Returns the received JSON, before enforcement changed anything.
    pub fn received(&self) -> Option<&Text> {
        self.received.as_ref()
    }

    /// Appends the event as JSON: the received text if it has the same meaning, else compact JSON.
    pub fn write(&self, out: &mut String) {
        match &self.received {
            Some(text) if self.is_received_exact => out.push_str(text),
            _ => {
                out.push('{');
                write_key("type", out);
                self.data.kind().write(out);
                self.data.write(out);
                self.common.write(out);
                out.push('}');
            }
        }
    }

    /// Returns the event as JSON text.
    pub fn to_json(&self) -> String {
        let mut out = String::new();
        self.write(&mut out);
        out
    }
}

// Events are moved from stage to stage; keep them within about two cache lines.
const _: () = assert!(size_of::<Event>() <= 136);

/// Compares the content of two events; the received text does not matter.
impl PartialEq for Event {
    fn eq(&self, other: &Self) -> bool {
        self.data == other.data && self.common == other.common
    }
}
