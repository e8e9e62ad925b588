//! Access keys: listing, creating and revoking them.

use std::sync::Arc;

use axum::extract::{Path, State};
use axum::http::StatusCode;
use axum::response::Response;
use store::{ApiKey, Principal, Timestamp};

use super::extract::JsonBody;
use super::{json, ok, time_text};
use crate::access::audit::AuditSubject;
use crate::access::{AccessScope, Caller, NewKey};
use crate::api::{AccessKeyInfo, AccessKeyList, AccessKeyRequest, CreatedAccessKey};
use crate::error::{ApiError, ErrorCode};
use crate::state::AppState;

/// Milliseconds of a day.
const DAY: i64 = 24 * 60 * 60 * 1_000;
/// Longest name of a key in characters.
const MAX_NAME: usize = 100;

/// Lists the keys of all principals.
pub(super) async fn list(State(app): State<Arc<AppState>>) -> Result<Response, ApiError> {
    let keys = app.store.keys().await?;
    let now = app.now();
    ok(&AccessKeyList {
        items: keys.iter().map(|key| describe(key, now)).collect(),
    })
}

/// Creates a key. From the first key on every request needs one.
pub(super) async fn create(
    State(app): State<Arc<AppState>>,
    caller: Caller,
    JsonBody(body): JsonBody<AccessKeyRequest>,
) -> Result<Response, ApiError> {
    let name = body.name.trim();
    if name.is_empty() || name.chars().count() > MAX_NAME {
        return Err(ApiError::new(
            ErrorCode::InvalidInput,
            "The name of a key has 1 to 100 characters",
            "Give it a name that says who or what uses it",
        ));
    }
    let scopes = body
        .scopes
        .unwrap_or_else(|| vec![AccessScope::Read, AccessScope::Write]);
    if scopes.is_empty() {
        return Err(ApiError::new(
            ErrorCode::InvalidInput,
            "A key needs at least one scope",
            "Use read, write or admin, or leave `scopes` out",
        ));
    }
    let principal = match body.principal.as_deref() {
        Some(principal) => Principal::new(principal)?,
        None => caller.principal,
    };
    let now = app.now();
    let expires = body.expires_in_days.map(|days| {
        let span = i64::from(days).saturating_mul(DAY);
        Timestamp(now.0.saturating_add(span))
    });
    let random = || uuid::Uuid::new_v4().into_bytes();
    let random = (random(), random(), random());
    let new = NewKey::new(random, principal, name, &scopes, now, expires);
    app.store.add_key(new.key.clone(), new.hash()).await?;
    let subject = AuditSubject(new.key.id.clone());
    let mut response = json(
        StatusCode::CREATED,
        &CreatedAccessKey {
            key: describe(&new.key, now),
            secret: new.secret,
        },
    )?;
    response.extensions_mut().insert(subject);
    Ok(response)
}

/// Revokes a key. Its open responses end.
pub(super) async fn revoke(
    State(app): State<Arc<AppState>>,
    Path(id): Path<String>,
) -> Result<Response, ApiError> {
    let now = app.now();
    app.store.revoke_key(&id, now).await?;
    let keys = app.store.keys().await?;
    let key = keys.iter().find(|key| key.id == id).ok_or_else(|| {
        ApiError::new(
            ErrorCode::NotFound,
            format!("Key not found: `{id}`"),
            "GET /keys lists the keys",
        )
    })?;
    ok(&describe(key, now))
}

fn describe(key: &ApiKey, now: Timestamp) -> AccessKeyInfo {
    AccessKeyInfo {
        id: key.id.clone(),
        name: key.name.clone(),
        principal: key.principal.to_string(),
        scopes: key.scopes.clone(),
        state: match (key.revoked, key.is_valid(now)) {
            (Some(_), _) => "revoked",
            (None, true) => "valid",
            (None, false) => "expired",
        },
        created_at: time_text(key.created),
        expires_at: key.expires.map(time_text),
        used_at: key.used.map(time_text),
    }
}
