//! Runs in SQLite.

use bytes::Bytes;
use rusqlite::{Connection, OptionalExtension, Row, params};

use super::log;
use super::message_texts::{self, HashedTexts, SplitInput};
use super::principals;
use super::threads;
use super::writer::WriteContext;
use crate::error::{Result, StoreError};
use crate::ids::{Principal, RunId, ThreadId, Timestamp};
use crate::threads::{
    BeginRun, NewRun, OpenRun, RunStatus, StoredActivity, StoredMessage, StoredRun, UnfinishedRun,
};
use crate::varint;

/// Columns that [`run`] reads.
macro_rules! run_columns {
    () => {
        "r.id, r.agent, r.status, r.after, r.last, r.started, r.ended, r.number, r.question"
    };
}
pub(super) use run_columns;

/// Begins a run, and creates its thread if necessary.
pub(super) fn begin(
    writing: &mut WriteContext<'_>,
    principal: &Principal,
    new: &NewRun,
    input: &SplitInput,
) -> Result<BeginRun> {
    let connection = writing.connection;
    let owner = principals::find_or_insert(connection, principal, new.started)?;
    let thread: Option<(i64, Vec<u8>)> = connection
        .prepare_cached(
            "SELECT number, input_hashes FROM threads WHERE principal = ?1 AND id = ?2",
        )?
        .query_row(params![owner, new.thread.as_str()], |row| {
            Ok((row.get(0)?, row.get(1)?))
        })
        .optional()?;
    let Some((thread, before)) = thread else {
        let thread = insert_thread(connection, owner, new)?;
        let place = RunPlace {
            owner,
            thread,
            after: 0,
        };
        let open = insert(writing, principal, place, &[], new, input)?;
        return Ok(BeginRun::New(open, None));
    };
    if let Some(known) = find(connection, thread, &new.run)? {
        return has_input(connection, thread, &known, input)?
            .then_some(BeginRun::Known(known.run))
            .ok_or(StoreError::Conflict {
                what: "run",
                id: new.run.to_string(),
            });
    }
    let open: Option<String> = connection
        .prepare_cached("SELECT id FROM runs WHERE thread = ?1 AND status = 0")?
        .query_row([thread], |row| row.get(0))
        .optional()?;
    if let Some(run) = open {
        return Err(StoreError::ThreadBusy { run });
    }
    let state = Box::new(threads::stored_state(connection, thread)?);
    let place = RunPlace {
        owner,
        thread,
        after: log::last_sequence(connection, thread)?,
    };
    let open = insert(writing, principal, place, &before, new, input)?;
    Ok(BeginRun::New(open, Some(state)))
}

fn insert_thread(connection: &Connection, owner: i64, new: &NewRun) -> Result<i64> {
    let (parent_thread, parent_run) = new.parent.clone().unzip();
    connection
        .prepare_cached(
            "INSERT INTO threads (principal, id, agent, parent_thread, parent_run, created, updated, changed) \
             VALUES (?1, ?2, ?3, ?4, ?5, ?6, ?6, 0)",
        )?
        .execute(params![
            owner,
            new.thread.as_str(),
            new.agent,
            parent_thread.as_ref().map(ThreadId::as_str),
            parent_run.as_ref().map(RunId::as_str),
            new.started.0
        ])?;
    Ok(connection.last_insert_rowid())
}

/// Position of a new run.
#[derive(Clone, Copy)]
struct RunPlace {
    /// Number of the principal.
    owner: i64,
    /// Number of the thread.
    thread: i64,
    /// Sequence of the last event of the thread.
    after: u64,
}

/// Stores a new run. `before` are the hashes of the last run's input.
fn insert(
    writing: &mut WriteContext<'_>,
    principal: &Principal,
    place: RunPlace,
    before: &[u8],
    new: &NewRun,
    input: &SplitInput,
) -> Result<OpenRun> {
    let connection = writing.connection;
    let RunPlace {
        owner,
        thread,
        after,
    } = place;
    let shared = input.messages.shared_prefix(before);
    let mut tail = Vec::new();
    for (position, text) in input.messages.texts.iter().enumerate().skip(shared) {
        let hash = input.messages.hash(position);
        let number = message_texts::find_or_insert(connection, thread, hash, text)?;
        varint::push_number(&mut tail, number);
    }
    connection
        .prepare_cached(
            "INSERT INTO runs (thread, id, agent, status, after, started, input, shared, tail, question, \
             principal, late_result) VALUES (?1, ?2, ?3, 0, ?4, ?5, ?6, ?7, ?8, ?9, ?10, \
             (SELECT coalesce(max(number), 0) FROM late_results WHERE thread = ?1))",
        )?
        .execute(params![
            thread,
            new.run.as_str(),
            new.agent,
            signed(after),
            new.started.0,
            input.stored_frame(connection, thread)?,
            shared,
            tail,
            input.question,
            owner
        ])?;
    let run = connection.last_insert_rowid();
    insert_agent(writing, principal, owner, new)?;
    let changed = writing.next_change(principal)?;
    connection
        .prepare_cached(
            "UPDATE threads SET updated = ?2, input_hashes = ?3, changed = ?4 WHERE number = ?1",
        )?
        .execute(params![
            thread,
            new.started.0,
            input.messages.hashes,
            changed
        ])?;
    Ok(OpenRun {
        thread: thread.unsigned_abs(),
        run: run.unsigned_abs(),
        after,
    })
}

