//! Task of a run: reads the agent's events, stores them in batches and broadcasts them.

use std::future::{Future, poll_fn};
use std::pin::{Pin, pin};
use std::sync::Arc;
use std::task::{Context, Poll};
use std::time::Duration;

use agui::event::{Event, RunError};
use agui::{AgentError, EventStream, ReceivedEvent};
use json::Text;
use store::{
    Checkpoint, OpenRun, RunId, RunStatus, Sequence, Store, StoreError, StoredRunEnd, Timestamp,
};
use tokio::time::{Instant, sleep, sleep_until};
use tracing::Instrument as _;

use super::Key;
use super::broadcast::RunBroadcast;
use super::event_batch::EventBatch;
use super::pending_evidence::{PendingEvidence, ThreadRecord};
use super::run_view::{RunView, read_run};
use super::stop::{StopReceiver, stop_requested};
use crate::traces::append_span;

/// Size at which a batch is stored even if more events are ready, in bytes of JSON.
const MAX_BATCH_BYTES: usize = 128 * 1024;
/// Largest log of a run without a stored state, in bytes of JSON. Such a state is computed from the log on demand.
const MAX_LOG_WITHOUT_STATE: usize = 1 << 20;
/// Interval between two batches. Events that come faster leave together; models are slower than that.
const BATCH_INTERVAL: Duration = Duration::from_millis(2);

/// Open run and the places that its events go to.
pub(super) struct RunTask {
    pub(super) broadcast: Arc<RunBroadcast>,
    pub(super) key: Key,
    pub(super) open: OpenRun,
    pub(super) store: Arc<dyn Store>,
    pub(super) clock: fn() -> Timestamp,
    pub(super) evidence: PendingEvidence,
    pub(super) record: ThreadRecord,
    pub(super) stop: StopReceiver,
    /// Longest time between a request to stop and the end of the stream.
    pub(super) stop_timeout: Duration,
    /// Run as the client sees it after the last stored event.
    pub(super) view: RunView,
}

/// State of the agent's stream after a batch was filled.
enum StreamStatus {
    Open,
    Ended,
    /// The stream failed or did not stop in time; this event ends the run.
    Failed(Event),
}

impl RunTask {
    /// Stores and broadcasts all events. Returns the final status, or `None` if storing failed.
    pub(super) async fn run(&mut self, stream: EventStream) -> Option<RunStatus> {
        match self.pump(stream).await {
            Ok(status) => Some(status),
            Err(error) => {
                // Events that are not stored are not sent. The error itself is sent.
                self.broadcast.fail(&storage_error(&error));
                None
            }
        }
    }

