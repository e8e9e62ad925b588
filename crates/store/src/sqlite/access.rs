//! Keys and the audit log in SQLite.

use rusqlite::{Connection, OptionalExtension, Row, params};

use super::SqliteStore;
use super::library_queue;
use super::principals;
use super::writer::JobKind;
use crate::access::{AccessStore, ApiKey, AuditEntry, KeyHash};
use crate::error::{Result, StoreError};
use crate::future::StoreFuture;
use crate::ids::{Principal, Timestamp};
use crate::paging::{Listing, PageRequest};

/// Largest number of entries that one call deletes.
const MAX_PRUNED: i64 = 10_000;

/// Selects keys, with the columns that [`api_key`] reads.
macro_rules! select_key {
    ($rest:literal) => {
        concat!(
            "SELECT k.id, p.id, k.name, k.scopes, k.created, k.expires, k.revoked, k.used \
             FROM keys k JOIN principals p ON p.number = k.principal ",
            $rest
        )
    };
}

impl AccessStore for SqliteStore {
    fn add_key(&self, key: ApiKey, hash: KeyHash) -> StoreFuture<()> {
        if let Err(invalid) = key.check() {
            return StoreFuture::ready(Err(invalid));
        }
        self.write(move |writing| {
            let principal = principals::find_or_insert(writing.connection, &key.principal, key.created)?;
            let added = writing
                .connection
                .prepare_cached(
                    "INSERT INTO keys (id, hash, principal, name, scopes, created, expires, revoked, used) \
                     VALUES (?1, ?2, ?3, ?4, ?5, ?6, ?7, ?8, ?9) ON CONFLICT DO NOTHING",
                )?
                .execute(params![
                    key.id,
                    hash.as_bytes(),
                    principal,
                    key.name,
                    key.scopes.join("\n"),
                    key.created.0,
                    key.expires.map(|at| at.0),
                    key.revoked.map(|at| at.0),
                    key.used.map(|at| at.0)
                ])?;
            if added == 0 {
                return Err(StoreError::Conflict {
                    what: "key",
                    id: key.id.clone(),
                });
            }
            set_key_required(writing.connection, true)
        })
    }

    fn key(&self, hash: KeyHash) -> StoreFuture<Option<ApiKey>> {
        self.read_inline(move |connection| {
            connection
                .prepare_cached(select_key!("WHERE k.hash = ?1"))?
                .query_and_then([hash.as_bytes()], api_key)?
                .next()
                .transpose()
        })
    }

    fn is_key_required(&self) -> StoreFuture<bool> {
        self.read_inline(|connection| {
            Ok(connection
                .prepare_cached("SELECT is_required FROM key_requirement")?
                .query_row([], |row| row.get(0))?)
        })
    }

    fn set_key_required(&self, is_required: bool) -> StoreFuture<()> {
        self.submit(JobKind::SINGLE_STATEMENT, move |writing| {
            set_key_required(writing.connection, is_required)
        })
    }

    fn keys(&self) -> StoreFuture<Vec<ApiKey>> {
        self.read(|connection| {
            connection
                .prepare_cached(select_key!("ORDER BY k.id"))?
                .query_and_then([], api_key)?
                .collect()
        })
    }

    fn revoke_key(&self, id: &str, at: Timestamp) -> StoreFuture<bool> {
        let id = id.to_owned();
        self.submit(JobKind::SINGLE_STATEMENT, move |writing| {
            let revoked = writing
                .connection
                .prepare_cached("UPDATE keys SET revoked = ?2 WHERE id = ?1 AND revoked IS NULL")?
                .execute(params![id, at.0])?;
            Ok(revoked > 0)
        })
    }

    fn record_key_use(&self, id: &str, at: Timestamp) -> StoreFuture<()> {
        let id = id.to_owned();
        self.submit(JobKind::SINGLE_STATEMENT, move |writing| {
            writing
                .connection
                .prepare_cached("UPDATE keys SET used = ?2 WHERE id = ?1")?
                .execute(params![id, at.0])?;
            Ok(())
        })
    }

    fn audit(&self, entry: AuditEntry) -> StoreFuture<()> {
        self.submit(JobKind::SINGLE_STATEMENT, move |writing| {
            writing
                .connection
                .prepare_cached(
                    "INSERT INTO audit (principal, key, action, target, request, at) \
                     VALUES (?1, ?2, ?3, ?4, ?5, ?6)",
                )?
                .execute(params![
                    entry.principal.as_str(),
                    entry.key,
                    entry.action,
                    entry.target,
                    entry.request,
                    entry.at.0
                ])?;
            Ok(())
        })
    }

