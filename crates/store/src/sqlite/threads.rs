//! Threads in SQLite.

use bytes::Bytes;
use rusqlite::{Connection, OptionalExtension, Row, params};

use super::SqliteStore;
use super::blobs::BlobDirectory;
use super::checkpoint::{self, PreparedEnd};
use super::log::{self, AppendedRows};
use super::message_texts::{self, SplitInput};
use super::ontology::{self, RemovedThing};
use super::principals;
use super::runs::{self, run_columns};
use super::writer::JobKind;
use crate::error::{Result, StoreError};
use crate::future::StoreFuture;
use crate::ids::{Principal, RunId, Sequence, ThreadId, Timestamp};
use crate::log::{LogBatch, LogPage};
use crate::ontology::{conversation_id, message_id};
use crate::paging::{Listing, PageRequest};
use crate::threads::{
    BeginRun, Checkpoint, MessagePage, NewRun, OpenRun, StoredActivity, StoredLateResult,
    StoredRun, StoredRunEnd, StoredState, Thread, ThreadChange, ThreadStore, UnfinishedRun,
};

/// Selects threads, with the columns that [`thread`] reads.
macro_rules! select_thread {
    ($rest:literal) => {
        concat!(
            "SELECT t.id, t.agent, t.title, t.archived, t.parent_thread, t.parent_run, t.created, \
             t.updated FROM principals p JOIN threads t ON t.principal = p.number WHERE p.id = ?1 ",
            $rest
        )
    };
}

/// Largest input that is prepared on the caller's thread. Handing a smaller one to another thread costs more.
const MAX_INLINE_BYTES: usize = 64 << 10;
/// Size of the file that is written to find out if the disk has space.
const PROBE_BYTES: usize = 64 << 10;

impl ThreadStore for SqliteStore {
    fn pending_writes(&self) -> usize {
        self.writes.len()
    }

    fn check_writable(&self) -> StoreFuture<()> {
        // A database with free pages takes a row even on a full disk, so a file is written as well.
        let prepare = |blobs: &BlobDirectory| blobs.stage(&[0; PROBE_BYTES]).map(drop);
        self.prepare_and_write(JobKind::SINGLE_STATEMENT, prepare, |writing, ()| {
            writing
                .connection
                .prepare_cached("UPDATE change_count SET count = count")?
                .execute([])?;
            Ok(())
        })
    }

    fn begin_run(&self, principal: &Principal, run: NewRun) -> StoreFuture<BeginRun> {
        if let Err(invalid) = run.check() {
            return StoreFuture::ready(Err(invalid));
        }
        let principal = principal.clone();
        let input = run.input.clone();
        let is_short = |text: &str| text.len() <= MAX_INLINE_BYTES;
        if input.as_text().is_some_and(is_short) {
            let input = SplitInput::new(input);
            return self.submit(JobKind::RUN, move |writing| {
                runs::begin(writing, &principal, &run, &input)
            });
        }
        self.prepare_and_write(
            JobKind::RUN,
            move |_| Ok(SplitInput::new(input)),
            move |writing, input| runs::begin(writing, &principal, &run, input),
        )
    }

    fn append(&self, run: OpenRun, batch: LogBatch) -> StoreFuture<Sequence> {
        let appended = match batch.checked_events() {
            Ok(checked) => AppendedRows::new(checked),
            Err(invalid) => return StoreFuture::ready(Err(invalid)),
        };
        self.submit(JobKind::SINGLE_STATEMENT, move |writing| {
            log::append(writing, run, &appended)
        })
    }

    fn end_run(&self, run: OpenRun, end: StoredRunEnd) -> StoreFuture<()> {
        let size = end.checkpoint.as_ref();
        let size = size.map_or(0, Checkpoint::message_bytes);
        if size <= MAX_INLINE_BYTES {
            let end = match PreparedEnd::new(end) {
                Ok(end) => end,
                Err(invalid) => return StoreFuture::ready(Err(invalid)),
            };
            return self.submit(JobKind::RUN, move |writing| {
                checkpoint::end_run(writing, run, &end)
            });
        }
        self.prepare_and_write(
            JobKind::RUN,
            move |_| PreparedEnd::new(end),
            move |writing, end| checkpoint::end_run(writing, run, end),
        )
    }

