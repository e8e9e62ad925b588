//! Traces of what the program does, sent to a collector as OTLP over HTTP.
//!
//! The program says what it does in spans of `tracing` whose target is [`TARGET`]. Nobody listens to these
//! until [`Traces`] are made for a [`Collector`] and their layer is part of the subscriber: then a span costs
//! no more than asking whether somebody does. [`adopt`] puts a span below the one that a request brings in
//! `traceparent`; [`headers`] gives what the next one needs to do the same.
//!
//! Names of a span's fields are those of OpenTelemetry where it has one. They hold ids, counts and names
//! from the configuration, never what was said, quoted or used to prove who asks.

mod collector;
mod context;
mod post;
mod traces;

pub use collector::{BadCollector, Collector};
pub use context::{adopt, headers};
pub use post::SendError;
pub use traces::{Traces, Unusable};

/// The target of spans that are exported.
pub const TARGET: &str = "pincite::trace";
