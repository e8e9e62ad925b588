//! Streams of events in any form: SSE, JSON texts, protobuf frames.

use crate::event::Event;
use crate::json::{JsonError, Text, write_compact};
use crate::proto::{self, FrameError};
use crate::raw::{EventReader, RawEvent, ReadError};
use crate::sse::{self, SseError};
use crate::utf8::Utf8Stream;

/// How a stream is written down.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Format {
    /// Server-sent events.
    Sse,
    /// JSON objects one after another, one per line by custom, or one JSON array of them.
    Json,
    /// Protobuf frames.
    Proto,
}

impl Format {
    /// Recognises a stream by its first bytes; `None` while more are needed.
    pub fn recognise(bytes: &[u8]) -> Option<Self> {
        let mark = b"\xef\xbb\xbf";
        if mark.starts_with(bytes) {
            return None;
        }
        let text = bytes.strip_prefix(mark).unwrap_or(bytes);
        match text.iter().find(|byte| !byte.is_ascii_whitespace()) {
            // A frame is shorter than 16 MiB, so its length begins with a zero.
            Some(0) => Some(Self::Proto),
            Some(b'{' | b'[') => Some(Self::Json),
            Some(_) => Some(Self::Sse),
            None => None,
        }
    }
}

/// Why a stream cannot be read on.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
pub enum StreamError {
    /// In the SSE form.
    #[error(transparent)]
    Sse(#[from] SseError),
    /// In the JSON form.
    #[error(transparent)]
    Json(#[from] JsonStreamError),
    /// In the protobuf form.
    #[error(transparent)]
    Proto(#[from] FrameError),
}

impl StreamError {
    /// A short name for what is wrong.
    pub fn rule(&self) -> &'static str {
        match self {
            Self::Sse(SseError::Event(error)) | Self::Json(JsonStreamError::Event(error)) => {
                match error {
                    ReadError::InvalidJson(error) if error.is_depth() => "too-deep",
                    ReadError::InvalidJson(_) => "invalid-json",
                    ReadError::NotAnObject => "not-an-object",
                    ReadError::NoType => "no-type",
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

/// Why a stream of JSON texts cannot be read on.
#[derive(Debug, Clone, Copy, PartialEq, Eq, thiserror::Error)]
pub enum JsonStreamError {
    /// A text is not an event.
    #[error(transparent)]
    Event(#[from] ReadError),
    /// A text is too long.
    #[error("an event is longer than {limit} bytes")]
    TooLarge {
        /// The limit.
        limit: usize,
    },
}

/// Reads a stream of any form.
#[derive(Debug)]
pub enum Decoder {
    /// Server-sent events.
    Sse(sse::Decoder),
    /// JSON texts.
    Json(JsonDecoder),
    /// Protobuf frames.
    Proto(proto::FrameDecoder),
}

impl Decoder {
    /// A decoder for a new stream.
    pub fn new(format: Format) -> Self {
        match format {
            Format::Sse => Self::Sse(sse::Decoder::new()),
            Format::Json => Self::Json(JsonDecoder::new()),
            Format::Proto => Self::Proto(proto::FrameDecoder::new()),
        }
    }

    /// Gives the next bytes. Take all events before giving more.
    pub fn push(&mut self, bytes: &[u8]) {
        match self {
            Self::Sse(decoder) => decoder.push(bytes),
            Self::Json(decoder) => decoder.push(bytes),
            Self::Proto(decoder) => decoder.push(bytes),
        }
    }

    /// The bytes have ended.
    pub fn finish(&mut self) {
        match self {
            Self::Sse(decoder) => decoder.finish(),
            Self::Json(decoder) => decoder.finish(),
            Self::Proto(decoder) => decoder.finish(),
        }
    }

    /// The next event that is complete. After an error there is none.
    #[inline]
    pub fn next_event(&mut self) -> Option<Result<RawEvent, StreamError>> {
        match self {
            Self::Sse(decoder) => Some(decoder.next_event()?.map_err(StreamError::from)),
            Self::Json(decoder) => Some(decoder.next_event()?.map_err(StreamError::from)),
            Self::Proto(decoder) => Some(decoder.next_event()?.map_err(StreamError::from)),
        }
    }

    /// Reads the next event that is complete into `slot`, which can be used again for the next.
    #[inline]
    pub fn next_into(&mut self, slot: &mut RawEvent) -> Option<Result<(), StreamError>> {
        match self {
            Self::Sse(decoder) => Some(decoder.next_into(slot)?.map_err(StreamError::from)),
            Self::Json(_) | Self::Proto(_) => Some(self.next_event()?.map(|event| *slot = event)),
        }
    }

    /// The `id` of the event taken last, or of one before it; only SSE has ids.
    pub fn last_id(&self) -> Option<&str> {
        match self {
            Self::Sse(decoder) => decoder.last_id(),
            Self::Json(_) | Self::Proto(_) => None,
        }
    }

    /// How many invalid byte sequences were replaced by U+FFFD so far.
    pub fn replaced(&self) -> usize {
        match self {
            Self::Sse(decoder) => decoder.replaced(),
            Self::Json(decoder) => decoder.utf8.replaced(),
            Self::Proto(decoder) => decoder.replaced(),
        }
    }

    /// How many events of unknown type were left out so far, because their wire cannot name them.
    pub fn dropped(&self) -> usize {
        match self {
            Self::Proto(decoder) => decoder.dropped(),
            Self::Sse(_) | Self::Json(_) => 0,
        }
    }
}

/// Reads JSON objects one after another, or the items of one JSON array.
#[derive(Debug, Default)]
pub struct JsonDecoder {
    utf8: Utf8Stream,
    reader: EventReader,
    pending: String,
    /// Where in `pending` to go on looking.
    at: usize,
    /// Where in `pending` the current value starts.
    start: Option<usize>,
    depth: usize,
    string: Option<Quoted>,
    array: Array,
    finished: bool,
    failed: bool,
}

/// Inside a string.
#[derive(Debug, PartialEq)]
enum Quoted {
    Plain,
    AfterBackslash,
}

/// Whether the stream is one array.
#[derive(Debug, Default, PartialEq, Eq, Clone, Copy)]
enum Array {
    #[default]
    Unknown,
    No,
    /// Before an item; the first may be missing.
    BeforeFirst,
    BeforeItem,
    AfterItem,
    Closed,
}

impl JsonDecoder {
    /// A decoder for a new stream.
    pub fn new() -> Self {
        Self::default()
    }

    /// Gives the next bytes.
    pub fn push(&mut self, bytes: &[u8]) {
        let taken = self.start.unwrap_or(self.at);
        if taken > 0 {
            self.pending.drain(..taken);
            self.at -= taken;
            self.start = self.start.map(|_| 0);
        }
        self.utf8.push(bytes, &mut self.pending);
    }

    /// The bytes have ended.
    pub fn finish(&mut self) {
        self.utf8.finish(&mut self.pending);
        self.finished = true;
    }

    /// The next event that is complete. After an error there is none.
    pub fn next_event(&mut self) -> Option<Result<RawEvent, JsonStreamError>> {
        if self.failed {
            return None;
        }
        let limit = sse::MAX_PENDING;
        let result = match self.next_value() {
            Ok(Some(text)) => self.reader.read(text).map_err(JsonStreamError::from),
            Ok(None) if self.unfinished() > limit => Err(JsonStreamError::TooLarge { limit }),
            Ok(None) => return None,
            Err(error) => Err(ReadError::InvalidJson(error).into()),
        };
        self.failed = result.is_err();
        Some(result)
    }

    /// How long the value is that has begun and not ended.
    fn unfinished(&self) -> usize {
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
                if self.punctuation(byte)? {
                    continue;
                }
                self.start = Some(self.at);
            }
            if self.step(byte) {
                return Ok(Some(self.cut()));
            }
        }
        if !self.finished {
            return Ok(None);
        }
        if self.start.is_some() {
            // Let the reader say what is wrong with it; a bare scalar is complete.
            return Ok(Some(self.cut()));
        }
        match self.array {
            Array::Unknown | Array::No | Array::Closed => Ok(None),
            _ => {
                self.array = Array::Closed;
                self.error("the JSON array ends too early")
            }
        }
    }

    /// Takes what stands between values. `Ok(false)`: a value begins.
    fn punctuation(&mut self, byte: u8) -> Result<bool, JsonError> {
        self.array = match (self.array, byte) {
            (Array::Unknown, b'[') => Array::BeforeFirst,
            (Array::Unknown | Array::No, _) => {
                self.array = Array::No;
                return Ok(false);
            }
            (Array::BeforeFirst | Array::AfterItem, b']') => Array::Closed,
            (Array::AfterItem, b',') => Array::BeforeItem,
            (Array::BeforeFirst | Array::BeforeItem, b',' | b']') => {
                return self.error("an item is missing");
            }
            (Array::BeforeFirst | Array::BeforeItem, _) => return Ok(false),
            (Array::AfterItem, _) => return self.error("expected ',' or ']'"),
            (Array::Closed, _) => return self.error("unexpected text after the JSON array"),
        };
        self.at += 1;
        Ok(true)
    }

    /// Takes one byte of a value, or a stretch of a string; true if the value is complete.
    fn step(&mut self, byte: u8) -> bool {
        match &self.string {
            Some(Quoted::AfterBackslash) => self.string = Some(Quoted::Plain),
            Some(Quoted::Plain) => {
                let rest = &self.pending.as_bytes()[self.at..];
                match memchr::memchr2(b'"', b'\\', rest) {
                    Some(at) => {
                        self.at += at;
                        self.string = (rest[at] == b'\\').then_some(Quoted::AfterBackslash);
                        if self.string.is_none() && self.depth == 0 {
                            self.at += 1;
                            return true;
                        }
                    }
                    None => self.at += rest.len() - 1,
                }
            }
            None => match byte {
                b'"' => self.string = Some(Quoted::Plain),
                b'{' | b'[' => self.depth += 1,
                b'}' | b']' if self.depth > 0 => {
                    self.depth -= 1;
                    if self.depth == 0 {
                        self.at += 1;
                        return true;
                    }
                }
                // A scalar at the top ends where something else begins.
                b',' | b']' | b'}' if self.depth == 0 => return true,
                byte if self.depth == 0 && byte.is_ascii_whitespace() => return true,
                _ => {}
            },
        }
        self.at += 1;
        false
    }

    fn cut(&mut self) -> Text {
        let start = self.start.take().unwrap_or(self.at);
        self.depth = 0;
        self.string = None;
        if self.array != Array::No {
            self.array = Array::AfterItem;
        }
        // A lone closing bracket is a value of its own, and no JSON.
        self.at = self.at.max(start + 1).min(self.pending.len());
        Text::from(&self.pending[start..self.at])
    }
}

/// What became of an event that was written in another form.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Written {
    /// Everything it says was written.
    Whole,
    /// It was written, but the form has no place for all it says.
    InPart,
    /// The form cannot express it, nothing was written.
    Nothing,
}

/// Appends an event in the given form.
pub fn encode(event: &Event, format: Format, out: &mut Vec<u8>) {
    match format {
        Format::Proto => proto::encode_frame(event, out),
        Format::Sse | Format::Json => append_json(&event.to_json(), format, out),
    }
}

/// Appends a received event in the given form, as it was received.
pub fn encode_raw(event: &RawEvent, format: Format, out: &mut Vec<u8>) -> Written {
    match format {
        Format::Proto => match (proto::encode_raw_frame(event, out), event) {
            (proto::Encoded::Nothing, _) => Written::Nothing,
            (_, RawEvent::Clean(_)) => Written::Whole,
            // Unknown members have no field, wrong values are made to fit.
            (_, RawEvent::Unread(_)) => Written::InPart,
        },
        Format::Sse | Format::Json => {
            append_json(&event.text(), format, out);
            Written::Whole
        }
    }
}

fn append_json(json: &str, format: Format, out: &mut Vec<u8>) {
    let mut text = String::with_capacity(json.len() + 8);
    match format {
        Format::Sse => sse::encode_text(json, &mut text),
        // Compact: one line per event.
        _ => {
            write_compact(json, &mut text);
            text.push('\n');
        }
    }
    out.extend_from_slice(text.as_bytes());
}

/// Reads every event of a whole stream; for tests and small inputs.
pub fn decode_all(format: Format, bytes: &[u8]) -> Result<Vec<RawEvent>, StreamError> {
    let mut decoder = Decoder::new(format);
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
