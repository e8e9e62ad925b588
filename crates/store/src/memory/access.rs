//! Keys and the audit log in memory.

use std::collections::BTreeMap;

use super::MemoryStore;
use crate::access::{AccessStore, ApiKey, AuditEntry, KeyHash};
use crate::error::StoreError;
use crate::future::StoreFuture;
use crate::ids::{Principal, Timestamp};
use crate::paging::{Listing, PageRequest};

#[derive(Default)]
pub(super) struct MemoryAccess {
    keys: BTreeMap<String, (KeyHash, ApiKey)>,
    is_key_required: bool,
    audit: Vec<AuditEntry>,
    /// Number of entries that were deleted.
    pruned: i64,
}

impl AccessStore for MemoryStore {
    fn add_key(&self, key: ApiKey, hash: KeyHash) -> StoreFuture<()> {
        self.with(|state| {
            key.check()?;
            let keys = &state.access.keys;
            if keys.contains_key(&key.id) || keys.values().any(|(taken, _)| *taken == hash) {
                return Err(StoreError::Conflict {
                    what: "key",
                    id: key.id,
                });
            }
            state.add_principal(&key.principal, key.created);
            state.access.keys.insert(key.id.clone(), (hash, key));
            state.access.is_key_required = true;
            Ok(())
        })
    }

    fn key(&self, hash: KeyHash) -> StoreFuture<Option<ApiKey>> {
        self.with(|state| {
            let mut keys = state.access.keys.values();
            let found = keys.find(|(known, _)| *known == hash);
            Ok(found.map(|(_, key)| key.clone()))
        })
    }

    fn is_key_required(&self) -> StoreFuture<bool> {
        self.with(|state| Ok(state.access.is_key_required))
    }

    fn set_key_required(&self, is_required: bool) -> StoreFuture<()> {
        self.with(|state| {
            state.access.is_key_required = is_required;
            Ok(())
        })
    }

    fn keys(&self) -> StoreFuture<Vec<ApiKey>> {
        self.with(|state| {
            let keys = state.access.keys.values();
            Ok(keys.map(|(_, key)| key.clone()).collect())
        })
    }

    fn revoke_key(&self, id: &str, at: Timestamp) -> StoreFuture<bool> {
        self.with(|state| match state.access.keys.get_mut(id) {
            Some((_, key)) if key.revoked.is_none() => {
                key.revoked = Some(at);
                Ok(true)
            }
            _ => Ok(false),
        })
    }

    fn record_key_use(&self, id: &str, at: Timestamp) -> StoreFuture<()> {
        self.with(|state| {
            if let Some((_, key)) = state.access.keys.get_mut(id) {
                key.used = Some(at);
            }
            Ok(())
        })
    }

    fn audit(&self, entry: AuditEntry) -> StoreFuture<()> {
        self.with(|state| {
            state.access.audit.push(entry);
            Ok(())
        })
    }

    fn audit_entries(
        &self,
        principal: Option<&Principal>,
        page: &PageRequest,
    ) -> StoreFuture<Listing<AuditEntry>> {
        self.with(|state| {
            let before = page.number()?.unwrap_or(i64::MAX);
            let limit = page.bounded_limit();
            let numbered: Vec<(i64, &AuditEntry)> = (state.access.pruned + 1..)
                .zip(&state.access.audit)
                .collect();
            let items = numbered
                .into_iter()
                .rev()
                .filter(|(number, _)| *number < before)
                .filter(|(_, entry)| principal.is_none_or(|wanted| entry.principal == *wanted))
                .take(limit + 1)
                .collect();
            Ok(Listing::from_numbered(items, limit).map(AuditEntry::clone))
        })
    }

    fn prune_audit_log(&self, before: Timestamp, max: u64) -> StoreFuture<u64> {
        self.with(|state| {
            let audit = &mut state.access.audit;
            let first_kept = audit.iter().position(|entry| entry.at >= before);
            let excess = audit
                .len()
                .saturating_sub(usize::try_from(max).unwrap_or(usize::MAX));
            let count = first_kept.unwrap_or(audit.len()).max(excess);
            audit.drain(..count);
            state.access.pruned += count as i64;
            Ok(count as u64)
        })
    }

    fn delete_principal(&self, principal: &Principal) -> StoreFuture<bool> {
        self.with(|state| {
            state
                .access
                .keys
                .retain(|_, (_, key)| key.principal != *principal);
            state.catalogue.delete_principal(principal);
            state.documents.delete_principal(principal);
            state.library.delete_principal(principal);
            state.threads.delete_principal(principal);
            state.evidence.delete_principal(principal);
            state.ontology.delete_principal(principal);
            Ok(state.principals.remove(principal))
        })
    }
}
