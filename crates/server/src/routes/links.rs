//! Signed links to evidence pages.

use std::sync::Arc;

use axum::extract::{Path, State};
use axum::http::StatusCode;
use axum::response::Response;
use store::Timestamp;

use super::evidence::find_verification;
use super::extract::OptionalJsonBody;
use super::{json, time_text};
use crate::access::Caller;
use crate::api::{LinkRequest, SignedLink};
use crate::error::{ApiError, ErrorCode};
use crate::state::AppState;

/// Lifetime of a link in seconds, if the request names none.
const WEEK: u32 = 7 * 24 * 60 * 60;
/// Maximum lifetime of a link in seconds.
const YEAR: u32 = 366 * 24 * 60 * 60;

/// Creates a signed link to an evidence page.
pub(super) async fn create(
    State(app): State<Arc<AppState>>,
    caller: Caller,
    Path(id): Path<String>,
    OptionalJsonBody(body): OptionalJsonBody<LinkRequest>,
) -> Result<Response, ApiError> {
    let seconds = lifetime(body.seconds)?;
    let found = find_verification(&app, &caller.principal, &id).await?;
    let until = Timestamp(app.now().0.saturating_add(i64::from(seconds) * 1000));
    let path = format!("/p/{}", found.id);
    let query = app.access.links.sign(&path, &caller.principal, until);
    let link = SignedLink {
        url: app.link(&format!("{path}?{query}")),
        expires_at: time_text(until),
    };
    json(StatusCode::CREATED, &link)
}

fn lifetime(seconds: Option<u64>) -> Result<u32, ApiError> {
    let Some(seconds) = seconds else {
        return Ok(WEEK);
    };
    match u32::try_from(seconds) {
        Ok(seconds @ 1..=YEAR) => Ok(seconds),
        _ => Err(ApiError::new(
            ErrorCode::InvalidInput,
            format!("`seconds` must be from 1 to {YEAR}, but is {seconds}"),
            "Send {\"seconds\":604800} for a week",
        )),
    }
}
