//! Encoding of events for subscribers: SSE or protobuf.

use agui::negotiate::Encoding;
use agui::{EventReader, proto, sse};
use bytes::Bytes;
use json::Text;
use store::Sequence;

/// Encoder of events in one encoding.
pub(super) enum FrameEncoder {
    /// Server-sent events. The sequence of an event is its id.
    Sse(String),
    /// Protobuf frames. They have no ids.
    Protobuf(EventReader, Vec<u8>),
}

impl FrameEncoder {
    /// Creates an encoder for about so many bytes of JSON.
    pub(super) fn new(encoding: Encoding, json_bytes: usize) -> Self {
        match encoding {
            Encoding::Sse => Self::Sse(String::with_capacity(json_bytes + json_bytes / 8)),
            Encoding::Proto => Self::Protobuf(EventReader::new(), Vec::with_capacity(json_bytes)),
        }
    }

    /// Adds an event. The sequence is that of the log; `None` if the log does not hold the event.
    pub(super) fn push(&mut self, sequence: Option<Sequence>, json: &str) {
        match self {
            Self::Sse(out) => {
                if let Some(sequence) = sequence {
                    sse::encode_id(sequence, out);
                }
                sse::encode_text(json, out);
            }
            Self::Protobuf(reader, out) => {
                if let Ok(event) = reader.read(Text::from(json)) {
                    // An event that protobuf cannot express is left out.
                    let _ = proto::encode_received_frame(&event, out);
                }
            }
        }
    }

    /// Returns the number of encoded bytes.
    pub(super) fn len(&self) -> usize {
        match self {
            Self::Sse(out) => out.len(),
            Self::Protobuf(_, out) => out.len(),
        }
    }

    /// Returns the encoded events.
    pub(super) fn finish(self) -> Bytes {
        match self {
            Self::Sse(out) => Bytes::from(out),
            Self::Protobuf(_, out) => Bytes::from(out),
        }
    }
}

/// Encodes events with their sequences.
pub(super) fn encode_events<'e>(
    events: impl IntoIterator<Item = (Option<Sequence>, &'e str)>,
    json_bytes: usize,
    encoding: Encoding,
) -> Bytes {
    let mut encoder = FrameEncoder::new(encoding, json_bytes);
    for (sequence, json) in events {
        encoder.push(sequence, json);
    }
    encoder.finish()
}
