//! The one thread that writes.

use std::sync::Arc;
use std::thread;
use std::time::{Duration, Instant};

use rusqlite::Connection;
use tokio::sync::oneshot;

use super::attachment_cache::AttachmentCache;
use super::background;
use super::blobs::BlobDirectory;
use super::connection::ConnectionSettings;
use super::due;
use super::log::Tails;
use super::queue::WriteQueue;
use crate::change_notifier::ChangeNotifier;
use crate::error::{Result, StoreError};
use crate::ids::Principal;

/// How many jobs are stored in one transaction at most.
const MOST_PER_COMMIT: usize = 1_024;

/// How much may be due before it is worked off between two jobs, although nobody waits for it: whoever comes to read
/// waits for all of it, 0.05 ms for each.
const MOST_DUE: usize = 8_192;
/// How long nothing has to happen before what is due is worked off.
const QUIET: Duration = Duration::from_millis(20);

/// How soon a transaction follows another while several write. What comes in between is stored with it: each writes the
/// same ends of tables and indexes again.
const PACE: Duration = Duration::from_micros(1_500);

/// How many open runs are remembered at most.
const MOST_TAILS: usize = 10_000;

/// What a job writes with.
pub(super) struct WriteContext<'a> {
    pub(super) connection: &'a Connection,
    pub(super) blobs: &'a BlobDirectory,
    /// Blobs may have lost their last reference.
    pub(super) orphans: bool,
    /// There are chores to do.
    pub(super) chores: bool,
    /// About how much is due.
    pub(super) due: usize,
    pub(super) tails: &'a mut Tails,
    /// Whose things changed, with the number of the last change.
    changes: Vec<(Principal, u64)>,
}

impl WriteContext<'_> {
    /// Takes note that a principal's things have changed.
    pub(super) fn changed(&mut self, principal: &Principal, number: u64) {
        match self.changes.last_mut() {
            Some((last, known)) if last == principal => *known = number,
            _ => self.changes.push((principal.clone(), number)),
        }
    }
}

/// Something to write. It may be run more than once, each time as if for the first time.
pub(super) trait WriteJob: Send {
    /// Does it; the error is the job's answer.
    fn run(&mut self, writing: &mut WriteContext<'_>) -> Result<()>;
    /// What is known of it beforehand.
    fn kind(&self) -> JobKind;
    /// Answers: it was stored, or why not.
    fn answer(self: Box<Self>, failure: Option<StoreError>);
}

/// What is known of a job beforehand.
#[derive(Debug, Clone, Copy, Default)]
pub(super) struct JobKind {
    /// It changes nothing when it fails, so nothing has to be taken back.
    pub(super) atomic: bool,
    /// It changes nothing of documents and who has attached them.
    pub(super) leaves_documents: bool,
}

impl JobKind {
    /// Of a run.
    pub(super) const RUN: Self = Self {
        atomic: false,
        leaves_documents: true,
    };

    /// Of keys and the record: one statement that changes something.
    pub(super) const APART: Self = Self {
        atomic: true,
        leaves_documents: true,
    };
}

/// A job made of a function.
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

    fn answer(self: Box<Self>, failure: Option<StoreError>) {
        let result = match (failure, self.value) {
            (Some(failure), _) => Err(failure),
            (None, Some(value)) => Ok(value),
            (None, None) => Err(StoreError::Closed),
        };
        // Nobody may be waiting any more: it is stored all the same.
        let _ = self.reply.send(result);
    }
}

type BoxedJob = Box<dyn WriteJob>;

/// For each job why it was refused, if it was.
type Refusals = Vec<Option<StoreError>>;

