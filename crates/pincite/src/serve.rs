//! `pincite serve`: agents with their citations checked, for any AG-UI frontend.

mod card;

use std::collections::BTreeMap;
use std::io::IsTerminal;
use std::sync::Arc;

use agents::demo::{self, DemoAgent};
use agui_http::client::HttpAgent;
use sandbox::SandboxLimits;
use server::access::{LinkKey, TokenIssuer};
use server::settings::{DurabilitySetting, IssuerSettings, Settings, TelemetrySettings};
use server::{BuiltInAgent, LogControl, ReaderCommand, SampleDocument, Server, ServerParts};
use store::{MemoryStore, OpenOptions, SqliteStore, Store, Timestamp};
use telemetry::{Collector, TraceExporter};
use tokio::net::TcpListener;
use tracing_subscriber::filter::{LevelFilter, Targets};
use tracing_subscriber::layer::SubscriberExt;
use tracing_subscriber::util::SubscriberInitExt;
use tracing_subscriber::{Layer as _, fmt, reload};

use crate::cli::{LogFormat, ServeArgs};
use crate::config::{self, DEMO, LoadedConfig};
use crate::failure::CommandError;
use crate::keys;
use crate::opening::{CHILD, this_program};
use card::StartBanner;

/// Runs the server until it is interrupted.
pub(crate) fn run(args: &ServeArgs) -> Result<(), CommandError> {
    let configured = config::read(args)?;
    let runtime = tokio::runtime::Builder::new_multi_thread()
        .enable_all()
        .build()
        .map_err(|error| CommandError::Configuration(format!("cannot start threads: {error}")))?;
    let traces = collector(&configured.settings)?
        .map(|collector| TraceExporter::new(&collector, runtime.handle().clone()))
        .transpose()
        .map_err(|error| CommandError::Configuration(error.to_string()))?;
    let log = log(args.log_format, args.log_level, traces.as_ref());
    let served = runtime.block_on(serve(args, configured, log));
    if let Some(traces) = traces {
        traces.shut_down();
    }
    served
}

/// Where traces are sent, if that is configured.
pub(crate) fn collector(settings: &Settings) -> Result<Option<Collector>, CommandError> {
    let TelemetrySettings {
        otlp,
        headers,
        service,
    } = &settings.telemetry;
    let pairs = headers
        .iter()
        .map(|(name, value)| (name.as_str(), value.as_str()));
    otlp.as_ref()
        .map(|url| Collector::new(url, pairs, service))
        .transpose()
        .map_err(|error| CommandError::Configuration(format!("telemetry: {error}")))
}

/// Starts the log, whose level can be changed later, and traces beside it.
fn log(form: LogFormat, level: tracing::Level, traces: Option<&TraceExporter>) -> LogControl {
    // Spans for traces are no part of the log: without a collector nobody listens to them.
    let lines = |level| {
        Targets::new()
            .with_default(level)
            .with_target(telemetry::TARGET, LevelFilter::OFF)
    };
    let (filter, handle) = reload::Layer::new(lines(level));
    let written = fmt::layer().with_writer(std::io::stderr);
    let written = match form {
        LogFormat::Json => written.json().boxed(),
        LogFormat::Text => written.with_ansi(std::io::stderr().is_terminal()).boxed(),
    };
    let mut layers = vec![written.with_filter(filter).boxed()];
    layers.extend(traces.map(|traces| traces.layer().boxed()));
    tracing_subscriber::registry().with(layers).init();
    LogControl::new(level, move |level| {
        // It is there as long as the process is.
        let _ = handle.reload(lines(level));
    })
}

/// Whoever can reach the server can read everything: so only this machine may, until there are keys.
async fn refuse_public(
    args: &ServeArgs,
    settings: &Settings,
    store: &dyn Store,
    now: Timestamp,
) -> Result<(), CommandError> {
    let listen = settings.server.listen;
    if listen.ip().is_loopback() || !settings.access.issuers.is_empty() {
        return Ok(());
    }
    let keys = store.keys().await.map_err(|error| {
        CommandError::Configuration(format!(
            "the keys cannot be read: {error}; {}",
            error.hint()
        ))
    })?;
    if keys.iter().any(|key| key.is_valid(now)) {
        return Ok(());
    }
    let remedy = match args.in_memory {
        // Keys are made beside the server, in its data directory.
        true => "leave out --in-memory and make a key with pincite keys create".to_owned(),
        false => format!(
            "make one with 'pincite keys create NAME --data {}'",
            settings.server.data.display()
        ),
    };
    Err(CommandError::Configuration(format!(
        "{listen} can be reached from other machines, and there is no valid key; {remedy}, or configure \
         [access.issuers.NAME], or listen on 127.0.0.1"
    )))
}

