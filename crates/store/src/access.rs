//! API keys, the audit log, and deletion of principals.

use std::fmt;

use crate::error::{Result, StoreError};
use crate::future::StoreFuture;
use crate::ids::{self, Principal, Timestamp};
use crate::paging::{Listing, PageRequest};

/// BLAKE3 hash of a key's secret, the only form in which the secret is stored.
///
/// Secrets are long and random, so a fast hash is safe.
#[derive(Clone, Copy, PartialEq, Eq, Hash)]
pub struct KeyHash([u8; 32]);

impl KeyHash {
    /// Hashes a secret.
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

/// API key, without its secret.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct ApiKey {
    /// Id; not secret.
    pub id: String,
    /// Principal of its requests.
    pub principal: Principal,
    /// Display name.
    pub name: String,
    /// Allowed scopes.
    pub scopes: Vec<String>,
    /// Time of creation.
    pub created: Timestamp,
    /// Time of expiry; `None` for a key that never expires.
    pub expires: Option<Timestamp>,
    /// Time of revocation.
    pub revoked: Option<Timestamp>,
    /// Time of the last recorded use.
    pub used: Option<Timestamp>,
}

impl ApiKey {
    /// Returns true if the key is neither revoked nor expired.
    pub fn is_valid(&self, now: Timestamp) -> bool {
        self.revoked.is_none() && self.expires.is_none_or(|expires| expires > now)
    }

    pub(crate) fn check(&self) -> Result<()> {
        ids::check_id("the key's id", &self.id)?;
        ids::check_text("the key's name", &self.name)?;
        // Scopes are stored one per line.
        let is_malformed = |scope: &String| scope.is_empty() || scope.contains(char::is_control);
        if self.scopes.iter().any(is_malformed) {
            return Err(StoreError::invalid(
                "the scope",
                "it is empty or contains control characters",
            ));
        }
        Ok(())
    }
}

/// Entry of the audit log: an action of a principal.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct AuditEntry {
    /// Principal that acted.
    pub principal: Principal,
    /// Id of the key that was used.
    pub key: Option<String>,
    /// Action, such as `thread.deleted`.
    pub action: String,
    /// Object of the action.
    pub target: String,
    /// Id of the request.
    pub request: Option<String>,
    /// Time.
    pub at: Timestamp,
}

/// API keys, the audit log, and deletion of principals.
pub trait AccessStore {
    /// Adds a key; from then on requests need one. An id or a secret that is taken is a
    /// [`StoreError::Conflict`](crate::StoreError::Conflict).
    fn add_key(&self, key: ApiKey, hash: KeyHash) -> StoreFuture<()>;

    /// Returns the key with this secret, valid or not.
    fn key(&self, hash: KeyHash) -> StoreFuture<Option<ApiKey>>;

    /// Returns true if requests need a key: from the first key on, also when all keys are revoked or deleted, until
    /// [`set_key_required`](AccessStore::set_key_required) changes it.
    fn is_key_required(&self) -> StoreFuture<bool>;

    /// Changes if requests need a key.
    fn set_key_required(&self, is_required: bool) -> StoreFuture<()>;

    /// Returns all keys, ordered by id.
    fn keys(&self) -> StoreFuture<Vec<ApiKey>>;

    /// Revokes a key. Returns false if there is none, or if it is revoked already.
    fn revoke_key(&self, id: &str, at: Timestamp) -> StoreFuture<bool>;

    /// Records the use of a key.
    fn record_key_use(&self, id: &str, at: Timestamp) -> StoreFuture<()>;

    /// Appends to the audit log. Entries stay when their principal is deleted.
    fn audit(&self, entry: AuditEntry) -> StoreFuture<()>;

    /// Lists entries of the audit log, latest first, of one principal or of all.
    fn audit_entries(
        &self,
        principal: Option<&Principal>,
        page: &PageRequest,
    ) -> StoreFuture<Listing<AuditEntry>>;

    /// Deletes the oldest entries of the audit log: those before a time, and those beyond the newest `max`.
    /// Deletes a limited number per call, so that other jobs can write in between. Returns how many; 0 when
    /// none are left to delete.
    fn prune_audit_log(&self, before: Timestamp, max: u64) -> StoreFuture<u64>;

    /// Deletes everything that a principal owns: attachments, documents that no other principal has, threads,
    /// evidence, reviews, keys, its part of the ontology. Returns true if the principal existed.
    fn delete_principal(&self, principal: &Principal) -> StoreFuture<bool>;
}
