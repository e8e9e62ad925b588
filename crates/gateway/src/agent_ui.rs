//! `AgentUi`: agents send messages and components into conversations, people decide.
//!
//! A conversation is a thread. A message joins the open run of its thread, or is a short run of its own. It is stored
//! as a record of the conversation, and its AG-UI events are in the log.

mod action_run;
mod actions;
mod context;
mod executions;
mod ontology;
mod short_run;

use std::time::Duration;

use agui::Event;
use agui::event::RunFinished;
use agui::model::{Interrupt, RunOutcome};
use canvas::components::ComponentData;
use canvas::{
    ActionPayload, CanvasMessage, CheckedMessage, ComponentLayout, ContextRequestPayload,
    ErrorPayload, InvalidMessage, MessageKind, MessageRepair, ReasoningPayload, TextPayload,
    ToolCallPayload, UpdateError, to_events, update_events, update_payload,
};
use json::patch::PatchOperation;
use json::{Text, Value};
use store::{ConversationRecord, Listing, PageRequest, StoreError, Timestamp};
use tokio::time::timeout;

pub use context::{ContextAnswer, ContextGrant};
pub(crate) use executions::ExecutionLog;
pub use executions::{ActionChoice, ActionExecution, ActionReport};

use crate::canvas_records::{MESSAGE_RECORD, new_record, parse_record};
use crate::error::GatewayError;
use crate::gateway::Gateway;
use crate::runs::Key;

/// Longest time to wait until a message has entered the stream of an open run. It then stays queued.
const JOIN_TIMEOUT: Duration = Duration::from_secs(2);
/// Number of attempts to join or start a run while others do the same.
const ATTEMPTS: usize = 20;

