//! Frames: a length of four bytes, big-endian, and a message.

use std::ops::Range;
use std::sync::Arc;

use super::ProtoError;
use super::decode::decode_into;
use crate::json::Text;
use crate::raw::{EventReader, RawEvent};

/// How many bytes a frame may have, the four of its length included.
pub const MAX_FRAME: usize = 10 * 1024 * 1024;

/// How much text is decoded ahead, roughly: enough to share one buffer among many events.
const BLOCK: usize = 32 * 1024;

/// The bytes of a frame's length.
const HEADER: usize = 4;

/// Why a stream cannot be read on.
#[derive(Debug, Clone, Copy, PartialEq, Eq, thiserror::Error)]
pub enum FrameError {
    /// A frame holds something else than an event.
    #[error("a frame cannot be decoded: {0}")]
    BadFrame(#[from] ProtoError),
    /// A frame announces more than it may hold.
    #[error("a frame is longer than {limit} bytes")]
    TooLarge {
        /// The limit.
        limit: usize,
    },
    /// The stream ended in the middle of a frame.
    #[error("the stream ended in the middle of a frame, after {bytes} of its bytes")]
    Truncated {
        /// How much of the frame there was.
        bytes: usize,
    },
}

/// An event that has been decoded.
#[derive(Debug)]
struct Ready {
    /// Where its JSON is in the block.
    range: Range<usize>,
    /// Whether invalid UTF-8 was replaced in it.
    replaced: bool,
}

/// Reads events from the bytes of a stream of frames, however they are cut.
#[derive(Debug)]
pub struct FrameDecoder {
    reader: EventReader,
    limit: usize,
    /// Bytes that have not been decoded yet, from `at` on.
    pending: Vec<u8>,
    at: usize,
    /// The JSON of events that have not been taken yet.
    block: Arc<String>,
    /// The next one last; `None` is a frame that is left out.
    events: Vec<Option<Ready>>,
    /// What comes after them.
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
    /// A decoder for a new stream.
    pub fn new() -> Self {
        Self::with_limit(MAX_FRAME)
    }

    /// A decoder with another limit for frames, in bytes.
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

    /// Gives the next bytes. Take all events before giving more, or the bytes pile up.
    pub fn push(&mut self, bytes: &[u8]) {
        if self.failed {
            return;
        }
        self.pending.drain(..self.at);
        self.at = 0;
        self.pending.extend_from_slice(bytes);
    }

    /// The bytes have ended: an unfinished frame is an error now.
    pub fn finish(&mut self) {
        self.finished = true;
    }

    /// How many events of unknown types were left out before the one taken last, or the end.
    pub fn dropped(&self) -> usize {
        self.dropped
    }

    /// In how many events up to the one taken last invalid UTF-8 was replaced.
    pub fn replaced(&self) -> usize {
        self.replaced
    }

    /// The next event that is complete. After an error there is none.
    #[inline]
    pub fn next_event(&mut self) -> Option<Result<RawEvent, FrameError>> {
        while !self.failed {
            if self.events.is_empty() {
                self.decode_block();
            }
            let Ready { range, replaced } = match self.events.pop() {
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
                // Not reachable: what is decoded is JSON and has a type.
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

    /// Decodes what is there, but not more than a block.
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
                // Text is longer than the message by the names of its members.
                block.reserve((rest.len() * 2 + 128).min(BLOCK + BLOCK / 8));
            }
            let start = block.len();
            match decode_into(message, &mut block) {
                Ok(()) => {
                    let range = start..block.len();
                    let replaced = has_replaced(message, &block[range.clone()]);
                    self.events.push(Some(Ready { range, replaced }));
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

/// Whether decoding has put replacement characters where the message has none.
fn has_replaced(message: &[u8], json: &str) -> bool {
    let mark = "\u{fffd}";
    let found = |bytes: &[u8]| memchr::memmem::find_iter(bytes, mark).count();
    memchr::memchr(mark.as_bytes()[0], json.as_bytes()).is_some()
        && found(json.as_bytes()) > found(message)
}
