//! Ingestion of files: compares them with the library, attaches new ones and waits until they are indexed.

use std::collections::{BTreeMap, HashMap, HashSet};
use std::fs;
use std::path::{Path, PathBuf};
use std::sync::Arc;
use std::time::Duration;

use documents::ContentId;
use server::{DocumentLibrary, derived_attachment_id, system_clock};
use store::{
    AttachmentId, DocumentChange, LibraryEntry, LibraryState, NewAttachment, PageRequest,
    Principal, Store, StoreError,
};
use tokio::task::JoinSet;

use super::folder_scan::ScannedFiles;

/// Largest file in bytes; the reader refuses larger ones as well.
const MAX_BYTES: u64 = 256 << 20;
/// Number of attachments that are read at a time.
const PAGE: usize = 1_000;
/// Number of files that are stored at the same time.
const AT_ONCE: usize = 8;
/// Interval at which the queue is looked at.
const INTERVAL: Duration = Duration::from_millis(50);
/// Number of attempts to read a file that changes meanwhile.
const ATTEMPTS: usize = 3;

/// Document that was not ingested.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) struct IngestFailure {
    pub(super) name: String,
    pub(super) reason: String,
    pub(super) hint: String,
}

/// Result of an ingestion.
#[derive(Debug, Default)]
pub(super) struct IngestReport {
    pub(super) new: usize,
    pub(super) changed: usize,
    pub(super) unchanged: usize,
    pub(super) skipped: usize,
    /// Files that no longer exist in the folders.
    pub(super) gone: Vec<String>,
    /// Number of attachments that were removed.
    pub(super) removed: usize,
    pub(super) failures: Vec<IngestFailure>,
    /// Documents that wait to be indexed, with their names.
    pub(super) waiting: Vec<(ContentId, String)>,
}

/// Version of a file in the library.
struct KnownVersion {
    attachment: AttachmentId,
    document: ContentId,
    /// True if it can be searched, and no newer version has replaced it.
    is_current: bool,
    labels: Vec<String>,
}

/// Content to attach.
pub(super) struct IncomingFile {
    pub(super) bytes: Vec<u8>,
    pub(super) name: String,
    /// Absolute path or URL.
    pub(super) origin: Option<String>,
}

/// Ingestion into the library of a principal.
pub(super) struct Ingestion {
    store: Arc<dyn Store>,
    library: Arc<DocumentLibrary>,
    principal: Principal,
    labels: Vec<String>,
    /// Versions by origin.
    known: HashMap<String, Vec<KnownVersion>>,
}

impl Ingestion {
    /// Reads which files the library has.
    pub(super) async fn begin(
        store: Arc<dyn Store>,
        library: Arc<DocumentLibrary>,
        principal: Principal,
        labels: Vec<String>,
    ) -> Result<Self, StoreError> {
        let mut known: HashMap<String, Vec<KnownVersion>> = HashMap::new();
        let mut page = PageRequest::first(PAGE);
        loop {
            let listed = store.attachments(&principal, &page, system_clock()).await?;
            let items: Vec<_> = listed.items;
            let documents: Vec<ContentId> = items.iter().map(|item| item.document.id).collect();
            let entries = store.library_entries(&principal, &documents, system_clock());
            let entries: HashMap<ContentId, _> = entries
                .await?
                .into_iter()
                .map(|entry| (entry.document, entry))
                .collect();
            for item in items {
                let Some(origin) = item.origin else { continue };
                let entry = entries.get(&item.document.id);
                let is_current = entry.is_some_and(|entry| {
                    entry.state == LibraryState::Ready && !entry.is_superseded
                });
                let versions = known.entry(origin).or_default();
                versions.push(KnownVersion {
                    attachment: item.id,
                    document: item.document.id,
                    is_current,
                    labels: entry.map_or_else(Vec::new, |entry| entry.labels.clone()),
                });
            }
            page.after = listed.next;
            if page.after.is_none() {
                break;
            }
        }
        Ok(Self {
            store,
            library,
            principal,
            labels,
            known,
        })
    }

