//! The server about itself: the description of its routes, the level of its log.

use std::sync::Arc;

use axum::body::Bytes;
use axum::extract::State;
use axum::extract::rejection::BytesRejection;
use axum::http::{StatusCode, header};
use axum::response::{IntoResponse, Response};
use json::Value;

use super::{RequestMembers, object, ok};
use crate::error::{ApiError, ErrorCode};
use crate::openapi;
use crate::state::AppState;

/// The description of all routes.
pub(super) async fn description() -> Response {
    ok(&openapi::document())
}

/// The same, to read.
pub(super) async fn reading() -> Response {
    let headers = [
        (header::CONTENT_TYPE, "text/html; charset=utf-8"),
        (
            header::CONTENT_SECURITY_POLICY,
            "default-src 'none'; style-src 'unsafe-inline'; img-src data:; base-uri 'none'; \
             form-action 'none'; frame-ancestors 'none'",
        ),
    ];
    (StatusCode::OK, headers, openapi::page()).into_response()
}

/// From which level on something is logged.
pub(super) async fn level(State(app): State<Arc<AppState>>) -> Response {
    said(app.log.level())
}

/// Logs more, or less, from now on.
pub(super) async fn set_level(
    State(app): State<Arc<AppState>>,
    body: Result<Bytes, BytesRejection>,
) -> Result<Response, ApiError> {
    let body = object(body)?;
    let level = RequestMembers::of(&body).text("level")?.and_then(|word| {
        let known = ["error", "warn", "info", "debug", "trace"];
        known.contains(&word).then(|| word.parse().ok()).flatten()
    });
    let level = level.ok_or_else(|| {
        ApiError::new(
            ErrorCode::InvalidInput,
            "level is none of error, warn, info, debug, trace",
            "send {\"level\":\"debug\"}",
        )
    })?;
    app.log.set(level);
    Ok(said(level))
}

fn said(level: tracing::Level) -> Response {
    let level = level.as_str().to_lowercase();
    ok(&Value::from([("level", level.into())]))
}
