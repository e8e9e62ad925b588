//! What is told of a request in traces: spans, from the request down to what is stored.
//!
//! Nobody listens unless a collector is configured; then a span is one comparison. Fields hold ids, counts
//! and names of the configuration, never texts or what proves who asks.

use std::task::{Context, Poll};

use agui::agent::EventSource;
use agui::model::RunAgentInput;
use agui::{Agent, AgentError, EventStream, ReceivedEvent};
use axum::extract::{MatchedPath, Request};
use axum::http::{HeaderMap, StatusCode};
use store::NewRun;
use telemetry::TARGET;
use tracing::field::Empty;
use tracing::{Span, info_span};

use crate::settings::AgentSettings;

/// A request, below the span that it brings.
pub(crate) fn request(request: &Request, id: &str) -> Span {
    let span = info_span!(
        target: TARGET,
        "request",
        otel.name = Empty,
        otel.kind = "server",
        otel.status_code = Empty,
        http.request.method = request.method().as_str(),
        http.route = Empty,
        http.response.status_code = Empty,
        pincite.request = id,
    );
    if span.is_disabled() {
        return span;
    }
    let route = request.extensions().get::<MatchedPath>();
    let route = route.map_or("", MatchedPath::as_str);
    let name = format!("{} {route}", request.method());
    span.record("otel.name", name.trim_end());
    span.record("http.route", route);
    let brought = |name| request.headers().get(name)?.to_str().ok();
    telemetry::set_remote_parent(&span, brought("traceparent"), brought("tracestate"));
    span
}

/// A request was answered.
pub(crate) fn answered(span: &Span, status: StatusCode) {
    span.record("http.response.status_code", status.as_u16());
    if status.is_server_error() {
        span.record("otel.status_code", "ERROR");
    }
}

/// A run.
pub(crate) fn run(new: &NewRun) -> Span {
    info_span!(
        target: TARGET,
        "run",
        otel.status_code = Empty,
        pincite.agent = new.agent,
        pincite.thread = %new.thread,
        pincite.run = %new.run,
        pincite.status = Empty,
    )
}

/// A run has ended.
pub(crate) fn ended(span: &Span, status: &str, failed: bool) {
    span.record("pincite.status", status);
    if failed {
        span.record("otel.status_code", "ERROR");
    }
}

/// Events that are stored together.
pub(crate) fn append(events: u64, bytes: usize) -> Span {
    info_span!(target: TARGET, "store append", pincite.events = events, pincite.bytes = bytes)
}

/// Citations that are looked for together.
pub(crate) fn verification(parent: &Span, citations: usize) -> Span {
    info_span!(
        target: TARGET,
        parent: parent,
        "verification",
        pincite.citations = citations,
    )
}

/// What is asked of an agent behind an address.
pub(crate) fn upstream(settings: &AgentSettings) -> Span {
    let span = info_span!(
        target: TARGET,
        "upstream",
        otel.kind = "client",
        otel.status_code = Empty,
        server.address = Empty,
        error.type = Empty,
        pincite.events = Empty,
    );
    if !span.is_disabled() {
        // The rest of the address may hold a secret.
        let url = settings.url.parse::<axum::http::Uri>();
        let host = url.as_ref().ok().and_then(|url| url.host());
        span.record("server.address", host.unwrap_or_default());
    }
    span
}

/// The headers that go to an agent, so that its spans are below ours.
pub(crate) fn headers(span: &Span) -> HeaderMap {
    let pairs = telemetry::trace_headers(span).into_iter();
    pairs
        .filter_map(|(name, value)| {
            let name = axum::http::HeaderName::try_from(name).ok()?;
            Some((name, value.try_into().ok()?))
        })
        .collect()
}

/// An agent whose runs are in a span.
pub(crate) struct TracedAgent<A> {
    pub(crate) agent: A,
    pub(crate) span: Span,
}

impl<A: Agent> Agent for TracedAgent<A> {
    fn run(&self, input: RunAgentInput) -> EventStream {
        EventStream::new(TracedStream {
            stream: self.agent.run(input),
            span: self.span.clone(),
            events: 0,
        })
    }
}

struct TracedStream {
    stream: EventStream,
    span: Span,
    events: u64,
}

impl EventSource for TracedStream {
    fn poll_into(
        &mut self,
        context: &mut Context<'_>,
        slot: &mut ReceivedEvent,
    ) -> Poll<Option<Result<(), AgentError>>> {
        let polled = self.stream.poll_into(context, slot);
        match &polled {
            Poll::Ready(Some(Ok(()))) => self.events += 1,
            Poll::Ready(Some(Err(error))) => {
                self.span.record("error.type", error.code());
                self.span.record("otel.status_code", "ERROR");
            }
            Poll::Ready(None) | Poll::Pending => {}
        }
        polled
    }
}

impl Drop for TracedStream {
    fn drop(&mut self) {
        self.span.record("pincite.events", self.events);
    }
}
