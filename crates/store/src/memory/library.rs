//! The library and its job queue in memory.

use std::collections::BTreeMap;

use bytes::Bytes;
use documents::ContentId;

use super::{MemoryState, MemoryStore};
use crate::future::StoreFuture;
use crate::ids::{Principal, Timestamp};
use crate::library::{
    DerivedIndex, DocumentChange, LibraryCounts, LibraryEntry, LibraryJob, LibraryJobUpdate,
    LibraryState, LibraryStore, RequeueScope,
};
use crate::ontology::derived::document_label;

/// Library of all principals.
#[derive(Default)]
pub(super) struct MemoryLibrary {
    rows: BTreeMap<(Principal, ContentId), LibraryRow>,
    changes: u64,
    index: DerivedIndex,
    vectors: BTreeMap<i64, Bytes>,
}

struct LibraryRow {
    title: Option<String>,
    labels: Vec<String>,
    state: LibraryState,
    revision: u64,
    changed: u64,
    attempts: u32,
    pages_done: u32,
    chunks: u64,
    failure: Option<(String, String)>,
}

impl MemoryLibrary {
    /// Queues a principal's document, so that the index follows a change of its attachments.
    pub(super) fn enqueue(&mut self, principal: &Principal, document: ContentId) {
        self.changes += 1;
        let change = self.changes;
        let row = self.rows.entry((principal.clone(), document));
        let row = row.or_insert_with(|| LibraryRow {
            title: None,
            labels: Vec::new(),
            state: LibraryState::Queued,
            revision: 0,
            changed: 0,
            attempts: 0,
            pages_done: 0,
            chunks: 0,
            failure: None,
        });
        row.queue(change);
    }

    /// Queues a document whose last attempt failed.
    pub(super) fn enqueue_failed(&mut self, principal: &Principal, document: ContentId) {
        let row = self.rows.get(&(principal.clone(), document));
        if row.is_none_or(|row| row.state == LibraryState::Failed) {
            self.enqueue(principal, document);
        }
    }

    /// Queues all documents of a principal that is deleted, and forgets what it said about them.
    pub(super) fn delete_principal(&mut self, principal: &Principal) {
        self.changes += 1;
        let change = self.changes;
        for ((owner, _), row) in &mut self.rows {
            if owner == principal {
                (row.title, row.labels) = (None, Vec::new());
                row.queue(change);
            }
        }
    }
}

impl LibraryRow {
    fn queue(&mut self, change: u64) {
        self.state = LibraryState::Queued;
        (self.revision, self.changed) = (change, change);
        (self.attempts, self.pages_done, self.failure) = (0, 0, None);
    }

    fn update(&mut self, update: LibraryJobUpdate, change: u64, pages: Option<u32>) {
        self.changed = change;
        self.failure = None;
        self.state = match update {
            LibraryJobUpdate::Reading { pages } => {
                self.pages_done = pages;
                LibraryState::Reading
            }
            LibraryJobUpdate::Indexing => {
                self.pages_done = pages.unwrap_or_default();
                LibraryState::Indexing
            }
            LibraryJobUpdate::Indexed { chunks } => {
                self.pages_done = pages.unwrap_or_default();
                self.chunks = chunks.into();
                LibraryState::Ready
            }
            LibraryJobUpdate::Removed => {
                self.chunks = 0;
                LibraryState::Removed
            }
            LibraryJobUpdate::Failed { reason, hint } => {
                self.chunks = 0;
                self.failure = Some((reason, hint));
                LibraryState::Failed
            }
            LibraryJobUpdate::Retry { reason, hint } => {
                self.failure = Some((reason, hint));
                self.revision = change;
                LibraryState::Queued
            }
        };
    }
}

