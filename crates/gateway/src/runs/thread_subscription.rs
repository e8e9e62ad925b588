//! Subscription to a thread, as a response body: the events of its runs so far and of those to come.

use std::future::Future;
use std::pin::Pin;
use std::sync::Arc;
use std::task::{Context, Poll, ready};

use bytes::Bytes;
use store::Sequence;
use tokio::sync::oneshot;

use super::Key;
use super::broadcast::RunBroadcast;
use super::heartbeat::Heartbeat;
use super::manager::RunManager;
use super::run_subscription::RunSubscriber;
use super::thread_log::ThreadLog;

/// Subscriber of a thread: receives events from a position for as long as the client stays.
pub struct ThreadSubscriber {
    runs: Arc<RunManager>,
    key: Key,
    log: ThreadLog,
    /// Encoded events that are sent first.
    snapshot: Option<Bytes>,
    stage: SubscriberStage,
    /// True if it waits for later runs once no run is open.
    waits: bool,
    heartbeat: Heartbeat,
    shutdown: Pin<Box<dyn Future<Output = ()> + Send>>,
}

enum SubscriberStage {
    /// The open run of the thread, if any, has to be looked up.
    LookUp,
    /// A run is open.
    Subscribed(RunSubscriber),
    /// The log is read; the next run will be announced.
    ReadingLog(oneshot::Receiver<Arc<RunBroadcast>>),
    /// The client has all events; the next run will be announced.
    Waiting(oneshot::Receiver<Arc<RunBroadcast>>),
    Ended,
}

impl ThreadSubscriber {
    pub(super) fn new(
        runs: Arc<RunManager>,
        key: Key,
        log: ThreadLog,
        snapshot: Option<Bytes>,
    ) -> Self {
        let mut shutdown = runs.shutdown_signal();
        Self {
            runs,
            key,
            log,
            snapshot,
            stage: SubscriberStage::LookUp,
            waits: true,
            heartbeat: Heartbeat::default(),
            shutdown: Box::pin(async move {
                // An error means that the manager is gone, which is a shutdown as well.
                let _ = shutdown
                    .wait_for(|is_shutting_down| *is_shutting_down)
                    .await;
            }),
        }
    }

    /// Makes it end as soon as no run is open.
    #[must_use]
    pub fn until_idle(mut self) -> Self {
        self.waits = false;
        self
    }

    fn subscribe(&mut self, broadcast: Arc<RunBroadcast>) {
        let log = self.runs.log(&self.key, self.log.after, self.log.format);
        self.stage = SubscriberStage::Subscribed(RunSubscriber::new(broadcast, log));
    }

    /// Returns the next bytes, or `None` once the thread was deleted, the server shuts down, the end of a run could
    /// not be stored, or no run is open and it does not wait for one.
    pub fn poll_bytes(&mut self, context: &mut Context<'_>) -> Poll<Option<Bytes>> {
        if let Some(snapshot) = self.snapshot.take() {
            return Poll::Ready(Some(snapshot));
        }
        loop {
            match &mut self.stage {
                SubscriberStage::LookUp => {
                    // The announcement is requested before the look-up, so that no run is missed in between.
                    let announced = self.runs.announcements().next_run(&self.key);
                    match self.runs.open_run(&self.key) {
                        Some(broadcast) => self.subscribe(broadcast),
                        None => self.stage = SubscriberStage::ReadingLog(announced),
                    }
                }
                SubscriberStage::Subscribed(subscriber) => {
                    let bytes = ready!(subscriber.poll_bytes(context));
                    self.log.after = subscriber.after();
                    if bytes.is_some() {
                        return Poll::Ready(bytes);
                    }
                    self.stage = match subscriber.is_cut_off() {
                        true => SubscriberStage::Ended,
                        false => SubscriberStage::LookUp,
                    };
                }
                SubscriberStage::ReadingLog(_) => {
                    match ready!(self.log.poll_page(context, || Sequence::MAX)) {
                        Ok(Some(bytes)) => return Poll::Ready(Some(bytes)),
                        Ok(None) => {
                            if let SubscriberStage::ReadingLog(announced) =
                                std::mem::replace(&mut self.stage, SubscriberStage::Ended)
                            {
                                self.stage = SubscriberStage::Waiting(announced);
                            }
                        }
                        Err(_) => self.stage = SubscriberStage::Ended,
                    }
                }
                SubscriberStage::Waiting(_) if !self.waits => {
                    self.stage = SubscriberStage::Ended;
                }
                SubscriberStage::Waiting(announced) => {
                    if let Poll::Ready(announced) = Pin::new(announced).poll(context) {
                        match announced {
                            Ok(broadcast) => self.subscribe(broadcast),
                            // The thread was deleted.
                            Err(_) => self.stage = SubscriberStage::Ended,
                        }
                        continue;
                    }
                    if self.shutdown.as_mut().poll(context).is_ready() {
                        self.stage = SubscriberStage::Ended;
                        continue;
                    }
                    ready!(self.heartbeat.poll(context, self.log.format.encoding));
                    return Poll::Ready(Some(Heartbeat::FRAME));
                }
                SubscriberStage::Ended => return Poll::Ready(None),
            }
        }
    }
}

impl Drop for ThreadSubscriber {
    fn drop(&mut self) {
        // The receiver is dropped first, so that its sender counts as unused.
        self.stage = SubscriberStage::Ended;
        self.runs.announcements().prune(&self.key);
    }
}
