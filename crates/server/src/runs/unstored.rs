//! What a layer finds, on its way to the store.

use std::sync::{Arc, Mutex, PoisonError};

use bytes::Bytes;
use store::StoredVerification;

/// Verifications that are stored with the next events of a run: those link to them.
#[derive(Clone)]
pub(crate) struct PendingEvidence(Arc<Mutex<Option<Vec<StoredVerification>>>>);

impl PendingEvidence {
    pub(crate) fn new() -> Self {
        Self(Arc::new(Mutex::new(Some(Vec::new()))))
    }

    /// Adds a verification; gives it back if the run has ended, because nobody will store it then.
    pub(crate) fn add(&self, verification: StoredVerification) -> Option<StoredVerification> {
        let mut waiting = self.0.lock().unwrap_or_else(PoisonError::into_inner);
        match &mut *waiting {
            Some(waiting) => {
                waiting.push(verification);
                None
            }
            None => Some(verification),
        }
    }

    /// Everything that waits.
    pub(super) fn take(&self) -> Vec<StoredVerification> {
        let mut waiting = self.0.lock().unwrap_or_else(PoisonError::into_inner);
        waiting.as_mut().map(std::mem::take).unwrap_or_default()
    }

    /// Everything that waits; nothing is added any more.
    pub(super) fn close(&self) -> Vec<StoredVerification> {
        let mut waiting = self.0.lock().unwrap_or_else(PoisonError::into_inner);
        waiting.take().unwrap_or_default()
    }
}

/// What is to be kept beside the state of a run's thread: written by the layer, stored with the end of the run.
#[derive(Debug, Clone, Default)]
pub(crate) struct ThreadRecord(Arc<Mutex<Option<Bytes>>>);

impl ThreadRecord {
    /// Says what is to be kept; empty if it is nothing.
    pub(crate) fn set(&self, record: Bytes) {
        *self.0.lock().unwrap_or_else(PoisonError::into_inner) = Some(record);
    }

    /// What is to be kept; what was kept before if nobody has said anything.
    pub(crate) fn take(&self) -> Option<Bytes> {
        let mut record = self.0.lock().unwrap_or_else(PoisonError::into_inner);
        record.take()
    }
}
