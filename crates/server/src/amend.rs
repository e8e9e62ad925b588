//! Results that come after their run has ended.

use std::sync::Arc;

use agui::json::Json;
use bytes::Bytes;
use citations::layer::{Amendment, Options};
use store::{Principal, RunId, StoreError, ThreadId};

use crate::app::App;

/// Writes a late result down: the state of the thread has it from now on.
pub(crate) async fn write(
    app: &Arc<App>,
    principal: &Principal,
    thread: &ThreadId,
    amendment: &Amendment,
    options: &Options,
) -> Result<(), StoreError> {
    let stored = app.store.state(principal, thread).await?;
    let Some(state) = read_state(&stored.state) else {
        return Ok(());
    };
    let operations = amendment.operations(&state, options);
    if operations.is_empty() {
        return Ok(());
    }
    let mut patch = String::from("[");
    for (at, operation) in operations.iter().enumerate() {
        if at > 0 {
            patch.push(',');
        }
        operation.write(&mut patch);
    }
    patch.push(']');
    let run = RunId::new(&amendment.run_id)?;
    app.store
        .amend(principal, thread, &run, Bytes::from(patch), app.now())
        .await?;
    Ok(())
}

/// A stored state; none if no run has left one.
pub(crate) fn read_state(stored: &[u8]) -> Option<Json> {
    let text = std::str::from_utf8(stored)
        .ok()
        .filter(|text| !text.is_empty())?;
    Json::parse(text.to_owned()).ok()
}
