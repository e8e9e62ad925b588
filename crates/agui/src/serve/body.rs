//! The body of an answer: events as bytes, written together if they are ready together.

use std::future::Future;
use std::pin::Pin;
use std::task::{Context, Poll};
use std::time::Duration;

use tokio::time::{Instant, Sleep, sleep};

use crate::agent::{AgentError, EventStream};
use crate::event::{Event, RunError};
use crate::json::Text;
use crate::negotiate::Wire;
use crate::raw::RawEvent;
use crate::{proto, sse};

/// A comment: it keeps a connection alive through proxies, and readers ignore it.
const HEARTBEAT: &str = ":\n\n";

/// How a body is written.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct BodyOptions {
    /// How often to look whether anything was sent; if not, a heartbeat is. Only SSE has a form for
    /// it.
    pub heartbeat: Option<Duration>,
    /// How many bytes are collected before they are written, however much more is ready.
    pub max_write: usize,
}

impl Default for BodyOptions {
    fn default() -> Self {
        Self {
            heartbeat: Some(Duration::from_secs(10)),
            max_write: 64 * 1024,
        }
    }
}

/// The bytes of a stream of events.
///
/// If the stream breaks off, the last event is a `RUN_ERROR` that says why.
#[derive(Debug)]
pub struct EventBody {
    stream: EventStream,
    wire: Wire,
    options: BodyOptions,
    event: RawEvent,
    timer: Option<Pin<Box<Sleep>>>,
    /// Something was sent since the timer was set: no clock needs to be read for each event.
    sent: bool,
    ended: bool,
    /// How long the last write was; the next is often as long.
    length: usize,
}

impl EventBody {
    /// A body for one client.
    pub fn new(stream: EventStream, wire: Wire, options: BodyOptions) -> Self {
        Self {
            stream,
            wire,
            options,
            event: RawEvent::default(),
            timer: None,
            sent: false,
            ended: false,
            length: 0,
        }
    }

    /// The next bytes: of all events that are ready, at least one. `None` is the end.
    pub fn poll_bytes(&mut self, context: &mut Context<'_>) -> Poll<Option<Vec<u8>>> {
        let mut out = Out::new(self.wire, self.length);
        while !self.ended && out.len() < self.options.max_write {
            match self.stream.poll_into(context, &mut self.event) {
                Poll::Ready(Some(Ok(()))) => out.push(&self.event),
                Poll::Ready(Some(Err(error))) => {
                    out.push(&RawEvent::Clean(run_error(&error)));
                    self.ended = true;
                }
                Poll::Ready(None) => self.ended = true,
                Poll::Pending if out.len() > 0 => break,
                Poll::Pending => match self.poll_heartbeat(context) {
                    Poll::Ready(()) => return Poll::Ready(Some(HEARTBEAT.into())),
                    Poll::Pending => return Poll::Pending,
                },
            }
        }
        if out.len() == 0 {
            return Poll::Ready(None);
        }
        self.sent = true;
        self.length = out.len();
        Poll::Ready(Some(out.into_bytes()))
    }

    fn poll_heartbeat(&mut self, context: &mut Context<'_>) -> Poll<()> {
        let Some(every) = self.options.heartbeat.filter(|_| self.wire == Wire::Sse) else {
            return Poll::Pending;
        };
        let timer = self.timer.get_or_insert_with(|| Box::pin(sleep(every)));
        while timer.as_mut().poll(context).is_ready() {
            timer.as_mut().reset(Instant::now() + every);
            if !std::mem::take(&mut self.sent) {
                return Poll::Ready(());
            }
        }
        Poll::Pending
    }
}

/// How a stream that broke off ends for the client.
fn run_error(error: &AgentError) -> Event {
    Event::from(RunError {
        message: Text::from(error.to_string()),
        code: Some(Text::from(error.code())),
        usage: None,
    })
}

/// Bytes that are being collected.
enum Out {
    Sse(String),
    Proto(Vec<u8>),
}

impl Out {
    fn new(wire: Wire, capacity: usize) -> Self {
        match wire {
            Wire::Sse => Self::Sse(String::with_capacity(capacity)),
            Wire::Proto => Self::Proto(Vec::with_capacity(capacity)),
        }
    }

    fn len(&self) -> usize {
        match self {
            Self::Sse(text) => text.len(),
            Self::Proto(bytes) => bytes.len(),
        }
    }

    fn push(&mut self, event: &RawEvent) {
        match self {
            Self::Sse(text) => sse::encode_raw(event, text),
            // What protobuf cannot express is left out.
            Self::Proto(bytes) => drop(proto::encode_raw_frame(event, bytes)),
        }
    }

    fn into_bytes(self) -> Vec<u8> {
        match self {
            Self::Sse(text) => text.into_bytes(),
            Self::Proto(bytes) => bytes,
        }
    }
}

