//! HTTP: the only part of Pincite that knows how it is served.
//!
//! A [`Server`] is the whole: agents with their citations checked, documents, evidence. [`recordings`] serves
//! recorded streams as an agent. [`answer`] turns an agent's events into an HTTP answer; [`error`] holds the
//! table of errors; [`guard`] decides from where may be asked, [`access`] who may; [`settings`] says what can be configured.

pub mod access;
mod admission;
pub mod answer;
mod app;
pub mod error;
mod gateway_error;
pub mod guard;
mod listen;
mod log;
mod metrics;
mod openapi;
mod operations;
mod page;
pub mod recordings;
mod refusal;
mod routes;
#[cfg(test)]
mod run_tests;
mod scope;
pub mod settings;
mod state;
mod traces;

pub use app::{Server, ServerError, ServerParts, system_clock};
pub use gateway::{BuiltInAgent, ReaderCommand, SampleDocument};
pub use log::LogControl;
pub use openapi::description;
