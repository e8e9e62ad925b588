//! Messages: envelope and payload.

use std::collections::BTreeMap;

use json::{Number, Value};
use schemars::JsonSchema;
use serde::Serialize;
use serde_json::Value as AnyJson;

use crate::components::ComponentData;
use crate::error::MessageRepair;
use crate::payloads::{
    ActionPayload, ComponentLayout, ContextRequestPayload, ErrorPayload, ReasoningPayload,
    TextPayload, ToolCallPayload,
};
use crate::schema::{CanvasId, to_json_value};

/// Version of the protocol.
pub const PROTOCOL_VERSION: &str = "1.0.0";

/// Kind of a message.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, Serialize, JsonSchema)]
#[serde(rename_all = "snake_case")]
pub enum MessageKind {
    /// Text.
    Text,
    /// Component.
    Ui,
    /// Suggested actions.
    Action,
    /// Request for context.
    ContextRequest,
    /// Steps of reasoning.
    Reasoning,
    /// Call of a tool.
    ToolCall,
    /// Error.
    Error,
}

impl MessageKind {
    /// All kinds in the order of the specification.
    pub const ALL: [Self; 7] = [
        Self::Text,
        Self::Ui,
        Self::Action,
        Self::ContextRequest,
        Self::Reasoning,
        Self::ToolCall,
        Self::Error,
    ];

    /// Returns the name in messages.
    pub fn as_str(self) -> &'static str {
        match self {
            Self::Text => "text",
            Self::Ui => "ui",
            Self::Action => "action",
            Self::ContextRequest => "context_request",
            Self::Reasoning => "reasoning",
            Self::ToolCall => "tool_call",
            Self::Error => "error",
        }
    }

    /// Returns the kind of that name.
    pub fn from_name(name: &str) -> Option<Self> {
        Self::ALL.into_iter().find(|kind| kind.as_str() == name)
    }

    /// Returns the purpose in one sentence.
    pub fn summary(self) -> &'static str {
        match self {
            Self::Text => "Text with optional formatting and sentiment.",
            Self::Ui => "A component with its data and layout.",
            Self::Action => "Actions that a person may choose.",
            Self::ContextRequest => "Request for fields of the application's state, with a reason.",
            Self::Reasoning => "Steps of the agent's reasoning.",
            Self::ToolCall => "Call of a tool with its status and result.",
            Self::Error => "Error that the person should know.",
        }
    }
}

/// Fields of the envelope. The payload is described by the kind.
#[derive(Debug, Clone, Serialize, JsonSchema)]
#[serde(rename_all = "camelCase", deny_unknown_fields)]
pub(crate) struct EnvelopeFields {
    /// Kind of the message.
    #[serde(rename = "type")]
    pub(crate) kind: MessageKind,
    /// Agent that sends the message. An unknown one is created.
    #[schemars(length(min = 1, max = 256))]
    pub(crate) agent_id: String,
    /// Conversation; if present, that of the address.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub(crate) conversation_id: Option<String>,
    /// Time of sending in milliseconds since 1970.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub(crate) timestamp: Option<f64>,
    /// Payload, described by the kind.
    pub(crate) payload: AnyJson,
    /// Relations to other messages. Other members are kept.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub(crate) metadata: Option<MessageMetadata>,
    /// Version of the protocol.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub(crate) version: Option<String>,
}

/// Relations of a message to others.
#[derive(Debug, Clone, Serialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
pub(crate) struct MessageMetadata {
    /// Id that relates messages to each other.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub(crate) correlation_id: Option<CanvasId>,
    /// Id of the message that this one answers.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub(crate) reply_to: Option<CanvasId>,
    /// Any other members.
    #[serde(flatten)]
    pub(crate) others: BTreeMap<String, AnyJson>,
}

/// Message without its place in a conversation.
#[derive(Debug, Clone, PartialEq)]
pub struct CanvasMessage {
    /// Kind.
    pub kind: MessageKind,
    /// Agent that sends the message.
    pub agent_id: String,
    /// Time of sending in milliseconds since 1970, if the agent gave one.
    pub timestamp: Option<Number>,
    /// Payload as the agent sent it, apart from repairs.
    pub payload: Value,
    /// Metadata as the agent sent it.
    pub metadata: Option<Value>,
}

