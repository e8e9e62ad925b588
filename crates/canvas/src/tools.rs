//! The kinds of messages as tools that a model can call.

use std::sync::LazyLock;

use json::{Map, Value};
use serde_json::{Value as Schema, json};

use crate::catalog::catalog;
use crate::check::check;
use crate::error::InvalidMessage;
use crate::message::{CanvasMessage, CheckedMessage, MessageKind};

/// Tool that sends one kind of message.
#[derive(Debug, Clone)]
pub struct CanvasTool {
    /// Name that the model calls.
    pub name: &'static str,
    /// Kind of message that it sends.
    pub kind: MessageKind,
    /// Description for the model.
    pub description: String,
    /// JSON Schema of the arguments: the payload.
    pub parameters: Schema,
}

static TOOLS: LazyLock<Vec<CanvasTool>> = LazyLock::new(build);

/// Returns the tools. Text is what a model says anyway, tool calls are shown by themselves, so these two have none.
pub fn canvas_tools() -> &'static [CanvasTool] {
    &TOOLS
}

fn build() -> Vec<CanvasTool> {
    let payload =
        |kind: MessageKind| catalog().message_schema(kind)["properties"]["payload"].clone();
    let tool = |name, kind, description: &str| CanvasTool {
        name,
        kind,
        description: description.to_owned(),
        parameters: payload(kind),
    };
    vec![
        CanvasTool {
            name: "send_ui",
            kind: MessageKind::Ui,
            description: format!("Shows a component to the person. {}", catalog().prompt()),
            // One flat schema: many providers reject a union at the root.
            parameters: json!({
                "type": "object",
                "properties": {
                    "component": {"type": "string", "enum": catalog().component_names()},
                    "data": {"type": "object", "description": "Data of the component, as described."},
                    "layout": catalog().layout.0,
                },
                "required": ["component", "data"],
            }),
        },
        tool(
            "send_actions",
            MessageKind::Action,
            "Offers actions as buttons. The person decides; nothing happens before.",
        ),
        tool(
            "request_context",
            MessageKind::ContextRequest,
            "Asks the person for fields of the application's state.",
        ),
        tool(
            "send_reasoning",
            MessageKind::Reasoning,
            "Shows the steps of your plan and their progress.",
        ),
        tool(
            "send_error",
            MessageKind::Error,
            "Tells the person that something failed.",
        ),
    ]
}

impl CanvasTool {
    /// Returns the tool of that name.
    pub fn by_name(name: &str) -> Option<&'static Self> {
        TOOLS.iter().find(|tool| tool.name == name)
    }

    /// Checks the arguments of a call as a message of an agent. The error is meant for the model.
    pub fn message(
        &self,
        arguments: Value,
        agent: &str,
        conversation: &str,
    ) -> Result<CheckedMessage, InvalidMessage> {
        let mut message = Map::new();
        message.insert("type".to_owned(), self.kind.as_str().into());
        message.insert("agentId".to_owned(), agent.into());
        message.insert("payload".to_owned(), arguments);
        check(Value::Object(message), conversation)
    }
}

impl CanvasMessage {
    /// Returns the result of a tool call that sent the message, for the model.
    pub fn sent_note(&self) -> &'static str {
        match self.kind {
            MessageKind::Action | MessageKind::ContextRequest => {
                "Shown to the person. Continue without an answer, or end your turn."
            }
            _ => "Shown to the person.",
        }
    }
}
