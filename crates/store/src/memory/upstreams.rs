//! Upstream agents in memory.

use super::MemoryStore;
use crate::future::StoreFuture;
use crate::upstreams::{StoredUpstream, UpstreamStore};

impl UpstreamStore for MemoryStore {
    fn upstreams(&self) -> StoreFuture<Vec<StoredUpstream>> {
        self.with(|state| Ok(state.upstreams.values().cloned().collect()))
    }

    fn store_upstream(&self, upstream: StoredUpstream) -> StoreFuture<()> {
        self.with(|state| {
            upstream.check()?;
            state.upstreams.insert(upstream.name.clone(), upstream);
            Ok(())
        })
    }

    fn delete_upstream(&self, name: &str) -> StoreFuture<bool> {
        self.with(|state| Ok(state.upstreams.remove(name).is_some()))
    }
}