/// Records that a principal uses an agent, with its first run.
fn insert_agent(
    writing: &mut WriteContext<'_>,
    principal: &Principal,
    owner: i64,
    new: &NewRun,
) -> Result<()> {
    let is_known: bool = writing
        .connection
        .prepare_cached("SELECT EXISTS (SELECT 1 FROM agents WHERE principal = ?1 AND name = ?2)")?
        .query_row(params![owner, new.agent], |row| row.get(0))?;
    if is_known {
        return Ok(());
    }
    let changed = writing.next_change(principal)?;
    writing
        .connection
        .prepare_cached(
            "INSERT INTO agents (principal, name, created, changed) VALUES (?1, ?2, ?3, ?4)",
        )?
        .execute(params![owner, new.agent, new.started.0, changed])?;
    Ok(())
}

/// Returns true if a stored run has this input.
fn has_input(
    connection: &Connection,
    thread: i64,
    known: &NumberedRun,
    input: &SplitInput,
) -> Result<bool> {
    let (frame, texts) = split_input(connection, thread, known.number)?;
    let mut stored = HashedTexts::default();
    for text in texts {
        stored.push(text);
    }
    if frame == input.frame.as_bytes() && stored.hashes == input.messages.hashes {
        return Ok(true);
    }
    // The same JSON value may be written in another way.
    let value = |frame: &str, messages: &HashedTexts| -> Result<json::Value> {
        let joined = message_texts::join_input(frame, &messages.texts)?;
        let damaged = |_| StoreError::corrupt("the input of a run");
        json::Value::parse(&String::from_utf8_lossy(&joined)).map_err(damaged)
    };
    let frame = String::from_utf8_lossy(&frame);
    Ok(value(&frame, &stored)? == value(&input.frame, &input.messages)?)
}

/// Reads the input of a run.
pub(super) fn input(connection: &Connection, thread: i64, number: i64) -> Result<Bytes> {
    let (frame, texts) = split_input(connection, thread, number)?;
    message_texts::join_input(&String::from_utf8_lossy(&frame), &texts)
}

/// Reads the input of a run without its messages, and its messages.
fn split_input(connection: &Connection, thread: i64, number: i64) -> Result<(Vec<u8>, Vec<Bytes>)> {
    // Each run back in time adds the messages that later runs share with it.
    let mut statement = connection.prepare_cached(
        "SELECT shared, tail, CASE number WHEN ?2 THEN input END FROM runs \
         WHERE thread = ?1 AND number <= ?2 ORDER BY number DESC",
    )?;
    let mut rows = statement.query(params![thread, number])?;
    let mut frame = Vec::new();
    let mut wanted = usize::MAX;
    let mut reversed: Vec<i64> = Vec::new();
    while wanted > 0
        && let Some(row) = rows.next()?
    {
        if let Some(input) = row.get(2)? {
            frame = message_texts::read_frame(connection, input)?;
        }
        let shared: usize = row.get(0)?;
        let tail = varint::numbers(row.get_ref(1)?.as_blob().unwrap_or_default());
        let tail = &tail[..tail.len().min(wanted.saturating_sub(shared))];
        reversed.extend(tail.iter().rev());
        wanted = wanted.min(shared);
    }
    let mut select = connection.prepare_cached("SELECT json FROM texts WHERE number = ?1")?;
    let texts = reversed
        .iter()
        .rev()
        .map(|number| select.query_row([number], |row| row.get::<_, Vec<u8>>(0)))
        .map(|text| text.map(Bytes::from))
        .collect::<rusqlite::Result<_>>()?;
    Ok((frame, texts))
}

/// Reads messages before a position, in order. Returns the position of the first one too.
pub(super) fn messages(
    connection: &Connection,
    thread: i64,
    before: Option<u64>,
    limit: usize,
) -> Result<(u64, Vec<StoredMessage>)> {
    let mut statement = connection.prepare_cached(
        "SELECT c.position, c.id, c.role, t.json FROM conversations c \
         JOIN texts t ON t.number = c.text \
         WHERE c.thread = ?1 AND c.position < ?2 ORDER BY c.position DESC LIMIT ?3",
    )?;
    let before = before.map_or(i64::MAX, signed);
    let limit = i64::try_from(limit).unwrap_or(i64::MAX);
    let mut rows = statement.query(params![thread, before, limit])?;
    let (mut first, mut messages) = (0, Vec::new());
    while let Some(row) = rows.next()? {
        first = row.get::<_, i64>(0)?.unsigned_abs();
        messages.push(StoredMessage {
            id: row.get(1)?,
            role: row.get(2)?,
            json: row.get::<_, Vec<u8>>(3)?.into(),
        });
    }
    messages.reverse();
    Ok((first, messages))
}

