//! Upstream agents in SQLite.

use rusqlite::{Row, params};

use super::SqliteStore;
use super::writer::JobKind;
use crate::error::Result;
use crate::future::StoreFuture;
use crate::ids::Timestamp;
use crate::upstreams::{StoredUpstream, UpstreamStore};

impl UpstreamStore for SqliteStore {
    fn upstreams(&self) -> StoreFuture<Vec<StoredUpstream>> {
        self.read(|connection| {
            connection
                .prepare_cached("SELECT name, settings, created FROM upstreams ORDER BY name")?
                .query_and_then([], upstream)?
                .collect()
        })
    }

    fn store_upstream(&self, upstream: StoredUpstream) -> StoreFuture<()> {
        if let Err(invalid) = upstream.check() {
            return StoreFuture::ready(Err(invalid));
        }
        self.submit(JobKind::SINGLE_STATEMENT, move |writing| {
            writing
                .connection
                .prepare_cached(
                    "INSERT INTO upstreams (name, settings, created) VALUES (?1, ?2, ?3) \
                     ON CONFLICT (name) DO UPDATE SET settings = ?2, created = ?3",
                )?
                .execute(params![
                    upstream.name,
                    upstream.settings.as_ref(),
                    upstream.created.0
                ])?;
            Ok(())
        })
    }

    fn delete_upstream(&self, name: &str) -> StoreFuture<bool> {
        let name = name.to_owned();
        self.submit(JobKind::SINGLE_STATEMENT, move |writing| {
            let deleted = writing
                .connection
                .prepare_cached("DELETE FROM upstreams WHERE name = ?1")?
                .execute([&name])?;
            Ok(deleted > 0)
        })
    }
}

fn upstream(row: &Row<'_>) -> Result<StoredUpstream> {
    let settings: Vec<u8> = row.get(1)?;
    Ok(StoredUpstream {
        name: row.get(0)?,
        settings: settings.into(),
        created: Timestamp(row.get(2)?),
    })
}
