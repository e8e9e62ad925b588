//! Golden sequences: every stage compared with the official client.

use agui::ReceivedEvent;
use agui::event::Event;
use agui::pipeline::Pipeline;
use testkit::events::{received_events, sequential_ids};
use testkit::sequence;
use testkit::vectors::vectors;

#[test]
fn enforcement_equals_the_official_client() {
    for vector in vectors("sequences.public.json") {
        sequence::check_enforcement(&vector);
    }
}

#[test]
fn expansion_and_verification_equal_the_official_client() {
    for vector in vectors("sequences.public.json") {
        sequence::check_expansion_and_verification(&vector);
    }
}

#[test]
fn whole_runs_equal_the_official_client() {
    for vector in vectors("sequences.public.json") {
        sequence::check_run(&vector);
    }
}

#[test]
fn a_run_can_be_closed_after_any_event() {
    let end =
        r#"{"type":"RUN_FINISHED","threadId":"t","runId":"r","outcome":{"type":"cancelled"}}"#;
    let end = agui::EventReader::new().read(end.into()).expect("an event");
    for vector in vectors("sequences.public.json") {
        let events = received_events(&vector["input_events"]);
        for length in 1..=events.len() {
            let mut pipeline = Pipeline::new(sequential_ids());
            let prefix = &events[..length];
            // The forwarded stream: chunks are expanded, other events are unchanged.
            let mut sent: Vec<ReceivedEvent> = Vec::new();
            let keeps_the_rules = prefix.iter().all(|event| {
                let mut became: Vec<ReceivedEvent> = Vec::new();
                let accept = |event: &Event| became.push(ReceivedEvent::Typed(event.clone()));
                let taken = pipeline.process(event, |_| {}, accept);
                if !event.type_name().ends_with("_CHUNK") {
                    became.pop();
                    became.push(event.clone());
                }
                sent.append(&mut became);
                taken.is_ok()
            });
            if !keeps_the_rules || !pipeline.is_running() {
                continue;
            }
            pipeline.close("enough", "cancelled", |event, _| sent.push(event));
            let ended = pipeline.process(&end, |_| {}, |_| {});
            assert!(ended.is_ok(), "{ended:?} after {sent:?}");
            // The receiver assigns its own ids to legacy events.
            let mut count = 0;
            let mut client = Pipeline::new(|| {
                count += 1;
                format!("of the client {count}")
            });
            for event in sent.iter().chain([&end]) {
                let taken = client.process(event, |_| {}, |_| {});
                assert!(taken.is_ok(), "{taken:?} after {sent:?}");
            }
        }
    }
}
