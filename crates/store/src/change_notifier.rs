//! Telling those who wait that something has changed.

use std::collections::HashMap;
use std::sync::{Mutex, MutexGuard, PoisonError};

use tokio::sync::watch;

use crate::error::StoreError;
use crate::future::StoreFuture;
use crate::ids::Principal;

/// Who waits for changes, by principal.
#[derive(Default)]
pub(crate) struct ChangeNotifier {
    waiting: Mutex<HashMap<Principal, watch::Sender<u64>>>,
}

impl ChangeNotifier {
    /// An answer for when the principal's change number is above `after`. `now` is what it is, read
    /// after this began to listen.
    pub(crate) fn wait(
        &self,
        principal: &Principal,
        after: u64,
        now: impl FnOnce() -> StoreFuture<u64>,
    ) -> StoreFuture<u64> {
        let mut receiver = self
            .lock()
            .entry(principal.clone())
            .or_insert_with(|| watch::channel(0).0)
            .subscribe();
        let now = now();
        StoreFuture::running(async move {
            let now = now.await?;
            if now > after {
                return Ok(now);
            }
            let told = receiver.wait_for(|number| *number > after).await;
            told.map(|number| *number).map_err(|_| StoreError::Closed)
        })
    }

    /// Tells those who wait for a principal's changes.
    pub(crate) fn tell(&self, principal: &Principal, number: u64) {
        let mut waiting = self.lock();
        let Some(sender) = waiting.get(principal) else {
            return;
        };
        if sender.receiver_count() == 0 {
            waiting.remove(principal);
        } else {
            sender.send_replace(number);
        }
    }

    /// Whether anybody waits.
    pub(crate) fn anybody_waits(&self) -> bool {
        self.lock()
            .values()
            .any(|sender| sender.receiver_count() > 0)
    }

    fn lock(&self) -> MutexGuard<'_, HashMap<Principal, watch::Sender<u64>>> {
        self.waiting.lock().unwrap_or_else(PoisonError::into_inner)
    }
}
