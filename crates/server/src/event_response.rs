//! HTTP responses that stream events.

use agui::EventStream;
use agui::negotiate::{Encoding, VARY};
use agui_http::serve::{BodyOptions, EventBody};
use axum::body::Body;
use axum::http::{HeaderMap, HeaderName, HeaderValue, header};
use axum::response::{IntoResponse, Response};

use crate::stream_body::StreamBody;

/// Returns a response that streams the events of an agent in the encoding that the client accepts.
pub fn events(headers: &HeaderMap, stream: EventStream, options: BodyOptions) -> Response {
    let encoding = accepted_encoding(headers);
    let body = StreamBody::Events(Box::new(EventBody::new(stream, encoding, options)));
    streamed(encoding, body.into())
}

/// Returns the encoding of events that a client accepts.
pub(crate) fn accepted_encoding(headers: &HeaderMap) -> Encoding {
    let accept = headers.get(header::ACCEPT);
    Encoding::negotiate(accept.and_then(|accept| accept.to_str().ok()))
}

/// Returns true if a client accepts JSON and no event stream, so that it gets a page instead of a stream.
pub(crate) fn accepts_json_only(headers: &HeaderMap) -> bool {
    let accept = headers.get(header::ACCEPT);
    let accept = accept.and_then(|accept| accept.to_str().ok()).unwrap_or("");
    accept.contains("application/json") && !accept.contains("text/event-stream")
}

/// Returns a response with the headers of an event stream.
pub(crate) fn streamed(encoding: Encoding, body: Body) -> Response {
    let headers = [
        (
            header::CONTENT_TYPE,
            HeaderValue::from_static(encoding.content_type()),
        ),
        (
            HeaderName::from_static(VARY.0),
            HeaderValue::from_static(VARY.1),
        ),
        (
            header::CACHE_CONTROL,
            HeaderValue::from_static("no-cache, no-transform"),
        ),
        // Without it, nginx buffers the events.
        (
            HeaderName::from_static("x-accel-buffering"),
            HeaderValue::from_static("no"),
        ),
    ];
    (headers, body).into_response()
}
