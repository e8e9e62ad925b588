//! Traces that go through several programs: `traceparent` and `tracestate`.

use opentelemetry::propagation::{Extractor, Injector, TextMapPropagator};
use opentelemetry::trace::TraceContextExt as _;
use opentelemetry_sdk::propagation::TraceContextPropagator;
use tracing::Span;
use tracing_opentelemetry::OpenTelemetrySpanExt as _;

/// Puts a span that has not begun yet below the one that a request brings, if it brings one.
pub fn adopt(span: &Span, traceparent: Option<&str>, tracestate: Option<&str>) {
    if span.is_disabled() || traceparent.is_none() {
        return;
    }
    let brought = Brought {
        traceparent,
        tracestate,
    };
    let context = TraceContextPropagator::new().extract(&brought);
    if context.span().span_context().is_valid() {
        // Only a span that has begun has its parent already.
        let _ = span.set_parent(context);
    }
}

/// What another program needs to put its spans below this one: headers by name. None if nobody listens.
pub fn headers(span: &Span) -> Vec<(String, String)> {
    let mut sent = Sent(Vec::new());
    if !span.is_disabled() {
        TraceContextPropagator::new().inject_context(&span.context(), &mut sent);
        sent.0.retain(|(_, value)| !value.is_empty());
    }
    sent.0
}

struct Brought<'h> {
    traceparent: Option<&'h str>,
    tracestate: Option<&'h str>,
}

impl Extractor for Brought<'_> {
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

struct Sent(Vec<(String, String)>);

impl Injector for Sent {
    fn set(&mut self, key: &str, value: String) {
        self.0.push((key.to_owned(), value));
    }
}
