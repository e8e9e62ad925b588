//! Documents and attachments in memory.

use std::collections::{BTreeMap, HashMap};

use bytes::Bytes;
use documents::ContentId;

use super::{MemoryStore, newest_first};
use crate::answer::Answer;
use crate::documents::{
    Attached, Attachment, Description, DocumentStatus, Documents, NewAttachment, ORIGINAL,
    StoredDocument, check_part_name,
};
use crate::error::StoreError;
use crate::names::{AttachmentId, Listed, Principal, Slice, Timestamp};

#[derive(Default)]
pub(super) struct State {
    documents: HashMap<ContentId, Held>,
    attachments: BTreeMap<Principal, BTreeMap<AttachmentId, Named>>,
}

struct Held {
    document: StoredDocument,
    /// How many attachments name it.
    names: usize,
    parts: HashMap<String, Bytes>,
}

/// An attachment without its document, which changes.
struct Named {
    document: ContentId,
    name: String,
    end_user: Option<String>,
    created: Timestamp,
    expires: Option<Timestamp>,
}

impl State {
    fn find(&self, principal: &Principal, id: &AttachmentId, now: Timestamp) -> Option<Attachment> {
        let named = self.attachments.get(principal)?.get(id)?;
        self.show(id, Some(named).filter(|named| named.lives(now))?)
    }

    fn show(&self, id: &AttachmentId, named: &Named) -> Option<Attachment> {
        Some(Attachment {
            id: id.clone(),
            name: named.name.clone(),
            document: self.documents.get(&named.document)?.document.clone(),
            end_user: named.end_user.clone(),
            created: named.created,
            expires: named.expires,
        })
    }

    fn attached(&self, principal: &Principal, id: ContentId, now: Timestamp) -> Option<&Held> {
        self.of(principal)
            .any(|(_, named)| named.document == id && named.lives(now))
            .then(|| self.documents.get(&id))?
    }

    fn of(&self, principal: &Principal) -> impl Iterator<Item = (&AttachmentId, &Named)> {
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

    pub(super) fn forget(&mut self, principal: &Principal) {
        for (_, named) in self.attachments.remove(principal).into_iter().flatten() {
            self.release(named.document);
        }
    }
}

impl Named {
    fn lives(&self, now: Timestamp) -> bool {
        self.expires.is_none_or(|expires| expires > now)
    }
}

impl Documents for MemoryStore {
    fn attach(&self, principal: &Principal, new: NewAttachment) -> Answer<Attached> {
        let document = ContentId::of(&new.original);
        self.with(|state| {
            new.check()?;
            state.principals.insert(principal.clone());
            let state = &mut state.documents;
            if let Some(attachment) = state.find(principal, &new.id, new.created) {
                if attachment.document.id != document {
                    return Err(StoreError::Conflict {
                        what: "attachment",
                        id: new.id.to_string(),
                    });
                }
                return Ok(Attached {
                    attachment,
                    existed: true,
                });
            }
            let held = state.documents.entry(document).or_insert_with(|| Held {
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
            let named = Named {
                document,
                name: new.name,
                end_user: new.end_user,
                created: new.created,
                expires: new.expires,
            };
            let attachment = state
                .show(&new.id, &named)
                .ok_or(StoreError::NotFound { what: "attachment" })?;
            let names = state.attachments.entry(principal.clone()).or_default();
            if let Some(replaced) = names.insert(new.id, named) {
                state.release(replaced.document);
            }
            Ok(Attached {
                attachment,
                existed: false,
            })
        })
    }

    fn attachment(
        &self,
        principal: &Principal,
        id: &AttachmentId,
        now: Timestamp,
    ) -> Answer<Option<Attachment>> {
        self.with(|state| Ok(state.documents.find(principal, id, now)))
    }

    fn attachments(
        &self,
        principal: &Principal,
        slice: &Slice,
        now: Timestamp,
    ) -> Answer<Listed<Attachment>> {
        self.with(|state| {
            let state = &state.documents;
            let items = state
                .of(principal)
                .filter(|(_, named)| named.lives(now))
                .filter_map(|(id, named)| state.show(id, named))
                .collect();
            Ok(newest_first(
                items,
                slice.place()?.as_ref(),
                slice.bounded(),
                |item: &Attachment| (item.created.0, item.id.to_string()),
            ))
        })
    }

    fn extend(
        &self,
        principal: &Principal,
        id: &AttachmentId,
        expires: Option<Timestamp>,
        now: Timestamp,
    ) -> Answer<Option<Attachment>> {
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

    fn detach(&self, principal: &Principal, id: &AttachmentId) -> Answer<bool> {
        self.with(|state| {
            let state = &mut state.documents;
            let names = state.attachments.get_mut(principal);
            let gone = names.and_then(|names| names.remove(id));
            if let Some(named) = &gone {
                state.release(named.document);
            }
            Ok(gone.is_some())
        })
    }

    fn expire(&self, now: Timestamp) -> Answer<usize> {
        self.with(|state| {
            let state = &mut state.documents;
            let names = state.attachments.values_mut();
            let gone: Vec<Named> = names
                .flat_map(|names| names.extract_if(.., |_, named| !named.lives(now)))
                .map(|(_, named)| named)
                .collect();
            for named in &gone {
                state.release(named.document);
            }
            Ok(gone.len())
        })
    }

    fn document(
        &self,
        principal: &Principal,
        id: ContentId,
        now: Timestamp,
    ) -> Answer<Option<StoredDocument>> {
        self.with(|state| {
            let held = state.documents.attached(principal, id, now);
            Ok(held.map(|held| held.document.clone()))
        })
    }

    fn describe(&self, id: ContentId, description: Description) -> Answer<bool> {
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
            Ok(true)
        })
    }

    fn keep_part(&self, id: ContentId, name: &str, bytes: Bytes) -> Answer<bool> {
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
    ) -> Answer<Option<Bytes>> {
        self.with(|state| {
            let held = state.documents.attached(principal, id, now);
            Ok(held.and_then(|held| held.parts.get(name)).cloned())
        })
    }
}
