//! The store in one file: SQLite, with blobs beside it.
//!
//! One thread writes. It takes everything that waits, stores it in one transaction, and answers after
//! the commit: the more there is to do, the less each job costs. A few threads read, each with a
//! connection of its own, and see every answer that was given before they began. A data directory has
//! one server, which holds `server.lock`; other programs may use it at the same time.

mod access;
mod attachment_cache;
mod background;
mod backup;
mod blobs;
mod checkpoint;
mod compression;
mod connection;
mod documents;
mod due;
mod error_mapping;
mod evidence;
mod evidence_rows;
mod inline_reader;
mod log;
mod message_texts;
mod ontology;
mod ontology_rows;
mod queue;
mod runs;
mod threads;
mod varint;
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
use self::queue::WriteQueue;
use self::writer::{FunctionJob, JobKind, WriteContext, WriteJob, WriterThread};
use crate::change_notifier::ChangeNotifier;
use crate::error::{Result, StoreError};
use crate::future::StoreFuture;

/// Who opens a data directory.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum OpenRole {
    /// The one server of the directory; another is refused.
    Server {
        /// What another server is told about this one, its process id.
        holder: String,
    },
    /// A program that works beside the server, if there is one.
    Tool,
}

/// How a data directory is opened.
#[derive(Debug, Clone)]
pub struct OpenOptions {
    /// The data directory; it is made if need be.
    pub directory: PathBuf,
    /// Who opens it.
    pub role: OpenRole,
    /// When a stored event is safe.
    pub durability: Durability,
    /// How long another program may hold the database before that is an error.
    pub busy: Duration,
    /// How many threads read.
    pub readers: usize,
    /// How large the database may become, in bytes; blobs are not counted.
    pub max_bytes: Option<u64>,
}

impl OpenOptions {
    /// The usual options for a program beside the server.
    pub fn new(directory: impl Into<PathBuf>) -> Self {
        Self {
            directory: directory.into(),
            role: OpenRole::Tool,
            durability: Durability::default(),
            busy: Duration::from_secs(5),
            readers: 2,
            max_bytes: None,
        }
    }

    /// The same for the one server of the directory.
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

/// Whether a connection can be used again.
#[derive(PartialEq, Eq)]
enum ConnectionHealth {
    Good,
    Doubtful,
}

/// The store in a data directory.
pub struct SqliteStore {
    settings: Arc<ConnectionSettings>,
    blobs: Arc<BlobDirectory>,
    writes: Arc<WriteQueue<Box<dyn WriteJob>>>,
    reads: Arc<WriteQueue<ReadJob>>,
    threads: Vec<JoinHandle<()>>,
    notifier: Arc<ChangeNotifier>,
    attachment_cache: Arc<AttachmentCache>,
    inline_reader: InlineReader,
    /// Held as long as the server lives.
    _lock: Option<File>,
}

impl SqliteStore {
    /// Opens a data directory, and brings what is in it up to date.
    pub fn open(options: &OpenOptions) -> Result<Self> {
        create_private(&options.directory)?;
        probe(&options.directory)?;
        let lock = match &options.role {
            OpenRole::Server { holder } => Some(lock(options, holder)?),
            OpenRole::Tool => None,
        };
        let settings = Arc::new(ConnectionSettings {
            file: connection::database_file(&options.directory),
            durability: options.durability,
            busy: options.busy,
            max_bytes: AtomicU64::new(options.max_bytes.unwrap_or(0)),
        });
        let mut connection = settings.connect()?;
        connection::migrate(&mut connection)?;
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
            writes: Arc::new(WriteQueue::new()),
            reads: Arc::new(WriteQueue::new()),
            threads: Vec::new(),
            notifier,
            attachment_cache,
            inline_reader: InlineReader::default(),
            _lock: lock,
        };
        store.start(writer, options.readers.max(1))?;
        if store._lock.is_some() {
            store.sweep();
        }
        Ok(store)
    }

    /// Says anew how large the database may become; `None` is without limit.
    pub fn set_max_bytes(&self, max_bytes: Option<u64>) {
        let bytes = max_bytes.unwrap_or(0);
        self.settings.max_bytes.store(bytes, Ordering::Relaxed);
    }

    fn start(&mut self, writer: WriterThread, readers: usize) -> Result<()> {
        let writes = Arc::clone(&self.writes);
        let thread = Builder::new().name("store-writer".to_owned());
        self.threads
            .push(thread.spawn(move || writer.work(&writes))?);
        for number in 0..readers {
            let reads = Arc::clone(&self.reads);
            let settings = Arc::clone(&self.settings);
            let thread = Builder::new().name(format!("store-reader-{number}"));
            self.threads
                .push(thread.spawn(move || read_jobs(&reads, &settings))?);
        }
        Ok(())
    }

