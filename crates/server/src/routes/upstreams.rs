//! Upstream agents: adding, removing and checking them.

use std::sync::Arc;

use agui_http::client::ProxyConfig;
use axum::extract::{Path, State};
use axum::response::Response;
use gateway::settings::AgentSettings;
use gateway::{UpstreamError, UpstreamState, add_upstream, check_upstream, remove_upstream};

use super::agents::{describe, find};
use super::extract::JsonBody;
use super::ok;
use crate::access::Caller;
use crate::api::{RemovedUpstream, UpstreamCheckInfo, UpstreamRequest};
use crate::error::{ApiError, ErrorCode, sentence};
use crate::state::AppState;

/// Adds an upstream agent, or changes one that was added.
pub(super) async fn add(
    State(app): State<Arc<AppState>>,
    caller: Caller,
    Path(name): Path<String>,
    JsonBody(body): JsonBody<UpstreamRequest>,
) -> Result<Response, ApiError> {
    let settings = AgentSettings {
        headers: body.headers.unwrap_or_default(),
        ..AgentSettings::at(body.url)
    };
    let agents = &app.gateway.agents;
    add_upstream(agents, &app.store, &name, settings, app.now()).await?;
    let agent = find(&app, &name)?;
    ok(&describe(&app, &caller, &name, &agent))
}

/// Removes an upstream agent that was added.
pub(super) async fn remove(
    State(app): State<Arc<AppState>>,
    Path(name): Path<String>,
) -> Result<Response, ApiError> {
    remove_upstream(&app.gateway.agents, &app.store, &name).await?;
    ok(&RemovedUpstream {
        name,
        removed: true,
    })
}

/// Sends an empty conversation to an upstream agent.
pub(super) async fn check(
    State(app): State<Arc<AppState>>,
    Path(name): Path<String>,
) -> Result<Response, ApiError> {
    let entry = find(&app, &name)?;
    let Some(settings) = entry.upstream() else {
        return ok(&UpstreamCheckInfo {
            state: "ok",
            message: format!("{name} is part of the program."),
            hint: None,
        });
    };
    let found = check_upstream(settings, ProxyConfig::from_platform()).await;
    ok(&UpstreamCheckInfo {
        state: match found.state {
            UpstreamState::Ok => "ok",
            UpstreamState::Warn => "warn",
            UpstreamState::Fail => "fail",
        },
        message: sentence(&found.message),
        hint: (!found.hint.is_empty()).then(|| sentence(found.hint)),
    })
}

impl From<UpstreamError> for ApiError {
    fn from(error: UpstreamError) -> Self {
        let message = error.to_string();
        match error {
            UpstreamError::Name(_) => Self::new(
                ErrorCode::InvalidInput,
                message,
                "use 1 to 64 letters, digits, hyphens and underscores",
            ),
            UpstreamError::Taken { .. } => {
                Self::new(ErrorCode::Conflict, message, "choose another name")
            }
            UpstreamError::Missing(_) => Self::new(
                ErrorCode::NotFound,
                message,
                "GET /agents lists the agents; those of the configuration are removed there",
            ),
            UpstreamError::Invalid(_) => Self::new(
                ErrorCode::InvalidInput,
                message,
                "use a URL such as http://localhost:8000/ and headers with plain values",
            ),
            UpstreamError::Store(error) => error.into(),
        }
    }
}
