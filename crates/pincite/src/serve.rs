//! `pincite serve`: starts the server.

mod banner;

use std::collections::BTreeMap;
use std::io::IsTerminal;
use std::path::Path;
use std::sync::Arc;

use agents::demo::{self, DemoAgent};
use agents::sample_agents::SampleAgent;
use agui_http::client::HttpAgent;
use server::access::{LinkKey, TokenIssuer};
use server::settings::{DurabilitySetting, IssuerSettings, Settings, TelemetrySettings};
use server::{
    ATTRIBUTION_AGENT, BuiltInAgent, IndexLocation, LogControl, READER, ReaderParts,
    SampleDocument, Server, ServerEnvironment, ServerParts, SystemHost, run_limits,
};
use store::{MemoryStore, OpenOptions, SqliteStore, Store, Timestamp};
use telemetry::{Collector, TraceExporter};
use tokio::net::TcpListener;
use tokio::runtime::Handle;
use tracing_subscriber::filter::{LevelFilter, Targets};
use tracing_subscriber::layer::SubscriberExt;
use tracing_subscriber::util::SubscriberInitExt;
use tracing_subscriber::{Layer as _, fmt, reload};

use crate::cli::{LogFormat, ServeArgs};
use crate::command_error::CommandError;
use crate::config::{self, DEMO, LoadedConfig};
use crate::embedding_model::configured_embedding;
use crate::keys;
use crate::library::{INDEX_FOLDER, reader_command, watch_folders};
use crate::models;
use crate::samples;
use banner::StartBanner;

/// Runs the server until it is interrupted.
pub(crate) fn run(args: &ServeArgs) -> Result<(), CommandError> {
    let configured = config::load_for_serve(args)?;
    let runtime = tokio::runtime::Builder::new_multi_thread()
        .enable_all()
        .build()
        .map_err(|error| {
            CommandError::Configuration(format!(
                "cannot start threads: {error}; check the limits of the process"
            ))
        })?;
    let traces = collector(&configured.settings)?
        .map(|collector| TraceExporter::new(&collector, runtime.handle().clone()))
        .transpose()
        .map_err(|error| CommandError::Configuration(error.to_string()))?;
    let log = start_log(args.log_format, args.log_level, traces.as_ref());
    let served = runtime.block_on(serve(args, configured, log));
    if let Some(traces) = traces {
        traces.shut_down();
    }
    served
}

/// Returns the collector of traces, if one is configured.
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

/// Starts the log and the traces. The returned control changes the log level at run time.
fn start_log(
    format: LogFormat,
    level: tracing::Level,
    traces: Option<&TraceExporter>,
) -> LogControl {
    // The log does not contain the spans of traces.
    let targets = |level| {
        Targets::new()
            .with_default(level)
            .with_target(telemetry::TARGET, LevelFilter::OFF)
    };
    let (filter, handle) = reload::Layer::new(targets(level));
    let written = fmt::layer().with_writer(std::io::stderr);
    let written = match format {
        LogFormat::Json => written.json().boxed(),
        LogFormat::Text => written.with_ansi(std::io::stderr().is_terminal()).boxed(),
    };
    let mut layers = vec![written.with_filter(filter).boxed()];
    layers.extend(traces.map(|traces| traces.layer().boxed()));
    tracing_subscriber::registry().with(layers).init();
    LogControl::new(level, move |level| {
        // The subscriber lives as long as the process, so this cannot fail.
        let _ = handle.reload(targets(level));
    })
}

/// Rejects a public listen address or URL while there are neither keys nor token issuers. Without them every client
/// may read everything.
async fn reject_open_access(
    args: &ServeArgs,
    settings: &Settings,
    store: &dyn Store,
    now: Timestamp,
) -> Result<(), CommandError> {
    let (server, issuers) = (&settings.server, &settings.access.issuers);
    let (address, local) = match &server.public_url {
        _ if !server.listen.ip().is_loopback() => {
            (server.listen.to_string(), "listen on 127.0.0.1")
        }
        Some(url) if server.has_public_url() => (url.clone(), "remove server.public_url"),
        _ => return Ok(()),
    };
    if !issuers.is_empty() {
        return Ok(());
    }
    let keys = store.keys().await.map_err(|error| {
        CommandError::Configuration(format!("cannot read the keys: {error}; {}", error.hint()))
    })?;
    if keys.iter().any(|key| key.is_valid(now)) {
        return Ok(());
    }
    let hint = match args.in_memory {
        // Keys are created in the data directory.
        true => "leave out --in-memory and create a key with 'pincite keys create NAME'".to_owned(),
        false => format!(
            "create one with 'pincite keys create NAME --data {}'",
            settings.server.data.display()
        ),
    };
    Err(CommandError::Configuration(format!(
        "other machines can reach {address}, but there is no valid key; {hint}, configure \
         [access.issuers.NAME], or {local}"
    )))
}

