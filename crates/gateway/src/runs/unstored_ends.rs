//! Runs whose end could not be stored, for example because the disk is full. Subscribers receive the end from memory;
//! it is stored as soon as that works again.

use std::collections::HashMap;
use std::sync::Arc;
use std::time::Duration;

use parking_lot::Mutex;
use store::{RunId, StoreError};
use tokio::time::sleep;

use super::Key;
use super::broadcast::RunBroadcast;
use super::manager::RunManager;

/// Interval between two attempts to store the ends of runs.
const RETRY_INTERVAL: Duration = Duration::from_secs(1);

/// Runs that have ended in memory but not in the store, by thread.
#[derive(Default)]
pub(super) struct UnstoredEnds(Mutex<UnstoredEndTable>);

#[derive(Default)]
struct UnstoredEndTable {
    runs: HashMap<Key, Arc<RunBroadcast>>,
    /// True while a task tries to store the ends.
    is_retrying: bool,
}

impl UnstoredEnds {
    /// Returns the run of a thread whose end is not stored.
    pub(super) fn get(&self, key: &Key) -> Option<Arc<RunBroadcast>> {
        self.0.lock().runs.get(key).cloned()
    }

    pub(super) fn remove(&self, key: &Key) {
        self.0.lock().runs.remove(key);
    }

    /// Adds a run. Returns true if no task tries to store the ends yet.
    fn insert(&self, key: Key, broadcast: Arc<RunBroadcast>) -> bool {
        let mut table = self.0.lock();
        table.runs.insert(key, broadcast);
        !std::mem::replace(&mut table.is_retrying, true)
    }

    /// Returns the threads with an end to store. If there are none, no task is counted any more.
    fn threads(&self) -> Vec<Key> {
        let mut table = self.0.lock();
        table.is_retrying = !table.runs.is_empty();
        table.runs.keys().cloned().collect()
    }
}

impl RunManager {
    /// Returns true if a run has ended, but its end is not stored yet.
    pub fn has_unstored_end(&self, key: &Key, run: &RunId) -> bool {
        let unstored = self.unstored_ends().get(key);
        unstored.is_some_and(|broadcast| broadcast.run == *run)
    }

    /// Keeps the end of a run in memory until it could be stored.
    pub(super) fn store_end_later(self: &Arc<Self>, key: &Key, broadcast: &Arc<RunBroadcast>) {
        if self.unstored_ends().insert(key.clone(), broadcast.clone()) {
            tokio::spawn(self.clone().store_ends());
        }
    }

    /// Stores the end of the interrupted run of a thread, unless another run of it is in progress.
    pub(super) async fn recover_thread(&self, key: &Key) -> Result<(), StoreError> {
        let _lock = self.lock_thread(key).await;
        match (self.running(key), self.unstored_ends().get(key)) {
            // The task of the run has just failed to store the end, and is about to finish.
            (Some(running), Some(unstored)) if Arc::ptr_eq(&running, &unstored) => return Ok(()),
            // The next run of the thread began, so the end of the one before is stored.
            (Some(_), _) => {}
            (None, _) => self.close_interrupted_run(key).await?,
        }
        self.unstored_ends().remove(key);
        Ok(())
    }

    /// Tries to store the ends of runs until all are stored or the server shuts down. The next start stores the others.
    async fn store_ends(self: Arc<Self>) {
        let mut shutdown = self.shutdown_signal();
        loop {
            tokio::select! {
                () = sleep(RETRY_INTERVAL) => {}
                _ = shutdown.wait_for(|is_shutting_down| *is_shutting_down) => return,
            }
            let threads = self.unstored_ends().threads();
            if threads.is_empty() {
                return;
            }
            // One small write decides, however many runs wait.
            if self.store().check_writable().await.is_err() {
                continue;
            }
            for key in threads {
                if let Err(error) = self.recover_thread(&key).await {
                    tracing::warn!(thread = %key.1, %error, "the end of a run could not be stored; trying again");
                }
            }
        }
    }
}
