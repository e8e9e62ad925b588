//! Calls of one answer: which tool they mean, and running them in parallel.

use std::future::poll_fn;
use std::task::Poll;

use crate::model::ModelToolCall;
use crate::tool::{ToolError, ToolFuture};

/// Call that runs.
pub(super) struct RunningCall {
    pub(super) call: ModelToolCall,
    pub(super) future: ToolFuture,
}

/// Calls that run in parallel. Results come in the order in which they are ready.
#[derive(Default)]
pub(super) struct RunningCalls(Vec<RunningCall>);

impl RunningCalls {
    pub(super) fn push(&mut self, call: ModelToolCall, future: ToolFuture) {
        self.0.push(RunningCall { call, future });
    }

    /// Waits for the next result; `None` once all calls are done.
    pub(super) async fn next(&mut self) -> Option<(ModelToolCall, Result<String, ToolError>)> {
        poll_fn(|context| {
            if self.0.is_empty() {
                return Poll::Ready(None);
            }
            for at in 0..self.0.len() {
                if let Poll::Ready(result) = self.0[at].future.as_mut().poll(context) {
                    let done = self.0.remove(at);
                    return Poll::Ready(Some((done.call, result)));
                }
            }
            Poll::Pending
        })
        .await
    }
}
