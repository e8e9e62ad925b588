//! The log in SQLite.

use std::borrow::Cow;
use std::collections::HashMap;

use bytes::Bytes;
use rusqlite::{Connection, OptionalExtension, Row, params};

use super::compression::{CompressedRow, unpacked};
use super::evidence_rows::PackedEvidence;
use super::runs::signed;
use super::writer::WriteContext;
use crate::error::{Result, StoreError};
use crate::ids::Sequence;
use crate::log::{CheckedBatch, LogPage, StoredEvents};
use crate::threads::OpenRun;

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

/// What the writer remembers of open runs: the sequence of the last event of their thread. It is true as long
/// as nobody else writes and no run is begun, ended or deleted.
pub(super) type Tails = HashMap<i64, Sequence>;

/// What is appended to a run, in the form it is stored in.
pub(super) struct AppendedRows {
    count: u32,
    events: CompressedRow,
    evidence: Vec<PackedEvidence>,
}

impl AppendedRows {
    pub(super) fn new(checked: CheckedBatch) -> Self {
        Self {
            count: checked.count,
            events: CompressedRow::new(checked.bytes),
            evidence: PackedEvidence::rows(&checked.verifications),
        }
    }
}

/// Appends to an open run, and gives the sequence of the first event. It refuses before it changes anything.
pub(super) fn append(
    writing: &mut WriteContext<'_>,
    run: OpenRun,
    appended: &AppendedRows,
) -> Result<Sequence> {
    let (thread, run) = (signed(run.thread), signed(run.run));
    let connection = writing.connection;
    let before = match writing.tails.get(&run) {
        Some(last) => *last,
        None => open_tail(connection, thread, run)?,
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
    for kept in evidence {
        kept.insert_in(connection, thread)?;
        writing.due = writing.due.max(1);
    }
    if *count > 0 {
        let place = thread * SEQUENCES + i64::try_from(after).unwrap_or(0);
        insert(connection, place, *count, events)?;
    }
    writing.tails.insert(run, after);
    Ok(before + 1)
}

fn insert(connection: &Connection, place: i64, count: u32, events: &CompressedRow) -> Result<()> {
    connection
        .prepare_cached("INSERT INTO log (place, count, events, packed) VALUES (?1, ?2, ?3, ?4)")?
        .execute(params![place, count, events.bytes, events.size])?;
    Ok(())
}

/// The last sequence of an open run's thread.
fn open_tail(connection: &Connection, thread: i64, run: i64) -> Result<Sequence> {
    let status: Option<i64> = connection
        .prepare_cached("SELECT status FROM runs WHERE number = ?1 AND thread = ?2")?
        .query_row([run, thread], |row| row.get(0))
        .optional()?;
    match status {
        None => Err(StoreError::NotFound { what: "the run" }),
        Some(0) => last(connection, thread),
        Some(_) => Err(StoreError::RunEnded),
    }
}

/// So few rows are left as they are, and rows that are so large on average.
const FEW_ROWS: i64 = 8;
const LARGE_ROW: i64 = 8 << 10;

/// Whether the events after a sequence are in many small rows.
pub(super) fn is_scattered(connection: &Connection, thread: i64, after: Sequence) -> Result<bool> {
    let base = thread * SEQUENCES;
    let from = base + i64::try_from(after).unwrap_or(0);
    let (rows, bytes): (i64, i64) = connection
        .prepare_cached(
            "SELECT count(*), coalesce(sum(coalesce(packed, length(events))), 0) FROM log WHERE place > ?1 AND place < ?2",
        )?
        .query_row([from, base + SEQUENCES], |row| Ok((row.get(0)?, row.get(1)?)))?;
    Ok(rows > FEW_ROWS && bytes < rows * LARGE_ROW)
}

/// How many rows are put together in one step, and how large the rows become.
const MERGED_AT_ONCE: i64 = 1_000;
const MERGED_BYTES: usize = 64 << 10;

/// Puts events after a sequence together in fewer rows, as many as one step may take. Gives the sequence to
/// go on after, if there is more. Events and their sequences stay what they are.
pub(super) fn merge(
    connection: &Connection,
    thread: i64,
    after: i64,
    stop: i64,
) -> Result<Option<i64>> {
    let base = thread * SEQUENCES;
    let mut rows = connection.prepare_cached(
        "SELECT place, count, events, packed FROM log WHERE place > ?1 AND place <= ?2 \
         ORDER BY place LIMIT ?3",
    )?;
    let rows: Vec<(i64, u32, Vec<u8>)> = rows
        .query_and_then(params![base + after, base + stop, MERGED_AT_ONCE], |row| {
            let events = events_of(row, 2)?.into_owned();
            Ok((row.get(0)?, row.get(1)?, events))
        })?
        .collect::<Result<_>>()?;
    let next = rows.last().map(|(place, ..)| place - base);
    let mut together: Option<MergedRow> = None;
    for (place, count, events) in rows {
        if let Some(full) = together.take_if(|it| it.events.len() + events.len() > MERGED_BYTES) {
            full.store(connection)?;
        }
        match &mut together {
            Some(together) => together.add(place, count, &events),
            None => together = Some(MergedRow::new(place, count, events)),
        }
    }
    if let Some(rest) = together {
        rest.store(connection)?;
    }
    Ok(next.filter(|next| *next < stop))
}

/// Rows that become one.
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
        // Each event carries its length, so batches one behind the other are a batch.
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

/// The events of a row; whether they are packed is in the next column.
fn events_of<'r>(row: &'r Row<'_>, column: usize) -> Result<Cow<'r, [u8]>> {
    let bytes = row.get_ref(column)?.as_blob().unwrap_or_default();
    unpacked(bytes, row.get(column + 1)?)
}

/// The events after a sequence.
pub(super) fn events(
    connection: &Connection,
    thread: i64,
    after: Sequence,
    limit: usize,
) -> Result<LogPage> {
    let mut events = LogPage {
        chunks: Vec::new(),
        last: last(connection, thread)?,
    };
    if after >= events.last {
        return Ok(events);
    }
    let from = thread * SEQUENCES + i64::try_from(after).unwrap_or(0);
    let mut statement = connection.prepare_cached(
        "SELECT place, count, events, packed FROM log WHERE place > ?1 AND place < ?2 ORDER BY place",
    )?;
    let mut rows = statement.query(params![from, (thread + 1) * SEQUENCES])?;
    let (mut left, mut size) = (limit.max(1), 0);
    while left > 0
        && size < PAGE_BYTES
        && let Some(row) = rows.next()?
    {
        let place = (row.get::<_, i64>(0)? % SEQUENCES).unsigned_abs();
        let bytes = Bytes::from(events_of(row, 2)?.into_owned());
        size += bytes.len();
        let chunk = StoredEvents::cut(bytes, row.get(1)?, place, after, left)
            .ok_or_else(|| StoreError::corrupt("a row of the log"))?;
        left -= chunk.len();
        events.chunks.push(chunk);
    }
    Ok(events)
}
