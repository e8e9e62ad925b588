//! The attribution agent: explains, searches and corrects music credits, and collects feedback.
//!
//! With a model it lets the model call the tools. Without one it understands a few intents and answers in templates, with
//! the same tools.

mod agent;
mod agent_state;
mod catalogue;
mod credit_tools;
mod frontend_context;
mod intents;
mod liner_notes;
mod model_tools;
mod offline;
mod offline_correction;
mod offline_events;

pub use agent::AttributionAgent;
pub use agent_state::{AttributionAgentState, CorrectionPreview, WorkSummary};
pub use catalogue::{CreditCatalogue, CreditError, CreditFuture, FeedbackInput, SubmittedFeedback};

/// Name of the deterministic agent where a model is named.
pub const OFFLINE_MODEL: &str = "rules";
