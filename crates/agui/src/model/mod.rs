//! Data types of the protocol: messages, inputs, outcomes, capabilities.

pub mod capabilities;
mod content;
mod message;
mod run;
mod snapshot;

pub use content::{ContentPart, MediaKind, MediaSource, PartBody, TextOrParts};
pub use message::{Content, FunctionCall, Message, Role, ToolCall, ToolCallKind};
pub use run::{
    Context, Interrupt, ResumeEntry, ResumeStatus, RunAgentInput, RunOutcome, SubagentOutcome,
    TokenUsage, Tool, aggregate_usage,
};
pub use snapshot::SnapshotMessages;

pub(crate) use snapshot::SnapshotCache;
