//! A bounded queue between callers and the threads that do the work.

use std::collections::VecDeque;
use std::sync::{Condvar, Mutex, MutexGuard, PoisonError};
use std::time::Duration;

use crate::error::{Result, StoreError};

/// How many jobs may wait; a caller beyond that is refused, never kept waiting unseen.
const CAPACITY: usize = 65_536;

/// Jobs in the order they came.
pub(super) struct WriteQueue<T> {
    state: Mutex<QueueState<T>>,
    filled: Condvar,
}

struct QueueState<T> {
    jobs: VecDeque<T>,
    closed: bool,
    /// How many threads wait for a job.
    waiting: usize,
}

impl<T> WriteQueue<T> {
    pub(super) fn new() -> Self {
        Self {
            state: Mutex::new(QueueState {
                jobs: VecDeque::new(),
                closed: false,
                waiting: 0,
            }),
            filled: Condvar::new(),
        }
    }

    /// Adds a job, or refuses it.
    pub(super) fn push(&self, job: T) -> Result<()> {
        let mut state = self.lock();
        if state.closed {
            return Err(StoreError::Closed);
        }
        if state.jobs.len() >= CAPACITY {
            return Err(StoreError::Overloaded);
        }
        state.jobs.push_back(job);
        let awaited = state.waiting > 0;
        drop(state);
        // Telling nobody costs a system call all the same.
        if awaited {
            self.filled.notify_one();
        }
        Ok(())
    }

    /// How many jobs wait.
    pub(super) fn len(&self) -> usize {
        self.lock().jobs.len()
    }

    /// Waits for a job; `None` when the queue was closed and is empty.
    pub(super) fn take(&self) -> Option<T> {
        self.wait().jobs.pop_front()
    }

    /// Takes up to `most` jobs; waits for one, but no longer than it may. Says whether there is or can be more
    /// to do.
    pub(super) fn drain(&self, most: usize, patience: Option<Duration>, into: &mut Vec<T>) -> bool {
        let mut state = match patience {
            None => self.wait(),
            Some(Duration::ZERO) => self.lock(),
            Some(patience) => self.wait_for(patience),
        };
        let count = state.jobs.len().min(most);
        into.extend(state.jobs.drain(..count));
        count > 0 || !state.closed
    }

    /// Lets no more jobs in. Those inside are still done.
    pub(super) fn close(&self) {
        self.lock().closed = true;
        self.filled.notify_all();
    }

    fn wait(&self) -> MutexGuard<'_, QueueState<T>> {
        let mut state = self.lock();
        state.waiting += 1;
        while state.jobs.is_empty() && !state.closed {
            state = self
                .filled
                .wait(state)
                .unwrap_or_else(PoisonError::into_inner);
        }
        state.waiting -= 1;
        state
    }

    fn wait_for(&self, patience: Duration) -> MutexGuard<'_, QueueState<T>> {
        let nothing = |state: &mut QueueState<T>| state.jobs.is_empty() && !state.closed;
        let mut state = self.lock();
        state.waiting += 1;
        let waited = self.filled.wait_timeout_while(state, patience, nothing);
        let mut state = waited.unwrap_or_else(PoisonError::into_inner).0;
        state.waiting -= 1;
        state
    }

    fn lock(&self) -> MutexGuard<'_, QueueState<T>> {
        // No code that can panic runs under this lock, so a poisoned one is still whole.
        self.state.lock().unwrap_or_else(PoisonError::into_inner)
    }
}
