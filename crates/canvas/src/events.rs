//! Messages as AG-UI events, and activities of AG-UI agents as messages.
//!
//! Text, reasoning and tool calls have events of their own. The other kinds are activities whose content is the
//! payload; a text message with the readable form follows, for clients that do not show the activity.

use agui::event::{
    ActivityDelta, ActivitySnapshot, CommonFields, Custom, Event, EventData, ReasoningEnd,
    ReasoningMessageContent, ReasoningMessageEnd, ReasoningMessageStart, ReasoningRole,
    ReasoningStart, TextMessageContent, TextMessageEnd, TextMessageStart, TextRole, ToolCallArgs,
    ToolCallEnd, ToolCallResult, ToolCallStart, ToolRole,
};
use agui::model::TextOrParts;
use json::patch::PatchOperation;
use json::{Json, JsonObject, Map, Text, Value};

use crate::check::check;
use crate::error::InvalidMessage;
use crate::message::{CanvasMessage, CheckedMessage, MessageKind};
use crate::text_form::text_form;

/// Prefix of our activity types.
pub const ACTIVITY_PREFIX: &str = "pincite.";
/// Member of an event's metadata that holds the envelope of the message that the event begins.
pub const MESSAGE_METADATA: &str = "pinciteMessage";
/// Member of an event's metadata that holds the id of the message of which the text message is the readable form.
/// Clients that show the activity hide this text message.
pub const TEXT_FORM_METADATA: &str = "pinciteTextOf";
/// Name of the custom event that updates a message without an activity.
pub(crate) const UPDATE_EVENT: &str = "pincite.update";
/// Name of the custom event of an action's execution.
pub const ACTION_EVENT: &str = "pincite.action";
/// Name of the custom event of a shared or withdrawn field of the context.
pub const CONTEXT_EVENT: &str = "pincite.context";

/// Returns the activity type of a kind; `None` for kinds that have events of their own.
pub fn activity_type(kind: MessageKind) -> Option<&'static str> {
    match kind {
        MessageKind::Ui => Some("pincite.ui"),
        MessageKind::Action => Some("pincite.actions"),
        MessageKind::ContextRequest => Some("pincite.context_request"),
        MessageKind::Error => Some("pincite.error"),
        MessageKind::Text | MessageKind::Reasoning | MessageKind::ToolCall => None,
    }
}

/// Returns the events of a message. `envelope` is the stored message.
pub fn to_events(message: &CanvasMessage, id: &str, envelope: &Value) -> Vec<Event> {
    let id = Text::from(id);
    let mut events = match message.kind {
        MessageKind::Text => text_events(&id, &text_form(message)),
        MessageKind::Reasoning => reasoning_events(&id, &text_form(message)),
        MessageKind::ToolCall => tool_events(&id, &message.payload),
        kind => activity_events(
            &id,
            activity_type(kind).unwrap_or_default(),
            &message.payload,
        ),
    };
    let envelope = match activity_type(message.kind) {
        // The content of the activity is the payload.
        Some(_) => without_payload(envelope),
        None => envelope.clone(),
    };
    if let Some(first) = events.first_mut() {
        add_metadata(first, MESSAGE_METADATA, envelope);
    }
    if activity_type(message.kind).is_some() {
        let text_id = Text::from(format!("{id}:text"));
        let mut text = text_events(&text_id, &text_form(message));
        if let Some(first) = text.first_mut() {
            add_metadata(first, TEXT_FORM_METADATA, id.as_str().into());
        }
        events.extend(text);
    }
    events
}

/// Returns the events that update a message. `message` is the message after the update.
pub fn update_events(message: &CanvasMessage, id: &str, patch: &[PatchOperation]) -> Vec<Event> {
    let id = Text::from(id);
    if let Some(activity_type) = activity_type(message.kind) {
        return vec![Event::new(EventData::ActivityDelta(ActivityDelta {
            message_id: id,
            activity_type: Text::from(activity_type),
            patch: patch.to_vec(),
        }))];
    }
    let mut operations = String::from("[");
    for operation in patch {
        if operations.len() > 1 {
            operations.push(',');
        }
        operation.write(&mut operations);
    }
    operations.push(']');
    let value = Value::from([
        ("id", id.as_str().into()),
        ("patch", Value::parse(&operations).unwrap_or_default()),
    ]);
    let mut events = vec![custom_event(UPDATE_EVENT, value)];
    if message.kind == MessageKind::ToolCall {
        events.extend(tool_result(&id, &message.payload));
    }
    events
}

/// Returns a custom event.
pub fn custom_event(name: &str, value: Value) -> Event {
    Event::new(EventData::Custom(Custom {
        name: Text::from(name),
        value: Json::from(value),
    }))
}

