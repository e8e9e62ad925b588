//! The task of a run: events are stored, then shown.

use std::future::{Future, poll_fn};
use std::pin::pin;
use std::sync::Arc;
use std::task::Poll;

use agui::event::{Event, EventData, RunError};
use agui::fold::Fold;
use agui::json::Text;
use agui::model::RunOutcome;
use agui::{AgentError, EventStream, RawEvent};
use store::{OpenRun, RunStatus, Store, StoreError, Timestamp};
use tokio::sync::watch;

use super::live::{Block, BlockBuilder, Live};

/// How many bytes are collected before they are stored, however much more is ready.
const MAX_BLOCK: usize = 64 * 1024;

/// Why a run is ended from outside.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Stop {
    /// It goes on.
    No,
    /// Somebody wants it to end.
    Cancelled,
}

/// A run and where it goes.
pub(crate) struct Drive {
    pub(crate) stream: EventStream,
    pub(crate) live: Arc<Live>,
    pub(crate) open: OpenRun,
    pub(crate) store: Arc<dyn Store>,
    pub(crate) stop: watch::Receiver<Stop>,
    /// What the client has by now.
    pub(crate) fold: Fold,
}

/// Why a stream is not read on.
enum Ended {
    No,
    ByItself,
    Stopped(Event),
}

impl Drive {
    /// Stores and shows what the stream says, to its end; how it ended.
    pub(crate) async fn run(&mut self, mut shutdown: watch::Receiver<bool>) -> RunStatus {
        let mut slot = RawEvent::default();
        let mut next = self.open.after + 1;
        let mut size = 0;
        let mut status = RunStatus::Open;
        let mut stopped = pin!(async {
            tokio::select! {
                _ = self.stop.wait_for(|stop| *stop != Stop::No) => {
                    failed("the run was cancelled", "cancelled")
                }
                _ = shutdown.wait_for(|down| *down) => {
                    failed("the server was shut down; send the run again", "shutdown")
                }
            }
        });
        loop {
            let mut block = BlockBuilder::new(next, size);
            let fold = &mut self.fold;
            let stream = &mut self.stream;
            let mut take = |event: &RawEvent, block: &mut BlockBuilder| {
                if let RawEvent::Clean(event) = event {
                    status = status_after(event, status);
                    // Chunks come expanded, and what does not fit the state is the client's to tell.
                    let _ = fold.apply(event);
                }
                block.push(event);
            };
            let ended = poll_fn(|context| {
                if let Poll::Ready(event) = stopped.as_mut().poll(context) {
                    return Poll::Ready(Ended::Stopped(event));
                }
                while block.len() < MAX_BLOCK {
                    match stream.poll_into(context, &mut slot) {
                        Poll::Ready(Some(Ok(()))) => take(&slot, &mut block),
                        Poll::Ready(Some(Err(error))) => {
                            return Poll::Ready(Ended::Stopped(broken(&error)));
                        }
                        Poll::Ready(None) => return Poll::Ready(Ended::ByItself),
                        Poll::Pending if block.len() > 0 => return Poll::Ready(Ended::No),
                        Poll::Pending => return Poll::Pending,
                    }
                }
                Poll::Ready(Ended::No)
            })
            .await;
            let goes_on = matches!(ended, Ended::No);
            if let Ended::Stopped(event) = ended {
                take(&RawEvent::Clean(event), &mut block);
            }
            size = block.len();
            if size > 0 {
                let (block, batch) = block.finish();
                if let Err(error) = self.store.append(self.open, batch).await {
                    // What cannot be stored is not shown; that it cannot is.
                    self.live.publish(storage_failed(next, &error), true);
                    return RunStatus::Failed;
                }
                next = block.last() + 1;
                self.live.publish(block, status != RunStatus::Open);
            }
            if !goes_on {
                return match status {
                    RunStatus::Open => RunStatus::Failed,
                    status => status,
                };
            }
        }
    }
}

/// How a run stands after an event. A new run may follow one that ended.
fn status_after(event: &Event, before: RunStatus) -> RunStatus {
    match event.data() {
        EventData::RunFinished(finished) => match finished.outcome.as_deref() {
            Some(RunOutcome::Interrupt { .. }) => RunStatus::Interrupted,
            Some(RunOutcome::Cancelled) => RunStatus::Cancelled,
            _ => RunStatus::Finished,
        },
        EventData::RunError(_) => RunStatus::Failed,
        EventData::RunStarted(_) => RunStatus::Open,
        _ => before,
    }
}

fn failed(message: &str, code: &str) -> Event {
    Event::from(RunError {
        message: Text::from(message),
        code: Some(Text::from(code)),
        usage: None,
    })
}

/// How a stream that broke off ends for the client.
fn broken(error: &AgentError) -> Event {
    failed(&error.to_string(), error.code())
}

fn storage_failed(next: u64, error: &StoreError) -> Block {
    let mut block = BlockBuilder::new(next, 0);
    let message = format!("{error}; {}", error.remedy());
    block.push(&RawEvent::Clean(failed(&message, "storage")));
    block.finish().0
}

/// Ends a run that a crash has left open.
pub(crate) async fn close_crashed(
    store: &Arc<dyn Store>,
    open: OpenRun,
    at: Timestamp,
) -> Result<(), StoreError> {
    let mut block = BlockBuilder::new(open.after + 1, 0);
    let event = failed(
        "the server was stopped in mid-run; send the run again",
        "crashed",
    );
    block.push(&RawEvent::Clean(event));
    store.append(open, block.finish().1).await?;
    store.end_run(open, RunStatus::Failed, at, None).await
}
