//! Event streams as text.

use std::collections::HashMap;

use json::Value;

pub(crate) const RUN_STARTED: &str = r#"{"type":"RUN_STARTED","threadId":"t","runId":"r"}"#;
pub(crate) const RUN_FINISHED: &str = r#"{"type":"RUN_FINISHED","threadId":"t","runId":"r"}"#;

/// Returns the events as JSON Lines.
pub(crate) fn jsonl(events: &[&str]) -> String {
    events.iter().map(|event| format!("{event}\n")).collect()
}

/// Returns a whole run that contains the events, as JSON Lines.
pub(crate) fn run_jsonl(events: &[&str]) -> String {
    format!("{RUN_STARTED}\n{}{RUN_FINISHED}\n", jsonl(events))
}

/// Returns each event as an SSE frame.
pub(crate) fn sse<S: AsRef<str>>(events: &[S]) -> String {
    events
        .iter()
        .map(|event| format!("data: {}\n\n", event.as_ref()))
        .collect()
}

/// Returns the messages and the state of a conversation with numbers instead of ids, because each reader generates some ids.
pub(crate) fn with_numbered_ids(conversation: &Value) -> (Value, Value) {
    let mut numbers: HashMap<String, usize> = HashMap::new();
    let mut messages = conversation["messages"].clone();
    let mut number = |holder: &mut json::Map, key: &str| {
        if let Some(Value::String(id)) = holder.get(key).cloned() {
            let next = numbers.len() + 1;
            let number = *numbers.entry(id).or_insert(next);
            holder.insert(key.to_owned(), number.into());
        }
    };
    if let Value::Array(messages) = &mut messages {
        for message in messages.iter_mut().filter_map(Value::as_object_mut) {
            number(message, "id");
            number(message, "toolCallId");
            if let Some(Value::Array(calls)) = message.get_mut("toolCalls") {
                let calls = calls.iter_mut().filter_map(Value::as_object_mut);
                calls.for_each(|call| number(call, "id"));
            }
        }
    }
    (messages, conversation["state"].clone())
}

/// Pseudo-random letters, which compression cannot make much smaller.
#[derive(Default)]
pub(crate) struct RandomLetters(u32);

impl RandomLetters {
    /// Returns the next `count` letters.
    pub(crate) fn letters(&mut self, count: usize) -> String {
        let letter = |_| {
            self.0 = self.0.wrapping_mul(1_664_525).wrapping_add(1_013_904_223);
            char::from(b"abcdefghijklmnopqrstuvwxyz012345"[(self.0 >> 27) as usize])
        };
        (0..count).map(letter).collect()
    }
}
