//! Somebody who watches a run: its events as a body.

use std::convert::Infallible;
use std::future::{Future, poll_fn};
use std::pin::Pin;
use std::sync::Arc;
use std::task::{Context, Poll, ready};
use std::time::Duration;

use agui::negotiate::Encoding;
use bytes::Bytes;
use http_body::Frame;
use store::{LogPage, Principal, Sequence, Store, StoreFuture, ThreadId};
use tokio::time::{Instant, Sleep, sleep, timeout};

use super::broadcast::{RunBroadcast, SubscriberStep, frames};
use super::run_view::PAGE;

/// How long the head of an answer waits for the first events.
const HEAD_WAITS: Duration = Duration::from_millis(10);
/// How long nothing is said before a heartbeat is.
const EVERY: Duration = Duration::from_secs(10);

/// The events of a run, from one on.
pub struct RunSubscriber {
    live: Arc<RunBroadcast>,
    log: ThreadLog,
    heartbeat: HeartbeatTimer,
    told: bool,
    /// The log could not be read.
    cut_off: bool,
    /// What was taken already, and is sent first.
    ahead: Option<Bytes>,
}

/// A thread's log, read from one event on.
pub(crate) struct ThreadLog {
    store: Arc<dyn Store>,
    principal: Principal,
    thread: ThreadId,
    pub(super) encoding: Encoding,
    /// The last event that the client has.
    pub(super) after: Sequence,
    reading: Option<StoreFuture<LogPage>>,
}

impl ThreadLog {
    pub(crate) fn new(
        store: Arc<dyn Store>,
        (principal, thread): (Principal, ThreadId),
        after: Sequence,
        encoding: Encoding,
    ) -> Self {
        Self {
            store,
            principal,
            thread,
            encoding,
            after,
            reading: None,
        }
    }

    /// The next events, up to one; `None` if there are no more. What cannot be read is an error.
    pub(super) fn poll_page(
        &mut self,
        context: &mut Context<'_>,
        until: impl FnOnce() -> Sequence,
    ) -> Poll<Result<Option<Bytes>, ()>> {
        let reading = self.reading.get_or_insert_with(|| {
            self.store
                .events(&self.principal, &self.thread, self.after, PAGE)
        });
        let events = ready!(Pin::new(reading).poll(context));
        self.reading = None;
        Poll::Ready(match events {
            Ok(events) => Ok(self.taken(&events, until())),
            Err(error) => {
                tracing::warn!(thread = %self.thread, %error, "a log cannot be read");
                Err(())
            }
        })
    }

    /// Whether a page is being read.
    fn is_reading(&self) -> bool {
        self.reading.is_some()
    }

    fn taken(&mut self, events: &LogPage, until: Sequence) -> Option<Bytes> {
        let last = events.chunks.last()?.last().min(until);
        if last <= self.after {
            return None;
        }
        self.after = last;
        let wanted = events.iter().take_while(|(sequence, _)| *sequence <= last);
        let texts = wanted.filter_map(|(sequence, json)| {
            let json = std::str::from_utf8(json).ok()?;
            Some((Some(sequence), json))
        });
        Some(frames(texts, events.size(), self.encoding))
    }
}

impl RunSubscriber {
    pub(crate) fn new(live: Arc<RunBroadcast>, log: ThreadLog) -> Self {
        live.enter();
        Self {
            live,
            log,
            heartbeat: HeartbeatTimer::default(),
            told: false,
            cut_off: false,
            ahead: None,
        }
    }

    /// Waits for the first events, but not for long: they leave together with the head of the answer.
    pub(crate) async fn with_first(mut self) -> Self {
        let first = poll_fn(|context| self.poll_bytes(context));
        if let Ok(first) = timeout(HEAD_WAITS, first).await {
            self.ahead = first;
        }
        self
    }

    /// Whether it ended because the log could not be read.
    pub(super) fn is_cut_off(&self) -> bool {
        self.cut_off
    }

    fn poll_log(&mut self, context: &mut Context<'_>) -> Poll<Option<Bytes>> {
        // The next run may have begun behind this one.
        let live = &self.live;
        let page = ready!(self.log.poll_page(context, || live.last())).unwrap_or(None);
        // What cannot be read cannot be shown; the client may ask again.
        self.cut_off = page.is_none();
        Poll::Ready(page)
    }

    /// The last event that the client has.
    pub(super) fn after(&self) -> Sequence {
        self.log.after
    }

    pub(super) fn poll_bytes(&mut self, context: &mut Context<'_>) -> Poll<Option<Bytes>> {
        loop {
            if self.log.is_reading() {
                return self.poll_log(context);
            }
            match self.live.poll_after(self.log.after, context) {
                Poll::Ready(SubscriberStep::Block(block)) => {
                    self.live.taken(self.log.after);
                    let bytes = block.after(self.log.after, self.log.encoding);
                    self.log.after = block.last();
                    if !bytes.is_empty() {
                        self.heartbeat.spoke();
                        return Poll::Ready(Some(bytes));
                    }
                }
                Poll::Ready(SubscriberStep::Behind) => {
                    return self.poll_log(context);
                }
                Poll::Ready(SubscriberStep::End(failure)) => {
                    let failure = failure.filter(|_| !std::mem::replace(&mut self.told, true));
                    let encoding = self.log.encoding;
                    return Poll::Ready(
                        failure.map(|event| frames([(None, &*event)], 0, encoding)),
                    );
                }
                Poll::Pending => {
                    ready!(self.heartbeat.poll(context, self.log.encoding));
                    return Poll::Ready(Some(HeartbeatTimer::SAID));
                }
            }
        }
    }
}

/// Says something when nobody has for a while.
#[derive(Default)]
pub(super) struct HeartbeatTimer {
    timer: Option<Pin<Box<Sleep>>>,
    spoke: bool,
}

impl HeartbeatTimer {
    /// A comment: it keeps a connection alive through proxies, and readers ignore it.
    pub(super) const SAID: Bytes = Bytes::from_static(b":\n\n");

    /// Something was said.
    pub(super) fn spoke(&mut self) {
        self.spoke = true;
    }

    /// Ready when a heartbeat is due.
    pub(super) fn poll(&mut self, context: &mut Context<'_>, encoding: Encoding) -> Poll<()> {
        if encoding != Encoding::Sse {
            return Poll::Pending;
        }
        let timer = self.timer.get_or_insert_with(|| Box::pin(sleep(EVERY)));
        while timer.as_mut().poll(context).is_ready() {
            timer.as_mut().reset(Instant::now() + EVERY);
            if !std::mem::take(&mut self.spoke) {
                return Poll::Ready(());
            }
        }
        Poll::Pending
    }
}

impl http_body::Body for RunSubscriber {
    type Data = Bytes;
    type Error = Infallible;

    fn poll_frame(
        mut self: Pin<&mut Self>,
        context: &mut Context<'_>,
    ) -> Poll<Option<Result<Frame<Bytes>, Infallible>>> {
        let bytes = match self.ahead.take() {
            Some(first) => Some(first),
            None => ready!(self.poll_bytes(context)),
        };
        Poll::Ready(bytes.map(|bytes| Ok(Frame::data(bytes))))
    }
}

impl Drop for RunSubscriber {
    fn drop(&mut self) {
        self.live.leave();
    }
}
