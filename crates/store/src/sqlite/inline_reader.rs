//! A look into the database on the thread of whoever asks: for what every request asks, and one page answers.
//!
//! Handing that to a thread that reads, and waking the one that asks, costs several times what it takes to read it.

use std::sync::{Mutex, PoisonError};
use std::time::Duration;

use rusqlite::Connection;

use super::connection::ConnectionSettings;
use crate::error::Result;

/// The connection for it, opened when it is first needed.
#[derive(Default)]
pub(super) struct InlineReader(Mutex<Option<Connection>>);

impl InlineReader {
    /// Reads without waiting for anybody; one that fails is given up with its connection.
    pub(super) fn look<T>(
        &self,
        settings: &ConnectionSettings,
        work: impl FnOnce(&Connection) -> Result<T>,
    ) -> Result<T> {
        let mut kept = self.0.lock().unwrap_or_else(PoisonError::into_inner);
        let connection = match kept.take() {
            Some(connection) => connection,
            None => {
                let connection = settings.connect_reader()?;
                connection.busy_timeout(Duration::ZERO)?;
                connection.pragma_update(None, "cache_size", -64)?;
                connection
            }
        };
        let value = work(&connection)?;
        *kept = Some(connection);
        Ok(value)
    }
}
