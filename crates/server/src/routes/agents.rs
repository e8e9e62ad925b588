//! Agents: listing and running them.

use std::sync::Arc;

use axum::body::Bytes;
use axum::extract::rejection::BytesRejection;
use axum::extract::{Path, State};
use axum::http::HeaderMap;
use axum::response::Response;
use gateway::{AgentEntry, AgentOrigin, AgentRunRequest, RunRequest};

use super::extract::read_body;
use super::{last_event_id, ok};
use crate::access::{AccessScope, Caller};
use crate::api::{
    AgentCapabilities, AgentInfo, AgentList, StateCapabilities, TransportCapabilities,
};
use crate::error::{ApiError, ErrorCode};
use crate::event_response;
use crate::state::{AppState, new_id};
use crate::stream_body::StreamBody;

/// Lists all agents.
pub(super) async fn list(
    State(app): State<Arc<AppState>>,
    caller: Caller,
) -> Result<Response, ApiError> {
    let agents = app.gateway.agents.all().into_iter();
    let items = agents.map(|(name, entry)| describe(&app, &caller, &name, &entry));
    ok(&AgentList {
        items: items.collect(),
    })
}

/// Describes one agent.
pub(super) async fn about(
    State(app): State<Arc<AppState>>,
    caller: Caller,
    Path(name): Path<String>,
) -> Result<Response, ApiError> {
    let agent = find(&app, &name)?;
    ok(&describe(&app, &caller, &name, &agent))
}

/// Describes an agent. Administrators see the address of an upstream.
pub(super) fn describe(
    app: &AppState,
    caller: &Caller,
    name: &str,
    entry: &AgentEntry,
) -> AgentInfo {
    let upstream = entry.upstream().map(|settings| settings.url.as_str());
    AgentInfo {
        name: name.to_owned(),
        url: app.link(&format!("/agents/{name}")),
        built_in: entry.is_built_in(),
        origin: match app.gateway.agents.origin(name) {
            Some(AgentOrigin::BuiltIn) => "builtIn",
            Some(AgentOrigin::Configuration) => "configuration",
            Some(AgentOrigin::Added) | None => "added",
        },
        upstream: upstream
            .filter(|_| caller.has_scope(AccessScope::Admin))
            .map(net::hide_url_secrets),
        default: app.gateway.agents.is_default(name),
        model: entry.model(),
        capabilities: AgentCapabilities {
            state: StateCapabilities {
                snapshots: true,
                deltas: true,
            },
            transport: TransportCapabilities {
                streaming: true,
                resumable: true,
            },
        },
    }
}

/// Returns the agent of that name.
pub(super) fn find(app: &AppState, name: &str) -> Result<Arc<AgentEntry>, ApiError> {
    app.gateway.agents.get(name).ok_or_else(|| {
        let all = app.gateway.agents.all().into_iter();
        let names: Vec<String> = all.map(|(name, _)| name).collect();
        ApiError::new(
            ErrorCode::NotFound,
            format!("Agent not found: `{name}`"),
            match names.as_slice() {
                [] => "Start the server with `--upstream NAME=URL`".to_owned(),
                names => format!("Agents of this server: {}", names.join(", ")),
            },
        )
    })
}

/// Runs an agent, or subscribes to a run that was started before.
pub(super) async fn run(
    State(app): State<Arc<AppState>>,
    caller: Caller,
    Path(name): Path<String>,
    headers: HeaderMap,
    body: Result<Bytes, BytesRejection>,
) -> Result<Response, ApiError> {
    let agent = find(&app, &name)?;
    let mut request = RunRequest::read(&read_body(body)?, new_id)?;
    let gateway = &app.gateway;
    gateway
        .accept_action(&caller.principal, &mut request)
        .await?;
    app.metrics.runs.inc();
    let encoding = event_response::accepted_encoding(&headers);
    let run = AgentRunRequest {
        agent,
        name,
        principal: caller.principal,
        request,
        after: last_event_id(&headers),
        headers,
        encoding,
    };
    let subscriber = app.gateway.run_agent(run).await?;
    Ok(event_response::streamed(
        encoding,
        StreamBody::Run(Box::new(subscriber)).into(),
    ))
}
