//! One answer of the model: the request for it, and its events for the client.

use std::collections::BTreeMap;
use std::sync::Arc;

use super::events::RunEvents;
use super::prompt::build_system_prompt;
use super::run::{AgentRun, RunFailure};
use crate::model::{
    AssistantPart, ModelDelta, ModelRequest, ModelStop, ModelToolCall, ModelUsage, OpenCall,
    ToolDefinition,
};

/// Limit on text, reasoning and arguments of one answer, in bytes.
const MAX_ANSWER: usize = 4 << 20;
/// Limit on the calls of one answer.
const MAX_CALLS: usize = 32;

/// Answer of the model to one request.
#[derive(Default)]
pub(super) struct ModelAnswer {
    pub(super) parts: Vec<AssistantPart>,
    pub(super) calls: BTreeMap<usize, ModelToolCall>,
    pub(super) stop: Option<ModelStop>,
    size: usize,
}

impl AgentRun<'_> {
    /// Sends the conversation to the model and its answer to the client.
    pub(super) async fn ask_model(
        &mut self,
        events: &mut RunEvents,
        forbids_tools: bool,
    ) -> Result<ModelAnswer, RunFailure> {
        let state = self.state.value();
        let system = build_system_prompt(
            &self.parts.system,
            &self.input.messages,
            &self.input.context,
            &state,
        );
        let request = Arc::new(ModelRequest {
            system,
            messages: self.messages.clone(),
            tools: self.tool_definitions(),
            forbids_tools,
            max_output_tokens: self.parts.limits.output_tokens,
        });
        let OpenCall {
            model,
            received,
            mut rest,
        } = self.session.open(&request).await?;
        let mut answer = ModelAnswer::default();
        let mut usage = ModelUsage::default();
        let mut failure = None;
        for delta in received {
            self.take_delta(delta, &mut answer, &mut usage, events)
                .await?;
        }
        while let Some(delta) = rest.next().await {
            match delta {
                Ok(delta) => {
                    self.take_delta(delta, &mut answer, &mut usage, events)
                        .await?;
                }
                Err(error) => {
                    failure = Some(error);
                    break;
                }
            }
        }
        // Tokens are reported even if the answer failed.
        self.tokens = self.tokens.saturating_add(usage.total());
        self.usage.push(usage.to_token_usage(&model));
        if let Some(error) = failure {
            return Err(error.into());
        }
        for call in answer.calls.values() {
            events.end_call(&call.id).await;
        }
        if !answer.calls.is_empty() {
            self.flush_editor(events).await;
            events.end_text().await;
        }
        events.end_reasoning().await;
        let calls = answer.calls.values().cloned().map(AssistantPart::Call);
        answer.parts.extend(calls);
        Ok(answer)
    }

    async fn flush_editor(&mut self, events: &mut RunEvents) {
        if let Some(editor) = &mut self.editor {
            let mut rest = String::new();
            editor.flush(&mut rest);
            events.text(&rest).await;
        }
    }

    async fn take_delta(
        &mut self,
        delta: ModelDelta,
        answer: &mut ModelAnswer,
        usage: &mut ModelUsage,
        events: &mut RunEvents,
    ) -> Result<(), RunFailure> {
        match delta {
            ModelDelta::Text(delta) => {
                answer.size += delta.len();
                match &mut self.editor {
                    Some(editor) => {
                        let mut edited = String::new();
                        editor.edit(&delta, &mut edited);
                        events.text(&edited).await;
                    }
                    None => events.text(&delta).await,
                }
                match answer.parts.last_mut() {
                    Some(AssistantPart::Text(text)) => text.push_str(&delta),
                    _ => answer.parts.push(AssistantPart::Text(delta)),
                }
            }
            ModelDelta::Reasoning(delta) => {
                answer.size += delta.len();
                events.reasoning(&delta).await;
                match answer.parts.last_mut() {
                    Some(AssistantPart::Reasoning { text, .. }) => text.push_str(&delta),
                    _ => answer.parts.push(AssistantPart::Reasoning {
                        text: delta,
                        signature: None,
                    }),
                }
            }
            ModelDelta::ReasoningSignature(later) => {
                events.reasoning_signature(&later).await;
                if let Some(AssistantPart::Reasoning { signature, .. }) = answer.parts.last_mut() {
                    *signature = Some(later);
                }
            }
            ModelDelta::CallStart { index, id, name } => {
                if answer.calls.len() >= MAX_CALLS {
                    return Err(RunFailure::limit(format!(
                        "The model made more than {MAX_CALLS} calls in one answer."
                    )));
                }
                let id = id.filter(|id| !id.is_empty() && !self.call_ids.contains(id));
                let id = id.unwrap_or_else(|| self.parts.host.new_id());
                self.call_ids.insert(id.clone());
                self.flush_editor(events).await;
                events.start_call(&id, &name).await;
                let call = ModelToolCall {
                    id,
                    name,
                    arguments: String::new(),
                };
                answer.calls.insert(index, call);
            }
            ModelDelta::CallArguments { index, delta } => {
                answer.size += delta.len();
                if let Some(call) = answer.calls.get_mut(&index) {
                    events.call_arguments(&call.id, &delta).await;
                    call.arguments.push_str(&delta);
                }
            }
            ModelDelta::CallEnd { index } => {
                if let Some(call) = answer.calls.get(&index) {
                    events.end_call(&call.id).await;
                }
            }
            ModelDelta::Usage(later) => usage.update(&later),
            ModelDelta::Stop(stop) => answer.stop = Some(stop),
        }
        match answer.size > MAX_ANSWER {
            true => Err(RunFailure::limit(format!(
                "The answer of the model is longer than {MAX_ANSWER} bytes."
            ))),
            false => Ok(()),
        }
    }

    /// Returns the tools of the agent, then those of the client. A tool of the client cannot replace one of the agent.
    pub(super) fn tool_definitions(&self) -> Vec<ToolDefinition> {
        let mut tools: Vec<ToolDefinition> = self
            .parts
            .tools
            .iter()
            .map(|tool| tool.definition().clone())
            .collect();
        for tool in &self.input.tools {
            if tools.iter().all(|other| other.name != tool.name) {
                let empty = || json::Json::from_valid_text(r#"{"type":"object","properties":{}}"#);
                tools.push(ToolDefinition {
                    name: tool.name.clone(),
                    description: tool.description.clone(),
                    parameters: tool.parameters.clone().unwrap_or_else(empty),
                });
            }
        }
        tools
    }
}
