//! The golden sequences: every stage against what the official client did.

mod common;

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
            let keeps_the_rules = prefix
                .iter()
                .all(|event| pipeline.process(event, |_| {}, |_| {}).is_ok());
            if !keeps_the_rules || !pipeline.is_running() {
                continue;
            }
            let mut closing = Vec::new();
            pipeline.close("enough", "cancelled", |event| closing.push(event.clone()));
            let ended = pipeline.process(&end, |_| {}, |_| {});
            assert!(ended.is_ok(), "{ended:?} after {prefix:?} and {closing:?}");
        }
    }
}
