//! Export of traces to a collector, as OTLP over HTTP.
//!
//! The program opens `tracing` spans with the target [`TARGET`]. They are disabled until a [`TraceExporter`] is
//! created for a [`Collector`] and its layer becomes part of the subscriber; a disabled span costs one atomic load.
//! [`set_remote_parent`] continues the trace of an incoming request, [`trace_headers`] passes it on to the next server.
//!
//! Field names are those of OpenTelemetry where it defines one. Fields contain ids, counts and names from the
//! configuration, never texts, quotes or credentials.

mod collector;
mod context;
mod exporter;
mod post;

pub use collector::{Collector, CollectorError};
pub use context::{set_remote_parent, trace_headers};
pub use exporter::{ExporterError, TraceExporter};
pub use post::SendError;

/// Target of the spans that are exported.
pub const TARGET: &str = "pincite::trace";
