//! Execution of actions: a person chooses, the agent executes and reports.

use std::future::poll_fn;
use std::sync::Arc;

use agui::negotiate::Encoding;
use canvas::{ACTION_EVENT, ActionRequest, ActionState, custom_event, find_action};
use http::HeaderMap;
use json::{Map, Value};
use store::{ConversationRecord, PageRequest, RunId, RunStatus, Store, message_id};

use super::{AgentUi, AgentUiError, ontology, read_message};
use crate::canvas_records::{new_record, parse_record};
use crate::gateway::AgentRunRequest;
use crate::runs::Key;

/// Kind of the records of executions. Their ids are the idempotency keys.
const ACTION_RECORD: &str = "action";
/// Largest number of executions that are listed.
const MAX_LISTED: usize = 1_000;

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
/// `startedAt`, `result`, `error`.
pub type ActionExecution = Value;

impl AgentUi<'_> {
    /// Executes an action. Every step is an event of the conversation and of the ontology.
    pub async fn execute_action(
        &self,
        choice: ActionChoice,
    ) -> Result<ActionExecution, AgentUiError> {
        let (_, envelope) = self.envelope(&choice.message_id).await?;
        let message = read_message(&envelope)?;
        let offered =
            find_action(&message, &choice.action_id).ok_or(AgentUiError::NotFound("the action"))?;
        let (principal, thread) = &self.key;
        let store = &self.gateway.store;
        // A repeated request is answered before the checks: the action may have expired since.
        let known = store
            .record(principal, thread, ACTION_RECORD, &choice.idempotency_key)
            .await?;
        if let Some(known) = known {
            return known_execution(&known, &choice);
        }
        let now = self.gateway.now();
        let params = offered.accept(&choice.request, now.0)?;
        let execution = Value::from([
            ("idempotencyKey", choice.idempotency_key.as_str().into()),
            ("messageId", choice.message_id.as_str().into()),
            ("actionId", choice.action_id.as_str().into()),
            ("agentId", message.agent_id.as_str().into()),
            ("label", offered.label.as_str().into()),
            ("params", params),
            ("confirmed", Value::Bool(choice.request.is_confirmed)),
            ("undoable", Value::Bool(offered.is_undoable)),
            ("state", ActionState::Running.as_str().into()),
            ("startedAt", now.0.into()),
        ]);
        let record = new_record(ACTION_RECORD, &choice.idempotency_key, &execution, now);
        if let Some(known) = store.insert_record(principal, thread, record).await? {
            return known_execution(&known, &choice);
        }
        self.publish_execution(&execution).await?;
        self.run_action(&message.agent_id, &execution).await?;
        Ok(execution)
    }

    /// Takes the report of an agent about an execution.
    pub async fn report_action(
        &self,
        message_id: &str,
        action_id: &str,
        report: ActionReport,
    ) -> Result<ActionExecution, AgentUiError> {
        let (principal, thread) = &self.key;
        let store = &self.gateway.store;
        let record = store
            .record(principal, thread, ACTION_RECORD, &report.idempotency_key)
            .await?;
        let execution = record.as_ref().map(parse_record).filter(|execution| {
            text(execution, "messageId") == message_id && text(execution, "actionId") == action_id
        });
        let execution = execution.ok_or(AgentUiError::NotFound("the execution"))?;
        let state =
            ActionState::from_name(text(&execution, "state")).unwrap_or(ActionState::Running);
        let is_undoable = execution.get("undoable") == Some(&Value::Bool(true));
        if !state.can_become(report.state) || (report.state == ActionState::Undone && !is_undoable)
        {
            return Err(AgentUiError::Conflict(format!(
                "The execution is {}; it cannot become {}.",
                state.as_str(),
                report.state.as_str()
            )));
        }
        let now = self.gateway.now();
        let execution = finished(execution, &report);
        self.store_record(ACTION_RECORD, &report.idempotency_key, &execution, now)
            .await?;
        self.publish_execution(&execution).await?;
        Ok(execution)
    }

    /// Lists the executions of a message's actions, the oldest first.
    pub async fn executions(&self, message: &str) -> Result<Vec<ActionExecution>, AgentUiError> {
        let (principal, thread) = &self.key;
        let page = PageRequest::first(MAX_LISTED);
        let listed = self
            .gateway
            .store
            .records(principal, thread, ACTION_RECORD, &page)
            .await?;
        let all = listed.items.iter().map(parse_record);
        Ok(all
            .filter(|execution| text(execution, "messageId") == message)
            .collect())
    }

    /// Tells the agent and all subscribers about an execution.
    async fn publish_execution(&self, execution: &Value) -> Result<(), AgentUiError> {
        let run = format!("action-{}", self.gateway.new_id());
        let event = custom_event(ACTION_EVENT, execution.clone());
        self.deliver(&run, text(execution, "agentId"), &[event], None)
            .await?;
        let target = message_id(self.key.1.as_str(), text(execution, "messageId"));
        ontology::log_event(
            self.gateway,
            &self.key,
            "user_action_executed",
            target,
            execution,
        )
        .await?;
        Ok(())
    }

    /// Runs the agent that offered the action, if the gateway has it. Other agents read the event and report.
    async fn run_action(&self, agent: &str, execution: &Value) -> Result<(), AgentUiError> {
        let Some(entry) = self.gateway.agents.get(agent) else {
            return Ok(());
        };
        let props = Value::from([("pinciteAction", execution.clone())]).to_json();
        let run_id = format!("action-{}", self.gateway.new_id());
        let request = self.gateway.run_request(&self.key, &run_id, &props).await?;
        let run = AgentRunRequest {
            name: agent.to_owned(),
            agent: entry,
            principal: self.key.0.clone(),
            request,
            headers: HeaderMap::new(),
            encoding: Encoding::Sse,
            after: None,
        };
        let mut subscriber = self.gateway.run_agent(run).await?;
        let (store, key) = (self.gateway.store.clone(), self.key.clone());
        let (execution, clock) = (execution.clone(), self.gateway.clock());
        tokio::spawn(async move {
            // The subscription keeps the run open if there is no other subscriber.
            while poll_fn(|context| subscriber.poll_bytes(context))
                .await
                .is_some()
            {}
            if let Err(error) = store_outcome(&store, &key, &run_id, execution, clock).await {
                tracing::warn!(thread = %key.1, %error, "the outcome of an action could not be stored");
            }
        });
        Ok(())
    }
}

