//! The task of a run: events are stored, then shown.

use std::future::{Future, poll_fn};
use std::pin::pin;
use std::sync::Arc;
use std::sync::atomic::{AtomicUsize, Ordering};
use std::task::{Context, Poll};
use std::time::Duration;

use agui::event::{Event, RunError};
use agui::{AgentError, EventStream, ReceivedEvent};
use json::Text;
use store::{Checkpoint, OpenRun, RunId, RunStatus, Store, StoreError, StoredRunEnd, Timestamp};
use tokio::sync::watch;
use tokio::task::yield_now;
use tokio::time::{Instant, sleep, sleep_until};
use tracing::Instrument as _;

use super::broadcast::{EventBatchBuilder, RunBroadcast};
use super::manager::Key;
use super::pending_evidence::{PendingEvidence, ThreadRecord};
use super::run_view::{RunView, read_run};
use super::stop::{RunStop, stop_requested};
use crate::traces::append_span;

/// How many bytes are collected before they are stored, however much more is ready.
const MAX_BLOCK: usize = 128 * 1024;

/// The state after a run with a log of so many bytes at most is not stored but read back from there when it is asked
/// for.
const READ_BACK: usize = 1 << 20;

/// How soon after a block the next one follows; events that come faster leave together. Models are slower than that.
const PACE: Duration = Duration::from_millis(2);

/// How often all others go first before what follows the first events is stored: microseconds, unless there is much
/// to do.
const TURNS: usize = 4;

/// A run and where it goes.
pub(crate) struct RunTask {
    pub(crate) stream: EventStream,
    pub(crate) live: Arc<RunBroadcast>,
    pub(crate) key: Key,
    pub(crate) open: OpenRun,
    pub(crate) store: Arc<dyn Store>,
    pub(crate) clock: fn() -> Timestamp,
    /// The evidence that its events link to.
    pub(crate) evidence: PendingEvidence,
    /// What is to be kept beside the state.
    pub(crate) record: ThreadRecord,
    pub(crate) stop: watch::Receiver<RunStop>,
    /// How long the stream may take to end once it was told to.
    pub(crate) patience: Duration,
    /// What the client has by now.
    pub(crate) seen: RunView,
    /// How many bytes of it were stored.
    pub(super) stored: usize,
    pub(super) usual: Arc<BatchSizeEstimate>,
}

/// How many bytes blocks had lately, in all runs: the next are expected to be like them, because one that has to grow is
/// copied.
#[derive(Debug, Default)]
pub(crate) struct BatchSizeEstimate {
    first: AtomicUsize,
    other: AtomicUsize,
}

/// Why a stream is not read on.
enum StreamEnd {
    No,
    ByItself,
    Stopped(Event),
}

impl RunTask {
    /// Stores and shows what the stream says, to its end, which is stored with the last it says; how it ended, if that
    /// could be stored.
    pub(crate) async fn run(&mut self) -> Option<RunStatus> {
        match self.carry_on().await {
            Ok(status) => Some(status),
            Err(error) => {
                // What cannot be stored is not shown; that it cannot is.
                self.live.fail(&storage_failed(&error));
                None
            }
        }
    }

