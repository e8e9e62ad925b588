//! The data of the protocol: messages, inputs, outcomes, capabilities.

pub mod capabilities;
mod content;
mod message;
mod operation;
mod run;
mod snapshot;

pub use content::{MediaKind, Part, PartBody, Source, TextOrParts};
pub use message::{Content, FunctionCall, Message, Role, ToolCall, ToolCallKind};
pub use run::{
    Context, Interrupt, ResumeEntry, ResumeStatus, RunAgentInput, RunOutcome, SubagentOutcome,
    TokenUsage, Tool, aggregate_usage,
};
pub use snapshot::Messages;

pub(crate) use snapshot::SnapshotMemory;
