//! Announcements of new runs to the subscribers of a thread.

use std::collections::HashMap;
use std::sync::Arc;

use parking_lot::Mutex;
use store::Principal;
use tokio::sync::oneshot;

use super::Key;
use super::broadcast::RunBroadcast;

/// Subscribers that wait for the next run of a thread.
#[derive(Default)]
pub(super) struct RunAnnouncements {
    waiting: Mutex<HashMap<Key, Vec<oneshot::Sender<Arc<RunBroadcast>>>>>,
}

impl RunAnnouncements {
    /// Returns a receiver of the next run of a thread. It fails if the thread is deleted.
    pub(super) fn next_run(&self, key: &Key) -> oneshot::Receiver<Arc<RunBroadcast>> {
        let (sender, receiver) = oneshot::channel();
        let mut waiting = self.waiting.lock();
        let senders = waiting.entry(key.clone()).or_default();
        senders.retain(|sender| !sender.is_closed());
        senders.push(sender);
        receiver
    }

    /// Announces a new run.
    pub(super) fn announce(&self, key: &Key, run: &Arc<RunBroadcast>) {
        let senders = self.waiting.lock().remove(key);
        for sender in senders.unwrap_or_default() {
            // The subscriber may have left.
            let _ = sender.send(run.clone());
        }
    }

    /// Removes subscribers of a thread that have left.
    pub(super) fn prune(&self, key: &Key) {
        let mut waiting = self.waiting.lock();
        if let Some(senders) = waiting.get_mut(key) {
            senders.retain(|sender| !sender.is_closed());
            if senders.is_empty() {
                waiting.remove(key);
            }
        }
    }

    /// Removes all subscribers of a deleted thread, which ends their streams.
    pub(super) fn remove_thread(&self, key: &Key) {
        self.waiting.lock().remove(key);
    }

    /// Removes all subscribers of a deleted principal, which ends their streams.
    pub(super) fn remove_principal(&self, principal: &Principal) {
        let mut waiting = self.waiting.lock();
        waiting.retain(|(owner, _), _| owner != principal);
    }
}
