//! Documents and attachments in SQLite.

use std::sync::Arc;

use bytes::Bytes;
use documents::ContentId;
use rusqlite::{Connection, OptionalExtension, Row, params};

use super::SqliteStore;
use super::blobs::StagedBlob;
use super::ontology::{self, RemovedThing};
use super::principals;
use super::writer::{JobKind, WriteContext};
use crate::documents::{
    AttachOutcome, Attachment, DocumentDescription, DocumentStatus, DocumentStore, MAX_NAMED,
    NewAttachment, ORIGINAL, StoredDocument,
};
use crate::error::{Result, StoreError};
use crate::future::StoreFuture;
use crate::ids::{AttachmentId, Principal, Timestamp};
use crate::ontology::document_id;
use crate::paging::{Listing, PageRequest};

/// Largest number of expired attachments that one call removes, so that other jobs can write in between.
const MAX_EXPIRED: usize = 1_000;

/// Columns that [`document`] reads.
macro_rules! document_columns {
    () => {
        "d.id, d.media_type, d.size, d.pages, d.title, d.status, d.reason, \
         (SELECT min(first.created) FROM attachments first \
          WHERE first.document = d.number AND first.principal = p.number)"
    };
}

/// Selects attachments of a principal, with the columns that [`attachment`] reads.
macro_rules! select_attachment {
    ($rest:literal) => {
        concat!(
            "SELECT ",
            document_columns!(),
            ", a.id, a.name, a.end_user, a.created, a.expires, a.origin \
             FROM principals p JOIN attachments a ON a.principal = p.number \
             JOIN documents d ON d.number = a.document \
             WHERE p.id = ?1 AND ",
            $rest
        )
    };
}

/// Selects the principal's attachments by display name, origin or title. The order of the joins makes SQLite use
/// the index of each.
const NAMED: &str = concat!(
    "SELECT ",
    document_columns!(),
    ", a.id, a.name, a.end_user, a.created, a.expires, a.origin FROM (\
     SELECT n.number FROM principals q CROSS JOIN attachments n ON n.principal = q.number \
     WHERE q.id = ?1 AND n.name = ?2 UNION \
     SELECT n.number FROM principals q CROSS JOIN attachments n ON n.principal = q.number \
     WHERE q.id = ?1 AND n.origin = ?2 UNION \
     SELECT n.number FROM principals q CROSS JOIN documents t CROSS JOIN attachments n \
     ON n.document = t.number AND n.principal = q.number WHERE q.id = ?1 AND t.title = ?2) named \
     CROSS JOIN attachments a ON a.number = named.number CROSS JOIN principals p \
     ON p.number = a.principal CROSS JOIN documents d ON d.number = a.document \
     WHERE a.expires IS NULL OR a.expires > ?3 ORDER BY a.created DESC, a.id DESC LIMIT ?4"
);

