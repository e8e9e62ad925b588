//! Records of a conversation: messages of the canvas, executions of actions, shared context.

use bytes::Bytes;

use crate::error::{Result, StoreError};
use crate::future::StoreFuture;
use crate::ids::{self, Principal, ThreadId, Timestamp};
use crate::paging::{Listing, PageRequest};

/// Longest JSON of a record, in bytes.
const MAX_RECORD_BYTES: usize = 16 << 20;

/// JSON document that belongs to a thread and is deleted with it.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct ConversationRecord {
    /// Kind, which is a list of its own.
    pub kind: String,
    /// Id, unique within thread and kind.
    pub id: String,
    /// JSON text.
    pub json: Bytes,
    /// Time of creation.
    pub created: Timestamp,
    /// Time of the last change.
    pub updated: Timestamp,
}

/// Records of conversations, in the order in which they were first stored.
pub trait ConversationStore {
    /// Stores a record unless there is one of its kind and id. Returns the existing one.
    fn insert_record(
        &self,
        principal: &Principal,
        thread: &ThreadId,
        record: ConversationRecord,
    ) -> StoreFuture<Option<ConversationRecord>>;

    /// Stores a record, in place of the one of its kind and id, whose position and time of creation it keeps.
    fn put_record(
        &self,
        principal: &Principal,
        thread: &ThreadId,
        record: ConversationRecord,
    ) -> StoreFuture<()>;

    /// Returns a record.
    fn record(
        &self,
        principal: &Principal,
        thread: &ThreadId,
        kind: &str,
        id: &str,
    ) -> StoreFuture<Option<ConversationRecord>>;

    /// Lists the records of a kind, the oldest first.
    fn records(
        &self,
        principal: &Principal,
        thread: &ThreadId,
        kind: &str,
        page: &PageRequest,
    ) -> StoreFuture<Listing<ConversationRecord>>;

    /// Deletes a record. Returns false if there is none.
    fn delete_record(
        &self,
        principal: &Principal,
        thread: &ThreadId,
        kind: &str,
        id: &str,
    ) -> StoreFuture<bool>;
}

impl ConversationRecord {
    pub(crate) fn check(&self) -> Result<()> {
        ids::check_id("the kind", &self.kind)?;
        ids::check_id("the id", &self.id)?;
        if self.json.len() > MAX_RECORD_BYTES {
            return Err(StoreError::invalid(
                "the record",
                "it is longer than 16 MiB",
            ));
        }
        Ok(())
    }
}