    /// Attaches files that are new or changed. A file that cannot be read is a failure of its own.
    pub(super) async fn add_files(
        &self,
        scanned: ScannedFiles,
        report: &mut IngestReport,
        mut progress: impl FnMut(usize),
    ) -> Result<(), StoreError> {
        report.skipped += scanned.skipped;
        for (path, reason) in scanned.unreadable {
            report.failures.push(IngestFailure {
                name: path.display().to_string(),
                reason,
                hint: "Check the path and its permissions.".to_owned(),
            });
        }
        let mut tasks: JoinSet<Result<(ContentId, String), StoreError>> = JoinSet::new();
        for (at, path) in scanned.files.into_iter().enumerate() {
            progress(at);
            let origin = path.display().to_string();
            let read = tokio::task::spawn_blocking({
                let path = path.clone();
                move || read_stable(&path)
            });
            let bytes = match read.await {
                Ok(Ok(bytes)) => bytes,
                Ok(Err(failure)) => {
                    report.failures.push(failure);
                    continue;
                }
                Err(_) => continue,
            };
            let name = file_name(&path);
            let origin = Some(origin);
            let file = IncomingFile {
                bytes,
                name,
                origin,
            };
            if let Some(attached) = self.add(file, report) {
                tasks.spawn(attached);
            }
            if tasks.len() >= AT_ONCE
                && let Some(done) = tasks.join_next().await
            {
                finish(done, report)?;
            }
        }
        while let Some(done) = tasks.join_next().await {
            finish(done, report)?;
        }
        Ok(())
    }

    /// Attaches one file and waits until it is stored.
    pub(super) async fn add_one(
        &self,
        file: IncomingFile,
        report: &mut IngestReport,
    ) -> Result<(), StoreError> {
        match self.add(file, report) {
            Some(attached) => {
                report.waiting.push(attached.await?);
                Ok(())
            }
            None => Ok(()),
        }
    }

    /// Compares a file with the library. Returns the work that attaches it, unless nothing changed.
    fn add(
        &self,
        file: IncomingFile,
        report: &mut IngestReport,
    ) -> Option<impl Future<Output = Result<(ContentId, String), StoreError>> + use<>> {
        let document = ContentId::of(&file.bytes);
        let versions = file
            .origin
            .as_ref()
            .and_then(|origin| self.known.get(origin));
        let present = versions.and_then(|versions| {
            let current = |version: &&KnownVersion| version.document == document;
            versions.iter().find(current)
        });
        let has_labels = |version: &KnownVersion| {
            let has = |label: &String| version.labels.contains(label);
            self.labels.iter().all(has)
        };
        if present.is_some_and(|version| version.is_current && has_labels(version)) {
            report.unchanged += 1;
            return None;
        }
        match versions {
            Some(_) if present.is_none() => report.changed += 1,
            Some(_) => report.unchanged += 1,
            None => report.new += 1,
        }
        let (library, principal) = (self.library.clone(), self.principal.clone());
        let labels = self.labels.clone();
        Some(async move {
            let origin = file.origin.as_deref();
            let id = derived_attachment_id(&file.bytes, &file.name, None, origin)?;
            let name = file.origin.clone().unwrap_or_else(|| file.name.clone());
            let attachment = NewAttachment {
                id,
                name: file.name,
                media_type: "application/octet-stream".to_owned(),
                original: file.bytes.into(),
                end_user: None,
                origin: file.origin,
                created: system_clock(),
                expires: None,
            };
            library.enqueue(&principal, attachment).await?;
            if !labels.is_empty() {
                let change = DocumentChange {
                    added_labels: labels,
                    ..DocumentChange::default()
                };
                library
                    .change_document(&principal, document, change)
                    .await?;
            }
            Ok((document, name))
        })
    }

    /// Finds documents whose files no longer exist in the folders, and removes them if asked to.
    pub(super) async fn find_gone(
        &self,
        folders: &[PathBuf],
        prune: bool,
        report: &mut IngestReport,
    ) -> Result<(), StoreError> {
        let mut gone: BTreeMap<&String, &Vec<KnownVersion>> = BTreeMap::new();
        for (origin, versions) in &self.known {
            let path = Path::new(origin);
            let is_inside = folders.iter().any(|folder| path.starts_with(folder));
            if is_inside && !path.exists() {
                gone.insert(origin, versions);
            }
        }
        for (origin, versions) in gone {
            report.gone.push(origin.clone());
            if prune {
                for version in versions {
                    let detached = self.library.detach(&self.principal, &version.attachment);
                    report.removed += usize::from(detached.await?);
                }
            }
        }
        Ok(())
    }

