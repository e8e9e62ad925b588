//! The log of events in SQLite.

use std::borrow::Cow;
use std::collections::HashMap;

use bytes::Bytes;
use rusqlite::{Connection, OptionalExtension, Row, params};

use super::chunked_row::{ChunkedRow, LARGE_EVENT, read_chunks};
use super::compression::{CompressedRow, decompress};
use super::evidence_rows::PackedEvidence;
use super::runs::signed;
use super::writer::WriteContext;
use crate::error::{Result, StoreError};
use crate::ids::Sequence;
use crate::log::{CheckedBatch, LogPage, StoredEvents};
use crate::threads::OpenRun;

/// Number of sequences per thread: a row's key is the thread's number times this, plus a sequence.
const SEQUENCES: i64 = 1 << 32;

/// Size in bytes at which a page of events ends.
const PAGE_BYTES: usize = 4 << 20;

/// Returns the sequence of the last event of a thread.
pub(super) fn last_sequence(connection: &Connection, thread: i64) -> Result<Sequence> {
    let last: Option<i64> = connection
        .prepare_cached("SELECT max(place) FROM log WHERE place > ?1 AND place < ?2")?
        .query_row(
            params![thread * SEQUENCES, (thread + 1) * SEQUENCES],
            |row| row.get(0),
        )?;
    Ok(last.map_or(0, |place| (place % SEQUENCES).unsigned_abs()))
}

/// Cache of the writer: for each open run the sequence of the last event of its thread. It is cleared when
/// another connection has written, or a thread is deleted.
pub(super) type LastSequences = HashMap<i64, Sequence>;

/// Batch in the form in which it is stored.
pub(super) struct AppendedRows {
    count: u32,
    events: LogRow,
    evidence: Vec<PackedEvidence>,
}

/// Events of a row in one of the two forms in which they are stored.
enum LogRow {
    Whole(CompressedRow),
    /// Row with a large event, such as a snapshot.
    Chunked(ChunkedRow),
}

impl AppendedRows {
    pub(super) fn new(checked: CheckedBatch) -> Self {
        Self {
            count: checked.count,
            events: match checked.longest >= LARGE_EVENT {
                true => LogRow::Chunked(ChunkedRow::new(&checked.bytes)),
                false => LogRow::Whole(CompressedRow::new(checked.bytes)),
            },
            evidence: PackedEvidence::rows(&checked.verifications),
        }
    }
}

/// Appends to an open run. Returns the sequence of the first event. All checks come before the first change.
pub(super) fn append(
    writing: &mut WriteContext<'_>,
    run: OpenRun,
    appended: &AppendedRows,
) -> Result<Sequence> {
    let (thread, run) = (signed(run.thread), signed(run.run));
    let connection = writing.connection;
    let before = match writing.last_sequences.get(&run) {
        Some(last) => *last,
        None => last_of_open_run(connection, thread, run)?,
    };
    let AppendedRows {
        count,
        events,
        evidence,
    } = appended;
    let after = before + u64::from(*count);
    if after >= SEQUENCES.unsigned_abs() {
        return Err(StoreError::invalid("the event", "the thread's log is full"));
    }
    for row in evidence {
        row.insert_in_thread(writing, thread)?;
    }
    if *count > 0 {
        let place = thread * SEQUENCES + i64::try_from(after).unwrap_or(0);
        match events {
            LogRow::Whole(row) => insert(connection, place, *count, row)?,
            LogRow::Chunked(row) => insert_chunked(connection, place, *count, row)?,
        }
    }
    writing.last_sequences.insert(run, after);
    Ok(before + 1)
}

fn insert(connection: &Connection, place: i64, count: u32, events: &CompressedRow) -> Result<()> {
    connection
        .prepare_cached(
            "INSERT INTO log (place, count, events, uncompressed) VALUES (?1, ?2, ?3, ?4)",
        )?
        .execute(params![place, count, events.bytes, events.uncompressed])?;
    Ok(())
}

/// Stores a row as references to its chunks. A negative size marks it.
fn insert_chunked(connection: &Connection, place: i64, count: u32, row: &ChunkedRow) -> Result<()> {
    let numbers = row.store(connection, place / SEQUENCES)?;
    connection
        .prepare_cached(
            "INSERT INTO log (place, count, events, uncompressed) VALUES (?1, ?2, ?3, -?4)",
        )?
        .execute(params![place, count, numbers, row.size])?;
    Ok(())
}

/// Returns the last sequence of an open run's thread.
fn last_of_open_run(connection: &Connection, thread: i64, run: i64) -> Result<Sequence> {
    let status: Option<i64> = connection
        .prepare_cached("SELECT status FROM runs WHERE number = ?1 AND thread = ?2")?
        .query_row([run, thread], |row| row.get(0))
        .optional()?;
    match status {
        None => Err(StoreError::NotFound { what: "the run" }),
        Some(0) => last_sequence(connection, thread),
        Some(_) => Err(StoreError::RunEnded),
    }
}

/// Largest number of rows that are not merged.
const MAX_UNMERGED_ROWS: i64 = 8;
/// Average size in bytes from which rows are not merged.
const LARGE_ROW: i64 = 8 << 10;

