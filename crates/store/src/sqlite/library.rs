//! The library and its job queue in SQLite.

use bytes::Bytes;
use documents::ContentId;
use rusqlite::{OptionalExtension, Row, params};

use super::SqliteStore;
use super::attachments::content_id;
use super::library_queue::{claim, enqueue, next_change, update_job};
use super::writer::{JobKind, WriteContext};
use super::{ontology_inserts, principals};
use crate::error::Result;
use crate::future::StoreFuture;
use crate::ids::{AttachmentId, Principal, Timestamp};
use crate::library::{
    DerivedIndex, DocumentChange, LibraryCounts, LibraryEntry, LibraryJob, LibraryJobUpdate,
    LibraryState, LibraryStore, RequeueScope,
};
use crate::ontology::OntologyRecord;
use crate::ontology::derived::document_label;

/// Selects entries of a principal with the columns that [`entry`] reads. `?1` is the principal, `?2` the time.
macro_rules! select_entry {
    ($rest:literal) => {
        concat!(
            "SELECT l.document, coalesce(l.title, CASE WHEN a.number IS NOT NULL THEN d.title END), l.labels, l.state, l.attempts, \
             l.pages_done, l.reason, l.hint, l.changed, \
             CASE WHEN a.number IS NOT NULL THEN d.pages END, a.id, a.name, a.created, \
             a.superseded, a.origin FROM library l \
             LEFT JOIN documents d ON d.id = l.document \
             LEFT JOIN attachments a ON a.number = (SELECT n.number FROM attachments n \
             WHERE n.document = d.number \
             AND n.principal = (SELECT number FROM principals WHERE id = ?1) \
             AND (n.expires IS NULL OR n.expires > ?2) \
             ORDER BY n.superseded, n.created DESC, n.id DESC LIMIT 1) \
             WHERE l.principal = ?1 AND ",
            $rest
        )
    };
}

impl LibraryStore for SqliteStore {
    fn library_entries(
        &self,
        principal: &Principal,
        documents: &[ContentId],
        now: Timestamp,
    ) -> StoreFuture<Vec<LibraryEntry>> {
        let principal = principal.clone();
        let documents: Vec<String> = documents.iter().map(ToString::to_string).collect();
        self.read(move |connection| {
            let mut statement = connection
                .prepare_cached(select_entry!("l.document = ?3 AND a.number IS NOT NULL"))?;
            let mut entries = Vec::with_capacity(documents.len());
            for document in &documents {
                let found = params![principal.as_str(), now.0, document];
                entries.extend(statement.query_and_then(found, entry)?.next().transpose()?);
            }
            Ok(entries)
        })
    }

    fn library_changes(
        &self,
        principal: &Principal,
        after: u64,
        limit: usize,
        now: Timestamp,
    ) -> StoreFuture<Vec<LibraryEntry>> {
        let principal = principal.clone();
        self.read(move |connection| {
            connection
                .prepare_cached(select_entry!("l.changed > ?3 ORDER BY l.changed LIMIT ?4"))?
                .query_and_then(params![principal.as_str(), now.0, after, limit], entry)?
                .collect()
        })
    }

    fn last_library_change(&self) -> StoreFuture<u64> {
        self.read(move |connection| {
            Ok(connection
                .prepare_cached("SELECT changes FROM library_index")?
                .query_row([], |row| row.get(0))?)
        })
    }

    fn change_document(
        &self,
        principal: &Principal,
        document: ContentId,
        change: DocumentChange,
    ) -> StoreFuture<bool> {
        if let Err(invalid) = change.check() {
            return StoreFuture::ready(Err(invalid));
        }
        let principal = principal.clone();
        self.write(move |writing| change_entry(writing, &principal, document, &change))
    }

    fn labels(&self, principal: &Principal) -> StoreFuture<Vec<(String, u64)>> {
        let principal = principal.clone();
        self.read(move |connection| {
            let mut counts = std::collections::BTreeMap::new();
            let mut statement = connection.prepare_cached(
                "SELECT labels FROM library WHERE principal = ?1 AND labels <> '' AND state <> 5",
            )?;
            let mut rows = statement.query([principal.as_str()])?;
            while let Some(row) = rows.next()? {
                for label in row.get_ref(0)?.as_str().unwrap_or_default().lines() {
                    *counts.entry(label.to_owned()).or_insert(0) += 1;
                }
            }
            Ok(counts.into_iter().collect())
        })
    }

    fn claim_library_jobs(&self, limit: usize) -> StoreFuture<Vec<LibraryJob>> {
        self.submit(JobKind::RUN, move |writing| claim(writing, limit))
    }

    fn update_library_jobs(&self, updates: Vec<(LibraryJob, LibraryJobUpdate)>) -> StoreFuture<()> {
        self.submit(JobKind::RUN, move |writing| {
            for (job, update) in &updates {
                update_job(writing, job, update)?;
            }
            Ok(())
        })
    }

