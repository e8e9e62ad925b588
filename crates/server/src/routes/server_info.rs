//! Description of the server: version, models, projections and storage.

use std::path::Path;
use std::sync::Arc;

use agents::model::{ModelName, ModelProvider};
use axum::extract::State;
use axum::response::Response;
use tokio::task;

use super::ok;
use crate::access::{AccessScope, Caller};
use crate::api::{
    LibraryInfo, ModelInfo, ModelProviderInfo, ProjectionInfo, ServerInfo, StorageInfo, StoragePart,
};
use crate::error::ApiError;
use crate::settings::{CitationSettings, ProjectionSetting};
use crate::state::AppState;

/// Describes the server. Paths and sizes are for administrators.
pub(super) async fn about(
    State(app): State<Arc<AppState>>,
    caller: Caller,
) -> Result<Response, ApiError> {
    let is_admin = caller.has_scope(AccessScope::Admin);
    let environment = &app.environment;
    let storage = match environment.data.clone().filter(|_| is_admin) {
        Some(data) => task::spawn_blocking(move || storage_of(&data)).await.ok(),
        None => None,
    };
    let counts = app.store.library_counts().await?;
    let has_key = |provider: ModelProvider| {
        provider.key_variable().is_none() || environment.provider_keys.contains(&provider)
    };
    let models = &app.settings.models;
    let models = models.default.iter().chain(&models.fallback);
    let configuration = environment.configuration.as_ref().filter(|_| is_admin);
    ok(&ServerInfo {
        version: env!("CARGO_PKG_VERSION"),
        models: models
            .filter_map(|name| name.parse::<ModelName>().ok())
            .map(|model| ModelInfo {
                name: model.to_string(),
                has_key: has_key(model.provider),
            })
            .collect(),
        providers: ModelProvider::ALL
            .into_iter()
            .map(|provider| ModelProviderInfo {
                name: provider.as_str(),
                key_variable: provider.key_variable(),
                has_key: has_key(provider),
            })
            .collect(),
        projections: projections(&app.settings.citations),
        library: LibraryInfo {
            open: counts.open,
            ready: counts.ready,
            failed: counts.failed,
            chunks: counts.chunks,
        },
        configuration: configuration.map(|path| path.display().to_string()),
        storage,
    })
}

fn projections(settings: &CitationSettings) -> Vec<ProjectionInfo> {
    let projection = |setting, name: &'static str, key: &str| ProjectionInfo {
        name,
        key: key.to_owned(),
        is_on: settings.projections.contains(&setting),
    };
    vec![
        projection(
            ProjectionSetting::Deepcitation,
            "deepcitation",
            &settings.key,
        ),
        projection(ProjectionSetting::Citations, "citations", "citations"),
        projection(ProjectionSetting::Rag, "rag", "rag"),
    ]
}

/// Measures the parts of the data directory.
fn storage_of(data: &Path) -> StorageInfo {
    let mut parts =
        ["database", "documents", "index", "other"].map(|name| StoragePart { name, bytes: 0 });
    for entry in std::fs::read_dir(data).into_iter().flatten().flatten() {
        let name = entry.file_name();
        let name = name.to_string_lossy();
        let kind = match &*name {
            "blobs" => 1,
            "index" => 2,
            name if name.contains(".db") || name.contains(".sqlite") => 0,
            _ => 3,
        };
        parts[kind].bytes += size_of_path(&entry.path());
    }
    let mut parts = Vec::from(parts);
    parts.sort_by_key(|part| std::cmp::Reverse(part.bytes));
    StorageInfo {
        directory: data.display().to_string(),
        parts,
    }
}

/// Returns the size of a file, or of all files in a folder. Links are not followed.
fn size_of_path(path: &Path) -> u64 {
    let Ok(metadata) = path.symlink_metadata() else {
        return 0;
    };
    if !metadata.is_dir() {
        return metadata.len();
    }
    let entries = std::fs::read_dir(path).into_iter().flatten().flatten();
    entries.map(|entry| size_of_path(&entry.path())).sum()
}
