//! Documents and attachments in SQLite.

use std::sync::Arc;

use bytes::Bytes;
use documents::ContentId;
use rusqlite::{Connection, OptionalExtension, Row, params};

use super::SqliteStore;
use super::blobs::StagedBlob;
use super::ontology::OntologyOwner;
use super::writer::{JobKind, WriteContext};
use crate::documents::{
    AttachOutcome, Attachment, CALLED_LISTED, DocumentDescription, DocumentStatus, DocumentStore,
    NewAttachment, ORIGINAL, StoredDocument,
};
use crate::error::{Result, StoreError};
use crate::future::StoreFuture;
use crate::ids::{AttachmentId, Principal, Timestamp};
use crate::ontology::document_id;
use crate::paging::{Listing, PageRequest};
use crate::projection;

/// How many expired attachments are removed at a time, so that others get to write.
const EXPIRED_AT_ONCE: usize = 1_000;

/// The columns of a document, as [`document`] reads them.
macro_rules! document_columns {
    () => {
        "d.id, d.media_type, d.size, d.pages, d.title, d.status, d.reason, \
         (SELECT min(first.created) FROM attachments first \
          WHERE first.document = d.number AND first.principal = p.number)"
    };
}

/// An attachment by principal and id that has not expired; see [`attachment`].
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

/// The principal's attachments that are called something; each way to be called it has its own index, which the order
/// of the joins makes sure is used.
const CALLED: &str = concat!(
    "SELECT ",
    document_columns!(),
    ", a.id, a.name, a.end_user, a.created, a.expires, a.origin FROM (\
     SELECT n.number FROM principals q CROSS JOIN attachments n ON n.principal = q.number \
     WHERE q.id = ?1 AND n.name = ?2 UNION \
     SELECT n.number FROM principals q CROSS JOIN attachments n ON n.principal = q.number \
     WHERE q.id = ?1 AND n.origin = ?2 UNION \
     SELECT n.number FROM principals q CROSS JOIN documents t CROSS JOIN attachments n \
     ON n.document = t.number AND n.principal = q.number WHERE q.id = ?1 AND t.title = ?2) called \
     CROSS JOIN attachments a ON a.number = called.number CROSS JOIN principals p \
     ON p.number = a.principal CROSS JOIN documents d ON d.number = a.document \
     WHERE a.expires IS NULL OR a.expires > ?3 ORDER BY a.created DESC, a.id DESC LIMIT ?4"
);

/// The principal's document that has not expired under some name.
const ATTACHED_DOCUMENT: &str = concat!(
    "SELECT ",
    document_columns!(),
    ", d.number FROM principals p JOIN documents d ON d.id = ?2 WHERE p.id = ?1 AND EXISTS (\
     SELECT 1 FROM attachments a WHERE a.document = d.number AND a.principal = p.number \
     AND (a.expires IS NULL OR a.expires > ?3))"
);

