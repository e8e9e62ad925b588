//! Bounded queue between callers and the threads of the store.

use std::collections::VecDeque;

use parking_lot::{Condvar, Mutex, MutexGuard};

use crate::error::{Result, StoreError};

/// Largest number of jobs that wait. Further jobs are refused.
const CAPACITY: usize = 65_536;

/// Jobs in the order of their arrival.
pub(super) struct JobQueue<T> {
    state: Mutex<QueueState<T>>,
    filled: Condvar,
}

struct QueueState<T> {
    jobs: VecDeque<T>,
    is_closed: bool,
    /// Number of threads that wait for a job.
    waiting_threads: usize,
}

impl<T> JobQueue<T> {
    pub(super) fn new() -> Self {
        Self {
            state: Mutex::new(QueueState {
                jobs: VecDeque::new(),
                is_closed: false,
                waiting_threads: 0,
            }),
            filled: Condvar::new(),
        }
    }

    /// Adds a job. Fails if the queue is closed or full.
    pub(super) fn push(&self, job: T) -> Result<()> {
        let mut state = self.state.lock();
        if state.is_closed {
            return Err(StoreError::Closed);
        }
        if state.jobs.len() >= CAPACITY {
            return Err(StoreError::Overloaded);
        }
        state.jobs.push_back(job);
        let is_awaited = state.waiting_threads > 0;
        drop(state);
        if is_awaited {
            self.filled.notify_one();
        }
        Ok(())
    }

    /// Returns the number of jobs.
    pub(super) fn len(&self) -> usize {
        self.state.lock().jobs.len()
    }

    /// Waits for a job. Returns `None` once the queue is closed and empty.
    pub(super) fn take(&self) -> Option<T> {
        self.wait().jobs.pop_front()
    }

    /// Waits for a job, then moves up to `max` jobs into `into`. Returns false once the queue is closed and empty.
    pub(super) fn drain(&self, max: usize, into: &mut Vec<T>) -> bool {
        self.wait().drain(max, into)
    }

    /// Moves up to `max` jobs into `into` without waiting. Returns false once the queue is closed and empty.
    pub(super) fn drain_ready(&self, max: usize, into: &mut Vec<T>) -> bool {
        self.state.lock().drain(max, into)
    }

    /// Refuses further jobs. Those in the queue are still done.
    pub(super) fn close(&self) {
        self.state.lock().is_closed = true;
        self.filled.notify_all();
    }

    fn wait(&self) -> MutexGuard<'_, QueueState<T>> {
        let mut state = self.state.lock();
        state.waiting_threads += 1;
        while state.jobs.is_empty() && !state.is_closed {
            self.filled.wait(&mut state);
        }
        state.waiting_threads -= 1;
        state
    }
}

impl<T> QueueState<T> {
    fn drain(&mut self, max: usize, into: &mut Vec<T>) -> bool {
        let count = self.jobs.len().min(max);
        into.extend(self.jobs.drain(..count));
        count > 0 || !self.is_closed
    }
}
