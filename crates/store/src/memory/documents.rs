//! Documents and attachments in memory.

use std::collections::{BTreeMap, HashMap};

use bytes::Bytes;
use documents::ContentId;

use super::versions::supersede_others;
use super::{MemoryStore, newest_first};
use crate::documents::{
    AttachOutcome, Attachment, DocumentDescription, DocumentStatus, DocumentStore, MAX_NAMED,
    NewAttachment, ORIGINAL, StoredDocument, check_part_name,
};
use crate::error::StoreError;
use crate::future::StoreFuture;
use crate::ids::{AttachmentId, Principal, Timestamp};
use crate::ontology::{derived, document_id};
use crate::paging::{Listing, PageRequest};

#[derive(Default)]
pub(super) struct MemoryDocuments {
    pub(super) documents: HashMap<ContentId, MemoryDocument>,
    pub(super) attachments: BTreeMap<Principal, BTreeMap<AttachmentId, MemoryAttachment>>,
    /// Number of the last change of each principal's document as a thing.
    changes: HashMap<(Principal, ContentId), u64>,
    last_number: u64,
}

pub(super) struct MemoryDocument {
    pub(super) document: StoredDocument,
    /// Number of attachments.
    names: usize,
    parts: HashMap<String, Bytes>,
}

/// Attachment that refers to its document.
pub(super) struct MemoryAttachment {
    /// Number in the order of creation.
    number: u64,
    pub(super) document: ContentId,
    name: String,
    end_user: Option<String>,
    pub(super) origin: Option<String>,
    pub(super) created: Timestamp,
    expires: Option<Timestamp>,
    /// True if a newer version of the same origin is attached.
    pub(super) is_superseded: bool,
}

impl MemoryDocuments {
    fn find(&self, principal: &Principal, id: &AttachmentId, now: Timestamp) -> Option<Attachment> {
        let named = self.attachments.get(principal)?.get(id)?;
        self.present(
            principal,
            id,
            Some(named).filter(|named| named.is_live(now))?,
        )
    }

    pub(super) fn present(
        &self,
        principal: &Principal,
        id: &AttachmentId,
        named: &MemoryAttachment,
    ) -> Option<Attachment> {
        Some(Attachment {
            id: id.clone(),
            name: named.name.clone(),
            document: self.document_for(principal, named.document)?,
            end_user: named.end_user.clone(),
            origin: named.origin.clone(),
            created: named.created,
            expires: named.expires,
        })
    }

    /// Returns a document as a principal sees it: without a trace of other principals that have it.
    fn document_for(&self, principal: &Principal, id: ContentId) -> Option<StoredDocument> {
        let own = self.of(principal).filter(|(_, named)| named.document == id);
        let created = own.map(|(_, named)| named.created).min()?;
        let document = self.documents.get(&id)?.document.clone();
        Some(StoredDocument {
            created,
            ..document
        })
    }

    /// Returns the principal's latest attachment of a document, expired or not.
    pub(super) fn latest(&self, principal: &Principal, document: ContentId) -> Option<Attachment> {
        let own = self.of(principal);
        let named = own.filter(|(_, named)| named.document == document);
        let (id, named) = named.max_by_key(|(id, named)| (named.created, *id))?;
        self.present(principal, id, named)
    }

    /// Returns each document of a principal under its latest name, with the number of its first attachment and
    /// the number of its last change.
    pub(super) fn latest_attachments(&self, principal: &Principal) -> Vec<(u64, u64, Attachment)> {
        let mut firsts: HashMap<ContentId, (Timestamp, u64)> = HashMap::new();
        for (_, named) in self.of(principal) {
            let order = (named.created, named.number);
            let first = firsts.entry(named.document).or_insert(order);
            *first = order.min(*first);
        }
        let latest = firsts.into_iter().filter_map(|(id, (_, number))| {
            let changed = self.changes.get(&(principal.clone(), id))?;
            Some((number, *changed, self.latest(principal, id)?))
        });
        latest.collect()
    }

    fn attached(
        &self,
        principal: &Principal,
        id: ContentId,
        now: Timestamp,
    ) -> Option<&MemoryDocument> {
        self.of(principal)
            .any(|(_, named)| named.document == id && named.is_live(now))
            .then(|| self.documents.get(&id))?
    }

    pub(super) fn of(
        &self,
        principal: &Principal,
    ) -> impl Iterator<Item = (&AttachmentId, &MemoryAttachment)> {
        self.attachments.get(principal).into_iter().flatten()
    }

