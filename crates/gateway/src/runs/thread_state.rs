//! State of a thread between two runs: its last run, with the late results that came after it.

use std::sync::Arc;

use citation_stream::ThreadMemory;
use json::Json;
use store::{Principal, Store, StoreError, StoredState, ThreadId};

use super::Key;
use super::run_view::read_run;

/// Returns the state of a thread, or `None` if it has no run.
pub async fn state_of(store: &Arc<dyn Store>, key: &Key) -> Result<Option<Json>, StoreError> {
    let memory = memory_of(store, key).await?;
    Ok(memory.map(|memory| memory.state))
}

/// Returns the thread memory, or `None` if the thread has no run.
pub async fn memory_of(
    store: &Arc<dyn Store>,
    (principal, thread): &Key,
) -> Result<Option<ThreadMemory>, StoreError> {
    let stored = store.state(principal, thread).await?;
    read_stored(store, (principal, thread), &stored).await
}

/// Returns the thread memory for a stored state. A state that was not stored is computed from the log of its run.
pub(super) async fn read_stored(
    store: &Arc<dyn Store>,
    (principal, thread): (&Principal, &ThreadId),
    stored: &StoredState,
) -> Result<Option<ThreadMemory>, StoreError> {
    let state = match (read_json(&stored.state), &stored.run) {
        (Some(state), _) => state,
        (None, Some(run)) => {
            let (view, _) = read_run(store, principal, thread, run).await?;
            view.fold.state().clone()
        }
        (None, None) => return Ok(None),
    };
    let patches = stored.late_results.iter();
    let patches = patches.filter_map(|result| std::str::from_utf8(&result.patch).ok());
    let memory = ThreadMemory {
        state,
        record: read_json(&stored.record),
    };
    Ok(Some(memory.with_patches(patches)))
}

/// Reads stored JSON, or returns `None` if there is none.
pub fn read_json(stored: &[u8]) -> Option<Json> {
    let text = std::str::from_utf8(stored)
        .ok()
        .filter(|text| !text.is_empty())?;
    Json::parse(text.to_owned()).ok()
}