    /// Reads in one snapshot of the database.
    fn read<T, F>(&self, work: F) -> StoreFuture<T>
    where
        T: Send + 'static,
        F: FnOnce(&Connection) -> Result<T> + Send + 'static,
    {
        read_with(&self.reads, work)
    }

    /// Reads something small at once; like everything else if that fails.
    fn read_at_once<T, F>(&self, work: F) -> StoreFuture<T>
    where
        T: Send + 'static,
        F: Fn(&Connection) -> Result<T> + Send + 'static,
    {
        match self.inline_reader.look(&self.settings, &work) {
            Ok(value) => StoreFuture::ready(Ok(value)),
            Err(_) => self.read(work),
        }
    }

    /// Writes, together with everything else that waits.
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
        write_with(&self.writes, kind, work)
    }

    /// Does what is slow and needs no database first, and then writes.
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
                // A job that is refused drops its end of the channel: its answer is `Closed`.
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

    /// Looks for blobs that a crash has left without a reference, and has them removed.
    fn sweep(&self) {
        let blobs = Arc::clone(&self.blobs);
        let writes = Arc::clone(&self.writes);
        let found = self.read(move |connection| {
            let mut known =
                connection.prepare_cached("SELECT EXISTS (SELECT 1 FROM parts WHERE blob = ?1)")?;
            let mut unknown = Vec::new();
            for blob in blobs.list()? {
                if !known.query_row([&blob], |row| row.get::<_, bool>(0))? {
                    unknown.push(blob);
                }
            }
            let pending: bool =
                connection.query_row("SELECT EXISTS (SELECT 1 FROM orphans)", [], |row| {
                    row.get(0)
                })?;
            if unknown.is_empty() && !pending {
                return Ok(());
            }
            let (reply, _) = oneshot::channel();
            let work = move |writing: &mut WriteContext<'_>| {
                let mut insert = writing
                    .connection
                    .prepare_cached("INSERT OR IGNORE INTO orphans VALUES (?1)")?;
                for blob in &unknown {
                    insert.execute([blob])?;
                }
                writing.orphans = true;
                Ok(())
            };
            writes.push(Box::new(FunctionJob::new(reply, JobKind::default(), work)))
        });
        // It goes on by itself; should it fail, the next start tries again.
        drop(found);
    }
}

impl Drop for SqliteStore {
    fn drop(&mut self) {
        // The readers first: what they prepare is still written. The writer's is the last connection.
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

/// Hands something to read to the threads that read, in one snapshot of the database.
fn read_with<T, F>(reads: &WriteQueue<ReadJob>, work: F) -> StoreFuture<T>
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
        let trust = match &result {
            Err(failure) if failure.is_storage() => ConnectionHealth::Doubtful,
            _ => ConnectionHealth::Good,
        };
        let _ = reply.send(result);
        trust
    });
    match reads.push(job) {
        Ok(()) => StoreFuture::waiting(receiver),
        Err(refused) => StoreFuture::ready(Err(refused)),
    }
}

/// Hands something to write to the thread that writes.
fn write_with<T, F>(
    writes: &WriteQueue<Box<dyn WriteJob>>,
    kind: JobKind,
    work: F,
) -> StoreFuture<T>
where
    T: Send + 'static,
    F: FnMut(&mut WriteContext<'_>) -> Result<T> + Send + 'static,
{
    let (reply, receiver) = oneshot::channel();
    match writes.push(Box::new(FunctionJob::new(reply, kind, work))) {
        Ok(()) => StoreFuture::waiting(receiver),
        Err(refused) => StoreFuture::ready(Err(refused)),
    }
}

fn read_jobs(reads: &WriteQueue<ReadJob>, settings: &ConnectionSettings) {
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

/// Makes a directory that is nobody else's business.
fn create_private(directory: &Path) -> Result<()> {
    let mut builder = fs::DirBuilder::new();
    builder.recursive(true);
    #[cfg(unix)]
    std::os::unix::fs::DirBuilderExt::mode(&mut builder, 0o700);
    Ok(builder.create(directory)?)
}

/// Finds out whether the directory can be written, because SQLite only says that it cannot open a file.
fn probe(directory: &Path) -> Result<()> {
    let file = directory.join(format!("probe-{}", std::process::id()));
    File::create(&file)?;
    fs::remove_file(&file)?;
    Ok(())
}

/// Takes the directory for this server, or says who has it.
fn lock(options: &OpenOptions, holder: &str) -> Result<File> {
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
