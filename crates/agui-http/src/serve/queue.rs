//! Bounded queue of events from a task to a response body.

use std::task::{Context, Poll};

use tokio::sync::mpsc;

use agui::ReceivedEvent;
use agui::agent::{AgentError, EventSource, EventStream};
use agui::event::Event;

/// Sender of a task's events.
#[derive(Debug, Clone)]
pub struct EventSender(mpsc::Sender<Result<ReceivedEvent, AgentError>>);

/// The receiver was dropped; the task may stop.
#[derive(Debug, Clone, Copy, PartialEq, Eq, thiserror::Error)]
#[error("the receiver of the events was dropped")]
pub struct ReceiverClosed;

/// Creates a queue with a capacity in events. A task that is faster than its reader waits.
pub fn queue(capacity: usize) -> (EventSender, EventStream) {
    let (sender, receiver) = mpsc::channel(capacity.max(1));
    (
        EventSender(sender),
        EventStream::new(QueueReceiver(receiver)),
    )
}

impl EventSender {
    /// Sends an event once there is room.
    pub async fn send(&self, event: impl Into<Event>) -> Result<(), ReceiverClosed> {
        self.send_raw(ReceivedEvent::Typed(event.into())).await
    }

    /// Sends an event as it was received.
    pub async fn send_raw(&self, event: ReceivedEvent) -> Result<(), ReceiverClosed> {
        self.0.send(Ok(event)).await.map_err(|_| ReceiverClosed)
    }

    /// Ends the stream with an error.
    pub async fn fail(self, error: AgentError) -> Result<(), ReceiverClosed> {
        self.0.send(Err(error)).await.map_err(|_| ReceiverClosed)
    }

    /// Waits until the receiver is dropped.
    pub async fn disconnected(&self) {
        self.0.closed().await;
    }
}

struct QueueReceiver(mpsc::Receiver<Result<ReceivedEvent, AgentError>>);

impl EventSource for QueueReceiver {
    fn poll_into(
        &mut self,
        context: &mut Context<'_>,
        slot: &mut ReceivedEvent,
    ) -> Poll<Option<Result<(), AgentError>>> {
        self.0
            .poll_recv(context)
            .map(|received| received.map(|received| received.map(|event| *slot = event)))
    }
}
