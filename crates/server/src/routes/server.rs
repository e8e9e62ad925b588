//! OpenAPI description and log level.

use std::sync::Arc;

use axum::extract::State;
use axum::http::{StatusCode, header};
use axum::response::{IntoResponse, Response};

use super::extract::JsonBody;
use super::{json_text, ok};
use crate::api::LogLevelBody;
use crate::error::ApiError;
use crate::openapi;
use crate::state::AppState;

/// Returns the OpenAPI document.
pub(super) async fn description() -> Response {
    json_text(StatusCode::OK, openapi::description())
}

/// Returns the OpenAPI document as a page.
pub(super) async fn page() -> Response {
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

/// Returns the log level.
pub(super) async fn log_level(State(app): State<Arc<AppState>>) -> Result<Response, ApiError> {
    ok(&LogLevelBody {
        level: app.log.level().into(),
    })
}

/// Changes the log level until the server stops.
pub(super) async fn set_log_level(
    State(app): State<Arc<AppState>>,
    JsonBody(body): JsonBody<LogLevelBody>,
) -> Result<Response, ApiError> {
    app.log.set(body.level.into());
    ok(&body)
}
