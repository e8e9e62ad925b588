//! Runs that were left open: their server was stopped, or their end could not be stored.

use std::sync::Arc;

use agui::ReceivedEvent;
use agui::event::{Event, StateDelta};
use json::patch::{PatchOperation, escape};
use json::{Map, Value};
use store::{LogBatch, RunStatus, Store, StoreError, StoredRunEnd, Timestamp, UnfinishedRun};

use super::Key;
use super::drive::failed;
use super::live::EventBatchBuilder;
use super::seen::read_back;
use crate::amend::state_of;

/// How such a run ends: the message and the code.
pub(super) type End = (&'static str, &'static str);

/// After a crash.
pub(super) const CRASHED: End = (
    "the server was stopped in mid-run; run the agent again with a new runId",
    "crashed",
);
/// After the storage failed.
pub(super) const STORAGE: End = (
    "the end of the run could not be stored; run the agent again with a new runId",
    "storage",
);

/// Ends the runs that are open in the store, all of them or those of one thread; how many there were.
/// `citations` is the key of the state that holds them.
pub(super) async fn close(
    store: &Arc<dyn Store>,
    key: Option<&Key>,
    citations: &str,
    end: End,
    at: Timestamp,
) -> Result<usize, StoreError> {
    let mut unfinished = store.unfinished_runs().await?;
    if let Some((principal, thread)) = key {
        unfinished.retain(|left| left.principal == *principal && left.thread == *thread);
    }
    for left in &unfinished {
        close_one(store, left, citations, end, at).await?;
    }
    Ok(unfinished.len())
}

/// Ends a run where its log ends; what the client saw of it is what the thread is from now on.
async fn close_one(
    store: &Arc<dyn Store>,
    left: &UnfinishedRun,
    citations: &str,
    (message, code): End,
    at: Timestamp,
) -> Result<(), StoreError> {
    let (mut seen, last) = read_back(store, &left.principal, &left.thread, &left.run).await?;
    let mut status = seen.status;
    let mut through = last;
    let mut words = LogBatch::new();
    // It may have said its end, and only the store does not know.
    if status == RunStatus::Open {
        let delta = unfinished_messages(&seen.fold.state().value(), citations, message);
        let changed = (!delta.is_empty()).then(|| Event::from(StateDelta { delta }));
        let mut block = EventBatchBuilder::new(last + 1, 0);
        for event in changed.into_iter().chain([failed(message, code)]) {
            let event = ReceivedEvent::Typed(event);
            block.push(&event);
            seen.take(&event);
            through += 1;
        }
        words = block.finish().1;
        status = RunStatus::Failed;
    }
    let mut checkpoint = seen.checkpoint(through);
    if last == left.run.after {
        // Nobody was told anything of it: the state is what it was.
        let key = (left.principal.clone(), left.thread.clone());
        if let Some(state) = state_of(store, &key).await? {
            checkpoint.state = state.to_json().into();
        }
    }
    let end = StoredRunEnd {
        last: words,
        ..StoredRunEnd::new(status, at, Some(checkpoint))
    };
    store.end_run(left.open, end).await
}

/// Messages that nobody will finish are said to be in error: otherwise they would be waited for.
fn unfinished_messages(state: &Value, citations: &str, reason: &str) -> Vec<PatchOperation> {
    let messages = state.get(citations).and_then(|ours| ours.get("messages"));
    let messages = messages.and_then(Value::as_object);
    let mut operations = Vec::new();
    for (id, entry) in messages.into_iter().flat_map(Map::iter) {
        let status = entry.get("status").and_then(Value::as_str);
        if !matches!(status, Some("streaming" | "extracting" | "verifying")) {
            continue;
        }
        let place = format!("/{}/messages/{}", escape(citations), escape(id));
        let reason = format!("the run ended before the message did: {reason}");
        operations.push(PatchOperation::add(
            format!("{place}/status"),
            Value::from("error"),
        ));
        operations.push(PatchOperation::add(
            format!("{place}/error"),
            Value::from(reason),
        ));
    }
    operations
}
