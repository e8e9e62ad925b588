//! Events of an AG-UI stream as changes of a conversation's messages.

use json::{Map, Value};

use crate::events::{ACTION_EVENT, CONTEXT_EVENT, MESSAGE_METADATA, UPDATE_EVENT, activity_type};
use crate::message::MessageKind;

/// Change of a conversation.
#[derive(Debug, Clone, PartialEq)]
pub struct ConversationChange {
    /// `message` (a new message), `patch` (`{id, patch}`), `action` (an execution) or `context` (a shared field).
    pub name: &'static str,
    /// Data of the change.
    pub data: Value,
}

/// Returns the change that an event makes; `None` for events that are not ours.
pub fn conversation_change(event: &str) -> Option<ConversationChange> {
    // Most events are deltas of text: they are not parsed.
    if !event.contains("pincite") {
        return None;
    }
    let event = Value::parse(event).ok()?;
    let change = |name, data| Some(ConversationChange { name, data });
    let message = event
        .get("metadata")
        .and_then(|metadata| metadata.get(MESSAGE_METADATA));
    if let Some(message) = message {
        let mut message = message.clone();
        if let (Some(members), Some(content)) = (message.as_object_mut(), event.get("content")) {
            members.insert("payload".to_owned(), content.clone());
        }
        return change("message", message);
    }
    let text = |name: &str| event.get(name).and_then(Value::as_str).unwrap_or_default();
    let kind = MessageKind::ALL
        .into_iter()
        .find(|kind| activity_type(*kind) == Some(text("activityType")));
    match (text("type"), kind) {
        ("ACTIVITY_SNAPSHOT", Some(kind)) => {
            let mut message = Map::new();
            message.insert("id".to_owned(), text("messageId").into());
            message.insert("type".to_owned(), kind.as_str().into());
            message.insert("payload".to_owned(), event.get("content")?.clone());
            change("message", Value::Object(message))
        }
        ("ACTIVITY_DELTA", Some(_)) => {
            let patch = event.get("patch")?.clone();
            change(
                "patch",
                Value::from([("id", text("messageId").into()), ("patch", patch)]),
            )
        }
        ("CUSTOM", _) => {
            let name = match text("name") {
                UPDATE_EVENT => "patch",
                ACTION_EVENT => "action",
                CONTEXT_EVENT => "context",
                _ => return None,
            };
            change(name, event.get("value")?.clone())
        }
        _ => None,
    }
}
