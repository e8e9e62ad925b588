//! Job queue of the library in SQLite.

use documents::ContentId;
use rusqlite::{Connection, OptionalExtension, params};

use super::attachments::content_id;
use super::writer::WriteContext;
use crate::error::Result;
use crate::ids::{AttachmentId, Principal};
use crate::library::{LibraryJob, LibraryJobUpdate, LibraryState};

/// Queues a principal's document, so that the index follows a change of its attachments.
pub(super) fn enqueue(
    writing: &WriteContext<'_>,
    principal: &Principal,
    document: ContentId,
) -> Result<()> {
    let change = next_change(writing.connection)?;
    writing
        .connection
        .prepare_cached(
            "INSERT INTO library (principal, document, labels, state, revision, changed, attempts, \
             pages_done, chunks) VALUES (?1, ?2, '', 0, ?3, ?3, 0, 0, 0) \
             ON CONFLICT (principal, document) DO UPDATE SET state = 0, revision = ?3, \
             changed = ?3, attempts = 0, pages_done = 0, reason = NULL, hint = NULL",
        )?
        .execute(params![principal.as_str(), document.to_string(), change])?;
    Ok(())
}

/// Queues a document whose last attempt failed.
pub(super) fn enqueue_failed(
    writing: &WriteContext<'_>,
    principal: &Principal,
    document: ContentId,
) -> Result<()> {
    let state: Option<i64> = writing
        .connection
        .prepare_cached("SELECT state FROM library WHERE principal = ?1 AND document = ?2")?
        .query_row(params![principal.as_str(), document.to_string()], |row| {
            row.get(0)
        })
        .optional()?;
    match state {
        Some(state) if state != LibraryState::Failed as i64 => Ok(()),
        _ => enqueue(writing, principal, document),
    }
}

/// Queues all documents of a principal that is about to be deleted, and forgets what it said about them.
pub(super) fn enqueue_all_of(writing: &WriteContext<'_>, principal: &Principal) -> Result<()> {
    let change = next_change(writing.connection)?;
    writing
        .connection
        .prepare_cached(
            "UPDATE library SET state = 0, revision = ?2, changed = ?2, title = NULL, labels = '', \
             reason = NULL, hint = NULL WHERE principal = ?1",
        )?
        .execute(params![principal.as_str(), change])?;
    Ok(())
}

/// Marks other attachments of the same origin as replaced by this one.
pub(super) fn supersede_others(
    writing: &WriteContext<'_>,
    principal: &Principal,
    id: &AttachmentId,
    origin: &str,
) -> Result<()> {
    let others: Vec<(i64, String)> = writing
        .connection
        .prepare_cached(
            "SELECT a.number, d.id FROM attachments a JOIN documents d ON d.number = a.document \
             WHERE a.principal = (SELECT number FROM principals WHERE id = ?1) AND a.origin = ?2 \
             AND a.superseded <> (a.id <> ?3) ORDER BY a.id",
        )?
        .query_map(params![principal.as_str(), origin, id.as_str()], |row| {
            Ok((row.get(0)?, row.get(1)?))
        })?
        .collect::<rusqlite::Result<_>>()?;
    for (number, document) in others {
        writing
            .connection
            .prepare_cached("UPDATE attachments SET superseded = (id <> ?2) WHERE number = ?1")?
            .execute(params![number, id.as_str()])?;
        enqueue(writing, principal, content_id(&document)?)?;
    }
    Ok(())
}

/// Returns the number of a new change of the library.
pub(super) fn next_change(connection: &Connection) -> Result<u64> {
    Ok(connection
        .prepare_cached("UPDATE library_index SET changes = changes + 1 RETURNING changes")?
        .query_row([], |row| row.get(0))?)
}

/// Takes jobs from the queue: the oldest of each principal in turn.
pub(super) fn claim(writing: &WriteContext<'_>, limit: usize) -> Result<Vec<LibraryJob>> {
    let connection = writing.connection;
    let principals: Vec<String> = connection
        .prepare_cached(
            "SELECT DISTINCT principal FROM library WHERE state = 0 ORDER BY principal",
        )?
        .query_map([], |row| row.get(0))?
        .collect::<rusqlite::Result<_>>()?;
    let share = limit.div_ceil(principals.len().max(1));
    let mut jobs = Vec::new();
    for principal in principals {
        if jobs.len() >= limit {
            break;
        }
        let found: Vec<(i64, String, u64, u32)> = connection
            .prepare_cached(
                "SELECT number, document, revision, attempts FROM library \
                 WHERE state = 0 AND principal = ?1 ORDER BY revision, number LIMIT ?2",
            )?
            .query_map(params![principal, share], |row| {
                Ok((row.get(0)?, row.get(1)?, row.get(2)?, row.get(3)?))
            })?
            .collect::<rusqlite::Result<_>>()?;
        let owner = Principal::new(&principal)?;
        for (number, document, revision, attempts) in found {
            connection
                .prepare_cached(
                    "UPDATE library SET state = 1, attempts = attempts + 1, changed = ?2 \
                     WHERE number = ?1",
                )?
                .execute(params![number, next_change(connection)?])?;
            jobs.push(LibraryJob {
                principal: owner.clone(),
                document: content_id(&document)?,
                revision,
                attempts: attempts + 1,
            });
        }
    }
    Ok(jobs)
}

/// Stores the progress or result of a job, unless the document changed meanwhile.
pub(super) fn update_job(
    writing: &WriteContext<'_>,
    job: &LibraryJob,
    update: &LibraryJobUpdate,
) -> Result<()> {
    let change = next_change(writing.connection)?;
    let (mut pages, mut chunks, mut failure) = (None, None, None);
    let state = match update {
        LibraryJobUpdate::Reading { pages: done } => {
            pages = Some(*done);
            LibraryState::Reading
        }
        LibraryJobUpdate::Indexing => LibraryState::Indexing,
        LibraryJobUpdate::Indexed { chunks: count } => {
            chunks = Some(*count);
            LibraryState::Ready
        }
        LibraryJobUpdate::Removed => {
            chunks = Some(0);
            LibraryState::Removed
        }
        LibraryJobUpdate::Failed { reason, hint } => {
            chunks = Some(0);
            failure = Some((reason, hint));
            LibraryState::Failed
        }
        LibraryJobUpdate::Retry { reason, hint } => {
            failure = Some((reason, hint));
            LibraryState::Queued
        }
    };
    let pages = match state {
        LibraryState::Indexing | LibraryState::Ready => None,
        _ => pages,
    };
    writing
        .connection
        .prepare_cached(
            "UPDATE library SET state = ?4, changed = ?5, chunks = coalesce(?7, chunks), \
             pages_done = CASE WHEN ?4 IN (2, 3) THEN coalesce((SELECT pages FROM documents \
             WHERE id = ?2), 0) ELSE coalesce(?6, pages_done) END, reason = ?8, hint = ?9, \
             revision = CASE WHEN ?4 = 0 THEN ?5 ELSE revision END \
             WHERE principal = ?1 AND document = ?2 AND revision = ?3",
        )?
        .execute(params![
            job.principal.as_str(),
            job.document.to_string(),
            job.revision,
            state as i64,
            change,
            pages,
            chunks,
            failure.map(|(reason, _)| reason),
            failure.map(|(_, hint)| hint),
        ])?;
    Ok(())
}
