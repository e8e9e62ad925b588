//! Check of messages: envelope, size, payload and component.

use json::{Map, Value};

use crate::catalog::catalog;
use crate::components::check_unique;
use crate::error::{InvalidMessage, MessageRepair};
use crate::limits::{MAX_MESSAGE_DEPTH, MAX_MESSAGE_NODES};
use crate::message::{CanvasMessage, CheckedMessage, MessageKind, PROTOCOL_VERSION};
use crate::schema::Checker;

/// Checks a message that was sent to a conversation.
pub fn check(mut message: Value, conversation: &str) -> Result<CheckedMessage, InvalidMessage> {
    let mut checker = Checker::default();
    check_size(&message, &mut checker);
    if checker.is_valid() {
        checker.check(&catalog().envelope.1, &mut message);
    }
    if !checker.is_valid() {
        return Err(InvalidMessage {
            errors: checker.errors,
        });
    }
    let Value::Object(mut members) = message else {
        return Err(InvalidMessage::new(
            "",
            "wrong_type",
            "A message is a JSON object.",
            Some("an object"),
        ));
    };
    check_envelope(&members, conversation, &mut checker);
    let kind = members
        .get("type")
        .and_then(Value::as_str)
        .and_then(MessageKind::from_name);
    let kind = kind.unwrap_or(MessageKind::Text);
    let mut payload = members.remove("payload").unwrap_or_default();
    checker.within("payload", |checker| {
        check_payload(kind, &mut payload, checker);
    });
    if !checker.is_valid() {
        return Err(InvalidMessage {
            errors: checker.errors,
        });
    }
    let agent_id = members
        .get("agentId")
        .and_then(Value::as_str)
        .unwrap_or_default();
    Ok(CheckedMessage {
        message: CanvasMessage {
            kind,
            agent_id: agent_id.to_owned(),
            timestamp: match members.get("timestamp") {
                Some(Value::Number(number)) => Some(number.clone()),
                _ => None,
            },
            payload,
            metadata: members.remove("metadata"),
        },
        repairs: checker.repairs,
    })
}

/// Checks a payload without an envelope, as after an update.
pub(crate) fn check_payload_alone(
    kind: MessageKind,
    payload: &mut Value,
) -> Result<Vec<MessageRepair>, InvalidMessage> {
    let mut checker = Checker::default();
    checker.within("payload", |checker| {
        check_size(payload, checker);
        if checker.is_valid() {
            check_payload(kind, payload, checker);
        }
    });
    match checker.is_valid() {
        true => Ok(checker.repairs),
        false => Err(InvalidMessage {
            errors: checker.errors,
        }),
    }
}

fn check_envelope(members: &Map, conversation: &str, checker: &mut Checker<'_>) {
    let text = |name: &str| members.get(name).and_then(Value::as_str);
    if text("agentId").is_some_and(|id| id.contains('\0')) {
        checker.within("agentId", |checker| {
            checker.expect(
                "hidden_text",
                "The id contains a null character.",
                "text without null characters",
            );
        });
    }
    if text("conversationId").is_some_and(|id| id != conversation) {
        checker.within("conversationId", |checker| {
            let message = "The message was sent to another conversation.";
            checker.expect("conversation_mismatch", message, conversation);
        });
    }
    if text("version").is_some_and(|version| !matches!(version, "1" | "1.0" | PROTOCOL_VERSION)) {
        checker.within("version", |checker| {
            checker.expect(
                "unsupported_version",
                "This version of the protocol is not known.",
                PROTOCOL_VERSION,
            );
        });
    }
}

/// Checks the nesting and the number of values.
fn check_size(message: &Value, checker: &mut Checker<'_>) {
    let mut nodes = 0;
    if !fits(message, 0, &mut nodes) {
        match nodes > MAX_MESSAGE_NODES {
            true => checker.expect(
                "too_large",
                "The message has too many values.",
                format!("at most {MAX_MESSAGE_NODES} JSON values; send a page or a summary"),
            ),
            false => checker.expect(
                "too_deep",
                "The message is nested too deeply.",
                format!("at most {MAX_MESSAGE_DEPTH} levels"),
            ),
        }
    }
}

fn fits(value: &Value, depth: usize, nodes: &mut usize) -> bool {
    *nodes += 1;
    if *nodes > MAX_MESSAGE_NODES || depth > MAX_MESSAGE_DEPTH {
        return false;
    }
    match value {
        Value::Array(items) => items.iter().all(|item| fits(item, depth + 1, nodes)),
        Value::Object(members) => members
            .iter()
            .all(|(_, member)| fits(member, depth + 1, nodes)),
        _ => true,
    }
}

fn check_payload(kind: MessageKind, payload: &mut Value, checker: &mut Checker<'_>) {
    // Some agents repeat the kind in the payload.
    let repeated = payload.get("type").and_then(Value::as_str);
    if repeated.is_some_and(|repeated| repeated != kind.as_str()) {
        checker.within("type", |checker| {
            checker.expect(
                "not_allowed",
                "The payload names another type than the message.",
                kind.as_str(),
            );
        });
    }
    match catalog().payload_shape(kind) {
        None => check_component(payload, checker),
        Some(shape) => {
            checker.check(shape, payload);
            if checker.is_valid() {
                check_rules(kind, payload, checker);
            }
        }
    }
}

/// Checks the payload of kind `ui`.
fn check_component(payload: &mut Value, checker: &mut Checker<'_>) {
    let Value::Object(members) = payload else {
        return checker.expect(
            "wrong_type",
            "The payload of a component is an object.",
            "an object",
        );
    };
    let names = || catalog().component_names().join(", ");
    let entry = match members.get("component") {
        None => {
            return checker.within("component", |checker| {
                checker.expect("required", "The field 'component' is missing.", names());
            });
        }
        Some(Value::String(name)) => catalog().component(name),
        Some(_) => {
            return checker.within("component", |checker| {
                checker.expect(
                    "wrong_type",
                    "The name of a component is a string.",
                    names(),
                );
            });
        }
    };
    let Some(entry) = entry else {
        return checker.within("component", |checker| {
            checker.expect(
                "unknown_component",
                "This component is not registered.",
                names(),
            );
        });
    };
    checker.within("data", |checker| match members.get_mut("data") {
        None => checker.expect("required", "The field 'data' is missing.", "an object"),
        Some(data) => {
            (entry.repair)(data, checker);
            checker.check(&entry.shape, data);
            if checker.is_valid() {
                (entry.check)(data, checker);
            }
        }
    });
    if let Some(layout) = members.get_mut("layout") {
        checker.within("layout", |checker| {
            checker.check(&catalog().layout.1, layout);
        });
    }
    checker.remove_unknown(members, &["component", "data", "layout"]);
}

/// Checks rules of payloads beyond their schemas.
fn check_rules(kind: MessageKind, payload: &Value, checker: &mut Checker<'_>) {
    let items = |name: &str| {
        payload
            .get(name)
            .and_then(Value::as_array)
            .unwrap_or_default()
    };
    match kind {
        MessageKind::Action => check_unique(checker, "actions", items("actions"), "id"),
        MessageKind::Reasoning => check_unique(checker, "steps", items("steps"), "step"),
        _ => {}
    }
}
