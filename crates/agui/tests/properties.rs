//! Laws that hold for every event and every stream. The random data comes from `fuzz/generate.rs`;
//! the seed is fixed, the fuzz targets look further.

mod fuzz;

use std::collections::BTreeSet;

use agui::compact::compact;
use agui::enforce::{Removed, enforce};
use agui::json::{Map, Text, Value};
use agui::proto::{self, Encoded};
use agui::stream::{self, Format, StreamError, Written};
use agui::{Event, EventReader, EventType, RawEvent, Unread, sse};
use fuzz::common::compaction::fault;
use fuzz::common::to_values;
use fuzz::generate::{Profile, Source, read};
use fuzz::reading::{cut, equal, read as read_pieces, same};
use fuzz::{check_clean, check_compaction, check_written, shapes};
use proptest::prelude::*;
use proptest::test_runner::RngSeed;

fn config(cases: u32) -> ProptestConfig {
    ProptestConfig {
        cases,
        rng_seed: RngSeed::Fixed(1),
        failure_persistence: None,
        ..ProptestConfig::default()
    }
}

/// What the generator makes data from.
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

/// An event of each type, and a spelling of it.
fn one_of_each(bytes: &[u8], profile: Profile) -> Vec<(Map, String)> {
    let shapes = shapes::named("event").into_iter();
    shapes
        .map(|shape| {
            let mut source = Source::new(bytes, profile);
            let event = source.event_of(shape);
            let text = source.spell(&Value::Object(event.clone()));
            (event, text)
        })
        .collect()
}

fn clean(text: &str) -> Event {
    match read(text) {
        RawEvent::Clean(event) => event,
        RawEvent::Unread(_) => panic!("unclean: {text}"),
    }
}

/// The event as one of ours: nothing of the received text is left to write.
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
    let kinds: BTreeSet<&str> = shapes.iter().map(|shape| shape.kind()).collect();
    assert_eq!(kinds, EventType::WORDS.iter().copied().collect());
    assert_eq!(shapes.len(), 31);
    for shape in shapes {
        let attributable = EventType::from_str(shape.kind()).map(EventType::attributable);
        let own = shape.kind().starts_with("SUBAGENT_");
        assert_eq!(attributable, Some(shape.has("subagentRunId") && !own));
    }
}

proptest! {
    #![proptest_config(config(150))]

    #[test]
    fn where_a_stream_is_cut_does_not_matter(bytes in choices(160)) {
        let mut source = Source::new(&bytes, ANY);
        let events = source.events(5);
        let (format, mut stream) = source.stream(&events);
        let intact = read_pieces(format, [&stream[..]]);
        prop_assert_eq!(intact.error, None);
        prop_assert_eq!(intact.events.len(), events.len());
        source.damage(&mut stream);
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
    fn what_is_written_as_text_reads_the_same(bytes in choices(200)) {
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
            let events = stream::decode_all(Format::Sse, frame.as_bytes());
            match &events.as_deref() {
                Ok([RawEvent::Clean(read)]) => prop_assert!(equal(read, &event)),
                other => panic!("{other:?}"),
            }
        }
    }

    #[test]
    fn an_event_read_over_another_is_that_event_alone(
        first in choices(120),
        second in choices(120),
        third in choices(120),
    ) {
        let lists = [&first, &second, &second, &third].map(|bytes| one_of_each(bytes, ANY));
        let mut reader = EventReader::new();
        let mut slot = RawEvent::default();
        for at in 0..lists[0].len() {
            for list in &lists {
                let text = Text::from(list[at].1.as_str());
                reader.read_into(&text, &mut slot)?;
                prop_assert!(same(&slot, &read(&text)), "{text}: {slot:?}");
            }
        }
    }

    #[test]
    fn what_is_written_as_protobuf_reads_the_same(bytes in choices(200)) {
        for (json, text) in one_of_each(&bytes, LOSSLESS) {
            let event = clean(&text);
            prop_assert_eq!(&through_proto(&event), &event);
            let mut frame = Vec::new();
            proto::encode_frame(&own(event), &mut frame);
            let text = proto::decode(&frame[4..])?;
            prop_assert_eq!(Value::parse(&text)?, Value::Object(json));
            // A received event makes the same frame as one of ours.
            let mut raw = Vec::new();
            prop_assert_eq!(proto::encode_raw_frame(&read(&text), &mut raw), Encoded::Written);
            prop_assert_eq!(raw.len(), frame.len());
        }
    }

    /// What the wire cannot express is lost the first time.
    #[test]
    fn protobuf_loses_nothing_the_second_time(bytes in choices(200)) {
        for (_, text) in one_of_each(&bytes, FINITE) {
            let once = through_proto(&clean(&text));
            prop_assert_eq!(&through_proto(&once), &once);
        }
    }
}

/// All events of a stream, which must be clean.
fn events(format: Format, bytes: &[u8]) -> Result<Vec<Event>, StreamError> {
    let events = stream::decode_all(format, bytes)?.into_iter();
    Ok(events
        .map(|event| match event {
            RawEvent::Clean(event) => event,
            RawEvent::Unread(unread) => panic!("unclean: {}", unread.text),
        })
        .collect())
}

