//! Random sequences of events that pass verification.

use agui::pipeline::Pipeline;
use agui::{Event, ReceivedEvent};
use json::{Map, Value};
use testkit::events::sequential_ids;

use super::super::shapes;
use super::{Source, read};

/// Returns events that pass verification: the expansion of random related events, without those
/// that break a rule.
pub fn verified_events(source: &mut Source<'_>, most: usize) -> Vec<Event> {
    let start = r#"{"type":"RUN_STARTED","threadId":"t","runId":"r"}"#;
    let mut taken = vec![read(start)];
    let (mut pipeline, mut accepted) = replay(&taken);
    while taken.len() < most && !source.is_empty() {
        let candidates = if pipeline.is_running() {
            variants(source.event())
        } else {
            let shape = shapes::event("RUN_STARTED");
            vec![read(&Value::Object(source.event_of(shape)).to_json())]
        };
        for event in candidates {
            let result = pipeline.process(
                &event,
                |removed| panic!("{removed:?} was removed from a clean event"),
                |event| accepted.push(event.clone()),
            );
            if result.is_ok() {
                taken.push(event);
                break;
            }
            (pipeline, accepted) = replay(&taken);
        }
    }
    accepted
}

/// Returns the event and variants with other ids; one of them may be valid.
fn variants(mut event: Map) -> Vec<ReceivedEvent> {
    let mut variants = vec![read(&Value::Object(event.clone()).to_json())];
    let names = ["messageId", "toolCallId", "entityId", "stepName"];
    if let Some(key) = names.into_iter().find(|key| event.contains(key)) {
        for id in ["a", "b", "c", "s"] {
            event.insert(key.to_owned(), Value::from(id));
            variants.push(read(&Value::Object(event.clone()).to_json()));
        }
    }
    variants
}

fn replay(events: &[ReceivedEvent]) -> (Pipeline<impl FnMut() -> String + use<>>, Vec<Event>) {
    let mut pipeline = Pipeline::new(sequential_ids());
    let mut accepted = Vec::new();
    for event in events {
        pipeline
            .process(event, |_| {}, |event| accepted.push(event.clone()))
            .expect("it was accepted before");
    }
    (pipeline, accepted)
}
