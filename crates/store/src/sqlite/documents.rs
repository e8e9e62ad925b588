//! Documents and attachments in SQLite.

use std::sync::Arc;

use bytes::Bytes;
use documents::ContentId;
use rusqlite::{Connection, OptionalExtension, params};

use super::SqliteStore;
use super::attachments;
use super::library_queue;
use super::writer::JobKind;
use crate::documents::{
    AttachOutcome, Attachment, DocumentDescription, DocumentStatus, DocumentStore, MAX_NAMED,
    NewAttachment, StoredDocument,
};
use crate::error::Result;
use crate::future::StoreFuture;
use crate::ids::{AttachmentId, Principal, Timestamp};
use crate::paging::{Listing, PageRequest};

/// Largest number of expired attachments that one call removes, so that other jobs can write in between.
const MAX_EXPIRED: usize = 1_000;

impl DocumentStore for SqliteStore {
    fn attach(
        &self,
        principal: &Principal,
        attachment: NewAttachment,
    ) -> StoreFuture<AttachOutcome> {
        if let Err(invalid) = attachment.check() {
            return StoreFuture::ready(Err(invalid));
        }
        let principal = principal.clone();
        let original = attachment.original.clone();
        self.prepare_and_write(
            JobKind::default(),
            move |blobs| blobs.stage(&original),
            move |writing, staged| attachments::attach(writing, &principal, &attachment, staged),
        )
    }

    fn attachment(
        &self,
        principal: &Principal,
        id: &AttachmentId,
        now: Timestamp,
    ) -> StoreFuture<Option<Attachment>> {
        let key = (principal.clone(), id.clone());
        let generation = match self.attachment_cache.find(&key, now) {
            Ok(found) => return StoreFuture::ready(Ok(Some(found))),
            Err(generation) => generation,
        };
        let cache = Arc::clone(&self.attachment_cache);
        self.read(move |connection| {
            let found = attachments::find(connection, &key.0, &key.1, now)?;
            if let Some(found) = &found {
                cache.insert(generation, key, found);
            }
            Ok(found)
        })
    }

    fn attachments(
        &self,
        principal: &Principal,
        page: &PageRequest,
        now: Timestamp,
    ) -> StoreFuture<Listing<Attachment>> {
        let (principal, page) = (principal.clone(), page.clone());
        self.read(move |connection| {
            let limit = page.bounded_limit();
            let (at, id) = page.position()?.unwrap_or(PageRequest::START);
            let mut statement = connection.prepare_cached(attachments::PAGE)?;
            let items = statement
                .query_and_then(
                    params![principal.as_str(), now.0, at, id, limit + 1],
                    attachments::attachment,
                )?
                .collect::<Result<_>>()?;
            Ok(Listing::from_surplus(items, limit, |item: &Attachment| {
                (item.created.0, item.id.to_string())
            }))
        })
    }

    fn attachments_named(
        &self,
        principal: &Principal,
        name: &str,
        now: Timestamp,
    ) -> StoreFuture<Vec<Attachment>> {
        let (principal, name) = (principal.clone(), name.to_owned());
        self.read(move |connection| {
            connection
                .prepare_cached(attachments::NAMED)?
                .query_and_then(
                    params![principal.as_str(), name, now.0, MAX_NAMED],
                    attachments::attachment,
                )?
                .collect()
        })
    }

    fn extend(
        &self,
        principal: &Principal,
        id: &AttachmentId,
        expires: Option<Timestamp>,
        now: Timestamp,
    ) -> StoreFuture<Option<Attachment>> {
        let (principal, id) = (principal.clone(), id.clone());
        self.write(move |writing| {
            if attachments::find(writing.connection, &principal, &id, now)?.is_none() {
                return Ok(None);
            }
            writing
                .connection
                .prepare_cached(
                    "UPDATE attachments SET expires = ?3 WHERE id = ?2 \
                     AND principal = (SELECT number FROM principals WHERE id = ?1)",
                )?
                .execute(params![
                    principal.as_str(),
                    id.as_str(),
                    expires.map(|expires| expires.0)
                ])?;
            attachments::find(writing.connection, &principal, &id, now)
        })
    }

    fn detach(&self, principal: &Principal, id: &AttachmentId) -> StoreFuture<bool> {
        let (principal, id) = (principal.clone(), id.clone());
        self.write(move |writing| {
            let Some(document) = attachments::named_document(writing.connection, &principal, &id)?
            else {
                return Ok(false);
            };
            writing.has_orphans = true;
            writing
                .connection
                .prepare_cached(
                    "DELETE FROM attachments WHERE id = ?2 \
                     AND principal = (SELECT number FROM principals WHERE id = ?1)",
                )?
                .execute(params![principal.as_str(), id.as_str()])?;
            attachments::note_document_change(writing, &principal, document)?;
            library_queue::enqueue(writing, &principal, document)?;
            Ok(true)
        })
    }

