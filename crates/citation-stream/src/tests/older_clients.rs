//! Clients that use a release before 1.0, and agents that cite in the metadata of text events.

use super::*;

/// Returns the state that the events of one run give on an empty state, as older clients compute it for storage.
fn folded_from_nothing(events: &[String]) -> Value {
    let mut fold = Fold::new(Vec::new(), json("{}"));
    let mut reader = agui::EventReader::new();
    for event in events {
        let read = reader.read(Text::from(event.as_str())).expect("an event");
        let ReceivedEvent::Typed(event) = read else {
            panic!("{event}");
        };
        fold.apply(&event).expect("every patch applies");
    }
    fold.state().value().into_owned()
}

#[tokio::test(start_paused = true)]
async fn a_run_of_an_older_client_begins_with_the_state_that_it_sent() {
    let mut thread = Thread::new(LayerOptions::default());
    thread.state = Some(json(r#"{"own":1}"#));
    for id in ["m", "n"] {
        let text = format!("Noon [1].{}", block(&[(1, "Two boats were out", "log")]));
        let mut legacy = input(None);
        legacy.protocol_version = None;
        let sent = thread.state.clone().expect("a state");
        let client = thread.run_input(legacy, whole_run([said(id, &text)])).await;
        let snapshot = value(&client.events[1]);
        assert_eq!(snapshot["type"].as_str(), Some("STATE_SNAPSHOT"));
        assert_eq!(snapshot["snapshot"], *sent.value());
        assert_eq!(folded_from_nothing(&client.events), client.state());
        assert_eq!(client.at(&["own"]), "1");
    }
    let count = thread.state.as_ref().map(|state| {
        let messages = &state.value()["deepcitation"]["messages"];
        messages.as_object().map(json::Map::len)
    });
    assert_eq!(count, Some(Some(2)));
}

/// Returns an event with metadata that lists citations of texts from the log.
fn with_sources(event: Event, texts: &[&str]) -> Event {
    let entries = texts.iter().map(|text| {
        format!(r#"{{"title":"log","location":{{"type":"documentPage","documentIndex":0,"start":1,"end":2}},"sourceContent":[{{"text":"{text}"}}],"textOffset":3}}"#)
    });
    let entries: Vec<String> = entries.collect();
    let metadata = json(&format!(r#"{{"citations":[{}]}}"#, entries.join(",")));
    let (data, mut common) = event.into_parts();
    common.metadata = json::JsonObject::new(metadata).map(Box::new);
    Event::with_common(data, common)
}

#[tokio::test(start_paused = true)]
async fn citations_in_the_metadata_of_text_events_are_checked() {
    let both = ["Two boats were out", "Three boats sank"];
    for early in [true, false] {
        let options = LayerOptions {
            early,
            ..LayerOptions::default()
        };
        let mut thread = Thread::new(options);
        // Each list repeats those before it.
        let script = vec![
            started(),
            start("m"),
            delta("m", "Two boats"),
            with_sources(delta("m", " were out, and"), &both[..1]),
            with_sources(delta("m", " three sank."), &both),
            with_sources(end("m"), &both),
            finished(),
        ];
        let client = thread.run(script).await;
        assert_eq!(
            client.at(&["deepcitation", "messages", "m", "summary"]),
            r#"{"total":2,"verified":1,"partial":0,"missed":1,"pending":0}"#
        );
        let message = client.at(&["deepcitation", "messages", "m", "status"]);
        assert_eq!(message, r#""complete""#);
    }
}
