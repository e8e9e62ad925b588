//! The future that every method of the store returns.

use std::future::Future;
use std::pin::Pin;
use std::sync::Arc;
use std::task::{Context, Poll, Wake, Waker};
use std::thread::{self, Thread};

use tokio::sync::oneshot;

use crate::error::{Result, StoreError};

/// Future result of a call to the store.
///
/// The work begins with the call, not with the first poll, and completes even if the future is dropped. It
/// is a type of its own because a trait with `async fn` cannot be used as `dyn Store`, and because a result
/// that is ready needs no allocation.
#[must_use = "the result says whether the work succeeded"]
pub struct StoreFuture<T>(FutureState<T>);

enum FutureState<T> {
    Ready(Option<Result<T>>),
    Waiting(oneshot::Receiver<Result<T>>),
    Running(Pin<Box<dyn Future<Output = Result<T>> + Send>>),
}

impl<T> StoreFuture<T> {
    /// Creates a future that is ready.
    pub fn ready(result: Result<T>) -> Self {
        Self(FutureState::Ready(Some(result)))
    }

    /// Creates a future that receives its result through a channel. It resolves to
    /// [`StoreError::Closed`] if the sender is dropped.
    pub fn waiting(receiver: oneshot::Receiver<Result<T>>) -> Self {
        Self(FutureState::Waiting(receiver))
    }

    /// Wraps a future that makes progress only while it is polled.
    pub fn running(future: impl Future<Output = Result<T>> + Send + 'static) -> Self {
        Self(FutureState::Running(Box::pin(future)))
    }

    /// Blocks the thread until the result is there. For programs without a runtime.
    pub fn wait(self) -> Result<T>
    where
        T: Unpin,
    {
        struct ThreadWaker(Thread);
        impl Wake for ThreadWaker {
            fn wake(self: Arc<Self>) {
                self.0.unpark();
            }
        }
        let waker = Waker::from(Arc::new(ThreadWaker(thread::current())));
        let mut context = Context::from_waker(&waker);
        let mut future = self;
        loop {
            match Pin::new(&mut future).poll(&mut context) {
                Poll::Ready(result) => return result,
                Poll::Pending => thread::park(),
            }
        }
    }
}

impl<T: Unpin> Future for StoreFuture<T> {
    type Output = Result<T>;

    fn poll(mut self: Pin<&mut Self>, context: &mut Context<'_>) -> Poll<Result<T>> {
        match &mut self.0 {
            FutureState::Ready(result) => {
                Poll::Ready(result.take().unwrap_or(Err(StoreError::Closed)))
            }
            FutureState::Waiting(receiver) => Pin::new(receiver)
                .poll(context)
                .map(|received| received.unwrap_or(Err(StoreError::Closed))),
            FutureState::Running(future) => future.as_mut().poll(context),
        }
    }
}

impl<T> std::fmt::Debug for StoreFuture<T> {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.write_str(match self.0 {
            FutureState::Ready(_) => "StoreFuture(ready)",
            FutureState::Waiting(_) | FutureState::Running(_) => "StoreFuture(waiting)",
        })
    }
}
