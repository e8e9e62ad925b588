//! Model providers, and the agents that are part of the program.
//!
//! [`model`] calls language models of Anthropic, OpenAI-compatible servers and Ollama. An [`Agent`] lets a model answer
//! and call [`Tool`]s; it is an [`agui::Agent`] like any other. [`demo::DemoAgent`] needs no model
//! and no network. It answers from a script about its own document, with correct and wrong quotes, to show the results
//! of verification. [`sample_agents`] show components and actions of the canvas; they need no model either, and use
//! the [`canvas_tools`] with one.

mod approval_store;
pub mod attribution;
mod canvas_tools;
pub mod demo;
pub mod model;
pub mod reader;
mod run_host;
pub mod sample_agents;
mod tool;
mod tool_loop;
mod yielded_stream;

pub use approval_store::{
    Approval, ApprovalFolder, ApprovalResult, ApprovalStore, MemoryApprovals,
};
pub use canvas_tools::canvas_tools;
pub use run_host::{FixedHost, RunHost};
pub use tool::{EventOutbox, SharedState, Tool, ToolContext, ToolError, ToolFuture};
pub use tool_loop::{AnswerEditor, ModelAgent, ModelAgent as Agent, ModelAgentBuilder, RunLimits};
pub use yielded_stream::YieldedStream;
