//! Whole streams: read, judged, folded, compacted.

use agui::compact::compact;
use agui::fold::Fold;
use agui::json::Value;
use agui::model::Message;
use agui::pipeline::{Pipeline, StageError};
use agui::stream::{self, Format};
use agui::strict::StrictChecker;
use agui::{Event, EventType};

use super::choices;
use super::common::{compaction, minted, to_values};
use super::generate::Profile;
use super::reading::{Reading, read_in_pieces};

/// Any bytes as a stream of the format they look like.
pub fn stream(data: &[u8]) {
    let related = Profile {
        related: true,
        ..Profile::default()
    };
    let Some(mut source) = choices(data, related) else {
        if let Some(format) = Format::recognise(data) {
            let reading = read_in_pieces(format, data);
            run(&reading, &Value::Array(Vec::new()), &Value::from([]));
        }
        return;
    };
    let (messages, state) = (source.messages(), source.json(2));
    if source.one_in(2) {
        let events = source.verified(40);
        check_compaction(&events, &messages, &state);
        return;
    }
    let events = source.events(30);
    let (format, bytes) = source.stream(&events);
    let known = Format::recognise(&bytes);
    assert!(known == Some(format) || events.is_empty(), "{known:?}");
    let reading = read_in_pieces(format, &bytes);
    assert_eq!(reading.error, None);
    assert_eq!(reading.events.len(), events.len());
    run(&reading, &messages, &state);
}

/// All stages, the fold, and compaction of what was accepted.
fn run(reading: &Reading, messages: &Value, state: &Value) {
    let mut pipeline = Pipeline::new(minted());
    let mut strict = StrictChecker::new();
    let initial = Message::list_from_json(&messages.to_json()).expect("valid messages");
    let mut fold = Fold::new(initial, super::common::json(state));
    let mut accepted: Vec<Event> = Vec::new();
    for event in &reading.events {
        let result: Result<(), StageError> = pipeline.process(
            event,
            |_| {},
            |event| {
                strict.check(event, |finding| assert!(!finding.rule().is_empty()));
                fold.apply(event).expect("chunks are expanded");
                accepted.push(event.clone());
            },
        );
        if let Err(error) = result {
            assert!(!error.rule().is_empty() && !error.to_string().is_empty());
            break;
        }
    }
    for message in fold.messages() {
        Value::parse(&message.to_json()).expect("messages are written as JSON");
    }
    for event in &accepted {
        super::texts::check_written(event);
    }
    check_transport(&accepted);
    check_compaction(&accepted, messages, state);
}

/// Events of ours survive every wire of text as they are.
fn check_transport(events: &[Event]) {
    for format in [Format::Sse, Format::Json] {
        let mut bytes = Vec::new();
        for event in events {
            stream::encode(event, format, &mut bytes);
        }
        let read = stream::decode_all(format, &bytes).expect("our own stream");
        assert_eq!(read.len(), events.len());
    }
}

/// Compaction keeps the meaning, is never longer, and a second one finds nothing to make longer.
pub fn check_compaction(events: &[Event], messages: &Value, state: &Value) {
    // Folding from many conversations takes its time.
    if events.len() > 200 {
        return;
    }
    let fault = |events: &[Event]| {
        let vector = Value::from([
            ("expanded", to_values(events)),
            ("initial_messages", messages.clone()),
            ("initial_state", state.clone()),
        ]);
        compaction::fault(events, &compact(events), &vector)
    };
    let output = compact(events);
    if fault(events).is_some() {
        let few = fewest(events, |events| fault(events).is_some());
        panic!(
            "{}\n  from {}\n  to   {}",
            fault(&few).unwrap_or_default(),
            to_values(&few).to_json(),
            to_values(&compact(&few)).to_json()
        );
    }
    assert!(compact(&output).len() <= output.len());
    let runs = |events: &[Event]| {
        let starts = |event: &&Event| event.kind() == EventType::RunStarted;
        events.iter().filter(starts).count()
    };
    assert_eq!(runs(events), runs(&output));
}

/// Leaves out events as long as the rest is still wrong.
fn fewest(events: &[Event], wrong: impl Fn(&[Event]) -> bool) -> Vec<Event> {
    let mut events = events.to_vec();
    let mut at = 0;
    while at < events.len() {
        let mut fewer = events.clone();
        fewer.remove(at);
        if wrong(&fewer) {
            events = fewer;
            at = 0;
        } else {
            at += 1;
        }
    }
    events
}
