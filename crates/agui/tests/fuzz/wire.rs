//! Fuzz targets of SSE and protobuf.

use agui::enforce::enforce;
use agui::proto::{self, EncodeOutcome};
use agui::sse::SseError;
use agui::stream::{StreamError, StreamFormat};
use agui::{EventReadError, EventReader, ReceivedEvent};
use json::{Text, Value};

use super::generate::{Profile, damage, write_stream};
use super::reading::{Reading, equal, read, read_in_pieces};
use super::{choices, mixed};

/// Decodes any bytes as SSE. Chunk boundaries must not matter, and a simple model must agree.
pub fn sse(data: &[u8]) {
    let made;
    let stream = match choices(data, Profile::default()) {
        Some(mut source) => {
            let events = source.events(6);
            let (_, mut stream) = write_stream(&mut source, &events);
            damage(&mut source, &mut stream);
            made = stream;
            &made
        }
        None => data,
    };
    let reading = read_in_pieces(StreamFormat::Sse, stream);
    let (events, error) = model(stream);
    let model = Reading {
        events,
        error: error.map(|error| StreamError::Sse(SseError::Event(error))),
        ..reading_like(&reading)
    };
    if let Some(difference) = reading.difference(&model) {
        panic!("not as the model: {difference}");
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

/// Simple SSE decoder without optimisations; CR and CRLF end lines.
fn model(stream: &[u8]) -> (Vec<ReceivedEvent>, Option<EventReadError>) {
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

/// Decodes any bytes as a message and as frames; encoding the result must give the same event.
pub fn proto(data: &[u8]) {
    let Some(mut source) = choices(data, Profile::default()) else {
        check_message(data);
        read_in_pieces(StreamFormat::Proto, data);
        return;
    };
    let mut stream = Vec::new();
    for event in source.events(4) {
        let event = super::generate::read(&Value::Object(event).to_json());
        let start = stream.len();
        assert_eq!(
            proto::encode_received_frame(&event, &mut stream),
            EncodeOutcome::Written
        );
        check_message(&stream[start + 4..]);
        let mut message = stream[start + 4..].to_vec();
        damage(&mut source, &mut message);
        check_message(&message);
    }
    damage(&mut source, &mut stream);
    read_in_pieces(StreamFormat::Proto, &stream);
}

fn check_message(message: &[u8]) {
    let Ok(text) = proto::decode(message) else {
        return;
    };
    let value = Value::parse(&text).expect("what is decoded is JSON");
    let event = super::generate::read(&text);
    let mut frame = Vec::new();
    let encoded = proto::encode_received_frame(&event, &mut frame);
    if encoded == EncodeOutcome::Nothing {
        assert!(frame.is_empty(), "nothing was written");
        assert!(
            matches!(event, ReceivedEvent::Untyped(_)),
            "a clean event has a form: {text}"
        );
        return;
    }
    let length = u32::try_from(frame.len() - 4).expect("short");
    assert_eq!(frame[..4], length.to_be_bytes());
    let again = proto::decode(&frame[4..]).unwrap_or_else(|error| panic!("{error}: {text}"));
    if let ReceivedEvent::Typed(_) = event {
        assert_eq!(encoded, EncodeOutcome::Written);
        assert!(
            Value::parse(&again).as_ref() == Ok(&value),
            "{text}\nbecomes {again}"
        );
        let mut third = Vec::new();
        let event = super::generate::read(&again);
        proto::encode_received_frame(&event, &mut third);
        assert!(third == frame, "the second encoding differs from the first");
    }
    // Only members that enforcement removes may be lost.
    let pure = |text: &str| enforce(super::generate::read(text), |_| {});
    if let Ok(Some(before)) = pure(&text) {
        let after = pure(&again).expect("still valid").expect("still known");
        assert!(equal(&before, &after), "{text}\nbecomes {again}");
    }
}
