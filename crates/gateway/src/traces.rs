//! Spans of runs, verifications and upstream requests.
//!
//! Fields hold ids, counts and names from the configuration, never texts or credentials. Without a configured
//! collector a span costs one atomic load, because its call site is cached as never enabled.

use std::task::{Context, Poll};

use agui::agent::EventSource;
use agui::model::RunAgentInput;
use agui::{Agent, AgentError, EventStream, ReceivedEvent};
use http::{HeaderMap, HeaderName};
use store::NewRun;
use telemetry::TARGET;
use tracing::field::Empty;
use tracing::{Span, info_span};

use crate::settings::AgentSettings;

/// Returns the span of a run.
pub(crate) fn run_span(new: &NewRun) -> Span {
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

/// Records the final status of a run in its span.
pub(crate) fn record_run_end(span: &Span, status: &str, has_failed: bool) {
    span.record("pincite.status", status);
    if has_failed {
        span.record("otel.status_code", "ERROR");
    }
}

/// Returns the span of storing a batch of events.
pub(crate) fn append_span(events: u64, bytes: usize) -> Span {
    info_span!(target: TARGET, "store append", pincite.events = events, pincite.bytes = bytes)
}

/// Returns the span of verifying some citations together.
pub(crate) fn verification_span(parent: &Span, citations: usize) -> Span {
    info_span!(
        target: TARGET,
        parent: parent,
        "verification",
        pincite.citations = citations,
    )
}

/// Returns the span of a request to an upstream agent.
pub(crate) fn upstream_span(settings: &AgentSettings) -> Span {
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
        // Only the host is recorded: path and query may hold a secret.
        let url = settings.url.parse::<http::Uri>();
        let host = url.as_ref().ok().and_then(|url| url.host());
        span.record("server.address", host.unwrap_or_default());
    }
    span
}

/// Returns the headers that make the spans of an upstream agent children of ours.
pub(crate) fn trace_headers(span: &Span) -> HeaderMap {
    let pairs = telemetry::trace_headers(span).into_iter();
    pairs
        .filter_map(|(name, value)| {
            let name = HeaderName::try_from(name).ok()?;
            Some((name, value.try_into().ok()?))
        })
        .collect()
}

/// Agent whose runs are recorded in a span.
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
