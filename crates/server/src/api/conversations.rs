//! Conversations: messages, actions, context; and queries over the ontology.

use std::collections::BTreeMap;

use canvas::{ActionState, ContextDecision};
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use super::RawJson;
use super::json_map::JsonMap;
use super::raw_json::raw_json_types;

raw_json_types! {
    /// Data of a change: a message, or an object with its id and what changed.
    ConversationEventData = { "type": "object", "additionalProperties": true };

    /// Message of a conversation with its id. `GET /canvas/catalog` describes the payloads.
    CanvasMessageJson = {
        "type": "object",
        "properties": {
            "id": { "description": "Message id.", "type": "string" },
            "type": { "description": "Kind of the message.", "type": "string", "enum": ["text", "ui", "action", "context_request", "reasoning", "tool_call", "error"] },
            "agentId": { "description": "Agent that sent it.", "type": "string" },
            "conversationId": { "description": "Conversation.", "type": "string" },
            "timestamp": { "description": "Time of sending in milliseconds since 1970.", "type": "number" },
            "payload": { "description": "Payload, as `GET /canvas/catalog` describes it.", "type": "object", "additionalProperties": true },
            "metadata": { "description": "`correlationId`, `replyTo`, and any others.", "type": "object", "additionalProperties": true },
            "version": { "description": "Version of the protocol.", "type": "string" }
        },
        "required": ["id", "type", "agentId", "conversationId", "timestamp", "payload", "version"]
    };
    /// Execution of an action.
    ActionExecutionJson = {
        "type": "object",
        "properties": {
            "idempotencyKey": { "description": "Key of the request that chose the action.", "type": "string" },
            "messageId": { "description": "Message with the action.", "type": "string" },
            "actionId": { "description": "Id of the action in its message.", "type": "string" },
            "agentId": { "description": "Agent that sent it.", "type": "string" },
            "label": { "description": "Label of the action.", "type": "string" },
            "params": { "description": "Parameters as the person sent them.", "type": "object", "additionalProperties": true },
            "confirmed": { "description": "True if the person confirmed it.", "type": "boolean" },
            "undoable": { "description": "True if it can be undone.", "type": "boolean" },
            "state": { "description": "State of the execution.", "type": "string", "enum": ["suggested", "confirmed", "running", "done", "failed", "expired", "undone"] },
            "startedAt": { "description": "Time of the choice in milliseconds since 1970.", "type": "number" },
            "runId": { "description": "Run that executes it, if a client chose it with a run.", "type": "string" },
            "result": { "description": "Result that the agent reported." },
            "error": { "description": "Error that the agent reported.", "type": "string" }
        },
        "required": ["idempotencyKey", "messageId", "actionId", "agentId", "label", "params", "state", "startedAt"]
    };
    /// Catalog of messages and components with their JSON Schemas.
    CatalogJson = { "type": "object", "additionalProperties": true };
}

/// Message to send.
#[derive(JsonSchema)]
#[allow(dead_code)] // only the schema is used; the catalog checks the message
#[schemars(rename_all = "camelCase")]
pub(crate) struct CanvasMessageBody {
    /// Kind of the message.
    r#type: canvas::MessageKind,
    /// Agent that sends it. An unknown one is created.
    agent_id: String,
    /// Conversation; if present, that of the path.
    conversation_id: Option<String>,
    /// Time of sending in milliseconds since 1970.
    timestamp: Option<f64>,
    /// Payload, as `GET /canvas/catalog` describes it.
    payload: JsonMap<RawJson>,
    /// `correlationId`, `replyTo`, and any others.
    metadata: Option<JsonMap<RawJson>>,
    /// Version of the protocol.
    version: Option<String>,
}

/// Operation of a JSON Patch.
#[derive(JsonSchema)]
#[allow(dead_code)] // only the schema is used
pub(crate) struct PatchOperationBody {
    /// `add`, `remove`, `replace`, `move`, `copy` or `test`.
    op: String,
    /// JSON Pointer into the payload.
    path: String,
    /// Source of `move` and `copy`.
    from: Option<String>,
    /// Value of `add`, `replace` and `test`.
    value: Option<RawJson>,
}

