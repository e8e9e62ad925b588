//! Reading a stream in pieces.

use agui::json::Value;
use agui::stream::{Decoder, Format, StreamError};
use agui::{Event, RawEvent, sse};

use super::mixed;

/// All that can be seen of a stream.
#[derive(Debug)]
pub struct Reading {
    pub events: Vec<RawEvent>,
    pub error: Option<StreamError>,
    pub replaced: usize,
    pub dropped: usize,
}

impl Reading {
    /// What differs, if anything.
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
        // Behind an error nobody counts.
        let same = (self.replaced, self.dropped) == (other.replaced, other.dropped);
        (!same && self.error.is_none()).then(|| format!("the counts of {self:?} and {other:?}"))
    }
}

/// Whether two events say the same.
///
/// Equality compares the text of patch operations with unknown members, so that white space makes a
/// difference there; it makes none here.
pub fn equal(a: &Event, b: &Event) -> bool {
    a == b || Value::parse(&a.to_json()) == Value::parse(&b.to_json())
}

/// Whether two received events are the same in every respect.
pub fn same(a: &RawEvent, b: &RawEvent) -> bool {
    let alike = match (a, b) {
        (RawEvent::Clean(a), RawEvent::Clean(b)) => a == b,
        (RawEvent::Unread(a), RawEvent::Unread(b)) => a.members == b.members,
        _ => false,
    };
    alike && a.text() == b.text()
}

/// Reads a stream that comes in these pieces.
pub fn read<'a>(format: Format, pieces: impl IntoIterator<Item = &'a [u8]>) -> Reading {
    let mut decoder = Decoder::new(format);
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
    fn take(&mut self, decoder: &mut Decoder) {
        while let Some(event) = decoder.next_event() {
            assert!(self.error.is_none(), "after an error there is nothing");
            match event {
                Ok(event) => self.events.push(event),
                Err(error) => self.error = Some(error),
            }
        }
    }
}

/// Reads SSE into one place again and again.
pub fn read_over(stream: &[u8]) -> Vec<RawEvent> {
    let mut decoder = sse::Decoder::new();
    let mut slot = RawEvent::default();
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

/// Cuts at these places, in rising order.
pub fn cut<'a>(stream: &'a [u8], places: &[usize]) -> Vec<&'a [u8]> {
    let mut pieces = Vec::new();
    let mut start = 0;
    for &place in places.iter().chain([&stream.len()]) {
        pieces.push(&stream[start..place]);
        start = place;
    }
    pieces
}

/// Reads a stream as a whole, byte by byte, and cut in some ways that depend on it.
pub fn read_in_pieces(format: Format, stream: &[u8]) -> Reading {
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
    if format == Format::Sse {
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