/// Checks the settings as far as possible without starting a server.
pub(crate) fn check_settings(settings: &Settings) -> Result<(), CommandError> {
    read_issuers(settings)?;
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

/// Reads the token issuers with the keys in their files.
fn read_issuers(settings: &Settings) -> Result<Vec<TokenIssuer>, CommandError> {
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

/// Returns the agents that are part of the program, besides the reader.
fn built_in_agents(args: &ServeArgs, reader: &ReaderParts) -> BTreeMap<String, BuiltInAgent> {
    let mut built_in = BTreeMap::new();
    if args.demo {
        built_in.insert(DEMO.to_owned(), demo_agent());
    }
    if args.demo || args.samples {
        let agents = SampleAgent::all(&reader.host, reader.models.as_ref(), reader.limits);
        built_in.extend(agents.into_iter().map(|(name, agent)| {
            let entry = BuiltInAgent {
                agent: Arc::new(agent),
                samples: Vec::new(),
            };
            (name.to_owned(), entry)
        }));
    }
    built_in
}

/// Returns the parts of the reader.
fn reader_parts(
    args: &ServeArgs,
    settings: &Settings,
    data: Option<&Path>,
) -> Result<ReaderParts, CommandError> {
    Ok(ReaderParts {
        models: models::configured_models(&settings.models)?,
        limits: run_limits(&settings.models),
        host: Arc::new(SystemHost),
        samples: match args.samples {
            true => samples::samples_to_add(data)?,
            false => Vec::new(),
        },
    })
}

/// Returns the names of all agents, the default one first.
fn agent_names(settings: &Settings, built_in: &BTreeMap<String, BuiltInAgent>) -> Vec<String> {
    let mut names: Vec<String> = settings.agents.keys().cloned().collect();
    for name in [READER, ATTRIBUTION_AGENT]
        .into_iter()
        .chain(built_in.keys().map(String::as_str))
    {
        if !names.iter().any(|other| other == name) {
            names.push(name.to_owned());
        }
    }
    names
}

/// Returns the surroundings of the process, which people see in the settings of the console.
fn server_environment(data: Option<&Path>, file: Option<&Path>) -> ServerEnvironment {
    ServerEnvironment {
        data: data.map(Path::to_path_buf),
        configuration: file.map(Path::to_path_buf),
        provider_keys: models::provider_keys(),
    }
}

async fn serve(
    args: &ServeArgs,
    configured: LoadedConfig,
    log: LogControl,
) -> Result<(), CommandError> {
    let LoadedConfig {
        mut settings, file, ..
    } = configured;
    let issuers = read_issuers(&settings)?;
    let store = open_store(args, &settings)?;
    reject_open_access(args, &settings, &*store, keys::now()).await?;
    let data = (!args.in_memory).then(|| settings.server.data.clone());
    let link_key = LinkKey::new(keys::link_key(data.as_deref())?);
    let reader = reader_parts(args, &settings, data.as_deref())?;
    let built_in = built_in_agents(args, &reader);
    let names = agent_names(&settings, &built_in);
    let listen = settings.server.listen;
    let listener = TcpListener::bind(listen)
        .await
        .map_err(|error| CommandError::Listen {
            address: listen,
            error,
        })?;
    let address = listener.local_addr()?;
    // Links to evidence pages begin with the public URL.
    let local_url = || format!("http://{address}");
    settings.server.public_url.get_or_insert_with(local_url);
    let reading = reader_command();
    let index = match &data {
        Some(data) => IndexLocation::Folder(data.join(INDEX_FOLDER)),
        None => IndexLocation::Memory,
    };
    let environment = server_environment(data.as_deref(), file.as_deref());
    let embedding = configured_embedding(&settings, &Handle::current())?;
    let (watched, watched_store) = (settings.library.watch.clone(), store.clone());
    let invalid = |error: server::ServerError| CommandError::Configuration(error.to_string());
    let server = Server::new(ServerParts {
        settings,
        store,
        reading,
        index,
        embedding,
        built_in,
        reader: Some(reader),
        issuers,
        link_key,
        log,
        console: crate::console_files::FILES,
        environment,
        clock: server::system_clock,
    })
    .await
    .map_err(invalid)?;
    server
        .attach_samples()
        .await
        .map_err(CommandError::Configuration)?;
    if args.samples {
        add_sample_catalogue(&server, data.as_deref()).await?;
    }
    let banner = StartBanner {
        address,
        data: data.as_deref(),
        config: file.as_deref(),
        agents: &names,
        has_samples: args.samples,
        needs_key: server
            .needs_key()
            .await
            .map_err(|error| CommandError::Configuration(format!("{error}; {}", error.hint())))?,
    };
    banner.show(args.log_format);
    let watching = (!watched.is_empty())
        .then(|| tokio::spawn(watch_folders(watched, watched_store, server.library())));
    server.serve(listener, stop_signal()).await?;
    if let Some(watching) = watching {
        watching.abort();
    }
    Ok(())
}

/// Imports the sample catalogue, and remembers in the data directory that the samples were added.
async fn add_sample_catalogue(server: &Server, data: Option<&Path>) -> Result<(), CommandError> {
    let imported = samples::import_catalogue(&server.music()).await;
    imported.map_err(CommandError::Configuration)?;
    data.map_or(Ok(()), samples::note_samples_added)
}

/// Returns the demo agent with its sample document.
fn demo_agent() -> BuiltInAgent {
    let sample = SampleDocument {
        id: demo::DOCUMENT_ID,
        name: demo::DOCUMENT_NAME,
        file: demo::DOCUMENT,
    };
    BuiltInAgent {
        agent: Arc::new(DemoAgent::default()),
        samples: vec![sample],
    }
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
    let store = SqliteStore::open(&options).map_err(|error| keys::open_error(data, &error))?;
    Ok(Arc::new(store))
}

/// Waits for SIGINT or SIGTERM.
async fn stop_signal() {
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
    // Without signal handlers the server runs until it is killed.
    if interrupt.await.is_err() {
        std::future::pending::<()>().await;
    }
}
