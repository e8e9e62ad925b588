//! Catalogue of music credits: versioned JSON records of several kinds.

use bytes::Bytes;

use crate::error::{Result, StoreError};
use crate::future::StoreFuture;
use crate::ids::{self, Principal, Timestamp};

/// Longest JSON of a record, in bytes.
const MAX_CATALOGUE_BYTES: usize = 16 << 20;

/// Stored record of a catalogue.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct CatalogueRecord {
    /// Kind, such as `attribution`.
    pub kind: String,
    /// Id, unique within principal and kind.
    pub id: String,
    /// Version that the writer gave it.
    pub version: u64,
    /// Number of the change, which grows with every write of the store.
    pub revision: u64,
    /// JSON text; empty for a deleted record.
    pub json: Bytes,
    /// Time of the last change.
    pub updated: Timestamp,
}

/// Change of a record.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct CatalogueWrite {
    /// Kind.
    pub kind: String,
    /// Id.
    pub id: String,
    /// New version.
    pub version: u64,
    /// Version that the record must have now: 0 for none at all, `None` for any.
    pub expected: Option<u64>,
    /// JSON text; empty deletes the record.
    pub json: Bytes,
}

/// Records of the catalogues of principals.
pub trait CatalogueStore {
    /// Stores all changes or none. Fails with [`StoreError::Conflict`] if a record has another version than expected.
    /// A record whose JSON stays the same is not written. Returns the number of records that were written.
    fn put_catalogue(
        &self,
        principal: &Principal,
        writes: Vec<CatalogueWrite>,
        at: Timestamp,
    ) -> StoreFuture<usize>;

    /// Returns the records of a kind that exist, in the order of the ids.
    fn catalogue_records(
        &self,
        principal: &Principal,
        kind: &str,
        ids: Vec<String>,
    ) -> StoreFuture<Vec<CatalogueRecord>>;

    /// Returns the records of a kind that changed after a revision, the oldest change first; deleted ones have no JSON.
    fn catalogue_changes(
        &self,
        principal: &Principal,
        kind: &str,
        after: u64,
        limit: usize,
    ) -> StoreFuture<Vec<CatalogueRecord>>;
}

impl CatalogueWrite {
    pub(crate) fn check(&self) -> Result<()> {
        ids::check_id("the kind", &self.kind)?;
        if self.id.is_empty() || self.id.len() > 512 {
            return Err(StoreError::invalid("the id", "it must have 1 to 512 bytes"));
        }
        if self.json.len() > MAX_CATALOGUE_BYTES {
            return Err(StoreError::invalid(
                "the record",
                "it is longer than 16 MiB",
            ));
        }
        Ok(())
    }

    /// Checks the expected version against the current one; `None` if there is no record.
    pub(crate) fn check_version(&self, current: Option<u64>) -> Result<()> {
        match self.expected {
            Some(expected) if expected != current.unwrap_or(0) => Err(StoreError::Conflict {
                what: "record",
                id: self.id.clone(),
            }),
            _ => Ok(()),
        }
    }
}
