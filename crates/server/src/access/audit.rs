//! The record of who read and deleted what.

use axum::response::Response;
use store::{AuditEntry, Principal};

use super::Caller;
use crate::app::App;
use crate::guard::RequestId;
use crate::operations::Audit;

/// How much of a target is kept.
const MAX_TARGET: usize = 1_024;

/// What a request was about, where its path does not say: for the record.
#[derive(Debug, Clone)]
pub(crate) struct About(pub(crate) String);

/// What a path is about, as it is recorded.
pub(super) fn target(path: &str) -> String {
    path.chars().take(MAX_TARGET).collect()
}

/// Writes down what was done, if it was.
pub(super) fn record(
    app: &App,
    caller: &Caller,
    action: Audit,
    target: String,
    request: Option<RequestId>,
    response: &Response,
) {
    let by_the_operator =
        caller.principal == Principal::local() && caller.key.is_none() && caller.link.is_none();
    // Whoever runs a server for themselves does not ask who read; what was deleted, they may.
    if !response.status().is_success() || (by_the_operator && !action.is_deletion()) {
        return;
    }
    let target = match response.extensions().get::<About>() {
        Some(About(about)) => about.chars().take(MAX_TARGET).collect(),
        None => target,
    };
    let key = match caller.link {
        Some(_) => Some("signed link".to_owned()),
        None => caller.key.clone(),
    };
    let recorded = app.store.audit(AuditEntry {
        principal: caller.principal.clone(),
        key,
        action: action.as_str().to_owned(),
        target,
        request: request.map(|RequestId(id)| id),
        at: app.now(),
    });
    // The answer does not wait for it, but a record that fails is told.
    tokio::spawn(async move {
        if let Err(error) = recorded.await {
            tracing::error!(%error, "what was done could not be recorded");
        }
    });
}