fn entry(
    state: &MemoryState,
    (principal, document): &(Principal, ContentId),
    row: &LibraryRow,
    now: Timestamp,
) -> LibraryEntry {
    let current = state.documents.current(principal, *document, now);
    let attachment = current.as_ref().map(|(attachment, _)| attachment);
    let content = attachment.map(|attachment| &attachment.document);
    let (reason, hint) = row.failure.clone().unzip();
    LibraryEntry {
        document: *document,
        attachment: attachment.map(|attachment| attachment.id.clone()),
        name: attachment.map_or_else(String::new, |attachment| attachment.name.clone()),
        origin: attachment.and_then(|attachment| attachment.origin.clone()),
        created: attachment.map_or(Timestamp(0), |attachment| attachment.created),
        title: row
            .title
            .clone()
            .or_else(|| content.and_then(|content| content.title.clone())),
        labels: row.labels.clone(),
        is_superseded: current.as_ref().is_some_and(|(_, superseded)| *superseded),
        pages: content.and_then(|content| content.pages),
        state: row.state,
        pages_done: row.pages_done,
        attempts: row.attempts,
        reason,
        hint,
        changed: row.changed,
    }
}

impl LibraryStore for MemoryStore {
    fn library_entries(
        &self,
        principal: &Principal,
        documents: &[ContentId],
        now: Timestamp,
    ) -> StoreFuture<Vec<LibraryEntry>> {
        self.with(|state| {
            let found = documents.iter().filter_map(|document| {
                let key = (principal.clone(), *document);
                let row = state.library.rows.get(&key)?;
                let entry = entry(state, &key, row, now);
                entry.attachment.is_some().then_some(entry)
            });
            Ok(found.collect())
        })
    }

    fn library_changes(
        &self,
        principal: &Principal,
        after: u64,
        limit: usize,
        now: Timestamp,
    ) -> StoreFuture<Vec<LibraryEntry>> {
        self.with(|state| {
            let rows = state.library.rows.iter();
            let mut changed: Vec<LibraryEntry> = rows
                .filter(|((owner, _), row)| owner == principal && row.changed > after)
                .map(|(key, row)| entry(state, key, row, now))
                .collect();
            changed.sort_by_key(|entry| entry.changed);
            changed.truncate(limit);
            Ok(changed)
        })
    }

    fn last_library_change(&self) -> StoreFuture<u64> {
        self.with(|state| Ok(state.library.changes))
    }

    fn change_document(
        &self,
        principal: &Principal,
        document: ContentId,
        change: DocumentChange,
    ) -> StoreFuture<bool> {
        self.with(|state| {
            change.check()?;
            if state.documents.is_missing(principal, document) {
                return Ok(false);
            }
            let Some(row) = state.library.rows.get_mut(&(principal.clone(), document)) else {
                return Ok(false);
            };
            let title = change.title.clone().unwrap_or_else(|| row.title.clone());
            let labels = change.labels_after(row.labels.clone())?;
            if (&title, &labels) == (&row.title, &row.labels) {
                return Ok(true);
            }
            let before = std::mem::replace(&mut row.labels, labels.clone());
            row.title = title;
            let created = state.documents.latest(principal, document);
            let created = created.map_or(Timestamp(0), |latest| latest.document.created);
            let record = |label: &String| document_label(principal, document, label, created);
            let removed = before.iter().filter(|label| !labels.contains(label));
            let added = labels.iter().filter(|label| !before.contains(label));
            let (removed, added) = (removed.map(record).collect(), added.map(record).collect());
            state.ontology.relabel(principal, removed, added);
            state.library.enqueue(principal, document);
            super::documents::note_document_change(state, principal, document);
            Ok(true)
        })
    }

    fn labels(&self, principal: &Principal) -> StoreFuture<Vec<(String, u64)>> {
        self.with(|state| {
            let mut counts = BTreeMap::new();
            for ((owner, _), row) in &state.library.rows {
                if owner == principal && row.state != LibraryState::Removed {
                    for label in &row.labels {
                        *counts.entry(label.clone()).or_insert(0) += 1;
                    }
                }
            }
            Ok(counts.into_iter().collect())
        })
    }

    fn claim_library_jobs(&self, limit: usize) -> StoreFuture<Vec<LibraryJob>> {
        self.with(|state| {
            let library = &mut state.library;
            let mut queues: BTreeMap<Principal, Vec<(u64, ContentId)>> = BTreeMap::new();
            for ((principal, document), row) in &library.rows {
                if row.state == LibraryState::Queued {
                    let queue = queues.entry(principal.clone()).or_default();
                    queue.push((row.revision, *document));
                }
            }
            let share = limit.div_ceil(queues.len().max(1));
            let mut jobs = Vec::new();
            for (principal, mut queue) in queues {
                if jobs.len() >= limit {
                    break;
                }
                queue.sort_by_key(|(revision, _)| *revision);
                for (revision, document) in queue.into_iter().take(share) {
                    let Some(row) = library.rows.get_mut(&(principal.clone(), document)) else {
                        continue;
                    };
                    library.changes += 1;
                    row.changed = library.changes;
                    row.state = LibraryState::Reading;
                    row.attempts += 1;
                    jobs.push(LibraryJob {
                        principal: principal.clone(),
                        document,
                        revision,
                        attempts: row.attempts,
                    });
                }
            }
            Ok(jobs)
        })
    }

