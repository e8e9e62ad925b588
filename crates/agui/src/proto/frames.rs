//! Decoder of frames: a length in four bytes, big-endian, and a message.

use std::ops::Range;
use std::sync::Arc;

use super::ProtoError;
use super::decode::decode_into;
use crate::received::{EventReader, ReceivedEvent};
use json::Text;

/// Maximum length of a frame in bytes, including the four bytes of its length.
pub const MAX_FRAME: usize = 10 * 1024 * 1024;

/// Approximate number of bytes decoded ahead, so that many events share one buffer.
const BLOCK: usize = 32 * 1024;

/// Number of bytes of a frame's length.
const HEADER: usize = 4;

/// Error that ends the decoding of a stream.
#[derive(Debug, Clone, Copy, PartialEq, Eq, thiserror::Error)]
pub enum FrameError {
    /// The message of a frame is not an event.
    #[error("a frame cannot be decoded: {0}")]
    BadFrame(#[from] ProtoError),
    /// The length of a frame exceeds the limit.
    #[error("a frame is longer than {limit} bytes")]
    TooLarge {
        /// Limit in bytes.
        limit: usize,
    },
    /// The stream ended in the middle of a frame.
    #[error("the stream ended in the middle of a frame, after {bytes} of its bytes")]
    Truncated {
        /// Number of received bytes of the frame.
        bytes: usize,
    },
}

/// Decoded event.
#[derive(Debug)]
struct DecodedEvent {
    /// Range of its JSON in the block.
    range: Range<usize>,
    /// True if invalid UTF-8 was replaced in it.
    replaced: bool,
}

/// Decodes events from a stream of frames in chunks of any size.
#[derive(Debug)]
pub struct FrameDecoder {
    reader: EventReader,
    limit: usize,
    /// Received bytes; those from `at` on have not been decoded.
    pending: Vec<u8>,
    at: usize,
    /// JSON of decoded events that have not been returned.
    block: Arc<String>,
    /// Decoded events in reverse order; `None` is a frame that is left out.
    events: Vec<Option<DecodedEvent>>,
    /// Error to return after them.
    error: Option<FrameError>,
    finished: bool,
    failed: bool,
    dropped: usize,
    replaced: usize,
}

impl Default for FrameDecoder {
    fn default() -> Self {
        Self::new()
    }
}

impl FrameDecoder {
    /// Creates a decoder for a new stream.
    pub fn new() -> Self {
        Self::with_limit(MAX_FRAME)
    }

    /// Creates a decoder with another limit for frames, in bytes.
    pub fn with_limit(limit: usize) -> Self {
        Self {
            reader: EventReader::new(),
            limit,
            pending: Vec::new(),
            at: 0,
            block: Arc::default(),
            events: Vec::new(),
            error: None,
            finished: false,
            failed: false,
            dropped: 0,
            replaced: 0,
        }
    }

    /// Adds the next bytes. Read all complete events before adding more, or the bytes accumulate.
    pub fn push(&mut self, bytes: &[u8]) {
        if self.failed {
            return;
        }
        self.pending.drain(..self.at);
        self.at = 0;
        self.pending.extend_from_slice(bytes);
    }

    /// Ends the stream: an unfinished frame becomes an error.
    pub fn finish(&mut self) {
        self.finished = true;
    }

    /// Returns the number of events of unknown types that were left out before the event returned
    /// last, or before the end.
    pub fn dropped(&self) -> usize {
        self.dropped
    }

    /// Returns the number of events, up to the one returned last, in which invalid UTF-8 was
    /// replaced.
    pub fn replaced(&self) -> usize {
        self.replaced
    }

    /// Returns the next complete event. After an error it returns `None`.
    #[inline]
    pub fn next_event(&mut self) -> Option<Result<ReceivedEvent, FrameError>> {
        while !self.failed {
            if self.events.is_empty() {
                self.decode_block();
            }
            let DecodedEvent { range, replaced } = match self.events.pop() {
                None => break,
                Some(None) => {
                    self.dropped += 1;
                    continue;
                }
                Some(Some(ready)) => ready,
            };
            self.replaced += usize::from(replaced);
            let text = Text::cut(&self.block, range);
            return Some(self.reader.read(text).map_err(|_| {
                // Not reachable: decoded text is JSON and has a type.
                self.fail(ProtoError::Malformed("its JSON cannot be read").into())
            }));
        }
        let error = self.error.take()?;
        Some(Err(self.fail(error)))
    }

    fn fail(&mut self, error: FrameError) -> FrameError {
        self.failed = true;
        self.events = Vec::new();
        self.pending = Vec::new();
        self.at = 0;
        error
    }

    /// Decodes the complete frames, up to one block.
    fn decode_block(&mut self) {
        let mut block = String::new();
        while self.error.is_none() && block.len() < BLOCK {
            let rest = &self.pending[self.at..];
            let Some((header, body)) = rest.split_first_chunk::<HEADER>() else {
                self.error = self.truncated();
                break;
            };
            let length = u32::from_be_bytes(*header) as usize;
            if length > self.limit.saturating_sub(HEADER) {
                self.error = Some(FrameError::TooLarge { limit: self.limit });
                break;
            }
            let Some(message) = body.get(..length) else {
                self.error = self.truncated();
                break;
            };
            if block.capacity() == 0 {
                // JSON is longer than the message by the names of its members.
                block.reserve((rest.len() * 2 + 128).min(BLOCK + BLOCK / 8));
            }
            let start = block.len();
            match decode_into(message, &mut block) {
                Ok(()) => {
                    let range = start..block.len();
                    let replaced = has_replaced(message, &block[range.clone()]);
                    self.events.push(Some(DecodedEvent { range, replaced }));
                }
                Err(ProtoError::UnknownEventType) => self.events.push(None),
                Err(error) => self.error = Some(error.into()),
            }
            self.at += HEADER + length;
        }
        if !self.events.is_empty() {
            self.events.reverse();
            self.block = Arc::new(block);
        }
    }

    fn truncated(&self) -> Option<FrameError> {
        let bytes = self.pending.len() - self.at;
        (self.finished && bytes > 0).then_some(FrameError::Truncated { bytes })
    }
}

/// Returns true if the JSON has replacement characters that the message does not have.
fn has_replaced(message: &[u8], json: &str) -> bool {
    let mark = "\u{fffd}";
    let found = |bytes: &[u8]| memchr::memmem::find_iter(bytes, mark).count();
    memchr::memchr(mark.as_bytes()[0], json.as_bytes()).is_some()
        && found(json.as_bytes()) > found(message)
}
