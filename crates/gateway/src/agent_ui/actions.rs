//! Execution of actions: a person chooses, the agent executes and reports.

use std::future::poll_fn;
use std::sync::Arc;

use agui::negotiate::Encoding;
use canvas::{ACTION_EVENT, ActionState, custom_event, find_action};
use http::HeaderMap;
use json::{Json, Value};
use store::{ConversationRecord, PageRequest, Principal, ThreadId};

use super::action_run::ActionAgent;
use super::executions::{
    ActionChoice, ActionExecution, ActionReport, ExecutionLog, finished, text,
};
use super::{AgentUi, AgentUiError, read_message};
use crate::agents::AgentEntry;
use crate::canvas_records::{ACTION_RECORD, new_record, parse_record};
use crate::gateway::{AgentRunRequest, Gateway};
use crate::runs::{AgentWrapper, RunRequest};

/// Largest number of executions that are listed.
const MAX_LISTED: usize = 1_000;

/// Execution that began with a choice, or began before.
enum BegunExecution {
    New(Value),
    Known(Value),
}

impl Gateway {
    /// Accepts the action that `forwardedProps.pinciteAction` of a run chooses. The agent then receives the execution
    /// there, and the end of the run decides its state.
    pub async fn accept_action(
        &self,
        principal: &Principal,
        request: &mut RunRequest,
    ) -> Result<(), AgentUiError> {
        let Some(props) = &request.input.forwarded_props else {
            return Ok(());
        };
        let mut props = props.value().into_owned();
        let Some(choice) = ActionChoice::from_props(&props) else {
            return Ok(());
        };
        let thread = ThreadId::new(&request.input.thread_id).map_err(AgentUiError::from)?;
        let run = request.input.run_id.clone();
        let ui = self.agent_ui((principal.clone(), thread));
        let execution = match ui.begin_execution(&choice, Some(&run)).await? {
            BegunExecution::New(execution) => execution,
            // The same run is sent again.
            BegunExecution::Known(execution) if text(&execution, "runId") == run => execution,
            BegunExecution::Known(_) => {
                return Err(AgentUiError::Conflict(
                    "The action was executed before with this idempotency key.".to_owned(),
                ));
            }
        };
        if let Some(members) = props.as_object_mut() {
            members.insert("pinciteAction".to_owned(), execution.clone());
        }
        request.input.forwarded_props = Some(Json::from(props));
        request.wrapper = ui.action_wrapper(execution);
        Ok(())
    }
}

impl AgentUi<'_> {
    /// Executes an action. Every step is an event of the conversation and of the ontology.
    pub async fn execute_action(
        &self,
        choice: ActionChoice,
    ) -> Result<ActionExecution, AgentUiError> {
        match self.begin_execution(&choice, None).await? {
            BegunExecution::Known(execution) => Ok(execution),
            BegunExecution::New(execution) => {
                if !self.run_action(&execution).await? {
                    self.publish_execution(&execution).await?;
                }
                Ok(execution)
            }
        }
    }

    /// Checks a choice and stores its execution, once for each idempotency key.
    async fn begin_execution(
        &self,
        choice: &ActionChoice,
        run: Option<&str>,
    ) -> Result<BegunExecution, AgentUiError> {
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
            return known_execution(&known, choice).map(BegunExecution::Known);
        }
        let now = self.gateway.now();
        let params = offered.accept(&choice.request, now.0)?;
        let mut execution = Value::from([
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
        if let (Some(run), Some(members)) = (run, execution.as_object_mut()) {
            members.insert("runId".to_owned(), run.into());
        }
        let record = new_record(ACTION_RECORD, &choice.idempotency_key, &execution, now);
        if let Some(known) = store.insert_record(principal, thread, record).await? {
            return known_execution(&known, choice).map(BegunExecution::Known);
        }
        self.execution_log().log(&execution).await?;
        Ok(BegunExecution::New(execution))
    }

    /// Takes the report of an agent about an execution. An execution that the person undoes is sent to its agent.
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
        self.execution_log().log(&execution).await?;
        self.publish_execution(&execution).await?;
        if report.state == ActionState::Undone {
            self.run_action(&execution).await?;
        }
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

    /// Tells all subscribers about an execution.
    async fn publish_execution(&self, execution: &Value) -> Result<(), AgentUiError> {
        let run = format!("action-{}", self.gateway.new_id());
        let event = custom_event(ACTION_EVENT, execution.clone());
        self.deliver(&run, text(execution, "agentId"), &[event], None)
            .await
    }

    fn execution_log(&self) -> ExecutionLog {
        self.gateway.execution_log(self.key.clone())
    }

    /// Lets an agent run with the states of an execution in its stream.
    fn action_wrapper(&self, execution: Value) -> AgentWrapper {
        let log = self.execution_log();
        AgentWrapper::new(move |agent| {
            Arc::new(ActionAgent {
                agent,
                execution,
                log,
            })
        })
    }

    /// Runs the agent that offered the action. Returns false if the gateway does not have it: other agents read the
    /// event and report.
    async fn run_action(&self, execution: &Value) -> Result<bool, AgentUiError> {
        let agent = text(execution, "agentId");
        let Some(entry) = self.gateway.agents.get(agent) else {
            return Ok(false);
        };
        let props = Value::from([("pinciteAction", execution.clone())]).to_json();
        let run_id = format!("action-{}", self.gateway.new_id());
        let mut request = self
            .gateway
            .run_request(&self.key, &run_id, &props, "[]")
            .await?;
        // The end of a run that undoes an action does not change the state any more.
        let is_running = text(execution, "state") == ActionState::Running.as_str();
        if is_running {
            request.wrapper = self.action_wrapper(execution.clone());
        }
        self.run_in_background(agent, &entry, request).await?;
        Ok(true)
    }

    /// Runs an agent without a client.
    pub(super) async fn run_in_background(
        &self,
        agent: &str,
        entry: &Arc<AgentEntry>,
        request: RunRequest,
    ) -> Result<(), AgentUiError> {
        let run = AgentRunRequest {
            name: agent.to_owned(),
            agent: Arc::clone(entry),
            principal: self.key.0.clone(),
            request,
            headers: HeaderMap::new(),
            encoding: Encoding::Sse,
            after: None,
        };
        let mut subscriber = self.gateway.run_agent(run).await?;
        tokio::spawn(async move {
            // The subscription keeps the run open if there is no other subscriber.
            while poll_fn(|context| subscriber.poll_bytes(context))
                .await
                .is_some()
            {}
        });
        Ok(())
    }
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
