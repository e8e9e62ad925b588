//! Rows of evidence: verifications that were stored together, compressed, with an index of their ids and documents.
//!
//! The index is filled for many rows together, which writes fewer pages. A lookup also searches the rows that are
//! not in the index yet.

use documents::ContentId;
use json::write_string;
use rusqlite::{Connection, Row, params};

use super::compression::{CompressedRow, decompress};
use super::writer::WriteContext;
use crate::error::{Result, StoreError};
use crate::evidence::StoredVerification;
use crate::ids::{Principal, ThreadId, Timestamp};
use crate::varint;

/// Largest number of verifications in a row.
pub(super) const MAX_ITEMS: usize = 256;

/// Number of rows that enter the index together.
const INDEXED_ROWS: i64 = 1_024;

/// Row in the form in which it is stored.
pub(super) struct PackedEvidence {
    names: String,
    items: CompressedRow,
}

impl PackedEvidence {
    /// Packs verifications into as few rows as possible. Of several with one id in a row the last is stored.
    pub(super) fn rows(verifications: &[StoredVerification]) -> Vec<Self> {
        verifications.chunks(MAX_ITEMS).map(Self::new).collect()
    }

    fn new(together: &[StoredVerification]) -> Self {
        let size = together
            .iter()
            .map(|one| one.citation.len() + one.verification.len() + 256)
            .sum();
        let mut items = Vec::with_capacity(size);
        let mut names = String::from("[");
        for (at, one) in together.iter().enumerate() {
            if together[at + 1..].iter().any(|later| later.id == one.id) {
                continue;
            }
            if names.len() > 1 {
                names.push(',');
            }
            write_string(&one.id, &mut names);
            push_item(one, &mut items);
        }
        let mut documents: Vec<ContentId> =
            together.iter().filter_map(|one| one.document).collect();
        documents.sort_unstable();
        documents.dedup();
        for document in documents {
            names.push(',');
            write_string(&document_name(document), &mut names);
        }
        names.push(']');
        Self {
            names,
            items: CompressedRow::new(items),
        }
    }

    /// Stores the row for a thread and its owner.
    pub(super) fn insert_in_thread(
        &self,
        writing: &mut WriteContext<'_>,
        thread: i64,
    ) -> Result<()> {
        let inserted = writing
            .connection
            .prepare_cached(
                "INSERT INTO evidence (principal, thread, names, uncompressed, items) \
                 SELECT principal, number, ?2, ?3, ?4 FROM threads WHERE number = ?1",
            )?
            .execute(params![
                thread,
                self.names,
                self.items.uncompressed,
                self.items.bytes
            ])?;
        if inserted == 0 {
            return Err(StoreError::NotFound { what: "the run" });
        }
        schedule_indexing(writing);
        Ok(())
    }

    /// Stores the row for a principal, outside of threads.
    pub(super) fn insert(&self, writing: &mut WriteContext<'_>, owner: i64) -> Result<()> {
        writing
            .connection
            .prepare_cached(
                "INSERT INTO evidence (principal, names, uncompressed, items) VALUES (?1, ?2, ?3, ?4)",
            )?
            .execute(params![
                owner,
                self.names,
                self.items.uncompressed,
                self.items.bytes
            ])?;
        schedule_indexing(writing);
        Ok(())
    }
}

/// Returns the name under which the rows about a document are found.
fn document_name(document: ContentId) -> String {
    format!("document:{document}")
}

/// Schedules the index to be filled once enough rows wait.
fn schedule_indexing(writing: &mut WriteContext<'_>) {
    writing.has_background_work |= writing.connection.last_insert_rowid() % INDEXED_ROWS == 0;
}

fn push_item(one: &StoredVerification, bytes: &mut Vec<u8>) {
    let document = one.document.map(|id| id.to_string());
    for field in [
        Some(&one.id),
        Some(&one.key),
        one.message.as_ref(),
        document.as_ref(),
    ] {
        push_optional(field, bytes);
    }
    varint::push_bytes(bytes, &one.created.0.to_le_bytes());
    varint::push_bytes(bytes, &one.citation);
    varint::push_bytes(bytes, &one.verification);
}

fn take_item(bytes: &mut &[u8]) -> Option<StoredVerification> {
    let (id, key) = (take_optional(bytes)??, take_optional(bytes)??);
    let (message, document) = (take_optional(bytes)?, take_optional(bytes)?);
    let created = varint::take_bytes(bytes)?.try_into().ok()?;
    Some(StoredVerification {
        id,
        key,
        thread: None,
        message,
        document: match document {
            Some(id) => Some(id.parse().ok()?),
            None => None,
        },
        created: Timestamp(i64::from_le_bytes(created)),
        citation: varint::take_bytes(bytes)?.to_vec().into(),
        verification: varint::take_bytes(bytes)?.to_vec().into(),
    })
}

/// Appends a text that may be missing.
fn push_optional(text: Option<&String>, bytes: &mut Vec<u8>) {
    varint::push_count(bytes, usize::from(text.is_some()));
    if let Some(text) = text {
        varint::push_bytes(bytes, text.as_bytes());
    }
}

fn take_optional(bytes: &mut &[u8]) -> Option<Option<String>> {
    match varint::take_count(bytes)? {
        0 => Some(None),
        _ => varint::take_text(bytes).map(Some),
    }
}