    async fn pump(&mut self, mut stream: EventStream) -> Result<RunStatus, StoreError> {
        let mut slot = ReceivedEvent::default();
        let mut next = self.open.after + 1;
        let mut stored_bytes = 0;
        let mut last_sent: Option<Instant> = None;
        let (stop, stop_timeout) = (self.stop.clone(), self.stop_timeout);
        let mut overdue = pin!(async move {
            let request = stop_requested(stop).await;
            sleep(stop_timeout).await;
            run_error(request.message(), request.code())
        });
        loop {
            let mut batch = EventBatch::new(next);
            let view = &mut self.view;
            let mut fill = |context: &mut Context<'_>| {
                let overdue = overdue.as_mut();
                fill_batch(&mut batch, &mut stream, view, overdue, &mut slot, context)
            };
            let mut status = poll_fn(&mut fill).await;
            if let (StreamStatus::Open, Some(last_sent)) = (&status, last_sent) {
                // The first batch of a run leaves at once; later ones collect what comes within the interval.
                if last_sent.elapsed() < BATCH_INTERVAL {
                    sleep_until(last_sent + BATCH_INTERVAL).await;
                }
                status = poll_fn(&mut fill).await;
            }
            if !matches!(status, StreamStatus::Open) {
                return self.end(batch, status).await;
            }
            next += batch.count();
            stored_bytes += batch.size();
            self.append(batch).await?;
            last_sent = Some(Instant::now());
            if stored_bytes > MAX_LOG_WITHOUT_STATE && !self.view.track_state() {
                self.view = read_stored_part(&self.store, &self.key, &self.broadcast.run).await?;
            }
        }
    }

    /// Stores and broadcasts a batch in the middle of a run.
    async fn append(&mut self, batch: EventBatch) -> Result<(), StoreError> {
        let span = append_span(batch.count(), batch.size());
        // Evidence is found before the events that link to it, so it is stored with them.
        let log = batch.log_batch().with_verifications(self.evidence.take());
        self.store.append(self.open, log).instrument(span).await?;
        let is_terminal = self.view.status != RunStatus::Open;
        self.broadcast.publish(batch, is_terminal);
        Ok(())
    }

    /// Stores and broadcasts the last batch together with the end of the run. Returns the final status.
    async fn end(
        &mut self,
        mut batch: EventBatch,
        stream: StreamStatus,
    ) -> Result<RunStatus, StoreError> {
        if let StreamStatus::Failed(event) = stream {
            let event = ReceivedEvent::Typed(event);
            self.view.apply(&event);
            batch.push(&event);
        }
        let status = match self.view.status {
            // The stream ended without an event that ends the run.
            RunStatus::Open => RunStatus::Failed,
            status => status,
        };
        let last: Sequence = batch.last();
        let end = StoredRunEnd {
            last: batch.log_batch().with_verifications(self.evidence.take()),
            status,
            at: (self.clock)(),
            checkpoint: Some(Checkpoint {
                record: self.record.take(),
                ..self.view.checkpoint(last)
            }),
        };
        let span = append_span(batch.count(), batch.size());
        self.store.end_run(self.open, end).instrument(span).await?;
        if batch.count() > 0 {
            self.broadcast.publish(batch, true);
        }
        Ok(status)
    }
}

/// Adds all events that are ready to a batch. Pending only while the batch is empty.
fn fill_batch(
    batch: &mut EventBatch,
    stream: &mut EventStream,
    view: &mut RunView,
    overdue: Pin<&mut impl Future<Output = Event>>,
    slot: &mut ReceivedEvent,
    context: &mut Context<'_>,
) -> Poll<StreamStatus> {
    while batch.size() < MAX_BATCH_BYTES {
        match stream.poll_into(context, slot) {
            Poll::Ready(Some(Ok(()))) => {
                view.apply(slot);
                batch.push(slot);
            }
            Poll::Ready(Some(Err(error))) => {
                return Poll::Ready(StreamStatus::Failed(agent_error(&error)));
            }
            Poll::Ready(None) => return Poll::Ready(StreamStatus::Ended),
            Poll::Pending if batch.count() > 0 => return Poll::Ready(StreamStatus::Open),
            Poll::Pending => return overdue.poll(context).map(StreamStatus::Failed),
        }
    }
    Poll::Ready(StreamStatus::Open)
}

/// Returns the view of an open run after its stored events, with the state.
async fn read_stored_part(
    store: &Arc<dyn Store>,
    (principal, thread): &Key,
    run: &RunId,
) -> Result<RunView, StoreError> {
    let run = store.run(principal, thread, run).await?;
    let run = run.ok_or(StoreError::NotFound { what: "the run" })?;
    let (view, _) = read_run(store, principal, thread, &run).await?;
    Ok(view)
}

/// Returns the event that ends a run with an error.
pub(super) fn run_error(message: &str, code: &str) -> Event {
    Event::from(RunError {
        message: Text::from(message),
        code: Some(Text::from(code)),
        usage: None,
    })
}

fn agent_error(error: &AgentError) -> Event {
    run_error(&error.to_string(), error.code())
}

fn storage_error(error: &StoreError) -> Event {
    run_error(&format!("{error}; {}", error.hint()), "storage")
}
