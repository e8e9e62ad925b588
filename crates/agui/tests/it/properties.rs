//! Property tests of events and streams. The random data comes from `fuzz/generate`; the fuzz
//! targets cover more inputs.

use std::collections::BTreeSet;

use crate::fuzz::generate::{Profile, Source, damage, read, spell, verified_events, write_stream};
use crate::fuzz::reading::{cut, equal, read as read_pieces, same};
use crate::fuzz::{check_clean, check_compaction, check_written, shapes};
use agui::compact::compact;
use agui::enforce::{RemovedValue, enforce};
use agui::proto::{self, EncodeOutcome};
use agui::stream::{self, StreamError, StreamFormat, WriteOutcome};
use agui::{Event, EventReader, EventType, ReceivedEvent, UntypedEvent, sse};
use json::{Map, Text, Value};
use proptest::prelude::*;
use proptest::test_runner::RngSeed;
use testkit::compaction::compaction_fault;
use testkit::events::to_values;

fn config(cases: u32) -> ProptestConfig {
    ProptestConfig {
        cases,
        rng_seed: RngSeed::Fixed(1),
        failure_persistence: None,
        ..ProptestConfig::default()
    }
}

/// Returns random bytes for the generator.
fn choices(most: usize) -> impl Strategy<Value = Vec<u8>> {
    proptest::collection::vec(any::<u8>(), 0..most)
}

const ANY: Profile = Profile {
    lossless: false,
    finite: false,
    related: false,
    intruder: None,
};
const LOSSLESS: Profile = Profile {
    lossless: true,
    ..ANY
};
const FINITE: Profile = Profile {
    finite: true,
    ..ANY
};
const RELATED: Profile = Profile {
    related: true,
    ..ANY
};

/// Returns an event of each type, and one of its spellings.
fn one_of_each(bytes: &[u8], profile: Profile) -> Vec<(Map, String)> {
    let shapes = shapes::named("event").into_iter();
    shapes
        .map(|shape| {
            let mut source = Source::new(bytes, profile);
            let event = source.event_of(shape);
            let text = spell(&mut source, &Value::Object(event.clone()));
            (event, text)
        })
        .collect()
}

fn clean(text: &str) -> Event {
    match read(text) {
        ReceivedEvent::Typed(event) => event,
        ReceivedEvent::Untyped(_) => panic!("unclean: {text}"),
    }
}

/// Returns the event without its received text.
fn own(event: Event) -> Event {
    let (data, common) = event.into_parts();
    Event::with_common(data, common)
}

fn through_proto(event: &Event) -> Event {
    let mut message = Vec::new();
    proto::encode(event, &mut message);
    let text = proto::decode(&message).unwrap_or_else(|error| panic!("{error}: {event:?}"));
    clean(&text)
}

#[test]
fn every_event_type_is_in_the_table() {
    let shapes = shapes::named("event");
    let kinds: BTreeSet<&str> = shapes.iter().map(|shape| shape.event_type()).collect();
    assert_eq!(kinds, EventType::NAMES.iter().copied().collect());
    assert_eq!(shapes.len(), 31);
    for shape in shapes {
        let attributable = EventType::from_str(shape.event_type()).map(EventType::is_attributable);
        let own = shape.event_type().starts_with("SUBAGENT_");
        assert_eq!(attributable, Some(shape.has("subagentRunId") && !own));
    }
}

proptest! {
    #![proptest_config(config(150))]

    #[test]
    fn chunk_boundaries_do_not_matter(bytes in choices(160)) {
        let mut source = Source::new(&bytes, ANY);
        let events = source.events(5);
        let (format, mut stream) = write_stream(&mut source, &events);
        let intact = read_pieces(format, [&stream[..]]);
        prop_assert_eq!(intact.error, None);
        prop_assert_eq!(intact.events.len(), events.len());
        damage(&mut source, &mut stream);
        let whole = read_pieces(format, [&stream[..]]);
        let mut cuts: Vec<Vec<usize>> = (0..=stream.len()).map(|at| vec![at]).collect();
        cuts.extend((0..stream.len()).map(|at| vec![at, at, at + 1]));
        cuts.push((0..stream.len()).collect());
        for places in cuts {
            let pieces = read_pieces(format, cut(&stream, &places));
            if let Some(difference) = whole.difference(&pieces) {
                panic!("{format:?} cut at {places:?}: {difference}\n{}", stream.escape_ascii());
            }
        }
    }
}

