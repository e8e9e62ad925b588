//! Model Context Protocol over streamable HTTP.

use std::sync::Arc;

use axum::extract::{Request, State};
use axum::response::Response;

use crate::error::{ApiError, ErrorCode};
use crate::state::AppState;

/// Serves a request of the protocol. The sender is in the extensions of the request.
pub(super) async fn serve(
    State(app): State<Arc<AppState>>,
    request: Request,
) -> Result<Response, ApiError> {
    let endpoint = app.mcp.as_ref().ok_or_else(|| {
        ApiError::new(
            ErrorCode::NotFound,
            "The Model Context Protocol is switched off",
            "Set `mcp.enabled` to true in the configuration",
        )
    })?;
    Ok(endpoint.serve(request).await)
}
