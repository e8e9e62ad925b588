//! `pincite serve`: agents with their citations checked, for any AG-UI frontend.

use std::collections::BTreeMap;
use std::io::IsTerminal;
use std::net::SocketAddr;
use std::path::Path;
use std::sync::Arc;

use agents::demo::{self, Demo};
use agui::Agent;
use anstyle::Style;
use intake::Allowance;
use server::{Parts, ReadWith, Server};
use store::{MemoryStore, Options, SqliteStore, Store};
use tokio::net::TcpListener;

use crate::cli::{LogForm, ServeCommandArgs};
use crate::config::{self, Configured};
use crate::failure::{Failure, note};
use crate::opening::{CHILD, this_program};

const BOLD: Style = Style::new().bold();
const DIM: Style = Style::new().dimmed();

/// Runs the server until it is interrupted.
pub(crate) fn run(args: &ServeCommandArgs) -> Result<(), Failure> {
    log(args.log_format);
    let configured = config::read(args)?;
    refuse_public(configured.settings.server.listen)?;
    let runtime = tokio::runtime::Builder::new_multi_thread()
        .enable_all()
        .build()
        .map_err(|error| Failure::Configuration(format!("cannot start threads: {error}")))?;
    runtime.block_on(serve(args, configured))
}

fn log(form: LogForm) {
    let builder = tracing_subscriber::fmt()
        .with_writer(std::io::stderr)
        .with_max_level(tracing_subscriber::filter::LevelFilter::WARN);
    match form {
        LogForm::Json => builder.json().init(),
        LogForm::Text => builder.with_ansi(std::io::stderr().is_terminal()).init(),
    }
}

/// Whoever can reach the server can read everything: so only this machine may, until there are keys.
fn refuse_public(listen: SocketAddr) -> Result<(), Failure> {
    if listen.ip().is_loopback() {
        return Ok(());
    }
    Err(Failure::Configuration(format!(
        "{listen} can be reached from other machines, and there are no keys yet; \
         listen on 127.0.0.1 and put a server that checks who asks in front of it"
    )))
}

async fn serve(args: &ServeCommandArgs, configured: Configured) -> Result<(), Failure> {
    let Configured { mut settings, file } = configured;
    let store = open_store(args, &settings.server.data)?;
    let mut built_in: BTreeMap<String, Arc<dyn Agent>> = BTreeMap::new();
    let with_demo = settings.agents.is_empty() || args.demo;
    if with_demo {
        built_in.insert("demo".to_owned(), Arc::new(Demo::default()));
    }
    let names: Vec<String> = built_in
        .keys()
        .chain(settings.agents.keys())
        .cloned()
        .collect();
    let listen = settings.server.listen;
    let listener = TcpListener::bind(listen)
        .await
        .map_err(|error| Failure::Listen {
            address: listen,
            error,
        })?;
    let address = listener.local_addr()?;
    // Links to evidence lead here, unless it is known by another name.
    let here = || format!("http://{address}");
    settings.server.public_url.get_or_insert_with(here);
    let data = settings.server.data.clone();
    let reading = ReadWith {
        program: this_program(),
        arguments: vec![CHILD.to_owned()],
        at_once: std::thread::available_parallelism().map_or(2, usize::from),
        allowance: Allowance::default(),
    };
    let unusable = |error: server::Unusable| Failure::Configuration(error.to_string());
    let server = Server::new(Parts {
        settings,
        store,
        reading,
        built_in,
    })
    .await
    .map_err(unusable)?;
    if with_demo {
        let attached = server.attach(
            demo::DOCUMENT_ID,
            demo::DOCUMENT_NAME,
            demo::DOCUMENT.to_vec(),
        );
        attached.await.map_err(Failure::Configuration)?;
    }
    let kept = (!args.in_memory).then_some(data.as_path());
    start_card(
        args.log_format,
        address,
        kept,
        file.as_deref(),
        &names,
        with_demo,
    );
    server.serve(listener, interrupted()).await?;
    Ok(())
}

fn open_store(args: &ServeCommandArgs, data: &Path) -> Result<Arc<dyn Store>, Failure> {
    if args.in_memory {
        return Ok(Arc::new(MemoryStore::new()));
    }
    let options = Options::new(data).server(format!("process {}", std::process::id()));
    let store = SqliteStore::open(&options).map_err(|error| {
        Failure::Configuration(format!(
            "the data directory {} cannot be used: {error}; {}",
            data.display(),
            error.remedy()
        ))
    })?;
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

/// Says where it is and what to try.
fn start_card(
    form: LogForm,
    address: SocketAddr,
    data: Option<&Path>,
    file: Option<&Path>,
    agents: &[String],
    with_demo: bool,
) {
    let url = format!("http://{address}");
    let data = data.map_or_else(|| "in memory".to_owned(), |data| data.display().to_string());
    let version = env!("CARGO_PKG_VERSION");
    if form == LogForm::Json {
        let card = agui::json::Value::from([
            ("event", "started".into()),
            ("version", version.into()),
            ("url", url.as_str().into()),
            ("data", data.as_str().into()),
            ("agents", agents.join(",").into()),
        ]);
        note(&card.to_json());
        return;
    }
    let mut lines = vec![
        format!("{BOLD}pincite {version}{BOLD:#}  {url}"),
        format!("  data    {data}"),
        match file {
            Some(file) => format!("  config  {}", file.display()),
            None => format!("  config  {DIM}none; pincite.toml is read if it is there{DIM:#}"),
        },
    ];
    for agent in agents {
        lines.push(format!("  agent   {url}/agents/{agent}"));
    }
    if with_demo {
        lines.push(format!(
            "  try     pincite stream run {url}/agents/demo --message '{}'",
            demo::QUESTION
        ));
    }
    note(&lines.join("\n"));
}
