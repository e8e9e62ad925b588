//! Recovery of runs that were left open because the process stopped or because their end could not be stored.

use std::sync::Arc;

use agui::ReceivedEvent;
use agui::event::{Event, RunStarted, StateDelta};
use citation_stream::fail_unfinished_messages;
use json::Text;
use store::{LogBatch, RunStatus, Store, StoreError, StoredRunEnd, Timestamp, UnfinishedRun};

use super::Key;
use super::event_batch::EventBatch;
use super::run_task::run_error;
use super::run_view::read_run;
use super::thread_state::state_of;

/// Reason for closing an open run, as clients receive it.
#[derive(Debug, Clone, Copy)]
pub(super) struct RecoveryReason {
    message: &'static str,
    code: &'static str,
}

/// The process stopped during the run.
pub(super) const CRASHED: RecoveryReason = RecoveryReason {
    message: "the server was stopped in mid-run; run the agent again with a new runId",
    code: "crashed",
};
/// The end of the run could not be stored.
pub(super) const STORAGE: RecoveryReason = RecoveryReason {
    message: "the end of the run could not be stored; run the agent again with a new runId",
    code: "storage",
};

/// Closes the runs that are open in the store: all of them, or those of one thread. Returns their number.
/// `citations_key` is the key of the state that holds citations.
pub(super) async fn close_open_runs(
    store: &Arc<dyn Store>,
    key: Option<&Key>,
    citations_key: &str,
    reason: RecoveryReason,
    at: Timestamp,
) -> Result<usize, StoreError> {
    let mut unfinished = store.unfinished_runs().await?;
    if let Some((principal, thread)) = key {
        unfinished.retain(|run| run.principal == *principal && run.thread == *thread);
    }
    for run in &unfinished {
        close_run(store, run, citations_key, reason, at).await?;
    }
    Ok(unfinished.len())
}

/// Closes an interrupted run. The state of the thread becomes what its log shows.
async fn close_run(
    store: &Arc<dyn Store>,
    unfinished: &UnfinishedRun,
    citations_key: &str,
    reason: RecoveryReason,
    at: Timestamp,
) -> Result<(), StoreError> {
    let (principal, thread) = (&unfinished.principal, &unfinished.thread);
    let (mut view, last) = read_run(store, principal, thread, &unfinished.run).await?;
    let mut status = view.status;
    let mut through = last;
    let mut batch = LogBatch::new();
    // The log may already hold the end of the run, and only its status is missing.
    if status == RunStatus::Open {
        let delta =
            fail_unfinished_messages(&view.fold.state().value(), citations_key, reason.message);
        let changed = (!delta.is_empty()).then(|| Event::from(StateDelta { delta }));
        let mut events = EventBatch::new(last + 1);
        let error = run_error(reason.message, reason.code);
        // Every run in the log begins with its start, also one that had no time to send anything.
        let started = (last == unfinished.run.after).then(|| {
            Event::from(RunStarted {
                thread_id: Text::from(thread.as_str()),
                run_id: Text::from(unfinished.run.id.as_str()),
                protocol_version: None,
                parent_run_id: None,
                input: None,
            })
        });
        for event in started.into_iter().chain(changed).chain([error]) {
            let event = ReceivedEvent::Typed(event);
            events.push(&event);
            view.apply(&event);
            through += 1;
        }
        batch = events.log_batch();
        status = RunStatus::Failed;
    }
    let mut checkpoint = view.checkpoint(through);
    if last == unfinished.run.after {
        // The run has no events, so the state is still that of the thread before it.
        let key = (principal.clone(), thread.clone());
        if let Some(state) = state_of(store, &key).await? {
            checkpoint.state = state.to_json().into();
        }
    }
    let end = StoredRunEnd {
        last: batch,
        ..StoredRunEnd::new(status, at, Some(checkpoint))
    };
    store.end_run(unfinished.open, end).await
}