    fn unfinished_runs(&self) -> StoreFuture<Vec<UnfinishedRun>> {
        self.read(runs::find_unfinished)
    }

    fn events(
        &self,
        principal: &Principal,
        thread: &ThreadId,
        after: Sequence,
        limit: usize,
    ) -> StoreFuture<LogPage> {
        self.read_thread(principal, thread, move |connection, thread| {
            log::events(connection, thread, after, limit)
        })
    }

    fn thread(&self, principal: &Principal, id: &ThreadId) -> StoreFuture<Option<Thread>> {
        let (principal, id) = (principal.clone(), id.clone());
        self.read(move |connection| find(connection, &principal, &id))
    }

    fn threads(&self, principal: &Principal, page: &PageRequest) -> StoreFuture<Listing<Thread>> {
        let (principal, page) = (principal.clone(), page.clone());
        self.read(move |connection| {
            let limit = page.bounded_limit();
            let (at, id) = page.position()?.unwrap_or(PageRequest::START);
            let items = connection
                .prepare_cached(select_thread!(
                    "AND (t.updated, t.id) < (?2, ?3) \
                     ORDER BY t.updated DESC, t.id DESC LIMIT ?4"
                ))?
                .query_and_then(params![principal.as_str(), at, id, limit + 1], thread)?
                .collect::<Result<_>>()?;
            Ok(Listing::from_surplus(items, limit, |item: &Thread| {
                (item.updated.0, item.id.to_string())
            }))
        })
    }

    fn change_thread(
        &self,
        principal: &Principal,
        id: &ThreadId,
        change: ThreadChange,
        at: Timestamp,
    ) -> StoreFuture<Thread> {
        if let Err(invalid) = change.check() {
            return StoreFuture::ready(Err(invalid));
        }
        let (principal, id) = (principal.clone(), id.clone());
        self.write(move |writing| {
            let number = number(writing.connection, &principal, &id)?;
            let changed = writing.next_change(&principal)?;
            writing
                .connection
                .prepare_cached(
                    "UPDATE threads SET title = CASE WHEN ?2 IS NULL THEN title ELSE nullif(?2, '') END, \
                     archived = coalesce(?3, archived), updated = ?4, changed = ?5 WHERE number = ?1",
                )?
                .execute(params![number, change.title, change.archived, at.0, changed])?;
            find(writing.connection, &principal, &id)?.ok_or(NO_THREAD)
        })
    }

    fn delete_thread(&self, principal: &Principal, id: &ThreadId) -> StoreFuture<bool> {
        let (principal, id) = (principal.clone(), id.clone());
        self.write(move |writing| {
            let number = match number(writing.connection, &principal, &id) {
                Err(StoreError::NotFound { .. }) => return Ok(false),
                number => number?,
            };
            let owner = principals::find(writing.connection, &principal)?.unwrap_or(0);
            let removed = things(writing.connection, number, &id)?;
            ontology::remove_things(writing, &principal, owner, &removed)?;
            writing.last_sequences.clear();
            writing
                .connection
                .prepare_cached("DELETE FROM threads WHERE number = ?1")?
                .execute([number])?;
            Ok(true)
        })
    }

    fn run(
        &self,
        principal: &Principal,
        thread: &ThreadId,
        run: &RunId,
    ) -> StoreFuture<Option<StoredRun>> {
        let run = run.clone();
        self.read_thread(principal, thread, move |connection, thread| {
            Ok(runs::find(connection, thread, &run)?.map(|found| found.run))
        })
    }

    fn last_run(&self, principal: &Principal, thread: &ThreadId) -> StoreFuture<Option<StoredRun>> {
        self.read_thread(principal, thread, move |connection, thread| {
            Ok(runs::last(connection, thread)?.map(|found| found.run))
        })
    }

