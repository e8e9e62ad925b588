//! The store in a data directory: a SQLite database, and files for blobs.
//!
//! One thread writes. It stores all jobs that wait in one transaction and replies after the commit, so the cost of a
//! job falls with the load. A few threads read, each with its own connection, and see everything that was committed
//! before they began. A data directory has at most one server, which holds `server.lock`; other programs may use it at
//! the same time.

mod access;
mod attachment_cache;
mod attachments;
mod background;
mod backup;
mod backup_manifest;
mod blobs;
mod catalogue;
mod checkpoint;
mod chunked_row;
mod compression;
mod connection;
mod conversation_records;
mod documents;
mod error_mapping;
mod evidence;
mod evidence_rows;
mod inline_reader;
mod library;
mod library_queue;
mod log;
mod message_texts;
mod ontology;
mod ontology_inserts;
mod ontology_list;
mod ontology_rows;
mod ontology_views;
mod principals;
mod private_files;
mod queue;
mod runs;
mod threads;
mod upstreams;
mod writer;

use std::fs::{self, File, TryLockError};
use std::io::{Read, Write};
use std::path::{Path, PathBuf};
use std::sync::Arc;
use std::sync::atomic::{AtomicU64, Ordering};
use std::thread::{Builder, JoinHandle};
use std::time::Duration;

use rusqlite::Connection;
use tokio::sync::oneshot;

pub use self::backup::CheckDepth;
pub use self::connection::Durability;

use self::attachment_cache::AttachmentCache;
use self::blobs::BlobDirectory;
use self::connection::ConnectionSettings;
use self::inline_reader::InlineReader;
use self::queue::JobQueue;
use self::writer::{FunctionJob, JobKind, WriteContext, WriteJob, WriterThread};
use crate::change_notifier::ChangeNotifier;
use crate::error::{Result, StoreError};
use crate::future::StoreFuture;

/// Role of the program that opens a data directory.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum OpenRole {
    /// The only server of the directory. A second one is refused.
    Server {
        /// Description that another server shows in its error, usually the process id.
        holder: String,
    },
    /// A program that may run at the same time as the server.
    Tool,
}

/// Options for opening a data directory.
#[derive(Debug, Clone)]
pub struct OpenOptions {
    /// The data directory. It is created if necessary.
    pub directory: PathBuf,
    /// Role of this program.
    pub role: OpenRole,
    /// Failure that stored data survives.
    pub durability: Durability,
    /// Time to wait for a lock of another program.
    pub busy_timeout: Duration,
    /// Number of threads that read.
    pub readers: usize,
    /// Largest size of the database in bytes, without blobs.
    pub max_bytes: Option<u64>,
}

impl OpenOptions {
    /// Returns the default options for a program that is not the server.
    pub fn new(directory: impl Into<PathBuf>) -> Self {
        Self {
            directory: directory.into(),
            role: OpenRole::Tool,
            durability: Durability::default(),
            busy_timeout: Duration::from_secs(5),
            readers: 2,
            max_bytes: None,
        }
    }

    /// Changes the role to server.
    #[must_use]
    pub fn server(self, holder: impl Into<String>) -> Self {
        let holder = holder.into();
        Self {
            role: OpenRole::Server { holder },
            ..self
        }
    }
}

type ReadJob = Box<dyn FnOnce(Result<&Connection>) -> ConnectionHealth + Send>;

/// Result of a read job: says if its connection can be used again.
#[derive(PartialEq, Eq)]
enum ConnectionHealth {
    Good,
    Doubtful,
}

/// Store in a data directory.
pub struct SqliteStore {
    settings: Arc<ConnectionSettings>,
    blobs: Arc<BlobDirectory>,
    writes: Arc<JobQueue<Box<dyn WriteJob>>>,
    reads: Arc<JobQueue<ReadJob>>,
    threads: Vec<JoinHandle<()>>,
    notifier: Arc<ChangeNotifier>,
    attachment_cache: Arc<AttachmentCache>,
    inline_reader: InlineReader,
    /// Lock of the server; held until the store is dropped.
    _lock: Option<File>,
}

