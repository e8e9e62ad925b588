//! Decoding of a stream in chunks.

use agui::stream::{StreamDecoder, StreamError, StreamFormat};
use agui::{Event, ReceivedEvent, sse};
use json::Value;

use super::mixed;

/// Observable result of decoding a stream.
#[derive(Debug)]
pub struct Reading {
    pub events: Vec<ReceivedEvent>,
    pub error: Option<StreamError>,
    pub replaced: usize,
    pub dropped: usize,
}

impl Reading {
    /// Returns a description of the first difference, if any.
    pub fn difference(&self, other: &Self) -> Option<String> {
        let (ours, theirs) = (&self.events, &other.events);
        if let Some(at) =
            (0..ours.len().min(theirs.len())).find(|&at| !same(&ours[at], &theirs[at]))
        {
            return Some(format!("event {at}: {:?} and {:?}", ours[at], theirs[at]));
        }
        if ours.len() != theirs.len() {
            return Some(format!("{} and {} events", ours.len(), theirs.len()));
        }
        if self.error != other.error {
            return Some(format!("{:?} and {:?}", self.error, other.error));
        }
        // After an error the counters have no meaning.
        let same = (self.replaced, self.dropped) == (other.replaced, other.dropped);
        (!same && self.error.is_none()).then(|| format!("the counts of {self:?} and {other:?}"))
    }
}

/// Returns true if two events have the same content.
///
/// `PartialEq` compares the text of patch operations with unknown members, so white space makes a
/// difference there; it makes none here.
pub fn equal(a: &Event, b: &Event) -> bool {
    a == b || Value::parse(&a.to_json()) == Value::parse(&b.to_json())
}

/// Returns true if two received events are identical.
pub fn same(a: &ReceivedEvent, b: &ReceivedEvent) -> bool {
    let alike = match (a, b) {
        (ReceivedEvent::Typed(a), ReceivedEvent::Typed(b)) => a == b,
        (ReceivedEvent::Untyped(a), ReceivedEvent::Untyped(b)) => a.members == b.members,
        _ => false,
    };
    alike && a.text() == b.text()
}

/// Decodes a stream in these chunks.
pub fn read<'a>(format: StreamFormat, pieces: impl IntoIterator<Item = &'a [u8]>) -> Reading {
    let mut decoder = StreamDecoder::new(format);
    let mut reading = Reading {
        events: Vec::new(),
        error: None,
        replaced: 0,
        dropped: 0,
    };
    for piece in pieces {
        decoder.push(piece);
        reading.take(&mut decoder);
    }
    decoder.finish();
    reading.take(&mut decoder);
    reading.replaced = decoder.replaced();
    reading.dropped = decoder.dropped();
    reading
}

impl Reading {
    fn take(&mut self, decoder: &mut StreamDecoder) {
        while let Some(event) = decoder.next_event() {
            assert!(self.error.is_none(), "after an error there is nothing");
            match event {
                Ok(event) => self.events.push(event),
                Err(error) => self.error = Some(error),
            }
        }
    }
}

/// Decodes SSE into one reused slot.
pub fn read_over(stream: &[u8]) -> Vec<ReceivedEvent> {
    let mut decoder = sse::SseDecoder::new();
    let mut slot = ReceivedEvent::default();
    let mut events = Vec::new();
    decoder.push(stream);
    for finish in [false, true] {
        if finish {
            decoder.finish();
        }
        while let Some(Ok(())) = decoder.next_into(&mut slot) {
            events.push(slot.clone());
        }
    }
    events
}

/// Splits a stream at these offsets, which must be ascending.
pub fn cut<'a>(stream: &'a [u8], places: &[usize]) -> Vec<&'a [u8]> {
    let mut pieces = Vec::new();
    let mut start = 0;
    for &place in places.iter().chain([&stream.len()]) {
        pieces.push(&stream[start..place]);
        start = place;
    }
    pieces
}

/// Decodes a stream as a whole, byte by byte, and in random chunks, and compares the results.
pub fn read_in_pieces(format: StreamFormat, stream: &[u8]) -> Reading {
    let whole = read(format, [stream]);
    let check = |what: &str, other: &Reading| {
        if let Some(difference) = whole.difference(other) {
            panic!("{format:?} {what}: {difference}");
        }
    };
    check("byte by byte", &read(format, stream.chunks(1)));
    let mut random = mixed(stream) | 1;
    for _ in 0..6 {
        let mut places = Vec::new();
        while places.len() <= random as usize % 6 {
            // Xorshift.
            random ^= random << 13;
            random ^= random >> 7;
            random ^= random << 17;
            places.push((random >> 16) as usize % (stream.len() + 1));
        }
        places.sort_unstable();
        check(
            &format!("cut at {places:?}"),
            &read(format, cut(stream, &places)),
        );
    }
    if format == StreamFormat::Sse {
        let over = read_over(stream);
        let alike = over.len() == whole.events.len()
            && over
                .iter()
                .zip(&whole.events)
                .all(|(over, event)| same(over, event));
        assert!(alike, "{over:?} instead of {:?}", whole.events);
    }
    whole
}
