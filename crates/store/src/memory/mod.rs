//! The store in memory: for tests, for benchmarks, and for servers that keep nothing.
//!
//! It favours plain code over speed, and so documents what the other implementation has to do.

mod access;
mod catalogue;
mod conversation_records;
mod documents;
mod evidence;
mod library;
mod ontology;
mod ontology_rows;
mod ontology_views;
mod thread_state;
mod threads;
mod upstreams;
mod versions;

use std::collections::{BTreeMap, HashSet};
use std::sync::Arc;

use parking_lot::Mutex;

use crate::change_notifier::ChangeNotifier;
use crate::error::Result;
use crate::future::StoreFuture;
use crate::ids::{Principal, Timestamp};
use crate::paging::Listing;
use crate::upstreams::StoredUpstream;

/// Store in memory.
pub struct MemoryStore {
    state: Mutex<MemoryState>,
    notifier: Arc<ChangeNotifier>,
}

struct MemoryState {
    /// Principals that own or owned something.
    principals: HashSet<Principal>,
    access: access::MemoryAccess,
    catalogue: catalogue::MemoryCatalogue,
    documents: documents::MemoryDocuments,
    evidence: evidence::MemoryEvidence,
    library: library::MemoryLibrary,
    ontology: ontology_rows::MemoryOntology,
    threads: thread_state::MemoryThreads,
    /// Upstream agents by name.
    upstreams: BTreeMap<String, StoredUpstream>,
}

impl MemoryState {
    /// Adds a principal that is new, with its group and its person.
    fn add_principal(&mut self, principal: &Principal, at: Timestamp) {
        if self.principals.insert(principal.clone()) {
            self.ontology.add_principal(principal, at);
        }
    }
}

impl MemoryStore {
    /// Creates an empty store.
    pub fn new() -> Self {
        let notifier = Arc::new(ChangeNotifier::default());
        let state = MemoryState {
            principals: HashSet::new(),
            access: access::MemoryAccess::default(),
            catalogue: catalogue::MemoryCatalogue::default(),
            documents: documents::MemoryDocuments::default(),
            evidence: evidence::MemoryEvidence::default(),
            library: library::MemoryLibrary::default(),
            ontology: ontology_rows::MemoryOntology::new(Arc::clone(&notifier)),
            threads: thread_state::MemoryThreads::default(),
            upstreams: BTreeMap::new(),
        };
        Self {
            state: Mutex::new(state),
            notifier,
        }
    }

    fn with<T>(&self, work: impl FnOnce(&mut MemoryState) -> Result<T>) -> StoreFuture<T> {
        StoreFuture::ready(work(&mut self.state.lock()))
    }
}

impl Default for MemoryStore {
    fn default() -> Self {
        Self::new()
    }
}

impl std::fmt::Debug for MemoryStore {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.write_str("MemoryStore")
    }
}

/// Returns the page of a list after a position, the latest items first.
fn newest_first<T, K: Ord + std::fmt::Display>(
    mut items: Vec<T>,
    after: Option<&(i64, K)>,
    limit: usize,
    position: impl Fn(&T) -> (i64, K),
) -> Listing<T> {
    items.sort_by_key(|item| std::cmp::Reverse(position(item)));
    items.retain(|item| after.is_none_or(|after| position(item) < *after));
    items.truncate(limit + 1);
    Listing::from_surplus(items, limit, position)
}
