//! Server-sent events.
//!
//! Decoding follows the reference client, which differs from the WHATWG algorithm: only lines that
//! start with `data:` count, JSON errors are fatal, and an unfinished last event is read at the end
//! of the stream. One extension: CR and CRLF end lines too.

use std::ops::Range;
use std::sync::Arc;

use crate::event::Event;
use crate::received::{EventReadError, EventReader, ReceivedEvent};
use crate::utf8::Utf8Stream;
use json::{Map, Text, Value, write_compact};

/// Maximum length of an unfinished event, in UTF-16 units.
pub const MAX_PENDING: usize = 10 * 1024 * 1024;

/// Maximum capacity of a buffer that is reused for the next block.
const KEPT_CAPACITY: usize = 256 * 1024;

/// Error that ends the decoding of a stream.
#[derive(Debug, Clone, Copy, PartialEq, Eq, thiserror::Error)]
pub enum SseError {
    /// The data is not an event.
    #[error(transparent)]
    Event(#[from] EventReadError),
    /// An unfinished event exceeds the limit.
    #[error("an event is longer than {limit} characters")]
    TooLarge {
        /// Limit in UTF-16 units.
        limit: usize,
    },
}

/// Decodes events from the bytes of an SSE stream in chunks of any size.
#[derive(Debug)]
pub struct SseDecoder {
    utf8: Utf8Stream,
    reader: EventReader,
    limit: usize,
    /// Bytes after the last complete event.
    pending: String,
    /// UTF-16 units of `pending`, and the byte offset up to which they are counted.
    counted: (usize, usize),
    /// Complete events that have not been returned yet.
    block: Arc<String>,
    /// Offset of the next event in `block`.
    at: usize,
    /// True if the last byte of `block` was a CR: a following LF belongs to it.
    after_cr: bool,
    /// Last `id` up to the event returned last.
    last_id: Option<String>,
    failed: bool,
}

impl Default for SseDecoder {
    fn default() -> Self {
        Self::new()
    }
}

impl SseDecoder {
    /// Creates a decoder for a new stream.
    pub fn new() -> Self {
        Self::with_limit(MAX_PENDING)
    }

    /// Creates a decoder with another limit for unfinished events, in UTF-16 units.
    pub fn with_limit(limit: usize) -> Self {
        Self {
            utf8: Utf8Stream::new(),
            reader: EventReader::new(),
            limit,
            pending: String::new(),
            counted: (0, 0),
            block: Arc::default(),
            at: 0,
            after_cr: false,
            last_id: None,
            failed: false,
        }
    }

    /// Adds the next bytes. This is cheapest after all complete events have been read.
    pub fn push(&mut self, bytes: &[u8]) {
        if self.failed {
            return;
        }
        if self.at < self.block.len() {
            self.pending.insert_str(0, &self.block[self.at..]);
            self.block = Arc::default();
            self.counted = (0, 0);
        }
        let fresh = self.pending.len();
        self.utf8.push(bytes, &mut self.pending);
        if self.after_cr && fresh == 0 && !self.pending.is_empty() {
            self.after_cr = false;
            if self.pending.starts_with('\n') {
                self.pending.remove(0);
            }
        }
        if let Some(end) = last_blank_line(self.pending.as_bytes(), fresh) {
            let mut rest = self.free_buffer(self.pending.len() + bytes.len());
            rest.push_str(&self.pending[end..]);
            self.pending.truncate(end);
            self.after_cr = rest.is_empty() && self.pending.ends_with('\r');
            let block = std::mem::replace(&mut self.pending, rest);
            match Arc::get_mut(&mut self.block) {
                Some(place) => *place = block,
                None => self.block = Arc::new(block),
            }
            self.at = 0;
            self.counted = (0, 0);
        }
    }

