//! Fuzz target of whole streams: decode, check, fold, compact.

use agui::Event;
use agui::compact::compact;
use agui::fold::Fold;
use agui::model::{Content, Message, Role};
use agui::pipeline::{Pipeline, StageError};
use agui::stream::{self, StreamFormat};
use agui::strict::StrictChecker;
use agui::verify::OrderVerifier;
use json::Value;

use super::choices;
use super::generate::{Profile, verified_events, write_stream};
use super::reading::{Reading, read_in_pieces};
use testkit::events::{json, sequential_ids, to_values};

/// Decodes any bytes as the format that they are recognised as.
pub fn stream(data: &[u8]) {
    let related = Profile {
        related: true,
        ..Profile::default()
    };
    let Some(mut source) = choices(data, related) else {
        if let Some(format) = StreamFormat::recognise(data) {
            let reading = read_in_pieces(format, data);
            run(&reading, &Value::Array(Vec::new()), &Value::from([]));
        }
        return;
    };
    let (messages, state) = (source.messages(), source.json(2));
    if source.one_in(2) {
        let events = verified_events(&mut source, 40);
        check_compaction(&events, &messages, &state);
        return;
    }
    let events = source.events(30);
    let (format, bytes) = write_stream(&mut source, &events);
    let known = StreamFormat::recognise(&bytes);
    assert!(known == Some(format) || events.is_empty(), "{known:?}");
    let reading = read_in_pieces(format, &bytes);
    assert_eq!(reading.error, None);
    assert_eq!(reading.events.len(), events.len());
    run(&reading, &messages, &state);
}

/// Runs all stages, the fold, and the compaction of the accepted events.
fn run(reading: &Reading, messages: &Value, state: &Value) {
    let mut pipeline = Pipeline::new(sequential_ids());
    let mut strict = StrictChecker::new();
    let initial = Message::list_from_json(&messages.to_json()).expect("valid messages");
    let mut fold = Fold::new(initial, json(state));
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

/// Checks that events are unchanged after encoding and decoding as text.
fn check_transport(events: &[Event]) {
    for format in [StreamFormat::Sse, StreamFormat::Json] {
        let mut bytes = Vec::new();
        for event in events {
            stream::encode(event, format, &mut bytes);
        }
        let read = stream::decode_all(format, &bytes).expect("our own stream");
        assert_eq!(read.len(), events.len());
    }
}

/// Checks that compaction keeps the meaning and adds no events.
pub fn check_compaction(events: &[Event], messages: &Value, state: &Value) {
    let check = |events: &[Event]| fault(events, &compact(events), messages, state);
    let output = compact(events);
    if fault(events, &output, messages, state).is_some() {
        let few = fewest(events, |events| check(events).is_some());
        panic!(
            "{}\n  from {}\n  to   {}",
            check(&few).unwrap_or_default(),
            to_values(&few).to_json(),
            to_values(&compact(&few)).to_json()
        );
    }
    assert!(compact(&output).len() <= output.len());
}

/// Returns what is wrong with a compaction, if anything. Faster than `testkit::compaction`.
fn fault(input: &[Event], output: &[Event], messages: &Value, state: &Value) -> Option<String> {
    if output.len() > input.len() {
        return Some(format!("{} events from {}", output.len(), input.len()));
    }
    let verifies = |events: &[Event]| {
        let mut verifier = OrderVerifier::new();
        events.iter().all(|event| verifier.check(event).is_ok())
    };
    if verifies(input) && !verifies(output) {
        return Some("it does not verify".to_owned());
    }
    let given = Message::list_from_json(&messages.to_json()).expect("valid messages");
    for messages in [given].into_iter().chain(conversations()) {
        for state in [state, &Value::from([])] {
            let (before, after) = (
                folded(input, &messages, state),
                folded(output, &messages, state),
            );
            let same = before.messages().eq(after.messages())
                && before.state() == after.state()
                && before.finished_runs() == after.finished_runs()
                && before.pending_interrupts() == after.pending_interrupts();
            if !same {
                return Some(format!("folds differently from {messages:?} and {state:?}"));
            }
        }
    }
    None
}

/// Returns conversations that already use the ids of the generator.
fn conversations() -> Vec<Vec<Message>> {
    let of_each =
        |make: fn(&str) -> Message| -> Vec<Message> { ["a", "b", "c", "s"].map(make).to_vec() };
    let caller = |id: &str| {
        let json = r#"[{"id":"","role":"assistant","toolCalls":[{"id":"","type":"function","function":{"name":"f","arguments":"x"}}]}]"#;
        let json = json.replace("\"\"", &format!("\"{id}\""));
        Message::list_from_json(&json).expect("valid").remove(0)
    };
    let mut mixed = of_each(caller);
    mixed.insert(1, said_by_user("z"));
    vec![
        Vec::new(),
        of_each(|id| Message::new(id, Role::Assistant)),
        of_each(said_by_user),
        of_each(activity),
        mixed,
    ]
}

fn said_by_user(id: &str) -> Message {
    Message {
        content: Content::Text("x".to_owned()),
        ..Message::new(id, Role::User)
    }
}

fn activity(id: &str) -> Message {
    Message {
        content: Content::Activity(json(&Value::from([]))),
        activity_type: Some("A".to_owned()),
        ..Message::new(id, Role::Activity)
    }
}

fn folded(events: &[Event], messages: &[Message], state: &Value) -> Fold {
    let mut fold = Fold::new(messages.iter().cloned(), json(state));
    for event in events {
        fold.apply(event).expect("chunks are expanded");
    }
    fold
}

/// Removes events as long as the rest is still wrong.
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
