//! An agent's events as an HTTP answer.

use std::convert::Infallible;
use std::pin::Pin;
use std::task::{Context, Poll};

use agui::EventStream;
use agui::negotiate::{Encoding, VARY};
use agui_http::serve::{BodyOptions, EventBody};
use axum::body::Body;
use axum::http::{HeaderMap, HeaderName, HeaderValue, header};
use axum::response::{IntoResponse, Response};
use bytes::Bytes;
use http_body::{Frame, SizeHint};

/// Answers with events, in the form that the client asks for.
pub fn events(headers: &HeaderMap, stream: EventStream, options: BodyOptions) -> Response {
    let wire = wire(headers);
    let body = EventResponseBody(EventBody::new(stream, wire, options));
    streamed(wire, Body::new(body))
}

/// The form of events that a client asks for.
pub(crate) fn wire(headers: &HeaderMap) -> Encoding {
    let accept = headers.get(header::ACCEPT);
    Encoding::negotiate(accept.and_then(|accept| accept.to_str().ok()))
}

/// An answer that is sent piece by piece.
pub(crate) fn streamed(wire: Encoding, body: Body) -> Response {
    let headers = [
        (
            header::CONTENT_TYPE,
            HeaderValue::from_static(wire.content_type()),
        ),
        (
            HeaderName::from_static(VARY.0),
            HeaderValue::from_static(VARY.1),
        ),
        (
            header::CACHE_CONTROL,
            HeaderValue::from_static("no-cache, no-transform"),
        ),
        // nginx would collect the events otherwise.
        (
            HeaderName::from_static("x-accel-buffering"),
            HeaderValue::from_static("no"),
        ),
    ];
    (headers, body).into_response()
}

/// The body as the framework wants it.
struct EventResponseBody(EventBody);

impl http_body::Body for EventResponseBody {
    type Data = Bytes;
    type Error = Infallible;

    fn poll_frame(
        mut self: Pin<&mut Self>,
        context: &mut Context<'_>,
    ) -> Poll<Option<Result<Frame<Bytes>, Infallible>>> {
        self.0
            .poll_bytes(context)
            .map(|bytes| bytes.map(|bytes| Ok(Frame::data(Bytes::from(bytes)))))
    }
}

/// A body that keeps something until its end.
pub(crate) fn holding<T: Send + Unpin + 'static>(body: Body, held: T) -> Body {
    Body::new(HeldEvents { body, _held: held })
}

struct HeldEvents<T> {
    body: Body,
    _held: T,
}

impl<T: Unpin> http_body::Body for HeldEvents<T> {
    type Data = Bytes;
    type Error = axum::Error;

    fn poll_frame(
        mut self: Pin<&mut Self>,
        context: &mut Context<'_>,
    ) -> Poll<Option<Result<Frame<Bytes>, axum::Error>>> {
        Pin::new(&mut self.body).poll_frame(context)
    }

    fn is_end_stream(&self) -> bool {
        self.body.is_end_stream()
    }

    fn size_hint(&self) -> SizeHint {
        self.body.size_hint()
    }
}
