//! Agents: who they are, and running them.

use std::sync::Arc;

use axum::body::{Body, Bytes};
use axum::extract::rejection::BytesRejection;
use axum::extract::{Path, State};
use axum::http::HeaderMap;
use axum::response::Response;
use gateway::{AgentEntry, AgentRunRequest, RunRequest};
use json::Value;

use super::{last_event_id, ok, whole};
use crate::access::Caller;
use crate::answer;
use crate::error::{ApiError, ErrorCode};
use crate::state::{AppState, new_id};

/// The agents there are.
pub(super) async fn list(State(app): State<Arc<AppState>>) -> Response {
    let items = app
        .gateway
        .agents
        .iter()
        .map(|(name, entry)| described(&app, name, entry));
    ok(&Value::from([("items", Value::Array(items.collect()))]))
}

/// One agent, and what it can do.
pub(super) async fn about(
    State(app): State<Arc<AppState>>,
    Path(name): Path<String>,
) -> Result<Response, ApiError> {
    Ok(ok(&described(&app, &name, entry(&app, &name)?)))
}

fn described(app: &AppState, name: &str, entry: &AgentEntry) -> Value {
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

fn entry<'a>(app: &'a AppState, name: &str) -> Result<&'a Arc<AgentEntry>, ApiError> {
    app.gateway.agents.get(name).ok_or_else(|| {
        let names: Vec<&str> = app.gateway.agents.iter().map(|(name, _)| name).collect();
        ApiError::new(
            ErrorCode::NotFound,
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
    State(app): State<Arc<AppState>>,
    caller: Caller,
    Path(name): Path<String>,
    headers: HeaderMap,
    body: Result<Bytes, BytesRejection>,
) -> Result<Response, ApiError> {
    entry(&app, &name)?;
    let request = RunRequest::read(&whole(body)?, new_id)?;
    app.metrics.runs.inc();
    let encoding = answer::wire(&headers);
    let run = AgentRunRequest {
        agent: entry(&app, &name)?.clone(),
        name,
        principal: caller.principal,
        request,
        encoding,
        after: last_event_id(&headers),
        headers,
    };
    let subscriber = app.gateway.run_agent(run).await?;
    Ok(answer::streamed(encoding, Body::new(subscriber)))
}