    /// Removes a reference to a document, and the document with its last one.
    fn release(&mut self, document: ContentId) {
        if let Some(held) = self.documents.get_mut(&document) {
            held.names -= 1;
            if held.names == 0 {
                self.documents.remove(&document);
            }
        }
    }

    /// Stores a file under a name. Returns the document that had the name before.
    fn insert(
        &mut self,
        principal: &Principal,
        document: ContentId,
        new: NewAttachment,
    ) -> Option<ContentId> {
        let held = self
            .documents
            .entry(document)
            .or_insert_with(|| MemoryDocument {
                names: 0,
                document: StoredDocument {
                    id: document,
                    media_type: new.media_type,
                    size: new.original.len() as u64,
                    pages: None,
                    title: None,
                    status: DocumentStatus::Received,
                    created: new.created,
                },
                parts: HashMap::from([(ORIGINAL.to_owned(), new.original)]),
            });
        held.names += 1;
        let names = self.attachments.entry(principal.clone()).or_default();
        self.last_number += 1;
        let named = MemoryAttachment {
            // A name that is used again keeps its number.
            number: names
                .get(&new.id)
                .map_or(self.last_number, |before| before.number),
            document,
            name: new.name,
            end_user: new.end_user,
            origin: new.origin,
            created: new.created,
            expires: new.expires,
            is_superseded: false,
        };
        let replaced = names.insert(new.id, named)?.document;
        self.release(replaced);
        Some(replaced)
    }

    pub(super) fn delete_principal(&mut self, principal: &Principal) {
        self.changes.retain(|(owner, _), _| owner != principal);
        for (_, named) in self.attachments.remove(principal).into_iter().flatten() {
            self.release(named.document);
        }
    }
}

impl MemoryAttachment {
    pub(super) fn is_live(&self, now: Timestamp) -> bool {
        self.expires.is_none_or(|expires| expires > now)
    }
}

/// Records for live queries that a principal's document has changed or is gone.
pub(super) fn note_document_change(
    state: &mut super::MemoryState,
    principal: &Principal,
    id: ContentId,
) {
    let key = (principal.clone(), id);
    if state.documents.latest(principal, id).is_some() {
        let changed = state.ontology.next_change(principal);
        state.documents.changes.insert(key, changed);
    } else {
        state.documents.changes.remove(&key);
        state.ontology.unlink(principal, &document_id(id));
        let removed = derived::removed(principal, "document", document_id(id));
        state.ontology.remove_things(principal, vec![removed]);
    }
}

impl DocumentStore for MemoryStore {
    fn attach(&self, principal: &Principal, new: NewAttachment) -> StoreFuture<AttachOutcome> {
        let document = ContentId::of(&new.original);
        self.with(|state| {
            new.check()?;
            state.add_principal(principal, new.created);
            let held = &mut state.documents;
            if let Some(attachment) = held.find(principal, &new.id, new.created) {
                if attachment.document.id != document {
                    return Err(StoreError::Conflict {
                        what: "attachment",
                        id: new.id.to_string(),
                    });
                }
                state.library.enqueue_failed(principal, document);
                supersede_others(state, principal, &new.id, new.origin.as_deref());
                return Ok(AttachOutcome {
                    attachment,
                    existed: true,
                });
            }
            let (id, origin) = (new.id.clone(), new.origin.clone());
            let replaced = held.insert(principal, document, new);
            for document in replaced.into_iter().chain([document]) {
                note_document_change(state, principal, document);
                state.library.enqueue(principal, document);
            }
            supersede_others(state, principal, &id, origin.as_deref());
            let named = state.documents.attachments.get(principal);
            let named = named.and_then(|names| names.get(&id));
            let attachment = named.and_then(|named| state.documents.present(principal, &id, named));
            Ok(AttachOutcome {
                attachment: attachment.ok_or(StoreError::NotFound { what: "attachment" })?,
                existed: false,
            })
        })
    }

    fn attachment(
        &self,
        principal: &Principal,
        id: &AttachmentId,
        now: Timestamp,
    ) -> StoreFuture<Option<Attachment>> {
        self.with(|state| Ok(state.documents.find(principal, id, now)))
    }

    fn attachments(
        &self,
        principal: &Principal,
        page: &PageRequest,
        now: Timestamp,
    ) -> StoreFuture<Listing<Attachment>> {
        self.with(|state| {
            let state = &state.documents;
            let items = state
                .of(principal)
                .filter(|(_, named)| named.is_live(now))
                .filter_map(|(id, named)| state.present(principal, id, named))
                .collect();
            Ok(newest_first(
                items,
                page.position()?.as_ref(),
                page.bounded_limit(),
                |item: &Attachment| (item.created.0, item.id.to_string()),
            ))
        })
    }