    /// Waits until the documents of a report are indexed or have failed. `progress` is called with the numbers of
    /// these documents and of the pages that were read.
    pub(super) async fn wait_until_indexed(
        &self,
        report: &mut IngestReport,
        mut progress: impl FnMut(usize, u64),
    ) -> Result<(), StoreError> {
        let waiting = std::mem::take(&mut report.waiting);
        let mut seen = HashSet::new();
        let (mut done, mut pages) = (0, 0);
        for batch in waiting.chunks(64) {
            let documents: Vec<ContentId> = batch.iter().map(|(document, _)| *document).collect();
            let names: HashMap<ContentId, &String> = batch
                .iter()
                .map(|(document, name)| (*document, name))
                .collect();
            let entries = loop {
                let entries =
                    self.store
                        .library_entries(&self.principal, &documents, system_clock());
                let entries = entries.await?;
                let is_done = |entry: &&LibraryEntry| entry.state.is_final();
                let finished = entries.iter().filter(is_done).count();
                let read = entries.iter().map(|entry| u64::from(entry.pages_done));
                progress(done + finished, pages + read.sum::<u64>());
                if finished == entries.len() {
                    break entries;
                }
                tokio::time::sleep(INTERVAL).await;
            };
            for entry in entries {
                pages += u64::from(entry.pages_done);
                if entry.state == LibraryState::Failed && seen.insert(entry.document) {
                    report.failures.push(IngestFailure {
                        name: names
                            .get(&entry.document)
                            .map_or_else(|| entry.name.clone(), |name| (*name).clone()),
                        reason: entry.reason.unwrap_or_default(),
                        hint: entry.hint.unwrap_or_default(),
                    });
                }
            }
            done += batch.len();
        }
        Ok(())
    }

    /// Waits until the queue is empty, so that removed and replaced documents have left the index.
    pub(super) async fn wait_until_settled(&self) -> Result<(), StoreError> {
        while self.store.library_counts().await?.open > 0 {
            tokio::time::sleep(INTERVAL).await;
        }
        Ok(())
    }
}

type StoredFile = Result<(ContentId, String), StoreError>;

fn finish(
    done: Result<StoredFile, tokio::task::JoinError>,
    report: &mut IngestReport,
) -> Result<(), StoreError> {
    if let Ok(stored) = done {
        report.waiting.push(stored?);
    }
    Ok(())
}

/// Reads a file that does not change meanwhile.
fn read_stable(path: &Path) -> Result<Vec<u8>, IngestFailure> {
    let failure = |reason: String, hint: &str| IngestFailure {
        name: path.display().to_string(),
        reason,
        hint: hint.to_owned(),
    };
    let unreadable =
        |error: std::io::Error| failure(error.to_string(), "Check the path and its permissions.");
    for _ in 0..ATTEMPTS {
        let before = fs::metadata(path).map_err(unreadable)?;
        if !before.is_file() {
            return Err(failure(
                "it is not a file".to_owned(),
                "Name a file or a folder.",
            ));
        }
        if before.len() > MAX_BYTES {
            let reason = format!("it has {} bytes, more than {MAX_BYTES}", before.len());
            return Err(failure(reason, "Divide the file."));
        }
        let bytes = fs::read(path).map_err(unreadable)?;
        let after = fs::metadata(path).map_err(unreadable)?;
        let is_same = after.modified().ok() == before.modified().ok()
            && after.len() == before.len()
            && after.len() == bytes.len() as u64;
        if is_same {
            return Ok(bytes);
        }
    }
    Err(failure(
        "it changes while it is read".to_owned(),
        "Ingest it again when it is complete.",
    ))
}

fn file_name(path: &Path) -> String {
    let name = path.file_name().map(|name| name.to_string_lossy());
    name.map_or_else(|| "document".to_owned(), |name| name.into_owned())
}
