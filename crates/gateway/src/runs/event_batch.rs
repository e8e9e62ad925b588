//! Batch of events that are stored and sent together.

use std::sync::OnceLock;

use agui::ReceivedEvent;
use agui::downgrade::{ClientRelease, EventFormat};
use agui::negotiate::Encoding;
use bytes::Bytes;
use store::{LogBatch, Sequence};

use super::frame_encoder::FrameEncoder;

/// Bytes that the store adds to an event at most: its length.
const LOG_OVERHEAD: usize = 3;

/// Events that are stored and sent together: their JSON, and each format once a subscriber needs it.
#[derive(Debug)]
pub(crate) struct EventBatch {
    /// Sequence of the first event.
    first: Sequence,
    /// JSON texts of all events, one after the other.
    json: String,
    /// End of each event in `json`.
    ends: Vec<usize>,
    /// Batch in each format, in the order of [`format_index`].
    encoded: [OnceLock<EncodedBatch>; 4],
}

/// Returns the index of a format among all formats.
fn format_index(format: EventFormat) -> usize {
    let encoding = match format.encoding {
        Encoding::Sse => 0,
        Encoding::Proto => 1,
    };
    match format.release {
        ClientRelease::Current => encoding,
        ClientRelease::Legacy => 2 + encoding,
    }
}

/// Batch in one format, shared by all subscribers.
#[derive(Debug)]
struct EncodedBatch {
    bytes: Bytes,
    /// Start of each event in `bytes`.
    starts: Vec<usize>,
}

impl EventBatch {
    /// Creates an empty batch. `first` is the sequence of its first event.
    pub(crate) fn new(first: Sequence) -> Self {
        Self {
            first,
            json: String::new(),
            ends: Vec::new(),
            encoded: std::array::from_fn(|_| OnceLock::new()),
        }
    }

    /// Adds an event in the form in which it was received.
    pub(crate) fn push(&mut self, event: &ReceivedEvent) {
        event.write_line(&mut self.json);
        self.ends.push(self.json.len());
    }

    /// Returns the size of the JSON texts in bytes.
    pub(crate) fn size(&self) -> usize {
        self.json.len()
    }

    /// Returns the number of events.
    pub(crate) fn count(&self) -> u64 {
        self.ends.len() as u64
    }

    /// Returns the sequence of the first event.
    pub(crate) fn first(&self) -> Sequence {
        self.first
    }

    /// Returns the sequence of the last event.
    pub(crate) fn last(&self) -> Sequence {
        self.first + self.count() - 1
    }

    /// Returns the batch in the form that the store takes.
    pub(crate) fn log_batch(&self) -> LogBatch {
        let size = self.json.len() + LOG_OVERHEAD * self.ends.len();
        let mut batch = LogBatch::with_capacity(size);
        for (_, json) in self.events() {
            batch.push(json.as_bytes());
        }
        batch
    }

    /// Returns the events after a sequence in a format.
    pub(crate) fn encoded_after(&self, after: Sequence, format: EventFormat) -> Bytes {
        let cell = &self.encoded[format_index(format)];
        let encoded = cell.get_or_init(|| self.encode(format));
        let skipped = (after + 1).saturating_sub(self.first);
        let skipped = usize::try_from(skipped).unwrap_or(usize::MAX);
        match encoded.starts.get(skipped) {
            Some(start) => encoded.bytes.slice(start..),
            None => Bytes::new(),
        }
    }

    fn events(&self) -> impl Iterator<Item = (Sequence, &str)> {
        let mut start = 0;
        (self.first..).zip(&self.ends).map(move |(sequence, end)| {
            let json = &self.json[start..*end];
            start = *end;
            (sequence, json)
        })
    }

    fn encode(&self, format: EventFormat) -> EncodedBatch {
        let mut encoder = FrameEncoder::new(format, self.json.len());
        let mut starts = Vec::with_capacity(self.ends.len());
        for (sequence, json) in self.events() {
            starts.push(encoder.len());
            encoder.push(Some(sequence), json);
        }
        EncodedBatch {
            bytes: encoder.finish(),
            starts,
        }
    }
}

#[cfg(test)]
mod tests {
    use agui::EventReader;
    use json::Text;

    use super::*;

    fn batch() -> EventBatch {
        let mut batch = EventBatch::new(7);
        for text in [
            r#"{"type":"RUN_STARTED","threadId":"t","runId":"r"}"#,
            "{\"type\":\"CUSTOM\",\n\"name\":\"n\",\"value\":1}",
            r#"{"type":"RUN_FINISHED","threadId":"t","runId":"r"}"#,
        ] {
            let event = EventReader::new().read(Text::from(text));
            batch.push(&event.expect("an event"));
        }
        batch
    }

    #[test]
    fn events_are_encoded_with_their_sequences_and_without_line_breaks() {
        let batch = batch();
        assert_eq!((batch.first(), batch.last(), batch.count()), (7, 9, 3));
        let after = batch.encoded_after(7, Encoding::Sse.into());
        assert_eq!(
            std::str::from_utf8(&after),
            Ok(
                "id: 8\ndata: {\"type\":\"CUSTOM\",\"name\":\"n\",\"value\":1}\n\n\
                id: 9\ndata: {\"type\":\"RUN_FINISHED\",\"threadId\":\"t\",\"runId\":\"r\"}\n\n"
            )
        );
        assert!(batch.encoded_after(9, Encoding::Sse.into()).is_empty());
        assert_eq!(batch.log_batch().len(), 3);
    }

    #[test]
    fn subscribers_share_each_format() {
        let batch = batch();
        for encoding in [Encoding::Sse, Encoding::Proto] {
            for release in [ClientRelease::Current, ClientRelease::Legacy] {
                let format = EventFormat { encoding, release };
                let (one, other) = (
                    batch.encoded_after(6, format),
                    batch.encoded_after(6, format),
                );
                assert!(!one.is_empty());
                assert_eq!(one.as_ptr(), other.as_ptr(), "{format:?}");
            }
        }
    }
}