proptest! {
    #![proptest_config(config(1000))]

    #[test]
    fn text_encodings_round_trip(bytes in choices(200)) {
        for (json, text) in one_of_each(&bytes, ANY) {
            let event = clean(&text);
            prop_assert_eq!(&Value::parse(&event.to_json())?, &Value::Object(json.clone()));
            let own = own(event.clone());
            prop_assert_eq!(&own, &event);
            prop_assert_eq!(&Value::parse(&own.to_json())?, &Value::Object(json));
            check_written(&event);
            let mut frame = String::new();
            sse::encode(&own, &mut frame);
            prop_assert!(frame.ends_with("\n\n"));
            prop_assert_eq!(frame.lines().count(), 2);
            let events = stream::decode_all(StreamFormat::Sse, frame.as_bytes());
            match &events.as_deref() {
                Ok([ReceivedEvent::Typed(read)]) => prop_assert!(equal(read, &event)),
                other => panic!("{other:?}"),
            }
        }
    }

    #[test]
    fn reused_slot_keeps_nothing_of_the_last_event(
        first in choices(120),
        second in choices(120),
        third in choices(120),
    ) {
        let lists = [&first, &second, &second, &third].map(|bytes| one_of_each(bytes, ANY));
        let mut reader = EventReader::new();
        let mut slot = ReceivedEvent::default();
        for at in 0..lists[0].len() {
            for list in &lists {
                let text = Text::from(list[at].1.as_str());
                reader.read_into(&text, &mut slot)?;
                prop_assert!(same(&slot, &read(&text)), "{text}: {slot:?}");
            }
        }
    }

    #[test]
    fn protobuf_round_trips(bytes in choices(200)) {
        for (json, text) in one_of_each(&bytes, LOSSLESS) {
            let event = clean(&text);
            prop_assert_eq!(&through_proto(&event), &event);
            let mut frame = Vec::new();
            proto::encode_frame(&own(event), &mut frame);
            let text = proto::decode(&frame[4..])?;
            prop_assert_eq!(Value::parse(&text)?, Value::Object(json));
            // A received event gives the same frame as a new one.
            let mut raw = Vec::new();
            prop_assert_eq!(proto::encode_received_frame(&read(&text), &mut raw), EncodeOutcome::Written);
            prop_assert_eq!(raw.len(), frame.len());
        }
    }

    /// Values that protobuf cannot express are lost in the first round trip.
    #[test]
    fn protobuf_is_stable_after_one_round_trip(bytes in choices(200)) {
        for (_, text) in one_of_each(&bytes, FINITE) {
            let once = through_proto(&clean(&text));
            prop_assert_eq!(&through_proto(&once), &once);
        }
    }
}

/// Decodes a stream of typed events.
fn events(format: StreamFormat, bytes: &[u8]) -> Result<Vec<Event>, StreamError> {
    let events = stream::decode_all(format, bytes)?.into_iter();
    Ok(events
        .map(|event| match event {
            ReceivedEvent::Typed(event) => event,
            ReceivedEvent::Untyped(unread) => panic!("unclean: {}", unread.text),
        })
        .collect())
}

/// Converts a stream to another format.
fn transcode(from: StreamFormat, bytes: &[u8], to: StreamFormat) -> Vec<u8> {
    let mut out = Vec::new();
    for event in stream::decode_all(from, bytes).expect("a stream without errors") {
        assert_eq!(
            stream::encode_received(&event, to, &mut out),
            WriteOutcome::Complete
        );
    }
    out
}

