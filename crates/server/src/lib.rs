//! HTTP: the only part of Pincite that knows how it is served.
//!
//! [`recordings`] serves recorded streams as an agent. [`answer`] turns an agent's events into an HTTP
//! answer; [`error`] holds the table of errors.

pub mod answer;
pub mod error;
pub mod recordings;