/// Checks an activity of an AG-UI agent as a message. Returns `None` for activities that are not ours.
pub fn from_activity(
    activity_type: &str,
    content: &Value,
    agent: &str,
    conversation: &str,
) -> Option<Result<CheckedMessage, InvalidMessage>> {
    let kind = MessageKind::ALL
        .into_iter()
        .find(|kind| self::activity_type(*kind) == Some(activity_type))?;
    let message = Value::from([
        ("type", kind.as_str().into()),
        ("agentId", agent.into()),
        ("payload", content.clone()),
    ]);
    Some(check(message, conversation))
}

fn without_payload(envelope: &Value) -> Value {
    let mut envelope = envelope.clone();
    if let Some(members) = envelope.as_object_mut() {
        members.remove("payload");
    }
    envelope
}

fn add_metadata(event: &mut Event, name: &str, value: Value) {
    let mut members = Map::new();
    members.insert(name.to_owned(), value);
    let (data, common) = event.clone().into_parts();
    let common = CommonFields {
        metadata: Some(Box::new(JsonObject::from(members))),
        ..common
    };
    *event = Event::with_common(data, common);
}

fn text_events(id: &Text, text: &str) -> Vec<Event> {
    let mut events = vec![Event::new(EventData::TextMessageStart(TextMessageStart {
        message_id: id.clone(),
        role: Some(TextRole::Assistant),
        name: None,
    }))];
    if !text.is_empty() {
        events.push(Event::new(EventData::TextMessageContent(
            TextMessageContent {
                message_id: id.clone(),
                delta: Text::from(text),
            },
        )));
    }
    events.push(Event::new(EventData::TextMessageEnd(TextMessageEnd {
        message_id: id.clone(),
    })));
    events
}

fn reasoning_events(id: &Text, text: &str) -> Vec<Event> {
    let mut events = vec![
        Event::new(EventData::ReasoningStart(ReasoningStart {
            message_id: id.clone(),
        })),
        Event::new(EventData::ReasoningMessageStart(ReasoningMessageStart {
            message_id: id.clone(),
            role: ReasoningRole::Reasoning,
        })),
    ];
    if !text.is_empty() {
        events.push(Event::new(EventData::ReasoningMessageContent(
            ReasoningMessageContent {
                message_id: id.clone(),
                delta: Text::from(text),
            },
        )));
    }
    events.push(Event::new(EventData::ReasoningMessageEnd(
        ReasoningMessageEnd {
            message_id: id.clone(),
        },
    )));
    events.push(Event::new(EventData::ReasoningEnd(ReasoningEnd {
        message_id: id.clone(),
    })));
    events
}

fn tool_events(id: &Text, payload: &Value) -> Vec<Event> {
    let name = payload
        .get("toolName")
        .and_then(Value::as_str)
        .unwrap_or_default();
    let arguments = payload
        .get("arguments")
        .map(Value::to_json)
        .unwrap_or_default();
    let mut events = vec![
        Event::new(EventData::ToolCallStart(ToolCallStart {
            tool_call_id: id.clone(),
            tool_call_name: Text::from(name),
            parent_message_id: None,
        })),
        Event::new(EventData::ToolCallArgs(ToolCallArgs {
            tool_call_id: id.clone(),
            delta: Text::from(arguments.as_str()),
        })),
        Event::new(EventData::ToolCallEnd(ToolCallEnd {
            tool_call_id: id.clone(),
        })),
    ];
    events.extend(tool_result(id, payload));
    events
}

/// Returns the result of a tool call that has ended.
fn tool_result(id: &Text, payload: &Value) -> Option<Event> {
    let status = payload.get("status").and_then(Value::as_str);
    let content = match (status, payload.get("result")) {
        (Some("completed" | "failed"), Some(Value::String(text))) => text.clone(),
        (Some("completed" | "failed"), Some(result)) => result.to_json(),
        (Some("completed"), None) => "Done.".to_owned(),
        (Some("failed"), None) => {
            let error = payload.get("error").and_then(Value::as_str);
            format!("Error: {}", error.unwrap_or("the tool failed"))
        }
        _ => return None,
    };
    Some(Event::new(EventData::ToolCallResult(ToolCallResult {
        message_id: Text::from(format!("{id}:result")),
        tool_call_id: id.clone(),
        content: TextOrParts::Text(Text::from(content.as_str())),
        role: Some(ToolRole::Tool),
    })))
}

fn activity_events(id: &Text, activity_type: &str, payload: &Value) -> Vec<Event> {
    let content = JsonObject::new(Json::from(payload.clone()));
    let content = content.unwrap_or_else(|| JsonObject::from(Map::new()));
    vec![Event::new(EventData::ActivitySnapshot(ActivitySnapshot {
        message_id: id.clone(),
        activity_type: Text::from(activity_type),
        content,
        replace: None,
    }))]
}
