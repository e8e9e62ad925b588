//! Results that come after their run has ended.

use std::sync::Arc;

use agui::EventReader;
use agui::ReceivedEvent;
use agui::fold::Fold;
use citation_stream::{LateResult, LayerOptions, ThreadMemory};
use json::{Json, Text};
use store::{Principal, RunId, Store, StoreError, StoredState, ThreadId};

use crate::app::AppState;
use crate::runs::{Key, read_back};

/// Writes a late result down: the state of the thread has it from now on.
pub(crate) async fn write(
    app: &Arc<AppState>,
    principal: &Principal,
    thread: &ThreadId,
    amendment: &LateResult,
    options: &LayerOptions,
) -> Result<(), StoreError> {
    let run = RunId::new(&amendment.run_id)?;
    let key = (principal.clone(), thread.clone());
    let change = |recalled: &ThreadMemory| amendment.amend(recalled, options);
    app.runs.amend(&key, &run, change).await
}

/// The state of a thread: as its last run left it, with what came after. None if it has no run.
pub(crate) async fn state_of(
    store: &Arc<dyn Store>,
    key: &Key,
) -> Result<Option<Json>, StoreError> {
    let recalled = recalled_of(store, key).await?;
    Ok(recalled.map(|recalled| recalled.state))
}

/// What is remembered of a thread. None if it has no run.
pub(crate) async fn recalled_of(
    store: &Arc<dyn Store>,
    (principal, thread): &Key,
) -> Result<Option<ThreadMemory>, StoreError> {
    let stored = store.state(principal, thread).await?;
    read_stored(store, (principal, thread), &stored).await
}

/// What is remembered of a thread: its state, which may have to be read from the log, and what is kept beside it.
pub(crate) async fn read_stored(
    store: &Arc<dyn Store>,
    (principal, thread): (&Principal, &ThreadId),
    stored: &StoredState,
) -> Result<Option<ThreadMemory>, StoreError> {
    let state = match (read_json(&stored.state), &stored.run) {
        (Some(state), _) => state,
        (None, Some(run)) => {
            let (seen, _) = read_back(store, principal, thread, run).await?;
            seen.fold.state().clone()
        }
        (None, None) => return Ok(None),
    };
    Ok(Some(ThreadMemory {
        state: amended(state, &stored.late_results),
        record: read_json(&stored.record),
    }))
}

/// A state with what came after its run.
fn amended(state: Json, amendments: &[store::StoredLateResult]) -> Json {
    if amendments.is_empty() {
        return state;
    }
    let mut fold = Fold::new([], state);
    let mut reader = EventReader::new();
    for amendment in amendments {
        let patch = String::from_utf8_lossy(&amendment.patch);
        let event = format!(r#"{{"type":"STATE_DELTA","delta":{patch}}}"#);
        // One that does not fit changes nothing.
        if let Ok(ReceivedEvent::Typed(event)) = reader.read(Text::from(event)) {
            let _ = fold.apply(&event);
        }
    }
    fold.state().clone()
}

/// What was stored as JSON; none if there is none.
pub(crate) fn read_json(stored: &[u8]) -> Option<Json> {
    let text = std::str::from_utf8(stored)
        .ok()
        .filter(|text| !text.is_empty())?;
    Json::parse(text.to_owned()).ok()
}