/// Whether a server could be made of the settings.
pub(crate) fn usable(settings: &Settings) -> Result<(), CommandError> {
    issuers(settings)?;
    collector(settings)?;
    for (name, agent) in &settings.agents {
        let mut builder = HttpAgent::builder(&agent.url);
        for (name, value) in &agent.headers {
            builder = builder.header(name, value);
        }
        builder
            .build()
            .map_err(|error| CommandError::Configuration(format!("agents.{name}: {error}")))?;
    }
    Ok(())
}

/// Those whose tokens are taken, with the keys that their files hold.
fn issuers(settings: &Settings) -> Result<Vec<TokenIssuer>, CommandError> {
    let read = |(name, issuer): (&String, &IssuerSettings)| {
        let path = issuer.keys.clone();
        let keys = std::fs::read_to_string(&path)
            .map_err(|error| CommandError::Unreadable { path, error })?;
        TokenIssuer::new(name, issuer, &keys).map_err(|error| {
            CommandError::Configuration(format!(
                "access.issuers.{name}: {}: {error}",
                issuer.keys.display()
            ))
        })
    };
    settings.access.issuers.iter().map(read).collect()
}

async fn serve(
    args: &ServeArgs,
    configured: LoadedConfig,
    log: LogControl,
) -> Result<(), CommandError> {
    let LoadedConfig {
        mut settings, file, ..
    } = configured;
    let issuers = issuers(&settings)?;
    let store = open_store(args, &settings)?;
    refuse_public(args, &settings, &*store, keys::now()).await?;
    let kept = (!args.in_memory).then(|| settings.server.data.clone());
    let link_key = LinkKey::new(keys::link_key(kept.as_deref())?);
    let mut built_in = BTreeMap::new();
    if settings.agents.is_empty() || args.demo {
        let sample = SampleDocument {
            id: demo::DOCUMENT_ID,
            name: demo::DOCUMENT_NAME,
            file: demo::DOCUMENT,
        };
        let demo = BuiltInAgent {
            agent: Arc::new(DemoAgent::default()),
            samples: vec![sample],
        };
        built_in.insert(DEMO.to_owned(), demo);
    }
    let names: Vec<String> = built_in
        .keys()
        .chain(settings.agents.keys())
        .cloned()
        .collect();
    let listen = settings.server.listen;
    let listener = TcpListener::bind(listen)
        .await
        .map_err(|error| CommandError::Listen {
            address: listen,
            error,
        })?;
    let address = listener.local_addr()?;
    // Links to evidence lead here, unless it is known by another name.
    let here = || format!("http://{address}");
    settings.server.public_url.get_or_insert_with(here);
    let reading = ReaderCommand {
        program: this_program(),
        arguments: vec![CHILD.to_owned()],
        at_once: std::thread::available_parallelism().map_or(2, usize::from),
        allowance: SandboxLimits::default(),
    };
    let unusable = |error: server::ServerError| CommandError::Configuration(error.to_string());
    let server = Server::new(ServerParts {
        settings,
        store,
        reading,
        built_in,
        issuers,
        link_key,
        log,
        clock: server::system_clock,
    })
    .await
    .map_err(unusable)?;
    server
        .attach_samples()
        .await
        .map_err(CommandError::Configuration)?;
    let card = StartBanner {
        address,
        data: kept.as_deref(),
        file: file.as_deref(),
        agents: &names,
        needs_key: server
            .needs_key()
            .await
            .map_err(|error| CommandError::Configuration(format!("{error}; {}", error.hint())))?,
    };
    card.show(args.log_format);
    server.serve(listener, interrupted()).await?;
    Ok(())
}

fn open_store(args: &ServeArgs, settings: &Settings) -> Result<Arc<dyn Store>, CommandError> {
    if args.in_memory {
        return Ok(Arc::new(MemoryStore::new()));
    }
    let data = &settings.server.data;
    let options = OpenOptions {
        durability: match settings.server.durability {
            DurabilitySetting::Process => store::Durability::Process,
            DurabilitySetting::Full => store::Durability::Full,
        },
        ..OpenOptions::new(data).server(format!("process {}", std::process::id()))
    };
    let store = SqliteStore::open(&options).map_err(|error| keys::unusable(data, &error))?;
    Ok(Arc::new(store))
}

/// Waits for somebody who wants it to end.
async fn interrupted() {
    let interrupt = tokio::signal::ctrl_c();
    #[cfg(unix)]
    {
        let kind = tokio::signal::unix::SignalKind::terminate();
        if let Ok(mut terminate) = tokio::signal::unix::signal(kind) {
            tokio::select! {
                _ = interrupt => {}
                _ = terminate.recv() => {}
            }
            return;
        }
    }
    // If signals cannot be had, the server runs until it is killed.
    if interrupt.await.is_err() {
        std::future::pending::<()>().await;
    }
}