    fn update_library_jobs(&self, updates: Vec<(LibraryJob, LibraryJobUpdate)>) -> StoreFuture<()> {
        self.with(|state| {
            for (job, update) in updates {
                let pages = state.documents.pages(job.document);
                let library = &mut state.library;
                library.changes += 1;
                let key = (job.principal, job.document);
                if let Some(row) = library.rows.get_mut(&key)
                    && row.revision == job.revision
                {
                    row.update(update, library.changes, pages);
                }
            }
            Ok(())
        })
    }

    fn requeue_document(&self, principal: &Principal, document: ContentId) -> StoreFuture<bool> {
        self.with(|state| {
            if state.documents.is_missing(principal, document) {
                return Ok(false);
            }
            state.library.enqueue(principal, document);
            Ok(true)
        })
    }

    fn requeue_library(&self, scope: RequeueScope) -> StoreFuture<u64> {
        self.with(|state| {
            let library = &mut state.library;
            library.changes += 1;
            let change = library.changes;
            library
                .rows
                .retain(|_, row| row.state != LibraryState::Removed);
            let mut count = 0;
            for row in library.rows.values_mut() {
                let is_unfinished =
                    matches!(row.state, LibraryState::Reading | LibraryState::Indexing);
                match scope {
                    RequeueScope::All => row.queue(change),
                    RequeueScope::Unfinished if is_unfinished => {
                        row.state = LibraryState::Queued;
                        (row.revision, row.changed) = (change, change);
                    }
                    RequeueScope::Unfinished => continue,
                }
                count += 1;
            }
            Ok(count)
        })
    }

    fn library_counts(&self) -> StoreFuture<LibraryCounts> {
        self.with(|state| {
            let mut counts = LibraryCounts::default();
            for row in state.library.rows.values() {
                match row.state {
                    LibraryState::Ready => {
                        counts.ready += 1;
                        counts.chunks += row.chunks;
                    }
                    LibraryState::Failed => counts.failed += 1,
                    LibraryState::Removed => {}
                    _ => counts.open += 1,
                }
            }
            Ok(counts)
        })
    }

    fn derived_index(&self) -> StoreFuture<DerivedIndex> {
        self.with(|state| Ok(state.library.index.clone()))
    }

    fn set_search_index(&self, id: Option<String>) -> StoreFuture<()> {
        self.with(|state| {
            state.library.index.id = id;
            Ok(())
        })
    }

    fn set_vector_model(&self, model: Option<(String, u32)>) -> StoreFuture<()> {
        self.with(|state| {
            if state.library.index.model != model {
                state.library.vectors.clear();
            }
            state.library.index.model = model;
            Ok(())
        })
    }

    fn store_vectors(&self, vectors: Vec<(u64, Bytes)>) -> StoreFuture<()> {
        self.with(|state| {
            let vectors = vectors.into_iter();
            let signed = vectors.map(|(key, vector)| (key.cast_signed(), vector));
            state.library.vectors.extend(signed);
            Ok(())
        })
    }

    fn remove_vectors(&self, keys: Vec<u64>) -> StoreFuture<()> {
        self.with(|state| {
            for key in keys {
                state.library.vectors.remove(&key.cast_signed());
            }
            Ok(())
        })
    }

    fn vectors(&self, after: Option<u64>, limit: usize) -> StoreFuture<Vec<(u64, Bytes)>> {
        self.with(|state| {
            let after = after.map(u64::cast_signed);
            let vectors = state.library.vectors.iter();
            let later = vectors.filter(|(key, _)| after.is_none_or(|after| **key > after));
            let page = later.take(limit);
            Ok(page
                .map(|(key, vector)| (key.cast_unsigned(), vector.clone()))
                .collect())
        })
    }
}
