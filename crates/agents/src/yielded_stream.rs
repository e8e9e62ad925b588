//! Streams whose items an async function yields.

use std::collections::VecDeque;
use std::future::poll_fn;
use std::pin::Pin;
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
use std::task::{Context, Poll};

use agui::agent::{AgentError, EventSource};
use agui::{Event, ReceivedEvent};

/// Handle with which a function yields items.
#[derive(Debug)]
pub(crate) struct ItemYielder<T>(Arc<Mutex<VecDeque<T>>>);

impl<T> Clone for ItemYielder<T> {
    fn clone(&self) -> Self {
        Self(Arc::clone(&self.0))
    }
}

impl<T> ItemYielder<T> {
    fn items(&self) -> MutexGuard<'_, VecDeque<T>> {
        self.0.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// Yields an item and waits until the reader has taken it.
    ///
    /// No waker is registered: the reader polls the function again after each item. A function that yields must
    /// therefore be polled by combinators that poll all their parts each time.
    pub(crate) async fn send(&self, item: T) {
        self.items().push_back(item);
        poll_fn(|_| match self.items().is_empty() {
            true => Poll::Ready(()),
            false => Poll::Pending,
        })
        .await;
    }
}

/// Stream of the items that an async function yields. Dropping it drops the function.
pub struct YieldedStream<T> {
    items: ItemYielder<T>,
    task: Option<Pin<Box<dyn Future<Output = ()> + Send>>>,
}

impl<T> std::fmt::Debug for YieldedStream<T> {
    fn fmt(&self, formatter: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        formatter.write_str("YieldedStream")
    }
}

impl<T> YieldedStream<T> {
    /// Creates the stream of a function. Nothing happens until it is polled.
    pub(crate) fn new<F>(function: impl FnOnce(ItemYielder<T>) -> F) -> Self
    where
        F: Future<Output = ()> + Send + 'static,
    {
        let items = ItemYielder(Arc::default());
        let task = function(items.clone());
        Self {
            items,
            task: Some(Box::pin(task)),
        }
    }

    /// Creates a stream of the given items.
    pub fn of(items: impl IntoIterator<Item = T>) -> Self {
        Self {
            items: ItemYielder(Arc::new(Mutex::new(items.into_iter().collect()))),
            task: None,
        }
    }

    /// Polls the next item; `None` is the end.
    pub fn poll_next(&mut self, context: &mut Context<'_>) -> Poll<Option<T>> {
        loop {
            if let Some(item) = self.items.items().pop_front() {
                return Poll::Ready(Some(item));
            }
            let Some(task) = &mut self.task else {
                return Poll::Ready(None);
            };
            match task.as_mut().poll(context) {
                Poll::Ready(()) => self.task = None,
                Poll::Pending if self.items.items().is_empty() => return Poll::Pending,
                Poll::Pending => {}
            }
        }
    }

    /// Waits for the next item; `None` is the end.
    pub async fn next(&mut self) -> Option<T> {
        poll_fn(|context| self.poll_next(context)).await
    }
}

impl EventSource for YieldedStream<Event> {
    fn poll_into(
        &mut self,
        context: &mut Context<'_>,
        slot: &mut ReceivedEvent,
    ) -> Poll<Option<Result<(), AgentError>>> {
        self.poll_next(context).map(|next| {
            next.map(|event| {
                *slot = ReceivedEvent::Typed(event);
                Ok(())
            })
        })
    }
}
