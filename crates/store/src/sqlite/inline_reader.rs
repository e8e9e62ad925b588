//! Small queries on the caller's thread.
//!
//! Handing a query that reads one page to a reader thread, and waking the caller, costs several times the query.

use std::time::Duration;

use parking_lot::Mutex;
use rusqlite::Connection;

use super::connection::ConnectionSettings;
use crate::error::Result;

/// Connection for small queries, opened at first use.
#[derive(Default)]
pub(super) struct InlineReader(Mutex<Option<Connection>>);

impl InlineReader {
    /// Runs a query without waiting for locks of the database. A connection that fails is closed.
    pub(super) fn read<T>(
        &self,
        settings: &ConnectionSettings,
        work: impl FnOnce(&Connection) -> Result<T>,
    ) -> Result<T> {
        let mut slot = self.0.lock();
        let connection = match slot.take() {
            Some(connection) => connection,
            None => {
                let connection = settings.connect_reader()?;
                connection.busy_timeout(Duration::ZERO)?;
                connection.pragma_update(None, "cache_size", -64)?;
                connection
            }
        };
        let value = work(&connection)?;
        *slot = Some(connection);
        Ok(value)
    }
}
