//! Whoever asks: who they are, what they did, being forgotten.

use std::sync::Arc;

use axum::extract::{Query, State};
use axum::response::Response;
use json::Value;
use serde::Deserialize;
use store::{AuditEntry, PageRequest, Principal};

use super::documents::moment;
use super::{ok, slice};
use crate::access::audit::AuditSubject;
use crate::access::{AccessScope, Caller};
use crate::error::{ApiError, ErrorCode};
use crate::state::AppState;

/// Who asks, and what they may do.
pub(super) async fn about(caller: Caller) -> Response {
    let scopes = caller.scopes.iter().map(|scope| scope.as_str().into());
    ok(&Value::from([
        ("principal", caller.principal.as_str().into()),
        ("key", caller.key.map_or(Value::Null, Value::from)),
        ("scopes", Value::Array(scopes.collect())),
    ]))
}

/// Whom it is about, if not whoever asks.
pub(super) fn meant(caller: &Caller, named: Option<&str>) -> Result<Principal, ApiError> {
    let Some(named) = named else {
        return Ok(caller.principal.clone());
    };
    let named = Principal::new(named)?;
    if named != caller.principal && !caller.may(AccessScope::Admin) {
        return Err(admins_only());
    }
    Ok(named)
}

fn admins_only() -> ApiError {
    ApiError::new(
        ErrorCode::ScopeMissing,
        "this needs the scope 'admin'",
        "leave it out to ask about yourself",
    )
}

/// Who shall be forgotten.
#[derive(Debug, Deserialize)]
pub(super) struct ForgetRequest {
    confirm: Option<String>,
    principal: Option<String>,
}

/// Deletes everything that a principal owns.
pub(super) async fn forget(
    State(app): State<Arc<AppState>>,
    caller: Caller,
    Query(asked): Query<ForgetRequest>,
) -> Result<Response, ApiError> {
    let principal = meant(&caller, asked.principal.as_deref())?;
    if asked.confirm.as_deref() != Some(principal.as_str()) {
        return Err(ApiError::new(
            ErrorCode::InvalidInput,
            "everything of a principal would be deleted, and its name was not given to confirm it",
            "add ?confirm= and the name that GET /me shows",
        ));
    }
    app.runs.cancel_all_of(&principal).await;
    let deleted = app.store.delete_principal(&principal).await?;
    let mut response = ok(&Value::from([
        ("principal", principal.as_str().into()),
        ("deleted", Value::Bool(deleted)),
    ]));
    let about = AuditSubject(principal.to_string());
    response.extensions_mut().insert(about);
    Ok(response)
}

/// Which part of the record.
#[derive(Debug, Deserialize)]
pub(super) struct AuditQuery {
    after: Option<String>,
    limit: Option<usize>,
    all: Option<bool>,
}

/// Who read and deleted what.
pub(super) async fn audit(
    State(app): State<Arc<AppState>>,
    caller: Caller,
    Query(asked): Query<AuditQuery>,
) -> Result<Response, ApiError> {
    let all = asked.all.unwrap_or_default();
    if all && !caller.may(AccessScope::Admin) {
        return Err(admins_only());
    }
    let wanted: PageRequest = slice(asked.after, asked.limit)?;
    let of = (!all).then_some(&caller.principal);
    let listed = app.store.audit_entries(of, &wanted).await?;
    let items = listed.items.iter().map(done).collect();
    Ok(ok(&Value::from([
        ("items", Value::Array(items)),
        ("next", listed.next.map_or(Value::Null, Value::from)),
    ])))
}

pub(super) fn done(entry: &AuditEntry) -> Value {
    let or_null = |text: &Option<String>| text.as_deref().map_or(Value::Null, Value::from);
    Value::from([
        ("principal", entry.principal.as_str().into()),
        ("key", or_null(&entry.key)),
        ("action", entry.action.as_str().into()),
        ("target", entry.target.as_str().into()),
        ("requestId", or_null(&entry.request)),
        ("at", moment(entry.at).into()),
    ])
}
