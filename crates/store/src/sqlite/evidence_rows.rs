//! Verifications that were kept together: one row, packed, and an index of their names that follows.

use json::write_string;
use rusqlite::{Connection, Row, params};

use super::compression::{CompressedRow, unpacked};
use super::varint;
use crate::error::{Result, StoreError};
use crate::evidence::StoredVerification;
use crate::ids::{Principal, ThreadId, Timestamp};

/// How many verifications a row has at most.
pub(super) const MOST: usize = 256;

/// How many rows get into the index in one step; before so many wait, whoever asks looks through them.
const INDEXED_AT_ONCE: i64 = 1_024;

/// A row in the form it is stored in.
pub(super) struct PackedEvidence {
    names: String,
    items: CompressedRow,
}

impl PackedEvidence {
    /// Verifications in as few rows as may be. Of those with one id in a row the last counts.
    pub(super) fn rows(verifications: &[StoredVerification]) -> Vec<Self> {
        verifications.chunks(MOST).map(Self::new).collect()
    }

    fn new(together: &[StoredVerification]) -> Self {
        let size = { together.iter() }
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
        names.push(']');
        Self {
            names,
            items: CompressedRow::new(items),
        }
    }

    /// Stores it for a thread, whose owner's it becomes.
    pub(super) fn insert_in(&self, connection: &Connection, thread: i64) -> Result<()> {
        let inserted = connection
            .prepare_cached(
                "INSERT INTO evidence (principal, thread, names, packed, items) \
                 SELECT principal, number, ?2, ?3, ?4 FROM threads WHERE number = ?1",
            )?
            .execute(params![
                thread,
                self.names,
                self.items.size,
                self.items.bytes
            ])?;
        match inserted {
            0 => Err(StoreError::NotFound { what: "the run" }),
            _ => Ok(()),
        }
    }

    /// Stores it for an owner, outside of threads.
    pub(super) fn insert_for(&self, connection: &Connection, owner: i64) -> Result<()> {
        connection
            .prepare_cached(
                "INSERT INTO evidence (principal, names, packed, items) VALUES (?1, ?2, ?3, ?4)",
            )?
            .execute(params![
                owner,
                self.names,
                self.items.size,
                self.items.bytes
            ])?;
        Ok(())
    }
}

fn push_item(one: &StoredVerification, bytes: &mut Vec<u8>) {
    let document = one.document.map(|id| id.to_string());
    for field in [
        Some(&one.id),
        Some(&one.key),
        one.message.as_ref(),
        document.as_ref(),
    ] {
        push_maybe(field, bytes);
    }
    varint::push_bytes(bytes, &one.created.0.to_le_bytes());
    varint::push_bytes(bytes, &one.citation);
    varint::push_bytes(bytes, &one.verification);
}