impl SqliteStore {
    /// Opens a data directory. Creates the database if there is none.
    pub fn open(options: &OpenOptions) -> Result<Self> {
        let file = connection::database_file(&options.directory);
        private_files::create_directory(&options.directory)?;
        check_writable(&options.directory)?;
        private_files::restrict(&options.directory, &file)?;
        let lock = match &options.role {
            OpenRole::Server { holder } => Some(acquire_lock(options, holder)?),
            OpenRole::Tool => None,
        };
        let settings = Arc::new(ConnectionSettings {
            file,
            durability: options.durability,
            busy_timeout: options.busy_timeout,
            max_bytes: AtomicU64::new(options.max_bytes.unwrap_or(0)),
        });
        let mut connection = settings.connect()?;
        connection::create_or_check_schema(&mut connection)?;
        let sync = options.durability == Durability::Full;
        let blobs = Arc::new(BlobDirectory::open(options.directory.join("blobs"), sync)?);
        if lock.is_some() {
            blobs.clear_staged()?;
        }
        let notifier = Arc::new(ChangeNotifier::default());
        let attachment_cache = Arc::new(AttachmentCache::default());
        let writer = WriterThread::new(
            Arc::clone(&settings),
            Arc::clone(&blobs),
            connection,
            Arc::clone(&notifier),
            Arc::clone(&attachment_cache),
        );
        let mut store = Self {
            settings,
            blobs,
            writes: Arc::new(JobQueue::new()),
            reads: Arc::new(JobQueue::new()),
            threads: Vec::new(),
            notifier,
            attachment_cache,
            inline_reader: InlineReader::default(),
            _lock: lock,
        };
        store.start_threads(writer, options.readers.max(1))?;
        if store._lock.is_some() {
            store.remove_unreferenced_blobs();
        }
        Ok(store)
    }

    /// Changes the size limit of the database; `None` removes it.
    pub fn set_max_bytes(&self, max_bytes: Option<u64>) {
        let bytes = max_bytes.unwrap_or(0);
        self.settings.max_bytes.store(bytes, Ordering::Relaxed);
    }

    fn start_threads(&mut self, writer: WriterThread, readers: usize) -> Result<()> {
        let writes = Arc::clone(&self.writes);
        let thread = Builder::new().name("store-writer".to_owned());
        self.threads
            .push(thread.spawn(move || writer.run(&writes))?);
        for number in 0..readers {
            let reads = Arc::clone(&self.reads);
            let settings = Arc::clone(&self.settings);
            let thread = Builder::new().name(format!("store-reader-{number}"));
            self.threads
                .push(thread.spawn(move || run_read_jobs(&reads, &settings))?);
        }
        Ok(())
    }

    /// Reads in one snapshot of the database.
    fn read<T, F>(&self, work: F) -> StoreFuture<T>
    where
        T: Send + 'static,
        F: FnOnce(&Connection) -> Result<T> + Send + 'static,
    {
        let (reply, receiver) = oneshot::channel();
        let job: ReadJob = Box::new(move |connection| {
            let result = connection.and_then(|connection| {
                let snapshot = connection.unchecked_transaction()?;
                let value = work(&snapshot)?;
                snapshot.finish()?;
                Ok(value)
            });
            let health = match &result {
                Err(failure) if failure.is_storage() => ConnectionHealth::Doubtful,
                _ => ConnectionHealth::Good,
            };
            let _ = reply.send(result);
            health
        });
        match self.reads.push(job) {
            Ok(()) => StoreFuture::waiting(receiver),
            Err(refused) => StoreFuture::ready(Err(refused)),
        }
    }

    /// Runs a small query on the caller's thread, or on a reader thread if that fails.
    fn read_inline<T, F>(&self, work: F) -> StoreFuture<T>
    where
        T: Send + 'static,
        F: Fn(&Connection) -> Result<T> + Send + 'static,
    {
        match self.inline_reader.read(&self.settings, &work) {
            Ok(value) => StoreFuture::ready(Ok(value)),
            Err(_) => self.read(work),
        }
    }