/// Message that was accepted.
#[derive(Debug, Serialize, JsonSchema)]
pub(crate) struct SentMessage {
    /// Id of the message.
    pub(crate) id: String,
    /// Repairs that made the message valid.
    pub(crate) repairs: Vec<RepairInfo>,
}

/// Repair of a message.
#[derive(Debug, Serialize, JsonSchema)]
pub(crate) struct RepairInfo {
    /// JSON Pointer from the message root.
    pub(crate) path: String,
    /// `numeric_string`, `columns_for_headers` or `unknown_field`.
    pub(crate) code: &'static str,
    /// Description.
    pub(crate) message: String,
}

/// Position of a stream of messages.
#[derive(Debug, Deserialize, JsonSchema)]
pub(crate) struct MessageStreamQuery {
    /// Id of the last event that the client has; the stream begins behind it. Absent: all messages.
    pub(crate) after: Option<u64>,
    /// True: without `after`, only changes from here on.
    pub(crate) live: Option<bool>,
}

/// Page of the events of a conversation.
#[derive(Debug, Serialize, JsonSchema)]
pub(crate) struct ConversationEventPage {
    /// Events in order.
    pub(crate) items: Vec<ConversationEvent>,
    /// Number to send as `after` for the next page; null on the last page. A page may have no items.
    pub(crate) next: Option<u64>,
}

/// Change of a conversation.
#[derive(Debug, Serialize, JsonSchema)]
pub(crate) struct ConversationEvent {
    /// Number of the event in the log of the thread.
    pub(crate) sequence: u64,
    /// Kind of the change.
    #[schemars(extend("enum" = ["message", "patch", "action", "context"]))]
    pub(crate) event: &'static str,
    /// Data of the change.
    pub(crate) data: ConversationEventData,
}

/// Choice of an action.
#[derive(Debug, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
pub(crate) struct ActionChoiceRequest {
    /// Parameters as the person edited them; those that the agent suggested if absent.
    #[schemars(with = "Option<JsonMap<RawJson>>")]
    pub(crate) params: Option<RawJson>,
    /// True if the person confirmed.
    pub(crate) confirmed: Option<bool>,
    /// Key that the client chooses. A repeated request with it executes nothing.
    #[schemars(length(min = 1, max = 256))]
    pub(crate) idempotency_key: String,
}

/// Report of an agent about an execution.
#[derive(Debug, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
pub(crate) struct ActionReportRequest {
    /// Key of the execution.
    #[schemars(length(min = 1, max = 256))]
    pub(crate) idempotency_key: String,
    /// New state: `done`, `failed`, `expired` or `undone`.
    pub(crate) state: ActionState,
    /// Result.
    pub(crate) result: Option<RawJson>,
    /// Error message.
    pub(crate) error: Option<String>,
}

/// Executions of a message's actions.
#[derive(Debug, Serialize, JsonSchema)]
pub(crate) struct ExecutionList {
    /// Executions, the oldest first.
    pub(crate) items: Vec<ActionExecutionJson>,
}

/// Answer to a request for context.
#[derive(Debug, Deserialize, JsonSchema)]
pub(crate) struct ContextAnswerRequest {
    /// Decision about each field: `once`, `always` or `never`. A field without a decision is withheld.
    pub(crate) decisions: BTreeMap<String, ContextDecision>,
    /// Values of the fields. Only those of granted fields are stored.
    #[schemars(with = "JsonMap<RawJson>")]
    pub(crate) values: Option<RawJson>,
}

/// Context that was shared.
#[derive(Debug, Serialize, JsonSchema)]
pub(crate) struct SharedContextInfo {
    /// Values of the granted fields.
    #[schemars(with = "JsonMap<RawJson>")]
    pub(crate) shared: RawJson,
    /// Fields that were not shared.
    pub(crate) withheld: Vec<String>,
}

/// Answer to a request for context, if there is one.
#[derive(Debug, Serialize, JsonSchema)]
pub(crate) struct ContextAnswerInfo {
    /// False while the request is open.
    pub(crate) answered: bool,
    /// Values of the granted fields.
    #[schemars(with = "JsonMap<RawJson>")]
    pub(crate) shared: RawJson,
    /// Fields that were not shared.
    pub(crate) withheld: Vec<String>,
}

