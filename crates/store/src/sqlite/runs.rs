//! Runs in SQLite: how they begin and end.

use bytes::Bytes;
use rusqlite::{Connection, OptionalExtension, Row, params};

use super::documents::principal_number;
use super::due;
use super::log;
use super::message_texts::{self, HashedTexts, SplitInput};
use super::ontology::OntologyOwner;
use super::threads;
use super::varint;
use super::writer::WriteContext;
use crate::error::{Result, StoreError};
use crate::ids::{Principal, RunId, ThreadId, Timestamp};
use crate::projection;
use crate::threads::{
    BeginRun, NewRun, OpenRun, RunStatus, StoredMessage, StoredRun, UnfinishedRun,
};

/// The columns of a run, as [`run`] reads them.
macro_rules! run_columns {
    () => {
        "r.id, r.agent, r.status, r.after, r.last, r.started, r.ended, r.number, r.asked"
    };
}
pub(super) use run_columns;

/// Begins a run, and its thread if need be.
pub(super) fn begin(
    writing: &mut WriteContext<'_>,
    principal: &Principal,
    new: &NewRun,
    input: &SplitInput,
) -> Result<BeginRun> {
    let begun = insert_or_find(writing.connection, principal, new, input)?;
    if let BeginRun::New(open, _) = &begun {
        due::began(writing, signed(open.run), new.started)?;
    }
    Ok(begun)
}

/// Brings a thread's thing up to date.
pub(super) fn keep_conversation(
    writing: &mut WriteContext<'_>,
    owner: &OntologyOwner<'_>,
    thread: &ThreadId,
) -> Result<()> {
    match threads::find(writing.connection, owner.principal, thread)? {
        Some(thread) => owner.keep(writing, projection::conversation(owner.principal, &thread)),
        None => Ok(()),
    }
}