/// Stores the state of an execution after the run of its agent, unless the agent has reported itself.
async fn store_outcome(
    store: &Arc<dyn Store>,
    key: &Key,
    run: &str,
    execution: Value,
    clock: fn() -> store::Timestamp,
) -> Result<(), store::StoreError> {
    let (principal, thread) = key;
    let id = text(&execution, "idempotencyKey").to_owned();
    let stored = store.record(principal, thread, ACTION_RECORD, &id).await?;
    let state = stored.as_ref().map(parse_record);
    if state.is_some_and(|stored| text(&stored, "state") != ActionState::Running.as_str()) {
        return Ok(());
    }
    let run = store.run(principal, thread, &RunId::new(run)?).await?;
    let (state, error) = match run.map(|run| run.status) {
        Some(RunStatus::Finished | RunStatus::Interrupted) => (ActionState::Done, None),
        Some(RunStatus::Cancelled) => (
            ActionState::Failed,
            Some("The run was cancelled.".to_owned()),
        ),
        _ => (ActionState::Failed, Some("The agent failed.".to_owned())),
    };
    let report = ActionReport {
        idempotency_key: id.clone(),
        state,
        result: None,
        error,
    };
    let record = new_record(ACTION_RECORD, &id, &finished(execution, &report), clock());
    store.put_record(principal, thread, record).await
}

fn text<'a>(value: &'a Value, name: &str) -> &'a str {
    value.get(name).and_then(Value::as_str).unwrap_or_default()
}

fn finished(mut execution: Value, report: &ActionReport) -> Value {
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

fn known_execution(
    record: &ConversationRecord,
    choice: &ActionChoice,
) -> Result<Value, AgentUiError> {
    let execution = parse_record(record);
    let is_same = text(&execution, "messageId") == choice.message_id
        && text(&execution, "actionId") == choice.action_id;
    match is_same {
        true => Ok(execution),
        false => Err(AgentUiError::Conflict(
            "The idempotency key was used for another action.".to_owned(),
        )),
    }
}
