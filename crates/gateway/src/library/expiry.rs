//! Removal of expired attachments.

use std::sync::Arc;
use std::time::Duration;

use store::{StoreError, Timestamp};
use tokio::time;

use super::DocumentLibrary;

/// Interval between two removals.
const INTERVAL: Duration = Duration::from_secs(300);

impl DocumentLibrary {
    /// Removes expired attachments, now and then every five minutes, until the future is dropped. Expired attachments
    /// are invisible before that.
    pub async fn run_expiry(self: Arc<Self>, clock: fn() -> Timestamp) {
        loop {
            match self.remove_expired(clock()).await {
                Ok(0) => {}
                Ok(removed) => tracing::info!(removed, "expired attachments were removed"),
                Err(error) => tracing::warn!(%error, "expired attachments could not be removed"),
            }
            time::sleep(INTERVAL).await;
        }
    }

    /// Removes all attachments that have expired. Returns their number.
    pub async fn remove_expired(&self, now: Timestamp) -> Result<usize, StoreError> {
        let mut removed = 0;
        loop {
            // The store removes a limited number at once, so that other writers are not delayed.
            match self.store.expire(now).await? {
                0 => break,
                more => removed += more,
            }
        }
        if removed > 0 {
            self.wake.notify_one();
        }
        Ok(removed)
    }
}
