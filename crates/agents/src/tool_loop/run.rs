//! One run of the tool loop.

use std::collections::HashSet;
use std::sync::Arc;

use agui::Event;
use agui::model::{Message, RunAgentInput, RunOutcome, TokenUsage, aggregate_usage};
use json::Value;

use super::events::RunEvents;
use super::history::model_messages;
use super::{AgentParts, AnswerEditor};
use crate::model::{
    AssistantPart, ModelError, ModelMessage, ModelSession, ModelStop, ModelToolCall,
};
use crate::tool::{EventOutbox, SharedState};
use crate::yielded_stream::ItemYielder;

/// Failure that ends a run, with its code for `RUN_ERROR`.
#[derive(Debug)]
pub(super) struct RunFailure {
    pub(super) code: &'static str,
    pub(super) message: String,
}

impl RunFailure {
    pub(super) fn limit(message: impl Into<String>) -> Self {
        let message = message.into();
        Self {
            code: "limit",
            message,
        }
    }
}

impl From<ModelError> for RunFailure {
    fn from(error: ModelError) -> Self {
        Self {
            code: error.code(),
            message: error.to_string(),
        }
    }
}

/// Runs an agent and sends its events.
pub(super) async fn run_agent(
    parts: &AgentParts,
    input: RunAgentInput,
    editor: Option<Box<dyn AnswerEditor>>,
    events: ItemYielder<Event>,
) {
    let state = input.state.as_ref();
    let state = state.map_or(Value::Null, |state| state.value().into_owned());
    let ids = (input.thread_id.as_str(), input.run_id.as_str());
    let mut events = RunEvents::new(events, Arc::clone(&parts.host), ids, state.clone());
    events.start_run().await;
    let mut run = AgentRun {
        parts,
        session: parts.models.session(),
        state: SharedState::new(state),
        outbox: EventOutbox::default(),
        messages: Vec::new(),
        usage: Vec::new(),
        tokens: 0,
        mistakes: 0,
        call_ids: HashSet::new(),
        editor,
        input,
    };
    let driven = tokio::time::timeout(parts.limits.time, run.drive(&mut events)).await;
    let usage = aggregate_usage(&run.usage);
    match driven {
        Ok(Ok(outcome)) => events.finish(outcome, usage).await,
        Ok(Err(failure)) => events.fail(failure.code, &failure.message, usage).await,
        Err(_) => {
            let seconds = parts.limits.time.as_secs();
            let message = format!(
                "The run took longer than {seconds} seconds. Ask for less, or raise `models.max_seconds`."
            );
            events.fail("limit", &message, usage).await;
        }
    }
}

pub(super) struct AgentRun<'a> {
    pub(super) parts: &'a AgentParts,
    pub(super) input: RunAgentInput,
    pub(super) session: ModelSession,
    pub(super) state: SharedState,
    pub(super) outbox: EventOutbox,
    pub(super) messages: Vec<ModelMessage>,
    pub(super) usage: Vec<TokenUsage>,
    pub(super) tokens: u64,
    pub(super) mistakes: u32,
    /// Ids of calls in this thread; a model that repeats one gets another.
    pub(super) call_ids: HashSet<String>,
    pub(super) editor: Option<Box<dyn AnswerEditor>>,
}

impl AgentRun<'_> {
    /// Lets the model answer until it is done. Returns the outcome for `RUN_FINISHED`.
    async fn drive(&mut self, events: &mut RunEvents) -> Result<Option<RunOutcome>, RunFailure> {
        let all_calls = self.input.messages.iter().flat_map(Message::tool_calls);
        self.call_ids = all_calls.map(|call| call.id.clone()).collect();
        self.answer_approvals(events).await?;
        let limits = self.parts.limits;
        self.messages = model_messages(&self.input.messages, limits.history);
        let mut empty_answers = 0;
        for step in 1..=limits.steps {
            let is_last = step == limits.steps;
            events.start_step(step).await;
            let answer = self.ask_model(events, is_last).await?;
            let has_text = answer
                .parts
                .iter()
                .any(|part| matches!(part, AssistantPart::Text(text) if !text.trim().is_empty()));
            let calls: Vec<ModelToolCall> = answer.calls.into_values().collect();
            self.messages.push(ModelMessage::Assistant(answer.parts));
            match (calls.is_empty(), has_text) {
                (true, false) if answer.stop == Some(ModelStop::Refusal) => {
                    events
                        .text("The model declined to answer this question.")
                        .await;
                    return self.end_answer(events, answer.stop).await;
                }
                (true, false) if empty_answers == 0 => {
                    empty_answers += 1;
                    self.messages.pop();
                    continue;
                }
                (true, false) => {
                    return Err(RunFailure {
                        code: "upstream_truncated",
                        message: "The model answered with nothing, twice. Try again, or choose another model."
                            .to_owned(),
                    });
                }
                (true, true) => return self.end_answer(events, answer.stop).await,
                (false, _) if is_last => {
                    return Err(RunFailure::limit(format!(
                        "The model called tools {step} times and did not answer. Ask for less, or raise `models.max_steps`."
                    )));
                }
                (false, _) => {}
            }
            if let Some(outcome) = self.run_calls(calls, events).await? {
                return Ok(Some(outcome));
            }
            if self.tokens > limits.tokens {
                let tokens = limits.tokens;
                return Err(RunFailure::limit(format!(
                    "The run used more than {tokens} tokens. Ask for less, or raise `models.max_tokens`."
                )));
            }
        }
        Err(RunFailure::limit(
            "The run has no steps. Raise `models.max_steps`.",
        ))
    }

    /// Ends the last answer of the run.
    async fn end_answer(
        &mut self,
        events: &mut RunEvents,
        stop: Option<ModelStop>,
    ) -> Result<Option<RunOutcome>, RunFailure> {
        if let Some(editor) = &mut self.editor {
            let mut rest = String::new();
            editor.finish(&mut rest);
            events.text(&rest).await;
            let id = events
                .text_id()
                .map(ToString::to_string)
                .unwrap_or_default();
            let closing = editor.closing_event(&id);
            if let Some(event) = closing {
                events.send(event).await;
            }
        }
        events.end_text().await;
        let limit = self.parts.limits.output_tokens;
        match stop {
            Some(ModelStop::OutputLimit) => Err(RunFailure::limit(format!(
                "The answer was cut at {limit} tokens. Ask for less, or raise `models.max_output_tokens`."
            ))),
            Some(ModelStop::ContextLimit) => Err(RunFailure::limit(
                "The conversation is longer than the model can read. Start a new thread.",
            )),
            _ => Ok(None),
        }
    }
}