    /// Returns an empty buffer. The buffer of the last block is reused if no event holds it, so
    /// that a stream whose events are not kept is decoded without allocations.
    fn free_buffer(&mut self, capacity: usize) -> String {
        match Arc::get_mut(&mut self.block) {
            Some(old) if (1..=KEPT_CAPACITY).contains(&old.capacity()) => {
                let mut buffer = std::mem::take(old);
                buffer.clear();
                buffer
            }
            // The next event is often as long as the last; allocate its size at once.
            _ => String::with_capacity(capacity),
        }
    }

    /// Ends the stream: an unfinished event counts as complete.
    pub fn finish(&mut self) {
        if !self.pending.is_empty() {
            self.utf8.finish(&mut self.pending);
            self.pending.push_str("\n\n");
            self.block = Arc::new(std::mem::take(&mut self.pending));
            self.at = 0;
        }
    }

    /// Returns the number of invalid byte sequences replaced by U+FFFD so far.
    pub fn replaced(&self) -> usize {
        self.utf8.replaced()
    }

    /// Returns the last `id` up to the event returned last.
    ///
    /// A server that writes ids can resume the stream after one of them (`Last-Event-ID`).
    pub fn last_id(&self) -> Option<&str> {
        self.last_id.as_deref()
    }

    /// Returns the next complete event. After an error it returns `None`.
    pub fn next_event(&mut self) -> Option<Result<ReceivedEvent, SseError>> {
        let mut event = ReceivedEvent::default();
        Some(self.next_into(&mut event)?.map(|()| event))
    }

    /// Reads the next complete event into `slot`, which can be reused.
    #[inline]
    pub fn next_into(&mut self, slot: &mut ReceivedEvent) -> Option<Result<(), SseError>> {
        if self.failed {
            return None;
        }
        let result = match self.next_payload() {
            Some(SsePayload::Part(range)) => self
                .reader
                .read_part(&self.block, range, slot)
                .map_err(SseError::from),
            Some(SsePayload::Joined(text)) => self
                .reader
                .read_into(&Text::from(text), slot)
                .map_err(SseError::from),
            None if self.is_too_large() => Err(SseError::TooLarge { limit: self.limit }),
            None => return None,
        };
        self.failed = result.is_err();
        Some(result)
    }

    fn is_too_large(&mut self) -> bool {
        if self.pending.len() <= self.limit {
            return false;
        }
        let (units, upto) = self.counted;
        let units = units
            + self.pending[upto..]
                .chars()
                .map(char::len_utf16)
                .sum::<usize>();
        self.counted = (units, self.pending.len());
        units > self.limit
    }

    /// Returns the data of the next complete event.
    #[inline]
    fn next_payload(&mut self) -> Option<SsePayload> {
        while self.at < self.block.len() {
            let bytes = self.block.as_bytes();
            let (end, next) = line(bytes, self.at);
            // Fast path: nearly every event is one data line and a blank one.
            if let Some(start) = value_start(bytes, self.at, end, b"data:")
                && let (blank, after) = line(bytes, next)
                && blank == next
            {
                self.at = after;
                return Some(SsePayload::Part(start..end));
            }
            if let Some(payload) = self.slow_payload() {
                return Some(payload);
            }
        }
        None
    }

