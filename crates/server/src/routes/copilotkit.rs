//! Runtime of CopilotKit: one handler for all its paths.

use std::sync::Arc;

use axum::body::Bytes;
use axum::extract::rejection::BytesRejection;
use axum::extract::{Query, State};
use axum::http::{HeaderMap, Method, Uri};
use axum::response::Response;

use super::extract::read_body;
use crate::access::Caller;
use crate::copilotkit::{self, RuntimeCall};
use crate::error::ApiError;
use crate::state::AppState;

/// Serves a request to the runtime.
pub(super) async fn serve(
    State(app): State<Arc<AppState>>,
    caller: Caller,
    method: Method,
    uri: Uri,
    Query(query): Query<Vec<(String, String)>>,
    headers: HeaderMap,
    body: Result<Bytes, BytesRejection>,
) -> Result<Response, ApiError> {
    let body = read_body(body)?;
    copilotkit::serve(RuntimeCall {
        app,
        caller,
        method,
        uri,
        query,
        headers,
        body,
    })
    .await
}
