//! HTTP: the only part of Pincite that knows how it is served.
//!
//! A [`Server`] is the whole: agents with their citations checked, documents, evidence. [`recordings`] serves
//! recorded streams as an agent. [`answer`] turns an agent's events into an HTTP answer; [`error`] holds the
//! table of errors; [`guard`] decides from where may be asked, [`access`] who may; [`settings`] says what can be configured.

pub mod access;
mod advice;
mod amend;
pub mod answer;
mod app;
mod conversation;
pub mod error;
mod gateway;
pub mod guard;
mod library;
mod listen;
mod log;
mod metrics;
mod openapi;
mod operations;
mod page;
mod pictures;
pub mod recordings;
mod refusal;
mod routes;
mod runs;
pub mod settings;
mod traces;
mod verifying;

pub use app::{Server, ServerError, ServerParts, system_clock};
pub use gateway::{BuiltInAgent, SampleDocument};
pub use library::ReaderCommand;
pub use log::LogControl;
pub use openapi::description;
