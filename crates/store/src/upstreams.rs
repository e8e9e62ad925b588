//! Upstream agents that administrators added while the server runs.

use bytes::Bytes;

use crate::error::Result;
use crate::future::StoreFuture;
use crate::ids::{self, Timestamp};

/// Upstream agent that an administrator added. It belongs to the server, not to a principal.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct StoredUpstream {
    /// Name of the agent.
    pub name: String,
    /// Settings as JSON. They may contain secrets, such as a header with a token.
    pub settings: Bytes,
    /// Time at which it was added or last changed.
    pub created: Timestamp,
}

/// Upstream agents that were added while the server runs.
pub trait UpstreamStore {
    /// Returns all upstreams in the order of their names.
    fn upstreams(&self) -> StoreFuture<Vec<StoredUpstream>>;

    /// Stores an upstream in place of one with the same name.
    fn store_upstream(&self, upstream: StoredUpstream) -> StoreFuture<()>;

    /// Deletes an upstream. Returns false if there is none with that name.
    fn delete_upstream(&self, name: &str) -> StoreFuture<bool>;
}

impl StoredUpstream {
    pub(crate) fn check(&self) -> Result<()> {
        ids::check_id("the name of the upstream", &self.name)
    }
}