    async fn carry_on(&mut self) -> Result<RunStatus, StoreError> {
        let mut slot = ReceivedEvent::default();
        let mut next = self.open.after + 1;
        let mut first = true;
        let mut shown = Instant::now();
        let (stop, patience) = (&mut self.stop, self.patience);
        let mut overdue = pin!(async {
            let stop = stop_requested(stop).await;
            sleep(patience).await;
            run_error(stop.message(), stop.code())
        });
        loop {
            let usual = match first {
                true => &self.usual.first,
                false => &self.usual.other,
            };
            let mut block = EventBatchBuilder::new(next, usual.load(Ordering::Relaxed));
            let (seen, stream) = (&mut self.seen, &mut self.stream);
            let mut drain = |context: &mut Context<'_>| {
                while block.len() < MAX_BLOCK {
                    match stream.poll_into(context, &mut slot) {
                        Poll::Ready(Some(Ok(()))) => {
                            seen.apply(&slot);
                            block.push(&slot);
                        }
                        Poll::Ready(Some(Err(error))) => {
                            return Poll::Ready(StreamEnd::Stopped(broken(&error)));
                        }
                        Poll::Ready(None) => return Poll::Ready(StreamEnd::ByItself),
                        Poll::Pending if block.len() > 0 => return Poll::Ready(StreamEnd::No),
                        Poll::Pending => {
                            return overdue.as_mut().poll(context).map(StreamEnd::Stopped);
                        }
                    }
                }
                Poll::Ready(StreamEnd::No)
            };
            let mut ended = poll_fn(&mut drain).await;
            if matches!(ended, StreamEnd::No) && !first {
                // Others go first, above all those that have said nothing yet. What comes meanwhile is stored and
                // sent together with this: events that come one by one cost a fraction when they leave together.
                if shown.elapsed() < PACE {
                    sleep_until(shown + PACE).await;
                }
                for _ in 0..TURNS {
                    yield_now().await;
                }
                ended = poll_fn(&mut drain).await;
            }
            first = false;
            let goes_on = matches!(ended, StreamEnd::No);
            if let StreamEnd::Stopped(event) = ended {
                let event = ReceivedEvent::Typed(event);
                seen.apply(&event);
                block.push(&event);
            }
            let status = seen.status;
            let length = block.len();
            // A little more, so that the next one fits; no more than that for one that was out of the ordinary.
            let next_size = (length + length / 16).min(MAX_BLOCK + MAX_BLOCK / 16);
            usual.store(next_size, Ordering::Relaxed);
            let (block, batch) = block.finish();
            // What the events link to was found before they were made.
            let batch = batch.with_verifications(self.evidence.take());
            let span = append_span(block.count(), length);
            if !goes_on {
                let status = match status {
                    RunStatus::Open => RunStatus::Failed,
                    status => status,
                };
                let checkpoint = Checkpoint {
                    record: self.record.take(),
                    ..seen.checkpoint(next + block.count() - 1)
                };
                let end = StoredRunEnd {
                    last: batch,
                    status,
                    at: (self.clock)(),
                    checkpoint: Some(checkpoint),
                };
                let ended = self.store.end_run(self.open, end).instrument(span);
                ended.await?;
                if length > 0 {
                    self.live.publish(block, true);
                }
                return Ok(status);
            }
            // A stream that goes on has said something.
            let stored = self.store.append(self.open, batch).instrument(span);
            stored.await?;
            next += block.count();
            self.stored += length;
            self.live.publish(block, status != RunStatus::Open);
            shown = Instant::now();
            if self.stored > READ_BACK && !self.seen.follow_state() {
                self.seen = read_so_far(&self.store, &self.key, &self.live.run).await?;
            }
        }
    }
}

/// What a run has said so far, with the state.
async fn read_so_far(
    store: &Arc<dyn Store>,
    (principal, thread): &Key,
    run: &RunId,
) -> Result<RunView, StoreError> {
    let run = store.run(principal, thread, run).await?;
    let run = run.ok_or(StoreError::NotFound { what: "the run" })?;
    let (seen, _) = read_run(store, principal, thread, &run).await?;
    Ok(seen)
}

pub(super) fn run_error(message: &str, code: &str) -> Event {
    Event::from(RunError {
        message: Text::from(message),
        code: Some(Text::from(code)),
        usage: None,
    })
}

/// How a stream that broke off ends for the client.
fn broken(error: &AgentError) -> Event {
    run_error(&error.to_string(), error.code())
}

/// How a run ends that cannot be stored any more.
pub(super) fn storage_failed(error: &StoreError) -> Event {
    run_error(&format!("{error}; {}", error.hint()), "storage")
}
