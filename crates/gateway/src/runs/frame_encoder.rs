//! Encoding of events for subscribers: SSE or protobuf.

use agui::downgrade::EventFormat;
use agui::negotiate::Encoding;
use agui::{EventReader, proto, sse};
use bytes::Bytes;
use json::Text;
use store::Sequence;

/// Encoder of events for clients of one format.
pub(super) struct FrameEncoder {
    format: EventFormat,
    frames: EncodedFrames,
}

/// Events encoded so far.
enum EncodedFrames {
    /// Server-sent events. The sequence of an event is its id.
    Sse(String),
    /// Protobuf frames. They have no ids.
    Protobuf(EventReader, Vec<u8>),
}

impl FrameEncoder {
    /// Creates an encoder for about so many bytes of JSON.
    pub(super) fn new(format: EventFormat, json_bytes: usize) -> Self {
        let capacity = json_bytes + json_bytes / 8;
        Self {
            format,
            frames: match format.encoding {
                Encoding::Sse => EncodedFrames::Sse(String::with_capacity(capacity)),
                Encoding::Proto => {
                    EncodedFrames::Protobuf(EventReader::new(), Vec::with_capacity(json_bytes))
                }
            },
        }
    }

    /// Adds an event. The sequence is that of the log; `None` if the log does not hold the event.
    pub(super) fn push(&mut self, sequence: Option<Sequence>, json: &str) {
        let Some(json) = self.format.downgrade(json) else {
            return;
        };
        match &mut self.frames {
            EncodedFrames::Sse(out) => {
                if let Some(sequence) = sequence {
                    sse::encode_id(sequence, out);
                }
                sse::encode_text(&json, out);
            }
            EncodedFrames::Protobuf(reader, out) => {
                if let Ok(event) = reader.read(Text::from(&*json)) {
                    // An event that protobuf cannot express is left out.
                    let _ = proto::encode_received_frame(&event, out);
                }
            }
        }
    }

    /// Returns the number of encoded bytes.
    pub(super) fn len(&self) -> usize {
        match &self.frames {
            EncodedFrames::Sse(out) => out.len(),
            EncodedFrames::Protobuf(_, out) => out.len(),
        }
    }

    /// Returns the encoded events.
    pub(super) fn finish(self) -> Bytes {
        match self.frames {
            EncodedFrames::Sse(out) => Bytes::from(out),
            EncodedFrames::Protobuf(_, out) => Bytes::from(out),
        }
    }
}

/// Encodes events with their sequences.
pub(super) fn encode_events<'e>(
    events: impl IntoIterator<Item = (Option<Sequence>, &'e str)>,
    json_bytes: usize,
    format: EventFormat,
) -> Bytes {
    let mut encoder = FrameEncoder::new(format, json_bytes);
    for (sequence, json) in events {
        encoder.push(sequence, json);
    }
    encoder.finish()
}
