//! Model providers, and the agents that are part of the program.
//!
//! [`model`] calls language models of Anthropic, OpenAI-compatible servers and Ollama. [`demo::DemoAgent`] needs no model
//! and no network. It answers from a script about its own document, with correct and wrong quotes, to show the results
//! of verification.

pub mod demo;
pub mod model;
mod run_host;
mod yielded_stream;

pub use run_host::{FixedHost, RunHost};
pub use yielded_stream::YieldedStream;
