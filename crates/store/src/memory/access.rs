//! Keys and the record of what was done, in memory.

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
    audit: Vec<AuditEntry>,
    /// How many entries were before those that are kept.
    trimmed: i64,
}

impl AccessStore for MemoryStore {
    fn add_key(&self, key: ApiKey, hash: KeyHash) -> StoreFuture<()> {
        self.with(|state| {
            key.check()?;
            let keys = &mut state.access.keys;
            if keys.contains_key(&key.id) || keys.values().any(|(taken, _)| *taken == hash) {
                return Err(StoreError::Conflict {
                    what: "key",
                    id: key.id,
                });
            }
            state.principals.insert(key.principal.clone());
            keys.insert(key.id.clone(), (hash, key));
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

    fn has_keys(&self) -> StoreFuture<bool> {
        self.with(|state| Ok(!state.access.keys.is_empty()))
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
        slice: &PageRequest,
    ) -> StoreFuture<Listing<AuditEntry>> {
        self.with(|state| {
            let before = slice.number()?.unwrap_or(i64::MAX);
            let limit = slice.bounded();
            let numbered: Vec<(i64, &AuditEntry)> = (state.access.trimmed + 1..)
                .zip(&state.access.audit)
                .collect();
            let items = numbered
                .into_iter()
                .rev()
                .filter(|(number, _)| *number < before)
                .filter(|(_, entry)| principal.is_none_or(|wanted| entry.principal == *wanted))
                .take(limit + 1)
                .collect();
            Ok(Listing::numbered(items, limit).map(AuditEntry::clone))
        })
    }

    fn prune_audit_log(&self, before: Timestamp, most: u64) -> StoreFuture<u64> {
        self.with(|state| {
            let audit = &mut state.access.audit;
            let old = audit.iter().position(|entry| entry.at >= before);
            let beyond = audit
                .len()
                .saturating_sub(usize::try_from(most).unwrap_or(usize::MAX));
            let gone = old.unwrap_or(audit.len()).max(beyond);
            audit.drain(..gone);
            state.access.trimmed += gone as i64;
            Ok(gone as u64)
        })
    }

    fn delete_principal(&self, principal: &Principal) -> StoreFuture<bool> {
        self.with(|state| {
            state
                .access
                .keys
                .retain(|_, (_, key)| key.principal != *principal);
            state.documents.forget(principal);
            state.threads.forget(principal);
            state.evidence.forget(principal);
            state.ontology.forget(principal);
            Ok(state.principals.remove(principal))
        })
    }
}