    fn attachments_named(
        &self,
        principal: &Principal,
        name: &str,
        now: Timestamp,
    ) -> StoreFuture<Vec<Attachment>> {
        self.with(|state| {
            let state = &state.documents;
            let is_called = |named: &MemoryAttachment| {
                let document = state.documents.get(&named.document);
                let title = document.and_then(|held| held.document.title.as_deref());
                named.name == name || named.origin.as_deref() == Some(name) || title == Some(name)
            };
            let items = state
                .of(principal)
                .filter(|(_, named)| named.is_live(now) && is_called(named))
                .filter_map(|(id, named)| state.present(principal, id, named))
                .collect();
            let newest = newest_first(items, None, MAX_NAMED, |item: &Attachment| {
                (item.created.0, item.id.to_string())
            });
            Ok(newest.items)
        })
    }

    fn extend(
        &self,
        principal: &Principal,
        id: &AttachmentId,
        expires: Option<Timestamp>,
        now: Timestamp,
    ) -> StoreFuture<Option<Attachment>> {
        self.with(|state| {
            let state = &mut state.documents;
            let names = state.attachments.get_mut(principal);
            match names.and_then(|names| names.get_mut(id)) {
                Some(named) if named.is_live(now) => named.expires = expires,
                _ => return Ok(None),
            }
            Ok(state.find(principal, id, now))
        })
    }

    fn detach(&self, principal: &Principal, id: &AttachmentId) -> StoreFuture<bool> {
        self.with(|state| {
            let names = state.documents.attachments.get_mut(principal);
            let Some(named) = names.and_then(|names| names.remove(id)) else {
                return Ok(false);
            };
            state.documents.release(named.document);
            note_document_change(state, principal, named.document);
            state.library.enqueue(principal, named.document);
            Ok(true)
        })
    }

    fn expire(&self, now: Timestamp) -> StoreFuture<usize> {
        self.with(|state| {
            let mut gone = Vec::new();
            for (principal, names) in &mut state.documents.attachments {
                let expired = names.extract_if(.., |_, named| !named.is_live(now));
                gone.extend(expired.map(|(_, named)| (principal.clone(), named.document)));
            }
            for (principal, document) in &gone {
                state.documents.release(*document);
                note_document_change(state, principal, *document);
                state.library.enqueue(principal, *document);
            }
            Ok(gone.len())
        })
    }

    fn document(
        &self,
        principal: &Principal,
        id: ContentId,
        now: Timestamp,
    ) -> StoreFuture<Option<StoredDocument>> {
        self.with(|state| {
            let held = state.documents.attached(principal, id, now);
            Ok(held.and_then(|_| state.documents.document_for(principal, id)))
        })
    }

    fn describe_document(
        &self,
        id: ContentId,
        description: DocumentDescription,
    ) -> StoreFuture<bool> {
        self.with(|state| {
            let Some(held) = state.documents.documents.get_mut(&id) else {
                return Ok(false);
            };
            let document = &mut held.document;
            if let Some(media_type) = description.media_type {
                document.media_type = media_type;
            }
            document.pages = description.pages;
            document.title = description.title;
            document.status = description.status;
            let names = state.documents.attachments.iter();
            let has = |names: &BTreeMap<_, MemoryAttachment>| {
                names.values().any(|named| named.document == id)
            };
            let owners: Vec<Principal> = names
                .filter(|(_, names)| has(names))
                .map(|(owner, _)| owner.clone())
                .collect();
            for owner in &owners {
                note_document_change(state, owner, id);
            }
            Ok(true)
        })
    }

    fn store_part(&self, id: ContentId, name: &str, bytes: Bytes) -> StoreFuture<bool> {
        self.with(|state| {
            check_part_name(name)?;
            let Some(held) = state.documents.documents.get_mut(&id) else {
                return Ok(false);
            };
            held.parts.insert(name.to_owned(), bytes);
            Ok(true)
        })
    }

    fn part(
        &self,
        principal: &Principal,
        id: ContentId,
        name: &str,
        now: Timestamp,
    ) -> StoreFuture<Option<Bytes>> {
        self.with(|state| {
            let held = state.documents.attached(principal, id, now);
            Ok(held.and_then(|held| held.parts.get(name)).cloned())
        })
    }
}
