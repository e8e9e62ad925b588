//! Rows of documents and attachments in SQLite.

use documents::ContentId;
use rusqlite::{Connection, OptionalExtension, Row, params};

use super::blobs::StagedBlob;
use super::library_queue;
use super::ontology::{self, RemovedThing};
use super::principals;
use super::writer::WriteContext;
use crate::documents::{
    AttachOutcome, Attachment, DocumentStatus, NewAttachment, ORIGINAL, StoredDocument,
};
use crate::error::{Result, StoreError};
use crate::ids::{AttachmentId, Principal, Timestamp};
use crate::ontology::document_id;

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

/// Selects a page of the principal's attachments that have not expired, newest first.
pub(super) const PAGE: &str = select_attachment!(
    "(a.expires IS NULL OR a.expires > ?2) \
                 AND (a.created, a.id) < (?3, ?4) \
                 ORDER BY a.created DESC, a.id DESC LIMIT ?5"
);

/// Selects the principal's attachments by display name, origin or title. The order of the joins makes SQLite use
/// the index of each.
pub(super) const NAMED: &str = concat!(
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
pub(super) const ATTACHED_DOCUMENT: &str = concat!(
    "SELECT ",
    document_columns!(),
    ", d.number FROM principals p JOIN documents d ON d.id = ?2 WHERE p.id = ?1 AND EXISTS (\
     SELECT 1 FROM attachments a WHERE a.document = d.number AND a.principal = p.number \
     AND (a.expires IS NULL OR a.expires > ?3))"
);

/// Stores an attachment, and its document if that is new.
pub(super) fn attach(
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
        library_queue::enqueue_failed(writing, principal, staged.id)?;
        if let Some(origin) = &new.origin {
            library_queue::supersede_others(writing, principal, &new.id, origin)?;
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
             expires = excluded.expires, origin = excluded.origin, superseded = 0",
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
        library_queue::enqueue(writing, principal, document)?;
    }
    if let Some(origin) = &new.origin {
        library_queue::supersede_others(writing, principal, &new.id, origin)?;
    }
    Ok(AttachOutcome {
        attachment,
        existed: false,
    })
}

/// Returns the document that a name refers to, expired or not.
pub(super) fn named_document(
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
pub(super) fn note_document_change(
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
        connection
            .prepare_cached("DELETE FROM thing_knowledge WHERE principal = ?1 AND thing = ?2")?
            .execute(params![owner, document_id(id)])?;
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

/// Parses a stored content id.
pub(super) fn content_id(text: &str) -> Result<ContentId> {
    let damaged = |_| StoreError::corrupt("a document without a proper id");
    text.parse().map_err(damaged)
}

/// Stores a part of a document in place of the one with its name.
pub(super) fn store_part(
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

/// Returns the number of a document.
pub(super) fn document_number(connection: &Connection, id: ContentId) -> Result<Option<i64>> {
    Ok(connection
        .prepare_cached("SELECT number FROM documents WHERE id = ?1")?
        .query_row([id.to_string()], |row| row.get(0))
        .optional()?)
}

/// Reads an attachment that has not expired.
pub(super) fn find(
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

pub(super) fn attachment(row: &Row<'_>) -> Result<Attachment> {
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

/// Returns true if a part of a document refers to a blob.
pub(super) fn is_blob_referenced(connection: &Connection, blob: &str) -> Result<bool> {
    Ok(connection
        .prepare_cached("SELECT EXISTS (SELECT 1 FROM parts WHERE blob = ?1)")?
        .query_row([blob], |row| row.get(0))?)
}
