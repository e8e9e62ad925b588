//! Results that come after their run has ended.

use std::sync::Arc;

use agui::EventReader;
use agui::RawEvent;
use agui::fold::Fold;
use agui::json::{Json, Text};
use citations::layer::{Amendment, Options};
use store::{Principal, RunId, StoreError, StoredState, ThreadId};

use crate::app::App;

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

/// The state of a thread: as its last run left it, with what came after. None if no run has left one.
pub(crate) fn current_state(stored: &StoredState) -> Option<Json> {
    let state = read_state(&stored.state)?;
    if stored.amendments.is_empty() {
        return Some(state);
    }
    let mut fold = Fold::new([], state);
    let mut reader = EventReader::new();
    for amendment in &stored.amendments {
        let patch = String::from_utf8_lossy(&amendment.patch);
        let event = format!(r#"{{"type":"STATE_DELTA","delta":{patch}}}"#);
        // One that does not fit changes nothing.
        if let Ok(RawEvent::Clean(event)) = reader.read(Text::from(event)) {
            let _ = fold.apply(&event);
        }
    }
    Some(fold.state().clone())
}

/// A stored state; none if no run has left one.
pub(crate) fn read_state(stored: &[u8]) -> Option<Json> {
    let text = std::str::from_utf8(stored)
        .ok()
        .filter(|text| !text.is_empty())?;
    Json::parse(text.to_owned()).ok()
}
