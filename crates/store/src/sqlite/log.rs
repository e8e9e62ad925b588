//! The log in SQLite.

use bytes::Bytes;
use rusqlite::{Connection, OptionalExtension, params};

use crate::error::{Result, StoreError};
use crate::log::{Chunk, Events};
use crate::names::Sequence;

/// Sequences within a thread; the upper half of a place is the thread's number.
const SEQUENCES: i64 = 1 << 32;

/// A page of events ends when it has this many bytes.
const PAGE_BYTES: usize = 4 << 20;

/// The sequence of the last event of a thread.
pub(super) fn last(connection: &Connection, thread: i64) -> Result<Sequence> {
    let last: Option<i64> = connection
        .prepare_cached("SELECT max(place) FROM log WHERE place > ?1 AND place < ?2")?
        .query_row(
            params![thread * SEQUENCES, (thread + 1) * SEQUENCES],
            |row| row.get(0),
        )?;
    Ok(last.map_or(0, |place| (place % SEQUENCES).unsigned_abs()))
}

/// Appends events to an open run, and gives the sequence of the first.
pub(super) fn append(
    connection: &Connection,
    thread: i64,
    run: i64,
    count: u32,
    events: &[u8],
) -> Result<Sequence> {
    let status: Option<i64> = connection
        .prepare_cached("SELECT status FROM runs WHERE number = ?1")?
        .query_row([run], |row| row.get(0))
        .optional()?;
    match status {
        None => return Err(StoreError::NotFound { what: "the run" }),
        Some(0) => {}
        Some(_) => return Err(StoreError::RunEnded),
    }
    let before = last(connection, thread)?;
    let after = before + u64::from(count);
    if after >= SEQUENCES.unsigned_abs() {
        return Err(StoreError::invalid("the event", "the thread's log is full"));
    }
    let place = thread * SEQUENCES + i64::try_from(after).unwrap_or(0);
    connection
        .prepare_cached("INSERT INTO log (place, count, events) VALUES (?1, ?2, ?3)")?
        .execute(params![place, count, events])?;
    Ok(before + 1)
}

/// The events after a sequence.
pub(super) fn events(
    connection: &Connection,
    thread: i64,
    after: Sequence,
    limit: usize,
) -> Result<Events> {
    let mut events = Events {
        chunks: Vec::new(),
        last: last(connection, thread)?,
    };
    if after >= events.last {
        return Ok(events);
    }
    let from = thread * SEQUENCES + i64::try_from(after).unwrap_or(0);
    let mut statement = connection.prepare_cached(
        "SELECT place, count, events FROM log WHERE place > ?1 AND place < ?2 ORDER BY place",
    )?;
    let mut rows = statement.query(params![from, (thread + 1) * SEQUENCES])?;
    let (mut left, mut size) = (limit.max(1), 0);
    while left > 0
        && size < PAGE_BYTES
        && let Some(row) = rows.next()?
    {
        let place = (row.get::<_, i64>(0)? % SEQUENCES).unsigned_abs();
        let blob = row.get_ref(2)?;
        let bytes = Bytes::copy_from_slice(blob.as_blob().unwrap_or_default());
        size += bytes.len();
        let chunk = Chunk::cut(bytes, row.get(1)?, place, after, left)
            .ok_or_else(|| StoreError::corrupt("a row of the log"))?;
        left -= chunk.len();
        events.chunks.push(chunk);
    }
    Ok(events)
}
