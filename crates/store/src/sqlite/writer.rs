//! The only thread that writes.

use std::sync::Arc;
use std::thread;
use std::time::{Duration, Instant};

use rusqlite::Connection;
use tokio::sync::oneshot;

use super::attachment_cache::AttachmentCache;
use super::background;
use super::blobs::BlobDirectory;
use super::connection::ConnectionSettings;
use super::log::LastSequences;
use super::queue::JobQueue;
use crate::change_notifier::ChangeNotifier;
use crate::error::{Result, StoreError};
use crate::ids::Principal;

/// Largest number of jobs in one transaction.
const MAX_JOBS: usize = 1_024;

/// Shortest interval between two transactions while several clients write. Jobs that arrive within it share
/// the next transaction, which saves writing the same pages of tables and indexes again.
const COMMIT_INTERVAL: Duration = Duration::from_micros(1_500);

/// Largest number of open runs whose last sequence is cached.
const MAX_LAST_SEQUENCES: usize = 10_000;

/// Transaction that jobs write in.
pub(super) struct WriteContext<'a> {
    pub(super) connection: &'a Connection,
    pub(super) blobs: &'a BlobDirectory,
    /// Set by jobs after which blobs may have lost their last reference.
    pub(super) has_orphans: bool,
    /// Set by jobs that leave background work.
    pub(super) has_background_work: bool,
    /// Set by jobs after which the write-ahead log must not contain deleted content.
    pub(super) has_erased: bool,
    pub(super) last_sequences: &'a mut LastSequences,
    /// Number of changes of all things, once a job has needed it.
    change_count: Option<u64>,
    /// Principals whose things changed, with the number of the last change.
    changes: Vec<(Principal, u64)>,
}

impl WriteContext<'_> {
    /// Returns the number of a new change of a principal's things.
    pub(super) fn next_change(&mut self, principal: &Principal) -> Result<u64> {
        let count = match self.change_count {
            Some(count) => count,
            None => self
                .connection
                .prepare_cached("SELECT count FROM change_count")?
                .query_row([], |row| row.get(0))?,
        };
        let number = count + 1;
        self.change_count = Some(number);
        match self.changes.last_mut() {
            Some((last, known)) if last == principal => *known = number,
            _ => self.changes.push((principal.clone(), number)),
        }
        Ok(number)
    }

    /// Stores the number of changes at the end of the transaction.
    fn store_change_count(&self) -> Result<()> {
        if let Some(count) = self.change_count {
            self.connection
                .prepare_cached("UPDATE change_count SET count = ?1")?
                .execute([count])?;
        }
        Ok(())
    }
}

/// Work of the writer. It may be run more than once; each time must give the same result.
pub(super) trait WriteJob: Send {
    /// Runs the job. An error is reported to its caller.
    fn run(&mut self, writing: &mut WriteContext<'_>) -> Result<()>;
    /// Returns the properties that are known before the job runs.
    fn kind(&self) -> JobKind;
    /// Reports the result to the caller.
    fn complete(self: Box<Self>, failure: Option<StoreError>);
}

/// Properties of a job that are known before it runs.
#[derive(Debug, Clone, Copy, Default)]
pub(super) struct JobKind {
    /// The job changes nothing when it fails, so no rollback is needed.
    pub(super) is_atomic: bool,
    /// The job changes neither documents nor attachments.
    pub(super) keeps_documents: bool,
}

impl JobKind {
    /// Job of a run.
    pub(super) const RUN: Self = Self {
        is_atomic: false,
        keeps_documents: true,
    };

