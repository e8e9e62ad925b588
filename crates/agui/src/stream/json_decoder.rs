//! Decoder of JSON Lines, concatenated JSON objects and one JSON array of events.

use crate::received::{EventReadError, EventReader, ReceivedEvent};
use crate::sse;
use crate::utf8::Utf8Stream;
use json::{JsonError, Text};

/// Error that ends the decoding of a JSON stream.
#[derive(Debug, Clone, Copy, PartialEq, Eq, thiserror::Error)]
pub enum JsonStreamError {
    /// The JSON is not an event.
    #[error(transparent)]
    Event(#[from] EventReadError),
    /// An event exceeds the limit.
    #[error("an event is longer than {limit} bytes")]
    TooLarge {
        /// Limit in bytes.
        limit: usize,
    },
}

/// Decodes consecutive JSON objects, or the items of one JSON array.
#[derive(Debug, Default)]
pub struct JsonDecoder {
    utf8: Utf8Stream,
    reader: EventReader,
    pending: String,
    /// Offset in `pending` up to which the bytes are scanned.
    at: usize,
    /// Start of the current value in `pending`.
    start: Option<usize>,
    depth: usize,
    string: Option<QuoteState>,
    array: ArrayState,
    finished: bool,
    failed: bool,
}

/// State inside a string literal.
#[derive(Debug, PartialEq)]
enum QuoteState {
    Plain,
    AfterBackslash,
}

/// State of the enclosing array, if the stream is one.
#[derive(Debug, Default, PartialEq, Eq, Clone, Copy)]
enum ArrayState {
    #[default]
    Unknown,
    No,
    /// Before the first item, which may be missing.
    BeforeFirst,
    BeforeItem,
    AfterItem,
    Closed,
}

impl JsonDecoder {
    /// Creates a decoder for a new stream.
    pub fn new() -> Self {
        Self::default()
    }

    /// Adds the next bytes.
    pub fn push(&mut self, bytes: &[u8]) {
        let taken = self.start.unwrap_or(self.at);
        if taken > 0 {
            self.pending.drain(..taken);
            self.at -= taken;
            self.start = self.start.map(|_| 0);
        }
        self.utf8.push(bytes, &mut self.pending);
    }

    /// Ends the stream.
    pub fn finish(&mut self) {
        self.utf8.finish(&mut self.pending);
        self.finished = true;
    }

    /// Returns the number of invalid byte sequences replaced by U+FFFD so far.
    pub fn replaced(&self) -> usize {
        self.utf8.replaced()
    }

    /// Returns the next complete event. After an error it returns `None`.
    pub fn next_event(&mut self) -> Option<Result<ReceivedEvent, JsonStreamError>> {
        if self.failed {
            return None;
        }
        let limit = sse::MAX_PENDING;
        let result = match self.next_value() {
            Ok(Some(text)) => self.reader.read(text).map_err(JsonStreamError::from),
            Ok(None) if self.unfinished_len() > limit => Err(JsonStreamError::TooLarge { limit }),
            Ok(None) => return None,
            Err(error) => Err(EventReadError::InvalidJson(error).into()),
        };
        self.failed = result.is_err();
        Some(result)
    }

    /// Returns the length of the unfinished value.
    fn unfinished_len(&self) -> usize {
        self.start.map_or(0, |start| self.pending.len() - start)
    }

    fn error<T>(&self, reason: &'static str) -> Result<T, JsonError> {
        Err(JsonError {
            offset: self.at - self.start.unwrap_or(self.at),
            reason,
        })
    }

    fn next_value(&mut self) -> Result<Option<Text>, JsonError> {
        while let Some(&byte) = self.pending.as_bytes().get(self.at) {
            if self.start.is_none() {
                if byte.is_ascii_whitespace() {
                    self.at += 1;
                    continue;
                }
                if self.take_punctuation(byte)? {
                    continue;
                }
                self.start = Some(self.at);
            }
            if self.take_byte(byte) {
                return Ok(Some(self.take_value()));
            }
        }
        if !self.finished {
            return Ok(None);
        }
        if self.start.is_some() {
            // The reader reports what is wrong; a bare scalar is complete.
            return Ok(Some(self.take_value()));
        }
        match self.array {
            ArrayState::Unknown | ArrayState::No | ArrayState::Closed => Ok(None),
            _ => {
                self.array = ArrayState::Closed;
                self.error("the JSON array ends too early")
            }
        }
    }

    /// Takes punctuation between values. Returns `Ok(false)` if a value begins.
    fn take_punctuation(&mut self, byte: u8) -> Result<bool, JsonError> {
        self.array = match (self.array, byte) {
            (ArrayState::Unknown, b'[') => ArrayState::BeforeFirst,
            (ArrayState::Unknown | ArrayState::No, _) => {
                self.array = ArrayState::No;
                return Ok(false);
            }
            (ArrayState::BeforeFirst | ArrayState::AfterItem, b']') => ArrayState::Closed,
            (ArrayState::AfterItem, b',') => ArrayState::BeforeItem,
            (ArrayState::BeforeFirst | ArrayState::BeforeItem, b',' | b']') => {
                return self.error("an item is missing");
            }
            (ArrayState::BeforeFirst | ArrayState::BeforeItem, _) => return Ok(false),
            (ArrayState::AfterItem, _) => return self.error("expected ',' or ']'"),
            (ArrayState::Closed, _) => return self.error("unexpected text after the JSON array"),
        };
        self.at += 1;
        Ok(true)
    }

    /// Takes one byte of a value, or a run of a string. Returns true if the value is complete.
    fn take_byte(&mut self, byte: u8) -> bool {
        match &self.string {
            Some(QuoteState::AfterBackslash) => self.string = Some(QuoteState::Plain),
            Some(QuoteState::Plain) => {
                let rest = &self.pending.as_bytes()[self.at..];
                match memchr::memchr2(b'"', b'\\', rest) {
                    Some(at) => {
                        self.at += at;
                        self.string = (rest[at] == b'\\').then_some(QuoteState::AfterBackslash);
                        if self.string.is_none() && self.depth == 0 {
                            self.at += 1;
                            return true;
                        }
                    }
                    None => self.at += rest.len() - 1,
                }
            }
            None => match byte {
                b'"' => self.string = Some(QuoteState::Plain),
                b'{' | b'[' => self.depth += 1,
                b'}' | b']' if self.depth > 0 => {
                    self.depth -= 1;
                    if self.depth == 0 {
                        self.at += 1;
                        return true;
                    }
                }
                // A top-level scalar ends at the next delimiter.
                b',' | b']' | b'}' if self.depth == 0 => return true,
                byte if self.depth == 0 && byte.is_ascii_whitespace() => return true,
                _ => {}
            },
        }
        self.at += 1;
        false
    }

    fn take_value(&mut self) -> Text {
        let start = self.start.take().unwrap_or(self.at);
        self.depth = 0;
        self.string = None;
        if self.array != ArrayState::No {
            self.array = ArrayState::AfterItem;
        }
        // A lone closing bracket is returned as a value, which the reader rejects.
        self.at = self.at.max(start + 1).min(self.pending.len());
        Text::from(&self.pending[start..self.at])
    }
}
