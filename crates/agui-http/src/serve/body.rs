//! Response body that batches ready events.

use std::future::Future;
use std::pin::Pin;
use std::task::{Context, Poll};
use std::time::Duration;

use tokio::time::{Instant, Sleep, sleep};

use agui::ReceivedEvent;
use agui::agent::{AgentError, EventStream};
use agui::event::{Event, RunError};
use agui::negotiate::Encoding;
use agui::{proto, sse};
use json::Text;

/// SSE comment that keeps a connection alive through proxies. Readers ignore it.
const HEARTBEAT: &str = ":\n\n";

/// Options of a response body.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct BodyOptions {
    /// Interval after which a heartbeat is sent if nothing else was. Only SSE has heartbeats.
    pub heartbeat: Option<Duration>,
    /// Limit on the bytes of one write.
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

/// Bytes of a stream of events.
///
/// If the stream fails, the last event is a `RUN_ERROR` with the reason.
#[derive(Debug)]
pub struct EventBody {
    stream: EventStream,
    wire: Encoding,
    options: BodyOptions,
    event: ReceivedEvent,
    timer: Option<Pin<Box<Sleep>>>,
    /// True if something was sent since the timer was set, so that the clock is not read for each event.
    sent: bool,
    ended: bool,
    /// Length of the last write, used as the capacity of the next one.
    length: usize,
}

impl EventBody {
    /// Creates a body for one client.
    pub fn new(stream: EventStream, wire: Encoding, options: BodyOptions) -> Self {
        Self {
            stream,
            wire,
            options,
            event: ReceivedEvent::default(),
            timer: None,
            sent: false,
            ended: false,
            length: 0,
        }
    }

    /// Returns the bytes of all ready events, at least one. `None` is the end.
    pub fn poll_bytes(&mut self, context: &mut Context<'_>) -> Poll<Option<Vec<u8>>> {
        let mut out = OutputBuffer::new(self.wire, self.length);
        while !self.ended && out.len() < self.options.max_write {
            match self.stream.poll_into(context, &mut self.event) {
                Poll::Ready(Some(Ok(()))) => out.push(&self.event),
                Poll::Ready(Some(Err(error))) => {
                    out.push(&ReceivedEvent::Typed(run_error(&error)));
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
        let Some(every) = self
            .options
            .heartbeat
            .filter(|_| self.wire == Encoding::Sse)
        else {
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

/// Returns the event that ends a failed stream for the client.
fn run_error(error: &AgentError) -> Event {
    Event::from(RunError {
        message: Text::from(error.to_string()),
        code: Some(Text::from(error.code())),
        usage: None,
    })
}

/// Bytes of the write that is being collected.
enum OutputBuffer {
    Sse(String),
    Proto(Vec<u8>),
}

impl OutputBuffer {
    fn new(wire: Encoding, capacity: usize) -> Self {
        match wire {
            Encoding::Sse => Self::Sse(String::with_capacity(capacity)),
            Encoding::Proto => Self::Proto(Vec::with_capacity(capacity)),
        }
    }

    fn len(&self) -> usize {
        match self {
            Self::Sse(text) => text.len(),
            Self::Proto(bytes) => bytes.len(),
        }
    }

    fn push(&mut self, event: &ReceivedEvent) {
        match self {
            Self::Sse(text) => sse::encode_received(event, text),
            // Events that protobuf cannot express are left out.
            Self::Proto(bytes) => drop(proto::encode_received_frame(event, bytes)),
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
    use crate::serve::{ReceiverClosed, queue};
    use agui::event::{TextMessageContent, TextMessageEnd};

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
    async fn writes_ready_events_together() {
        let (sender, stream) = queue(8);
        let mut body = EventBody::new(stream, Encoding::Sse, BodyOptions::default());
        sender.send(delta("a")).await.expect("open");
        sender.send(delta("b")).await.expect("open");
        assert_eq!(next(&mut body).await, Some(line("a") + &line("b")));
        sender.send(delta("c")).await.expect("open");
        drop(sender);
        assert_eq!(next(&mut body).await, Some(line("c")));
        assert_eq!(next(&mut body).await, None);
    }

    #[tokio::test(start_paused = true)]
    async fn sends_heartbeats_while_the_agent_is_silent() {
        let (sender, stream) = queue(8);
        let mut body = EventBody::new(stream, Encoding::Sse, BodyOptions::default());
        let begin = Instant::now();
        assert_eq!(next(&mut body).await.as_deref(), Some(":\n\n"));
        assert_eq!(begin.elapsed().as_secs(), 10);
        tokio::time::sleep(Duration::from_secs(4)).await;
        sender.send(delta("a")).await.expect("open");
        assert_eq!(next(&mut body).await, Some(line("a")));
        // The timer fires six seconds later and sees that something was sent; ten seconds after that it sends a
        // heartbeat.
        assert_eq!(next(&mut body).await.as_deref(), Some(":\n\n"));
        assert_eq!(begin.elapsed().as_secs(), 30);
    }

    #[tokio::test(start_paused = true)]
    async fn sends_no_heartbeat_in_protobuf() {
        let (sender, stream) = queue(8);
        let mut body = EventBody::new(stream, Encoding::Proto, BodyOptions::default());
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
    async fn ends_a_failed_stream_with_a_run_error() {
        let (sender, stream) = queue(8);
        let mut body = EventBody::new(stream, Encoding::Sse, BodyOptions::default());
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
    async fn limits_the_bytes_of_one_write() {
        let end = TextMessageEnd {
            message_id: Text::from("m"),
        };
        let stream = EventStream::of(std::iter::repeat_n(Event::from(end), 10));
        let options = BodyOptions {
            heartbeat: None,
            max_write: 100,
        };
        let mut body = EventBody::new(stream, Encoding::Sse, options);
        let mut writes = Vec::new();
        while let Some(text) = next(&mut body).await {
            writes.push(text.len());
        }
        // A write that reaches the limit ends its piece.
        assert_eq!(writes, [102, 102, 102, 102, 102]);
    }

    #[tokio::test]
    async fn makes_the_sender_of_a_full_queue_wait() {
        let (sender, mut stream) = queue(1);
        sender.send(delta("a")).await.expect("open");
        let waiting = sender.send(delta("b"));
        tokio::pin!(waiting);
        let blocked = poll_fn(|context| Poll::Ready(waiting.as_mut().poll(context).is_pending()));
        assert!(blocked.await);
        let mut event = ReceivedEvent::default();
        assert!(stream.next_into(&mut event).await.is_some());
        assert_eq!(waiting.await, Ok(()));
        drop(stream);
        assert_eq!(sender.send(delta("c")).await, Err(ReceiverClosed));
        sender.disconnected().await;
    }
}
