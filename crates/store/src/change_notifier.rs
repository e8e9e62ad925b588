//! Wake-ups for readers that wait for changes of things.

use std::collections::HashMap;

use parking_lot::Mutex;
use tokio::sync::watch;

use crate::error::StoreError;
use crate::future::StoreFuture;
use crate::ids::Principal;

/// Number of the latest change, for each principal with a waiting reader.
#[derive(Default)]
pub(crate) struct ChangeNotifier {
    channels: Mutex<HashMap<Principal, watch::Sender<u64>>>,
}

impl ChangeNotifier {
    /// Resolves with the number of the latest change once it is above `after`. `read_latest` reads that number;
    /// it is called after the subscription, so that no change is missed in between.
    pub(crate) fn wait(
        &self,
        principal: &Principal,
        after: u64,
        read_latest: impl FnOnce() -> StoreFuture<u64>,
    ) -> StoreFuture<u64> {
        let mut receiver = self
            .channels
            .lock()
            .entry(principal.clone())
            .or_insert_with(|| watch::channel(0).0)
            .subscribe();
        let latest = read_latest();
        StoreFuture::running(async move {
            let latest = latest.await?;
            if latest > after {
                return Ok(latest);
            }
            let changed = receiver.wait_for(|number| *number > after).await;
            changed
                .map(|number| *number)
                .map_err(|_| StoreError::Closed)
        })
    }

    /// Wakes the readers of a principal.
    pub(crate) fn notify(&self, principal: &Principal, number: u64) {
        let mut channels = self.channels.lock();
        let Some(sender) = channels.get(principal) else {
            return;
        };
        if sender.receiver_count() == 0 {
            channels.remove(principal);
        } else {
            sender.send_replace(number);
        }
    }
}
