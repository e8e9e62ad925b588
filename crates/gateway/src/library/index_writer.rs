//! Thread that writes the search index.

use std::sync::Arc;
use std::sync::mpsc::{Receiver, RecvTimeoutError, SyncSender, sync_channel};
use std::thread::{self, JoinHandle};
use std::time::{Duration, Instant};

use documents::Document;
use search::{ChunkIndex, ChunkIndexWriter, Chunker, IndexError, IndexedDocument};
use store::{LibraryJob, LibraryJobUpdate, Store, StoreError, Timestamp};

/// Time without a new document after which changes are committed.
const IDLE: Duration = Duration::from_millis(50);
/// Longest time that a change waits for its commit.
const MAX_WAIT: Duration = Duration::from_secs(2);
/// Largest number of documents in one commit.
const MAX_DOCUMENTS: usize = 512;
/// Number of documents that may wait for the thread.
const BACKLOG: usize = 32;

/// Document that was read, to be written to the index.
pub(super) struct IndexedJob {
    pub(super) job: LibraryJob,
    /// Document; `None` if it is to be removed from the index.
    pub(super) document: Option<Arc<Document>>,
}

/// Failure of the thread.
#[derive(Debug, thiserror::Error)]
pub(super) enum IndexWriterError {
    #[error(transparent)]
    Index(#[from] IndexError),
    #[error(transparent)]
    Store(#[from] StoreError),
    #[error("the thread that writes the search index failed")]
    Panic,
}

/// Thread that writes the search index. It ends when the sender is dropped.
pub(super) struct IndexWriterThread {
    sender: SyncSender<IndexedJob>,
    thread: JoinHandle<Result<(), IndexWriterError>>,
}

impl IndexWriterThread {
    pub(super) fn start(
        index: Arc<ChunkIndex>,
        store: Arc<dyn Store>,
        clock: fn() -> Timestamp,
    ) -> Result<Self, IndexWriterError> {
        let (sender, receiver) = sync_channel(BACKLOG);
        let loop_state = WriterLoop {
            writer: index.writer()?,
            index,
            store,
            clock,
            chunker: Chunker::default(),
            done: Vec::new(),
            first: None,
            has_removed: false,
        };
        let thread = thread::Builder::new()
            .name("index-writer".to_owned())
            .spawn(move || loop_state.run(&receiver))
            .map_err(IndexError::from)?;
        Ok(Self { sender, thread })
    }

    pub(super) fn sender(&self) -> SyncSender<IndexedJob> {
        self.sender.clone()
    }

    /// Returns true if the thread has ended, after a failure.
    pub(super) fn is_finished(&self) -> bool {
        self.thread.is_finished()
    }

    /// Commits what was sent, ends the thread and returns its result.
    pub(super) fn finish(self) -> Result<(), IndexWriterError> {
        drop(self.sender);
        self.thread.join().unwrap_or(Err(IndexWriterError::Panic))
    }
}

/// State of the thread.
struct WriterLoop {
    index: Arc<ChunkIndex>,
    writer: ChunkIndexWriter,
    store: Arc<dyn Store>,
    clock: fn() -> Timestamp,
    chunker: Chunker,
    /// Results that are stored after the next commit.
    done: Vec<(LibraryJob, LibraryJobUpdate)>,
    /// Time of the first change that is not committed.
    first: Option<Instant>,
    /// True if the files of the index may contain words of removed documents.
    has_removed: bool,
}

impl WriterLoop {
    fn run(mut self, receiver: &Receiver<IndexedJob>) -> Result<(), IndexWriterError> {
        let result = self.write_all(receiver);
        if let Err(error) = &result {
            // Nothing of this was committed, so everything is queued again.
            let retry = LibraryJobUpdate::Retry {
                reason: error.to_string(),
                hint: "Check the disk of the data directory; indexing continues by itself."
                    .to_owned(),
            };
            let waiting = receiver.try_iter().map(|indexed| indexed.job);
            let jobs = std::mem::take(&mut self.done)
                .into_iter()
                .map(|(job, _)| job);
            let updates = jobs.chain(waiting).map(|job| (job, retry.clone()));
            self.store.update_library_jobs(updates.collect()).wait()?;
        }
        result
    }

    fn write_all(&mut self, receiver: &Receiver<IndexedJob>) -> Result<(), IndexWriterError> {
        loop {
            match receiver.recv_timeout(IDLE) {
                Ok(indexed) => self.write(indexed)?,
                Err(RecvTimeoutError::Timeout) => self.commit_and_purge()?,
                Err(RecvTimeoutError::Disconnected) => return self.commit_and_purge(),
            }
            let is_late = self.first.is_some_and(|first| first.elapsed() > MAX_WAIT);
            if is_late || self.done.len() >= MAX_DOCUMENTS {
                self.commit()?;
            }
        }
    }

    fn write(&mut self, indexed: IndexedJob) -> Result<(), IndexWriterError> {
        let IndexedJob { job, document } = indexed;
        self.first.get_or_insert_with(Instant::now);
        // Labels and title are read here, so that of two jobs for a document the later one writes the later values.
        let entries = self
            .store
            .library_entries(&job.principal, &[job.document], (self.clock)());
        let entry = entries.wait()?.pop();
        let owner = job.principal.as_str();
        let update = match (entry, document) {
            (Some(entry), Some(document)) if !entry.is_superseded => {
                let chunks = self.chunker.chunks(&document);
                // The result is stored even if the index fails now, so it is noted first.
                self.done.push((job.clone(), LibraryJobUpdate::Indexing));
                self.writer.add(&IndexedDocument {
                    owner,
                    document: &document,
                    title: entry.title.as_deref().unwrap_or(&entry.name),
                    labels: &entry.labels,
                    created: entry.created.0,
                    chunks: &chunks,
                })?;
                self.done.pop();
                let chunks = u32::try_from(chunks.len()).unwrap_or(u32::MAX);
                LibraryJobUpdate::Indexed { chunks }
            }
            (Some(_), _) => {
                self.writer.remove(owner, job.document);
                LibraryJobUpdate::Indexed { chunks: 0 }
            }
            (None, _) => {
                self.writer.remove(owner, job.document);
                self.has_removed = true;
                LibraryJobUpdate::Removed
            }
        };
        self.done.push((job, update));
        Ok(())
    }

    /// Stores all changes, and removes the words of removed documents from the files. A removal counts as done when no
    /// word is left.
    fn commit_and_purge(&mut self) -> Result<(), IndexWriterError> {
        if std::mem::take(&mut self.has_removed) {
            self.writer.commit()?;
            self.writer.purge(&self.index)?;
        }
        self.commit()
    }

    fn commit(&mut self) -> Result<(), IndexWriterError> {
        if self.done.is_empty() {
            return Ok(());
        }
        self.writer.commit()?;
        self.index.reload()?;
        self.first = None;
        let done = std::mem::take(&mut self.done);
        Ok(self.store.update_library_jobs(done).wait()?)
    }
}