/// Row that was read.
pub(super) struct EvidenceRow {
    pub(super) number: i64,
    pub(super) principal: Principal,
    /// Verifications in the order in which they were stored, each id once.
    pub(super) items: Vec<StoredVerification>,
}

/// Selects rows, with the columns that [`EvidenceRow::read`] reads.
macro_rules! select_evidence {
    ($rest:literal) => {
        concat!(
            "SELECT e.number, p.id, t.id, e.uncompressed, e.items FROM evidence e \
             JOIN principals p ON p.number = e.principal LEFT JOIN threads t ON t.number = e.thread WHERE ",
            $rest
        )
    };
}

impl EvidenceRow {
    fn read(row: &Row<'_>) -> Result<Self> {
        let damaged = || StoreError::corrupt("a row of evidence");
        let thread: Option<String> = row.get(2)?;
        let thread = thread.map(|thread| ThreadId::new(&thread)).transpose()?;
        let bytes = row.get_ref(4)?.as_blob().map_err(|_| damaged())?;
        let bytes = decompress(bytes, row.get(3)?)?;
        let (mut rest, mut items) = (bytes.as_ref(), Vec::new());
        while !rest.is_empty() {
            let item = take_item(&mut rest).ok_or_else(damaged)?;
            items.push(StoredVerification {
                thread: thread.clone(),
                ..item
            });
        }
        Ok(Self {
            number: row.get(0)?,
            principal: Principal::new(&row.get::<_, String>(1)?)?,
            items,
        })
    }
}

/// Kind of a lookup.
#[derive(Clone, Copy)]
pub(super) enum EvidenceLookup<'a> {
    /// Id of a verification.
    Id(&'a str),
    /// Key of a citation, with which the ids of its verifications begin.
    KeyPrefix(&'a str),
    /// Document that was searched.
    Document(ContentId),
}

/// Finds rows, the latest first. Only of `principal` if one is given.
pub(super) fn find(
    connection: &Connection,
    lookup: EvidenceLookup<'_>,
    principal: Option<&Principal>,
    limit: usize,
) -> Result<Vec<EvidenceRow>> {
    let mut json = String::new();
    let (from, to) = match lookup {
        EvidenceLookup::Id(id) => {
            write_string(id, &mut json);
            (id.to_owned(), id.to_owned())
        }
        EvidenceLookup::Document(document) => {
            let name = document_name(document);
            write_string(&name, &mut json);
            (name.clone(), name)
        }
        EvidenceLookup::KeyPrefix(key) => {
            write_string(key, &mut json);
            json.pop();
            (key.to_owned(), format!("{key}{}", char::MAX))
        }
    };
    connection
        .prepare_cached(select_evidence!(
            "e.number IN (SELECT evidence FROM evidence_names WHERE name BETWEEN ?1 AND ?2 \
             UNION ALL SELECT number FROM evidence \
             WHERE number > (SELECT through FROM evidence_indexed) AND instr(names, ?3) > 0) \
             AND (?4 IS NULL OR p.id = ?4) ORDER BY e.number DESC LIMIT ?5"
        ))?
        .query_and_then(
            params![from, to, json, principal.map(Principal::as_str), limit],
            EvidenceRow::read,
        )?
        .collect()
}

/// Calls `visit` for the rows of a principal from a number on, until it returns false.
pub(super) fn for_each_row(
    connection: &Connection,
    principal: &Principal,
    from: i64,
    mut visit: impl FnMut(EvidenceRow) -> Result<bool>,
) -> Result<()> {
    let mut statement = connection.prepare_cached(select_evidence!(
        "e.principal = (SELECT number FROM principals WHERE id = ?1) AND e.number >= ?2 \
         ORDER BY e.number"
    ))?;
    for found in statement.query_and_then(params![principal.as_str(), from], EvidenceRow::read)? {
        if !visit(found?)? {
            break;
        }
    }
    Ok(())
}

/// Adds the ids of the next rows to the index if enough wait. Returns true if it did.
pub(super) fn index_names(connection: &Connection) -> Result<bool> {
    let (through, last): (i64, Option<i64>) = connection
        .prepare_cached("SELECT through, (SELECT max(number) FROM evidence) FROM evidence_indexed")?
        .query_row([], |row| Ok((row.get(0)?, row.get(1)?)))?;
    let indexed = through.saturating_add(INDEXED_ROWS);
    if last.is_none_or(|last| last < indexed) {
        return Ok(false);
    }
    connection
        .prepare_cached(
            "INSERT INTO evidence_names (name, evidence) SELECT n.value, e.number \
             FROM evidence e, json_each(e.names) n WHERE e.number > ?1 AND e.number <= ?2 ORDER BY 1, 2",
        )?
        .execute([through, indexed])?;
    connection
        .prepare_cached("UPDATE evidence_indexed SET through = ?1")?
        .execute([indexed])?;
    Ok(true)
}

/// Returns true if a verification of a row is the latest with its id.
pub(super) fn is_latest(
    connection: &Connection,
    principal: &Principal,
    number: i64,
    id: &str,
) -> Result<bool> {
    let latest = find(connection, EvidenceLookup::Id(id), Some(principal), 1)?;
    Ok(latest.first().is_none_or(|latest| latest.number == number))
}