proptest! {
    #![proptest_config(config(1000))]

    #[test]
    fn transcoding_keeps_events(bytes in choices(400)) {
        let mut source = Source::new(&bytes, LOSSLESS);
        let list = source.events(8);
        let (format, stream) = write_stream(&mut source, &list);
        let expected = events(format, &stream)?;
        prop_assert_eq!(expected.len(), list.len());
        let mut current = (format, stream);
        for next in [StreamFormat::Sse, StreamFormat::Proto, StreamFormat::Json, StreamFormat::Sse, StreamFormat::Json] {
            current = (next, transcode(current.0, &current.1, next));
            let recognised = StreamFormat::recognise(&current.1);
            prop_assert!(recognised == Some(next) || list.is_empty());
            prop_assert_eq!(&events(next, &current.1)?, &expected);
        }
        // Again, but written from the typed event instead of the received text.
        let mut own_words = Vec::new();
        for event in &expected {
            stream::encode(&own(event.clone()), StreamFormat::Sse, &mut own_words);
        }
        prop_assert_eq!(&events(StreamFormat::Sse, &own_words)?, &expected);
    }
}

proptest! {
    #![proptest_config(config(1500))]

    #[test]
    fn compaction_keeps_the_meaning(bytes in choices(500)) {
        let mut source = Source::new(&bytes, RELATED);
        let (messages, state) = (source.messages(), source.json(2));
        let events = verified_events(&mut source, 40);
        check_compaction(&events, &messages, &state);
        let vector = Value::from([
            ("expanded", to_values(&events)),
            ("initial_messages", messages),
            ("initial_state", state),
        ]);
        prop_assert_eq!(compaction_fault(&events, &compact(&events), &vector), None, "{:?}", events);
    }
}

/// Returns the event as untyped.
fn untyped(text: &str) -> ReceivedEvent {
    let Ok(Value::Object(members)) = Value::parse(text) else {
        panic!("no object: {text}")
    };
    ReceivedEvent::Untyped(UntypedEvent {
        text: Text::from(text),
        members,
    })
}

/// Enforces an event and returns the paths of removed parts.
fn enforced(event: ReceivedEvent) -> (Event, Vec<String>) {
    let text = event.text();
    let mut paths = Vec::new();
    let event = enforce(event, |removed| match removed {
        RemovedValue::Part { path, .. } => paths.push(path),
        RemovedValue::Event { type_name } => panic!("{type_name} is known"),
    });
    let event = event.unwrap_or_else(|error| panic!("{error}: {text}"));
    (event.expect("a known type"), paths)
}

proptest! {
    #![proptest_config(config(1000))]

    #[test]
    fn the_typed_reader_and_enforcement_agree(bytes in choices(200)) {
        for (_, text) in one_of_each(&bytes, ANY) {
            check_clean(&clean(&text), untyped(&text));
        }
    }

    #[test]
    fn undescribed_members_are_untyped_and_removed(bytes in choices(200), at in 0_usize..6) {
        let spoiled = Profile { intruder: Some(at), ..ANY };
        for shape in shapes::named("event") {
            let expected = Source::new(&bytes, ANY).event_of(shape);
            let mut source = Source::new(&bytes, spoiled);
            let event = Value::Object(source.event_of(shape));
            let Some(key) = source.intruded.clone() else {
                continue;
            };
            let text = spell(&mut source, &event);
            let event = EventReader::new().read(Text::from(text.as_str()))?;
            prop_assert!(matches!(event, ReceivedEvent::Untyped(_)), "{key}: {text}");
            let (event, paths) = enforced(event);
            prop_assert!(equal(&event, &clean(&Value::Object(expected).to_json())), "{text}");
            prop_assert_eq!(paths.len(), 1, "{:?}: {}", paths, text);
            prop_assert!(paths[0].ends_with(&format!("/{key}")), "{}", paths[0]);
        }
    }

    #[test]
    fn duplicate_members_are_untyped(bytes in choices(120), which in any::<usize>()) {
        for (members, _) in one_of_each(&bytes, ANY) {
            let expected = Value::Object(members.clone()).to_json();
            let (key, value) = members.iter().nth(which % members.len()).expect("a member");
            let key = Value::from(key).to_json();
            let twice = format!("{{{key}:{},{}", value.to_json(), &expected[1..]);
            let event = read(&twice);
            prop_assert!(matches!(event, ReceivedEvent::Untyped(_)), "{twice}");
            let (event, paths) = enforced(event);
            prop_assert!(equal(&event, &clean(&expected)), "{twice}");
            prop_assert_eq!(paths, Vec::<String>::new());
        }
    }
}