    fn requeue_document(&self, principal: &Principal, document: ContentId) -> StoreFuture<bool> {
        let principal = principal.clone();
        self.write(move |writing| {
            let is_attached = entry_texts(writing, &principal, document)?.is_some();
            if is_attached {
                enqueue(writing, &principal, document)?;
            }
            Ok(is_attached)
        })
    }

    fn requeue_library(&self, scope: RequeueScope) -> StoreFuture<u64> {
        self.submit(JobKind::RUN, move |writing| {
            let change = next_change(writing.connection)?;
            let count = match scope {
                RequeueScope::Unfinished => writing
                    .connection
                    .prepare_cached(
                        "UPDATE library SET state = 0, revision = ?1, changed = ?1 \
                         WHERE state IN (1, 2)",
                    )?
                    .execute([change])?,
                RequeueScope::All => writing
                    .connection
                    .prepare_cached(
                        "UPDATE library SET state = 0, revision = ?1, changed = ?1, attempts = 0, \
                         pages_done = 0, reason = NULL, hint = NULL WHERE state <> 5",
                    )?
                    .execute([change])?,
            };
            // Removed documents are shown to subscribers that listened meanwhile, not forever.
            writing
                .connection
                .prepare_cached("DELETE FROM library WHERE state = 5")?
                .execute([])?;
            Ok(count as u64)
        })
    }

    fn library_counts(&self) -> StoreFuture<LibraryCounts> {
        self.read(|connection| {
            let mut counts = LibraryCounts::default();
            let mut statement = connection.prepare_cached(
                "SELECT state, count(*), sum(chunks) FROM library GROUP BY state",
            )?;
            let mut rows = statement.query([])?;
            while let Some(row) = rows.next()? {
                let count: u64 = row.get(1)?;
                match state(row.get(0)?) {
                    LibraryState::Ready => {
                        counts.ready = count;
                        counts.chunks = row.get(2)?;
                    }
                    LibraryState::Failed => counts.failed = count,
                    LibraryState::Removed => {}
                    _ => counts.open += count,
                }
            }
            Ok(counts)
        })
    }

    fn derived_index(&self) -> StoreFuture<DerivedIndex> {
        self.read(|connection| {
            Ok(connection
                .prepare_cached("SELECT id, model, dimension FROM library_index")?
                .query_row([], |row| {
                    let model: Option<String> = row.get(1)?;
                    let dimension: Option<u32> = row.get(2)?;
                    Ok(DerivedIndex {
                        id: row.get(0)?,
                        model: model.zip(dimension),
                    })
                })?)
        })
    }

    fn set_search_index(&self, id: Option<String>) -> StoreFuture<()> {
        self.submit(JobKind::RUN, move |writing| {
            writing
                .connection
                .prepare_cached("UPDATE library_index SET id = ?1")?
                .execute([&id])?;
            Ok(())
        })
    }

    fn set_vector_model(&self, model: Option<(String, u32)>) -> StoreFuture<()> {
        self.submit(JobKind::RUN, move |writing| {
            let (model, dimension) = model.clone().unzip();
            let connection = writing.connection;
            connection
                .prepare_cached(
                    "DELETE FROM vectors WHERE EXISTS (SELECT 1 FROM library_index \
                     WHERE model IS NOT ?1 OR dimension IS NOT ?2)",
                )?
                .execute(params![model, dimension])?;
            connection
                .prepare_cached("UPDATE library_index SET model = ?1, dimension = ?2")?
                .execute(params![model, dimension])?;
            Ok(())
        })
    }

    fn store_vectors(&self, vectors: Vec<(u64, Bytes)>) -> StoreFuture<()> {
        self.submit(JobKind::RUN, move |writing| {
            let mut insert = writing
                .connection
                .prepare_cached("INSERT OR REPLACE INTO vectors VALUES (?1, ?2)")?;
            for (key, vector) in &vectors {
                insert.execute(params![key.cast_signed(), &vector[..]])?;
            }
            Ok(())
        })
    }

    fn remove_vectors(&self, keys: Vec<u64>) -> StoreFuture<()> {
        self.submit(JobKind::RUN, move |writing| {
            let mut delete = writing
                .connection
                .prepare_cached("DELETE FROM vectors WHERE key = ?1")?;
            for key in &keys {
                delete.execute([key.cast_signed()])?;
            }
            Ok(())
        })
    }

    fn vectors(&self, after: Option<u64>, limit: usize) -> StoreFuture<Vec<(u64, Bytes)>> {
        self.read(move |connection| {
            let rows = connection
                .prepare_cached(
                    "SELECT key, vector FROM vectors WHERE ?1 IS NULL OR key > ?1 \
                     ORDER BY key LIMIT ?2",
                )?
                .query_map(params![after.map(u64::cast_signed), limit], |row| {
                    let key: i64 = row.get(0)?;
                    Ok((key.cast_unsigned(), Bytes::from(row.get::<_, Vec<u8>>(1)?)))
                })?
                .collect::<rusqlite::Result<_>>()?;
            Ok(rows)
        })
    }
}

