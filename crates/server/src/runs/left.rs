//! Runs that were left open: their server was stopped, or their end could not be stored.

use std::sync::Arc;

use agui::RawEvent;
use store::{RunStatus, Store, StoreError, Timestamp, UnfinishedRun};

use super::Key;
use super::drive::failed;
use super::live::BlockBuilder;
use super::seen::read_back;

/// How such a run ends: the message and the code.
pub(super) type End = (&'static str, &'static str);

/// After a crash.
pub(super) const CRASHED: End = (
    "the server was stopped in mid-run; send the run again",
    "crashed",
);
/// After the storage failed.
pub(super) const STORAGE: End = (
    "the end of the run could not be stored; send the run again",
    "storage",
);

/// Ends the runs that are open in the store, all of them or those of one thread; how many there were.
pub(super) async fn close(
    store: &Arc<dyn Store>,
    key: Option<&Key>,
    end: End,
    at: Timestamp,
) -> Result<usize, StoreError> {
    let mut unfinished = store.unfinished_runs().await?;
    if let Some((principal, thread)) = key {
        unfinished.retain(|left| left.principal == *principal && left.thread == *thread);
    }
    for left in &unfinished {
        close_one(store, left, end, at).await?;
    }
    Ok(unfinished.len())
}

/// Ends a run where its log ends; what the client saw of it is what the thread is from now on.
async fn close_one(
    store: &Arc<dyn Store>,
    left: &UnfinishedRun,
    (message, code): End,
    at: Timestamp,
) -> Result<(), StoreError> {
    let (mut seen, last) = read_back(store, &left.principal, &left.thread, &left.run).await?;
    let mut status = seen.status;
    let mut through = last;
    // It may have said its end, and only the store does not know.
    if status == RunStatus::Open {
        let event = RawEvent::Clean(failed(message, code));
        let mut block = BlockBuilder::new(last + 1, 0);
        block.push(&event);
        seen.take(&event);
        store.append(left.open, block.finish().1).await?;
        through += 1;
        status = RunStatus::Failed;
    }
    let checkpoint = seen.checkpoint(through);
    store.end_run(left.open, status, at, Some(checkpoint)).await
}
