//! Messages as readable text, for clients that do not know the canvas and for the history that models read.

use json::Value;

use crate::catalog::catalog;
use crate::components::plain;
use crate::message::{CanvasMessage, MessageKind};

/// Longest text form, in characters.
const MAX_TEXT: usize = 20_000;

/// Returns a message as readable text.
pub fn text_form(message: &CanvasMessage) -> String {
    let text = match message.kind {
        MessageKind::Text => return member(&message.payload, "text").to_owned(),
        MessageKind::Ui => component(&message.payload),
        MessageKind::Action => actions(&message.payload),
        MessageKind::ContextRequest => context_request(&message.payload),
        MessageKind::Reasoning => reasoning(&message.payload),
        MessageKind::ToolCall => tool_call(&message.payload),
        MessageKind::Error => format!("Error: {}", member(&message.payload, "message")),
    };
    match text.char_indices().nth(MAX_TEXT) {
        Some((end, _)) => format!("{}\n… (shortened)", &text[..end]),
        None => text,
    }
}

fn member<'a>(value: &'a Value, name: &str) -> &'a str {
    value.get(name).and_then(Value::as_str).unwrap_or_default()
}

fn items<'a>(value: &'a Value, name: &str) -> &'a [Value] {
    value
        .get(name)
        .and_then(Value::as_array)
        .unwrap_or_default()
}

fn component(payload: &Value) -> String {
    let entry = catalog().component(member(payload, "component"));
    match (entry, payload.get("data")) {
        (Some(entry), Some(data)) => (entry.text)(data),
        _ => String::new(),
    }
}

fn actions(payload: &Value) -> String {
    let lines =
        items(payload, "actions")
            .iter()
            .map(|action| match member(action, "description") {
                "" => format!("- {}", member(action, "label")),
                description => format!("- {}: {description}", member(action, "label")),
            });
    std::iter::once("Suggested actions:".to_owned())
        .chain(lines)
        .collect::<Vec<_>>()
        .join("\n")
}

fn context_request(payload: &Value) -> String {
    let fields: Vec<String> = items(payload, "fields").iter().map(plain).collect();
    format!(
        "The agent asks for {}. Reason: {}",
        fields.join(", "),
        member(payload, "reason")
    )
}

fn reasoning(payload: &Value) -> String {
    let lines = items(payload, "steps").iter().map(|step| {
        let mark = if step.get("completed") == Some(&Value::Bool(true)) {
            "✓"
        } else {
            "…"
        };
        let number = step.get("step").map(plain).unwrap_or_default();
        format!(
            "{number}. {mark} {}: {}",
            member(step, "title"),
            member(step, "description")
        )
    });
    lines.collect::<Vec<_>>().join("\n")
}

fn tool_call(payload: &Value) -> String {
    let name = member(payload, "toolName");
    match (payload.get("result"), member(payload, "error")) {
        (Some(result), _) => format!("{name}: {}", plain(result)),
        (None, "") => format!("{name}: {}", member(payload, "status")),
        (None, error) => format!("{name} failed: {error}"),
    }
}
