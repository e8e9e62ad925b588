//! Catalogues in memory.

use std::collections::BTreeMap;

use super::MemoryStore;
use crate::catalogue::{CatalogueRecord, CatalogueStore, CatalogueWrite};
use crate::future::StoreFuture;
use crate::ids::{Principal, Timestamp};

/// Catalogues of all principals.
#[derive(Default)]
pub(super) struct MemoryCatalogue {
    records: BTreeMap<(String, String, String), CatalogueRecord>,
    revision: u64,
}

impl MemoryCatalogue {
    /// Removes the catalogue of a principal.
    pub(super) fn delete_principal(&mut self, principal: &Principal) {
        self.records
            .retain(|(owner, ..), _| owner != principal.as_str());
    }
}

fn key(principal: &Principal, kind: &str, id: &str) -> (String, String, String) {
    (
        principal.as_str().to_owned(),
        kind.to_owned(),
        id.to_owned(),
    )
}

impl CatalogueStore for MemoryStore {
    fn put_catalogue(
        &self,
        principal: &Principal,
        writes: Vec<CatalogueWrite>,
        at: Timestamp,
    ) -> StoreFuture<usize> {
        self.with(|state| {
            state.add_principal(principal, at);
            let catalogue = &mut state.catalogue;
            for write in &writes {
                write.check()?;
                let current = catalogue
                    .records
                    .get(&key(principal, &write.kind, &write.id));
                write.check_version(
                    current
                        .filter(|record| !record.json.is_empty())
                        .map(|record| record.version),
                )?;
            }
            let mut written = 0;
            for write in writes {
                let key = key(principal, &write.kind, &write.id);
                let current = catalogue.records.get(&key).map(|record| &record.json);
                let is_nothing = current.is_none() && write.json.is_empty();
                if is_nothing || current == Some(&write.json) {
                    continue;
                }
                catalogue.revision += 1;
                written += 1;
                let record = CatalogueRecord {
                    kind: write.kind,
                    id: write.id,
                    version: write.version,
                    revision: catalogue.revision,
                    json: write.json,
                    updated: at,
                };
                catalogue.records.insert(key, record);
            }
            Ok(written)
        })
    }

    fn catalogue_records(
        &self,
        principal: &Principal,
        kind: &str,
        ids: Vec<String>,
    ) -> StoreFuture<Vec<CatalogueRecord>> {
        self.with(|state| {
            let found = ids
                .iter()
                .filter_map(|id| state.catalogue.records.get(&key(principal, kind, id)));
            Ok(found
                .filter(|record| !record.json.is_empty())
                .cloned()
                .collect())
        })
    }

    fn catalogue_changes(
        &self,
        principal: &Principal,
        kind: &str,
        after: u64,
        limit: usize,
    ) -> StoreFuture<Vec<CatalogueRecord>> {
        self.with(|state| {
            let records = state.catalogue.records.range(key(principal, kind, "")..);
            let mut changed: Vec<CatalogueRecord> = records
                .take_while(|((owner, of_kind, _), _)| {
                    owner == principal.as_str() && of_kind == kind
                })
                .map(|(_, record)| record)
                .filter(|record| record.revision > after)
                .cloned()
                .collect();
            changed.sort_by_key(|record| record.revision);
            changed.truncate(limit);
            Ok(changed)
        })
    }
}
