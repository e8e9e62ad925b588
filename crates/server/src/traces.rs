//! Spans of requests.
//!
//! Fields hold ids, counts and names from the configuration, never texts or credentials.

use axum::extract::{MatchedPath, Request};
use axum::http::StatusCode;
use telemetry::TARGET;
use tracing::field::Empty;
use tracing::{Span, info_span};

/// Returns the span of a request. Its parent is the span that the request's headers name.
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
    let header = |name| request.headers().get(name)?.to_str().ok();
    telemetry::set_remote_parent(&span, header("traceparent"), header("tracestate"));
    span
}

/// Records the status of the response in the span of its request.
pub(crate) fn answered(span: &Span, status: StatusCode) {
    span.record("http.response.status_code", status.as_u16());
    if status.is_server_error() {
        span.record("otel.status_code", "ERROR");
    }
}
