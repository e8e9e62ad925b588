//! Background work: done in small steps between transactions, so that no caller waits for it.
//!
//! Work that is left is stored in the database and each step is a transaction, so a crash loses none.

use rusqlite::{OptionalExtension, params};

use super::evidence_rows;
use super::log;
use super::writer::WriteContext;
use crate::error::Result;

/// Schedules the rows of the log after `after`, up to `last`, to be merged.
pub(super) fn schedule_log_merge(
    writing: &mut WriteContext<'_>,
    thread: i64,
    after: i64,
    last: i64,
) -> Result<()> {
    writing
        .connection
        .prepare_cached("INSERT INTO log_merges (thread, after, last) VALUES (?1, ?2, ?3)")?
        .execute(params![thread, after, last])?;
    writing.has_background_work = true;
    Ok(())
}

/// Runs one step. Returns true if there may be more to do.
pub(super) fn run_step(writing: &mut WriteContext<'_>) -> Result<bool> {
    if evidence_rows::index_names(writing.connection)? {
        return Ok(true);
    }
    merge_log_rows(writing)
}

/// Merges some rows of the oldest scheduled range.
fn merge_log_rows(writing: &mut WriteContext<'_>) -> Result<bool> {
    let connection = writing.connection;
    let oldest: Option<[i64; 4]> = connection
        .prepare_cached(
            "SELECT number, thread, after, last FROM log_merges ORDER BY number LIMIT 1",
        )?
        .query_row([], |row| {
            Ok([row.get(0)?, row.get(1)?, row.get(2)?, row.get(3)?])
        })
        .optional()?;
    let Some([number, thread, after, last]) = oldest else {
        return Ok(false);
    };
    match log::merge_rows(connection, thread, after, last)? {
        Some(next) => connection
            .prepare_cached("UPDATE log_merges SET after = ?2 WHERE number = ?1")?
            .execute([number, next])?,
        None => connection
            .prepare_cached("DELETE FROM log_merges WHERE number = ?1")?
            .execute([number])?,
    };
    Ok(true)
}
