//! Check of a compaction: same meaning, not longer, still valid.

use std::collections::BTreeSet;

use agui::Event;
use agui::fold::Fold;
use agui::model::Message;
use agui::verify::OrderVerifier;
use json::Value;

use crate::events::json;

fn passes_verification(events: &[Event]) -> bool {
    let mut verifier = OrderVerifier::new();
    events.iter().all(|event| verifier.check(event).is_ok())
}

fn fold(events: &[Event], messages: &Value, state: &Value) -> Value {
    let messages = Message::list_from_json(&messages.to_json()).expect("valid messages");
    let mut fold = Fold::new(messages, json(state));
    for event in events {
        fold.apply(event).expect("chunks are expanded");
    }
    let messages = fold.messages().map(Message::to_json).collect::<Vec<_>>();
    let finished: Vec<String> = fold
        .finished_runs()
        .iter()
        .map(|end| format!("{end:?}"))
        .collect();
    Value::from([
        (
            "messages",
            Value::parse(&format!("[{}]", messages.join(","))).expect("JSON"),
        ),
        ("state", fold.state().value().into_owned()),
        ("pending", fold.pending_interrupts().len().into()),
        (
            "finished",
            Value::Array(finished.into_iter().map(Value::from).collect()),
        ),
    ])
}

/// Returns the ids of all messages and calls that the events mention.
fn ids(events: &Value) -> BTreeSet<String> {
    let mut ids = BTreeSet::new();
    for event in events.as_array().expect("a list") {
        for key in ["messageId", "toolCallId", "parentMessageId", "entityId"] {
            ids.extend(event.get(key).and_then(Value::as_str).map(str::to_owned));
        }
    }
    ids
}

/// Returns conversations in which the ids of the events are already in use.
fn initial_conversations(events: &Value) -> Vec<Value> {
    let ids = ids(events);
    let all = |make: &dyn Fn(&str) -> String| {
        let messages: Vec<String> = ids
            .iter()
            .map(|id| make(&Value::from(id.as_str()).to_json()))
            .collect();
        Value::parse(&format!("[{}]", messages.join(","))).expect("JSON")
    };
    let mut conversations = vec![Value::Array(Vec::new())];
    conversations.push(all(&|id| {
        format!(r#"{{"id":{id},"role":"user","content":"old"}}"#)
    }));
    conversations.push(all(&|id| format!(r#"{{"id":{id},"role":"assistant"}}"#)));
    conversations.push(all(&|id| {
        format!(r#"{{"id":{id},"role":"reasoning","content":"r"}}"#)
    }));
    conversations.push(all(&|id| {
        format!(r#"{{"id":{id},"role":"activity","activityType":"A","content":{{"a":1}}}}"#)
    }));
    conversations.push(all(&|id| {
        format!(
            r#"{{"id":{id},"role":"assistant","content":"c","toolCalls":[{{"id":{id},"type":"function","function":{{"name":"f","arguments":"x"}}}}]}},{{"id":"after","role":"user","content":"u"}}"#
        )
    }));
    // Each id alone, so that some are in use and some are not.
    for id in &ids {
        let id = Value::from(id.as_str()).to_json();
        for message in [
            format!(r#"[{{"id":{id},"role":"user","content":"old"}}]"#),
            format!(r#"[{{"id":{id},"role":"assistant","content":"old"}}]"#),
        ] {
            conversations.push(Value::parse(&message).expect("JSON"));
        }
    }
    conversations
}

fn are_unique(messages: &Value) -> bool {
    let mut ids = BTreeSet::new();
    let messages = messages.as_array().expect("a list");
    messages
        .iter()
        .all(|message| ids.insert(message["id"].as_str()))
}

/// Returns a description of what is wrong with a compaction, or `None` if it is correct.
///
/// `vector` supplies the expanded events, the initial messages and the initial state.
pub fn compaction_fault(input: &[Event], output: &[Event], vector: &Value) -> Option<String> {
    if output.len() > input.len() {
        return Some(format!("{} events from {}", output.len(), input.len()));
    }
    if passes_verification(input) && !passes_verification(output) {
        return Some("does not verify".to_owned());
    }
    let mut conversations = initial_conversations(&vector["expanded"]);
    // Ids are unique in a conversation. Otherwise a text that a snapshot interrupts could continue
    // in a second message with the same id.
    if are_unique(&vector["initial_messages"]) {
        conversations.push(vector["initial_messages"].clone());
    }
    for messages in conversations {
        for state in [
            vector["initial_state"].clone(),
            Value::from([]),
            Value::Null,
        ] {
            let (before, after) = (
                fold(input, &messages, &state),
                fold(output, &messages, &state),
            );
            if before != after {
                return Some(format!(
                    "folds differently from {}\n  {}\n  {}",
                    messages.to_json(),
                    before.to_json(),
                    after.to_json()
                ));
            }
        }
    }
    None
}