    /// Hands a job to the writer.
    fn write<T, F>(&self, work: F) -> StoreFuture<T>
    where
        T: Send + 'static,
        F: FnMut(&mut WriteContext<'_>) -> Result<T> + Send + 'static,
    {
        self.submit(JobKind::default(), work)
    }

    fn submit<T, F>(&self, kind: JobKind, work: F) -> StoreFuture<T>
    where
        T: Send + 'static,
        F: FnMut(&mut WriteContext<'_>) -> Result<T> + Send + 'static,
    {
        let (reply, receiver) = oneshot::channel();
        match self
            .writes
            .push(Box::new(FunctionJob::new(reply, kind, work)))
        {
            Ok(()) => StoreFuture::waiting(receiver),
            Err(refused) => StoreFuture::ready(Err(refused)),
        }
    }

    /// Runs slow work that needs no database on a reader thread, then hands a job to the writer.
    fn prepare_and_write<P, T, G, F>(
        &self,
        kind: JobKind,
        prepare: G,
        mut work: F,
    ) -> StoreFuture<T>
    where
        P: Send + 'static,
        T: Send + 'static,
        G: FnOnce(&BlobDirectory) -> Result<P> + Send + 'static,
        F: FnMut(&mut WriteContext<'_>, &P) -> Result<T> + Send + 'static,
    {
        let (reply, receiver) = oneshot::channel();
        let blobs = Arc::clone(&self.blobs);
        let writes = Arc::clone(&self.writes);
        let job: ReadJob = Box::new(move |_| {
            match prepare(&blobs) {
                // A job that is refused drops its end of the channel, so the future resolves to `Closed`.
                Ok(prepared) => {
                    let work = move |writing: &mut WriteContext<'_>| work(writing, &prepared);
                    let _ = writes.push(Box::new(FunctionJob::new(reply, kind, work)));
                }
                Err(failure) => {
                    let _ = reply.send(Err(failure));
                }
            }
            ConnectionHealth::Good
        });
        match self.reads.push(job) {
            Ok(()) => StoreFuture::waiting(receiver),
            Err(refused) => StoreFuture::ready(Err(refused)),
        }
    }

    /// Removes blobs that a crash has left without a reference.
    fn remove_unreferenced_blobs(&self) {
        let blobs = Arc::clone(&self.blobs);
        let writes = Arc::clone(&self.writes);
        let search = self.read(move |connection| {
            let mut unreferenced = Vec::new();
            for blob in blobs.list()? {
                if !attachments::is_blob_referenced(connection, &blob)? {
                    unreferenced.push(blob);
                }
            }
            let has_orphans: bool =
                connection.query_row("SELECT EXISTS (SELECT 1 FROM orphans)", [], |row| {
                    row.get(0)
                })?;
            if unreferenced.is_empty() && !has_orphans {
                return Ok(());
            }
            let (reply, _) = oneshot::channel();
            let work = move |writing: &mut WriteContext<'_>| {
                let mut insert = writing
                    .connection
                    .prepare_cached("INSERT OR IGNORE INTO orphans VALUES (?1)")?;
                for blob in &unreferenced {
                    insert.execute([blob])?;
                }
                writing.has_orphans = true;
                Ok(())
            };
            writes.push(Box::new(FunctionJob::new(reply, JobKind::default(), work)))
        });
        // The work continues without its future. If it fails, the next start tries again.
        drop(search);
    }
}

impl Drop for SqliteStore {
    fn drop(&mut self) {
        // Readers end first, because they hand jobs to the writer.
        self.inline_reader = InlineReader::default();
        self.reads.close();
        let writer = (!self.threads.is_empty()).then(|| self.threads.remove(0));
        for reader in self.threads.drain(..) {
            let _ = reader.join();
        }
        self.writes.close();
        if let Some(writer) = writer {
            let _ = writer.join();
        }
    }
}

impl std::fmt::Debug for SqliteStore {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_tuple("SqliteStore")
            .field(&self.settings.file)
            .finish()
    }
}

/// Runs read jobs until the queue is closed. A connection that saw a storage failure is opened again.
fn run_read_jobs(reads: &JobQueue<ReadJob>, settings: &ConnectionSettings) {
    let mut connection = None;
    while let Some(job) = reads.take() {
        let ready = match connection.take() {
            Some(connection) => Ok(connection),
            None => settings.connect_reader(),
        };
        match ready {
            Ok(ready) => {
                if job(Ok(&ready)) == ConnectionHealth::Good {
                    connection = Some(ready);
                }
            }
            Err(failure) => {
                job(Err(failure));
            }
        }
    }
}

/// Checks that the directory is writable: the error of SQLite would not say why it failed.
fn check_writable(directory: &Path) -> Result<()> {
    let file = directory.join(format!("probe-{}", std::process::id()));
    File::create(&file)?;
    fs::remove_file(&file)?;
    Ok(())
}

/// Locks the directory for this server. Fails with the description of the server that has it.
fn acquire_lock(options: &OpenOptions, holder: &str) -> Result<File> {
    let mut file = File::options()
        .create(true)
        .truncate(false)
        .read(true)
        .write(true)
        .open(options.directory.join("server.lock"))?;
    match file.try_lock() {
        Ok(()) => {
            file.set_len(0)?;
            file.write_all(holder.as_bytes())?;
            Ok(file)
        }
        Err(TryLockError::WouldBlock) => {
            let mut holder = String::new();
            let _ = file.take(200).read_to_string(&mut holder);
            Err(StoreError::InUse {
                directory: options.directory.clone(),
                holder,
            })
        }
        Err(TryLockError::Error(error)) => Err(error.into()),
    }
}