/// Returns the title that the principal gave to a document, and its labels; `None` if it is not attached.
fn entry_texts(
    writing: &WriteContext<'_>,
    principal: &Principal,
    document: ContentId,
) -> Result<Option<(Option<String>, String)>> {
    let key = params![principal.as_str(), document.to_string()];
    Ok(writing
        .connection
        .prepare_cached(
            "SELECT l.title, l.labels FROM library l JOIN documents d ON d.id = l.document \
             JOIN principals p ON p.id = l.principal WHERE l.principal = ?1 AND l.document = ?2 \
             AND EXISTS (SELECT 1 FROM attachments a WHERE a.document = d.number \
             AND a.principal = p.number)",
        )?
        .query_row(key, |row| Ok((row.get(0)?, row.get(1)?)))
        .optional()?)
}

fn change_entry(
    writing: &mut WriteContext<'_>,
    principal: &Principal,
    document: ContentId,
    change: &DocumentChange,
) -> Result<bool> {
    let Some((title, labels)) = entry_texts(writing, principal, document)? else {
        return Ok(false);
    };
    let new_title = change.title.clone().unwrap_or_else(|| title.clone());
    let new_labels = change.labels_after(lines(&labels))?.join("\n");
    if (&new_title, &new_labels) == (&title, &labels) {
        return Ok(true);
    }
    writing
        .connection
        .prepare_cached(
            "UPDATE library SET title = ?3, labels = ?4 WHERE principal = ?1 AND document = ?2",
        )?
        .execute(params![
            principal.as_str(),
            document.to_string(),
            new_title,
            new_labels
        ])?;
    relabel(
        writing,
        principal,
        document,
        &lines(&labels),
        &lines(&new_labels),
    )?;
    enqueue(writing, principal, document)?;
    super::attachments::note_document_change(writing, principal, document)?;
    Ok(true)
}

/// Presents the labels of a document in the ontology: a label is knowledge, and linked to the document.
fn relabel(
    writing: &WriteContext<'_>,
    principal: &Principal,
    document: ContentId,
    before: &[String],
    after: &[String],
) -> Result<()> {
    let connection = writing.connection;
    let owner = principals::find(connection, principal)?.unwrap_or(0);
    let created = connection
        .prepare_cached("SELECT created FROM documents WHERE id = ?1")?
        .query_row([document.to_string()], |row| row.get(0))?;
    let record = |label| document_label(principal, document, label, Timestamp(created));
    for label in before.iter().filter(|label| !after.contains(label)) {
        let (_, link) = record(label);
        connection
            .prepare_cached(
                "DELETE FROM thing_knowledge WHERE principal = ?1 AND thing = ?2 \
                 AND knowledge = ?3 AND role = ?4",
            )?
            .execute(params![owner, link.thing, link.knowledge, link.role])?;
    }
    for label in after.iter().filter(|label| !before.contains(label)) {
        let (knowledge, link) = record(label);
        let is_known: bool = connection
            .prepare_cached(
                "SELECT EXISTS (SELECT 1 FROM knowledge WHERE principal = ?1 AND id = ?2)",
            )?
            .query_row(params![owner, knowledge.id], |row| row.get(0))?;
        if !is_known {
            let knowledge = OntologyRecord::Knowledge(knowledge);
            ontology_inserts::insert(connection, owner, &knowledge)?;
        }
        let link = OntologyRecord::ThingKnowledge(link);
        ontology_inserts::insert(connection, owner, &link)?;
    }
    Ok(())
}

fn state(code: i64) -> LibraryState {
    let at = usize::try_from(code).unwrap_or(0);
    LibraryState::ALL
        .get(at)
        .copied()
        .unwrap_or(LibraryState::Queued)
}

fn lines(text: &str) -> Vec<String> {
    text.lines().map(str::to_owned).collect()
}

fn entry(row: &Row<'_>) -> Result<LibraryEntry> {
    let attachment: Option<String> = row.get(10)?;
    Ok(LibraryEntry {
        document: content_id(&row.get::<_, String>(0)?)?,
        title: row.get(1)?,
        labels: lines(&row.get::<_, String>(2)?),
        state: state(row.get(3)?),
        attempts: row.get(4)?,
        pages_done: row.get(5)?,
        reason: row.get(6)?,
        hint: row.get(7)?,
        changed: row.get(8)?,
        pages: row.get(9)?,
        attachment: attachment.as_deref().map(AttachmentId::new).transpose()?,
        name: row.get::<_, Option<String>>(11)?.unwrap_or_default(),
        created: Timestamp(row.get::<_, Option<i64>>(12)?.unwrap_or_default()),
        is_superseded: row.get::<_, Option<bool>>(13)?.unwrap_or_default(),
        origin: row.get(14)?,
    })
}
