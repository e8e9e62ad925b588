//! Description of the server for people who use and run it.

use schemars::JsonSchema;
use serde::Serialize;

/// Server: version, models, projections and storage.
#[derive(Debug, Serialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
pub(crate) struct ServerInfo {
    /// Version of the program.
    pub(crate) version: &'static str,
    /// Configured models in the order in which they are tried; empty if the reader quotes sentences.
    pub(crate) models: Vec<ModelInfo>,
    /// Providers of models.
    pub(crate) providers: Vec<ModelProviderInfo>,
    /// Projections of citations that are written to the state of threads.
    pub(crate) projections: Vec<ProjectionInfo>,
    /// Documents of all principals by state.
    pub(crate) library: LibraryInfo,
    /// Configuration file; null if none was read, or without the scope `admin`.
    pub(crate) configuration: Option<String>,
    /// Storage on the disk; null if nothing is stored, or without the scope `admin`.
    pub(crate) storage: Option<StorageInfo>,
}

/// Configured model.
#[derive(Debug, Serialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
pub(crate) struct ModelInfo {
    /// Provider and model, such as `anthropic:claude-haiku-4-5`.
    pub(crate) name: String,
    /// True if the key that its provider needs is in the environment of the server.
    pub(crate) has_key: bool,
}

/// Provider of models.
#[derive(Debug, Serialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
pub(crate) struct ModelProviderInfo {
    /// Name, such as `anthropic`.
    pub(crate) name: &'static str,
    /// Environment variable that holds its key; null if it needs none.
    pub(crate) key_variable: Option<&'static str>,
    /// True if the key is in the environment of the server. The key itself is never sent.
    pub(crate) has_key: bool,
}

/// Projection of citations.
#[derive(Debug, Serialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
pub(crate) struct ProjectionInfo {
    /// Name of the projection in the configuration.
    #[schemars(extend("enum" = ["deepcitation", "citations", "rag"]))]
    pub(crate) name: &'static str,
    /// Key of the state that it writes.
    pub(crate) key: String,
    /// True if it is written.
    pub(crate) is_on: bool,
}

/// Documents of all principals by state.
#[derive(Debug, Serialize, JsonSchema)]
pub(crate) struct LibraryInfo {
    /// Documents that wait or are being read.
    pub(crate) open: u64,
    /// Documents that can be searched.
    pub(crate) ready: u64,
    /// Documents that cannot be read.
    pub(crate) failed: u64,
    /// Passages in the search index.
    pub(crate) chunks: u64,
}

/// Storage on the disk.
#[derive(Debug, Serialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
pub(crate) struct StorageInfo {
    /// Data directory.
    pub(crate) directory: String,
    /// Parts of the data directory, the largest first.
    pub(crate) parts: Vec<StoragePart>,
}

/// Part of the data directory.
#[derive(Debug, Serialize, JsonSchema)]
pub(crate) struct StoragePart {
    /// Kind of the data.
    #[schemars(extend("enum" = ["database", "documents", "index", "other"]))]
    pub(crate) name: &'static str,
    /// Size in bytes.
    pub(crate) bytes: u64,
}