    fn runs(
        &self,
        principal: &Principal,
        thread: &ThreadId,
        page: &PageRequest,
    ) -> StoreFuture<Listing<StoredRun>> {
        let page = page.clone();
        self.read_thread(principal, thread, move |connection, thread| {
            let limit = page.bounded_limit();
            let after = page.number()?.unwrap_or(0);
            let items = connection
                .prepare_cached(concat!(
                    "SELECT ",
                    run_columns!(),
                    " FROM runs r WHERE r.thread = ?1 AND r.number > ?2 ORDER BY r.number LIMIT ?3"
                ))?
                .query_and_then(params![thread, after, limit + 1], runs::run)?
                .collect::<Result<_>>()?;
            let position = |item: &runs::NumberedRun| (item.number, "");
            Ok(Listing::from_surplus(items, limit, position).map(|item| item.run))
        })
    }

    fn input(
        &self,
        principal: &Principal,
        thread: &ThreadId,
        run: &RunId,
    ) -> StoreFuture<Option<Bytes>> {
        let run = run.clone();
        self.read_thread(principal, thread, move |connection, thread| {
            runs::find(connection, thread, &run)?
                .map(|found| runs::input(connection, thread, found.number))
                .transpose()
        })
    }

    fn state(&self, principal: &Principal, thread: &ThreadId) -> StoreFuture<StoredState> {
        self.read_thread(principal, thread, stored_state)
    }

    fn messages(
        &self,
        principal: &Principal,
        thread: &ThreadId,
        before: Option<u64>,
        limit: usize,
    ) -> StoreFuture<MessagePage> {
        self.read_thread(principal, thread, move |connection, thread| {
            let (first, messages) = runs::messages(connection, thread, before, limit)?;
            Ok(MessagePage { first, messages })
        })
    }

    fn activities(
        &self,
        principal: &Principal,
        thread: &ThreadId,
    ) -> StoreFuture<Vec<StoredActivity>> {
        let (principal, thread) = (principal.clone(), thread.clone());
        self.read(
            move |connection| match number(connection, &principal, &thread) {
                Ok(thread) => runs::activities(connection, thread),
                Err(StoreError::NotFound { .. }) => Ok(Vec::new()),
                Err(error) => Err(error),
            },
        )
    }

    fn add_late_result(
        &self,
        principal: &Principal,
        thread: &ThreadId,
        run: &RunId,
        patch: Bytes,
        record: Option<Bytes>,
        at: Timestamp,
    ) -> StoreFuture<u64> {
        let (principal, thread, run) = (principal.clone(), thread.clone(), run.clone());
        self.write(move |writing| {
            let thread = number(writing.connection, &principal, &thread)?;
            if runs::find(writing.connection, thread, &run)?.is_none() {
                return Err(StoreError::NotFound { what: "the run" });
            }
            if let Some(record) = &record {
                writing
                    .connection
                    .prepare_cached("UPDATE checkpoints SET record = ?2 WHERE thread = ?1")?
                    .execute(params![thread, &record[..]])?;
            }
            writing
                .connection
                .prepare_cached(
                    "INSERT INTO late_results (thread, run, patch, at) VALUES (?1, ?2, ?3, ?4)",
                )?
                .execute(params![thread, run.as_str(), &patch[..], at.0])?;
            Ok(writing.connection.last_insert_rowid().unsigned_abs())
        })
    }

    fn late_results(
        &self,
        principal: &Principal,
        thread: &ThreadId,
    ) -> StoreFuture<Vec<StoredLateResult>> {
        self.read_thread(principal, thread, fresh_late_results)
    }
}

/// Reads the stored state of a thread.
pub(super) fn stored_state(connection: &Connection, thread: i64) -> Result<StoredState> {
    let stored: Option<(Vec<u8>, Vec<u8>, i64, u64)> = connection
        .prepare_cached("SELECT state, record, through, hashes FROM checkpoints WHERE thread = ?1")?
        .query_row([thread], |row| {
            let messages = message_texts::hash_count(row.get_ref(3)?.as_blob().unwrap_or_default());
            Ok((row.get(0)?, row.get(1)?, row.get(2)?, messages as u64))
        })
        .optional()?;
    let (state, record, through, messages) = stored.unwrap_or_default();
    Ok(StoredState {
        state: state.into(),
        record: record.into(),
        run: runs::find_ended_with(connection, thread, through)?,
        through: through.unsigned_abs(),
        messages,
        late_results: fresh_late_results(connection, thread)?,
    })
}

