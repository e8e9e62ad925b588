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
    /// Where they are in it, the next one last.
    events: Vec<Range<usize>>,
    /// What comes after them.
    error: Option<FrameError>,
    finished: bool,
    failed: bool,
    dropped: usize,
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

    /// How many events of unknown types were left out so far.
    pub fn dropped(&self) -> usize {
        self.dropped
    }

    /// The next event that is complete. After an error there is none.
    #[inline]
    pub fn next_event(&mut self) -> Option<Result<RawEvent, FrameError>> {
        if self.events.is_empty() && !self.failed {
            self.decode_block();
        }
        if let Some(range) = self.events.pop() {
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
                Ok(()) => self.events.push(start..block.len()),
                Err(ProtoError::UnknownEventType) => self.dropped += 1,
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