    fn audit_entries(
        &self,
        principal: Option<&Principal>,
        page: &PageRequest,
    ) -> StoreFuture<Listing<AuditEntry>> {
        let (principal, page) = (principal.cloned(), page.clone());
        self.read(move |connection| {
            let limit = page.bounded_limit();
            let before = page.number()?.unwrap_or(i64::MAX);
            let sql = match principal {
                Some(_) => {
                    "SELECT number, principal, key, action, target, request, at FROM audit \
                     WHERE principal = ?1 AND number < ?2 ORDER BY number DESC LIMIT ?3"
                }
                None => {
                    "SELECT number, principal, key, action, target, request, at FROM audit \
                     WHERE ?1 IS NULL AND number < ?2 ORDER BY number DESC LIMIT ?3"
                }
            };
            let items: Vec<(i64, AuditEntry)> = connection
                .prepare_cached(sql)?
                .query_and_then(
                    params![principal.as_ref().map(Principal::as_str), before, limit + 1],
                    audit_entry,
                )?
                .collect::<Result<_>>()?;
            Ok(Listing::from_numbered(items, limit))
        })
    }

    fn prune_audit_log(&self, before: Timestamp, max: u64) -> StoreFuture<u64> {
        let max = i64::try_from(max).unwrap_or(i64::MAX);
        self.submit(JobKind::SINGLE_STATEMENT, move |writing| {
            // Only the oldest entries are ever deleted, so the numbers give the count. An entry with a time in
            // the future protects those after it until it is old itself.
            let (oldest, newest): (Option<i64>, Option<i64>) = writing
                .connection
                .prepare_cached("SELECT min(number), max(number) FROM audit")?
                .query_row([], |row| Ok((row.get(0)?, row.get(1)?)))?;
            let (Some(oldest), Some(newest)) = (oldest, newest) else {
                return Ok(0);
            };
            let kept: Option<i64> = writing
                .connection
                .prepare_cached("SELECT number FROM audit WHERE at >= ?1 ORDER BY number LIMIT 1")?
                .query_row([before.0], |row| row.get(0))
                .optional()?;
            let first = kept
                .unwrap_or(newest + 1)
                .max(newest.saturating_sub(max) + 1);
            let removed = writing
                .connection
                .prepare_cached("DELETE FROM audit WHERE number < ?1")?
                .execute([first.min(oldest + MAX_PRUNED)])?;
            Ok(removed as u64)
        })
    }

    fn delete_principal(&self, principal: &Principal) -> StoreFuture<bool> {
        let principal = principal.clone();
        self.write(move |writing| {
            writing.has_orphans = true;
            writing.has_erased = true;
            writing.last_sequences.clear();
            let number = principals::find(writing.connection, &principal)?;
            library_queue::enqueue_all_of(writing, &principal)?;
            // Everything else refers to the principal and is deleted by cascade.
            let deleted = writing
                .connection
                .prepare_cached("DELETE FROM principals WHERE number = ?1")?
                .execute([number])?;
            Ok(deleted > 0)
        })
    }
}

fn set_key_required(connection: &Connection, is_required: bool) -> Result<()> {
    connection
        .prepare_cached("UPDATE key_requirement SET is_required = ?1")?
        .execute([is_required])?;
    Ok(())
}

fn api_key(row: &Row<'_>) -> Result<ApiKey> {
    let time = |at: Option<i64>| at.map(Timestamp);
    Ok(ApiKey {
        id: row.get(0)?,
        principal: Principal::new(&row.get::<_, String>(1)?)?,
        name: row.get(2)?,
        scopes: row
            .get::<_, String>(3)?
            .lines()
            .map(str::to_owned)
            .collect(),
        created: Timestamp(row.get(4)?),
        expires: row.get(5).map(time)?,
        revoked: row.get(6).map(time)?,
        used: row.get(7).map(time)?,
    })
}

fn audit_entry(row: &Row<'_>) -> Result<(i64, AuditEntry)> {
    let entry = AuditEntry {
        principal: Principal::new(&row.get::<_, String>(1)?)?,
        key: row.get(2)?,
        action: row.get(3)?,
        target: row.get(4)?,
        request: row.get(5)?,
        at: Timestamp(row.get(6)?),
    };
    Ok((row.get(0)?, entry))
}
