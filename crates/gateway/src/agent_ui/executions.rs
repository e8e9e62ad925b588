//! Records of executions, and the events of the ontology about them.

use std::sync::Arc;

use canvas::{ActionRequest, ActionState};
use json::{Map, Value};
use store::{Store, StoreError, Timestamp, message_id};

use super::ontology::event_record;
use crate::canvas_records::{ACTION_RECORD, new_record, parse_record};
use crate::runs::Key;

/// Choice of a person.
#[derive(Debug, Clone, PartialEq)]
pub struct ActionChoice {
    /// Id of the message that offers the action.
    pub message_id: String,
    /// Id of the action.
    pub action_id: String,
    /// Parameters and confirmation.
    pub request: ActionRequest,
    /// Key that the client chose: a repeated request executes nothing and returns the same execution.
    pub idempotency_key: String,
}

impl ActionChoice {
    /// Reads the choice in a run's `forwardedProps`; `None` if there is none.
    pub(super) fn from_props(props: &Value) -> Option<Self> {
        let choice = props.get("pinciteAction")?;
        let required = |name: &str| Some(text(choice, name).to_owned()).filter(|it| !it.is_empty());
        Some(Self {
            message_id: required("messageId")?,
            action_id: required("actionId")?,
            request: ActionRequest {
                params: choice.get("params").cloned(),
                is_confirmed: choice.get("confirmed") == Some(&Value::Bool(true)),
            },
            idempotency_key: required("idempotencyKey")?,
        })
    }
}

/// Report of an agent about an execution.
#[derive(Debug, Clone, PartialEq)]
pub struct ActionReport {
    /// Idempotency key of the execution.
    pub idempotency_key: String,
    /// New state.
    pub state: ActionState,
    /// Result of a successful execution.
    pub result: Option<Value>,
    /// Error of one that failed.
    pub error: Option<String>,
}

/// Execution of an action, as JSON: `messageId`, `actionId`, `agentId`, `label`, `params`, `state`, `idempotencyKey`,
/// `startedAt`, `runId`, `result`, `error`.
pub type ActionExecution = Value;

/// Writer of the executions of one conversation.
#[derive(Clone)]
pub(crate) struct ExecutionLog {
    pub(super) store: Arc<dyn Store>,
    pub(super) key: Key,
    pub(super) clock: fn() -> Timestamp,
    pub(super) new_id: fn() -> String,
}

impl ExecutionLog {
    /// Stores the state of an execution after its run, unless the agent has reported itself.
    pub(super) async fn store_outcome(&self, ended: &Value) -> Result<(), StoreError> {
        let (principal, thread) = &self.key;
        let id = text(ended, "idempotencyKey");
        let stored = self
            .store
            .record(principal, thread, ACTION_RECORD, id)
            .await?;
        let state = stored.as_ref().map(parse_record);
        if state.is_some_and(|stored| text(&stored, "state") != ActionState::Running.as_str()) {
            return Ok(());
        }
        let record = new_record(ACTION_RECORD, id, ended, (self.clock)());
        self.store.put_record(principal, thread, record).await?;
        self.log(ended).await
    }

    /// Stores the event of the ontology about a step of an execution.
    pub(super) async fn log(&self, execution: &Value) -> Result<(), StoreError> {
        let target = message_id(self.key.1.as_str(), text(execution, "messageId"));
        let id = (self.new_id)();
        let kind = "user_action_executed";
        let event = event_record(&self.key, kind, &id, target, execution, (self.clock)());
        self.store.put(&self.key.0, vec![event]).await
    }
}

/// Returns an execution in the state that a report gives it.
pub(super) fn finished(mut execution: Value, report: &ActionReport) -> Value {
    if let Some(members) = execution.as_object_mut() {
        let mut put = |name: &str, value: Value| drop(Map::insert(members, name.to_owned(), value));
        put("state", report.state.as_str().into());
        if let Some(result) = &report.result {
            put("result", result.clone());
        }
        if let Some(error) = &report.error {
            put("error", error.as_str().into());
        }
    }
    execution
}

pub(super) fn text<'a>(value: &'a Value, name: &str) -> &'a str {
    value.get(name).and_then(Value::as_str).unwrap_or_default()
}