    /// Reads to the next blank line and returns the data, if there is any.
    fn slow_payload(&mut self) -> Option<SsePayload> {
        let bytes = self.block.as_bytes();
        let mut payload = None;
        while self.at < bytes.len() {
            let (end, next) = line(bytes, self.at);
            let start = std::mem::replace(&mut self.at, next);
            if end == start {
                break;
            }
            if let Some(from) = value_start(bytes, start, end, b"data:") {
                payload = Some(match payload {
                    None => SsePayload::Part(from..end),
                    Some(before) => {
                        let mut data = match before {
                            SsePayload::Part(range) => self.block[range].to_owned(),
                            SsePayload::Joined(text) => text,
                        };
                        data.push('\n');
                        data.push_str(&self.block[from..end]);
                        SsePayload::Joined(data)
                    }
                });
            } else if let Some(from) = value_start(bytes, start, end, b"id:") {
                let id = self.last_id.get_or_insert_default();
                id.clear();
                id.push_str(&self.block[from..end]);
            }
        }
        payload
    }
}

/// Data of an event.
enum SsePayload {
    /// Range of one line in the block.
    Part(Range<usize>),
    /// Several joined lines.
    Joined(String),
}

/// Returns the end of a line and the start of the next.
#[inline]
fn line(bytes: &[u8], start: usize) -> (usize, usize) {
    match bytes.get(start) {
        Some(b'\n') => return (start, start + 1),
        None => return (start, start),
        _ => {}
    }
    match memchr::memchr2(b'\n', b'\r', &bytes[start..]) {
        Some(at) => {
            let end = start + at;
            let crlf = bytes[end..].starts_with(b"\r\n");
            (end, end + 1 + usize::from(crlf))
        }
        None => (bytes.len(), bytes.len()),
    }
}

/// Returns the start of a field's value: after the colon and at most one space.
#[inline]
fn value_start(bytes: &[u8], start: usize, end: usize, field: &[u8]) -> Option<usize> {
    let value = bytes[start..end].strip_prefix(field)?;
    Some(end - value.len() + usize::from(value.first() == Some(&b' ')))
}

/// Returns the end of the last blank line that ends in the bytes from `fresh` on.
fn last_blank_line(bytes: &[u8], fresh: usize) -> Option<usize> {
    let mut end = bytes.len();
    while let Some(at) = memchr::memrchr2(b'\n', b'\r', &bytes[fresh..end]) {
        let at = fresh + at;
        // Start of the line end at `at`: CR, LF or CRLF.
        let start = if bytes[at] == b'\n' && at > 0 && bytes[at - 1] == b'\r' {
            at - 1
        } else {
            at
        };
        if start == 0 || matches!(bytes[start - 1], b'\n' | b'\r') {
            let crlf = bytes[at..].starts_with(b"\r\n");
            return Some(at + 1 + usize::from(crlf));
        }
        end = start.max(fresh);
    }
    None
}

/// Appends an event as one SSE frame.
#[inline]
pub fn encode(event: &Event, out: &mut String) {
    out.push_str("data: ");
    let start = out.len();
    event.write(out);
    finish_frame(out, start);
}

/// Appends a received event unchanged as one SSE frame.
pub fn encode_received(event: &ReceivedEvent, out: &mut String) {
    out.push_str("data: ");
    event.write_line(out);
    out.push_str("\n\n");
}

/// Appends the JSON text of an event as one SSE frame.
pub fn encode_text(json: &str, out: &mut String) {
    out.push_str("data: ");
    let start = out.len();
    out.push_str(json);
    finish_frame(out, start);
}

/// Appends the id of the next frame. AG-UI does not define ids; a server that stores its events
/// writes them so that a client can resume.
pub fn encode_id(id: u64, out: &mut String) {
    out.push_str("id: ");
    out.push_str(itoa::Buffer::new().format(id));
    out.push('\n');
}

/// Appends an event as one SSE frame, without optional members that are `null`.
pub fn encode_value(mut event: Map, out: &mut String) {
    crate::enforce::drop_optional_nulls(&mut event);
    out.push_str("data: ");
    Value::Object(event).write(out);
    out.push_str("\n\n");
}

/// Ends a frame. Line breaks between JSON tokens are removed.
fn finish_frame(out: &mut String, start: usize) {
    remove_line_breaks(out, start);
    out.push_str("\n\n");
}

/// Removes line breaks between the tokens of the JSON text behind `start`.
pub(crate) fn remove_line_breaks(out: &mut String, start: usize) {
    if memchr::memchr2(b'\n', b'\r', &out.as_bytes()[start..]).is_some() {
        let json = out.split_off(start);
        write_compact(&json, out);
    }
}
