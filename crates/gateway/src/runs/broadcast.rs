//! Broadcast of an open run to its subscribers.

use std::collections::VecDeque;
use std::sync::Arc;
use std::task::{Context, Poll, Waker};
use std::time::Duration;

use agui::event::Event;
use parking_lot::{Mutex, MutexGuard};
use store::{RunId, Sequence};
use tokio::sync::watch;
use tokio::time::timeout;

use super::event_batch::EventBatch;
use super::joined_events::JoinQueue;
use crate::metrics::RunMetrics;

/// Bytes of JSON that are kept for subscribers. A subscriber that is farther behind reads the log.
const MAX_KEPT_BYTES: usize = 4 << 20;

/// Life of a run.
#[derive(Debug, Clone, Default)]
enum RunLifecycle {
    /// Events follow.
    #[default]
    Open,
    /// The last event ended the run. The agent may still start another run in the same stream.
    Terminated,
    /// An event could not be stored. Subscribers receive this error at the end, which the log does not hold.
    Failed(Arc<str>),
    /// No event follows, except the error of a run that failed.
    Closed(Option<Arc<str>>),
}

/// Open run with the events that its subscribers have not received yet.
#[derive(Debug)]
pub(crate) struct RunBroadcast {
    pub(crate) run: RunId,
    state: Mutex<BroadcastState>,
    /// Number of subscribers.
    subscribers: watch::Sender<usize>,
    metrics: RunMetrics,
    /// Events of posted messages that join the run.
    pub(crate) joined: Arc<JoinQueue>,
}

#[derive(Debug, Default)]
struct BroadcastState {
    batches: VecDeque<Arc<EventBatch>>,
    /// Size of all batches in bytes of JSON.
    size: usize,
    /// Sequence of the last event.
    last: Sequence,
    phase: RunLifecycle,
    wakers: Vec<Waker>,
}

/// Next step of a subscriber.
pub(crate) enum SubscriberStep {
    /// Send the events of this batch.
    Batch(Arc<EventBatch>),
    /// Read the log: the next events are not kept in memory.
    ReadLog,
    /// Send this event, if there is one, and end.
    End(Option<Arc<str>>),
}

impl RunBroadcast {
    /// Creates the broadcast of a new run. `after` is the sequence before its first event.
    pub(crate) fn new(run: RunId, after: Sequence, metrics: RunMetrics) -> Arc<Self> {
        Self::with_phase(run, after, metrics, RunLifecycle::Open)
    }

    /// Creates the broadcast of a run that has ended; the log holds all its events.
    pub(crate) fn ended(run: RunId, last: Sequence) -> Arc<Self> {
        Self::with_phase(run, last, RunMetrics::default(), RunLifecycle::Closed(None))
    }

    fn with_phase(
        run: RunId,
        last: Sequence,
        metrics: RunMetrics,
        phase: RunLifecycle,
    ) -> Arc<Self> {
        Arc::new(Self {
            run,
            state: Mutex::new(BroadcastState {
                last,
                phase,
                ..BroadcastState::default()
            }),
            subscribers: watch::Sender::new(0),
            metrics,
            joined: Arc::default(),
        })
    }

    /// Returns the sequence of the last event.
    pub(crate) fn last(&self) -> Sequence {
        self.state.lock().last
    }

    /// Sends stored events. `is_terminal` is true if the last one ends the run.
    pub(crate) fn publish(&self, batch: EventBatch, is_terminal: bool) {
        let mut state = self.state.lock();
        state.phase = match is_terminal {
            true => RunLifecycle::Terminated,
            false => RunLifecycle::Open,
        };
        let new = batch.last().saturating_sub(state.last);
        self.metrics.events.inc_by(new);
        state.last = batch.last();
        state.size += batch.size();
        state.batches.push_back(Arc::new(batch));
        while state.size > MAX_KEPT_BYTES && state.batches.len() > 1 {
            if let Some(dropped) = state.batches.pop_front() {
                state.size -= dropped.size();
            }
        }
        wake(state);
    }

    /// Records the error that subscribers receive at the end because an event could not be stored.
    pub(crate) fn fail(&self, error: &Event) {
        self.state.lock().phase = RunLifecycle::Failed(error.to_json().into());
    }

    /// Ends the broadcast.
    pub(crate) fn close(&self) {
        let mut state = self.state.lock();
        let error = match std::mem::take(&mut state.phase) {
            RunLifecycle::Failed(error) | RunLifecycle::Closed(Some(error)) => Some(error),
            RunLifecycle::Open | RunLifecycle::Terminated | RunLifecycle::Closed(None) => None,
        };
        state.phase = RunLifecycle::Closed(error);
        wake(state);
    }

    /// Returns the next step of a subscriber that has received the events up to a sequence.
    pub(crate) fn poll_after(
        &self,
        after: Sequence,
        context: &mut Context<'_>,
    ) -> Poll<SubscriberStep> {
        let mut state = self.state.lock();
        if self.subscriber_count() == 1 {
            // The only subscriber has these; one that comes later reads the log.
            while let Some(sent) = state.batches.pop_front_if(|batch| batch.last() <= after) {
                state.size -= sent.size();
            }
        }
        if state.last <= after {
            if let RunLifecycle::Closed(error) = &state.phase {
                return Poll::Ready(SubscriberStep::End(error.clone()));
            }
            let waker = context.waker();
            if !state.wakers.iter().any(|known| known.will_wake(waker)) {
                state.wakers.push(waker.clone());
            }
            return Poll::Pending;
        }
        let at = state.batches.partition_point(|batch| batch.last() <= after);
        match state.batches.get(at) {
            Some(batch) if batch.first() <= after + 1 => {
                Poll::Ready(SubscriberStep::Batch(batch.clone()))
            }
            _ => Poll::Ready(SubscriberStep::ReadLog),
        }
    }

    /// Counts a new subscriber.
    pub(crate) fn enter(&self) {
        self.subscribers.send_modify(|count| *count += 1);
    }

    /// Counts a subscriber that leaves.
    pub(crate) fn leave(&self) {
        self.subscribers
            .send_modify(|count| *count = count.saturating_sub(1));
    }

    /// Returns the number of subscribers and its changes.
    pub(crate) fn subscribers(&self) -> watch::Receiver<usize> {
        self.subscribers.subscribe()
    }

    /// Returns the number of subscribers.
    pub(crate) fn subscriber_count(&self) -> usize {
        *self.subscribers.borrow()
    }

    /// Waits until there is no subscriber, but not for longer than the time given. Returns false if one stays.
    pub(crate) async fn is_left_within(&self, time: Duration) -> bool {
        let mut subscribers = self.subscribers.subscribe();
        let left = subscribers.wait_for(|count| *count == 0);
        timeout(time, left).await.is_ok()
    }

    /// Records the number of events that a subscriber is behind when it takes a batch.
    pub(crate) fn record_lag(&self, after: Sequence) {
        let lag = self.last().saturating_sub(after);
        self.metrics.subscriber_lag.observe(lag as f64);
    }

    /// Returns true if the last event ended the run or if the run failed.
    pub(crate) fn has_sent_end(&self) -> bool {
        !matches!(self.state.lock().phase, RunLifecycle::Open)
    }
}

/// Wakes all subscribers after the lock was released, because they take it.
fn wake(mut state: MutexGuard<'_, BroadcastState>) {
    let wakers = std::mem::take(&mut state.wakers);
    drop(state);
    for waker in wakers {
        waker.wake();
    }
}
