//! The golden sequences: every stage against what the official client did.

mod common;

use agui::RawEvent;
use agui::event::Event;
use agui::pipeline::Pipeline;
use common::{minted, raw_events, sequence, vectors};

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
        let events = raw_events(&vector["input_events"]);
        for length in 1..=events.len() {
            let mut pipeline = Pipeline::new(minted());
            let prefix = &events[..length];
            // As it is forwarded: chunks are expanded, all else goes on as it came.
            let mut sent: Vec<RawEvent> = Vec::new();
            let keeps_the_rules = prefix.iter().all(|event| {
                let mut became: Vec<RawEvent> = Vec::new();
                let accept = |event: &Event| became.push(RawEvent::Clean(event.clone()));
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
            // Whoever reads that has ids of its own for what has none.
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
