//! Somebody who follows a thread: the events of its runs, those that were and those to come.

use std::convert::Infallible;
use std::future::Future;
use std::pin::Pin;
use std::sync::Arc;
use std::task::{Context, Poll, ready};

use bytes::Bytes;
use http_body::Frame;
use store::Sequence;
use tokio::sync::oneshot;

use super::broadcast::RunBroadcast;
use super::manager::{Key, RunManager};
use super::run_subscription::{HeartbeatTimer, RunSubscriber, ThreadLog};

/// The events of a thread, from one on, as long as the client stays.
pub struct ThreadSubscriber {
    runs: Arc<RunManager>,
    key: Key,
    log: ThreadLog,
    /// What comes first.
    opening: Option<Bytes>,
    stage: SubscriberStage,
    heartbeat: HeartbeatTimer,
    shutdown: Pin<Box<dyn Future<Output = ()> + Send>>,
}

enum SubscriberStage {
    /// Nothing is known of where the thread is.
    Lost,
    /// A run goes on.
    Watching(RunSubscriber),
    /// What is in the log is read; the next run is announced.
    Reading(oneshot::Receiver<Arc<RunBroadcast>>),
    /// The client has everything.
    Waiting(oneshot::Receiver<Arc<RunBroadcast>>),
    Ended,
}

impl ThreadSubscriber {
    pub(super) fn new(
        runs: Arc<RunManager>,
        key: Key,
        log: ThreadLog,
        opening: Option<Bytes>,
    ) -> Self {
        let mut shutdown = runs.shutdown.subscribe();
        Self {
            runs,
            key,
            log,
            opening,
            stage: SubscriberStage::Lost,
            heartbeat: HeartbeatTimer::default(),
            shutdown: Box::pin(async move {
                // A server that is gone is one that ends.
                let _ = shutdown.wait_for(|down| *down).await;
            }),
        }
    }

    fn watch(&mut self, live: Arc<RunBroadcast>) {
        let log = self.runs.log(&self.key, self.log.after, self.log.encoding);
        self.stage = SubscriberStage::Watching(RunSubscriber::new(live, log));
    }

    fn poll_bytes(&mut self, context: &mut Context<'_>) -> Poll<Option<Bytes>> {
        if let Some(opening) = self.opening.take() {
            return Poll::Ready(Some(opening));
        }
        loop {
            match &mut self.stage {
                SubscriberStage::Lost => {
                    // Announced first, looked for then: no run can begin unnoticed in between.
                    let announced = self.runs.announce(&self.key);
                    match self.runs.live(&self.key) {
                        Some(live) => self.watch(live),
                        None => self.stage = SubscriberStage::Reading(announced),
                    }
                }
                SubscriberStage::Watching(watcher) => {
                    let bytes = ready!(watcher.poll_bytes(context));
                    self.log.after = watcher.after();
                    if bytes.is_some() {
                        return Poll::Ready(bytes);
                    }
                    self.stage = if watcher.is_cut_off() {
                        SubscriberStage::Ended
                    } else {
                        SubscriberStage::Lost
                    };
                }
                SubscriberStage::Reading(_) => {
                    match ready!(self.log.poll_page(context, || Sequence::MAX)) {
                        Ok(Some(bytes)) => return Poll::Ready(Some(bytes)),
                        Ok(None) => {
                            if let SubscriberStage::Reading(announced) =
                                std::mem::replace(&mut self.stage, SubscriberStage::Ended)
                            {
                                self.stage = SubscriberStage::Waiting(announced);
                            }
                        }
                        Err(()) => self.stage = SubscriberStage::Ended,
                    }
                }
                SubscriberStage::Waiting(announced) => {
                    if let Poll::Ready(announced) = Pin::new(announced).poll(context) {
                        match announced {
                            Ok(live) => self.watch(live),
                            // The thread was deleted.
                            Err(_) => self.stage = SubscriberStage::Ended,
                        }
                        continue;
                    }
                    if self.shutdown.as_mut().poll(context).is_ready() {
                        self.stage = SubscriberStage::Ended;
                        continue;
                    }
                    ready!(self.heartbeat.poll(context, self.log.encoding));
                    return Poll::Ready(Some(HeartbeatTimer::SAID));
                }
                SubscriberStage::Ended => return Poll::Ready(None),
            }
        }
    }
}

impl http_body::Body for ThreadSubscriber {
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

impl Drop for ThreadSubscriber {
    fn drop(&mut self) {
        // The receiver is gone first, so that its sender is found to be of no use.
        self.stage = SubscriberStage::Ended;
        self.runs.forget_announcements(&self.key);
    }
}
