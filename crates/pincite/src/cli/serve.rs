//! Options of `pincite serve`.

use std::net::SocketAddr;
use std::path::PathBuf;

use clap::{Args, ValueEnum};
use server::settings::listen_address;

/// Options of `pincite serve`.
#[derive(Debug, Args)]
pub(crate) struct ServeArgs {
    /// Address to listen on; port 0 selects a free port [default: 127.0.0.1:8787]
    #[arg(long, value_name = "ADDRESS:PORT", value_parser = listen_address)]
    pub(crate) listen: Option<SocketAddr>,
    /// Data directory [default: pincite-data]
    #[arg(long, value_name = "DIR")]
    pub(crate) data: Option<PathBuf>,
    /// Store all data in memory; it is lost when the server stops
    #[arg(long, conflicts_with = "data")]
    pub(crate) in_memory: bool,
    /// Configuration file [default: pincite.toml, if it exists]
    #[arg(long, value_name = "FILE")]
    pub(crate) config: Option<PathBuf>,
    /// AG-UI agent to serve with verified citations; repeatable
    ///
    /// Without NAME the agent is named `default`. If the configuration has an agent with this name, the URL
    /// replaces its address; its other settings stay.
    #[arg(long = "upstream", value_name = "[NAME=]URL")]
    pub(crate) upstreams: Vec<String>,
    /// Also serve the scripted demo agent, with its document
    #[arg(long)]
    pub(crate) demo: bool,
    /// Add the sample library once: seven small documents to ask questions about
    #[arg(long)]
    pub(crate) samples: bool,
    /// Host that documents may be fetched from; `*` allows any public host; repeatable
    #[arg(long, value_name = "HOST")]
    pub(crate) allow_fetch: Vec<String>,
    /// Format of the log
    #[arg(long, value_name = "FORMAT", default_value = "text")]
    pub(crate) log_format: LogFormat,
    /// Log level: error, warn, info, debug or trace; PUT /log changes it while the server runs
    #[arg(long, value_name = "LEVEL", default_value = "warn")]
    pub(crate) log_level: tracing::Level,
}

/// Formats of the log.
#[derive(Debug, Clone, Copy, PartialEq, Eq, ValueEnum)]
pub(crate) enum LogFormat {
    /// Text for people
    Text,
    /// One JSON object per line
    Json,
}
