//! Downgrade of outgoing events for clients that use an AG-UI release before 1.0.
//!
//! This is the only place that knows what older clients reject. Encoders call it for every event
//! that they write.

use std::borrow::Cow;

use crate::event::EventType;
use crate::model::RunAgentInput;
use crate::negotiate::Encoding;
use crate::received::event_type_of;
use json::{Map, Value};

/// Release of AG-UI that a client uses, as far as it decides which events the client can read.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub enum ClientRelease {
    /// 1.0 or newer.
    #[default]
    Current,
    /// Any release before 1.0. Such a client sends no protocol version.
    Legacy,
}

impl ClientRelease {
    /// Returns the release of the client that sent an input.
    pub fn of(input: &RunAgentInput) -> Self {
        match input.protocol_version {
            Some(_) => Self::Current,
            None => Self::Legacy,
        }
    }
}

/// Form in which a client receives events.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct EventFormat {
    /// Encoding of the response.
    pub encoding: Encoding,
    /// Release that the client uses.
    pub release: ClientRelease,
}

impl From<Encoding> for EventFormat {
    /// Returns the format of a client that uses the current release.
    fn from(encoding: Encoding) -> Self {
        Self {
            encoding,
            release: ClientRelease::Current,
        }
    }
}

impl EventFormat {
    /// Returns the JSON of an event as the client reads it; `None` if the client's protobuf schema
    /// lacks the event. Most events are returned unchanged and are not parsed.
    pub fn downgrade(self, json: &str) -> Option<Cow<'_, str>> {
        if self.release == ClientRelease::Current {
            return Some(Cow::Borrowed(json));
        }
        let kind = event_type_of(json);
        if self.encoding == Encoding::Proto && !kind.is_some_and(has_legacy_frame) {
            return None;
        }
        let change: fn(&mut Map) -> bool = match (kind, self.encoding) {
            (Some(EventType::RunStarted), _) => downgrade_run_start,
            (Some(EventType::RunFinished), _) => downgrade_outcome,
            (Some(EventType::ToolCallResult), _) => flatten_content,
            (Some(EventType::MessagesSnapshot), Encoding::Sse) => downgrade_messages,
            (Some(EventType::MessagesSnapshot), Encoding::Proto) => flatten_messages,
            _ => return Some(Cow::Borrowed(json)),
        };
        let Ok(Value::Object(mut members)) = Value::parse(json) else {
            return Some(Cow::Borrowed(json));
        };
        Some(match change(&mut members) {
            true => Cow::Owned(Value::Object(members).to_json()),
            false => Cow::Borrowed(json),
        })
    }
}

/// Returns true if the protobuf schema of all releases before 1.0 has the event. Clients fail on a
/// frame that they do not know.
fn has_legacy_frame(kind: EventType) -> bool {
    matches!(
        kind,
        EventType::TextMessageStart
            | EventType::TextMessageContent
            | EventType::TextMessageEnd
            | EventType::ToolCallStart
            | EventType::ToolCallArgs
            | EventType::ToolCallEnd
            | EventType::StateSnapshot
            | EventType::StateDelta
            | EventType::MessagesSnapshot
            | EventType::Raw
            | EventType::Custom
            | EventType::RunStarted
            | EventType::RunFinished
            | EventType::RunError
            | EventType::StepStarted
            | EventType::StepFinished
    )
}

/// Downgrades the input that a `RUN_STARTED` event repeats. Returns true if something changed, as the
/// functions below do.
fn downgrade_run_start(event: &mut Map) -> bool {
    let Some(Value::Object(input)) = event.get_mut("input") else {
        return false;
    };
    let mut changed = downgrade_messages(input);
    for list in ["tools", "context"] {
        if !input.contains(list) {
            input.insert(list.to_owned(), Value::Array(Vec::new()));
            changed = true;
        }
    }
    changed
}

/// Reduces an outcome to its type, and removes one that older clients do not know.
fn downgrade_outcome(event: &mut Map) -> bool {
    let Some(Value::Object(outcome)) = event.get_mut("outcome") else {
        return false;
    };
    match outcome.get("type").and_then(Value::as_str) {
        Some("success") => outcome.remove("pendingToolCallIds").is_some(),
        Some("interrupt") => false,
        _ => event.remove("outcome").is_some(),
    }
}

fn downgrade_messages(holder: &mut Map) -> bool {
    let Some(Value::Array(messages)) = holder.get_mut("messages") else {
        return false;
    };
    let mut changed = false;
    for message in messages.iter_mut().filter_map(Value::as_object_mut) {
        changed |= match message.get("role").and_then(Value::as_str) {
            Some("tool") => flatten_content(message),
            _ => drop_file_parts(message),
        };
    }
    changed
}

/// Reduces messages to what the older protobuf schema expresses: no activities, and texts only.
fn flatten_messages(holder: &mut Map) -> bool {
    let Some(Value::Array(messages)) = holder.get_mut("messages") else {
        return false;
    };
    let before = messages.len();
    messages.retain(|message| message["role"].as_str() != Some("activity"));
    let mut changed = messages.len() != before;
    for message in messages.iter_mut().filter_map(Value::as_object_mut) {
        changed |= flatten_content(message);
    }
    changed
}

