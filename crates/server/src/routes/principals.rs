//! Principals: identity, audit log and deletion.

use std::sync::Arc;

use axum::extract::{Query, State};
use axum::response::Response;
use store::{AuditEntry, Principal};

use super::{ok, time_text};
use crate::access::audit::AuditSubject;
use crate::access::{AccessScope, Caller};
use crate::api::{
    AuditQuery, AuditRecord, CallerInfo, ForgetQuery, ForgottenPrincipal, ItemPage, PageQuery,
};
use crate::error::{ApiError, ErrorCode};
use crate::state::AppState;

/// Describes the sender of the request.
pub(super) async fn about(caller: Caller) -> Result<Response, ApiError> {
    ok(&CallerInfo {
        principal: caller.principal.to_string(),
        key: caller.key,
        scopes: caller.scopes,
    })
}

/// Returns the named principal, or the sender of the request. Another principal requires the scope `admin`.
pub(super) fn selected_principal(
    caller: &Caller,
    named: Option<&str>,
) -> Result<Principal, ApiError> {
    let Some(named) = named else {
        return Ok(caller.principal.clone());
    };
    let named = Principal::new(named)?;
    if named != caller.principal && !caller.has_scope(AccessScope::Admin) {
        return Err(admin_scope_missing("principal"));
    }
    Ok(named)
}

fn admin_scope_missing(parameter: &str) -> ApiError {
    ApiError::new(
        ErrorCode::ScopeMissing,
        "Scope missing: `admin`",
        format!("Leave out `{parameter}`, or use a key with the scope `admin`"),
    )
}

/// Deletes all data of a principal.
pub(super) async fn forget(
    State(app): State<Arc<AppState>>,
    caller: Caller,
    Query(query): Query<ForgetQuery>,
) -> Result<Response, ApiError> {
    let principal = selected_principal(&caller, query.principal.as_deref())?;
    if query.confirm.as_deref() != Some(principal.as_str()) {
        return Err(ApiError::new(
            ErrorCode::InvalidInput,
            "`confirm` must be the name of the principal whose data is to be deleted",
            "Add `?confirm=` with the principal that GET /me returns",
        ));
    }
    app.runs.cancel_all_of(&principal).await;
    let deleted = app.store.delete_principal(&principal).await?;
    let mut response = ok(&ForgottenPrincipal {
        principal: principal.to_string(),
        deleted,
    })?;
    let subject = AuditSubject(principal.to_string());
    response.extensions_mut().insert(subject);
    Ok(response)
}

/// Lists the audit log.
pub(super) async fn audit(
    State(app): State<Arc<AppState>>,
    caller: Caller,
    Query(query): Query<AuditQuery>,
) -> Result<Response, ApiError> {
    let is_for_all = query.all.unwrap_or_default();
    if is_for_all && !caller.has_scope(AccessScope::Admin) {
        return Err(admin_scope_missing("all"));
    }
    let page = PageQuery::new(query.after, query.limit).request()?;
    let principal = (!is_for_all).then_some(&caller.principal);
    let listed = app.store.audit_entries(principal, &page).await?;
    ok(&ItemPage {
        items: listed.items.iter().map(describe_entry).collect(),
        next: listed.next,
    })
}

/// Describes an entry of the audit log.
pub(super) fn describe_entry(entry: &AuditEntry) -> AuditRecord {
    AuditRecord {
        principal: entry.principal.to_string(),
        key: entry.key.clone(),
        action: entry.action.clone(),
        target: entry.target.clone(),
        request_id: entry.request.clone(),
        at: time_text(entry.at),
    }
}