/// Selects a document that the principal has attached, under a name that has not expired.
const ATTACHED_DOCUMENT: &str = concat!(
    "SELECT ",
    document_columns!(),
    ", d.number FROM principals p JOIN documents d ON d.id = ?2 WHERE p.id = ?1 AND EXISTS (\
     SELECT 1 FROM attachments a WHERE a.document = d.number AND a.principal = p.number \
     AND (a.expires IS NULL OR a.expires > ?3))"
);

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
            move |writing, staged| attach(writing, &principal, &attachment, staged),
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
            let found = find(connection, &key.0, &key.1, now)?;
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
            let mut statement = connection.prepare_cached(select_attachment!(
                "(a.expires IS NULL OR a.expires > ?2) \
                 AND (a.created, a.id) < (?3, ?4) \
                 ORDER BY a.created DESC, a.id DESC LIMIT ?5"
            ))?;
            let items = statement
                .query_and_then(
                    params![principal.as_str(), now.0, at, id, limit + 1],
                    attachment,
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
                .prepare_cached(NAMED)?
                .query_and_then(
                    params![principal.as_str(), name, now.0, MAX_NAMED],
                    attachment,
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
            if find(writing.connection, &principal, &id, now)?.is_none() {
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
            find(writing.connection, &principal, &id, now)
        })
    }

    fn detach(&self, principal: &Principal, id: &AttachmentId) -> StoreFuture<bool> {
        let (principal, id) = (principal.clone(), id.clone());
        self.write(move |writing| {
            let Some(document) = named_document(writing.connection, &principal, &id)? else {
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
            note_document_change(writing, &principal, document)?;
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
                let document = content_id(document)?;
                note_document_change(writing, &Principal::new(principal)?, document)?;
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
                .prepare_cached(ATTACHED_DOCUMENT)?
                .query_and_then(params![principal.as_str(), id.to_string(), now.0], document)?
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
                note_document_change(writing, &Principal::new(&owner)?, id)?;
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
                let Some(document) = document_number(writing.connection, id)? else {
                    return Ok(false);
                };
                store_part(writing, document, &name, staged)?;
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
                .prepare_cached(ATTACHED_DOCUMENT)?
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
                    let path = connection.path().unwrap_or_default();
                    if is_referenced(path, &blob)? {
                        Err(failure)
                    } else {
                        Ok(None)
                    }
                }
            }
        })
    }
}

/// Returns true if a blob is referenced in the latest state, outside of the snapshot that is being read.
fn is_referenced(database: &str, blob: &str) -> Result<bool> {
    let connection = Connection::open(database)?;
    Ok(connection.query_row(
        "SELECT EXISTS (SELECT 1 FROM parts WHERE blob = ?1)",
        [blob],
        |row| row.get(0),
    )?)
}