/// Shared fields of a conversation.
#[derive(Debug, Serialize, JsonSchema)]
pub(crate) struct ContextInfo {
    /// Values by name.
    #[schemars(with = "JsonMap<RawJson>")]
    pub(crate) context: RawJson,
}

/// Value to share.
#[derive(Debug, Deserialize, JsonSchema)]
pub(crate) struct ContextValueRequest {
    /// Value.
    pub(crate) value: RawJson,
}

/// Result of withdrawing a field or a grant.
#[derive(Debug, Serialize, JsonSchema)]
pub(crate) struct RemovedItem {
    /// Name of the field, or id of the grant.
    pub(crate) id: String,
    /// Always true.
    pub(crate) removed: bool,
}

/// Standing decision about a field.
#[derive(Debug, Serialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
pub(crate) struct ContextGrantInfo {
    /// Id.
    pub(crate) id: String,
    /// Agent that asks.
    pub(crate) agent_id: String,
    /// Field.
    pub(crate) field: String,
    /// `always` or `never`.
    pub(crate) decision: ContextDecision,
    /// Time of the decision (RFC 3339).
    pub(crate) at: String,
}

/// Standing decisions.
#[derive(Debug, Serialize, JsonSchema)]
pub(crate) struct ContextGrantList {
    /// Decisions, the latest first.
    pub(crate) items: Vec<ContextGrantInfo>,
}

/// Selection of things.
#[derive(Debug, Default, Deserialize, JsonSchema)]
pub(crate) struct ThingsQuery {
    /// Type: `message`, `conversation`, `agent`, `document`, or one that a program chose.
    pub(crate) r#type: Option<String>,
    /// Id of the thing that they are part of, such as `conversation:ID`.
    pub(crate) within: Option<String>,
    /// Status.
    pub(crate) status: Option<String>,
    /// Cursor: the `next` of the previous page.
    pub(crate) after: Option<String>,
    /// Maximum number of items; 100 if absent.
    #[schemars(range(min = 1, max = 1000))]
    pub(crate) limit: Option<usize>,
}

/// Selection of connections.
#[derive(Debug, Default, Deserialize, JsonSchema)]
pub(crate) struct ConnectionsQuery {
    /// Type, such as `sent_by` or `belongs_to`.
    pub(crate) r#type: Option<String>,
    /// Id of the thing where they begin.
    pub(crate) from: Option<String>,
    /// Id of the thing where they end.
    pub(crate) to: Option<String>,
    /// Cursor: the `next` of the previous page.
    pub(crate) after: Option<String>,
    /// Maximum number of items; 100 if absent.
    #[schemars(range(min = 1, max = 1000))]
    pub(crate) limit: Option<usize>,
}

/// Selection of events.
#[derive(Debug, Default, Deserialize, JsonSchema)]
pub(crate) struct OntologyEventsQuery {
    /// Type, such as `agent_message_sent`, `user_action_executed` or `context_shared`.
    pub(crate) r#type: Option<String>,
    /// Id of the person or agent that acted.
    pub(crate) actor: Option<String>,
    /// Id of the thing that was acted on.
    pub(crate) target: Option<String>,
    /// Cursor: the `next` of the previous page.
    pub(crate) after: Option<String>,
    /// Maximum number of items; 100 if absent.
    #[schemars(range(min = 1, max = 1000))]
    pub(crate) limit: Option<usize>,
}

/// Selection of knowledge.
#[derive(Debug, Default, Deserialize, JsonSchema)]
pub(crate) struct KnowledgeListQuery {
    /// Type: `label`, `document`, `chunk` or `vector_only`.
    pub(crate) r#type: Option<String>,
    /// Id of a thing that it is linked to.
    pub(crate) thing: Option<String>,
    /// Cursor: the `next` of the previous page.
    pub(crate) after: Option<String>,
    /// Maximum number of items; 100 if absent.
    #[schemars(range(min = 1, max = 1000))]
    pub(crate) limit: Option<usize>,
}