fn take_item(bytes: &mut &[u8]) -> Option<StoredVerification> {
    let (id, key) = (take_maybe(bytes)??, take_maybe(bytes)??);
    let (message, document) = (take_maybe(bytes)?, take_maybe(bytes)?);
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

/// Appends a text, or that there is none.
fn push_maybe(text: Option<&String>, bytes: &mut Vec<u8>) {
    varint::push_count(bytes, usize::from(text.is_some()));
    if let Some(text) = text {
        varint::push_bytes(bytes, text.as_bytes());
    }
}

fn take_maybe(bytes: &mut &[u8]) -> Option<Option<String>> {
    match varint::take_count(bytes)? {
        0 => Some(None),
        _ => varint::take_text(bytes).map(Some),
    }
}

/// A row that was read.
pub(super) struct EvidenceRow {
    pub(super) number: i64,
    pub(super) principal: Principal,
    /// In the order they were kept, each id once.
    pub(super) items: Vec<StoredVerification>,
}

/// The columns of a row, as [`EvidenceRow::read`] reads them.
macro_rules! select_evidence {
    ($rest:literal) => {
        concat!(
            "SELECT e.number, p.id, t.id, e.packed, e.items FROM evidence e \
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
        let bytes = unpacked(bytes, row.get(3)?)?;
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

/// What is looked for.
#[derive(Clone, Copy)]
pub(super) enum EvidenceLookup<'a> {
    /// An id.
    Is(&'a str),
    /// The beginning of ids: a key.
    Begins(&'a str),
}

/// The rows that have what is looked for, the last first; of a principal if one is given.
pub(super) fn find(
    connection: &Connection,
    named: EvidenceLookup<'_>,
    principal: Option<&Principal>,
    limit: usize,
) -> Result<Vec<EvidenceRow>> {
    let mut spelled = String::new();
    let (from, to) = match named {
        EvidenceLookup::Is(id) => {
            write_string(id, &mut spelled);
            (id, id.to_owned())
        }
        EvidenceLookup::Begins(key) => {
            write_string(key, &mut spelled);
            spelled.pop();
            (key, format!("{key}{}", char::MAX))
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
            params![from, to, spelled, principal.map(Principal::as_str), limit],
            EvidenceRow::read,
        )?
        .collect()
}

/// A principal's rows from a number on, as many as are wanted.
pub(super) fn of_principal(
    connection: &Connection,
    principal: &Principal,
    from: i64,
    mut wanted: impl FnMut(EvidenceRow) -> Result<bool>,
) -> Result<()> {
    let mut statement = connection.prepare_cached(select_evidence!(
        "e.principal = (SELECT number FROM principals WHERE id = ?1) AND e.number >= ?2 \
         ORDER BY e.number"
    ))?;
    for found in statement.query_and_then(params![principal.as_str(), from], EvidenceRow::read)? {
        if !wanted(found?)? {
            break;
        }
    }
    Ok(())
}

/// Puts the names of some rows that are not there yet into the index. Says whether there may be more.
pub(super) fn index(connection: &Connection) -> Result<bool> {
    let (through, last): (i64, Option<i64>) = connection
        .prepare_cached("SELECT through, (SELECT max(number) FROM evidence) FROM evidence_indexed")?
        .query_row([], |row| Ok((row.get(0)?, row.get(1)?)))?;
    let indexed = through.saturating_add(INDEXED_AT_ONCE);
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

/// Takes over what an older schema has kept, one row for each, and removes it there.
pub(super) fn take_over(connection: &Connection) -> Result<()> {
    let mut old = connection.prepare(
        "SELECT id, key, message, document, created, citation, verification, principal, thread \
         FROM verifications ORDER BY number",
    )?;
    let mut rows = old.query([])?;
    while let Some(row) = rows.next()? {
        let document: Option<String> = row.get(3)?;
        let one = StoredVerification {
            id: row.get(0)?,
            key: row.get(1)?,
            thread: None,
            message: row.get(2)?,
            document: match document.map(|id| id.parse()) {
                Some(id) => Some(id.map_err(|_| StoreError::corrupt("the document of evidence"))?),
                None => None,
            },
            created: Timestamp(row.get(4)?),
            citation: row.get::<_, Vec<u8>>(5)?.into(),
            verification: row.get::<_, Vec<u8>>(6)?.into(),
        };
        // Its id does not begin with its key: it gets a second name that does.
        let mut kept = PackedEvidence::new(std::slice::from_ref(&one));
        kept.names.pop();
        kept.names.push(',');
        write_string(&format!("{}{}", one.key, one.id), &mut kept.names);
        kept.names.push(']');
        match row.get::<_, Option<i64>>(8)? {
            Some(thread) => kept.insert_in(connection, thread)?,
            None => kept.insert_for(connection, row.get(7)?)?,
        }
    }
    drop(rows);
    drop(old);
    connection.execute_batch("DROP TABLE verifications")?;
    Ok(())
}

/// Whether a verification of a row is the last with its id.
pub(super) fn is_last(
    connection: &Connection,
    principal: &Principal,
    number: i64,
    id: &str,
) -> Result<bool> {
    let last = find(connection, EvidenceLookup::Is(id), Some(principal), 1)?;
    Ok(last.first().is_none_or(|last| last.number == number))
}