/// Reads the late results since the last run of a thread began.
fn fresh_late_results(connection: &Connection, thread: i64) -> Result<Vec<StoredLateResult>> {
    connection
        .prepare_cached(
            "SELECT number, run, patch, at FROM late_results WHERE thread = ?1 AND number > \
             (SELECT late_result FROM runs WHERE thread = ?1 ORDER BY number DESC LIMIT 1) \
             ORDER BY number",
        )?
        .query_and_then([thread], |row| {
            Ok(StoredLateResult {
                number: row.get::<_, i64>(0)?.unsigned_abs(),
                run: RunId::new(&row.get::<_, String>(1)?)?,
                patch: row.get::<_, Vec<u8>>(2)?.into(),
                at: Timestamp(row.get(3)?),
            })
        })?
        .collect()
}

/// Returns the things that a thread is presented as: its conversation, then its messages ordered by id.
fn things(connection: &Connection, number: i64, id: &ThreadId) -> Result<Vec<RemovedThing>> {
    let conversation = conversation_id(id.as_str());
    let mut things = vec![RemovedThing {
        id: conversation.clone(),
        kind: "conversation",
        within: None,
    }];
    let mut statement =
        connection.prepare_cached("SELECT id FROM messages WHERE thread = ?1 ORDER BY id")?;
    let mut rows = statement.query([number])?;
    while let Some(row) = rows.next()? {
        things.push(RemovedThing {
            id: message_id(id.as_str(), &row.get::<_, String>(0)?),
            kind: "message",
            within: Some(conversation.clone()),
        });
    }
    Ok(things)
}

const NO_THREAD: StoreError = StoreError::NotFound { what: "the thread" };

impl SqliteStore {
    /// Reads data of a thread. Fails if the thread does not exist.
    pub(super) fn read_thread<T, F>(
        &self,
        principal: &Principal,
        thread: &ThreadId,
        work: F,
    ) -> StoreFuture<T>
    where
        T: Send + 'static,
        F: FnOnce(&Connection, i64) -> Result<T> + Send + 'static,
    {
        let (principal, thread) = (principal.clone(), thread.clone());
        self.read(move |connection| {
            let number = number(connection, &principal, &thread)?;
            work(connection, number)
        })
    }
}

/// Returns the number of a thread.
pub(super) fn number(connection: &Connection, principal: &Principal, id: &ThreadId) -> Result<i64> {
    connection
        .prepare_cached(
            "SELECT t.number FROM principals p JOIN threads t ON t.principal = p.number \
             WHERE p.id = ?1 AND t.id = ?2",
        )?
        .query_row(params![principal.as_str(), id.as_str()], |row| row.get(0))
        .optional()?
        .ok_or(NO_THREAD)
}

/// Reads a thread.
fn find(connection: &Connection, principal: &Principal, id: &ThreadId) -> Result<Option<Thread>> {
    connection
        .prepare_cached(select_thread!("AND t.id = ?2"))?
        .query_and_then(params![principal.as_str(), id.as_str()], thread)?
        .next()
        .transpose()
}

pub(super) fn thread(row: &Row<'_>) -> Result<Thread> {
    let parent = match (
        row.get::<_, Option<String>>(4)?,
        row.get::<_, Option<String>>(5)?,
    ) {
        (Some(thread), Some(run)) => Some((ThreadId::new(&thread)?, RunId::new(&run)?)),
        _ => None,
    };
    Ok(Thread {
        id: ThreadId::new(&row.get::<_, String>(0)?)?,
        agent: row.get(1)?,
        title: row.get(2)?,
        archived: row.get(3)?,
        parent,
        created: Timestamp(row.get(6)?),
        updated: Timestamp(row.get(7)?),
    })
}
