//! Event streams in any format: SSE, JSON, protobuf frames.

use crate::event::Event;
use crate::proto::{self, FrameError};
use crate::received::{EventReadError, ReceivedEvent};
use crate::sse::{self, SseError};
use json::write_compact;

mod json_decoder;

pub use json_decoder::{JsonDecoder, JsonStreamError};

/// Format of an event stream.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum StreamFormat {
    /// Server-sent events.
    Sse,
    /// JSON objects, by convention one per line, or one JSON array of them.
    Json,
    /// Protobuf frames.
    Proto,
}

impl StreamFormat {
    /// Recognises the format by the first bytes; `None` if more bytes are needed.
    pub fn recognise(bytes: &[u8]) -> Option<Self> {
        let mark = b"\xef\xbb\xbf";
        if mark.starts_with(bytes) {
            return None;
        }
        let text = bytes.strip_prefix(mark).unwrap_or(bytes);
        match text.iter().find(|byte| !byte.is_ascii_whitespace()) {
            // A frame is shorter than 16 MiB, so the first byte of its length is zero.
            Some(0) => Some(Self::Proto),
            Some(b'{' | b'[') => Some(Self::Json),
            Some(_) => Some(Self::Sse),
            None => None,
        }
    }
}

/// Error that ends the decoding of a stream.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
pub enum StreamError {
    /// Error of an SSE stream.
    #[error(transparent)]
    Sse(#[from] SseError),
    /// Error of a JSON stream.
    #[error(transparent)]
    Json(#[from] JsonStreamError),
    /// Error of a protobuf stream.
    #[error(transparent)]
    Proto(#[from] FrameError),
}

impl StreamError {
    /// Returns a short name of the violated rule.
    pub fn rule(&self) -> &'static str {
        match self {
            Self::Sse(SseError::Event(error)) | Self::Json(JsonStreamError::Event(error)) => {
                match error {
                    EventReadError::InvalidJson(error) if error.is_depth() => "too-deep",
                    EventReadError::InvalidJson(_) => "invalid-json",
                    EventReadError::NotAnObject => "not-an-object",
                    EventReadError::NoType => "no-type",
                }
            }
            Self::Sse(SseError::TooLarge { .. })
            | Self::Json(JsonStreamError::TooLarge { .. })
            | Self::Proto(FrameError::TooLarge { .. }) => "too-large",
            Self::Proto(FrameError::BadFrame(_)) => "bad-frame",
            Self::Proto(FrameError::Truncated { .. }) => "truncated-frame",
        }
    }
}

/// Decoder for any format.
#[derive(Debug)]
pub enum StreamDecoder {
    /// Server-sent events.
    Sse(sse::SseDecoder),
    /// JSON objects.
    Json(JsonDecoder),
    /// Protobuf frames.
    Proto(proto::FrameDecoder),
}

impl StreamDecoder {
    /// Creates a decoder for a new stream.
    pub fn new(format: StreamFormat) -> Self {
        match format {
            StreamFormat::Sse => Self::Sse(sse::SseDecoder::new()),
            StreamFormat::Json => Self::Json(JsonDecoder::new()),
            StreamFormat::Proto => Self::Proto(proto::FrameDecoder::new()),
        }
    }

    /// Adds the next bytes. Read all complete events before adding more.
    pub fn push(&mut self, bytes: &[u8]) {
        match self {
            Self::Sse(decoder) => decoder.push(bytes),
            Self::Json(decoder) => decoder.push(bytes),
            Self::Proto(decoder) => decoder.push(bytes),
        }
    }

    /// Ends the stream.
    pub fn finish(&mut self) {
        match self {
            Self::Sse(decoder) => decoder.finish(),
            Self::Json(decoder) => decoder.finish(),
            Self::Proto(decoder) => decoder.finish(),
        }
    }

    /// Returns the next complete event. After an error it returns `None`.
    #[inline]
    pub fn next_event(&mut self) -> Option<Result<ReceivedEvent, StreamError>> {
        match self {
            Self::Sse(decoder) => Some(decoder.next_event()?.map_err(StreamError::from)),
            Self::Json(decoder) => Some(decoder.next_event()?.map_err(StreamError::from)),
            Self::Proto(decoder) => Some(decoder.next_event()?.map_err(StreamError::from)),
        }
    }

    /// Reads the next complete event into `slot`, which can be reused.
    #[inline]
    pub fn next_into(&mut self, slot: &mut ReceivedEvent) -> Option<Result<(), StreamError>> {
        match self {
            Self::Sse(decoder) => Some(decoder.next_into(slot)?.map_err(StreamError::from)),
            Self::Json(_) | Self::Proto(_) => Some(self.next_event()?.map(|event| *slot = event)),
        }
    }

    /// Returns the last `id` up to the event returned last; only SSE has ids.
    pub fn last_id(&self) -> Option<&str> {
        match self {
            Self::Sse(decoder) => decoder.last_id(),
            Self::Json(_) | Self::Proto(_) => None,
        }
    }

    /// Returns the number of invalid byte sequences replaced by U+FFFD so far.
    pub fn replaced(&self) -> usize {
        match self {
            Self::Sse(decoder) => decoder.replaced(),
            Self::Json(decoder) => decoder.replaced(),
            Self::Proto(decoder) => decoder.replaced(),
        }
    }

    /// Returns the number of events that were left out because protobuf cannot name their type.
    pub fn dropped(&self) -> usize {
        match self {
            Self::Proto(decoder) => decoder.dropped(),
            Self::Sse(_) | Self::Json(_) => 0,
        }
    }
}

/// Result of encoding a received event in another format.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum WriteOutcome {
    /// The event was written completely.
    Complete,
    /// The event was written, but the format cannot express all of its content.
    Partial,
    /// The format cannot express the event; nothing was written.
    Nothing,
}

/// Appends an event in this format.
pub fn encode(event: &Event, format: StreamFormat, out: &mut Vec<u8>) {
    match format {
        StreamFormat::Proto => proto::encode_frame(event, out),
        StreamFormat::Sse | StreamFormat::Json => append_json(&event.to_json(), format, out),
    }
}

/// Appends a received event in this format, unchanged if the format is text.
pub fn encode_received(
    event: &ReceivedEvent,
    format: StreamFormat,
    out: &mut Vec<u8>,
) -> WriteOutcome {
    match format {
        StreamFormat::Proto => match (proto::encode_received_frame(event, out), event) {
            (proto::EncodeOutcome::Nothing, _) => WriteOutcome::Nothing,
            (_, ReceivedEvent::Typed(_)) => WriteOutcome::Complete,
            // Unknown members have no field, and wrong values are coerced.
            (_, ReceivedEvent::Untyped(_)) => WriteOutcome::Partial,
        },
        StreamFormat::Sse | StreamFormat::Json => {
            append_json(&event.text(), format, out);
            WriteOutcome::Complete
        }
    }
}

fn append_json(json: &str, format: StreamFormat, out: &mut Vec<u8>) {
    let mut text = String::with_capacity(json.len() + 8);
    match format {
        StreamFormat::Sse => sse::encode_text(json, &mut text),
        // Compact, so that an event is one line.
        _ => {
            write_compact(json, &mut text);
            text.push('\n');
        }
    }
    out.extend_from_slice(text.as_bytes());
}

/// Decodes a complete stream; for tests and small inputs.
pub fn decode_all(format: StreamFormat, bytes: &[u8]) -> Result<Vec<ReceivedEvent>, StreamError> {
    let mut decoder = StreamDecoder::new(format);
    let mut events = Vec::new();
    decoder.push(bytes);
    while let Some(event) = decoder.next_event() {
        events.push(event?);
    }
    decoder.finish();
    while let Some(event) = decoder.next_event() {
        events.push(event?);
    }
    Ok(events)
}