/// Returns true if the events after a sequence are in many small rows.
pub(super) fn is_scattered(connection: &Connection, thread: i64, after: Sequence) -> Result<bool> {
    let base = thread * SEQUENCES;
    let from = base + i64::try_from(after).unwrap_or(0);
    let (rows, bytes): (i64, i64) = connection
        .prepare_cached(
            "SELECT count(*), coalesce(sum(coalesce(abs(uncompressed), length(events))), 0) FROM log WHERE place > ?1 AND place < ?2",
        )?
        .query_row([from, base + SEQUENCES], |row| Ok((row.get(0)?, row.get(1)?)))?;
    Ok(rows > MAX_UNMERGED_ROWS && bytes < rows * LARGE_ROW)
}

/// Number of rows that one step merges.
const MERGED_ROWS: i64 = 1_000;
/// Size in bytes of merged rows.
const MERGED_BYTES: usize = 64 << 10;

/// Merges the rows after a sequence into fewer, as many as one step may take. Returns the sequence to continue
/// from, or `None` at the end. Events and their sequences do not change.
pub(super) fn merge_rows(
    connection: &Connection,
    thread: i64,
    after: i64,
    stop: i64,
) -> Result<Option<i64>> {
    let base = thread * SEQUENCES;
    let mut rows = connection.prepare_cached(
        "SELECT place, count, events, uncompressed FROM log WHERE place > ?1 AND place <= ?2 \
         ORDER BY place LIMIT ?3",
    )?;
    let rows: Vec<(i64, u32, Option<Vec<u8>>)> = rows
        .query_and_then(params![base + after, base + stop, MERGED_ROWS], |row| {
            let events = match is_chunked(row, 2)? {
                true => None,
                false => Some(events_of(connection, row, 2)?.into_owned()),
            };
            Ok((row.get(0)?, row.get(1)?, events))
        })?
        .collect::<Result<_>>()?;
    let next = rows.last().map(|(place, ..)| place - base);
    let mut merged: Option<MergedRow> = None;
    for (place, count, events) in rows {
        let Some(events) = events else {
            // A row of references stays as it is.
            if let Some(before) = merged.take() {
                before.store(connection)?;
            }
            continue;
        };
        if let Some(full) = merged.take_if(|row| row.events.len() + events.len() > MERGED_BYTES) {
            full.store(connection)?;
        }
        match &mut merged {
            Some(merged) => merged.add(place, count, &events),
            None => merged = Some(MergedRow::new(place, count, events)),
        }
    }
    if let Some(rest) = merged {
        rest.store(connection)?;
    }
    Ok(next.filter(|next| *next < stop))
}

/// Rows that are merged into one.
struct MergedRow {
    first: i64,
    last: i64,
    rows: u32,
    count: u32,
    events: Vec<u8>,
}

impl MergedRow {
    fn new(place: i64, count: u32, events: Vec<u8>) -> Self {
        Self {
            first: place,
            last: place,
            rows: 1,
            count,
            events,
        }
    }

    fn add(&mut self, place: i64, count: u32, events: &[u8]) {
        self.last = place;
        self.rows += 1;
        self.count += count;
        // Each event follows its length, so the concatenation of batches is a batch.
        self.events.extend_from_slice(events);
    }

    fn store(self, connection: &Connection) -> Result<()> {
        if self.rows == 1 {
            return Ok(());
        }
        connection
            .prepare_cached("DELETE FROM log WHERE place BETWEEN ?1 AND ?2")?
            .execute([self.first, self.last])?;
        insert(
            connection,
            self.last,
            self.count,
            &CompressedRow::new(self.events),
        )
    }
}

/// Reads the events of a row. The size before compression is in the next column.
fn events_of<'r>(
    connection: &Connection,
    row: &'r Row<'_>,
    column: usize,
) -> Result<Cow<'r, [u8]>> {
    let bytes = row.get_ref(column)?.as_blob().unwrap_or_default();
    let size: Option<i64> = row.get(column + 1)?;
    if size.is_some_and(|size| size < 0) {
        let size = usize::try_from(size.unwrap_or_default().unsigned_abs()).unwrap_or(usize::MAX);
        return read_chunks(connection, bytes, size).map(Cow::Owned);
    }
    decompress(bytes, row.get(column + 1)?)
}

/// Returns true if a row holds references to chunks.
fn is_chunked(row: &Row<'_>, column: usize) -> Result<bool> {
    let size: Option<i64> = row.get(column + 1)?;
    Ok(size.is_some_and(|size| size < 0))
}

/// Reads the events after a sequence.
pub(super) fn events(
    connection: &Connection,
    thread: i64,
    after: Sequence,
    limit: usize,
) -> Result<LogPage> {
    let mut events = LogPage {
        chunks: Vec::new(),
        last: last_sequence(connection, thread)?,
    };
    if after >= events.last {
        return Ok(events);
    }
    let from = thread * SEQUENCES + i64::try_from(after).unwrap_or(0);
    let mut statement = connection.prepare_cached(
        "SELECT place, count, events, uncompressed FROM log WHERE place > ?1 AND place < ?2 ORDER BY place",
    )?;
    let mut rows = statement.query(params![from, (thread + 1) * SEQUENCES])?;
    let (mut remaining, mut size) = (limit.max(1), 0);
    while remaining > 0
        && size < PAGE_BYTES
        && let Some(row) = rows.next()?
    {
        let place = (row.get::<_, i64>(0)? % SEQUENCES).unsigned_abs();
        let bytes = Bytes::from(events_of(connection, row, 2)?.into_owned());
        size += bytes.len();
        let chunk = StoredEvents::cut(bytes, row.get(1)?, place, after, remaining)
            .ok_or_else(|| StoreError::corrupt("a row of the log"))?;
        remaining -= chunk.len();
        events.chunks.push(chunk);
    }
    Ok(events)
}
