//! Events of a run: opens and closes messages, reasoning, calls and steps in the order of the protocol.

use std::sync::Arc;

use agui::event::{
    EncryptedSubtype, Event, ReasoningEncryptedValue, ReasoningEnd, ReasoningMessageContent,
    ReasoningMessageEnd, ReasoningMessageStart, ReasoningRole, ReasoningStart, RunError,
    RunFinished, RunStarted, StateDelta, StateSnapshot, StepFinished, StepStarted,
    TextMessageContent, TextMessageEnd, TextMessageStart, TextRole, ToolCallArgs, ToolCallEnd,
    ToolCallResult, ToolCallStart, ToolRole,
};
use agui::model::{RunOutcome, TextOrParts, TokenUsage};
use json::patch::diff;
use json::{Text, Value};

use crate::run_host::RunHost;
use crate::yielded_stream::ItemYielder;

/// Writer of the events of one run.
pub(super) struct RunEvents {
    events: ItemYielder<Event>,
    host: Arc<dyn RunHost>,
    thread_id: Text,
    run_id: Text,
    /// Id of the message that belongs to the current answer of the model.
    message_id: Text,
    /// True if that message was used for text already, so that more text needs another one.
    is_message_closed: bool,
    text: Option<Text>,
    reasoning: Option<Text>,
    calls: Vec<Text>,
    step: Option<Text>,
    /// State that the client has.
    state: Value,
}

impl RunEvents {
    pub(super) fn new(
        events: ItemYielder<Event>,
        host: Arc<dyn RunHost>,
        (thread_id, run_id): (&str, &str),
        state: Value,
    ) -> Self {
        Self {
            events,
            host,
            thread_id: Text::from(thread_id),
            run_id: Text::from(run_id),
            message_id: Text::from(""),
            is_message_closed: false,
            text: None,
            reasoning: None,
            calls: Vec::new(),
            step: None,
            state,
        }
    }

    /// Sends events that tool calls made.
    pub(super) async fn send_all(&self, events: Vec<Event>) {
        for event in events {
            self.events.send(event).await;
        }
    }

    pub(super) async fn send(&self, event: impl Into<Event>) {
        self.events.send(event.into()).await;
    }

    pub(super) async fn start_run(&self) {
        self.send(RunStarted {
            thread_id: self.thread_id.clone(),
            run_id: self.run_id.clone(),
            protocol_version: Some(Text::from("1.0")),
            parent_run_id: None,
            input: None,
        })
        .await;
    }

    /// Begins a step: one answer of the model with the calls in it.
    pub(super) async fn start_step(&mut self, number: u32) {
        self.end_step().await;
        self.message_id = Text::from(self.host.new_id());
        self.is_message_closed = false;
        let step_name = Text::from(format!("answer {number}"));
        self.step = Some(step_name.clone());
        self.send(StepStarted { step_name }).await;
    }

    pub(super) async fn end_step(&mut self) {
        if let Some(step_name) = self.step.take() {
            self.send(StepFinished { step_name }).await;
        }
    }

    pub(super) async fn text(&mut self, delta: &str) {
        if delta.is_empty() {
            return;
        }
        self.end_reasoning().await;
        let message_id = match &self.text {
            Some(message_id) => message_id.clone(),
            None => {
                if self.is_message_closed {
                    self.message_id = Text::from(self.host.new_id());
                }
                let message_id = self.message_id.clone();
                self.text = Some(message_id.clone());
                self.is_message_closed = true;
                self.send(TextMessageStart {
                    message_id: message_id.clone(),
                    role: Some(TextRole::Assistant),
                    name: None,
                })
                .await;
                message_id
            }
        };
        let delta = Text::from(delta);
        self.send(TextMessageContent { message_id, delta }).await;
    }

    /// Returns the id of the open text message.
    pub(super) fn text_id(&self) -> Option<&Text> {
        self.text.as_ref()
    }

    pub(super) async fn end_text(&mut self) {
        if let Some(message_id) = self.text.take() {
            self.send(TextMessageEnd { message_id }).await;
        }
    }

