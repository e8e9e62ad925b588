//! Whether the server is well.

use std::sync::Arc;
use std::time::Duration;

use agui::negotiate::Encoding;
use axum::body::{Body, Bytes};
use axum::extract::State;
use axum::http::{StatusCode, header};
use axum::response::{IntoResponse, Response};
use json::Value;
use store::{PageRequest, Principal};

use super::export::ChannelBody;
use super::{json, ok};
use crate::answer;
use crate::state::AppState;

/// How long the pause between two events of [`stream`] is.
const PAUSE: Duration = Duration::from_millis(400);

/// The process answers.
pub(super) async fn alive() -> Response {
    ok(&Value::from([("status", "ok".into())]))
}

/// Two events with a pause between them: whoever reads them sees whether something collects them.
pub(super) async fn stream() -> Response {
    let (sender, receiver) = tokio::sync::mpsc::channel(2);
    tokio::spawn(async move {
        let event = |kind: &str| {
            let event =
                format!("{{\"type\":\"{kind}\",\"threadId\":\"health\",\"runId\":\"health\"}}");
            Bytes::from(format!("data: {event}\n\n"))
        };
        if sender.send(event("RUN_STARTED")).await.is_ok() {
            tokio::time::sleep(PAUSE).await;
            // Nobody may be there any more.
            let _ = sender.send(event("RUN_FINISHED")).await;
        }
    });
    answer::streamed(Encoding::Sse, Body::new(ChannelBody(receiver)))
}

/// So does the store.
pub(super) async fn ready(State(app): State<Arc<AppState>>) -> Response {
    let answered = app
        .store
        .attachments(&Principal::local(), &PageRequest::first(1), app.now())
        .await;
    match answered {
        Ok(_) => ok(&Value::from([("status", "ready".into())])),
        Err(error) => json(
            StatusCode::SERVICE_UNAVAILABLE,
            &Value::from([
                ("status", "unavailable".into()),
                ("reason", error.to_string().into()),
                ("hint", error.hint().into()),
            ]),
        ),
    }
}

/// Counters for Prometheus.
pub(super) async fn metrics(State(app): State<Arc<AppState>>) -> Response {
    let open = i64::try_from(app.runs.count()).unwrap_or(i64::MAX);
    app.metrics.open.set(open);
    let watchers = i64::try_from(app.runs.subscriber_count()).unwrap_or(i64::MAX);
    app.metrics.watchers.set(watchers);
    let waiting = i64::try_from(app.library.waiting()).unwrap_or(i64::MAX);
    app.metrics.reading.set(waiting);
    let storing = i64::try_from(app.store.pending_writes()).unwrap_or(i64::MAX);
    app.metrics.storing.set(storing);
    let form = "application/openmetrics-text; version=1.0.0; charset=utf-8";
    ([(header::CONTENT_TYPE, form)], app.metrics.text()).into_response()
}
