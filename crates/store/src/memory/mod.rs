//! The store in memory: for tests, for benchmarks, and for servers that may forget.
//!
//! It answers at once, and is the plain statement of what the other implementations do.

mod access;
mod documents;
mod evidence;
mod ontology;
mod threads;

use std::collections::HashSet;
use std::sync::{Mutex, MutexGuard, PoisonError};

use crate::change_notifier::ChangeNotifier;
use crate::error::Result;
use crate::future::StoreFuture;
use crate::ids::Principal;

/// The store in memory.
#[derive(Default)]
pub struct MemoryStore {
    state: Mutex<MemoryState>,
    notifier: ChangeNotifier,
}

#[derive(Default)]
struct MemoryState {
    /// Who has ever had something.
    principals: HashSet<Principal>,
    access: access::MemoryAccess,
    documents: documents::MemoryDocuments,
    evidence: evidence::MemoryEvidence,
    ontology: ontology::MemoryOntology,
    threads: threads::MemoryThreads,
}

impl MemoryStore {
    /// An empty store.
    pub fn new() -> Self {
        Self::default()
    }

    fn with<T>(&self, work: impl FnOnce(&mut MemoryState) -> Result<T>) -> StoreFuture<T> {
        StoreFuture::ready(work(&mut self.lock()))
    }

    fn lock(&self) -> MutexGuard<'_, MemoryState> {
        // Nothing that is done under this lock panics half way.
        self.state.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

impl std::fmt::Debug for MemoryStore {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.write_str("MemoryStore")
    }
}

/// The items of a list that come after a place, the last ones by time first.
fn newest_first<T, K: Ord + std::fmt::Display>(
    mut items: Vec<T>,
    after: Option<&(i64, K)>,
    limit: usize,
    place: impl Fn(&T) -> (i64, K),
) -> crate::paging::Listing<T> {
    items.sort_by_key(|item| std::cmp::Reverse(place(item)));
    items.retain(|item| after.is_none_or(|after| place(item) < *after));
    items.truncate(limit + 1);
    crate::paging::Listing::cut(items, limit, place)
}
