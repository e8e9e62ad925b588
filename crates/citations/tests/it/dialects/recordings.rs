//! Recorded states of agents.

use agui::event::EventData;
use agui::fold::Fold;
use agui::pipeline::Pipeline;
use agui::sse::SseDecoder;
use agui::{Event, ReceivedEvent};
use citations::dialects::{ExtractMode, NoveltyRule, TurnCitations, extract_new};
use json::{Json, Value};

use super::{chunks, value};

/// Reads the events of a recording.
fn recorded(name: &str) -> Vec<Event> {
    let path = format!(
        "{}/tests/data/streams/{name}.sse",
        env!("CARGO_MANIFEST_DIR")
    );
    let bytes = std::fs::read(path).expect("the recording is there");
    let mut decoder = SseDecoder::new();
    decoder.push(&bytes);
    decoder.finish();
    let mut pipeline = Pipeline::new(|| "id".to_owned());
    let mut slot = ReceivedEvent::default();
    let mut events = Vec::new();
    while let Some(read) = decoder.next_into(&mut slot) {
        read.expect("a recording is a stream");
        let processed = pipeline.process(&slot, |_| {}, |event| events.push(event.clone()));
        processed.expect("a recording keeps the rules");
    }
    events
}

fn file(name: &str) -> Value {
    let path = format!("{}/tests/data/streams/{name}", env!("CARGO_MANIFEST_DIR"));
    value(&std::fs::read_to_string(path).expect("the file is there"))
}

/// Returns the state after a recording.
fn after(name: &str, state: &Value) -> Value {
    let mut fold = Fold::new([], Json::from(state.clone()));
    for event in recorded(name) {
        fold.apply(&event).expect("no chunk is left");
    }
    fold.state().value().into_owned()
}

#[test]
fn recorded_histories_give_their_new_sources() {
    let initial = file("initial_state.json");
    let first = after("s01_turn1", &initial);
    assert_eq!(first, file("s01_state_after.json"));
    let second = after("s02_turn2_recite", &first);
    assert_eq!(second, file("s02_state_after.json"));
    let both = after("s04_two_asks_one_run", &initial);
    for how in [ExtractMode::Specification, ExtractMode::Content] {
        let found = extract_new(&initial, &first, how);
        assert_eq!(chunks(&found), ["abc123", "abc124"]);
        assert_eq!(
            found.references[0].formatted_page_numbers().as_deref(),
            Some("p.5-6")
        );
        assert_eq!(
            chunks(&extract_new(&first, &second, how)),
            ["def001", "abc123"]
        );
        let found = extract_new(&initial, &both, how);
        assert_eq!(chunks(&found), ["abc123", "abc124", "def001", "abc123"]);
        assert!(found.warnings.is_empty());
    }
}

#[test]
fn recorded_indexes_give_passages_that_are_cited_again() {
    let first = after("h01_turn1", &value("{}"));
    assert_eq!(
        extract_new(&value("{}"), &first, ExtractMode::Content)
            .references
            .len(),
        2
    );
    let sent = file("h02_turn2_new_docs.request.json")["state"].clone();
    let second = after("h02_turn2_new_docs", &sent);
    let found = extract_new(&sent, &second, ExtractMode::Content);
    assert_eq!(found.references.len(), 2);
    assert_eq!(found.rules, [("rag".to_owned(), NoveltyRule::IdsReset)]);
    // The next question is answered from the same passages.
    let text = second.to_json();
    let third = text
        .replace(r#""question":2"#, r#""question":4"#)
        .replace(r#""epoch":5"#, r#""epoch":7"#);
    assert_ne!(third, text);
    let again = extract_new(&second, &value(&third), ExtractMode::Content);
    assert_eq!(again.references, found.references);
    let nothing = extract_new(&second, &second, ExtractMode::Content);
    assert!(nothing.references.is_empty());
    for (name, count) in [
        ("h04_mangled_id", 1),
        ("h05_empty_cite", 0),
        ("h08_error_midstream", 2),
    ] {
        let state = after(name, &value("{}"));
        let found = extract_new(&value("{}"), &state, ExtractMode::Content);
        assert_eq!(found.references.len(), count, "{name}");
        // Reading event by event gives the same.
        let mut turn = TurnCitations::default();
        for event in recorded(name) {
            if let EventData::StateSnapshot(data) = event.data() {
                turn.take_snapshot(&data.snapshot.value());
            }
        }
        assert_eq!(turn.resolve(&state).references, found.references, "{name}");
    }
}