/// Joins the text parts of a content to one string.
fn flatten_content(holder: &mut Map) -> bool {
    let Some(Value::Array(parts)) = holder.get("content") else {
        return false;
    };
    let texts = parts
        .iter()
        .filter(|part| part["type"].as_str() == Some("text"));
    let text: String = texts.filter_map(|part| part["text"].as_str()).collect();
    holder.insert("content".to_owned(), Value::String(text));
    true
}

/// Removes media parts that name a file of the provider.
fn drop_file_parts(message: &mut Map) -> bool {
    let Some(Value::Array(parts)) = message.get_mut("content") else {
        return false;
    };
    let before = parts.len();
    parts.retain(|part| part["source"]["type"].as_str() != Some("file"));
    parts.len() != before
}

#[cfg(test)]
mod tests {
    use super::*;

    const LEGACY: EventFormat = EventFormat {
        encoding: Encoding::Sse,
        release: ClientRelease::Legacy,
    };

    #[test]
    fn shapes_that_older_clients_reject_are_replaced() {
        for (event, expected) in [
            (
                r#"{"type":"RUN_FINISHED","threadId":"t","runId":"r","outcome":{"type":"success","pendingToolCallIds":["c"]}}"#,
                r#"{"type":"RUN_FINISHED","threadId":"t","runId":"r","outcome":{"type":"success"}}"#,
            ),
            (
                r#"{"type":"RUN_FINISHED","threadId":"t","runId":"r","outcome":{"type":"cancelled"}}"#,
                r#"{"type":"RUN_FINISHED","threadId":"t","runId":"r"}"#,
            ),
            (
                r#"{"messageId":"m","type":"TOOL_CALL_RESULT","toolCallId":"c","content":[{"type":"text","text":"a"},{"type":"image","source":{"type":"url","value":"u"}},{"type":"text","text":"b"}]}"#,
                r#"{"messageId":"m","type":"TOOL_CALL_RESULT","toolCallId":"c","content":"ab"}"#,
            ),
            (
                r#"{"type":"MESSAGES_SNAPSHOT","messages":[{"id":"1","role":"tool","toolCallId":"c","content":[]},{"id":"2","role":"user","content":[{"type":"text","text":"q"},{"type":"document","source":{"type":"file","value":"f"}}]}]}"#,
                r#"{"type":"MESSAGES_SNAPSHOT","messages":[{"id":"1","role":"tool","toolCallId":"c","content":""},{"id":"2","role":"user","content":[{"type":"text","text":"q"}]}]}"#,
            ),
            (
                r#"{"type":"RUN_STARTED","threadId":"t","runId":"r","input":{"threadId":"t","runId":"r","messages":[]}}"#,
                r#"{"type":"RUN_STARTED","threadId":"t","runId":"r","input":{"threadId":"t","runId":"r","messages":[],"tools":[],"context":[]}}"#,
            ),
        ] {
            assert_eq!(LEGACY.downgrade(event).as_deref(), Some(expected));
            let current = EventFormat::from(Encoding::Sse);
            assert_eq!(current.downgrade(event).as_deref(), Some(event));
        }
    }

    #[test]
    fn other_events_keep_their_bytes() {
        for event in [
            r#"{ "type":"RUN_FINISHED","threadId":"t","runId":"r","outcome":{"type":"interrupt","interrupts":[{"id":"i","reason":"x"}]}}"#,
            r#"{ "type":"RUN_STARTED","threadId":"t","runId":"r"}"#,
            r#"{ "type":"TOOL_CALL_RESULT","messageId":"m","toolCallId":"c","content":"[]"}"#,
            r#"{ "type":"STATE_DELTA","delta":[]}"#,
            r#"{ "type":"NOVEL","outcome":{"type":"cancelled"}}"#,
            "not JSON",
        ] {
            let json = LEGACY.downgrade(event);
            assert!(matches!(json, Some(Cow::Borrowed(same)) if same == event));
        }
    }

    #[test]
    fn frames_contain_only_what_the_older_schema_has() {
        let frames = EventFormat {
            encoding: Encoding::Proto,
            ..LEGACY
        };
        for lacking in [
            "TOOL_CALL_RESULT",
            "ACTIVITY_SNAPSHOT",
            "REASONING_START",
            "SUBAGENT_STARTED",
            "NOVEL",
        ] {
            let event = format!(r#"{{"type":"{lacking}"}}"#);
            assert_eq!(frames.downgrade(&event), None);
            assert_eq!(LEGACY.downgrade(&event).as_deref(), Some(&*event));
        }
        let snapshot = r#"{"type":"MESSAGES_SNAPSHOT","messages":[{"id":"1","role":"activity","activityType":"plan","content":{}},{"id":"2","role":"user","content":[{"type":"text","text":"q"}]}]}"#;
        assert_eq!(
            frames.downgrade(snapshot).as_deref(),
            Some(
                r#"{"type":"MESSAGES_SNAPSHOT","messages":[{"id":"2","role":"user","content":"q"}]}"#
            )
        );
    }
}
