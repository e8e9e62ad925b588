//! Records of conversations in memory.

use super::MemoryStore;
use crate::conversation_records::{ConversationRecord, ConversationStore};
use crate::future::StoreFuture;
use crate::ids::{Principal, ThreadId};
use crate::paging::{Listing, PageRequest};

impl ConversationStore for MemoryStore {
    fn insert_record(
        &self,
        principal: &Principal,
        thread: &ThreadId,
        record: ConversationRecord,
    ) -> StoreFuture<Option<ConversationRecord>> {
        self.with(|state| {
            record.check()?;
            let records = &mut state.threads.get_mut(principal, thread)?.records;
            let existing = position(records, &record.kind, &record.id);
            match existing {
                Some(existing) => Ok(Some(records[existing].clone())),
                None => {
                    records.push(record);
                    Ok(None)
                }
            }
        })
    }

    fn put_record(
        &self,
        principal: &Principal,
        thread: &ThreadId,
        record: ConversationRecord,
    ) -> StoreFuture<()> {
        self.with(|state| {
            record.check()?;
            let records = &mut state.threads.get_mut(principal, thread)?.records;
            match position(records, &record.kind, &record.id) {
                Some(existing) => {
                    records[existing].json = record.json;
                    records[existing].updated = record.updated;
                }
                None => records.push(record),
            }
            Ok(())
        })
    }

    fn record(
        &self,
        principal: &Principal,
        thread: &ThreadId,
        kind: &str,
        id: &str,
    ) -> StoreFuture<Option<ConversationRecord>> {
        self.with(|state| {
            let records = &state.threads.get(principal, thread)?.records;
            Ok(position(records, kind, id).map(|at| records[at].clone()))
        })
    }

    fn records(
        &self,
        principal: &Principal,
        thread: &ThreadId,
        kind: &str,
        page: &PageRequest,
    ) -> StoreFuture<Listing<ConversationRecord>> {
        self.with(|state| {
            let after = page.number()?.unwrap_or(0);
            let limit = page.bounded_limit();
            let records = &state.threads.get(principal, thread)?.records;
            let items = (1..).zip(records.iter());
            let items = items
                .filter(|(number, record)| *number > after && record.kind == kind)
                .map(|(number, record)| (number, record.clone()));
            let items = items.take(limit + 1).collect();
            Ok(Listing::from_numbered(items, limit))
        })
    }

    fn delete_record(
        &self,
        principal: &Principal,
        thread: &ThreadId,
        kind: &str,
        id: &str,
    ) -> StoreFuture<bool> {
        self.with(|state| {
            let records = &mut state.threads.get_mut(principal, thread)?.records;
            let found = position(records, kind, id);
            // The kind becomes empty instead, so that the positions of the others stay.
            Ok(found.map(|at| records[at].kind.clear()).is_some())
        })
    }
}

fn position(records: &[ConversationRecord], kind: &str, id: &str) -> Option<usize> {
    records
        .iter()
        .position(|record| record.kind == kind && record.id == id)
}
