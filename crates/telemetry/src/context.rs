//! Trace context of requests: `traceparent` and `tracestate`.

use opentelemetry::propagation::{Extractor, Injector, TextMapPropagator};
use opentelemetry::trace::TraceContextExt as _;
use opentelemetry_sdk::propagation::TraceContextPropagator;
use tracing::Span;
use tracing_opentelemetry::OpenTelemetrySpanExt as _;

/// Makes a span a child of the remote span that a request names. The span must not have started yet.
pub fn set_remote_parent(span: &Span, traceparent: Option<&str>, tracestate: Option<&str>) {
    if span.is_disabled() || traceparent.is_none() {
        return;
    }
    let incoming = IncomingContext {
        traceparent,
        tracestate,
    };
    let context = TraceContextPropagator::new().extract(&incoming);
    if context.span().span_context().is_valid() {
        // This fails only for a span that has started already.
        let _ = span.set_parent(context);
    }
}

/// Returns the headers that make spans of another program children of this one. Empty if tracing is off.
pub fn trace_headers(span: &Span) -> Vec<(String, String)> {
    let mut outgoing = OutgoingContext(Vec::new());
    if !span.is_disabled() {
        TraceContextPropagator::new().inject_context(&span.context(), &mut outgoing);
        outgoing.0.retain(|(_, value)| !value.is_empty());
    }
    outgoing.0
}

struct IncomingContext<'h> {
    traceparent: Option<&'h str>,
    tracestate: Option<&'h str>,
}

impl Extractor for IncomingContext<'_> {
    fn get(&self, key: &str) -> Option<&str> {
        match key {
            "traceparent" => self.traceparent,
            "tracestate" => self.tracestate,
            _ => None,
        }
    }

    fn keys(&self) -> Vec<&str> {
        vec!["traceparent", "tracestate"]
    }
}

struct OutgoingContext(Vec<(String, String)>);

impl Injector for OutgoingContext {
    fn set(&mut self, key: &str, value: String) {
        self.0.push((key.to_owned(), value));
    }
}
