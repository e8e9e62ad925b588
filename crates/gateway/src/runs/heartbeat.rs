//! Heartbeats of idle SSE streams.

use std::future::Future;
use std::pin::Pin;
use std::task::{Context, Poll};
use std::time::Duration;

use agui::negotiate::Encoding;
use bytes::Bytes;
use tokio::time::{Instant, Sleep, sleep};

/// Interval after which an idle stream sends a heartbeat.
const INTERVAL: Duration = Duration::from_secs(10);

/// Timer of heartbeats, which keep a connection open through proxies.
#[derive(Default)]
pub(super) struct Heartbeat {
    timer: Option<Pin<Box<Sleep>>>,
    was_active: bool,
}

impl Heartbeat {
    /// SSE comment, which readers ignore.
    pub(super) const FRAME: Bytes = Bytes::from_static(b":\n\n");

    /// Records that something else was sent.
    pub(super) fn record_activity(&mut self) {
        self.was_active = true;
    }

    /// Returns ready when a heartbeat is due. Protobuf streams have none.
    pub(super) fn poll(&mut self, context: &mut Context<'_>, encoding: Encoding) -> Poll<()> {
        if encoding != Encoding::Sse {
            return Poll::Pending;
        }
        let timer = self.timer.get_or_insert_with(|| Box::pin(sleep(INTERVAL)));
        while timer.as_mut().poll(context).is_ready() {
            timer.as_mut().reset(Instant::now() + INTERVAL);
            if !std::mem::take(&mut self.was_active) {
                return Poll::Ready(());
            }
        }
        Poll::Pending
    }
}
