//! Upgrade of events and inputs from AG-UI releases before 1.0.
//!
//! The shape of an event triggers the upgrade, not a version or header. Legacy forms never read as
//! typed events, so typed events pass unchanged.

use crate::event::{Event, EventData, EventType};
use crate::received::{ReceivedEvent, UntypedEvent};
use json::{Map, Text, Value};

/// Upgrades the events of one run. It remembers the ids it assigned to `THINKING_*` events.
pub struct LegacyUpgrader<G> {
    generate: G,
    span: Option<String>,
    message: Option<String>,
}

impl<G: FnMut() -> String> LegacyUpgrader<G> {
    /// Creates an upgrader that takes new ids from `generate`.
    pub fn new(generate: G) -> Self {
        Self {
            generate,
            span: None,
            message: None,
        }
    }

    /// Upgrades an event to the current form.
    pub fn apply(&mut self, event: ReceivedEvent) -> ReceivedEvent {
        let mut untyped = match event {
            ReceivedEvent::Typed(_) => return event,
            ReceivedEvent::Untyped(untyped) => untyped,
        };
        self.upgrade(&mut untyped);
        ReceivedEvent::Untyped(untyped)
    }

    fn upgrade(&mut self, untyped: &mut UntypedEvent) {
        let name = untyped.type_name().to_owned();
        let members = &mut untyped.members;
        drop_null(members, "rawEvent");
        if let Some(kind) = EventType::from_str(&name) {
            upgrade_known(kind, members);
            return;
        }
        let (kind, id) = match name.as_str() {
            "THINKING_START" => {
                members.remove("title");
                let id = (self.generate)();
                self.span = Some(id.clone());
                (EventType::ReasoningStart, id)
            }
            "THINKING_TEXT_MESSAGE_START" => {
                members.insert("role".into(), "reasoning".into());
                let id = (self.generate)();
                self.message = Some(id.clone());
                (EventType::ReasoningMessageStart, id)
            }
            // Without a start there is no id to continue; verification rejects the new one.
            "THINKING_TEXT_MESSAGE_CONTENT" => (
                EventType::ReasoningMessageContent,
                self.message.clone().unwrap_or_else(&mut self.generate),
            ),
            "THINKING_TEXT_MESSAGE_END" => (
                EventType::ReasoningMessageEnd,
                self.message.take().unwrap_or_else(&mut self.generate),
            ),
            "THINKING_END" => (
                EventType::ReasoningEnd,
                self.span.take().unwrap_or_else(&mut self.generate),
            ),
            _ => return,
        };
        members.insert("type".into(), kind.as_str().into());
        members.insert("messageId".into(), id.into());
    }

    /// Converts the end of a reasoning message or span back to the legacy form if it was started in
    /// that form, because a receiver has assigned its own id. Returns `None` otherwise.
    pub(crate) fn older_end(&mut self, end: &Event) -> Option<ReceivedEvent> {
        let (name, begun, id) = match end.data() {
            EventData::ReasoningMessageEnd(data) => (
                "THINKING_TEXT_MESSAGE_END",
                &mut self.message,
                &data.message_id,
            ),
            EventData::ReasoningEnd(data) => ("THINKING_END", &mut self.span, &data.message_id),
            _ => return None,
        };
        begun.take_if(|begun| begun.as_str() == id.as_str())?;
        let mut members = Map::new();
        members.insert("type".into(), name.into());
        if let Some(owner) = &end.common().subagent_run_id {
            members.insert("subagentRunId".into(), owner.as_str().into());
        }
        let text = Text::from(Value::Object(members.clone()).to_json());
        Some(ReceivedEvent::Untyped(UntypedEvent { text, members }))
    }
}

fn drop_null(members: &mut Map, key: &str) {
    if members.get(key) == Some(&Value::Null) {
        members.remove(key);
    }
}

fn upgrade_known(kind: EventType, members: &mut Map) {
    match kind {
        EventType::RunFinished => {
            drop_null(members, "result");
            drop_null(members, "outcome");
        }
        EventType::SubagentFinished => drop_null(members, "result"),
        EventType::ToolCallStart | EventType::ToolCallChunk => {
            drop_null(members, "parentMessageId");
        }
        EventType::MessagesSnapshot => upgrade_messages(members),
        EventType::RunStarted => {
            if let Some(Value::Object(input)) = members.get_mut("input") {
                upgrade_input(input);
            }
        }
        _ => {}
    }
}

