//! Requests to a model and the deltas of its answer.

use std::sync::Arc;

use agui::SafeCount;
use agui::model::TokenUsage;
use json::Json;

use super::error::ModelError;
use super::name::ModelName;
use crate::yielded_stream::YieldedStream;

/// Stream of the deltas of one answer. An error ends it.
pub type ModelStream = YieldedStream<Result<ModelDelta, ModelError>>;

/// Model that answers requests.
pub trait LanguageModel: Send + Sync {
    /// Returns provider and name.
    fn name(&self) -> &ModelName;

    /// Starts an answer. Nothing happens until the stream is polled; dropping it cancels the request.
    fn stream(&self, request: Arc<ModelRequest>) -> ModelStream;
}

/// Request to a model.
#[derive(Debug, Clone, Default, PartialEq)]
pub struct ModelRequest {
    /// Instructions.
    pub system: String,
    /// Conversation, oldest message first.
    pub messages: Vec<ModelMessage>,
    /// Tools that the model may call.
    pub tools: Vec<ToolDefinition>,
    /// True if the model must answer without calling a tool. The tools stay listed, because earlier calls refer to them.
    pub forbids_tools: bool,
    /// Limit on the tokens of the answer.
    pub max_output_tokens: u32,
}

/// Tool as a model sees it.
#[derive(Debug, Clone, PartialEq)]
pub struct ToolDefinition {
    /// Name.
    pub name: String,
    /// Description for the model.
    pub description: String,
    /// JSON schema of the arguments.
    pub parameters: Json,
}

/// Message of the conversation.
#[derive(Debug, Clone, PartialEq)]
pub enum ModelMessage {
    /// Text of the user.
    User(String),
    /// Answer of the model.
    Assistant(Vec<AssistantPart>),
    /// Result of a tool call.
    Tool(ToolAnswer),
}

/// Part of an answer of the model.
#[derive(Debug, Clone, PartialEq)]
pub enum AssistantPart {
    /// Text.
    Text(String),
    /// Reasoning, and the provider's signature of it.
    Reasoning {
        /// Text of the reasoning.
        text: String,
        /// Opaque signature to send back with it.
        signature: Option<String>,
    },
    /// Tool call.
    Call(ModelToolCall),
}

/// Tool call of a model.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct ModelToolCall {
    /// Id of the call.
    pub id: String,
    /// Name of the tool.
    pub name: String,
    /// Arguments as JSON text, as the model wrote it.
    pub arguments: String,
}

/// Result of a tool call.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct ToolAnswer {
    /// Id of the call.
    pub call_id: String,
    /// Name of the tool.
    pub name: String,
    /// Content.
    pub content: String,
    /// True if the call failed.
    pub is_error: bool,
}

/// Addition to an answer, exactly as the provider sent it.
#[derive(Debug, Clone, PartialEq)]
pub enum ModelDelta {
    /// Text.
    Text(String),
    /// Text of the reasoning.
    Reasoning(String),
    /// Opaque signature of the reasoning before it.
    ReasoningSignature(String),
    /// Start of a tool call. Calls are numbered within one answer.
    CallStart {
        /// Number of the call.
        index: usize,
        /// Id, if the provider gives one.
        id: Option<String>,
        /// Name of the tool.
        name: String,
    },
    /// Text added to the arguments of a call.
    CallArguments {
        /// Number of the call.
        index: usize,
        /// Added JSON text.
        delta: String,
    },
    /// End of a call's arguments.
    CallEnd {
        /// Number of the call.
        index: usize,
    },
    /// Tokens used by this answer so far; later values replace earlier ones.
    Usage(ModelUsage),
    /// Reason for the end of the answer.
    Stop(ModelStop),
}

impl ModelDelta {
    /// Returns true if the user sees something of the delta.
    pub fn is_visible(&self) -> bool {
        !matches!(self, Self::Usage(_) | Self::Stop(_))
    }
}

/// Reason for the end of an answer.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum ModelStop {
    /// The answer is complete.
    Complete,
    /// The model waits for results of tools.
    ToolCalls,
    /// The limit on output tokens was reached.
    OutputLimit,
    /// The conversation is longer than the model can read.
    ContextLimit,
    /// The model or its provider declined to answer.
    Refusal,
    /// Reason that this program does not know.
    Other(String),
}

/// Token counts of one answer. Absent counts were not reported.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub struct ModelUsage {
    /// All input tokens.
    pub input: Option<u64>,
    /// All output tokens.
    pub output: Option<u64>,
    /// Part of the output spent on reasoning.
    pub reasoning: Option<u64>,
    /// Part of the input read from a cache.
    pub cached_input: Option<u64>,
    /// Part of the input written to a cache.
    pub cache_write: Option<u64>,
}

impl ModelUsage {
    /// Takes over the counts that a later report has.
    pub fn update(&mut self, later: &Self) {
        self.input = later.input.or(self.input);
        self.output = later.output.or(self.output);
        self.reasoning = later.reasoning.or(self.reasoning);
        self.cached_input = later.cached_input.or(self.cached_input);
        self.cache_write = later.cache_write.or(self.cache_write);
    }

    /// Returns input and output together.
    pub fn total(&self) -> u64 {
        let (input, output) = (self.input.unwrap_or(0), self.output.unwrap_or(0));
        input.saturating_add(output)
    }

    /// Returns the usage in the form of AG-UI.
    pub fn to_token_usage(self, model: &ModelName) -> TokenUsage {
        let count = |count: Option<u64>| count.and_then(SafeCount::new);
        let is_counted = self.input.is_some() || self.output.is_some();
        TokenUsage {
            provider: Some(model.provider.as_str().to_owned()),
            model: Some(model.model.clone()),
            input_tokens: count(self.input),
            output_tokens: count(self.output),
            total_tokens: count(is_counted.then(|| self.total())),
            reasoning_tokens: count(self.reasoning),
            cached_input_tokens: count(self.cached_input),
            cache_write_input_tokens: count(self.cache_write),
        }
    }
}
