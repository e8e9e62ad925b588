//! Permissions of rights holders.

use std::sync::Arc;

use attribution::{PermissionBundle, PermissionRequest};
use axum::extract::{Path, Query, State};
use axum::response::Response;

use super::attributions::{counted, limit};
use super::extract::JsonBody;
use super::ok;
use crate::access::Caller;
use crate::api::OffsetQuery;
use crate::error::{ApiError, ErrorCode};
use crate::state::AppState;

/// Checks a permission.
pub(super) async fn check(
    State(app): State<Arc<AppState>>,
    caller: Caller,
    JsonBody(request): JsonBody<PermissionRequest>,
) -> Result<Response, ApiError> {
    ok(&app
        .gateway
        .music
        .check_permission(&caller.principal, &request)
        .await?)
}

/// Lists the permissions of a rights holder.
pub(super) async fn list(
    State(app): State<Arc<AppState>>,
    caller: Caller,
    Path(entity): Path<String>,
) -> Result<Response, ApiError> {
    let bundles = app
        .gateway
        .music
        .permissions(&caller.principal, &entity)
        .await?;
    match bundles.is_empty() {
        true => Err(ApiError::new(
            ErrorCode::NotFound,
            format!("No permissions found for `{entity}`"),
            "PUT /api/v1/permissions/{entity_id} stores some",
        )),
        false => counted(&bundles, bundles.len()),
    }
}

/// Stores the permissions of a rights holder.
pub(super) async fn put(
    State(app): State<Arc<AppState>>,
    caller: Caller,
    Path(entity): Path<String>,
    JsonBody(bundle): JsonBody<PermissionBundle>,
) -> Result<Response, ApiError> {
    ok(&app
        .gateway
        .music
        .put_permissions(&caller.principal, &entity, bundle)
        .await?)
}

/// Lists the checks of permissions, the newest first.
pub(super) async fn audit(
    State(app): State<Arc<AppState>>,
    caller: Caller,
    Query(query): Query<OffsetQuery>,
) -> Result<Response, ApiError> {
    let limit = limit(query.limit, 50)?;
    let (entries, total) = app
        .gateway
        .music
        .permission_audit(&caller.principal, query.offset.unwrap_or(0), limit)
        .await?;
    counted(&entries, total)
}
