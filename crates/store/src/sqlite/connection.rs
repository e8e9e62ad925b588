//! Connections to the database, and its schema.

use std::path::{Path, PathBuf};
use std::sync::atomic::{AtomicU64, Ordering};
use std::time::Duration;

use rusqlite::config::DbConfig;
use rusqlite::{Connection, OpenFlags, TransactionBehavior};

use crate::error::{Result, StoreError};

/// Failure that stored data survives.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub enum Durability {
    /// A crash of the process.
    #[default]
    Process,
    /// A power failure. Every commit waits for the disk.
    Full,
}

/// Settings of all connections.
pub(super) struct ConnectionSettings {
    pub(super) file: PathBuf,
    pub(super) durability: Durability,
    /// Time to wait for a lock of another program.
    pub(super) busy_timeout: Duration,
    /// Largest size of the database in bytes; 0 for no limit.
    pub(super) max_bytes: AtomicU64,
}

/// Version of the schema, stored as `user_version`. Every change of the schema raises it.
const SCHEMA_VERSION: u32 = 18;
const SCHEMA: &str = include_str!("schema.sql");

/// Caches prepared statements. Without the stability guarantee (QPSG) SQLite plans again for other bound values,
/// which took a sixth of the time of a run with citations.
fn cache_statements(connection: &Connection) -> Result<()> {
    connection.set_prepared_statement_cache_capacity(256);
    connection.set_db_config(DbConfig::SQLITE_DBCONFIG_ENABLE_QPSG, true)?;
    Ok(())
}

impl ConnectionSettings {
    /// Opens a connection that may write.
    pub(super) fn connect(&self) -> Result<Connection> {
        let connection = Connection::open_with_flags(
            &self.file,
            OpenFlags::SQLITE_OPEN_READ_WRITE
                | OpenFlags::SQLITE_OPEN_CREATE
                | OpenFlags::SQLITE_OPEN_NO_MUTEX,
        )?;
        connection.busy_timeout(self.busy_timeout)?;
        cache_statements(&connection)?;
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
        // Deleted content is overwritten with zeros, so that nothing of it is left in free pages.
        connection.pragma_update(None, "secure_delete", true)?;
        connection.pragma_update(None, "temp_store", "MEMORY")?;
        connection.pragma_update(None, "cache_size", -2_048)?;
        connection.pragma_update(None, "wal_autocheckpoint", 16_000)?;
        connection.pragma_update(None, "journal_size_limit", 64 << 20)?;
        Ok(connection)
    }

    /// Opens a connection that only reads.
    pub(super) fn connect_reader(&self) -> Result<Connection> {
        let connection = Connection::open_with_flags(
            &self.file,
            OpenFlags::SQLITE_OPEN_READ_WRITE | OpenFlags::SQLITE_OPEN_NO_MUTEX,
        )?;
        connection.busy_timeout(self.busy_timeout)?;
        cache_statements(&connection)?;
        connection.pragma_update(None, "query_only", true)?;
        connection.pragma_update(None, "temp_store", "MEMORY")?;
        connection.pragma_update(None, "cache_size", -512)?;
        Ok(connection)
    }

    /// Applies the size limit to the writing connection, unless `applied` shows that it has it already.
    pub(super) fn apply_size_limit(
        &self,
        connection: &Connection,
        applied: &mut Option<u64>,
    ) -> Result<()> {
        let max_bytes = self.max_bytes.load(Ordering::Relaxed);
        if *applied == Some(max_bytes) {
            return Ok(());
        }
        let pages = match max_bytes {
            0 => u32::MAX - 1,
            bytes => u32::try_from(bytes / 4_096).unwrap_or(u32::MAX - 1).max(1),
        };
        connection.pragma_update(None, "max_page_count", pages)?;
        *applied = Some(max_bytes);
        Ok(())
    }
}

/// Creates the schema in an empty database. Fails if the database has another version of it.
pub(super) fn create_or_check_schema(connection: &mut Connection) -> Result<()> {
    if schema_version(connection)? == SCHEMA_VERSION {
        return Ok(());
    }
    let transaction = connection.transaction_with_behavior(TransactionBehavior::Exclusive)?;
    // Read again inside the transaction: another process may have created the schema meanwhile.
    let (found, known) = (schema_version(&transaction)?, SCHEMA_VERSION);
    match found {
        0 => {
            transaction.execute_batch(SCHEMA)?;
            transaction.pragma_update(None, "user_version", known)?;
            transaction.commit()?;
            Ok(())
        }
        SCHEMA_VERSION => Ok(()),
        older if older < known => Err(StoreError::Older { found, known }),
        _ => Err(StoreError::Newer { found, known }),
    }
}

fn schema_version(connection: &Connection) -> Result<u32> {
    Ok(connection.pragma_query_value(None, "user_version", |row| row.get(0))?)
}

/// Returns the path of the database in a data directory.
pub(super) fn database_file(directory: &Path) -> PathBuf {
    directory.join("pincite.db")
}