/// Valid message with the repairs that made it valid.
#[derive(Debug, Clone, PartialEq)]
pub struct CheckedMessage {
    /// Message.
    pub message: CanvasMessage,
    /// Repairs in the order of the message.
    pub repairs: Vec<MessageRepair>,
}

impl CanvasMessage {
    /// Creates a text message.
    pub fn text(agent_id: impl Into<String>, payload: &TextPayload) -> Self {
        Self::new(MessageKind::Text, agent_id, to_json_value(payload))
    }

    /// Creates a message with a component.
    pub fn ui<T: ComponentData>(
        agent_id: impl Into<String>,
        data: &T,
        layout: Option<&ComponentLayout>,
    ) -> Self {
        Self::new(
            MessageKind::Ui,
            agent_id,
            component_payload(T::NAME, data, layout),
        )
    }

    /// Creates a message with suggested actions.
    pub fn actions(agent_id: impl Into<String>, payload: &ActionPayload) -> Self {
        Self::new(MessageKind::Action, agent_id, to_json_value(payload))
    }

    /// Creates a request for context.
    pub fn context_request(agent_id: impl Into<String>, payload: &ContextRequestPayload) -> Self {
        Self::new(
            MessageKind::ContextRequest,
            agent_id,
            to_json_value(payload),
        )
    }

    /// Creates a message with steps of reasoning.
    pub fn reasoning(agent_id: impl Into<String>, payload: &ReasoningPayload) -> Self {
        Self::new(MessageKind::Reasoning, agent_id, to_json_value(payload))
    }

    /// Creates a message about a tool call.
    pub fn tool_call(agent_id: impl Into<String>, payload: &ToolCallPayload) -> Self {
        Self::new(MessageKind::ToolCall, agent_id, to_json_value(payload))
    }

    /// Creates an error message.
    pub fn error(agent_id: impl Into<String>, payload: &ErrorPayload) -> Self {
        Self::new(MessageKind::Error, agent_id, to_json_value(payload))
    }

    pub(crate) fn new(kind: MessageKind, agent_id: impl Into<String>, payload: Value) -> Self {
        Self {
            kind,
            agent_id: agent_id.into(),
            timestamp: None,
            payload,
            metadata: None,
        }
    }

    /// Returns the name of the component; `None` if the message is not of kind `ui`.
    pub fn component(&self) -> Option<&str> {
        let component = self.payload.get("component").and_then(Value::as_str);
        component.filter(|_| self.kind == MessageKind::Ui)
    }

    /// Returns the message as it is stored: with its id, its conversation, and `now` if it has no time.
    pub fn to_envelope(&self, id: &str, conversation: &str, now: i64) -> Value {
        let mut envelope = self.head(id, conversation, now);
        if let Some(members) = envelope.as_object_mut() {
            members.insert("payload".to_owned(), self.payload.clone());
            if let Some(metadata) = &self.metadata {
                members.insert("metadata".to_owned(), metadata.clone());
            }
        }
        envelope
    }

    /// Returns the envelope without payload and metadata.
    fn head(&self, id: &str, conversation: &str, now: i64) -> Value {
        Value::from([
            ("id", id.into()),
            ("type", self.kind.as_str().into()),
            ("agentId", self.agent_id.as_str().into()),
            ("conversationId", conversation.into()),
            (
                "timestamp",
                Value::Number(self.timestamp.clone().unwrap_or(Number::Int(now))),
            ),
            ("version", PROTOCOL_VERSION.into()),
        ])
    }

    /// Reads a stored message back from its envelope.
    pub fn from_envelope(envelope: &Value) -> Option<Self> {
        Some(Self {
            kind: MessageKind::from_name(envelope.get("type")?.as_str()?)?,
            agent_id: envelope.get("agentId")?.as_str()?.to_owned(),
            timestamp: match envelope.get("timestamp") {
                Some(Value::Number(number)) => Some(number.clone()),
                _ => None,
            },
            payload: envelope.get("payload")?.clone(),
            metadata: envelope.get("metadata").cloned(),
        })
    }
}

/// Serialises a component for a message.
fn component_payload(name: &str, data: &impl Serialize, layout: Option<&ComponentLayout>) -> Value {
    let mut payload = json::Map::new();
    payload.insert("component".to_owned(), name.into());
    payload.insert("data".to_owned(), to_json_value(data));
    if let Some(layout) = layout {
        payload.insert("layout".to_owned(), to_json_value(layout));
    }
    Value::Object(payload)
}
