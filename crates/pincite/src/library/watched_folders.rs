//! Watched folders of a server: files that are added or changed are ingested for the local principal.

use std::path::{Path, PathBuf};
use std::sync::Arc;
use std::time::Duration;

use server::DocumentLibrary;
use store::{Principal, Store, StoreError};

use super::folder_scan::ScannedFiles;
use super::ingestion::{IngestReport, Ingestion};

/// Interval between looks at the folders.
const INTERVAL: Duration = Duration::from_secs(5);

/// Ingests the files of folders, and files that are added or changed later, until the future is dropped. Files that
/// are removed stay in the library.
pub(crate) async fn watch_folders(
    folders: Vec<PathBuf>,
    store: Arc<dyn Store>,
    library: Arc<DocumentLibrary>,
) {
    let folders: Vec<PathBuf> = folders.iter().map(|folder| expand_home(folder)).collect();
    loop {
        if let Err(error) = ingest(&folders, &store, &library).await {
            tracing::error!(%error, "watched folders could not be ingested");
        }
        tokio::time::sleep(INTERVAL).await;
    }
}

async fn ingest(
    folders: &[PathBuf],
    store: &Arc<dyn Store>,
    library: &Arc<DocumentLibrary>,
) -> Result<(), StoreError> {
    let mut scanned = ScannedFiles::default();
    folders.iter().for_each(|folder| scanned.add(folder));
    let ingestion = Ingestion::begin(
        store.clone(),
        library.clone(),
        Principal::local(),
        Vec::new(),
    );
    let mut report = IngestReport::default();
    ingestion
        .await?
        .add_files(scanned, &mut report, |_| {})
        .await?;
    for failure in &report.failures {
        tracing::warn!(
            file = failure.name,
            reason = failure.reason,
            "a file was not ingested"
        );
    }
    if report.new + report.changed > 0 {
        tracing::info!(
            new = report.new,
            changed = report.changed,
            "files were ingested"
        );
    }
    Ok(())
}

/// Replaces `~` at the beginning of a path by the user's folder.
fn expand_home(path: &Path) -> PathBuf {
    match (path.strip_prefix("~"), std::env::home_dir()) {
        (Ok(rest), Some(home)) => home.join(rest),
        _ => path.to_owned(),
    }
}