    /// Job with a single statement, on keys, the audit log or the log of a run.
    pub(super) const SINGLE_STATEMENT: Self = Self {
        is_atomic: true,
        keeps_documents: true,
    };
}

/// Job made of a function.
pub(super) struct FunctionJob<T, F> {
    work: F,
    value: Option<T>,
    reply: oneshot::Sender<Result<T>>,
    kind: JobKind,
}

impl<T, F> FunctionJob<T, F>
where
    F: FnMut(&mut WriteContext<'_>) -> Result<T>,
{
    pub(super) fn new(reply: oneshot::Sender<Result<T>>, kind: JobKind, work: F) -> Self {
        Self {
            work,
            value: None,
            reply,
            kind,
        }
    }
}

impl<T, F> WriteJob for FunctionJob<T, F>
where
    T: Send,
    F: FnMut(&mut WriteContext<'_>) -> Result<T> + Send,
{
    fn run(&mut self, writing: &mut WriteContext<'_>) -> Result<()> {
        self.value = Some((self.work)(writing)?);
        Ok(())
    }

    fn kind(&self) -> JobKind {
        self.kind
    }

    fn complete(self: Box<Self>, failure: Option<StoreError>) {
        let result = match (failure, self.value) {
            (Some(failure), _) => Err(failure),
            (None, Some(value)) => Ok(value),
            (None, None) => Err(StoreError::Closed),
        };
        // The caller may have dropped its future; the job is stored all the same.
        let _ = self.reply.send(result);
    }
}

type BoxedJob = Box<dyn WriteJob>;

/// Error of each job, `None` for those that succeeded.
type JobErrors = Vec<Option<StoreError>>;

/// Writer: stores all jobs that wait in one transaction.
pub(super) struct WriterThread {
    settings: Arc<ConnectionSettings>,
    blobs: Arc<BlobDirectory>,
    /// `None` after a storage failure, until it is opened again.
    connection: Option<Connection>,
    notifier: Arc<ChangeNotifier>,
    attachment_cache: Arc<AttachmentCache>,
    last_sequences: LastSequences,
    /// Size limit that the connection uses.
    size_limit: Option<u64>,
    /// `PRAGMA data_version`: changes when another connection has written.
    data_version: i64,
    /// True if there may be background work.
    has_background_work: bool,
}

impl WriterThread {
    pub(super) fn new(
        settings: Arc<ConnectionSettings>,
        blobs: Arc<BlobDirectory>,
        connection: Connection,
        notifier: Arc<ChangeNotifier>,
        attachment_cache: Arc<AttachmentCache>,
    ) -> Self {
        Self {
            settings,
            blobs,
            connection: Some(connection),
            notifier,
            attachment_cache,
            last_sequences: LastSequences::new(),
            size_limit: None,
            data_version: 0,
            // Work may be left from the last time the store was open.
            has_background_work: true,
        }
    }

    /// Stores jobs until the queue is closed and empty. Background work is done in steps between transactions;
    /// unfinished work continues after the next start.
    pub(super) fn run(mut self, queue: &JobQueue<BoxedJob>) {
        let mut jobs: Vec<BoxedJob> = Vec::new();
        let (mut last_commit, mut last_count) = (Instant::now(), 0);
        while match self.has_background_work {
            true => queue.drain_ready(MAX_JOBS, &mut jobs),
            false => queue.drain(MAX_JOBS, &mut jobs),
        } {
            if !jobs.is_empty() {
                let early = COMMIT_INTERVAL.saturating_sub(last_commit.elapsed());
                if !early.is_zero() && last_count.max(jobs.len()) > 1 {
                    thread::sleep(early);
                    let room = MAX_JOBS - jobs.len();
                    queue.drain_ready(room, &mut jobs);
                }
                last_count = jobs.len();
                self.store(&mut jobs);
                last_commit = Instant::now();
            }
            if self.has_background_work {
                self.has_background_work = self.run_background_step();
            }
        }
    }

    fn store(&mut self, jobs: &mut Vec<BoxedJob>) {
        match self.commit(jobs) {
            Ok(Some(errors)) => complete(jobs, errors),
            // A job that fails must not make the others fail.
            Ok(None) | Err(_) if jobs.len() > 1 => {
                for job in std::mem::take(jobs) {
                    self.store(&mut vec![job]);
                }
            }
            Ok(None) => complete(jobs, vec![Some(StoreError::Closed)]),
            Err(failure) => complete(jobs, vec![Some(failure)]),
        }
    }

    /// Runs a step of the background work. Returns true if there may be more. A step that fails is tried again
    /// with the next background work, or after the next start.
    fn run_background_step(&mut self) -> bool {
        let (reply, mut receiver) = oneshot::channel();
        let job: BoxedJob = Box::new(FunctionJob::new(reply, JobKind::RUN, background::run_step));
        self.store(&mut vec![job]);
        matches!(receiver.try_recv(), Ok(Ok(true)))
    }

    /// Clears the caches if another connection has written.
    fn check_data_version(&mut self, connection: &Connection) -> Result<()> {
        let mut statement = connection.prepare_cached("PRAGMA data_version")?;
        let version = statement.query_row([], |row| row.get(0))?;
        if version != self.data_version {
            self.attachment_cache.clear();
        }
        if version != self.data_version || self.last_sequences.len() > MAX_LAST_SEQUENCES {
            self.last_sequences.clear();
            self.data_version = version;
        }
        Ok(())
    }

    /// Runs jobs in one transaction. Returns the error of each job, or `None` if nothing was stored because a
    /// failed job had to be rolled back.
    fn commit(&mut self, jobs: &mut [BoxedJob]) -> Result<Option<JobErrors>> {
        let connection = match self.connection.take() {
            Some(connection) => connection,
            None => self.settings.connect()?,
        };
        let result = self.commit_with(&connection, jobs);
        if jobs.iter().any(|job| !job.kind().keeps_documents) {
            self.attachment_cache.clear();
        }
        match &result {
            Ok(_) => self.connection = Some(connection),
            // After a storage failure neither the connection nor the caches are trusted.
            Err(_) => {
                self.last_sequences.clear();
                self.size_limit = None;
                drop(connection);
            }
        }
        result
    }

    fn commit_with(
        &mut self,
        connection: &Connection,
        jobs: &mut [BoxedJob],
    ) -> Result<Option<JobErrors>> {
        let execute = |sql: &str| -> Result<()> {
            connection.prepare_cached(sql)?.execute([])?;
            Ok(())
        };
        self.settings
            .apply_size_limit(connection, &mut self.size_limit)?;
        execute("BEGIN IMMEDIATE")?;
        self.check_data_version(connection)?;
        let mut writing = WriteContext {
            connection,
            blobs: &self.blobs,
            has_orphans: false,
            has_background_work: false,
            has_erased: false,
            last_sequences: &mut self.last_sequences,
            change_count: None,
            changes: Vec::new(),
        };
        let mut errors = Vec::with_capacity(jobs.len());
        // Without savepoints: they cost every job a copy of the pages that it changes, and few jobs fail.
        let is_alone = jobs.len() == 1;
        for job in jobs {
            match job.run(&mut writing) {
                Ok(()) => errors.push(None),
                Err(failure) if failure.is_storage() => return Err(failure),
                Err(failure) if job.kind().is_atomic => errors.push(Some(failure)),
                Err(failure) => {
                    writing.last_sequences.clear();
                    execute("ROLLBACK")?;
                    return Ok(is_alone.then(|| vec![Some(failure)]));
                }
            }
        }
        writing.store_change_count()?;
        let WriteContext {
            has_orphans,
            changes,
            has_background_work,
            has_erased,
            ..
        } = writing;
        execute("COMMIT")?;
        self.has_background_work |= has_background_work;
        for (principal, number) in changes {
            self.notifier.notify(&principal, number);
        }
        if has_orphans {
            // The jobs are stored already. A blob that cannot be removed now is removed later.
            let _ = remove_orphans(connection, &self.blobs);
        }
        if has_erased {
            // Readers that hold an old snapshot leave the rest to the next checkpoint.
            let truncate = connection.prepare_cached("PRAGMA wal_checkpoint(TRUNCATE)");
            let _ = truncate.and_then(|mut truncate| truncate.query_row([], |_| Ok(())));
        }
        Ok(Some(errors))
    }
}

/// Removes the blobs that lost their last reference. Returns how many.
pub(super) fn remove_orphans(connection: &Connection, blobs: &BlobDirectory) -> Result<usize> {
    let transaction =
        rusqlite::Transaction::new_unchecked(connection, rusqlite::TransactionBehavior::Immediate)?;
    let orphans: Vec<String> = connection
        .prepare_cached(
            "SELECT blob FROM orphans WHERE NOT EXISTS (SELECT 1 FROM parts WHERE parts.blob = orphans.blob)",
        )?
        .query_map([], |row| row.get(0))?
        .collect::<rusqlite::Result<_>>()?;
    for blob in &orphans {
        blobs.remove(blob)?;
    }
    connection
        .prepare_cached("DELETE FROM orphans")?
        .execute([])?;
    transaction.commit()?;
    Ok(orphans.len())
}

fn complete(jobs: &mut Vec<BoxedJob>, errors: JobErrors) {
    for (job, error) in jobs.drain(..).zip(errors) {
        job.complete(error);
    }
}
