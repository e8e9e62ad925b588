//! `pincite mcp`: the library as tools for another program, on standard input and output.

use std::sync::Arc;

use mcp::{ServicePermissions, ServiceSource};
use net::{FetchPolicy, Fetcher};
use server::{
    LibraryToolParts, LibraryTools, ReaderParts, SystemHost, mcp_server, run_limits, system_clock,
};

use crate::cli::McpArgs;
use crate::command_error::CommandError;
use crate::config;
use crate::data_commands::data_directory;
use crate::library::{OpenedLibrary, principal, runtime};
use crate::models::configured_models;
use crate::samples;

/// Serves one client until it closes the input. A running server is not needed.
pub(crate) fn run(args: &McpArgs) -> Result<(), CommandError> {
    let data = data_directory(&args.data)?;
    let settings = config::load(args.data.config.as_deref())?.settings;
    let opened = OpenedLibrary::open(&data)?;
    let owner = principal(&args.principal)?;
    let policy = FetchPolicy::of(&settings.server.allow_fetch)
        .map_err(|error| CommandError::Configuration(format!("allow_fetch: {error}")))?;
    let library = opened.library.clone();
    let tools = Arc::new(LibraryTools::new(LibraryToolParts {
        store: opened.store,
        library: library.clone(),
        fetcher: Arc::new(Fetcher::new(policy)),
        reader: Some(ReaderParts {
            models: configured_models(&settings.models)?,
            limits: run_limits(&settings.models),
            host: Arc::new(SystemHost),
            samples: Vec::new(),
        }),
        public_url: settings.server.public_url,
        // People open evidence pages with their own key.
        link_signer: Arc::new(|_, _| None),
        clock: system_clock,
    }));
    let permissions = ServicePermissions {
        can_ask: true,
        can_write: !args.read_only && !settings.mcp.read_only,
    };
    runtime()?.block_on(async {
        if args.samples {
            for sample in samples::DOCUMENTS {
                let attached = library.attach_sample(&owner, sample, system_clock()).await;
                attached.map_err(|error| CommandError::Configuration(error.to_string()))?;
            }
        }
        // An index that another process made is open before the first search.
        let refreshed = library.refresh_index().await;
        refreshed.map_err(|error| CommandError::Configuration(error.to_string()))?;
        let indexer = tokio::spawn(library.clone().run_indexer(system_clock));
        let source: ServiceSource =
            Arc::new(move |_| Ok(tools.of_principal(owner.clone(), permissions)));
        let served = mcp::serve_stdio(mcp_server(source)).await;
        indexer.abort();
        let _ = indexer.await;
        served.map_err(|error| {
            CommandError::Configuration(format!(
                "the connection failed: {error}; `pincite mcp` is started by a client of the Model Context Protocol, \
                 such as `claude mcp add pincite -- pincite mcp`"
            ))
        })
    })
}
