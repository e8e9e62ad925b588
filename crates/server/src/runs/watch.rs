//! Somebody who watches a run: its events as a body.

use std::convert::Infallible;
use std::future::Future;
use std::pin::Pin;
use std::sync::Arc;
use std::task::{Context, Poll, ready};
use std::time::Duration;

use agui::negotiate::Wire;
use bytes::Bytes;
use http_body::Frame;
use store::{Answer, Events, Principal, Sequence, Store, ThreadId};
use tokio::time::{Instant, Sleep, sleep};

use super::live::{BlockBuilder, Live, Next};

/// A comment: it keeps a connection alive through proxies, and readers ignore it.
const HEARTBEAT: &[u8] = b":\n\n";
/// How long nothing is said before a heartbeat is.
const EVERY: Duration = Duration::from_secs(10);
/// How many events are read from the log at a time.
const PAGE: usize = 1_000;

/// The events of a run, from one on.
pub(crate) struct Watcher {
    live: Arc<Live>,
    after: Sequence,
    wire: Wire,
    log: Log,
    timer: Option<Pin<Box<Sleep>>>,
    sent: bool,
}

/// Where events are read that are not in memory any more.
pub(crate) struct Log {
    pub(crate) store: Arc<dyn Store>,
    pub(crate) principal: Principal,
    pub(crate) thread: ThreadId,
    pub(crate) reading: Option<Answer<Events>>,
}

impl Watcher {
    pub(crate) fn new(live: Arc<Live>, after: Sequence, wire: Wire, log: Log) -> Self {
        live.enter();
        Self {
            live,
            after,
            wire,
            log,
            timer: None,
            sent: false,
        }
    }

    fn poll_bytes(&mut self, context: &mut Context<'_>) -> Poll<Option<Bytes>> {
        loop {
            if let Some(reading) = &mut self.log.reading {
                let events = ready!(Pin::new(reading).poll(context));
                self.log.reading = None;
                // What cannot be read cannot be shown; the client may ask again.
                let Ok(events) = events else {
                    return Poll::Ready(None);
                };
                if let Some(bytes) = self.replayed(&events) {
                    return Poll::Ready(Some(bytes));
                }
                return Poll::Ready(None);
            }
            match self.live.poll_after(self.after, context) {
                Poll::Ready(Next::Block(block)) => {
                    let bytes = match self.wire {
                        Wire::Sse => block.sse_after(self.after),
                        Wire::Proto => block.proto_after(self.after),
                    };
                    self.after = block.last();
                    if !bytes.is_empty() {
                        self.sent = true;
                        return Poll::Ready(Some(bytes));
                    }
                }
                Poll::Ready(Next::Behind) => {
                    let log = &mut self.log;
                    let reading = log
                        .store
                        .events(&log.principal, &log.thread, self.after, PAGE);
                    log.reading = Some(reading);
                }
                Poll::Ready(Next::End) => return Poll::Ready(None),
                Poll::Pending => {
                    ready!(self.poll_heartbeat(context));
                    return Poll::Ready(Some(Bytes::from_static(HEARTBEAT)));
                }
            }
        }
    }

    /// Events of the log in the form of the wire.
    fn replayed(&mut self, events: &Events) -> Option<Bytes> {
        let mut block: Option<BlockBuilder> = None;
        for (sequence, json) in events.iter() {
            block
                .get_or_insert_with(|| BlockBuilder::new(sequence, 0))
                .push_json(json);
        }
        let (block, _) = block?.finish();
        let after = std::mem::replace(&mut self.after, block.last());
        Some(match self.wire {
            Wire::Sse => block.sse_after(after),
            Wire::Proto => block.proto_after(after),
        })
    }

    fn poll_heartbeat(&mut self, context: &mut Context<'_>) -> Poll<()> {
        if self.wire != Wire::Sse {
            return Poll::Pending;
        }
        let timer = self.timer.get_or_insert_with(|| Box::pin(sleep(EVERY)));
        while timer.as_mut().poll(context).is_ready() {
            timer.as_mut().reset(Instant::now() + EVERY);
            if !std::mem::take(&mut self.sent) {
                return Poll::Ready(());
            }
        }
        Poll::Pending
    }
}

impl http_body::Body for Watcher {
    type Data = Bytes;
    type Error = Infallible;

    fn poll_frame(
        mut self: Pin<&mut Self>,
        context: &mut Context<'_>,
    ) -> Poll<Option<Result<Frame<Bytes>, Infallible>>> {
        self.poll_bytes(context)
            .map(|bytes| bytes.map(|bytes| Ok(Frame::data(bytes))))
    }
}

impl Drop for Watcher {
    fn drop(&mut self) {
        self.live.leave();
    }
}
