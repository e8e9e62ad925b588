//! Bytes to events: SSE and protobuf.

use std::time::{Duration, Instant};

use agui::enforce::enforce;
use agui::json::{Text, Value};
use agui::proto::{self, Encoded};
use agui::sse::SseError;
use agui::stream::{Format, StreamError};
use agui::{EventReader, RawEvent, ReadError};

use super::generate::Profile;
use super::reading::{Reading, equal, read, read_in_pieces};
use super::{choices, mixed};

/// Any bytes as SSE: where they are cut does not matter, and a plain model reads the same.
pub fn sse(data: &[u8]) {
    let made;
    let stream = match choices(data, Profile::default()) {
        Some(mut source) => {
            let events = source.events(6);
            let (_, mut stream) = source.stream(&events);
            source.damage(&mut stream);
            made = stream;
            &made
        }
        None => data,
    };
    let reading = read_in_pieces(Format::Sse, stream);
    let (events, error) = model(stream);
    let model = Reading {
        events,
        error: error.map(|error| StreamError::Sse(SseError::Event(error))),
        ..reading_like(&reading)
    };
    if let Some(difference) = reading.difference(&model) {
        panic!("not as the model: {difference}");
    }
    if mixed(data).is_multiple_of(256) {
        takes_linear_time(stream);
    }
}

fn reading_like(reading: &Reading) -> Reading {
    Reading {
        events: Vec::new(),
        error: None,
        replaced: reading.replaced,
        dropped: reading.dropped,
    }
}

/// SSE as the facts describe it, with CR and CRLF as line ends, and no thought of speed.
fn model(stream: &[u8]) -> (Vec<RawEvent>, Option<ReadError>) {
    let text = String::from_utf8_lossy(stream);
    let text = text.strip_prefix('\u{feff}').unwrap_or(&text);
    let text = text.replace("\r\n", "\n").replace('\r', "\n");
    let mut reader = EventReader::new();
    let mut events = Vec::new();
    for block in text.split("\n\n") {
        let lines = block.split('\n').filter_map(|line| {
            let value = line.strip_prefix("data:")?;
            Some(value.strip_prefix(' ').unwrap_or(value))
        });
        let lines: Vec<&str> = lines.collect();
        if lines.is_empty() {
            continue;
        }
        match reader.read(Text::from(lines.join("\n"))) {
            Ok(event) => events.push(event),
            Err(error) => return (events, Some(error)),
        }
    }
    (events, None)
}

/// Sixteen times the bytes take about sixteen times as long, not 256 times.
pub fn takes_linear_time(stream: &[u8]) {
    if stream.is_empty() {
        return;
    }
    let time = |length: usize| {
        let long = stream.repeat(length / stream.len() + 1);
        let start = Instant::now();
        read(Format::Sse, long.chunks(13));
        start.elapsed()
    };
    // Other programs may disturb, but hardly every time.
    let in_proportion = || time(1 << 18) < time(1 << 14) * 80 + Duration::from_millis(50);
    assert!((0..5).any(|_| in_proportion()), "quadratic?");
}

/// Any bytes as a message and as frames: what is decoded can be encoded and says the same again.
pub fn proto(data: &[u8]) {
    let Some(mut source) = choices(data, Profile::default()) else {
        check_message(data);
        read_in_pieces(Format::Proto, data);
        return;
    };
    let mut stream = Vec::new();
    for event in source.events(4) {
        let event = super::generate::read(&Value::Object(event).to_json());
        let start = stream.len();
        assert_eq!(
            proto::encode_raw_frame(&event, &mut stream),
            Encoded::Written
        );
        check_message(&stream[start + 4..]);
        let mut message = stream[start + 4..].to_vec();
        source.damage(&mut message);
        check_message(&message);
    }
    source.damage(&mut stream);
    read_in_pieces(Format::Proto, &stream);
}

fn check_message(message: &[u8]) {
    let Ok(text) = proto::decode(message) else {
        return;
    };
    let value = Value::parse(&text).expect("what is decoded is JSON");
    let event = super::generate::read(&text);
    let mut frame = Vec::new();
    let encoded = proto::encode_raw_frame(&event, &mut frame);
    if encoded == Encoded::Nothing {
        assert!(frame.is_empty(), "nothing was written");
        assert!(
            matches!(event, RawEvent::Unread(_)),
            "a clean event has a form: {text}"
        );
        return;
    }
    let length = u32::try_from(frame.len() - 4).expect("short");
    assert_eq!(frame[..4], length.to_be_bytes());
    let again = proto::decode(&frame[4..]).unwrap_or_else(|error| panic!("{error}: {text}"));
    if let RawEvent::Clean(_) = event {
        assert_eq!(encoded, Encoded::Written);
        assert!(
            Value::parse(&again).as_ref() == Ok(&value),
            "{text}\nbecomes {again}"
        );
        let mut third = Vec::new();
        let event = super::generate::read(&again);
        proto::encode_raw_frame(&event, &mut third);
        assert!(third == frame, "the second encoding differs from the first");
    }
    // What enforcement leaves out may be lost, and nothing else.
    let pure = |text: &str| enforce(super::generate::read(text), |_| {});
    if let Ok(Some(before)) = pure(&text) {
        let after = pure(&again).expect("still valid").expect("still known");
        assert!(equal(&before, &after), "{text}\nbecomes {again}");
    }
}
