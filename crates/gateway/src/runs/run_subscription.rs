//! Subscription to one run, as a response body.

use std::future::poll_fn;
use std::sync::Arc;
use std::task::{Context, Poll, ready};
use std::time::Duration;

use bytes::Bytes;
use store::Sequence;
use tokio::time::timeout;

use super::broadcast::{RunBroadcast, SubscriberStep};
use super::frame_encoder::encode_events;
use super::heartbeat::Heartbeat;
use super::thread_log::ThreadLog;

/// Longest time that the head of a response waits for the first events, so that they leave together.
const FIRST_EVENTS_TIMEOUT: Duration = Duration::from_millis(10);

/// Subscriber of a run: receives its events from a position to its end.
pub struct RunSubscriber {
    broadcast: Arc<RunBroadcast>,
    log: ThreadLog,
    heartbeat: Heartbeat,
    has_sent_error: bool,
    /// True if the end that was sent is not in the log.
    has_unstored_end: bool,
    has_log_failed: bool,
    /// Bytes that were taken early and are sent first.
    first_events: Option<Bytes>,
}

impl RunSubscriber {
    pub(super) fn new(broadcast: Arc<RunBroadcast>, log: ThreadLog) -> Self {
        broadcast.enter();
        Self {
            broadcast,
            log,
            heartbeat: Heartbeat::default(),
            has_sent_error: false,
            has_unstored_end: false,
            has_log_failed: false,
            first_events: None,
        }
    }

    /// Waits for the first events, but not for long, so that they leave together with the head of the response.
    pub(crate) async fn with_first_events(mut self) -> Self {
        let first = poll_fn(|context| self.poll_bytes(context));
        if let Ok(first) = timeout(FIRST_EVENTS_TIMEOUT, first).await {
            self.first_events = first;
        }
        self
    }

    /// Returns true if the client has to reconnect: the log could not be read, or lacks the end that was sent.
    pub(super) fn is_cut_off(&self) -> bool {
        self.has_log_failed || self.has_unstored_end
    }

    /// Returns the sequence of the last event that the client has.
    pub(super) fn after(&self) -> Sequence {
        self.log.after
    }

    fn poll_log(&mut self, context: &mut Context<'_>) -> Poll<Option<Bytes>> {
        // The log may already hold events of the next run.
        let broadcast = &self.broadcast;
        let page = ready!(self.log.poll_page(context, || broadcast.last())).unwrap_or(None);
        // Without its log the subscription ends; the client may reconnect.
        self.has_log_failed = page.is_none();
        Poll::Ready(page)
    }

    /// Returns the next bytes, or `None` at the end of the run.
    pub fn poll_bytes(&mut self, context: &mut Context<'_>) -> Poll<Option<Bytes>> {
        if let Some(first) = self.first_events.take() {
            return Poll::Ready(Some(first));
        }
        loop {
            if self.log.is_reading() {
                return self.poll_log(context);
            }
            match self.broadcast.poll_after(self.log.after, context) {
                Poll::Ready(SubscriberStep::Batch(batch)) => {
                    self.broadcast.record_lag(self.log.after);
                    let bytes = batch.encoded_after(self.log.after, self.log.format);
                    self.log.after = batch.last();
                    if !bytes.is_empty() {
                        self.heartbeat.record_activity();
                        return Poll::Ready(Some(bytes));
                    }
                }
                Poll::Ready(SubscriberStep::ReadLog) => return self.poll_log(context),
                Poll::Ready(SubscriberStep::End(error)) => {
                    let had_sent_error = std::mem::replace(&mut self.has_sent_error, true);
                    self.has_unstored_end |= error.is_some();
                    let error = error.filter(|_| !had_sent_error);
                    let encode = |event: Arc<str>| {
                        encode_events([(None, &*event)], event.len(), self.log.format)
                    };
                    return Poll::Ready(error.map(encode));
                }
                Poll::Pending => {
                    ready!(self.heartbeat.poll(context, self.log.format.encoding));
                    return Poll::Ready(Some(Heartbeat::FRAME));
                }
            }
        }
    }
}

impl Drop for RunSubscriber {
    fn drop(&mut self) {
        self.broadcast.leave();
    }
}
