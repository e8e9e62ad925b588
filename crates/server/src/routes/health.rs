//! Health, readiness and metrics of the server.

use std::sync::Arc;
use std::time::Duration;

use agui::negotiate::Encoding;
use axum::extract::State;
use axum::http::{StatusCode, header};
use axum::response::{IntoResponse, Response};
use store::{PageRequest, Principal};

use super::{json, ok};
use crate::api::{HealthStatus, ReadinessStatus};
use crate::error::ApiError;
use crate::event_response;
use crate::state::AppState;
use crate::stream_body::StreamBody;

/// Pause between the two events of [`stream`].
const STREAM_PAUSE: Duration = Duration::from_millis(400);

/// Reports that the process responds.
pub(super) async fn alive() -> Result<Response, ApiError> {
    ok(&HealthStatus { status: "ok" })
}

/// Streams two events with a pause between them. A client that receives both at once is behind a proxy that buffers.
pub(super) async fn stream() -> Response {
    let (sender, body) = StreamBody::channel(2);
    tokio::spawn(async move {
        let event = |kind: &str| serde_json::json!({ "type": kind, "threadId": "health", "runId": "health" });
        if sender.event(None, &event("RUN_STARTED")).await.is_ok() {
            tokio::time::sleep(STREAM_PAUSE).await;
            // The client may have disconnected.
            let _ = sender.event(None, &event("RUN_FINISHED")).await;
        }
    });
    event_response::streamed(Encoding::Sse, body.into())
}

/// Reports that data can be read and stored.
pub(super) async fn ready(State(app): State<Arc<AppState>>) -> Result<Response, ApiError> {
    let first = PageRequest::first(1);
    let read = app
        .store
        .attachments(&Principal::local(), &first, app.now());
    let checked = match read.await {
        Ok(_) => app.store.check_writable().await,
        Err(error) => Err(error),
    };
    match checked {
        Ok(()) => ok(&ReadinessStatus {
            status: "ready",
            reason: None,
            hint: None,
        }),
        Err(error) => json(
            StatusCode::SERVICE_UNAVAILABLE,
            &ReadinessStatus {
                status: "unavailable",
                reason: Some(error.to_string()),
                hint: Some(error.hint().to_owned()),
            },
        ),
    }
}

/// Returns the metrics in OpenMetrics format.
pub(super) async fn metrics(State(app): State<Arc<AppState>>) -> Response {
    let open = i64::try_from(app.runs.count()).unwrap_or(i64::MAX);
    app.metrics.open.set(open);
    let subscribers = i64::try_from(app.runs.subscriber_count()).unwrap_or(i64::MAX);
    app.metrics.subscribers.set(subscribers);
    let waiting = i64::try_from(app.library.waiting()).unwrap_or(i64::MAX);
    app.metrics.reading.set(waiting);
    let storing = i64::try_from(app.store.pending_writes()).unwrap_or(i64::MAX);
    app.metrics.storing.set(storing);
    let media_type = "application/openmetrics-text; version=1.0.0; charset=utf-8";
    ([(header::CONTENT_TYPE, media_type)], app.metrics.text()).into_response()
}
