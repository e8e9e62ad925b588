//! Language models: requests, exact deltas of answers, providers, retries and fallback.
//!
//! A [`LanguageModel`] answers a [`ModelRequest`] with a stream of [`ModelDelta`]s. [`HttpModel`] calls a provider through
//! one of three [`ProviderAdapter`]s, which differ only in how requests are written and answers are read. A
//! [`ModelChain`] is the configured model with its fallbacks.

mod anthropic;
mod chain;
mod config;
mod error;
mod frame_reader;
mod http_model;
mod name;
mod ollama;
mod openai;
mod provider;
mod request;

pub use chain::{ModelChain, ModelSession, OpenCall};
pub use config::{ModelConfig, ProviderAccess, ProviderConfig};
pub use error::ModelError;
pub use http_model::HttpModel;
pub use name::{InvalidModelName, ModelName, ModelProvider};
pub use provider::{AnswerFraming, DeltaDecoder, ProviderAdapter};
pub use request::{
    AssistantPart, LanguageModel, ModelDelta, ModelMessage, ModelRequest, ModelStop, ModelStream,
    ModelToolCall, ModelUsage, ToolAnswer, ToolDefinition,
};