/// Failure of an operation on a conversation.
#[derive(Debug, thiserror::Error)]
pub enum AgentUiError {
    /// The message is not valid.
    #[error(transparent)]
    Invalid(#[from] InvalidMessage),
    /// The update does not apply.
    #[error(transparent)]
    Update(UpdateError),
    /// The choice of an action was refused.
    #[error(transparent)]
    Action(#[from] canvas::ActionError),
    /// The message or action does not exist.
    #[error("not found: {0}")]
    NotFound(&'static str),
    /// The execution is in a state that does not allow the change, or the key belongs to another action.
    #[error("{0}")]
    Conflict(String),
    /// The gateway failed.
    #[error(transparent)]
    Gateway(#[from] GatewayError),
}

impl From<StoreError> for AgentUiError {
    fn from(error: StoreError) -> Self {
        Self::Gateway(error.into())
    }
}

impl From<UpdateError> for AgentUiError {
    fn from(error: UpdateError) -> Self {
        match error {
            UpdateError::Invalid(invalid) => Self::Invalid(invalid),
            other => Self::Update(other),
        }
    }
}

/// Sender of messages into one conversation.
pub struct AgentUi<'g> {
    gateway: &'g Gateway,
    key: Key,
}

impl Gateway {
    /// Returns the sender of messages into a conversation, which the first message creates.
    pub fn agent_ui(&self, conversation: Key) -> AgentUi<'_> {
        AgentUi {
            gateway: self,
            key: conversation,
        }
    }

    /// Returns the writer of the executions of a conversation.
    pub(crate) fn execution_log(&self, key: Key) -> ExecutionLog {
        ExecutionLog {
            store: self.store.clone(),
            key,
            clock: self.clock(),
            new_id: self.id_source(),
        }
    }
}

impl AgentUi<'_> {
    /// Sends a text. Returns its id, as all methods that send do.
    pub async fn send_text(
        &self,
        agent: &str,
        id: &str,
        text: &TextPayload,
    ) -> Result<(), AgentUiError> {
        self.post(id, &CanvasMessage::text(agent, text)).await
    }

    /// Sends a component.
    pub async fn send_ui<T: ComponentData>(
        &self,
        agent: &str,
        id: &str,
        data: &T,
        layout: Option<&ComponentLayout>,
    ) -> Result<(), AgentUiError> {
        self.post(id, &CanvasMessage::ui(agent, data, layout)).await
    }

    /// Suggests actions.
    pub async fn send_actions(
        &self,
        agent: &str,
        id: &str,
        actions: &ActionPayload,
    ) -> Result<(), AgentUiError> {
        self.post(id, &CanvasMessage::actions(agent, actions)).await
    }

    /// Asks for context.
    pub async fn request_context(
        &self,
        agent: &str,
        id: &str,
        request: &ContextRequestPayload,
    ) -> Result<(), AgentUiError> {
        self.post(id, &CanvasMessage::context_request(agent, request))
            .await
    }

    /// Shows steps of reasoning.
    pub async fn send_reasoning(
        &self,
        agent: &str,
        id: &str,
        steps: &ReasoningPayload,
    ) -> Result<(), AgentUiError> {
        self.post(id, &CanvasMessage::reasoning(agent, steps)).await
    }

    /// Shows a tool call.
    pub async fn send_tool_call(
        &self,
        agent: &str,
        id: &str,
        call: &ToolCallPayload,
    ) -> Result<(), AgentUiError> {
        self.post(id, &CanvasMessage::tool_call(agent, call)).await
    }

    /// Shows an error.
    pub async fn send_error(
        &self,
        agent: &str,
        id: &str,
        error: &ErrorPayload,
    ) -> Result<(), AgentUiError> {
        self.post(id, &CanvasMessage::error(agent, error)).await
    }

    /// Checks a message as an agent sent it, and sends it. Returns the repairs.
    pub async fn send(&self, id: &str, message: Value) -> Result<Vec<MessageRepair>, AgentUiError> {
        let CheckedMessage { message, repairs } = canvas::check(message, self.key.1.as_str())?;
        self.post_checked(id, &message).await?;
        Ok(repairs)
    }

    /// Checks a message that a program composed, and sends it under an id that is new in the conversation.
    async fn post(&self, id: &str, message: &CanvasMessage) -> Result<(), AgentUiError> {
        let conversation = self.key.1.as_str();
        let mut envelope = message.to_envelope(id, conversation, self.gateway.now().0);
        if let Some(members) = envelope.as_object_mut() {
            members.remove("id");
        }
        let checked = canvas::check(envelope, conversation)?;
        self.post_checked(id, &checked.message).await
    }

    async fn post_checked(&self, id: &str, message: &CanvasMessage) -> Result<(), AgentUiError> {
        let now = self.gateway.now();
        let envelope = message.to_envelope(id, self.key.1.as_str(), now.0);
        let events = to_events(message, id, &envelope);
        self.deliver(id, &message.agent_id, &events, interrupt_of(id, message))
            .await?;
        self.store_message(id, &envelope, now).await?;
        ontology::label_message(self.gateway, &self.key, id, message, now).await?;
        Ok(())
    }

    /// Updates the payload of a message by a JSON Patch. Returns the repairs.
    pub async fn update_ui(
        &self,
        id: &str,
        patch: &[PatchOperation],
    ) -> Result<Vec<MessageRepair>, AgentUiError> {
        let (_, envelope) = self.envelope(id).await?;
        let mut message = read_message(&envelope)?;
        let repairs = update_payload(&mut message, patch)?;
        // A repaired payload differs from the patched one, so clients get the difference to it.
        let patch = match repairs.is_empty() {
            true => patch.to_vec(),
            false => json::patch::diff(
                envelope.get("payload").unwrap_or(&Value::Null),
                &message.payload,
            ),
        };
        let now = self.gateway.now();
        let run = format!("{id}-{}", self.gateway.new_id());
        let events = update_events(&message, id, &patch);
        self.deliver(&run, &message.agent_id, &events, None).await?;
        self.store_message(
            id,
            &message.to_envelope(id, self.key.1.as_str(), now.0),
            now,
        )
        .await?;
        Ok(repairs)
    }

    /// Returns a message with its id.
    pub async fn message(&self, id: &str) -> Result<Value, AgentUiError> {
        Ok(self.envelope(id).await?.1)
    }

    /// Lists the messages, the oldest first.
    pub async fn messages(
        &self,
        page: &PageRequest,
    ) -> Result<Listing<ConversationRecord>, AgentUiError> {
        let (principal, thread) = &self.key;
        let store = &self.gateway.store;
        Ok(store
            .records(principal, thread, MESSAGE_RECORD, page)
            .await?)
    }

    async fn envelope(&self, id: &str) -> Result<(ConversationRecord, Value), AgentUiError> {
        let (principal, thread) = &self.key;
        let record = self
            .gateway
            .store
            .record(principal, thread, MESSAGE_RECORD, id)
            .await?;
        let record = record.ok_or(AgentUiError::NotFound("the message"))?;
        let envelope = parse_record(&record);
        Ok((record, envelope))
    }

    async fn store_message(
        &self,
        id: &str,
        envelope: &Value,
        now: Timestamp,
    ) -> Result<(), AgentUiError> {
        self.store_record(MESSAGE_RECORD, id, envelope, now).await
    }

    async fn store_record(
        &self,
        kind: &str,
        id: &str,
        json: &Value,
        now: Timestamp,
    ) -> Result<(), AgentUiError> {
        let (principal, thread) = &self.key;
        let record = new_record(kind, id, json, now);
        Ok(self
            .gateway
            .store
            .put_record(principal, thread, record)
            .await?)
    }

    /// Brings events into the conversation: into its open run, or as a short run of their own.
    async fn deliver(
        &self,
        run: &str,
        agent: &str,
        events: &[Event],
        interrupt: Option<Interrupt>,
    ) -> Result<(), AgentUiError> {
        let mut attempt = 0;
        loop {
            attempt += 1;
            if let Some(delivered) = self
                .gateway
                .runs
                .join(&self.key, events, interrupt.as_ref())
                && !matches!(timeout(JOIN_TIMEOUT, delivered).await, Ok(Err(_)))
            {
                return Ok(());
            }
            let end = RunFinished {
                thread_id: Text::from(self.key.1.as_str()),
                run_id: Text::from(run),
                result: None,
                outcome: interrupt.clone().map(|interrupt| {
                    Box::new(RunOutcome::Interrupt {
                        interrupts: vec![interrupt],
                    })
                }),
                usage: None,
            };
            match self
                .gateway
                .run_events(&self.key, run, agent, events, end)
                .await
            {
                Err(GatewayError::Store(StoreError::ThreadBusy { .. })) if attempt < ATTEMPTS => {
                    // Another message began a run at the same time; this one joins it.
                    tokio::time::sleep(Duration::from_millis(5)).await;
                }
                result => return Ok(result?),
            }
        }
    }
}

/// Returns the interrupt of a request for context that the agent cannot do without.
fn interrupt_of(id: &str, message: &CanvasMessage) -> Option<Interrupt> {
    let is_optional = message.payload.get("optional") == Some(&Value::Bool(true));
    if message.kind != MessageKind::ContextRequest || is_optional {
        return None;
    }
    Some(Interrupt {
        id: id.to_owned(),
        reason: "pincite.context_request".to_owned(),
        message: Some(canvas::text_form(message)),
        tool_call_id: None,
        response_schema: None,
        expires_at: None,
        metadata: None,
        subagent_run_id: None,
    })
}

fn read_message(envelope: &Value) -> Result<CanvasMessage, AgentUiError> {
    CanvasMessage::from_envelope(envelope).ok_or(AgentUiError::NotFound("the message"))
}
