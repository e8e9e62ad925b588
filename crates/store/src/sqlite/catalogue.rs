//! Catalogues in SQLite.

use bytes::Bytes;
use rusqlite::{Connection, OptionalExtension, Row, params};

use super::SqliteStore;
use super::principals;
use crate::catalogue::{CatalogueRecord, CatalogueStore, CatalogueWrite};
use crate::error::Result;
use crate::future::StoreFuture;
use crate::ids::{Principal, Timestamp};

impl CatalogueStore for SqliteStore {
    fn put_catalogue(
        &self,
        principal: &Principal,
        writes: Vec<CatalogueWrite>,
        at: Timestamp,
    ) -> StoreFuture<usize> {
        if let Some(invalid) = writes.iter().find_map(|write| write.check().err()) {
            return StoreFuture::ready(Err(invalid));
        }
        let principal = principal.clone();
        self.write(move |writing| {
            let owner = principals::find_or_insert(writing.connection, &principal, at)?;
            // All versions are checked before anything is written, because jobs share a transaction.
            let mut changed = Vec::with_capacity(writes.len());
            for write in &writes {
                let current = find(writing.connection, owner, &write.kind, &write.id)?;
                let version = current
                    .as_ref()
                    .filter(|(_, json)| !json.is_empty())
                    .map(|(version, _)| *version);
                write.check_version(version)?;
                let is_same = match &current {
                    Some((_, json)) => json[..] == write.json[..],
                    None => write.json.is_empty(),
                };
                changed.push(!is_same);
            }
            let written = writes
                .iter()
                .zip(&changed)
                .filter(|(_, is_changed)| **is_changed);
            let mut count = 0;
            for (write, _) in written {
                put(writing.connection, owner, write, at)?;
                count += 1;
            }
            Ok(count)
        })
    }

    fn catalogue_records(
        &self,
        principal: &Principal,
        kind: &str,
        ids: Vec<String>,
    ) -> StoreFuture<Vec<CatalogueRecord>> {
        let (principal, kind) = (principal.clone(), kind.to_owned());
        self.read(move |connection| {
            let Some(owner) = principals::find(connection, &principal)? else {
                return Ok(Vec::new());
            };
            let mut statement = connection.prepare_cached(
                "SELECT kind, id, version, revision, json, updated FROM catalogue_records \
                 WHERE principal = ?1 AND kind = ?2 AND id = ?3 AND length(json) > 0",
            )?;
            let mut records = Vec::with_capacity(ids.len());
            for id in &ids {
                records.extend(
                    statement
                        .query_row(params![owner, kind, id], record)
                        .optional()?,
                );
            }
            Ok(records)
        })
    }

    fn catalogue_changes(
        &self,
        principal: &Principal,
        kind: &str,
        after: u64,
        limit: usize,
    ) -> StoreFuture<Vec<CatalogueRecord>> {
        let (principal, kind) = (principal.clone(), kind.to_owned());
        self.read(move |connection| {
            let Some(owner) = principals::find(connection, &principal)? else {
                return Ok(Vec::new());
            };
            let records = connection
                .prepare_cached(
                    "SELECT kind, id, version, revision, json, updated FROM catalogue_records \
                     WHERE principal = ?1 AND kind = ?2 AND revision > ?3 ORDER BY revision LIMIT ?4",
                )?
                .query_map(params![owner, kind, after, limit], record)?
                .collect::<std::result::Result<_, _>>()?;
            Ok(records)
        })
    }
}

fn find(
    connection: &Connection,
    owner: i64,
    kind: &str,
    id: &str,
) -> Result<Option<(u64, Vec<u8>)>> {
    Ok(connection
        .prepare_cached("SELECT version, json FROM catalogue_records WHERE principal = ?1 AND kind = ?2 AND id = ?3")?
        .query_row(params![owner, kind, id], |row| Ok((row.get(0)?, row.get(1)?)))
        .optional()?)
}

/// Stores a record. Replacing gives it a new revision.
fn put(connection: &Connection, owner: i64, write: &CatalogueWrite, at: Timestamp) -> Result<()> {
    connection
        .prepare_cached(
            "INSERT OR REPLACE INTO catalogue_records (principal, kind, id, version, json, updated) \
             VALUES (?1, ?2, ?3, ?4, ?5, ?6)",
        )?
        .execute(params![owner, write.kind, write.id, write.version, &write.json[..], at.0])?;
    Ok(())
}

fn record(row: &Row<'_>) -> rusqlite::Result<CatalogueRecord> {
    let json: Vec<u8> = row.get(4)?;
    Ok(CatalogueRecord {
        kind: row.get(0)?,
        id: row.get(1)?,
        version: row.get(2)?,
        revision: row.get(3)?,
        json: Bytes::from(json),
        updated: Timestamp(row.get(5)?),
    })
}
