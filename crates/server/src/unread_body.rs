//! Draining of request bodies that were not read when the response was ready.
//!
//! Clients such as Node's `fetch` write the whole body before they read the response. If the connection is closed in
//! the meantime, they report a broken pipe instead of the reason for the rejection.

use std::future::poll_fn;
use std::pin::Pin;
use std::sync::{Arc, Mutex, PoisonError};
use std::task::{Context, Poll};
use std::time::Duration;

use axum::body::{Body, Bytes};
use axum::extract::Request;
use axum::http::{Version, header};
use axum::middleware::Next;
use axum::response::Response;
use http_body::{Body as _, Frame, SizeHint};
use tokio::time::timeout;

/// Maximum number of bytes that are read and discarded.
const MAX_DRAINED: usize = 64 << 20;
/// Maximum time that this takes.
const DRAIN_TIMEOUT: Duration = Duration::from_secs(15);

/// Body that stays available after the handler has dropped its part of it; `None` at its end.
type SharedBody = Arc<Mutex<Option<Body>>>;

/// Runs the request. If it is rejected, reads a bounded part of the body that the handler did not read.
pub(crate) async fn drain_after_rejection(request: Request, next: Next) -> Response {
    // A client that waits for permission to send the body gets the response at once, and HTTP/2 resets a stream.
    if request.version() >= Version::HTTP_2
        || request.headers().contains_key(header::EXPECT)
        || request.body().is_end_stream()
    {
        return next.run(request).await;
    }
    let (head, body) = request.into_parts();
    let shared: SharedBody = Arc::new(Mutex::new(Some(body)));
    let lent = Body::new(LentBody(shared.clone()));
    let response = next.run(Request::from_parts(head, lent)).await;
    let status = response.status();
    if status.is_client_error() || status.is_server_error() {
        let rest = shared.lock().unwrap_or_else(PoisonError::into_inner).take();
        if let Some(rest) = rest {
            // A client that is slower than that gets no response, as before.
            let _ = timeout(DRAIN_TIMEOUT, drain(rest)).await;
        }
    }
    response
}

async fn drain(mut body: Body) {
    let mut drained = 0;
    while let Some(Ok(frame)) = poll_fn(|context| Pin::new(&mut body).poll_frame(context)).await {
        drained += frame.data_ref().map_or(0, Bytes::len);
        if drained > MAX_DRAINED {
            return;
        }
    }
}

/// Body as the handler sees it.
struct LentBody(SharedBody);

impl http_body::Body for LentBody {
    type Data = Bytes;
    type Error = axum::Error;

    fn poll_frame(
        self: Pin<&mut Self>,
        context: &mut Context<'_>,
    ) -> Poll<Option<Result<Frame<Bytes>, axum::Error>>> {
        let mut shared = self.0.lock().unwrap_or_else(PoisonError::into_inner);
        let Some(body) = &mut *shared else {
            return Poll::Ready(None);
        };
        let polled = Pin::new(body).poll_frame(context);
        if matches!(polled, Poll::Ready(None | Some(Err(_)))) {
            *shared = None;
        }
        polled
    }

    fn is_end_stream(&self) -> bool {
        let shared = self.0.lock().unwrap_or_else(PoisonError::into_inner);
        shared.as_ref().is_none_or(http_body::Body::is_end_stream)
    }

    fn size_hint(&self) -> SizeHint {
        let shared = self.0.lock().unwrap_or_else(PoisonError::into_inner);
        let empty = || SizeHint::with_exact(0);
        shared
            .as_ref()
            .map_or_else(empty, http_body::Body::size_hint)
    }
}

#[cfg(test)]
mod tests {
    use axum::Router;
    use axum::http::StatusCode;
    use axum::middleware;
    use axum::routing::post;
    use tokio::io::{AsyncReadExt as _, AsyncWriteExt as _};
    use tokio::net::{TcpListener, TcpStream};

    use super::*;

    /// Sends the head of a request and then its body, in pieces. Returns the response.
    async fn send(body: usize) -> String {
        let router = Router::new()
            .route("/", post(|| async { StatusCode::UNAUTHORIZED }))
            .layer(middleware::from_fn(drain_after_rejection));
        let listener = TcpListener::bind("127.0.0.1:0").await.expect("a port");
        let address = listener.local_addr().expect("an address");
        let server = tokio::spawn(async move { axum::serve(listener, router).await });
        let mut socket = TcpStream::connect(address).await.expect("it listens");
        let head = format!(
            "POST / HTTP/1.1\r\nHost: x\r\nContent-Length: {body}\r\nConnection: close\r\n\r\n"
        );
        socket.write_all(head.as_bytes()).await.expect("it reads");
        let piece = vec![b'x'; 64 << 10];
        for _ in 0..body / piece.len() {
            socket
                .write_all(&piece)
                .await
                .expect("it reads the whole body");
        }
        let mut response = String::new();
        socket
            .read_to_string(&mut response)
            .await
            .expect("a response");
        server.abort();
        response
    }

    #[tokio::test]
    async fn a_client_that_sends_first_gets_the_rejection() {
        let response = send(24 << 20).await;
        assert!(response.starts_with("HTTP/1.1 401"), "{response}");
    }
}