/// The principal's last attachment of a document, expired or not.
const LAST_ATTACHMENT: &str =
    select_attachment!("d.id = ?2 ORDER BY a.created DESC, a.id DESC LIMIT 1");

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
        let edition = match self.attachment_cache.find(&key, now) {
            Ok(found) => return StoreFuture::ready(Ok(Some(found))),
            Err(edition) => edition,
        };
        let known = Arc::clone(&self.attachment_cache);
        self.read(move |connection| {
            let found = find(connection, &key.0, &key.1, now)?;
            if let Some(found) = &found {
                known.keep(edition, key, found);
            }
            Ok(found)
        })
    }

    fn attachments(
        &self,
        principal: &Principal,
        slice: &PageRequest,
        now: Timestamp,
    ) -> StoreFuture<Listing<Attachment>> {
        let (principal, slice) = (principal.clone(), slice.clone());
        self.read(move |connection| {
            let limit = slice.bounded();
            let (at, id) = slice.place()?.unwrap_or(PageRequest::START);
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
            Ok(Listing::cut(items, limit, |item: &Attachment| {
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
                .prepare_cached(CALLED)?
                .query_and_then(
                    params![principal.as_str(), name, now.0, CALLED_LISTED],
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
            let Some(document) = named(writing.connection, &principal, &id)? else {
                return Ok(false);
            };
            writing.orphans = true;
            writing
                .connection
                .prepare_cached(
                    "DELETE FROM attachments WHERE id = ?2 \
                     AND principal = (SELECT number FROM principals WHERE id = ?1)",
                )?
                .execute(params![principal.as_str(), id.as_str()])?;
            keep_thing(writing, &principal, document)?;
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
                .query_map(params![now.0, EXPIRED_AT_ONCE], |row| {
                    Ok((row.get(0)?, row.get(1)?, row.get(2)?, row.get(3)?))
                })?
                .collect::<rusqlite::Result<_>>()?;
            // In an order that every store has: readers of changes see it.
            expired.sort();
            writing.orphans |= !expired.is_empty();
            let mut delete = writing
                .connection
                .prepare_cached("DELETE FROM attachments WHERE number = ?1")?;
            for (_, _, number, _) in &expired {
                delete.execute([number])?;
            }
            drop(delete);
            for (principal, _, _, document) in &expired {
                keep_thing(writing, &Principal::new(principal)?, content_id(document)?)?;
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
                     JOIN principals p ON p.number = a.principal WHERE d.id = ?1",
                )?
                .query_map([id.to_string()], |row| row.get(0))?
                .collect::<rusqlite::Result<_>>()?;
            for owner in owners {
                keep_thing(writing, &Principal::new(&owner)?, id)?;
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
                writing.orphans = true;
                let Some(document) = number(writing.connection, id)? else {
                    return Ok(false);
                };
                keep_part(writing, document, &name, staged)?;
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
                // Gone since this snapshot was taken, or damaged: the newest state decides.
                Err(failure) => {
                    let path = connection.path().unwrap_or_default();
                    if still_there(path, &blob)? {
                        Err(failure)
                    } else {
                        Ok(None)
                    }
                }
            }
        })
    }
}

/// Whether a blob is referred to now, seen from outside the snapshot that is being read.
fn still_there(database: &str, blob: &str) -> Result<bool> {
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
    let owner = principal_number(connection, principal)?;
    let document = match number(connection, staged.id)? {
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
            keep_part(writing, document, ORIGINAL, staged)?;
            document
        }
    };
    // One that has expired under this name gives way.
    let before = named(connection, principal, &new.id)?;
    connection
        .prepare_cached(
            "INSERT INTO attachments (principal, id, document, name, end_user, created, expires, origin) \
             VALUES (?1, ?2, ?3, ?4, ?5, ?6, ?7, ?8) \
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
    writing.orphans = true;
    for document in before.into_iter().chain([staged.id]) {
        keep_thing(writing, principal, document)?;
    }
    Ok(AttachOutcome {
        attachment,
        existed: false,
    })
}

/// The document that a name stands for, expired or not.
fn named(
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

/// Brings the thing of a principal's document up to date.
fn keep_thing(writing: &mut WriteContext<'_>, principal: &Principal, id: ContentId) -> Result<()> {
    let last = writing
        .connection
        .prepare_cached(LAST_ATTACHMENT)?
        .query_and_then(params![principal.as_str(), id.to_string()], attachment)?
        .next()
        .transpose()?;
    let at = last.as_ref().map_or(Timestamp(0), |last| last.created);
    let owner = OntologyOwner::new(writing, principal, at)?;
    match last {
        Some(last) => owner.keep(
            writing,
            projection::document(principal, &last.name, &last.document),
        ),
        None => owner.remove(writing, &document_id(id)),
    }
}

fn content_id(text: &str) -> Result<ContentId> {
    let damaged = |_| StoreError::corrupt("a document without a proper id");
    text.parse().map_err(damaged)
}

fn keep_part(
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

/// The number of a principal, who is known from now on.
pub(super) fn principal_number(connection: &Connection, principal: &Principal) -> Result<i64> {
    let found = connection
        .prepare_cached("SELECT number FROM principals WHERE id = ?1")?
        .query_row([principal.as_str()], |row| row.get(0))
        .optional()?;
    if let Some(number) = found {
        return Ok(number);
    }
    connection
        .prepare_cached("INSERT INTO principals (id) VALUES (?1)")?
        .execute([principal.as_str()])?;
    Ok(connection.last_insert_rowid())
}

fn number(connection: &Connection, id: ContentId) -> Result<Option<i64>> {
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

fn document(row: &Row<'_>) -> Result<StoredDocument> {
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
