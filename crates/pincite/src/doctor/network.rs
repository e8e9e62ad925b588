//! Whether the port is free, agents answer, and events pass what stands between.

use std::io::ErrorKind;
use std::net::{SocketAddr, TcpListener};
use std::time::{Duration, Instant};

use agui::input::read_request;
use agui::{Agent, ReceivedEvent};
use agui_http::client::{HttpAgent, ProxyConfig, Timeouts};
use server::settings::{AgentSettings, Settings};

use super::{CheckLine, CheckState, fine, line};
use crate::failure::CommandError;

/// How long an agent may take to begin.
const PATIENCE: Duration = Duration::from_secs(10);
/// The server pauses for 400 ms between two events; less than this between them, and somebody collects them.
const APART: Duration = Duration::from_millis(200);

/// Looks at everything that is reached over the network.
pub(super) fn look(settings: &Settings) -> Result<Vec<CheckLine>, CommandError> {
    let runtime = tokio::runtime::Builder::new_current_thread()
        .enable_all()
        .build()
        .map_err(|error| CommandError::Configuration(format!("cannot start: {error}")))?;
    runtime.block_on(async {
        let listen = settings.server.listen;
        let mut lines = vec![port(listen).await];
        for (name, agent) in &settings.agents {
            lines.push(handshake(name, agent).await);
        }
        if let Some(url) = &settings.server.public_url {
            lines.push(buffering(url).await);
        }
        lines.push(traces(settings).await);
        Ok(lines)
    })
}

async fn port(listen: SocketAddr) -> CheckLine {
    let about = "port";
    match TcpListener::bind(listen) {
        Ok(_) => fine(about, format!("{listen} is free")),
        Err(error) if error.kind() == ErrorKind::AddrInUse => {
            match paced(&format!("http://{listen}/healthz/stream")).await {
                Ok(_) => fine(about, format!("pincite serves on {listen}")),
                Err(_) => line(
                    about,
                    CheckState::Fail,
                    format!("another program has {listen}"),
                    "end it, or choose another port with --listen or server.listen",
                ),
            }
        }
        Err(error) => line(
            about,
            CheckState::Fail,
            format!("{listen} cannot be used: {error}"),
            "choose another address with --listen or server.listen",
        ),
    }
}

/// What an agent says first to a conversation in which nothing was said.
async fn handshake(name: &str, settings: &AgentSettings) -> CheckLine {
    let about = format!("agent {name}");
    let mut builder = HttpAgent::builder(&settings.url)
        .proxies(ProxyConfig::from_platform())
        .timeouts(Timeouts {
            connect: PATIENCE,
            first_event: PATIENCE,
            idle: PATIENCE,
            ..Timeouts::default()
        });
    for (name, value) in &settings.headers {
        builder = builder.header(name, value);
    }
    let agent = match builder.build() {
        Ok(agent) => agent,
        Err(error) => {
            return line(
                &about,
                CheckState::Fail,
                error.to_string(),
                "correct its url and headers",
            );
        }
    };
    match first_event(&agent).await {
        Ok(kind) if kind == "RUN_STARTED" => fine(&about, format!("{} speaks AG-UI", settings.url)),
        Ok(kind) => line(
            &about,
            CheckState::Warn,
            format!("{} begins with {kind}, not with RUN_STARTED", settings.url),
            "pincite stream run URL --message hi shows what it says",
        ),
        Err((code, message)) => {
            // It is there; that nothing was said may not please it.
            let answered = code == "upstream_status"
                && ["HTTP 400", "HTTP 422"]
                    .iter()
                    .any(|status| message.contains(status));
            if answered {
                return line(
                    &about,
                    CheckState::Warn,
                    format!(
                        "{} answers, and refuses an empty conversation",
                        settings.url
                    ),
                    "pincite stream run URL --message hi shows whether it works",
                );
            }
            line(
                &about,
                CheckState::Fail,
                message,
                match code {
                    "upstream_unreachable" => "start it, or correct its url",
                    "upstream_protocol" => "it does not speak AG-UI: check its path",
                    "upstream_timeout" => "see what keeps it busy",
                    _ => "see its log; headers may be missing",
                },
            )
        }
    }
}

fn empty() -> Option<agui::model::RunAgentInput> {
    let new_id = || format!("doctor-{}", uuid::Uuid::new_v4());
    read_request(br#"{"messages":[]}"#, new_id)
        .ok()
        .map(|read| read.input)
}

async fn first_event(agent: &HttpAgent) -> Result<String, (&'static str, String)> {
    let Some(input) = empty() else {
        return Err((
            "internal",
            "an empty conversation cannot be made".to_owned(),
        ));
    };
    let mut stream = agent.run(input);
    let mut slot = ReceivedEvent::default();
    match stream.next_into(&mut slot).await {
        Some(Ok(())) => Ok(kind_of(&slot)),
        Some(Err(error)) => Err((error.code(), error.to_string())),
        None => Err(("upstream_truncated", "it ended without a word".to_owned())),
    }
}

fn kind_of(event: &ReceivedEvent) -> String {
    match event {
        ReceivedEvent::Typed(event) => event.kind().as_str().to_owned(),
        _ => "something else".to_owned(),
    }
}

/// How far apart two events arrive that were sent 400 ms apart.
async fn paced(url: &str) -> Result<Duration, String> {
    let agent = HttpAgent::builder(url)
        .proxies(ProxyConfig::from_platform())
        .timeouts(Timeouts {
            connect: PATIENCE,
            first_event: PATIENCE,
            idle: PATIENCE,
            ..Timeouts::default()
        })
        .build()
        .map_err(|error| error.to_string())?;
    let input = empty().ok_or("an empty conversation cannot be made")?;
    let mut stream = agent.run(input);
    let mut slot = ReceivedEvent::default();
    let mut next = async || match stream.next_into(&mut slot).await {
        Some(Ok(())) => Ok(Instant::now()),
        Some(Err(error)) => Err(error.to_string()),
        None => Err("it ended early".to_owned()),
    };
    let first = next().await?;
    Ok(next().await? - first)
}

/// Whether traces arrive where they are sent.
async fn traces(settings: &Settings) -> CheckLine {
    let about = "traces";
    let collector = match crate::serve::collector(settings) {
        Ok(Some(collector)) => collector,
        Ok(None) => return fine(about, "off; telemetry.otlp is not set"),
        Err(error) => {
            return line(
                about,
                CheckState::Fail,
                error.to_string(),
                "correct [telemetry]: pincite config show --origin",
            );
        }
    };
    match collector.probe().await {
        Ok(()) => fine(about, format!("{} takes them", collector.url())),
        Err(error) => line(
            about,
            CheckState::Warn,
            format!("{} does not take them: {error}", collector.url()),
            "start the collector with OTLP over HTTP (port 4318, not 4317), or unset telemetry.otlp",
        ),
    }
}

async fn buffering(public: &str) -> CheckLine {
    let about = "proxy";
    let url = format!("{}/healthz/stream", public.trim_end_matches('/'));
    match paced(&url).await {
        Ok(apart) if apart >= APART => fine(about, format!("events pass {public} one by one")),
        Ok(_) => line(
            about,
            CheckState::Fail,
            format!("something before {public} collects events and passes them on together"),
            "turn buffering and compression off for text/event-stream (nginx: proxy_buffering off)",
        ),
        Err(error) => line(
            about,
            CheckState::Warn,
            format!("{public} does not answer: {error}"),
            "start the server, and see whether server.public_url leads to it",
        ),
    }
}
