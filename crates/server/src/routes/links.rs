//! Links to evidence for people without a key.

use std::sync::Arc;

use axum::body::Bytes;
use axum::extract::rejection::BytesRejection;
use axum::extract::{Path, State};
use axum::http::StatusCode;
use axum::response::Response;
use json::Value;
use store::Timestamp;

use super::documents::moment;
use super::evidence::stored;
use super::{json, object, whole};
use crate::access::Caller;
use crate::error::{ApiError, ErrorCode};
use crate::state::AppState;

/// How long a link works unless something else is said, and at most; in seconds.
const WEEK: u32 = 7 * 24 * 60 * 60;
const YEAR: u32 = 366 * 24 * 60 * 60;

/// Makes a link to a page of evidence that works for a while, for whoever holds it.
pub(super) async fn share(
    State(app): State<Arc<AppState>>,
    caller: Caller,
    Path(id): Path<String>,
    body: Result<Bytes, BytesRejection>,
) -> Result<Response, ApiError> {
    let seconds = seconds(whole(body)?)?;
    let found = stored(&app, &caller.principal, &id).await?;
    let until = Timestamp(app.now().0.saturating_add(i64::from(seconds) * 1000));
    let path = format!("/p/{}", found.id);
    let query = app.access.links.sign(&path, &caller.principal, until);
    let answer = Value::from([
        ("url", app.link(&format!("{path}?{query}")).into()),
        ("expiresAt", moment(until).into()),
    ]);
    Ok(json(StatusCode::CREATED, &answer))
}

fn seconds(body: Bytes) -> Result<u32, ApiError> {
    if body.is_empty() {
        return Ok(WEEK);
    }
    let body = object(Ok(body))?;
    let Some(seconds) = body.get("seconds") else {
        return Ok(WEEK);
    };
    let number = match seconds {
        Value::Number(number) => number.as_f64(),
        _ => 0.0,
    };
    let whole = number as u32;
    if whole == 0 || f64::from(whole) != number || whole > YEAR {
        return Err(ApiError::new(
            ErrorCode::InvalidInput,
            "seconds must be a whole number from 1 to 31622400",
            "send {\"seconds\":604800} for a week",
        ));
    }
    Ok(whole)
}