    fn expire(&self, now: Timestamp) -> StoreFuture<usize> {
        self.write(move |writing| {
            let mut expired: Vec<(String, String, i64, String)> = writing
                .connection
                .prepare_cached(
                    "SELECT p.id, a.id, a.number, d.id FROM attachments a \
                     JOIN principals p ON p.number = a.principal \
                     JOIN documents d ON d.number = a.document WHERE a.expires <= ?1 LIMIT ?2",
                )?
                .query_map(params![now.0, MAX_EXPIRED], |row| {
                    Ok((row.get(0)?, row.get(1)?, row.get(2)?, row.get(3)?))
                })?
                .collect::<rusqlite::Result<_>>()?;
            // All implementations use this order, because live queries show it.
            expired.sort();
            writing.has_orphans |= !expired.is_empty();
            let mut delete = writing
                .connection
                .prepare_cached("DELETE FROM attachments WHERE number = ?1")?;
            for (_, _, number, _) in &expired {
                delete.execute([number])?;
            }
            drop(delete);
            for (principal, _, _, document) in &expired {
                let document = attachments::content_id(document)?;
                let principal = Principal::new(principal)?;
                attachments::note_document_change(writing, &principal, document)?;
                library_queue::enqueue(writing, &principal, document)?;
            }
            Ok(expired.len())
        })
    }

    fn document(
        &self,
        principal: &Principal,
        id: ContentId,
        now: Timestamp,
    ) -> StoreFuture<Option<StoredDocument>> {
        let principal = principal.clone();
        self.read(move |connection| {
            connection
                .prepare_cached(attachments::ATTACHED_DOCUMENT)?
                .query_and_then(
                    params![principal.as_str(), id.to_string(), now.0],
                    attachments::document,
                )?
                .next()
                .transpose()
        })
    }

    fn describe_document(
        &self,
        id: ContentId,
        description: DocumentDescription,
    ) -> StoreFuture<bool> {
        self.write(move |writing| {
            let (status, reason) = match &description.status {
                DocumentStatus::Received => (0, None),
                DocumentStatus::Ready => (1, None),
                DocumentStatus::Failed { reason } => (2, Some(reason)),
            };
            let changed = writing
                .connection
                .prepare_cached(
                    "UPDATE documents SET media_type = coalesce(?2, media_type), pages = ?3, \
                     title = ?4, status = ?5, reason = ?6 WHERE id = ?1",
                )?
                .execute(params![
                    id.to_string(),
                    description.media_type,
                    description.pages,
                    description.title,
                    status,
                    reason
                ])?;
            let owners: Vec<String> = writing
                .connection
                .prepare_cached(
                    "SELECT DISTINCT p.id FROM documents d \
                     JOIN attachments a ON a.document = d.number \
                     JOIN principals p ON p.number = a.principal WHERE d.id = ?1 ORDER BY p.id",
                )?
                .query_map([id.to_string()], |row| row.get(0))?
                .collect::<rusqlite::Result<_>>()?;
            for owner in owners {
                attachments::note_document_change(writing, &Principal::new(&owner)?, id)?;
            }
            Ok(changed > 0)
        })
    }

    fn store_part(&self, id: ContentId, name: &str, bytes: Bytes) -> StoreFuture<bool> {
        if let Err(invalid) = crate::documents::check_part_name(name) {
            return StoreFuture::ready(Err(invalid));
        }
        let name = name.to_owned();
        self.prepare_and_write(
            JobKind::default(),
            move |blobs| blobs.stage(&bytes),
            move |writing, staged| {
                writing.has_orphans = true;
                let Some(document) = attachments::document_number(writing.connection, id)? else {
                    return Ok(false);
                };
                attachments::store_part(writing, document, &name, staged)?;
                Ok(true)
            },
        )
    }

    fn part(
        &self,
        principal: &Principal,
        id: ContentId,
        name: &str,
        now: Timestamp,
    ) -> StoreFuture<Option<Bytes>> {
        let (principal, name) = (principal.clone(), name.to_owned());
        let blobs = Arc::clone(&self.blobs);
        self.read(move |connection| {
            let document: Option<i64> = connection
                .prepare_cached(attachments::ATTACHED_DOCUMENT)?
                .query_row(params![principal.as_str(), id.to_string(), now.0], |row| {
                    row.get("number")
                })
                .optional()?;
            let blob: Option<String> = connection
                .prepare_cached("SELECT blob FROM parts WHERE document = ?1 AND name = ?2")?
                .query_row(params![document, name], |row| row.get(0))
                .optional()?;
            let Some(blob) = blob else {
                return Ok(None);
            };
            match blobs.read(&blob) {
                Ok(bytes) => Ok(Some(bytes)),
                // The blob was removed after this snapshot was taken, or it is damaged: the latest state decides.
                Err(failure) => {
                    let latest = Connection::open(connection.path().unwrap_or_default())?;
                    match attachments::is_blob_referenced(&latest, &blob)? {
                        true => Err(failure),
                        false => Ok(None),
                    }
                }
            }
        })
    }
}
