//! Records of conversations in SQLite.

use bytes::Bytes;
use rusqlite::{Connection, OptionalExtension, Row, params};

use super::SqliteStore;
use super::threads;
use crate::conversation_records::{ConversationRecord, ConversationStore};
use crate::error::Result;
use crate::future::StoreFuture;
use crate::ids::{Principal, ThreadId, Timestamp};
use crate::paging::{Listing, PageRequest};

impl ConversationStore for SqliteStore {
    fn insert_record(
        &self,
        principal: &Principal,
        thread: &ThreadId,
        record: ConversationRecord,
    ) -> StoreFuture<Option<ConversationRecord>> {
        if let Err(invalid) = record.check() {
            return StoreFuture::ready(Err(invalid));
        }
        let (principal, thread) = (principal.clone(), thread.clone());
        self.write(move |writing| {
            let thread = threads::number(writing.connection, &principal, &thread)?;
            let existing = find(writing.connection, thread, &record.kind, &record.id)?;
            if existing.is_none() {
                put(writing.connection, thread, &record)?;
            }
            Ok(existing)
        })
    }

    fn put_record(
        &self,
        principal: &Principal,
        thread: &ThreadId,
        record: ConversationRecord,
    ) -> StoreFuture<()> {
        if let Err(invalid) = record.check() {
            return StoreFuture::ready(Err(invalid));
        }
        let (principal, thread) = (principal.clone(), thread.clone());
        self.write(move |writing| {
            let thread = threads::number(writing.connection, &principal, &thread)?;
            put(writing.connection, thread, &record)
        })
    }

    fn record(
        &self,
        principal: &Principal,
        thread: &ThreadId,
        kind: &str,
        id: &str,
    ) -> StoreFuture<Option<ConversationRecord>> {
        let (kind, id) = (kind.to_owned(), id.to_owned());
        self.read_thread(principal, thread, move |connection, thread| {
            find(connection, thread, &kind, &id)
        })
    }

    fn records(
        &self,
        principal: &Principal,
        thread: &ThreadId,
        kind: &str,
        page: &PageRequest,
    ) -> StoreFuture<Listing<ConversationRecord>> {
        let (kind, page) = (kind.to_owned(), page.clone());
        self.read_thread(principal, thread, move |connection, thread| {
            let after = page.number()?.unwrap_or(0);
            let limit = page.bounded_limit();
            let items = connection
                .prepare_cached(
                    "SELECT kind, id, json, created, updated, number FROM conversation_records \
                     WHERE thread = ?1 AND kind = ?2 AND number > ?3 ORDER BY number LIMIT ?4",
                )?
                .query_and_then(params![thread, kind, after, limit + 1], |row| {
                    Ok((row.get(5)?, record(row)?))
                })?
                .collect::<Result<_>>()?;
            Ok(Listing::from_numbered(items, limit))
        })
    }

    fn delete_record(
        &self,
        principal: &Principal,
        thread: &ThreadId,
        kind: &str,
        id: &str,
    ) -> StoreFuture<bool> {
        let (principal, thread) = (principal.clone(), thread.clone());
        let (kind, id) = (kind.to_owned(), id.to_owned());
        self.write(move |writing| {
            let thread = threads::number(writing.connection, &principal, &thread)?;
            let deleted = writing
                .connection
                .prepare_cached(
                    "DELETE FROM conversation_records WHERE thread = ?1 AND kind = ?2 AND id = ?3",
                )?
                .execute(params![thread, kind, id])?;
            Ok(deleted > 0)
        })
    }
}

fn put(connection: &Connection, thread: i64, record: &ConversationRecord) -> Result<()> {
    connection
        .prepare_cached(
            "INSERT INTO conversation_records (thread, kind, id, json, created, updated) \
             VALUES (?1, ?2, ?3, ?4, ?5, ?6) ON CONFLICT (thread, kind, id) \
             DO UPDATE SET json = excluded.json, updated = excluded.updated",
        )?
        .execute(params![
            thread,
            record.kind,
            record.id,
            &record.json[..],
            record.created.0,
            record.updated.0
        ])?;
    Ok(())
}

fn find(
    connection: &Connection,
    thread: i64,
    kind: &str,
    id: &str,
) -> Result<Option<ConversationRecord>> {
    let found = connection
        .prepare_cached(
            "SELECT kind, id, json, created, updated FROM conversation_records \
             WHERE thread = ?1 AND kind = ?2 AND id = ?3",
        )?
        .query_row(params![thread, kind, id], |row| Ok(record(row)))
        .optional()?;
    found.transpose()
}

fn record(row: &Row<'_>) -> Result<ConversationRecord> {
    let json: Vec<u8> = row.get(2)?;
    Ok(ConversationRecord {
        kind: row.get(0)?,
        id: row.get(1)?,
        json: Bytes::from(json),
        created: Timestamp(row.get(3)?),
        updated: Timestamp(row.get(4)?),
    })
}
