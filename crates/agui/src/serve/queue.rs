//! Events from a task to whoever sends them on.

use std::task::{Context, Poll};

use tokio::sync::mpsc;

use crate::agent::{AgentError, EventSource, EventStream};
use crate::event::Event;
use crate::raw::RawEvent;

/// Where a task puts its events.
#[derive(Debug, Clone)]
pub struct EventSender(mpsc::Sender<Result<RawEvent, AgentError>>);

/// Nobody reads any more; the task may stop.
#[derive(Debug, Clone, Copy, PartialEq, Eq, thiserror::Error)]
#[error("nobody reads the events any more")]
pub struct Disconnected;

/// A queue for so many events. A task that is faster than its reader waits.
pub fn queue(capacity: usize) -> (EventSender, EventStream) {
    let (sender, receiver) = mpsc::channel(capacity.max(1));
    (EventSender(sender), EventStream::new(Receiver(receiver)))
}

impl EventSender {
    /// Hands over an event, when there is room for it.
    pub async fn send(&self, event: impl Into<Event>) -> Result<(), Disconnected> {
        self.send_raw(RawEvent::Clean(event.into())).await
    }

    /// Hands over an event as it was received.
    pub async fn send_raw(&self, event: RawEvent) -> Result<(), Disconnected> {
        self.0.send(Ok(event)).await.map_err(|_| Disconnected)
    }

    /// Gives up: the stream ends with this error.
    pub async fn fail(self, error: AgentError) -> Result<(), Disconnected> {
        self.0.send(Err(error)).await.map_err(|_| Disconnected)
    }

    /// Waits until nobody reads any more.
    pub async fn disconnected(&self) {
        self.0.closed().await;
    }
}

struct Receiver(mpsc::Receiver<Result<RawEvent, AgentError>>);

impl EventSource for Receiver {
    fn poll_into(
        &mut self,
        context: &mut Context<'_>,
        slot: &mut RawEvent,
    ) -> Poll<Option<Result<(), AgentError>>> {
        self.0
            .poll_recv(context)
            .map(|received| received.map(|received| received.map(|event| *slot = event)))
    }
}
