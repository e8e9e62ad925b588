//! Connections, and the schema they find.

use std::path::{Path, PathBuf};
use std::sync::atomic::{AtomicU64, Ordering};
use std::time::Duration;

use rusqlite::config::DbConfig;
use rusqlite::{Connection, OpenFlags, TransactionBehavior};

use super::evidence_rows;
use crate::error::{Result, StoreError};

/// When a stored event is safe.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub enum Durability {
    /// When the process is killed.
    #[default]
    Process,
    /// When the power fails. Every commit waits for the disk.
    Full,
}

/// How connections are made.
pub(super) struct ConnectionSettings {
    pub(super) file: PathBuf,
    pub(super) durability: Durability,
    pub(super) busy: Duration,
    /// The size that the database may have, in bytes; 0 is without limit.
    pub(super) max_bytes: AtomicU64,
}

/// The steps from an empty file to the schema of today. One that was released never changes.
const MIGRATIONS: &[&str] = &[
    include_str!("schema/1.sql"),
    include_str!("schema/2.sql"),
    include_str!("schema/3.sql"),
    include_str!("schema/4.sql"),
    include_str!("schema/5.sql"),
    include_str!("schema/6.sql"),
    include_str!("schema/7.sql"),
    include_str!("schema/8.sql"),
    include_str!("schema/9.sql"),
    include_str!("schema/10.sql"),
    include_str!("schema/11.sql"),
    include_str!("schema/12.sql"),
];

/// The last schema with a row for each verification.
const BEFORE_EVIDENCE: u32 = 10;

/// Statements are prepared once. Without the guarantee, SQLite looks at the values that are bound while it
/// plans, and plans anew for each other value: that took a sixth of the time of a run with citations.
fn keep_statements(connection: &Connection) -> Result<()> {
    connection.set_prepared_statement_cache_capacity(256);
    connection.set_db_config(DbConfig::SQLITE_DBCONFIG_ENABLE_QPSG, true)?;
    Ok(())
}

impl ConnectionSettings {
    /// A connection that may write.
    pub(super) fn connect(&self) -> Result<Connection> {
        let connection = Connection::open_with_flags(
            &self.file,
            OpenFlags::SQLITE_OPEN_READ_WRITE
                | OpenFlags::SQLITE_OPEN_CREATE
                | OpenFlags::SQLITE_OPEN_NO_MUTEX,
        )?;
        connection.busy_timeout(self.busy)?;
        keep_statements(&connection)?;
        connection.pragma_update(None, "journal_mode", "WAL")?;
        connection.pragma_update(
            None,
            "synchronous",
            match self.durability {
                Durability::Process => "NORMAL",
                Durability::Full => "FULL",
            },
        )?;
        connection.pragma_update(None, "foreign_keys", true)?;
        connection.pragma_update(None, "temp_store", "MEMORY")?;
        connection.pragma_update(None, "cache_size", -2_048)?;
        connection.pragma_update(None, "wal_autocheckpoint", 16_000)?;
        connection.pragma_update(None, "journal_size_limit", 64 << 20)?;
        Ok(connection)
    }

    /// A connection that only reads.
    pub(super) fn connect_reader(&self) -> Result<Connection> {
        let connection = Connection::open_with_flags(
            &self.file,
            OpenFlags::SQLITE_OPEN_READ_WRITE | OpenFlags::SQLITE_OPEN_NO_MUTEX,
        )?;
        connection.busy_timeout(self.busy)?;
        keep_statements(&connection)?;
        connection.pragma_update(None, "query_only", true)?;
        connection.pragma_update(None, "temp_store", "MEMORY")?;
        connection.pragma_update(None, "cache_size", -512)?;
        Ok(connection)
    }

    /// Makes the limit of the size known to the connection that writes, unless it is what was made known last.
    pub(super) fn limit(&self, connection: &Connection, known: &mut Option<u64>) -> Result<()> {
        let max_bytes = self.max_bytes.load(Ordering::Relaxed);
        if *known == Some(max_bytes) {
            return Ok(());
        }
        let pages = match max_bytes {
            0 => u32::MAX - 1,
            bytes => u32::try_from(bytes / 4_096).unwrap_or(u32::MAX - 1).max(1),
        };
        connection.pragma_update(None, "max_page_count", pages)?;
        *known = Some(max_bytes);
        Ok(())
    }
}

/// Brings the schema up to date.
pub(super) fn migrate(connection: &mut Connection) -> Result<()> {
    let known = u32::try_from(MIGRATIONS.len()).unwrap_or(u32::MAX);
    if version(connection)? == known {
        return Ok(());
    }
    let transaction = connection.transaction_with_behavior(TransactionBehavior::Exclusive)?;
    // Asked again: another process may have been quicker.
    let found = version(&transaction)?;
    if found > known {
        return Err(StoreError::Newer { found, known });
    }
    for (before, step) in (found..).zip(&MIGRATIONS[found as usize..]) {
        transaction.execute_batch(step)?;
        if before == BEFORE_EVIDENCE {
            evidence_rows::take_over(&transaction)?;
        }
    }
    transaction.pragma_update(None, "user_version", known)?;
    transaction.commit()?;
    Ok(())
}

fn version(connection: &Connection) -> Result<u32> {
    Ok(connection.pragma_query_value(None, "user_version", |row| row.get(0))?)
}

/// Where the database is in a data directory.
pub(super) fn database_file(directory: &Path) -> PathBuf {
    directory.join("pincite.db")
}
