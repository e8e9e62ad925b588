//! The future of an answer.

use std::future::Future;
use std::pin::Pin;
use std::sync::Arc;
use std::task::{Context, Poll, Wake, Waker};
use std::thread::{self, Thread};

use tokio::sync::oneshot;

use crate::error::{Result, StoreError};

/// What the store will answer.
///
/// The work begins with the call, not when this is polled, and goes on if this is dropped: what was
/// handed over is stored although the one who asked has left. A type of its own, because a trait with
/// `async fn` cannot be used as `dyn Store`, and because an answer that is there already costs no
/// allocation.
#[must_use = "nobody hears whether it was stored"]
pub struct StoreFuture<T>(FutureState<T>);

enum FutureState<T> {
    Ready(Option<Result<T>>),
    Waiting(oneshot::Receiver<Result<T>>),
    Running(Pin<Box<dyn Future<Output = Result<T>> + Send>>),
}

impl<T> StoreFuture<T> {
    /// An answer that is there.
    pub fn ready(result: Result<T>) -> Self {
        Self(FutureState::Ready(Some(result)))
    }

    /// An answer that comes through a channel; [`StoreError::Closed`] if its sender goes away.
    pub fn waiting(receiver: oneshot::Receiver<Result<T>>) -> Self {
        Self(FutureState::Waiting(receiver))
    }

    /// An answer that has to be polled for, by implementations that need it.
    pub fn running(future: impl Future<Output = Result<T>> + Send + 'static) -> Self {
        Self(FutureState::Running(Box::pin(future)))
    }

    /// Waits for the answer on this thread; for programs that have nothing else to do.
    pub fn wait(self) -> Result<T>
    where
        T: Unpin,
    {
        struct ParkedResult(Thread);
        impl Wake for ParkedResult {
            fn wake(self: Arc<Self>) {
                self.0.unpark();
            }
        }
        let waker = Waker::from(Arc::new(ParkedResult(thread::current())));
        let mut context = Context::from_waker(&waker);
        let mut answer = self;
        loop {
            match Pin::new(&mut answer).poll(&mut context) {
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
            FutureState::Ready(_) => "Answer(ready)",
            FutureState::Waiting(_) | FutureState::Running(_) => "Answer(waiting)",
        })
    }
}