/// Reads the activities of a conversation, in order.
pub(super) fn activities(connection: &Connection, thread: i64) -> Result<Vec<StoredActivity>> {
    let mut statement = connection.prepare_cached(
        "SELECT c.id, t.json, (SELECT b.id FROM conversations b WHERE b.thread = c.thread \
         AND b.position < c.position AND b.role <> 'activity' ORDER BY b.position DESC LIMIT 1) \
         FROM conversations c JOIN texts t ON t.number = c.text \
         WHERE c.thread = ?1 AND c.role = 'activity' ORDER BY c.position",
    )?;
    let rows = statement.query_map([thread], |row| {
        Ok(StoredActivity {
            after: row.get(2)?,
            message: StoredMessage {
                id: row.get(0)?,
                role: "activity".to_owned(),
                json: row.get::<_, Vec<u8>>(1)?.into(),
            },
        })
    })?;
    Ok(rows.collect::<rusqlite::Result<_>>()?)
}

/// Run with its number.
pub(super) struct NumberedRun {
    pub(super) number: i64,
    pub(super) run: StoredRun,
}

/// Reads a run of a thread.
pub(super) fn find(
    connection: &Connection,
    thread: i64,
    id: &RunId,
) -> Result<Option<NumberedRun>> {
    connection
        .prepare_cached(concat!(
            "SELECT ",
            run_columns!(),
            " FROM runs r WHERE r.thread = ?1 AND r.id = ?2"
        ))?
        .query_and_then(params![thread, id.as_str()], run)?
        .next()
        .transpose()
}

/// Reads the run of a thread that began last.
pub(super) fn last(connection: &Connection, thread: i64) -> Result<Option<NumberedRun>> {
    connection
        .prepare_cached(concat!(
            "SELECT ",
            run_columns!(),
            " FROM runs r WHERE r.thread = ?1 ORDER BY r.number DESC LIMIT 1"
        ))?
        .query_and_then([thread], run)?
        .next()
        .transpose()
}

/// Reads the run of a thread whose last event has a sequence. Runs without events are skipped.
pub(super) fn find_ended_with(
    connection: &Connection,
    thread: i64,
    last: i64,
) -> Result<Option<StoredRun>> {
    let found: Option<NumberedRun> = connection
        .prepare_cached(concat!(
            "SELECT ",
            run_columns!(),
            " FROM runs r WHERE r.thread = ?1 AND r.last = ?2 AND r.after < ?2 \
             ORDER BY r.number DESC LIMIT 1"
        ))?
        .query_and_then([thread, last], run)?
        .next()
        .transpose()?;
    Ok(found.map(|found| found.run))
}

/// Reads the runs that were not ended.
pub(super) fn find_unfinished(connection: &Connection) -> Result<Vec<UnfinishedRun>> {
    connection
        .prepare_cached(concat!(
            "SELECT ",
            run_columns!(),
            ", r.thread, t.id, p.id FROM runs r JOIN threads t ON t.number = r.thread \
             JOIN principals p ON p.number = t.principal WHERE r.status = 0 ORDER BY r.number"
        ))?
        .query_and_then([], |row| {
            let NumberedRun { number, run } = run(row)?;
            Ok(UnfinishedRun {
                open: OpenRun {
                    thread: row.get::<_, i64>(9)?.unsigned_abs(),
                    run: number.unsigned_abs(),
                    after: run.after,
                },
                thread: ThreadId::new(&row.get::<_, String>(10)?)?,
                principal: Principal::new(&row.get::<_, String>(11)?)?,
                run,
            })
        })?
        .collect()
}

pub(super) fn run(row: &Row<'_>) -> Result<NumberedRun> {
    let unsigned = |value: i64| value.unsigned_abs();
    Ok(NumberedRun {
        run: StoredRun {
            id: RunId::new(&row.get::<_, String>(0)?)?,
            agent: row.get(1)?,
            status: parse_status(row.get(2)?)?,
            after: row.get(3).map(unsigned)?,
            last: row.get::<_, Option<i64>>(4)?.map(unsigned),
            started: Timestamp(row.get(5)?),
            ended: row.get::<_, Option<i64>>(6)?.map(Timestamp),
            question: row.get(8)?,
        },
        number: row.get(7)?,
    })
}

/// Returns the number that a status is stored as.
pub(super) fn status_code(status: RunStatus) -> i64 {
    match status {
        RunStatus::Open => 0,
        RunStatus::Finished => 1,
        RunStatus::Interrupted => 2,
        RunStatus::Cancelled => 3,
        RunStatus::Failed => 4,
    }
}

/// Parses a stored status.
fn parse_status(number: i64) -> Result<RunStatus> {
    Ok(match number {
        0 => RunStatus::Open,
        1 => RunStatus::Finished,
        2 => RunStatus::Interrupted,
        3 => RunStatus::Cancelled,
        4 => RunStatus::Failed,
        other => return Err(StoreError::corrupt(format!("a run with status {other}"))),
    })
}

/// Converts a number to the type of SQLite's integers.
pub(super) fn signed(number: u64) -> i64 {
    i64::try_from(number).unwrap_or(i64::MAX)
}
