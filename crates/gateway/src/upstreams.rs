//! Upstream agents that administrators add while the server runs, and checks of upstreams.

use std::sync::Arc;
use std::time::Duration;

use agui::input::read_request;
use agui::{Agent, ReceivedEvent};
use agui_http::client::{HttpAgent, ProxyConfig, Timeouts};
use net::hide_url_secrets;
use store::{Store, StoreError, StoredUpstream, Timestamp};

use crate::agents::{AgentOrigin, AgentRegistry};
use crate::error::UpstreamError;
use crate::settings::AgentSettings;

/// Timeout of each step of a check.
const CHECK_TIMEOUT: Duration = Duration::from_secs(10);
/// Longest name of an agent.
const MAX_NAME: usize = 64;

/// Adds an upstream agent, or changes one that was added before. It is stored, so it is there after a restart.
pub async fn add_upstream(
    agents: &AgentRegistry,
    store: &Arc<dyn Store>,
    name: &str,
    settings: AgentSettings,
    now: Timestamp,
) -> Result<(), UpstreamError> {
    let is_allowed = |byte: u8| byte.is_ascii_alphanumeric() || matches!(byte, b'-' | b'_');
    if name.is_empty() || name.len() > MAX_NAME || !name.bytes().all(is_allowed) {
        return Err(UpstreamError::Name(name.to_owned()));
    }
    check_owner(agents, name)?;
    let json = serde_json::to_vec(&settings).unwrap_or_default();
    agents.add(name, settings)?;
    let stored = store.store_upstream(StoredUpstream {
        name: name.to_owned(),
        settings: json.into(),
        created: now,
    });
    Ok(stored.await?)
}

/// Removes an upstream agent that was added.
pub async fn remove_upstream(
    agents: &AgentRegistry,
    store: &Arc<dyn Store>,
    name: &str,
) -> Result<(), UpstreamError> {
    check_owner(agents, name)?;
    agents.remove(name);
    match store.delete_upstream(name).await? {
        true => Ok(()),
        false => Err(UpstreamError::Missing(name.to_owned())),
    }
}

/// Fails if the name belongs to an agent of the configuration or of the program.
fn check_owner(agents: &AgentRegistry, name: &str) -> Result<(), UpstreamError> {
    let owner = match agents.origin(name) {
        Some(AgentOrigin::BuiltIn) => "is part of the program",
        Some(AgentOrigin::Configuration) => "is defined in the configuration",
        Some(AgentOrigin::Added) | None => return Ok(()),
    };
    Err(UpstreamError::Taken {
        name: name.to_owned(),
        owner,
    })
}

/// Adds the stored upstreams to the registry. One that cannot be used is left out with a warning, so that the server
/// starts.
pub(crate) async fn add_stored_upstreams(
    agents: &AgentRegistry,
    store: &Arc<dyn Store>,
) -> Result<(), StoreError> {
    for stored in store.upstreams().await? {
        let settings = serde_json::from_slice(&stored.settings);
        let added = settings
            .map_err(|error| error.to_string())
            .and_then(|settings| {
                { agents.add(&stored.name, settings) }.map_err(|error| error.to_string())
            });
        if let Err(error) = added {
            tracing::warn!(agent = stored.name, error, "an upstream cannot be used");
        }
    }
    Ok(())
}

/// Result of a check.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum UpstreamState {
    /// The agent responds with AG-UI.
    Ok,
    /// The agent responds, but a run may fail.
    Warn,
    /// The agent cannot be used.
    Fail,
}

/// Result of sending an empty conversation to an upstream agent.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct UpstreamCheck {
    /// Result.
    pub state: UpstreamState,
    /// Finding, as a sentence without a full stop.
    pub message: String,
    /// Hint; empty if everything is well.
    pub hint: &'static str,
}

/// Sends an agent an empty conversation and checks the first event.
pub async fn check_upstream(settings: &AgentSettings, proxies: ProxyConfig) -> UpstreamCheck {
    let url = hide_url_secrets(&settings.url);
    let mut builder = HttpAgent::builder(&settings.url)
        .proxies(proxies)
        .timeouts(Timeouts {
            connect: CHECK_TIMEOUT,
            first_event: CHECK_TIMEOUT,
            idle: CHECK_TIMEOUT,
            ..Timeouts::default()
        });
    for (name, value) in &settings.headers {
        builder = builder.header(name, value);
    }
    let result = |state, message: String, hint| UpstreamCheck {
        state,
        message,
        hint,
    };
    let agent = match builder.build() {
        Ok(agent) => agent,
        Err(error) => {
            let hint = "correct its url and headers";
            return result(UpstreamState::Fail, error.to_string(), hint);
        }
    };
    match first_event(&agent).await {
        Ok(kind) if kind == "RUN_STARTED" => {
            result(UpstreamState::Ok, format!("{url} speaks AG-UI"), "")
        }
        Ok(kind) => result(
            UpstreamState::Warn,
            format!("{url} begins with {kind} instead of RUN_STARTED"),
            "run `pincite stream run URL --message hi` to see its events",
        ),
        // The agent responds; it may reject an empty conversation.
        Err((code, message)) if is_rejection(code, &message) => result(
            UpstreamState::Warn,
            format!("{url} responds, but rejects an empty conversation"),
            "run `pincite stream run URL --message hi` to see whether it works",
        ),
        Err((code, message)) => result(UpstreamState::Fail, message, failure_hint(code)),
    }
}

fn is_rejection(code: &str, message: &str) -> bool {
    let is_status = |status: &&str| message.contains(status);
    code == "upstream_status" && ["HTTP 400", "HTTP 422"].iter().any(is_status)
}

fn failure_hint(code: &str) -> &'static str {
    match code {
        "upstream_unreachable" => "start it, or correct its url",
        "upstream_protocol" => "it does not speak AG-UI; check the path of its url",
        "upstream_timeout" => "check why it is slow",
        _ => "look into its log; headers may be missing",
    }
}

async fn first_event(agent: &HttpAgent) -> Result<String, (&'static str, String)> {
    let mut ids = 0;
    let new_id = || {
        ids += 1;
        format!("check-{ids}")
    };
    let input = read_request(br#"{"messages":[]}"#, new_id).map(|read| read.input);
    let Ok(input) = input else {
        return Err(("internal", "cannot create an empty conversation".to_owned()));
    };
    let mut stream = agent.run(input);
    let mut slot = ReceivedEvent::default();
    match stream.next_into(&mut slot).await {
        Some(Ok(())) => Ok(match &slot {
            ReceivedEvent::Typed(event) => event.kind().as_str().to_owned(),
            _ => "an unknown event".to_owned(),
        }),
        Some(Err(error)) => Err((error.code(), error.to_string())),
        None => Err((
            "upstream_truncated",
            "the stream ended without an event".to_owned(),
        )),
    }
}