/// Upgrades the input of a run. A client does this before sending as well.
pub fn upgrade_input(input: &mut Map) {
    upgrade_messages(input);
    drop_null(input, "forwardedProps");
    for (list, key) in [("tools", "parameters"), ("resume", "payload")] {
        if let Some(Value::Array(items)) = input.get_mut(list) {
            for item in items.iter_mut().filter_map(Value::as_object_mut) {
                drop_null(item, key);
            }
        }
    }
}

fn upgrade_messages(holder: &mut Map) {
    let Some(Value::Array(messages)) = holder.get_mut("messages") else {
        return;
    };
    for message in messages.iter_mut().filter_map(Value::as_object_mut) {
        if let Some(Value::Array(parts)) = message.get_mut("content") {
            upgrade_parts(parts);
        }
    }
}

/// Converts `binary` parts. A part that repeats one of the current form is removed.
fn upgrade_parts(parts: &mut Vec<Value>) {
    let modern: Vec<MediaPartIdentity> = parts
        .iter()
        .filter_map(Value::as_object)
        .filter_map(MediaPartIdentity::of)
        .collect();
    parts.retain_mut(|part| {
        let Some(members) = part.as_object_mut() else {
            return true;
        };
        let kind = members.get("type").and_then(Value::as_str);
        if kind == Some("binary") {
            if let Some(converted) = convert_binary(members) {
                let mirrored = MediaPartIdentity::of(&converted)
                    .is_some_and(|new| modern.iter().any(|old| new.mirrors(old)));
                if mirrored {
                    return false;
                }
                *members = converted;
            }
        } else if matches!(kind, Some("image" | "audio" | "video" | "document")) {
            drop_null(members, "metadata");
        }
        true
    });
}

/// Properties by which two media parts are equal.
#[derive(PartialEq)]
struct MediaPartIdentity {
    kind: String,
    source: (String, String, Option<String>),
    filename: Option<String>,
}

impl MediaPartIdentity {
    fn of(part: &Map) -> Option<Self> {
        let text = |map: &Map, key: &str| map.get(key).and_then(Value::as_str).map(str::to_owned);
        let kind = text(part, "type")?;
        let source = part.get("source")?.as_object()?;
        Some(Self {
            kind,
            source: (
                text(source, "type")?,
                text(source, "value")?,
                text(source, "mimeType"),
            ),
            filename: part
                .get("metadata")
                .and_then(Value::as_object)
                .and_then(|metadata| text(metadata, "filename")),
        })
    }

    /// Returns true if this converted part adds nothing to `modern`.
    fn mirrors(&self, modern: &Self) -> bool {
        self.kind == modern.kind
            && self.source == modern.source
            && (self.filename.is_none() || self.filename == modern.filename)
    }
}

/// Converts a `binary` part; `None` if it has neither data nor a URL.
fn convert_binary(part: &Map) -> Option<Map> {
    let mime = part.get("mimeType").and_then(Value::as_str)?;
    let kind = match mime.split_once('/') {
        Some((kind @ ("image" | "audio" | "video"), _)) => kind,
        _ => "document",
    };
    let (source, value) = match (given(part, "data"), given(part, "url")) {
        (Some(data), _) => ("data", data),
        (None, Some(url)) => ("url", url),
        (None, None) => return None,
    };
    let source = Value::from([
        ("type", source.into()),
        ("value", value.clone()),
        ("mimeType", mime.into()),
    ]);
    let mut converted = Map::new();
    converted.insert("type".into(), kind.into());
    converted.insert("source".into(), source);
    if let Some(filename) = given(part, "filename") {
        converted.insert(
            "metadata".into(),
            Value::from([("filename", filename.clone())]),
        );
    }
    Some(converted)
}

/// Returns a member unless it is empty: legacy clients filled unused ones with `null`, `""`, `0` or
/// `false`.
fn given<'a>(part: &'a Map, key: &str) -> Option<&'a Value> {
    part.get(key).filter(|value| match value {
        Value::Null | Value::Bool(false) => false,
        Value::String(text) => !text.is_empty(),
        Value::Number(number) => number.as_f64() != 0.0,
        _ => true,
    })
}
