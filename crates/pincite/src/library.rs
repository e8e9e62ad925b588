//! The document library on the command line: `pincite ingest`, `search` and `reindex`, and watched folders of a server.

mod folder_scan;
mod ingest;
mod ingestion;
mod reindex;
mod search;
mod watched_folders;

use std::path::Path;
use std::sync::Arc;

use sandbox::SandboxLimits;
use server::{DocumentLibrary, EmbeddingModel, IndexLocation, ReaderCommand};
use store::{Principal, Store};
use tokio::runtime::Runtime;

use crate::command_error::CommandError;
use crate::document_reader::{WORKER_COMMAND, this_program};
use crate::keys;

pub(crate) use ingest::run as ingest;
pub(crate) use reindex::run as reindex;
pub(crate) use search::run as search;
pub(crate) use watched_folders::watch_folders;

/// Name of the folder with the search index, in the data directory.
pub(crate) const INDEX_FOLDER: &str = "index";

/// Library of a data directory, which a server may use at the same time.
pub(crate) struct OpenedLibrary {
    pub(crate) store: Arc<dyn Store>,
    pub(crate) library: Arc<DocumentLibrary>,
}

impl OpenedLibrary {
    /// Opens the library of a data directory, without an embedding model.
    pub(crate) fn open(data: &Path) -> Result<Self, CommandError> {
        Self::with_embedding(data, None)
    }

    /// Opens the library of a data directory.
    pub(crate) fn with_embedding(
        data: &Path,
        model: Option<EmbeddingModel>,
    ) -> Result<Self, CommandError> {
        let store: Arc<dyn Store> = Arc::new(keys::open_store(data)?);
        let location = IndexLocation::Folder(data.join(INDEX_FOLDER));
        let library = DocumentLibrary::new(store.clone(), reader_command(), location);
        Ok(Self {
            store,
            library: Arc::new(library.with_embedding(model)),
        })
    }

    /// Loads the vectors of the library. A failure is a remark, because searches work without them.
    pub(crate) async fn load_vectors(&self) {
        if let Err(error) = self.library.load_vectors().await {
            tracing::debug!(%error, "vectors were not loaded");
        }
    }
}

/// Returns the command that starts the processes which read documents.
pub(crate) fn reader_command() -> ReaderCommand {
    ReaderCommand {
        program: this_program(),
        arguments: vec![WORKER_COMMAND.to_owned()],
        at_once: std::thread::available_parallelism().map_or(2, usize::from),
        allowance: SandboxLimits::default(),
    }
}

pub(crate) fn runtime() -> Result<Runtime, CommandError> {
    tokio::runtime::Builder::new_multi_thread()
        .enable_all()
        .build()
        .map_err(|error| {
            CommandError::Configuration(format!(
                "cannot start threads: {error}; check the limits of the process"
            ))
        })
}

pub(crate) fn principal(name: &str) -> Result<Principal, CommandError> {
    Principal::new(name)
        .map_err(|error| CommandError::Configuration(format!("--principal: {error}")))
}

pub(crate) fn store_error(error: &store::StoreError) -> CommandError {
    CommandError::Configuration(format!("{error}; {}", error.hint()))
}
