//! Documents and attachments in memory.

use std::collections::{BTreeMap, HashMap};

use bytes::Bytes;
use documents::ContentId;

use super::{MemoryStore, newest_first};
use crate::change_notifier::ChangeNotifier;
use crate::documents::{
    AttachOutcome, Attachment, CALLED_LISTED, DocumentDescription, DocumentStatus, DocumentStore,
    NewAttachment, ORIGINAL, StoredDocument, check_part_name,
};
use crate::error::StoreError;
use crate::future::StoreFuture;
use crate::ids::{AttachmentId, Principal, Timestamp};
use crate::ontology::document_id;
use crate::paging::{Listing, PageRequest};
use crate::projection;

#[derive(Default)]
pub(super) struct MemoryDocuments {
    documents: HashMap<ContentId, MemoryDocument>,
    attachments: BTreeMap<Principal, BTreeMap<AttachmentId, MemoryAttachment>>,
}

struct MemoryDocument {
    document: StoredDocument,
    /// How many attachments name it.
    names: usize,
    parts: HashMap<String, Bytes>,
}

/// An attachment without its document, which changes.
struct MemoryAttachment {
    document: ContentId,
    name: String,
    end_user: Option<String>,
    origin: Option<String>,
    created: Timestamp,
    expires: Option<Timestamp>,
}

impl MemoryDocuments {
    fn find(&self, principal: &Principal, id: &AttachmentId, now: Timestamp) -> Option<Attachment> {
        let named = self.attachments.get(principal)?.get(id)?;
        self.show(principal, id, Some(named).filter(|named| named.lives(now))?)
    }

    fn show(
        &self,
        principal: &Principal,
        id: &AttachmentId,
        named: &MemoryAttachment,
    ) -> Option<Attachment> {
        Some(Attachment {
            id: id.clone(),
            name: named.name.clone(),
            document: self.seen(principal, named.document)?,
            end_user: named.end_user.clone(),
            origin: named.origin.clone(),
            created: named.created,
            expires: named.expires,
        })
    }

    /// A document as a principal sees it: nothing tells that another has it too.
    fn seen(&self, principal: &Principal, id: ContentId) -> Option<StoredDocument> {
        let own = self.of(principal).filter(|(_, named)| named.document == id);
        let created = own.map(|(_, named)| named.created).min()?;
        let document = self.documents.get(&id)?.document.clone();
        Some(StoredDocument {
            created,
            ..document
        })
    }

    /// The principal's last attachment of a document, expired or not.
    fn last(&self, principal: &Principal, document: ContentId) -> Option<Attachment> {
        let own = self.of(principal);
        let named = own.filter(|(_, named)| named.document == document);
        let (id, named) = named.max_by_key(|(id, named)| (named.created, *id))?;
        self.show(principal, id, named)
    }

    fn attached(
        &self,
        principal: &Principal,
        id: ContentId,
        now: Timestamp,
    ) -> Option<&MemoryDocument> {
        self.of(principal)
            .any(|(_, named)| named.document == id && named.lives(now))
            .then(|| self.documents.get(&id))?
    }

    fn of(
        &self,
        principal: &Principal,
    ) -> impl Iterator<Item = (&AttachmentId, &MemoryAttachment)> {
        self.attachments.get(principal).into_iter().flatten()
    }

    /// Takes note that an attachment is gone, and its document with the last one.
    fn release(&mut self, document: ContentId) {
        if let Some(held) = self.documents.get_mut(&document) {
            held.names -= 1;
            if held.names == 0 {
                self.documents.remove(&document);
            }
        }
    }

    /// Stores a file under a name, and says which document had that name before.
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
        let named = MemoryAttachment {
            document,
            name: new.name,
            end_user: new.end_user,
            origin: new.origin,
            created: new.created,
            expires: new.expires,
        };
        let names = self.attachments.entry(principal.clone()).or_default();
        let replaced = names.insert(new.id, named)?.document;
        self.release(replaced);
        Some(replaced)
    }

    pub(super) fn forget(&mut self, principal: &Principal) {
        for (_, named) in self.attachments.remove(principal).into_iter().flatten() {
            self.release(named.document);
        }
    }
}

impl MemoryAttachment {
    fn lives(&self, now: Timestamp) -> bool {
        self.expires.is_none_or(|expires| expires > now)
    }
}

/// Brings the thing of a principal's document up to date.
fn keep_thing(
    state: &mut super::MemoryState,
    notifier: &ChangeNotifier,
    principal: &Principal,
    id: ContentId,
) {
    let last = state.documents.last(principal, id);
    let at = last.as_ref().map_or(Timestamp(0), |last| last.created);
    let ontology = state.ontology.written(notifier);
    let mut owner = ontology.owner(principal, at, notifier);
    match last {
        Some(last) => owner.keep(projection::document(principal, &last.name, &last.document)),
        None => owner.remove(&document_id(id)),
    }
}

impl DocumentStore for MemoryStore {
    fn attach(&self, principal: &Principal, new: NewAttachment) -> StoreFuture<AttachOutcome> {
        let document = ContentId::of(&new.original);
        self.with(|state| {
            new.check()?;
            state.principals.insert(principal.clone());
            let held = &mut state.documents;
            if let Some(attachment) = held.find(principal, &new.id, new.created) {
                if attachment.document.id != document {
                    return Err(StoreError::Conflict {
                        what: "attachment",
                        id: new.id.to_string(),
                    });
                }
                return Ok(AttachOutcome {
                    attachment,
                    existed: true,
                });
            }
            let id = new.id.clone();
            let replaced = held.insert(principal, document, new);
            for document in replaced.into_iter().chain([document]) {
                keep_thing(state, &self.notifier, principal, document);
            }
            let named = state.documents.attachments.get(principal);
            let named = named.and_then(|names| names.get(&id));
            let attachment = named.and_then(|named| state.documents.show(principal, &id, named));
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
        slice: &PageRequest,
        now: Timestamp,
    ) -> StoreFuture<Listing<Attachment>> {
        self.with(|state| {
            let state = &state.documents;
            let items = state
                .of(principal)
                .filter(|(_, named)| named.lives(now))
                .filter_map(|(id, named)| state.show(principal, id, named))
                .collect();
            Ok(newest_first(
                items,
                slice.place()?.as_ref(),
                slice.bounded(),
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
                .filter(|(_, named)| named.lives(now) && is_called(named))
                .filter_map(|(id, named)| state.show(principal, id, named))
                .collect();
            let newest = newest_first(items, None, CALLED_LISTED, |item: &Attachment| {
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
                Some(named) if named.lives(now) => named.expires = expires,
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
            keep_thing(state, &self.notifier, principal, named.document);
            Ok(true)
        })
    }

    fn expire(&self, now: Timestamp) -> StoreFuture<usize> {
        self.with(|state| {
            let mut gone = Vec::new();
            for (principal, names) in &mut state.documents.attachments {
                let expired = names.extract_if(.., |_, named| !named.lives(now));
                gone.extend(expired.map(|(_, named)| (principal.clone(), named.document)));
            }
            for (principal, document) in &gone {
                state.documents.release(*document);
                keep_thing(state, &self.notifier, principal, *document);
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
            Ok(held.and_then(|_| state.documents.seen(principal, id)))
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
                keep_thing(state, &self.notifier, owner, id);
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
