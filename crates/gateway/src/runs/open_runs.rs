//! Table of open runs.

use std::collections::HashMap;
use std::sync::Arc;

use parking_lot::Mutex;
use store::Principal;
use tokio::sync::watch;

use super::Key;
use super::broadcast::RunBroadcast;
use super::stop::StopRequest;

/// Handle of an open run.
#[derive(Clone)]
pub(super) struct RunHandle {
    pub(super) broadcast: Arc<RunBroadcast>,
    /// Request to stop. The task of the run holds a receiver to its end, so the channel closes when the run has ended.
    pub(super) stop: watch::Sender<Option<StopRequest>>,
}

impl RunHandle {
    /// Requests the run to stop. The first request counts.
    pub(super) fn request_stop(&self, request: StopRequest) {
        self.stop.send_if_modified(|stop| {
            let is_first = stop.is_none();
            stop.get_or_insert(request);
            is_first
        });
    }

    /// Waits until the task of the run has ended.
    pub(super) async fn ended(&self) {
        self.stop.closed().await;
    }
}

/// Open runs by thread. A thread has at most one.
#[derive(Default)]
pub(super) struct OpenRuns(Mutex<HashMap<Key, RunHandle>>);

impl OpenRuns {
    pub(super) fn insert(&self, key: Key, handle: RunHandle) {
        self.0.lock().insert(key, handle);
    }

    pub(super) fn get(&self, key: &Key) -> Option<RunHandle> {
        self.0.lock().get(key).cloned()
    }

    /// Removes a run, unless another run of the thread has taken its place.
    pub(super) fn remove(&self, key: &Key, broadcast: &Arc<RunBroadcast>) {
        let mut open = self.0.lock();
        let is_same = |handle: &RunHandle| Arc::ptr_eq(&handle.broadcast, broadcast);
        if open.get(key).is_some_and(is_same) {
            open.remove(key);
        }
    }

    pub(super) fn contains(&self, key: &Key) -> bool {
        self.0.lock().contains_key(key)
    }

    pub(super) fn count(&self) -> usize {
        self.0.lock().len()
    }

    /// Returns the number of subscribers of all runs.
    pub(super) fn subscriber_count(&self) -> usize {
        let open = self.0.lock();
        let counts = open
            .values()
            .map(|handle| handle.broadcast.subscriber_count());
        counts.sum()
    }

    /// Returns the threads of a principal that have an open run.
    pub(super) fn threads_of(&self, principal: &Principal) -> Vec<Key> {
        let open = self.0.lock();
        let keys = open.keys().filter(|(owner, _)| owner == principal);
        keys.cloned().collect()
    }

    /// Returns the handles of all runs.
    pub(super) fn all(&self) -> Vec<RunHandle> {
        self.0.lock().values().cloned().collect()
    }
}
