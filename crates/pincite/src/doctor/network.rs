//! Checks of the port, the agents, the proxy and the collector of traces.

use std::io::ErrorKind;
use std::net::{SocketAddr, TcpListener};
use std::time::{Duration, Instant};

use agui::input::read_request;
use agui::{Agent, ReceivedEvent};
use agui_http::client::{HttpAgent, ProxyConfig, Timeouts};
use server::settings::{AgentSettings, Settings};
use server::{UpstreamState, check_upstream};

use super::{CheckLine, CheckState, line, ok};
use crate::command_error::CommandError;
use net::hide_url_secrets;

/// Timeout of each step of a request.
const TIMEOUT: Duration = Duration::from_secs(10);
/// Minimum interval between two events that the server sends 400 ms apart. Less means that a proxy buffers them.
const MIN_INTERVAL: Duration = Duration::from_millis(200);

/// Runs all checks that use the network.
pub(super) fn check(settings: &Settings) -> Result<Vec<CheckLine>, CommandError> {
    let runtime = tokio::runtime::Builder::new_current_thread()
        .enable_all()
        .build()
        .map_err(|error| {
            CommandError::Configuration(format!("cannot start the network checks: {error}"))
        })?;
    runtime.block_on(async {
        let listen = settings.server.listen;
        let mut lines = vec![check_port(listen).await];
        for (name, agent) in &settings.agents {
            lines.push(check_agent(name, agent).await);
        }
        if let Some(url) = &settings.server.public_url {
            lines.push(check_proxy(url).await);
        }
        lines.push(check_traces(settings).await);
        Ok(lines)
    })
}

async fn check_port(listen: SocketAddr) -> CheckLine {
    let name = "port";
    match TcpListener::bind(listen) {
        Ok(_) => ok(name, format!("{listen} is free")),
        Err(error) if error.kind() == ErrorKind::AddrInUse => {
            match event_interval(&format!("http://{listen}/healthz/stream")).await {
                Ok(_) => ok(name, format!("{listen} is used by pincite")),
                Err(_) => line(
                    name,
                    CheckState::Fail,
                    format!("another program uses {listen}"),
                    "stop it, or choose another port with --listen or server.listen",
                ),
            }
        }
        Err(error) => line(
            name,
            CheckState::Fail,
            format!("cannot listen on {listen}: {error}"),
            "choose another address with --listen or server.listen",
        ),
    }
}

/// Checks that an agent responds.
async fn check_agent(name: &str, settings: &AgentSettings) -> CheckLine {
    let check = format!("agent {name}");
    let found = check_upstream(settings, ProxyConfig::from_platform()).await;
    match found.state {
        UpstreamState::Ok => ok(&check, found.message),
        UpstreamState::Warn => line(&check, CheckState::Warn, found.message, found.hint),
        UpstreamState::Fail => line(&check, CheckState::Fail, found.message, found.hint),
    }
}

fn empty_input() -> Option<agui::model::RunAgentInput> {
    let new_id = || format!("doctor-{}", uuid::Uuid::new_v4());
    read_request(br#"{"messages":[]}"#, new_id)
        .ok()
        .map(|read| read.input)
}

/// Returns the interval between two events that the server sends 400 ms apart.
async fn event_interval(url: &str) -> Result<Duration, String> {
    let agent = HttpAgent::builder(url)
        .proxies(ProxyConfig::from_platform())
        .timeouts(Timeouts {
            connect: TIMEOUT,
            first_event: TIMEOUT,
            idle: TIMEOUT,
            ..Timeouts::default()
        })
        .build()
        .map_err(|error| error.to_string())?;
    let input = empty_input().ok_or("cannot create an empty conversation")?;
    let mut stream = agent.run(input);
    let mut slot = ReceivedEvent::default();
    let mut next = async || match stream.next_into(&mut slot).await {
        Some(Ok(())) => Ok(Instant::now()),
        Some(Err(error)) => Err(error.to_string()),
        None => Err("the stream ended early".to_owned()),
    };
    let first = next().await?;
    Ok(next().await? - first)
}

/// Number of attempts to see two events apart. A busy machine may read them late and together.
const ATTEMPTS: usize = 3;

/// Returns the longest interval of several attempts.
async fn longest_interval(url: &str) -> Result<Duration, String> {
    let mut longest = Duration::ZERO;
    for _ in 0..ATTEMPTS {
        longest = longest.max(event_interval(url).await?);
        if longest >= MIN_INTERVAL {
            break;
        }
    }
    Ok(longest)
}

/// Sends an empty request to the collector of traces.
async fn check_traces(settings: &Settings) -> CheckLine {
    let name = "traces";
    let collector = match crate::serve::collector(settings) {
        Ok(Some(collector)) => collector,
        Ok(None) => return ok(name, "off; telemetry.otlp is not set"),
        Err(error) => {
            return line(
                name,
                CheckState::Fail,
                error.to_string(),
                "correct [telemetry]; `pincite config show --origin` shows where a value comes from",
            );
        }
    };
    match collector.probe().await {
        Ok(()) => ok(name, format!("{} accepts traces", collector.url())),
        Err(error) => line(
            name,
            CheckState::Warn,
            format!("{} does not accept traces: {error}", collector.url()),
            "start the collector with OTLP over HTTP (port 4318, not 4317), or unset telemetry.otlp",
        ),
    }
}

async fn check_proxy(public_url: &str) -> CheckLine {
    let name = "proxy";
    let url = format!("{}/healthz/stream", public_url.trim_end_matches('/'));
    let public_url = hide_url_secrets(public_url);
    match longest_interval(&url).await {
        Ok(interval) if interval >= MIN_INTERVAL => {
            ok(name, format!("events pass {public_url} one by one"))
        }
        Ok(_) => line(
            name,
            CheckState::Fail,
            format!("a proxy before {public_url} buffers events and sends them together"),
            "turn buffering and compression off for text/event-stream (nginx: proxy_buffering off)",
        ),
        Err(error) => line(
            name,
            CheckState::Warn,
            format!("{public_url} does not respond: {error}"),
            "start the server and check server.public_url",
        ),
    }
}
