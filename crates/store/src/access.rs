//! Keys, who did what, and being forgotten.

use std::fmt;

use crate::error::{Result, StoreError};
use crate::future::StoreFuture;
use crate::ids::{self, Principal, Timestamp};
use crate::paging::{Listing, PageRequest};

/// What is stored of a key's secret: its BLAKE3 hash.
///
/// Secrets are random and long, so nothing slower is needed; whoever reads the store learns none.
#[derive(Clone, Copy, PartialEq, Eq, Hash)]
pub struct KeyHash([u8; 32]);

impl KeyHash {
    /// The hash of a secret.
    pub fn of(secret: &str) -> Self {
        Self(*blake3::hash(secret.as_bytes()).as_bytes())
    }

    pub(crate) fn as_bytes(&self) -> &[u8; 32] {
        &self.0
    }
}

impl fmt::Debug for KeyHash {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("KeyHash(…)")
    }
}

/// A key that opens the API.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct ApiKey {
    /// What it is called by; not secret.
    pub id: String,
    /// Who acts with it.
    pub principal: Principal,
    /// What people call it.
    pub name: String,
    /// What may be done with it.
    pub scopes: Vec<String>,
    /// When it was made.
    pub created: Timestamp,
    /// From when on it opens nothing; `None` is never.
    pub expires: Option<Timestamp>,
    /// When it was taken back.
    pub revoked: Option<Timestamp>,
    /// When it was last used, as far as somebody said so.
    pub used: Option<Timestamp>,
}

impl ApiKey {
    /// Whether it opens anything.
    pub fn is_valid(&self, now: Timestamp) -> bool {
        self.revoked.is_none() && self.expires.is_none_or(|expires| expires > now)
    }

    pub(crate) fn check(&self) -> Result<()> {
        ids::check_id("the key's id", &self.id)?;
        ids::check_text("the key's name", &self.name)?;
        // Scopes are stored one per line.
        let odd = |scope: &String| scope.is_empty() || scope.contains(char::is_control);
        if self.scopes.iter().any(odd) {
            return Err(StoreError::invalid(
                "the scope",
                "it is empty or has control characters",
            ));
        }
        Ok(())
    }
}

/// Something that a principal did.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct AuditEntry {
    /// Who.
    pub principal: Principal,
    /// With which key.
    pub key: Option<String>,
    /// What, `thread.deleted`.
    pub action: String,
    /// To what.
    pub target: String,
    /// In which request.
    pub request: Option<String>,
    /// When.
    pub at: Timestamp,
}

/// Keys and the record of what was done.
pub trait AccessStore {
    /// Adds a key. An id or a secret that is taken is a
    /// [`StoreError::Conflict`](crate::StoreError::Conflict).
    fn add_key(&self, key: ApiKey, hash: KeyHash) -> StoreFuture<()>;

    /// The key with this secret, whether it opens anything or not.
    fn key(&self, hash: KeyHash) -> StoreFuture<Option<ApiKey>>;

    /// Whether there is any key, one that opens nothing included.
    fn has_keys(&self) -> StoreFuture<bool>;

    /// All keys, in the order of their ids.
    fn keys(&self) -> StoreFuture<Vec<ApiKey>>;

    /// Takes a key back. Says whether there was one that had not been taken back.
    fn revoke_key(&self, id: &str, at: Timestamp) -> StoreFuture<bool>;

    /// Says that a key was used.
    fn record_key_use(&self, id: &str, at: Timestamp) -> StoreFuture<()>;

    /// Writes down what was done. This record stays, also when its principal is forgotten.
    fn audit(&self, entry: AuditEntry) -> StoreFuture<()>;

    /// What was done, by one principal or by all, the last first.
    fn audit_entries(
        &self,
        principal: Option<&Principal>,
        slice: &PageRequest,
    ) -> StoreFuture<Listing<AuditEntry>>;

    /// Takes the oldest entries off the record: those before a moment, and those beyond the newest `most`. Some at
    /// a time, so that others can write in between; how many, and 0 when there are no more.
    fn prune_audit_log(&self, before: Timestamp, most: u64) -> StoreFuture<u64>;

    /// Deletes everything that a principal owns: attachments and the documents that nobody else has,
    /// threads with all that is in them, evidence, reviews, keys, its part of the ontology. Says
    /// whether there was anything.
    fn delete_principal(&self, principal: &Principal) -> StoreFuture<bool>;
}
