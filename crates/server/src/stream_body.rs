//! Response bodies that are sent piece by piece.

use std::convert::Infallible;
use std::pin::Pin;
use std::task::{Context, Poll};

use agui_http::serve::EventBody;
use axum::body::Body;
use bytes::Bytes;
use gateway::{RunSubscriber, ThreadSubscriber};
use http_body::{Frame, SizeHint};
use serde::Serialize;
use tokio::sync::mpsc;

/// Body of every streamed response.
pub(crate) enum StreamBody {
    /// Pieces that a task sends.
    Channel(mpsc::Receiver<Bytes>),
    /// Events of an agent, encoded in batches.
    Events(Box<EventBody>),
    /// Events of a run.
    Run(Box<RunSubscriber>),
    /// Events of a thread, over all its runs.
    Thread(Box<ThreadSubscriber>),
}

impl StreamBody {
    /// Returns a body and the sender of its pieces. `capacity` is the number of pieces that may wait for the client;
    /// a sender beyond that waits, too.
    pub(crate) fn channel(capacity: usize) -> (PieceSender, Self) {
        let (sender, receiver) = mpsc::channel(capacity);
        (PieceSender(sender), Self::Channel(receiver))
    }
}

impl From<StreamBody> for Body {
    fn from(body: StreamBody) -> Self {
        Self::new(body)
    }
}

impl http_body::Body for StreamBody {
    type Data = Bytes;
    type Error = Infallible;

    fn poll_frame(
        mut self: Pin<&mut Self>,
        context: &mut Context<'_>,
    ) -> Poll<Option<Result<Frame<Bytes>, Infallible>>> {
        let polled = match &mut *self {
            Self::Channel(receiver) => receiver.poll_recv(context),
            Self::Events(events) => events
                .poll_bytes(context)
                .map(|bytes| bytes.map(Bytes::from)),
            Self::Run(subscriber) => subscriber.poll_bytes(context),
            Self::Thread(subscriber) => subscriber.poll_bytes(context),
        };
        polled.map(|bytes| bytes.map(|bytes| Ok(Frame::data(bytes))))
    }
}

/// The client has disconnected.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) struct Disconnected;

/// Sender of the pieces of a [`StreamBody`]. Dropping it ends the body.
pub(crate) struct PieceSender(mpsc::Sender<Bytes>);

impl PieceSender {
    /// Sends a server-sent event with a JSON value as its data.
    pub(crate) async fn event(
        &self,
        name: Option<&str>,
        value: &impl Serialize,
    ) -> Result<(), Disconnected> {
        let name = name.map_or_else(String::new, |name| format!("event: {name}\n"));
        self.send(format!("{name}data: {}\n\n", to_json(value)))
            .await
    }

    /// Sends a named server-sent event with a number as its id.
    pub(crate) async fn named_event(
        &self,
        id: u64,
        name: &str,
        value: &impl Serialize,
    ) -> Result<(), Disconnected> {
        let data = to_json(value);
        self.send(format!("id: {id}\nevent: {name}\ndata: {data}\n\n"))
            .await
    }

    /// Sends a server-sent event with a number as its id.
    pub(crate) async fn numbered_event(
        &self,
        id: u64,
        value: &impl Serialize,
    ) -> Result<(), Disconnected> {
        self.send(format!("id: {id}\ndata: {}\n\n", to_json(value)))
            .await
    }

    /// Sends a server-sent event with a JSON text as its data.
    pub(crate) async fn data(&self, json: &str) -> Result<(), Disconnected> {
        let mut event = String::with_capacity(json.len() + 16);
        agui::sse::encode_text(json, &mut event);
        self.send(event).await
    }

    /// Sends a comment, which keeps the connection open.
    pub(crate) async fn comment(&self) -> Result<(), Disconnected> {
        self.send(":\n\n".to_owned()).await
    }

    /// Waits until the client has disconnected.
    pub(crate) async fn closed(&self) {
        self.0.closed().await;
    }

    /// Sends a JSON value as a line.
    pub(crate) async fn line(&self, value: &impl Serialize) -> Result<(), Disconnected> {
        self.send(to_json(value) + "\n").await
    }

    /// Sends a piece that was made before.
    pub(crate) async fn bytes(&self, piece: Bytes) -> Result<(), Disconnected> {
        self.0.send(piece).await.map_err(|_| Disconnected)
    }

    async fn send(&self, piece: String) -> Result<(), Disconnected> {
        self.bytes(Bytes::from(piece)).await
    }
}

/// Returns JSON. Types of the API cannot fail to serialize; if one does, null stands in its place.
fn to_json(value: &impl Serialize) -> String {
    serde_json::to_string(value).unwrap_or_else(|error| {
        tracing::error!(%error, "a value could not be serialized");
        "null".to_owned()
    })
}

/// Returns a body that keeps `held` until it ends or is dropped.
pub(crate) fn hold_until_end<T: Send + Unpin + 'static>(body: Body, held: T) -> Body {
    Body::new(HoldingBody { body, _held: held })
}

struct HoldingBody<T> {
    body: Body,
    _held: T,
}

impl<T: Unpin> http_body::Body for HoldingBody<T> {
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