    pub(super) async fn reasoning(&mut self, delta: &str) {
        if delta.is_empty() {
            return;
        }
        self.end_text().await;
        let message_id = match &self.reasoning {
            Some(message_id) => message_id.clone(),
            None => {
                let message_id = Text::from(self.host.new_id());
                self.reasoning = Some(message_id.clone());
                self.send(ReasoningStart {
                    message_id: message_id.clone(),
                })
                .await;
                self.send(ReasoningMessageStart {
                    message_id: message_id.clone(),
                    role: ReasoningRole::Reasoning,
                })
                .await;
                message_id
            }
        };
        let delta = Text::from(delta);
        self.send(ReasoningMessageContent { message_id, delta })
            .await;
    }

    /// Sends the provider's signature of the open reasoning.
    pub(super) async fn reasoning_signature(&mut self, signature: &str) {
        let Some(entity_id) = self.reasoning.clone() else {
            return;
        };
        self.end_reasoning().await;
        self.send(ReasoningEncryptedValue {
            subtype: EncryptedSubtype::Message,
            entity_id,
            encrypted_value: Text::from(signature),
        })
        .await;
    }

    pub(super) async fn end_reasoning(&mut self) {
        if let Some(message_id) = self.reasoning.take() {
            self.send(ReasoningMessageEnd {
                message_id: message_id.clone(),
            })
            .await;
            self.send(ReasoningEnd { message_id }).await;
        }
    }

    pub(super) async fn start_call(&mut self, id: &str, name: &str) {
        self.end_reasoning().await;
        self.end_text().await;
        let tool_call_id = Text::from(id);
        self.calls.push(tool_call_id.clone());
        self.send(ToolCallStart {
            tool_call_id,
            tool_call_name: Text::from(name),
            parent_message_id: Some(self.message_id.clone()),
        })
        .await;
    }

    pub(super) async fn call_arguments(&self, id: &str, delta: &str) {
        if delta.is_empty() {
            return;
        }
        self.send(ToolCallArgs {
            tool_call_id: Text::from(id),
            delta: Text::from(delta),
        })
        .await;
    }

    pub(super) async fn end_call(&mut self, id: &str) {
        if let Some(at) = self.calls.iter().position(|open| open == id) {
            let tool_call_id = self.calls.remove(at);
            self.send(ToolCallEnd { tool_call_id }).await;
        }
    }

    /// Sends the result of a call.
    pub(super) async fn call_result(&self, id: &str, content: &str) {
        self.send(ToolCallResult {
            message_id: Text::from(self.host.new_id()),
            tool_call_id: Text::from(id),
            content: TextOrParts::Text(Text::from(content)),
            role: Some(ToolRole::Tool),
        })
        .await;
    }

    /// Sends the difference between the state of the client and this one.
    pub(super) async fn state(&mut self, state: Value) {
        if state == self.state {
            return;
        }
        match self.state.as_object() {
            Some(_) => {
                let delta = diff(&self.state, &state);
                self.send(StateDelta { delta }).await;
            }
            None => {
                let snapshot = json::Json::from(state.clone());
                self.send(StateSnapshot { snapshot }).await;
            }
        }
        self.state = state;
    }

    /// Closes whatever is open, innermost first.
    async fn close(&mut self) {
        self.end_text().await;
        self.end_reasoning().await;
        while let Some(tool_call_id) = self.calls.pop() {
            self.send(ToolCallEnd { tool_call_id }).await;
        }
        self.end_step().await;
    }

    pub(super) async fn finish(&mut self, outcome: Option<RunOutcome>, usage: Vec<TokenUsage>) {
        self.close().await;
        self.send(RunFinished {
            thread_id: self.thread_id.clone(),
            run_id: self.run_id.clone(),
            result: None,
            outcome: outcome.map(Box::new),
            usage: Some(usage).filter(|usage| !usage.is_empty()),
        })
        .await;
    }

    pub(super) async fn fail(&mut self, code: &str, message: &str, usage: Vec<TokenUsage>) {
        self.close().await;
        self.send(RunError {
            message: Text::from(message),
            code: Some(Text::from(code)),
            usage: Some(usage).filter(|usage| !usage.is_empty()),
        })
        .await;
    }
}
