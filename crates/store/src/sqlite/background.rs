//! What is done in small steps after the one who asked has the answer, so that nobody waits for it.
//!
//! Chores are rows of the database, each step is a transaction of its own: a crash loses none.

use rusqlite::{Connection, OptionalExtension, params};

use super::due;
use super::log;
use super::writer::WriteContext;
use crate::error::Result;
use crate::ids::Timestamp;

/// How many messages become things in one step.
const MESSAGES_AT_ONCE: i64 = 64;

/// A chore.
#[derive(Debug, Clone, Copy)]
pub(super) enum BackgroundTask {
    /// The messages from one place up to another become things.
    Messages { from: i64, to: i64 },
    /// The events after one sequence up to another are put together in fewer rows.
    Log { after: i64, last: i64 },
}

/// Writes down a chore.
pub(super) fn add(
    writing: &mut WriteContext<'_>,
    thread: i64,
    chore: BackgroundTask,
) -> Result<()> {
    let (kind, start, stop) = match chore {
        BackgroundTask::Messages { from, to } => (0, from, to),
        BackgroundTask::Log { after, last } => (1, after, last),
    };
    writing
        .connection
        .prepare_cached("INSERT INTO chores (thread, kind, start, stop) VALUES (?1, ?2, ?3, ?4)")?
        .execute(params![thread, kind, start, stop])?;
    writing.chores = true;
    Ok(())
}

/// Does a step of the oldest chore. Says whether there was one.
pub(super) fn step(writing: &mut WriteContext<'_>) -> Result<bool> {
    let connection = writing.connection;
    let oldest: Option<[i64; 5]> = connection
        .prepare_cached(
            "SELECT number, thread, kind, start, stop FROM chores ORDER BY number LIMIT 1",
        )?
        .query_row([], |row| {
            Ok([
                row.get(0)?,
                row.get(1)?,
                row.get(2)?,
                row.get(3)?,
                row.get(4)?,
            ])
        })
        .optional()?;
    let Some([number, thread, kind, start, stop]) = oldest else {
        return Ok(false);
    };
    let next = match kind {
        0 => messages(writing, thread, start, stop)?,
        _ => log::merge(connection, thread, start, stop)?,
    };
    match next {
        Some(next) => connection
            .prepare_cached("UPDATE chores SET start = ?2 WHERE number = ?1")?
            .execute([number, next])?,
        None => connection
            .prepare_cached("DELETE FROM chores WHERE number = ?1")?
            .execute([number])?,
    };
    Ok(true)
}

fn messages(
    writing: &mut WriteContext<'_>,
    thread: i64,
    from: i64,
    to: i64,
) -> Result<Option<i64>> {
    let Some((run, at)) = last_ended(writing.connection, thread)? else {
        return Ok(None);
    };
    let until = to.min(from + MESSAGES_AT_ONCE);
    let found: Vec<(usize, String, String)> = writing
        .connection
        .prepare_cached(
            "SELECT position, id, role FROM messages \
             WHERE thread = ?1 AND position >= ?2 AND position < ?3 ORDER BY position",
        )?
        .query_map([thread, from, until], |row| {
            Ok((row.get(0)?, row.get(1)?, row.get(2)?))
        })?
        .collect::<rusqlite::Result<_>>()?;
    due::keep_messages(writing, run, Timestamp(at), found)?;
    Ok((until < to).then_some(until))
}

/// The run of a thread that ended last, and when.
fn last_ended(connection: &Connection, thread: i64) -> Result<Option<(i64, i64)>> {
    Ok(connection
        .prepare_cached(
            "SELECT number, ended FROM runs WHERE thread = ?1 AND ended IS NOT NULL \
             ORDER BY number DESC LIMIT 1",
        )?
        .query_row([thread], |row| Ok((row.get(0)?, row.get(1)?)))
        .optional()?)
}
