//! The tool loop: an agent that lets a model answer and call tools until it is done.

mod approvals;
mod calls;
mod events;
mod history;
mod model_answer;
mod prompt;
mod run;
mod tool_calls;

use std::fmt;
use std::sync::Arc;
use std::time::Duration;

use agui::agent::EventStream;
use agui::model::RunAgentInput;

use crate::approval_store::{ApprovalStore, MemoryApprovals};
use crate::model::ModelChain;
use crate::run_host::RunHost;
use crate::tool::Tool;
use crate::yielded_stream::YieldedStream;
use approvals::ApprovalLedger;

pub(crate) use history::text_of;

/// Limits of one run.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct RunLimits {
    /// Number of answers of the model. In the last one it must answer without tools.
    pub steps: u32,
    /// Input and output tokens of all answers.
    pub tokens: u64,
    /// Time of the whole run.
    pub time: Duration,
    /// Tokens of one answer.
    pub output_tokens: u32,
    /// Characters of the conversation that the model reads in full; older turns are summarised.
    pub history: usize,
}

impl Default for RunLimits {
    fn default() -> Self {
        Self {
            steps: 12,
            tokens: 400_000,
            time: Duration::from_secs(300),
            output_tokens: 4_096,
            history: 60_000,
        }
    }
}

/// Editor of the text of a model while it streams, for agents that add to an answer or remove from it.
pub trait AnswerEditor: Send {
    /// Takes text of the model and appends what the client receives instead.
    fn edit(&mut self, delta: &str, out: &mut String);

    /// Ends a text that is followed by calls: appends what was held back.
    fn flush(&mut self, out: &mut String);

    /// Ends the answer: appends what is missing. Called once, after the last text of the run.
    fn finish(&mut self, out: &mut String);

    /// Returns the event that follows the last text, for the message with this id.
    fn closing_event(&mut self, _message_id: &str) -> Option<agui::Event> {
        None
    }
}

/// Agent that lets a model answer and call tools.
///
/// It is exported as `agents::Agent`; see `examples/notes-agent` for a complete example.
#[derive(Clone)]
pub struct ModelAgent {
    parts: Arc<AgentParts>,
}

struct AgentParts {
    models: ModelChain,
    host: Arc<dyn RunHost>,
    system: String,
    tools: Vec<Tool>,
    limits: RunLimits,
    approvals: ApprovalLedger,
}

impl fmt::Debug for ModelAgent {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        formatter
            .debug_struct("ModelAgent")
            .field("models", &self.parts.models)
            .field("tools", &self.parts.tools)
            .finish()
    }
}

/// Parts of an agent that is being built.
pub struct ModelAgentBuilder(AgentParts);

impl ModelAgent {
    /// Begins to build an agent.
    pub fn builder(models: ModelChain, host: Arc<dyn RunHost>) -> ModelAgentBuilder {
        ModelAgentBuilder(AgentParts {
            models,
            host,
            system: String::new(),
            tools: Vec::new(),
            limits: RunLimits::default(),
            approvals: ApprovalLedger(Arc::new(MemoryApprovals::default())),
        })
    }

    /// Starts a run whose text passes through an editor.
    pub fn run_edited(&self, input: RunAgentInput, editor: Box<dyn AnswerEditor>) -> EventStream {
        self.start(input, Some(editor))
    }

    fn start(&self, input: RunAgentInput, editor: Option<Box<dyn AnswerEditor>>) -> EventStream {
        let parts = Arc::clone(&self.parts);
        EventStream::new(YieldedStream::new(async move |events| {
            run::run_agent(&parts, input, editor, events).await;
        }))
    }
}

impl agui::Agent for ModelAgent {
    fn run(&self, input: RunAgentInput) -> EventStream {
        self.start(input, None)
    }
}

impl ModelAgentBuilder {
    /// Sets the instructions.
    #[must_use]
    pub fn system(mut self, system: impl Into<String>) -> Self {
        self.0.system = system.into();
        self
    }

    /// Adds a tool. It replaces an earlier one of the same name.
    #[must_use]
    pub fn tool(mut self, tool: Tool) -> Self {
        self.0.tools.retain(|other| other.name() != tool.name());
        self.0.tools.push(tool);
        self
    }

    /// Sets the limits of a run.
    #[must_use]
    pub fn limits(mut self, limits: RunLimits) -> Self {
        self.0.limits = limits;
        self
    }

    /// Sets the store of approvals. Without one they are in memory, and a restart rejects those that wait.
    #[must_use]
    pub fn approvals(mut self, store: Arc<dyn ApprovalStore>) -> Self {
        self.0.approvals = ApprovalLedger(store);
        self
    }

    /// Builds the agent.
    pub fn build(self) -> ModelAgent {
        ModelAgent {
            parts: Arc::new(self.0),
        }
    }
}
