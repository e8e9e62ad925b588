//! Messages that an interrupted run left unfinished.

use json::patch::{PatchOperation, escape};
use json::{Map, Value};

use crate::MessageProgress;

/// Returns the operations that set the unfinished messages of a stored state to `error`, because clients would wait
/// for them. `key` is the state key of the full projection; `reason` says why the run ended.
pub fn fail_unfinished_messages(state: &Value, key: &str, reason: &str) -> Vec<PatchOperation> {
    let projection = state.get(key);
    let messages = projection.and_then(|projection| projection.get("messages"));
    let messages = messages.and_then(Value::as_object);
    let unfinished = [
        MessageProgress::Streaming,
        MessageProgress::Extracting,
        MessageProgress::Verifying,
    ];
    let mut operations = Vec::new();
    for (id, entry) in messages.into_iter().flat_map(Map::iter) {
        let status = entry.get("status").and_then(Value::as_str);
        let is_named = |progress: &MessageProgress| Some(progress.name()) == status;
        if !unfinished.iter().any(is_named) {
            continue;
        }
        let path = format!("/{}/messages/{}", escape(key), escape(id));
        let error = format!("the run ended before the message did: {reason}");
        for (member, value) in [
            ("status", Value::from(MessageProgress::Error.name())),
            ("error", Value::from(error)),
        ] {
            operations.push(PatchOperation::add(format!("{path}/{member}"), value));
        }
    }
    operations
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn only_unfinished_messages_are_changed() {
        let state =
            r#"{"cited":{"messages":{"a/b":{"status":"verifying"},"c":{"status":"complete"}}}}"#;
        let state = Value::parse(state).expect("JSON");
        let mut patch = String::new();
        for operation in fail_unfinished_messages(&state, "cited", "it crashed") {
            operation.write(&mut patch);
        }
        assert_eq!(
            patch,
            r#"{"op":"add","path":"/cited/messages/a~1b/status","value":"error"}"#.to_owned()
                + r#"{"op":"add","path":"/cited/messages/a~1b/error","value":"the run ended before the message did: it crashed"}"#
        );
        assert!(fail_unfinished_messages(&state, "other", "it crashed").is_empty());
    }
}
