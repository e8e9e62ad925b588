//! Runs that execute an action: the stream begins and ends with the state of the execution.

use std::sync::Arc;
use std::task::{Context, Poll};

use agui::agent::{AgentError, EventSource};
use agui::event::EventData;
use agui::model::{RunAgentInput, RunOutcome};
use agui::{Agent, Event, EventStream, ReceivedEvent};
use canvas::{ACTION_EVENT, ActionState, custom_event};
use json::Value;

use super::executions::{ActionReport, ExecutionLog, finished};

/// Agent that executes an action.
pub(crate) struct ActionAgent {
    pub(crate) agent: Arc<dyn Agent>,
    pub(crate) execution: Value,
    pub(crate) log: ExecutionLog,
}

impl Agent for ActionAgent {
    fn run(&self, input: RunAgentInput) -> EventStream {
        EventStream::new(ActionSource {
            stream: self.agent.run(input),
            execution: Some(self.execution.clone()),
            log: self.log.clone(),
            queued: None,
            has_started: false,
        })
    }
}

/// Stream of an agent with the states of the execution.
struct ActionSource {
    stream: EventStream,
    /// Execution that has not ended.
    execution: Option<Value>,
    log: ExecutionLog,
    /// Event behind the one that was sent last.
    queued: Option<ReceivedEvent>,
    has_started: bool,
}

impl ActionSource {
    /// Ends the execution. Returns the event that says so.
    fn end(
        &mut self,
        state: ActionState,
        result: Option<Value>,
        error: Option<String>,
    ) -> Option<Event> {
        let execution = self.execution.take()?;
        let report = ActionReport {
            idempotency_key: String::new(),
            state,
            result,
            error,
        };
        let ended = finished(execution, &report);
        let event = custom_event(ACTION_EVENT, ended.clone());
        let log = self.log.clone();
        if let Ok(runtime) = tokio::runtime::Handle::try_current() {
            runtime.spawn(async move {
                if let Err(error) = log.store_outcome(&ended).await {
                    tracing::warn!(%error, "the outcome of an action could not be stored");
                }
            });
        }
        Some(event)
    }

    /// Returns the event that ends the execution, if this event ends the run.
    fn outcome_event(&mut self, event: &ReceivedEvent) -> Option<Event> {
        let failed = |message: &str| (ActionState::Failed, None, Some(message.to_owned()));
        let (state, result, error) = match event {
            ReceivedEvent::Typed(event) => match event.data() {
                EventData::RunFinished(end) => match end.outcome.as_deref() {
                    Some(RunOutcome::Cancelled) => failed("The run was cancelled."),
                    _ => {
                        let result = end
                            .result
                            .as_ref()
                            .map(|result| result.value().into_owned());
                        (ActionState::Done, result, None)
                    }
                },
                EventData::RunError(end) => failed(&end.message),
                _ => return None,
            },
            ReceivedEvent::Untyped(_) => match event.type_name() {
                "RUN_FINISHED" => (ActionState::Done, None, None),
                "RUN_ERROR" => failed("The agent failed."),
                _ => return None,
            },
        };
        self.end(state, result, error)
    }
}

impl EventSource for ActionSource {
    fn poll_into(
        &mut self,
        context: &mut Context<'_>,
        slot: &mut ReceivedEvent,
    ) -> Poll<Option<Result<(), AgentError>>> {
        if let Some(event) = self.queued.take() {
            *slot = event;
            return Poll::Ready(Some(Ok(())));
        }
        match self.stream.poll_into(context, slot) {
            Poll::Ready(Some(Ok(()))) => {}
            Poll::Ready(ended) => {
                self.end(
                    ActionState::Failed,
                    None,
                    Some("The agent failed.".to_owned()),
                );
                return Poll::Ready(ended);
            }
            Poll::Pending => return Poll::Pending,
        }
        if !self.has_started && slot.type_name() == "RUN_STARTED" {
            self.has_started = true;
            let running = self.execution.clone().unwrap_or_default();
            self.queued = Some(ReceivedEvent::Typed(custom_event(ACTION_EVENT, running)));
        } else if let Some(outcome) = self.outcome_event(slot) {
            self.queued = Some(std::mem::replace(slot, ReceivedEvent::Typed(outcome)));
        }
        Poll::Ready(Some(Ok(())))
    }
}

impl Drop for ActionSource {
    /// A stream that is dropped before its end belongs to a run that was cancelled.
    fn drop(&mut self) {
        self.end(
            ActionState::Failed,
            None,
            Some("The run was cancelled.".to_owned()),
        );
    }
}
