//! Agents: who they are, and running them.

use std::sync::Arc;

use agui::input::read_request;
use agui::json::{Json, Value};
use agui::negotiate::{VARY, Wire};
use axum::body::{Body, Bytes};
use axum::extract::rejection::BytesRejection;
use axum::extract::{Path, State};
use axum::http::{HeaderMap, HeaderName, HeaderValue, header};
use axum::response::{IntoResponse, Response};
use store::{NewRun, RunId, ThreadId};

use super::{ok, whole};
use crate::access::Caller;
use crate::amend::read_state;
use crate::app::{App, new_id};
use crate::conversation;
use crate::error::{ApiError, Code};
use crate::gateway::{self, Entry, Given};
use crate::runs::Asked;

/// The agents there are.
pub(super) async fn list(State(app): State<Arc<App>>) -> Response {
    let items = app
        .agents
        .iter()
        .map(|(name, entry)| described(&app, name, entry));
    ok(&Value::from([("items", Value::Array(items.collect()))]))
}

/// One agent, and what it can do.
pub(super) async fn about(
    State(app): State<Arc<App>>,
    Path(name): Path<String>,
) -> Result<Response, ApiError> {
    Ok(ok(&described(&app, &name, entry(&app, &name)?)))
}

fn described(app: &App, name: &str, entry: &Entry) -> Value {
    let state = Value::from([
        ("snapshots", Value::Bool(true)),
        ("deltas", Value::Bool(true)),
    ]);
    let transport = Value::from([
        ("streaming", Value::Bool(true)),
        ("resumable", Value::Bool(true)),
    ]);
    Value::from([
        ("name", name.into()),
        ("url", app.link(&format!("/agents/{name}")).into()),
        ("builtIn", Value::Bool(entry.is_built_in())),
        (
            "capabilities",
            Value::from([("state", state), ("transport", transport)]),
        ),
    ])
}

fn entry<'a>(app: &'a App, name: &str) -> Result<&'a Entry, ApiError> {
    app.agents.get(name).ok_or_else(|| {
        let names: Vec<&str> = app.agents.iter().map(|(name, _)| name).collect();
        ApiError::new(
            Code::NotFound,
            format!("there is no agent '{name}'"),
            match names.as_slice() {
                [] => "start the server with --upstream NAME=URL".to_owned(),
                names => format!("there are: {}", names.join(", ")),
            },
        )
    })
}

/// Runs an agent, or goes on watching a run.
pub(super) async fn run(
    State(app): State<Arc<App>>,
    caller: Caller,
    Path(name): Path<String>,
    headers: HeaderMap,
    body: Result<Bytes, BytesRejection>,
) -> Result<Response, ApiError> {
    entry(&app, &name)?;
    let body = whole(body)?;
    let input = read_request(&body, new_id)?.input;
    app.metrics.runs.inc();
    let principal = caller.principal;
    let (thread, run) = (ThreadId::new(&input.thread_id)?, RunId::new(&input.run_id)?);
    let recalled = match app.store.state(&principal, &thread).await {
        Ok(stored) => read_state(&stored.state),
        Err(store::StoreError::NotFound { .. }) => None,
        Err(error) => return Err(error.into()),
    };
    let documents = conversation::documents(&app, &principal, &input).await;
    let accept = headers
        .get(header::ACCEPT)
        .and_then(|accept| accept.to_str().ok());
    let wire = Wire::negotiate(accept);
    let last_seen = headers.get("last-event-id").and_then(|id| id.to_str().ok());
    let received = Json::parse(String::from_utf8_lossy(&body).into_owned());
    let asked = Asked {
        principal: principal.clone(),
        thread: thread.clone(),
        new: NewRun {
            thread: thread.clone(),
            run,
            agent: name.clone(),
            parent: None,
            input: received.map_err(|error| {
                ApiError::new(Code::InvalidJson, error.to_string(), "send a RunAgentInput")
            })?,
            started: app.now(),
        },
        input,
        wire,
        after: last_seen.and_then(|id| id.trim().parse().ok()),
    };
    let given = Given {
        principal,
        thread,
        recalled,
        documents,
    };
    let entry = entry(&app, &name)?;
    let watcher = app
        .runs
        .start(asked, |input| {
            gateway::run(&app, entry, &headers, given, input)
        })
        .await?;
    let headers = [
        (
            header::CONTENT_TYPE,
            HeaderValue::from_static(wire.content_type()),
        ),
        (
            HeaderName::from_static(VARY.0),
            HeaderValue::from_static(VARY.1),
        ),
        (
            header::CACHE_CONTROL,
            HeaderValue::from_static("no-cache, no-transform"),
        ),
        // nginx would collect the events otherwise.
        (
            HeaderName::from_static("x-accel-buffering"),
            HeaderValue::from_static("no"),
        ),
    ];
    Ok((headers, Body::new(watcher)).into_response())
}
