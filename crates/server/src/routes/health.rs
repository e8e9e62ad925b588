//! Whether the server is well.

use std::sync::Arc;

use agui::json::Value;
use axum::extract::State;
use axum::http::{StatusCode, header};
use axum::response::{IntoResponse, Response};
use store::{Principal, Slice};

use super::{json, ok};
use crate::app::App;

/// The process answers.
pub(super) async fn alive() -> Response {
    ok(&Value::from([("status", "ok".into())]))
}

/// So does the store.
pub(super) async fn ready(State(app): State<Arc<App>>) -> Response {
    let answered = app
        .store
        .attachments(&Principal::local(), &Slice::first(1), app.now())
        .await;
    match answered {
        Ok(_) => ok(&Value::from([("status", "ready".into())])),
        Err(error) => json(
            StatusCode::SERVICE_UNAVAILABLE,
            &Value::from([
                ("status", "unavailable".into()),
                ("reason", error.to_string().into()),
                ("hint", error.remedy().into()),
            ]),
        ),
    }
}

/// Counters for Prometheus.
pub(super) async fn metrics(State(app): State<Arc<App>>) -> Response {
    let open = i64::try_from(app.runs.count()).unwrap_or(i64::MAX);
    app.metrics.open.set(open);
    let form = "application/openmetrics-text; version=1.0.0; charset=utf-8";
    ([(header::CONTENT_TYPE, form)], app.metrics.text()).into_response()
}
