//! Calls of an answer and approved calls: runs them and adds their results.

use std::collections::HashSet;

use agui::model::{Content, Message, Role, RunOutcome};

use super::approvals::{ApprovalDecision, interrupt_id};
use super::calls::RunningCalls;
use super::events::RunEvents;
use super::history::clip;
use super::run::{AgentRun, RunFailure};
use crate::model::{ModelMessage, ModelToolCall, ToolAnswer};
use crate::tool::{Tool, ToolContext, ToolError};

/// Number of times that mistakes in calls go back to the model in one run.
const MAX_MISTAKES: u32 = 2;
/// Limit on the result of one call, in characters.
const MAX_RESULT: usize = 24_000;

impl AgentRun<'_> {
    fn tool(&self, name: &str) -> Option<&Tool> {
        self.parts.tools.iter().find(|tool| tool.name() == name)
    }

    fn context(&self, call_id: &str) -> ToolContext {
        ToolContext {
            call_id: call_id.to_owned(),
            thread_id: self.input.thread_id.clone(),
            run_id: self.input.run_id.clone(),
            now: i64::try_from(self.parts.host.now()).unwrap_or(i64::MAX),
            state: self.state.clone(),
            outbox: self.outbox.clone(),
        }
    }

    /// Runs the calls of an answer in parallel. Returns the outcome if the run ends with calls that others must answer.
    pub(super) async fn run_calls(
        &mut self,
        calls: Vec<ModelToolCall>,
        events: &mut RunEvents,
    ) -> Result<Option<RunOutcome>, RunFailure> {
        let mut running = RunningCalls::default();
        let (mut pending, mut interrupts) = (Vec::new(), Vec::new());
        let mut failed = Vec::new();
        for call in calls {
            let started = match self.tool(&call.name) {
                Some(tool) => match (
                    tool.start(&call.arguments, self.context(&call.id)),
                    tool.approval(),
                ) {
                    (Err(error), _) => Err(error),
                    (Ok(_), Some(expiry)) => {
                        let now = self.parts.host.now();
                        let thread_id = &self.input.thread_id;
                        let approvals = &self.parts.approvals;
                        interrupts.push(approvals.ask(thread_id, &call, tool, expiry, now)?);
                        continue;
                    }
                    (Ok(future), None) => Ok(future),
                },
                None if self.input.tools.iter().any(|tool| tool.name == call.name) => {
                    pending.push(call.id);
                    continue;
                }
                None => {
                    let tools = self.tool_definitions();
                    let tools: Vec<&str> = tools.iter().map(|tool| tool.name.as_str()).collect();
                    Err(ToolError::UnknownTool {
                        name: call.name.clone(),
                        tools: tools.join(", "),
                    })
                }
            };
            match started {
                Ok(future) => running.push(call, future),
                Err(error) => failed.push((call, error)),
            }
        }
        if !failed.is_empty() {
            self.mistakes += 1;
        }
        for (call, error) in failed {
            if self.mistakes > MAX_MISTAKES {
                return Err(RunFailure {
                    code: "upstream_protocol",
                    message: format!("The model repeated invalid calls. The last one: {error}"),
                });
            }
            self.add_result(&call, &Err(error), events).await;
        }
        while let Some((call, result)) = running.next().await {
            self.add_result(&call, &result, events).await;
        }
        Ok(match (interrupts.is_empty(), pending.is_empty()) {
            (false, _) => Some(RunOutcome::Interrupt { interrupts }),
            (true, false) => Some(RunOutcome::Success {
                pending_tool_call_ids: Some(pending),
            }),
            (true, true) => None,
        })
    }

    /// Sends the result of a call to the client and adds it to the conversation.
    async fn add_result(
        &mut self,
        call: &ModelToolCall,
        result: &Result<String, ToolError>,
        events: &mut RunEvents,
    ) {
        let content = result_text(result);
        events.call_result(&call.id, &content).await;
        events.send_all(self.outbox.take()).await;
        events.state(self.state.value()).await;
        self.messages.push(ModelMessage::Tool(ToolAnswer {
            call_id: call.id.clone(),
            name: call.name.clone(),
            content,
            is_error: result.is_err(),
        }));
    }

    /// Runs the calls that the user approved since the last run, and adds the results to the conversation.
    pub(super) async fn answer_approvals(
        &mut self,
        events: &mut RunEvents,
    ) -> Result<(), RunFailure> {
        let thread_id = self.input.thread_id.clone();
        let answered: HashSet<String> = self
            .input
            .messages
            .iter()
            .filter_map(|message| message.tool_call_id.clone())
            .collect();
        let resume = self.input.resume.clone().unwrap_or_default();
        let answer_to = |call_id: &str| {
            let id = interrupt_id(call_id);
            resume.iter().find(|entry| entry.interrupt_id == id)
        };
        let mut calls = Vec::new();
        for call in self.input.messages.iter().flat_map(Message::tool_calls) {
            let is_asked = answer_to(&call.id).is_some()
                || (!answered.contains(&call.id)
                    && self.parts.approvals.knows(&thread_id, &call.id)?);
            if is_asked {
                calls.push(ModelToolCall {
                    id: call.id.clone(),
                    name: call.function.name.clone(),
                    arguments: call.function.arguments.clone(),
                });
            }
        }
        let mut running = RunningCalls::default();
        let mut results = Vec::new();
        for call in calls {
            let (answer, now) = (answer_to(&call.id), self.parts.host.now());
            let approvals = &self.parts.approvals;
            match approvals.decide(&thread_id, &call, answer, now)? {
                ApprovalDecision::Run(arguments) => {
                    let tool = self.tool(&call.name).ok_or_else(|| {
                        ToolError::Failed(format!(
                            "The tool `{}` does not exist any more.",
                            call.name
                        ))
                    });
                    let started =
                        tool.and_then(|tool| tool.start(&arguments, self.context(&call.id)));
                    match started {
                        Ok(future) => running.push(call, future),
                        Err(error) => results.push((call, Err(error))),
                    }
                }
                ApprovalDecision::Result(text, true) => {
                    results.push((call, Err(ToolError::Failed(text))));
                }
                ApprovalDecision::Result(text, false) => results.push((call, Ok(text))),
            }
        }
        while let Some(done) = running.next().await {
            results.push(done);
        }
        for (call, result) in results {
            let content = result_text(&result);
            let approvals = &self.parts.approvals;
            approvals.store_result(&thread_id, &call.id, &content, result.is_err())?;
            events.call_result(&call.id, &content).await;
            events.send_all(self.outbox.take()).await;
            events.state(self.state.value()).await;
            self.input.messages.push(Message {
                content: Content::Text(content.clone()),
                error: result.is_err().then_some(content),
                tool_call_id: Some(call.id),
                ..Message::new(self.parts.host.new_id(), Role::Tool)
            });
        }
        Ok(())
    }
}

/// Returns the text of a result, for the client and for the model.
fn result_text(result: &Result<String, ToolError>) -> String {
    match result {
        Ok(text) => clip(text, MAX_RESULT),
        Err(error) => error.to_string(),
    }
}