fn insert_or_find(
    connection: &Connection,
    principal: &Principal,
    new: &NewRun,
    input: &SplitInput,
) -> Result<BeginRun> {
    let owner = principal_number(connection, principal)?;
    let thread: Option<(i64, Vec<u8>)> = connection
        .prepare_cached(
            "SELECT number, input_hashes FROM threads WHERE principal = ?1 AND id = ?2",
        )?
        .query_row(params![owner, new.thread.as_str()], |row| {
            Ok((row.get(0)?, row.get(1)?))
        })
        .optional()?;
    let Some((thread, before)) = thread else {
        // Nothing was said in it yet.
        let thread = insert_thread(connection, owner, new)?;
        let open = insert(connection, (thread, 0), &[], new, input)?;
        return Ok(BeginRun::New(open, None));
    };
    if let Some(known) = find(connection, thread, &new.run)? {
        return same_input(connection, thread, &known, input)?
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
    let after = log::last(connection, thread)?;
    let open = insert(connection, (thread, after), &before, new, input)?;
    Ok(BeginRun::New(open, Some(state)))
}

fn insert_thread(connection: &Connection, owner: i64, new: &NewRun) -> Result<i64> {
    let (parent_thread, parent_run) = new.parent.clone().unzip();
    connection
        .prepare_cached(
            "INSERT INTO threads (principal, id, agent, parent_thread, parent_run, created, updated) \
             VALUES (?1, ?2, ?3, ?4, ?5, ?6, ?6)",
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

/// Begins a run after the last event of its thread.
fn insert(
    connection: &Connection,
    (thread, after): (i64, u64),
    before: &[u8],
    new: &NewRun,
    input: &SplitInput,
) -> Result<OpenRun> {
    let shared = input.messages.shared(before);
    let mut tail = Vec::new();
    for (position, text) in input.messages.texts.iter().enumerate().skip(shared) {
        let hash = input.messages.hash(position);
        let number = message_texts::text_number(connection, thread, hash, text)?;
        varint::push_number(&mut tail, number);
    }
    connection
        .prepare_cached(
            "INSERT INTO runs (thread, id, agent, status, after, started, input, shared, tail, asked, amended) \
             VALUES (?1, ?2, ?3, 0, ?4, ?5, ?6, ?7, ?8, ?9, \
             (SELECT coalesce(max(number), 0) FROM amendments WHERE thread = ?1))",
        )?
        .execute(params![
            thread,
            new.run.as_str(),
            new.agent,
            signed(after),
            new.started.0,
            input.frame.as_bytes(),
            shared,
            tail,
            input.asked
        ])?;
    let run = connection.last_insert_rowid();
    connection
        .prepare_cached("UPDATE threads SET updated = ?2, input_hashes = ?3 WHERE number = ?1")?
        .execute(params![thread, new.started.0, input.messages.hashes])?;
    Ok(OpenRun {
        thread: thread.unsigned_abs(),
        run: run.unsigned_abs(),
        after,
    })
}

/// Whether a run that is known has this input.
fn same_input(
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
    // The same value may be spelled in another way.
    let value = |frame: &str, messages: &HashedTexts| -> Result<json::Value> {
        let joined = message_texts::join_input(frame, &messages.texts)?;
        let damaged = |_| StoreError::corrupt("the input of a run");
        json::Value::parse(&String::from_utf8_lossy(&joined)).map_err(damaged)
    };
    let frame = String::from_utf8_lossy(&frame);
    Ok(value(&frame, &stored)? == value(&input.frame, &input.messages)?)
}

/// A run's input, put together again.
pub(super) fn input(connection: &Connection, thread: i64, number: i64) -> Result<Bytes> {
    let (frame, texts) = split_input(connection, thread, number)?;
    message_texts::join_input(&String::from_utf8_lossy(&frame), &texts)
}

/// A run's input without its messages, and its messages.
fn split_input(connection: &Connection, thread: i64, number: i64) -> Result<(Vec<u8>, Vec<Bytes>)> {
    // From this run back: each adds the messages that the runs after it share with it.
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
            frame = input;
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

/// The messages before a place, in order.
pub(super) fn messages(
    connection: &Connection,
    thread: i64,
    before: Option<u64>,
    limit: usize,
) -> Result<(u64, Vec<StoredMessage>)> {
    let mut statement = connection.prepare_cached(
        "SELECT m.position, m.id, m.role, t.json FROM messages m JOIN texts t ON t.number = m.text \
         WHERE m.thread = ?1 AND m.position < ?2 ORDER BY m.position DESC LIMIT ?3",
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

/// A run with its number.
pub(super) struct NumberedRun {
    pub(super) number: i64,
    pub(super) run: StoredRun,
}

/// A run of a thread by its id.
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

/// The run of a thread that began last.
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

/// The run of a thread that ended with an event, if it did. One that has said nothing has left nothing.
pub(super) fn ended_with(
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

/// The runs that nobody has ended.
pub(super) fn unfinished(connection: &Connection) -> Result<Vec<UnfinishedRun>> {
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
            status: status_of(row.get(2)?)?,
            after: row.get(3).map(unsigned)?,
            last: row.get::<_, Option<i64>>(4)?.map(unsigned),
            started: Timestamp(row.get(5)?),
            ended: row.get::<_, Option<i64>>(6)?.map(Timestamp),
            question: row.get(8)?,
        },
        number: row.get(7)?,
    })
}

/// The number that a status is stored as.
pub(super) fn word_of(status: RunStatus) -> i64 {
    match status {
        RunStatus::Open => 0,
        RunStatus::Finished => 1,
        RunStatus::Interrupted => 2,
        RunStatus::Cancelled => 3,
        RunStatus::Failed => 4,
    }
}

/// The status that a number stands for.
pub(super) fn status_of(number: i64) -> Result<RunStatus> {
    Ok(match number {
        0 => RunStatus::Open,
        1 => RunStatus::Finished,
        2 => RunStatus::Interrupted,
        3 => RunStatus::Cancelled,
        4 => RunStatus::Failed,
        other => return Err(StoreError::corrupt(format!("a run with status {other}"))),
    })
}

/// As SQLite keeps numbers.
pub(super) fn signed(number: u64) -> i64 {
    i64::try_from(number).unwrap_or(i64::MAX)
}
