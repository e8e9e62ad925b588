//! Results that come after their run has ended.

use std::sync::Arc;

use agui::EventReader;
use agui::RawEvent;
use agui::fold::Fold;
use agui::json::{Json, Text};
use citations::layer::{Amendment, Options};
use store::{Principal, RunId, Store, StoreError, StoredState, ThreadId};

use crate::app::App;
use crate::runs::{Key, read_back};

/// Writes a late result down: the state of the thread has it from now on.
pub(crate) async fn write(
    app: &Arc<App>,
    principal: &Principal,
    thread: &ThreadId,
    amendment: &Amendment,
    options: &Options,
) -> Result<(), StoreError> {
    let run = RunId::new(&amendment.run_id)?;
    let key = (principal.clone(), thread.clone());
    let change = |state: &Json| amendment.operations(state, options);
    app.runs.amend(&key, &run, change).await
}

/// The state of a thread: as its last run left it, with what came after. None if it has no run.
pub(crate) async fn state_of(
    store: &Arc<dyn Store>,
    (principal, thread): &Key,
) -> Result<Option<Json>, StoreError> {
    let stored = store.state(principal, thread).await?;
    read_stored(store, (principal, thread), &stored).await
}

/// What a stored state is, which may have to be read from the log.
pub(crate) async fn read_stored(
    store: &Arc<dyn Store>,
    (principal, thread): (&Principal, &ThreadId),
    stored: &StoredState,
) -> Result<Option<Json>, StoreError> {
    let state = match (read_state(&stored.state), &stored.run) {
        (Some(state), _) => state,
        (None, Some(run)) => {
            let (seen, _) = read_back(store, principal, thread, run).await?;
            seen.fold.state().clone()
        }
        (None, None) => return Ok(None),
    };
    Ok(Some(amended(state, &stored.amendments)))
}

/// A state with what came after its run.
fn amended(state: Json, amendments: &[store::Amendment]) -> Json {
    if amendments.is_empty() {
        return state;
    }
    let mut fold = Fold::new([], state);
    let mut reader = EventReader::new();
    for amendment in amendments {
        let patch = String::from_utf8_lossy(&amendment.patch);
        let event = format!(r#"{{"type":"STATE_DELTA","delta":{patch}}}"#);
        // One that does not fit changes nothing.
        if let Ok(RawEvent::Clean(event)) = reader.read(Text::from(event)) {
            let _ = fold.apply(&event);
        }
    }
    fold.state().clone()
}

/// A stored state; none if there is none.
fn read_state(stored: &[u8]) -> Option<Json> {
    let text = std::str::from_utf8(stored)
        .ok()
        .filter(|text| !text.is_empty())?;
    Json::parse(text.to_owned()).ok()
}
