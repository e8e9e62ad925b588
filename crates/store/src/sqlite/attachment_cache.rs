//! Cache of attachments by name: every citation of a run looks up the same few.

use std::collections::HashMap;

use parking_lot::Mutex;

use crate::documents::Attachment;
use crate::ids::{AttachmentId, Principal, Timestamp};

/// Largest number of attachments.
const CAPACITY: usize = 1_000;

/// Cache of attachments, cleared by every change of documents or attachments before the change is acknowledged.
///
/// Changes by another process are noticed with the next write by this one, at the latest when a run begins.
#[derive(Default)]
pub(super) struct AttachmentCache(Mutex<AttachmentCacheState>);

#[derive(Default)]
struct AttachmentCacheState {
    /// Number of times that the cache was cleared.
    generation: u64,
    attachments: HashMap<(Principal, AttachmentId), Attachment>,
}

impl AttachmentCache {
    /// Returns a cached attachment that has not expired, or else the generation to pass to [`insert`](Self::insert).
    pub(super) fn find(
        &self,
        key: &(Principal, AttachmentId),
        now: Timestamp,
    ) -> Result<Attachment, u64> {
        let state = self.0.lock();
        let found = state.attachments.get(key);
        found
            .filter(|found| found.expires.is_none_or(|expires| expires > now))
            .cloned()
            .ok_or(state.generation)
    }

    /// Caches an attachment that was read, unless the cache was cleared since.
    pub(super) fn insert(
        &self,
        generation: u64,
        key: (Principal, AttachmentId),
        found: &Attachment,
    ) {
        let mut state = self.0.lock();
        if state.generation != generation {
            return;
        }
        if state.attachments.len() >= CAPACITY {
            state.attachments.clear();
        }
        state.attachments.insert(key, found.clone());
    }

    /// Removes everything.
    pub(super) fn clear(&self) {
        let mut state = self.0.lock();
        state.generation += 1;
        state.attachments.clear();
    }
}
