//! Agents: who they are, and running them.

use std::sync::Arc;

use axum::body::{Body, Bytes};
use axum::extract::rejection::BytesRejection;
use axum::extract::{Path, State};
use axum::http::HeaderMap;
use axum::response::Response;
use json::{Json, Value};
use store::{NewRun, Principal, RunId, ThreadId};

use super::{last_event_id, ok, whole};
use crate::access::Caller;
use crate::amend::state_of;
use crate::answer;
use crate::app::{AppState, new_id};
use crate::conversation;
use crate::error::{ApiError, ErrorCode};
use crate::gateway::{self, AgentEntry, RunContext};
use crate::runs::{NewRunRequest, RunBeginning, RunRequest, inherit, told};

/// The agents there are.
pub(super) async fn list(State(app): State<Arc<AppState>>) -> Response {
    let items = app
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

fn entry<'a>(app: &'a AppState, name: &str) -> Result<&'a AgentEntry, ApiError> {
    app.agents.get(name).ok_or_else(|| {
        let names: Vec<&str> = app.agents.iter().map(|(name, _)| name).collect();
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
    let mut received = RunRequest::read(&whole(body)?, new_id)?;
    app.metrics.runs.inc();
    let principal = caller.principal;
    let thread = ThreadId::new(&received.input.thread_id)?;
    let run = RunId::new(&received.input.run_id)?;
    let inherited = inherit(&app.store, &principal, &mut received, (&thread, &run)).await?;
    let input = received.input;
    // Without a state of its own the run begins with what the thread has.
    let stored = match (&input.state, &inherited.recalled) {
        (Some(_), _) => None,
        (None, Some(inherited)) => Some(inherited.state.clone()),
        (None, None) => known_state(&app, (&principal, &thread)).await?,
    };
    let state = input.state.as_ref().or(stored.as_ref());
    let documents = conversation::documents(&app, &principal, &input, state).await;
    let wire = answer::wire(&headers);
    let entry = entry(&app, &name)?;
    let asked = NewRunRequest {
        principal: principal.clone(),
        thread: thread.clone(),
        new: NewRun {
            thread: thread.clone(),
            run,
            agent: name.clone(),
            parent: received.parent,
            input: received.sent,
            started: app.now(),
        },
        input,
        wire,
        after: last_event_id(&headers),
        leaving: entry.leaving(),
        inherited: inherited.recalled,
    };
    let begin = |input, beginning: RunBeginning| {
        let given = RunContext::new(principal, thread, beginning, documents);
        told(
            gateway::run(&app, entry, &headers, given, input),
            inherited.told,
        )
    };
    let watcher = app.runs.start(asked, begin).await?.with_first().await;
    Ok(answer::streamed(wire, Body::new(watcher)))
}

/// The state of a thread, if it has begun.
async fn known_state(
    app: &AppState,
    (principal, thread): (&Principal, &ThreadId),
) -> Result<Option<Json>, ApiError> {
    if app.store.thread(principal, thread).await?.is_none() {
        return Ok(None);
    }
    let key = (principal.clone(), thread.clone());
    Ok(state_of(&app.store, &key).await?)
}
