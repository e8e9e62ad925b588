//! Background work of the library: reads queued documents and keeps the search index up to date.

use std::sync::Arc;
use std::time::Duration;

use documents::ContentId;
use search::IndexError;
use store::{LibraryEntry, LibraryJob, LibraryJobUpdate, RequeueScope, StoreError, Timestamp};
use tokio::task::{self, JoinSet};
use tokio::time;

use super::derived_index::IndexWriteLock;
use super::index_writer::{IndexWriterError, IndexWriterThread, IndexedJob};
use super::{DocumentLibrary, DocumentUnavailable};

/// Interval at which jobs of other processes are noticed.
const POLL: Duration = Duration::from_millis(300);
/// Interval at which the state of documents is read while waiting for them.
const FOLLOW: Duration = Duration::from_millis(20);
/// Interval at which the progress of reading is stored.
const PROGRESS: Duration = Duration::from_millis(500);
/// Pause after a failure that may pass, such as a full disk.
const PAUSE: Duration = Duration::from_secs(5);
/// Number of attempts before a failure that may pass is final.
const MAX_ATTEMPTS: u32 = 20;

/// Failure of the background work.
#[derive(Debug, thiserror::Error)]
enum IndexerError {
    #[error(transparent)]
    Index(#[from] IndexError),
    #[error(transparent)]
    Writer(#[from] IndexWriterError),
    #[error(transparent)]
    Store(#[from] StoreError),
    #[error("the index folder cannot be locked: {0}")]
    Lock(#[from] std::io::Error),
}

impl IndexerError {
    fn needs_rebuild(&self) -> bool {
        match self {
            Self::Index(error) | Self::Writer(IndexWriterError::Index(error)) => {
                error.needs_rebuild()
            }
            _ => false,
        }
    }
}

impl DocumentLibrary {
    /// Reads and indexes queued documents until the future is dropped. While another process writes the index, it
    /// only makes that process's commits visible to searches.
    pub async fn run_indexer(self: Arc<Self>, clock: fn() -> Timestamp) {
        loop {
            if let Err(error) = self.index_documents(clock).await {
                if error.needs_rebuild() {
                    tracing::warn!(%error, "the search index is made anew");
                    let forgotten = self.forget_index().await;
                    if let Err(error) = forgotten {
                        tracing::error!(%error, "the search index could not be given up");
                    }
                } else {
                    tracing::error!(%error, "documents could not be indexed; trying again");
                }
                time::sleep(PAUSE).await;
            }
        }
    }

    /// Has the index made anew by the process that writes it.
    pub async fn forget_index(&self) -> Result<(), StoreError> {
        self.store.set_search_index(None).await?;
        self.wake.notify_one();
        Ok(())
    }

    /// Has a document read again from its file, in the background. Returns false if the principal has no such document.
    pub async fn reread(
        &self,
        principal: &store::Principal,
        id: ContentId,
    ) -> Result<bool, StoreError> {
        self.rereads.lock().insert(id);
        self.cache.remove(&id);
        let queued = self.store.requeue_document(principal, id).await?;
        match queued {
            true => self.wake.notify_one(),
            false => drop(self.rereads.lock().remove(&id)),
        }
        Ok(queued)
    }

    /// Returns true if this process writes the index, and not another one beside it.
    pub fn is_index_writer(&self) -> bool {
        self.index.is_writer()
    }

    /// Returns true if the index is open.
    pub fn has_index(&self) -> bool {
        self.index.get().is_some()
    }

    /// Waits until the queue has nothing more to do for documents, and returns their entries. Documents that are no
    /// longer attached are left out.
    pub async fn wait_until_indexed(
        &self,
        principal: &store::Principal,
        documents: &[ContentId],
        clock: fn() -> Timestamp,
    ) -> Result<Vec<LibraryEntry>, StoreError> {
        loop {
            let entries = self.store.library_entries(principal, documents, clock());
            let entries = entries.await?;
            if entries.iter().all(|entry| entry.state.is_final()) {
                return Ok(entries);
            }
            time::sleep(FOLLOW).await;
        }
    }

    /// Opens the index, or shows the commits of another process.
    pub async fn refresh_index(self: &Arc<Self>) -> Result<bool, super::SearchError> {
        let Some(id) = self.store.derived_index().await?.id else {
            return Ok(false);
        };
        let library = self.clone();
        let refreshed = task::spawn_blocking(move || library.index.refresh(&id)).await;
        Ok(refreshed.unwrap_or(Ok(false))?)
    }

    async fn index_documents(
        self: &Arc<Self>,
        clock: fn() -> Timestamp,
    ) -> Result<(), IndexerError> {
        let lock = self.index.lock()?;
        self.index.set_writer(lock.is_some());
        let Some(lock) = lock else {
            let _ = self.refresh_index().await;
            time::sleep(POLL).await;
            return Ok(());
        };
        self.prepare_index(clock).await?;
        let Some(index) = self.index.get() else {
            return Ok(());
        };
        let writer = IndexWriterThread::start(index, self.store.clone(), clock)?;
        let worked = self.work_off_queue(&writer, clock).await;
        finish(writer, lock).await?;
        worked
    }

    /// Opens the index of the store. Creates a new one if it is missing, damaged or does not fit the store.
    async fn prepare_index(self: &Arc<Self>, clock: fn() -> Timestamp) -> Result<(), IndexerError> {
        let known = self.store.derived_index().await?;
        self.store.requeue_library(RequeueScope::Unfinished).await?;
        if let Some(id) = &known.id {
            let (library, id) = (self.clone(), id.clone());
            let opened = task::spawn_blocking(move || library.index.refresh(&id)).await;
            match opened.unwrap_or(Ok(false)) {
                Ok(true) if self.fits_store().await? => return Ok(()),
                Ok(_) => {}
                Err(error) if error.needs_rebuild() => {
                    tracing::warn!(%error, "the search index is made anew");
                }
                Err(error) => return Err(error.into()),
            }
        }
        // Documents are queued before the empty index can be searched, so their states never promise too much.
        let queued = self.store.requeue_library(RequeueScope::All).await?;
        let id = format!("{:x}-{}", clock().0, std::process::id());
        let (library, new) = (self.clone(), id.clone());
        let created = task::spawn_blocking(move || library.index.create(&new)).await;
        created.map_err(|_| IndexWriterError::Panic)??;
        self.store.set_search_index(Some(id)).await?;
        if queued > 0 {
            tracing::info!(documents = queued, "the search index is being made");
        }
        Ok(())
    }

    /// Returns true if the index has as many chunks as the store says.
    async fn fits_store(&self) -> Result<bool, StoreError> {
        let counts = self.store.library_counts().await?;
        let chunks = self.index.get().map_or(0, |index| index.chunk_count());
        let fits = counts.open > 0 || counts.chunks == chunks;
        if !fits {
            tracing::warn!(
                expected = counts.chunks,
                found = chunks,
                "the search index does not fit the store and is made anew"
            );
        }
        Ok(fits)
    }

    /// Works on the queue until the index is given up or its writer fails.
    async fn work_off_queue(
        self: &Arc<Self>,
        writer: &IndexWriterThread,
        clock: fn() -> Timestamp,
    ) -> Result<(), IndexerError> {
        let mut jobs = JoinSet::new();
        let at_once = self.sandbox.at_once() * 2;
        loop {
            if writer.is_finished() {
                return Ok(());
            }
            let claimed = match jobs.len() < at_once {
                true => self.store.claim_library_jobs(at_once - jobs.len()).await?,
                false => Vec::new(),
            };
            let is_idle = claimed.is_empty();
            for job in claimed {
                let (library, sender) = (self.clone(), writer.sender());
                jobs.spawn(async move {
                    if let Some(indexed) = library.read_job(job, clock).await {
                        // If the thread has ended, the job is queued again with the next start.
                        let _ = task::spawn_blocking(move || sender.send(indexed)).await;
                    }
                });
            }
            if !is_idle {
                if jobs.len() >= at_once {
                    jobs.join_next().await;
                }
                continue;
            }
            tokio::select! {
                Some(_) = jobs.join_next() => {}
                () = self.wake.notified() => {}
                () = time::sleep(POLL), if self.index.is_shared() => {
                    if self.store.derived_index().await?.id != self.index.id() {
                        return Ok(());
                    }
                }
            }
        }
    }

    /// Reads the document of a job. Returns `None` if that failed, which is stored.
    async fn read_job(&self, job: LibraryJob, clock: fn() -> Timestamp) -> Option<IndexedJob> {
        match self.read_for_index(&job, clock).await {
            Ok(indexed) => Some(indexed),
            Err(error) => {
                let update = match error {
                    DocumentUnavailable::Missing(_) => {
                        return Some(IndexedJob {
                            job,
                            document: None,
                        });
                    }
                    DocumentUnavailable::Unreadable { reason, hint } => {
                        LibraryJobUpdate::Failed { reason, hint }
                    }
                    DocumentUnavailable::Store(error) => {
                        let (reason, hint) = (error.to_string(), error.hint().to_owned());
                        match job.attempts < MAX_ATTEMPTS {
                            true => LibraryJobUpdate::Retry { reason, hint },
                            false => LibraryJobUpdate::Failed { reason, hint },
                        }
                    }
                };
                if let Err(error) = self.store.update_library_jobs(vec![(job, update)]).await {
                    tracing::error!(%error, "the failure of a document could not be stored");
                }
                None
            }
        }
    }

    async fn read_for_index(
        &self,
        job: &LibraryJob,
        clock: fn() -> Timestamp,
    ) -> Result<IndexedJob, DocumentUnavailable> {
        let (principal, id) = (&job.principal, job.document);
        if job.attempts > MAX_ATTEMPTS {
            return Err(DocumentUnavailable::Unreadable {
                reason: "indexing the document failed again and again".to_owned(),
                hint: "Report this fault with the file; `pincite reindex` tries again.".to_owned(),
            });
        }
        let entry = self.library_entry(principal, id, clock()).await?;
        let entry = entry.filter(|entry| !entry.is_superseded);
        let mut document = None;
        if entry.is_some() {
            let open = self.open(principal, id, None, clock());
            tokio::pin!(open);
            let opened = loop {
                tokio::select! {
                    opened = &mut open => break opened?,
                    () = time::sleep(PROGRESS) => self.store_progress(job).await?,
                }
            };
            document = Some(opened.document());
        }
        let updates = vec![(job.clone(), LibraryJobUpdate::Indexing)];
        self.store.update_library_jobs(updates).await?;
        Ok(IndexedJob {
            job: job.clone(),
            document,
        })
    }

    async fn store_progress(&self, job: &LibraryJob) -> Result<(), StoreError> {
        let pages = self.reading.lock().get(&job.document).copied();
        let Some(pages) = pages else {
            return Ok(());
        };
        let updates = vec![(job.clone(), LibraryJobUpdate::Reading { pages })];
        self.store.update_library_jobs(updates).await
    }

    /// Returns the entries of a principal's documents.
    pub async fn library_entries(
        &self,
        principal: &store::Principal,
        documents: &[ContentId],
        now: Timestamp,
    ) -> Result<Vec<LibraryEntry>, StoreError> {
        let entries = self.store.library_entries(principal, documents, now);
        entries.await
    }

    /// Returns the entry of a principal's document.
    pub async fn library_entry(
        &self,
        principal: &store::Principal,
        document: ContentId,
        now: Timestamp,
    ) -> Result<Option<LibraryEntry>, StoreError> {
        let entries = self.store.library_entries(principal, &[document], now);
        Ok(entries.await?.pop())
    }
}

/// Commits what was sent to the writer and gives up the right to write.
async fn finish(writer: IndexWriterThread, lock: IndexWriteLock) -> Result<(), IndexWriterError> {
    let finished = task::spawn_blocking(move || {
        let result = writer.finish();
        drop(lock);
        result
    });
    finished.await.unwrap_or(Err(IndexWriterError::Panic))
}