/// The stream in another form.
fn transcode(from: Format, bytes: &[u8], to: Format) -> Vec<u8> {
    let mut out = Vec::new();
    for event in stream::decode_all(from, bytes).expect("a stream without errors") {
        assert_eq!(stream::encode_raw(&event, to, &mut out), Written::Whole);
    }
    out
}

proptest! {
    #![proptest_config(config(1000))]

    #[test]
    fn events_survive_all_forms_one_after_another(bytes in choices(400)) {
        let mut source = Source::new(&bytes, LOSSLESS);
        let list = source.events(8);
        let (format, stream) = source.stream(&list);
        let expected = events(format, &stream)?;
        prop_assert_eq!(expected.len(), list.len());
        let mut current = (format, stream);
        for next in [Format::Sse, Format::Proto, Format::Json, Format::Sse, Format::Json] {
            current = (next, transcode(current.0, &current.1, next));
            let recognised = Format::recognise(&current.1);
            prop_assert!(recognised == Some(next) || list.is_empty());
            prop_assert_eq!(&events(next, &current.1)?, &expected);
        }
        // Once more, written by us instead of passed on.
        let mut own_words = Vec::new();
        for event in &expected {
            stream::encode(&own(event.clone()), Format::Sse, &mut own_words);
        }
        prop_assert_eq!(&events(Format::Sse, &own_words)?, &expected);
    }
}

proptest! {
    #![proptest_config(config(1500))]

    #[test]
    fn compaction_keeps_the_meaning(bytes in choices(500)) {
        let mut source = Source::new(&bytes, RELATED);
        let (messages, state) = (source.messages(), source.json(2));
        let events = source.verified(40);
        check_compaction(&events, &messages, &state);
        let vector = Value::from([
            ("expanded", to_values(&events)),
            ("initial_messages", messages),
            ("initial_state", state),
        ]);
        prop_assert_eq!(fault(&events, &compact(&events), &vector), None, "{:?}", events);
    }
}

/// The event as a tree that nobody has looked at yet.
fn unread(text: &str) -> RawEvent {
    let Ok(Value::Object(members)) = Value::parse(text) else {
        panic!("no object: {text}")
    };
    RawEvent::Unread(Unread {
        text: Text::from(text),
        members,
    })
}

/// What enforcement makes of an event, and how many parts it removed.
fn enforced(event: RawEvent) -> (Event, Vec<String>) {
    let text = event.text();
    let mut paths = Vec::new();
    let event = enforce(event, |removed| match removed {
        Removed::Part { path, .. } => paths.push(path),
        Removed::Event { type_name } => panic!("{type_name} is known"),
    });
    let event = event.unwrap_or_else(|error| panic!("{error}: {text}"));
    (event.expect("a known type"), paths)
}

proptest! {
    #![proptest_config(config(1000))]

    #[test]
    fn the_typed_reader_and_enforcement_agree(bytes in choices(200)) {
        for (_, text) in one_of_each(&bytes, ANY) {
            check_clean(&clean(&text), unread(&text));
        }
    }

    #[test]
    fn what_is_not_described_is_never_clean_and_is_removed(bytes in choices(200), at in 0_usize..6) {
        let spoiled = Profile { intruder: Some(at), ..ANY };
        for shape in shapes::named("event") {
            let expected = Source::new(&bytes, ANY).event_of(shape);
            let mut source = Source::new(&bytes, spoiled);
            let event = Value::Object(source.event_of(shape));
            let Some(key) = source.intruded.clone() else {
                continue;
            };
            let text = source.spell(&event);
            let event = EventReader::new().read(Text::from(text.as_str()))?;
            prop_assert!(matches!(event, RawEvent::Unread(_)), "{key}: {text}");
            let (event, paths) = enforced(event);
            prop_assert!(equal(&event, &clean(&Value::Object(expected).to_json())), "{text}");
            prop_assert_eq!(paths.len(), 1, "{:?}: {}", paths, text);
            prop_assert!(paths[0].ends_with(&format!("/{key}")), "{}", paths[0]);
        }
    }

    #[test]
    fn what_stands_twice_is_never_clean(bytes in choices(120), which in any::<usize>()) {
        for (members, _) in one_of_each(&bytes, ANY) {
            let expected = Value::Object(members.clone()).to_json();
            let (key, value) = members.iter().nth(which % members.len()).expect("a member");
            let key = Value::from(key).to_json();
            let twice = format!("{{{key}:{},{}", value.to_json(), &expected[1..]);
            let event = read(&twice);
            prop_assert!(matches!(event, RawEvent::Unread(_)), "{twice}");
            let (event, paths) = enforced(event);
            prop_assert!(equal(&event, &clean(&expected)), "{twice}");
            prop_assert_eq!(paths, Vec::<String>::new());
        }
    }
}
