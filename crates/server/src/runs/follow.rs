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

use super::live::Live;
use super::watch::{Heartbeat, Log, Watcher};
use super::{Key, Runs};

/// The events of a thread, from one on, as long as the client stays.
pub(crate) struct Follower {
    runs: Arc<Runs>,
    key: Key,
    log: Log,
    /// What comes first.
    opening: Option<Bytes>,
    stage: Stage,
    heartbeat: Heartbeat,
    shutdown: Pin<Box<dyn Future<Output = ()> + Send>>,
}

enum Stage {
    /// Nothing is known of where the thread is.
    Lost,
    /// A run goes on.
    Watching(Watcher),
    /// What is in the log is read; the next run is announced.
    Reading(oneshot::Receiver<Arc<Live>>),
    /// The client has everything.
    Waiting(oneshot::Receiver<Arc<Live>>),
    Ended,
}

impl Follower {
    pub(super) fn new(runs: Arc<Runs>, key: Key, log: Log, opening: Option<Bytes>) -> Self {
        let mut shutdown = runs.shutdown.subscribe();
        Self {
            runs,
            key,
            log,
            opening,
            stage: Stage::Lost,
            heartbeat: Heartbeat::default(),
            shutdown: Box::pin(async move {
                // A server that is gone is one that ends.
                let _ = shutdown.wait_for(|down| *down).await;
            }),
        }
    }

    fn watch(&mut self, live: Arc<Live>) {
        let log = self.runs.log(&self.key, self.log.after, self.log.wire);
        self.stage = Stage::Watching(Watcher::new(live, log));
    }

    fn poll_bytes(&mut self, context: &mut Context<'_>) -> Poll<Option<Bytes>> {
        if let Some(opening) = self.opening.take() {
            return Poll::Ready(Some(opening));
        }
        loop {
            match &mut self.stage {
                Stage::Lost => {
                    // Announced first, looked for then: no run can begin unnoticed in between.
                    let announced = self.runs.announce(&self.key);
                    match self.runs.live(&self.key) {
                        Some(live) => self.watch(live),
                        None => self.stage = Stage::Reading(announced),
                    }
                }
                Stage::Watching(watcher) => {
                    let bytes = ready!(watcher.poll_bytes(context));
                    self.log.after = watcher.after();
                    if bytes.is_some() {
                        return Poll::Ready(bytes);
                    }
                    self.stage = if watcher.is_cut_off() {
                        Stage::Ended
                    } else {
                        Stage::Lost
                    };
                }
                Stage::Reading(_) => match ready!(self.log.poll_page(context, || Sequence::MAX)) {
                    Ok(Some(bytes)) => return Poll::Ready(Some(bytes)),
                    Ok(None) => {
                        if let Stage::Reading(announced) =
                            std::mem::replace(&mut self.stage, Stage::Ended)
                        {
                            self.stage = Stage::Waiting(announced);
                        }
                    }
                    Err(()) => self.stage = Stage::Ended,
                },
                Stage::Waiting(announced) => {
                    if let Poll::Ready(announced) = Pin::new(announced).poll(context) {
                        match announced {
                            Ok(live) => self.watch(live),
                            // The thread was deleted.
                            Err(_) => self.stage = Stage::Ended,
                        }
                        continue;
                    }
                    if self.shutdown.as_mut().poll(context).is_ready() {
                        self.stage = Stage::Ended;
                        continue;
                    }
                    ready!(self.heartbeat.poll(context, self.log.wire));
                    return Poll::Ready(Some(Heartbeat::SAID));
                }
                Stage::Ended => return Poll::Ready(None),
            }
        }
    }
}

impl http_body::Body for Follower {
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

impl Drop for Follower {
    fn drop(&mut self) {
        // The receiver is gone first, so that its sender is found to be of no use.
        self.stage = Stage::Ended;
        self.runs.forget_announcements(&self.key);
    }
}