#[cfg(test)]
mod tests {
    use std::future::poll_fn;

    use super::*;
    use crate::event::{TextMessageContent, TextMessageEnd};
    use crate::serve::{Disconnected, queue};

    fn delta(text: &str) -> TextMessageContent {
        TextMessageContent {
            message_id: Text::from("m"),
            delta: Text::from(text),
        }
    }

    fn line(text: &str) -> String {
        format!(
            "data: {{\"type\":\"TEXT_MESSAGE_CONTENT\",\"messageId\":\"m\",\"delta\":\"{text}\"}}\n\n"
        )
    }

    async fn next(body: &mut EventBody) -> Option<String> {
        let bytes = poll_fn(|context| body.poll_bytes(context)).await?;
        Some(String::from_utf8(bytes).expect("SSE is text"))
    }

    #[tokio::test(start_paused = true)]
    async fn what_is_ready_is_written_at_once() {
        let (sender, stream) = queue(8);
        let mut body = EventBody::new(stream, Wire::Sse, BodyOptions::default());
        sender.send(delta("a")).await.expect("open");
        sender.send(delta("b")).await.expect("open");
        assert_eq!(next(&mut body).await, Some(line("a") + &line("b")));
        sender.send(delta("c")).await.expect("open");
        drop(sender);
        assert_eq!(next(&mut body).await, Some(line("c")));
        assert_eq!(next(&mut body).await, None);
    }

    #[tokio::test(start_paused = true)]
    async fn silence_is_filled_with_heartbeats() {
        let (sender, stream) = queue(8);
        let mut body = EventBody::new(stream, Wire::Sse, BodyOptions::default());
        let begin = Instant::now();
        assert_eq!(next(&mut body).await.as_deref(), Some(":\n\n"));
        assert_eq!(begin.elapsed().as_secs(), 10);
        tokio::time::sleep(Duration::from_secs(4)).await;
        sender.send(delta("a")).await.expect("open");
        assert_eq!(next(&mut body).await, Some(line("a")));
        // Six seconds later it is seen that something was sent, after ten more that nothing was.
        assert_eq!(next(&mut body).await.as_deref(), Some(":\n\n"));
        assert_eq!(begin.elapsed().as_secs(), 30);
    }

    #[tokio::test(start_paused = true)]
    async fn protobuf_has_no_heartbeat() {
        let (sender, stream) = queue(8);
        let mut body = EventBody::new(stream, Wire::Proto, BodyOptions::default());
        let sent = tokio::spawn(async move {
            tokio::time::sleep(Duration::from_secs(60)).await;
            sender.send(delta("a")).await
        });
        let bytes = poll_fn(|context| body.poll_bytes(context)).await;
        let mut frame = Vec::new();
        proto::encode_frame(&delta("a").into(), &mut frame);
        assert_eq!(bytes, Some(frame));
        assert_eq!(sent.await.expect("no panic"), Ok(()));
    }

    #[tokio::test]
    async fn a_broken_stream_ends_in_a_run_error() {
        let (sender, stream) = queue(8);
        let mut body = EventBody::new(stream, Wire::Sse, BodyOptions::default());
        let error = AgentError::Failed {
            code: "limit",
            message: "too much".to_owned(),
        };
        sender.fail(error).await.expect("open");
        assert_eq!(
            next(&mut body).await.as_deref(),
            Some("data: {\"type\":\"RUN_ERROR\",\"message\":\"too much\",\"code\":\"limit\"}\n\n")
        );
        assert_eq!(next(&mut body).await, None);
    }

    #[tokio::test]
    async fn long_answers_are_written_in_pieces() {
        let end = TextMessageEnd {
            message_id: Text::from("m"),
        };
        let stream = EventStream::of(std::iter::repeat_n(Event::from(end), 10));
        let options = BodyOptions {
            heartbeat: None,
            max_write: 100,
        };
        let mut body = EventBody::new(stream, Wire::Sse, options);
        let mut writes = Vec::new();
        while let Some(text) = next(&mut body).await {
            writes.push(text.len());
        }
        // The write that reaches the limit is the last of its piece.
        assert_eq!(writes, [102, 102, 102, 102, 102]);
    }

    #[tokio::test]
    async fn a_full_queue_waits_for_its_reader() {
        let (sender, mut stream) = queue(1);
        sender.send(delta("a")).await.expect("open");
        let waiting = sender.send(delta("b"));
        tokio::pin!(waiting);
        let blocked = poll_fn(|context| Poll::Ready(waiting.as_mut().poll(context).is_pending()));
        assert!(blocked.await);
        let mut event = RawEvent::default();
        assert!(stream.next_into(&mut event).await.is_some());
        assert_eq!(waiting.await, Ok(()));
        drop(stream);
        assert_eq!(sender.send(delta("c")).await, Err(Disconnected));
        sender.disconnected().await;
    }
}
