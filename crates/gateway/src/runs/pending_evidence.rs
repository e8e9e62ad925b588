//! Results of the citation layer that wait to be stored.

use std::sync::Arc;

use bytes::Bytes;
use parking_lot::Mutex;
use store::StoredVerification;

/// Verifications that are stored together with the next events of a run, because those events link to them.
#[derive(Clone)]
pub(crate) struct PendingEvidence(Arc<Mutex<Option<Vec<StoredVerification>>>>);

impl PendingEvidence {
    pub(crate) fn new() -> Self {
        Self(Arc::new(Mutex::new(Some(Vec::new()))))
    }

    /// Adds a verification. Returns it if the run has ended, because then the caller has to store it.
    pub(crate) fn add(&self, verification: StoredVerification) -> Option<StoredVerification> {
        match &mut *self.0.lock() {
            Some(pending) => {
                pending.push(verification);
                None
            }
            None => Some(verification),
        }
    }

    /// Takes all pending verifications.
    pub(super) fn take(&self) -> Vec<StoredVerification> {
        let mut pending = self.0.lock();
        pending.as_mut().map(std::mem::take).unwrap_or_default()
    }

    /// Takes all pending verifications and accepts no more.
    pub(super) fn close(&self) -> Vec<StoredVerification> {
        self.0.lock().take().unwrap_or_default()
    }
}

/// Record that is kept beside the state of a thread. The citation layer writes it, the end of the run stores it.
#[derive(Debug, Clone, Default)]
pub(crate) struct ThreadRecord(Arc<Mutex<Option<Bytes>>>);

impl ThreadRecord {
    /// Sets the record; empty removes the stored one.
    pub(crate) fn set(&self, record: Bytes) {
        *self.0.lock() = Some(record);
    }

    /// Takes the record, or `None` if the stored one is to stay.
    pub(crate) fn take(&self) -> Option<Bytes> {
        self.0.lock().take()
    }
}