fn attach(
    writing: &mut WriteContext<'_>,
    principal: &Principal,
    new: &NewAttachment,
    staged: &StagedBlob,
) -> Result<AttachOutcome> {
    let connection = writing.connection;
    if let Some(attachment) = find(connection, principal, &new.id, new.created)? {
        if attachment.document.id != staged.id {
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
    let owner = principals::find_or_insert(connection, principal, new.created)?;
    let document = match document_number(connection, staged.id)? {
        Some(document) => document,
        None => {
            connection
                .prepare_cached(
                    "INSERT INTO documents (id, media_type, size, status, created) VALUES (?1, ?2, ?3, 0, ?4)",
                )?
                .execute(params![
                    staged.id.to_string(),
                    new.media_type,
                    i64::try_from(staged.size).unwrap_or(i64::MAX),
                    new.created.0
                ])?;
            let document = connection.last_insert_rowid();
            store_part(writing, document, ORIGINAL, staged)?;
            document
        }
    };
    // An expired attachment with this name is replaced.
    let before = named_document(connection, principal, &new.id)?;
    connection
        .prepare_cached(
            "INSERT INTO attachments (principal, id, document, name, end_user, created, expires, origin, \
             changed) VALUES (?1, ?2, ?3, ?4, ?5, ?6, ?7, ?8, 0) \
             ON CONFLICT (principal, id) DO UPDATE SET document = excluded.document, \
             name = excluded.name, end_user = excluded.end_user, created = excluded.created, \
             expires = excluded.expires, origin = excluded.origin",
        )?
        .execute(params![
            owner,
            new.id.as_str(),
            document,
            new.name,
            new.end_user,
            new.created.0,
            new.expires.map(|expires| expires.0),
            new.origin
        ])?;
    let attachment = connection
        .prepare_cached(select_attachment!("a.id = ?2"))?
        .query_and_then(params![principal.as_str(), new.id.as_str()], attachment)?
        .next()
        .ok_or(StoreError::NotFound { what: "attachment" })??;
    writing.has_orphans = true;
    for document in before.into_iter().chain([staged.id]) {
        note_document_change(writing, principal, document)?;
    }
    Ok(AttachOutcome {
        attachment,
        existed: false,
    })
}

/// Returns the document that a name refers to, expired or not.
fn named_document(
    connection: &Connection,
    principal: &Principal,
    id: &AttachmentId,
) -> Result<Option<ContentId>> {
    let found: Option<String> = connection
        .prepare_cached(select_attachment!("a.id = ?2"))?
        .query_row(params![principal.as_str(), id.as_str()], |row| row.get(0))
        .optional()?;
    found.as_deref().map(content_id).transpose()
}

/// Records for live queries that a principal's document has changed or is gone.
///
/// All attachments of a principal to one document have the same change number.
fn note_document_change(
    writing: &mut WriteContext<'_>,
    principal: &Principal,
    id: ContentId,
) -> Result<()> {
    let connection = writing.connection;
    let owner = principals::find(connection, principal)?.unwrap_or(0);
    let is_attached: bool = connection
        .prepare_cached(
            "SELECT EXISTS (SELECT 1 FROM attachments WHERE principal = ?1 \
             AND document = (SELECT number FROM documents WHERE id = ?2))",
        )?
        .query_row(params![owner, id.to_string()], |row| row.get(0))?;
    if !is_attached {
        let removed = RemovedThing {
            id: document_id(id),
            kind: "document",
            within: None,
        };
        return ontology::remove_things(writing, principal, owner, &[removed]);
    }
    let changed = writing.next_change(principal)?;
    connection
        .prepare_cached(
            "UPDATE attachments SET changed = ?3 WHERE principal = ?1 \
             AND document = (SELECT number FROM documents WHERE id = ?2)",
        )?
        .execute(params![owner, id.to_string(), changed])?;
    Ok(())
}

fn content_id(text: &str) -> Result<ContentId> {
    let damaged = |_| StoreError::corrupt("a document without a proper id");
    text.parse().map_err(damaged)
}

fn store_part(
    writing: &mut WriteContext<'_>,
    document: i64,
    name: &str,
    staged: &StagedBlob,
) -> Result<()> {
    writing.blobs.settle(staged)?;
    writing
        .connection
        .prepare_cached(
            "INSERT INTO parts (document, name, blob) VALUES (?1, ?2, ?3) \
             ON CONFLICT (document, name) DO UPDATE SET blob = excluded.blob",
        )?
        .execute(params![document, name, staged.id.to_string()])?;
    Ok(())
}

fn document_number(connection: &Connection, id: ContentId) -> Result<Option<i64>> {
    Ok(connection
        .prepare_cached("SELECT number FROM documents WHERE id = ?1")?
        .query_row([id.to_string()], |row| row.get(0))
        .optional()?)
}

fn find(
    connection: &Connection,
    principal: &Principal,
    id: &AttachmentId,
    now: Timestamp,
) -> Result<Option<Attachment>> {
    connection
        .prepare_cached(select_attachment!(
            "a.id = ?2 AND (a.expires IS NULL OR a.expires > ?3)"
        ))?
        .query_and_then(params![principal.as_str(), id.as_str(), now.0], attachment)?
        .next()
        .transpose()
}

pub(super) fn document(row: &Row<'_>) -> Result<StoredDocument> {
    Ok(StoredDocument {
        id: content_id(&row.get::<_, String>(0)?)?,
        media_type: row.get(1)?,
        size: row.get::<_, i64>(2)?.unsigned_abs(),
        pages: row.get(3)?,
        title: row.get(4)?,
        status: match row.get::<_, i64>(5)? {
            0 => DocumentStatus::Received,
            1 => DocumentStatus::Ready,
            _ => DocumentStatus::Failed {
                reason: row.get::<_, Option<String>>(6)?.unwrap_or_default(),
            },
        },
        created: Timestamp(row.get(7)?),
    })
}

fn attachment(row: &Row<'_>) -> Result<Attachment> {
    Ok(Attachment {
        document: document(row)?,
        id: AttachmentId::new(&row.get::<_, String>(8)?)?,
        name: row.get(9)?,
        end_user: row.get(10)?,
        created: Timestamp(row.get(11)?),
        expires: row.get::<_, Option<i64>>(12)?.map(Timestamp),
        origin: row.get(13)?,
    })
}
