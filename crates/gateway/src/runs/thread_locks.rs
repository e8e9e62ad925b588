//! Locks for changes between two runs of a thread.

use std::hash::{DefaultHasher, Hash, Hasher};

use tokio::sync::{Mutex, MutexGuard};

use super::Key;

/// Number of locks. Threads share a lock by their hash.
const LOCKS: usize = 64;

/// Locks by thread. Beginning a run and changing the state between two runs take the same lock.
pub(super) struct ThreadLocks([Mutex<()>; LOCKS]);

/// Right to begin a run or to change the state between two runs.
pub(super) type ThreadLock<'l> = MutexGuard<'l, ()>;

impl ThreadLocks {
    pub(super) fn new() -> Self {
        Self(std::array::from_fn(|_| Mutex::default()))
    }

    /// Waits for the lock of a thread.
    pub(super) async fn lock(&self, key: &Key) -> ThreadLock<'_> {
        let mut hasher = DefaultHasher::new();
        key.hash(&mut hasher);
        let at = hasher.finish() % LOCKS as u64;
        self.0[usize::try_from(at).unwrap_or_default()].lock().await
    }
}
