//! Attachments that were asked for lately: a run asks for the same few with every citation.

use std::collections::HashMap;
use std::sync::{Mutex, MutexGuard, PoisonError};

use crate::documents::Attachment;
use crate::ids::{AttachmentId, Principal, Timestamp};

/// How many are remembered.
const MOST: usize = 1_000;

/// What is remembered of attachments until documents change.
///
/// Whoever writes to the store forgets all of it before the answer is given. What another program writes is noticed
/// with the next write here, the beginning of a run at the latest.
#[derive(Default)]
pub(super) struct AttachmentCache(Mutex<AttachmentCacheState>);

#[derive(Default)]
struct AttachmentCacheState {
    /// How often everything was forgotten.
    edition: u64,
    attachments: HashMap<(Principal, AttachmentId), Attachment>,
}

impl AttachmentCache {
    fn state(&self) -> MutexGuard<'_, AttachmentCacheState> {
        // Nothing that is done under this lock panics half way.
        self.0.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// An attachment that is remembered and has not expired; otherwise what has to be said with what is found.
    pub(super) fn find(
        &self,
        key: &(Principal, AttachmentId),
        now: Timestamp,
    ) -> Result<Attachment, u64> {
        let state = self.state();
        let found = state.attachments.get(key);
        found
            .filter(|found| found.expires.is_none_or(|expires| expires > now))
            .cloned()
            .ok_or(state.edition)
    }

    /// Remembers what was read, unless everything was forgotten since.
    pub(super) fn keep(&self, edition: u64, key: (Principal, AttachmentId), found: &Attachment) {
        let mut state = self.state();
        if state.edition != edition {
            return;
        }
        if state.attachments.len() >= MOST {
            state.attachments.clear();
        }
        state.attachments.insert(key, found.clone());
    }

    /// Documents may have changed.
    pub(super) fn forget(&self) {
        let mut state = self.state();
        state.edition += 1;
        state.attachments.clear();
    }
}