/// Writes what callers hand over, everything that waits in one transaction.
pub(super) struct WriterThread {
    settings: Arc<ConnectionSettings>,
    blobs: Arc<BlobDirectory>,
    /// Opened again after the storage failed.
    connection: Option<Connection>,
    notifier: Arc<ChangeNotifier>,
    attachment_cache: Arc<AttachmentCache>,
    tails: Tails,
    /// The limit of the size that the connection knows.
    limit: Option<u64>,
    /// Changes when another connection has written.
    version: i64,
    /// There may be chores to do.
    chores: bool,
    /// About how much is due in the ontology.
    due: usize,
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
            tails: Tails::new(),
            limit: None,
            version: 0,
            chores: true,
            // Whatever was left is worked off first of all.
            due: MOST_DUE,
        }
    }

    /// Works until the queue is closed and empty. Chores are done in between; what is left of them is done
    /// after the next start.
    pub(super) fn work(mut self, queue: &WriteQueue<BoxedJob>) {
        let mut jobs: Vec<BoxedJob> = Vec::new();
        let (mut stored, mut together) = (Instant::now(), 0);
        while queue.drain(MOST_PER_COMMIT, self.patience(), &mut jobs) {
            let quiet = jobs.is_empty();
            if !quiet {
                let early = PACE.saturating_sub(stored.elapsed());
                if !early.is_zero() && together.max(jobs.len()) > 1 {
                    thread::sleep(early);
                    let room = MOST_PER_COMMIT - jobs.len();
                    queue.drain(room, Some(Duration::ZERO), &mut jobs);
                }
                together = jobs.len();
                self.store(&mut jobs);
                stored = Instant::now();
            }
            if self.due > 0 && (quiet || self.is_due_now()) {
                self.work_off();
            } else if self.chores {
                self.chores = self.step(background::step);
            }
        }
    }

    /// Does a step of what is due; more if there is so much of it that it would grow faster than it goes.
    fn work_off(&mut self) {
        loop {
            if !self.step(due::step) {
                self.due = 0;
                return;
            }
            // There may be more than is known of.
            self.due = self.due.max(1);
            if self.due < MOST_DUE {
                return;
            }
        }
    }

    /// How long to wait for the next job: what is due can wait for a moment, chores are done in between.
    fn patience(&self) -> Option<Duration> {
        if self.chores || self.is_due_now() {
            Some(Duration::ZERO)
        } else {
            (self.due > 0).then_some(QUIET)
        }
    }

    fn is_due_now(&self) -> bool {
        self.due >= MOST_DUE || (self.due > 0 && self.notifier.anybody_waits())
    }

    fn store(&mut self, jobs: &mut Vec<BoxedJob>) {
        match self.commit(jobs) {
            Ok(Some(refused)) => answer(jobs, refused),
            // One bad job must not take the others with it.
            Ok(None) | Err(_) if jobs.len() > 1 => {
                for job in std::mem::take(jobs) {
                    self.store(&mut vec![job]);
                }
            }
            Ok(None) => answer(jobs, vec![Some(StoreError::Closed)]),
            Err(failure) => answer(jobs, vec![Some(failure)]),
        }
    }

    /// Does a step of what is done in between, and says whether there may be more. One that fails is tried again
    /// when the next is added, or after the next start.
    fn step(&mut self, work: fn(&mut WriteContext<'_>) -> Result<bool>) -> bool {
        let (reply, mut receiver) = oneshot::channel();
        let job: BoxedJob = Box::new(FunctionJob::new(reply, JobKind::RUN, work));
        self.store(&mut vec![job]);
        matches!(receiver.try_recv(), Ok(Ok(true)))
    }

    /// Forgets what was remembered if another connection has written since.
    fn notice_others(&mut self, connection: &Connection) -> Result<()> {
        let mut statement = connection.prepare_cached("PRAGMA data_version")?;
        let version = statement.query_row([], |row| row.get(0))?;
        if version != self.version {
            self.attachment_cache.forget();
        }
        if version != self.version || self.tails.len() > MOST_TAILS {
            self.tails.clear();
            self.version = version;
        }
        Ok(())
    }

    /// Runs jobs in one transaction. The answer says for each job why it was refused, if it was; without an
    /// answer one was refused that has to be taken back, and nothing was stored. So is it with an error.
    fn commit(&mut self, jobs: &mut [BoxedJob]) -> Result<Option<Refusals>> {
        let connection = match self.connection.take() {
            Some(connection) => connection,
            None => self.settings.connect()?,
        };
        let result = self.commit_with(&connection, jobs);
        if jobs.iter().any(|job| !job.kind().leaves_documents) {
            self.attachment_cache.forget();
        }
        match &result {
            Ok(_) => self.connection = Some(connection),
            // A connection that saw the storage fail is not trusted again, nor is what was remembered.
            Err(_) => {
                self.tails.clear();
                self.limit = None;
                drop(connection);
            }
        }
        result
    }

    fn commit_with(
        &mut self,
        connection: &Connection,
        jobs: &mut [BoxedJob],
    ) -> Result<Option<Refusals>> {
        let execute = |sql: &str| -> Result<()> {
            connection.prepare_cached(sql)?.execute([])?;
            Ok(())
        };
        self.settings.limit(connection, &mut self.limit)?;
        execute("BEGIN IMMEDIATE")?;
        self.notice_others(connection)?;
        let mut writing = WriteContext {
            connection,
            blobs: &self.blobs,
            orphans: false,
            chores: false,
            due: self.due,
            tails: &mut self.tails,
            changes: Vec::new(),
        };
        let mut refused = Vec::with_capacity(jobs.len());
        // No savepoints: they cost every job a copy of the pages it changes, and few jobs are refused.
        let alone = jobs.len() == 1;
        for job in jobs {
            match job.run(&mut writing) {
                Ok(()) => refused.push(None),
                Err(failure) if failure.is_storage() => return Err(failure),
                Err(failure) if job.kind().atomic => refused.push(Some(failure)),
                Err(failure) => {
                    writing.tails.clear();
                    execute("ROLLBACK")?;
                    return Ok(alone.then(|| vec![Some(failure)]));
                }
            }
        }
        let WriteContext {
            orphans,
            changes,
            chores,
            due,
            ..
        } = writing;
        execute("COMMIT")?;
        self.chores |= chores;
        self.due = due;
        for (principal, number) in changes {
            self.notifier.tell(&principal, number);
        }
        if orphans {
            // Stored already: a blob that cannot be removed now is removed later.
            let _ = remove_orphans(connection, &self.blobs);
        }
        Ok(Some(refused))
    }
}

/// Removes the blobs that lost their last reference.
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

fn answer(jobs: &mut Vec<BoxedJob>, refused: Refusals) {
    for (job, refused) in jobs.drain(..).zip(refused) {
        job.answer(refused);
    }
}
