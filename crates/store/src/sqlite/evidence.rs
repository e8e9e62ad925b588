//! Verifications and reviews in SQLite.

use rusqlite::{CachedStatement, Connection, OptionalExtension, Row, params};

use super::SqliteStore;
use super::documents::principal_number;
use super::threads;
use crate::answer::Answer;
use crate::error::{Result, StoreError};
use crate::evidence::{
    Evidence, REVIEWS_LISTED, Review, ReviewAction, StoredVerification, VERIFICATIONS_LISTED,
};
use crate::names::{Listed, Principal, Slice, ThreadId, Timestamp};

/// The columns of a verification, as [`verification`] reads them.
macro_rules! select_verification {
    ($rest:literal) => {
        concat!(
            "SELECT v.id, v.key, t.id, v.message, v.document, v.citation, v.verification, v.created, \
             p.id, v.number FROM verifications v JOIN principals p ON p.number = v.principal \
             LEFT JOIN threads t ON t.number = v.thread WHERE ",
            $rest
        )
    };
}

impl Evidence for SqliteStore {
    fn keep_verifications(
        &self,
        principal: &Principal,
        verifications: Vec<StoredVerification>,
    ) -> Answer<()> {
        let principal = principal.clone();
        self.write(move |writing| {
            let connection = writing.connection;
            let owner = principal_number(connection, &principal)?;
            let mut keeping = Keeping::new(connection, owner)?;
            for new in &verifications {
                new.check()?;
                let thread = new.thread.as_ref();
                let thread = thread.map(|thread| threads::number(connection, &principal, thread));
                keeping.keep(thread.transpose()?, new)?;
            }
            Ok(())
        })
    }

    fn verification(&self, principal: &Principal, id: &str) -> Answer<Option<StoredVerification>> {
        let (principal, id) = (principal.clone(), id.to_owned());
        self.read(move |connection| {
            connection
                .prepare_cached(select_verification!("v.id = ?1 AND p.id = ?2"))?
                .query_and_then(params![id, principal.as_str()], verification)?
                .next()
                .transpose()
        })
    }

    fn linked_verification(&self, id: &str) -> Answer<Option<(Principal, StoredVerification)>> {
        let id = id.to_owned();
        self.read(move |connection| {
            connection
                .prepare_cached(select_verification!("v.id = ?1"))?
                .query_and_then([id], |row| {
                    let principal = Principal::new(&row.get::<_, String>(8)?)?;
                    Ok((principal, verification(row)?))
                })?
                .next()
                .transpose()
        })
    }

    fn verifications(&self, principal: &Principal, key: &str) -> Answer<Vec<StoredVerification>> {
        let (principal, key) = (principal.clone(), key.to_owned());
        self.read(move |connection| {
            connection
                .prepare_cached(select_verification!(
                    "v.principal = (SELECT number FROM principals WHERE id = ?1) AND v.key = ?2 \
                     ORDER BY v.created DESC, v.number DESC LIMIT ?3"
                ))?
                .query_and_then(
                    params![principal.as_str(), key, VERIFICATIONS_LISTED],
                    verification,
                )?
                .collect()
        })
    }

    fn list_verifications(
        &self,
        principal: &Principal,
        slice: &Slice,
    ) -> Answer<Listed<StoredVerification>> {
        let (principal, slice) = (principal.clone(), slice.clone());
        self.read(move |connection| {
            let after = slice.number()?.unwrap_or(0);
            let limit = slice.bounded();
            let items = connection
                .prepare_cached(select_verification!(
                    "v.principal = (SELECT number FROM principals WHERE id = ?1) AND v.number > ?2 \
                     ORDER BY v.number LIMIT ?3"
                ))?
                .query_and_then(params![principal.as_str(), after, limit + 1], |row| {
                    Ok((row.get(9)?, verification(row)?))
                })?
                .collect::<Result<_>>()?;
            Ok(Listed::numbered(items, limit))
        })
    }

    fn list_reviews(&self, principal: &Principal, slice: &Slice) -> Answer<Listed<Review>> {
        let (principal, slice) = (principal.clone(), slice.clone());
        self.read(move |connection| {
            let after = slice.number()?.unwrap_or(0);
            let limit = slice.bounded();
            let items = connection
                .prepare_cached(
                    "SELECT key, action, at, note, number FROM reviews WHERE principal = \
                     (SELECT number FROM principals WHERE id = ?1) AND number > ?2 \
                     ORDER BY number LIMIT ?3",
                )?
                .query_and_then(params![principal.as_str(), after, limit + 1], |row| {
                    Ok((row.get(4)?, review(row)?))
                })?
                .collect::<Result<_>>()?;
            Ok(Listed::numbered(items, limit))
        })
    }

    fn review(&self, principal: &Principal, review: Review) -> Answer<()> {
        if let Err(invalid) = review.check() {
            return Answer::ready(Err(invalid));
        }
        let principal = principal.clone();
        self.write(move |writing| {
            let owner = principal_number(writing.connection, &principal)?;
            writing
                .connection
                .prepare_cached(
                    "INSERT INTO reviews (principal, key, action, at, note) VALUES (?1, ?2, ?3, ?4, ?5)",
                )?
                .execute(params![
                    owner,
                    review.key,
                    review.action.as_str(),
                    review.at.0,
                    review.note
                ])?;
            Ok(())
        })
    }

    fn reviews(&self, principal: &Principal, key: &str) -> Answer<Vec<Review>> {
        let (principal, key) = (principal.clone(), key.to_owned());
        self.read(move |connection| {
            connection
                .prepare_cached(
                    "SELECT key, action, at, note FROM reviews WHERE key = ?2 AND principal = \
                     (SELECT number FROM principals WHERE id = ?1) ORDER BY number DESC LIMIT ?3",
                )?
                .query_and_then(params![principal.as_str(), key, REVIEWS_LISTED], review)?
                .collect()
        })
    }
}

/// Keeps the verifications of a run in a thread.
pub(super) fn keep_in(
    connection: &Connection,
    thread: i64,
    verifications: &[StoredVerification],
) -> Result<()> {
    if verifications.is_empty() {
        return Ok(());
    }
    let owner: Option<i64> = connection
        .prepare_cached("SELECT principal FROM threads WHERE number = ?1")?
        .query_row([thread], |row| row.get(0))
        .optional()?;
    let owner = owner.ok_or(StoreError::NotFound { what: "the run" })?;
    let mut keeping = Keeping::new(connection, owner)?;
    for new in verifications {
        keeping.keep(Some(thread), new)?;
    }
    Ok(())
}

/// Keeps verifications of a principal.
struct Keeping<'a> {
    connection: &'a Connection,
    owner: i64,
    find: CachedStatement<'a>,
    insert: CachedStatement<'a>,
}

impl<'a> Keeping<'a> {
    fn new(connection: &'a Connection, owner: i64) -> Result<Self> {
        Ok(Self {
            connection,
            owner,
            find: connection.prepare_cached(
                "SELECT number, principal, thread, key = ?2 AND document IS ?3 AND citation = ?4 \
                 AND verification = ?5 FROM verifications WHERE id = ?1",
            )?,
            insert: connection.prepare_cached(
                "INSERT INTO verifications (id, principal, key, thread, message, document, citation, \
                 verification, created) VALUES (?1, ?2, ?3, ?4, ?5, ?6, ?7, ?8, ?9)",
            )?,
        })
    }

    /// Keeps a verification; the one with its id is changed if it says something else. Another's stays.
    fn keep(&mut self, thread: Option<i64>, new: &StoredVerification) -> Result<()> {
        let document = new.document.map(|id| id.to_string());
        let (citation, verification) = (&new.citation[..], &new.verification[..]);
        let known: Option<(i64, i64, Option<i64>, bool)> = self
            .find
            .query_row(
                params![new.id, new.key, document, citation, verification],
                |row| Ok((row.get(0)?, row.get(1)?, row.get(2)?, row.get(3)?)),
            )
            .optional()?;
        let Some((number, owner, before, is_same)) = known else {
            self.insert.execute(params![
                new.id,
                self.owner,
                new.key,
                thread,
                new.message,
                document,
                citation,
                verification,
                new.created.0
            ])?;
            return Ok(());
        };
        if owner != self.owner {
            return Err(StoreError::Conflict {
                what: "verification",
                id: new.id.clone(),
            });
        }
        let threads = before.zip(thread);
        if !is_same || (before.is_some() && thread.is_none()) {
            self.connection
                .prepare_cached(
                    "UPDATE verifications SET key = ?2, thread = ?3, message = ?4, document = ?5, \
                     citation = ?6, verification = ?7, created = ?8 WHERE number = ?1",
                )?
                .execute(params![
                    number,
                    new.key,
                    threads.map(|(_, thread)| thread),
                    new.message,
                    document,
                    citation,
                    verification,
                    new.created.0
                ])?;
        }
        if let Some((before, thread)) = threads
            && before != thread
        {
            let other = if is_same { thread } else { before };
            self.connection
                .prepare_cached(
                    "INSERT OR IGNORE INTO citing (verification, thread) VALUES (?1, ?2)",
                )?
                .execute([number, other])?;
        }
        Ok(())
    }
}

fn verification(row: &Row<'_>) -> Result<StoredVerification> {
    let document: Option<String> = row.get(4)?;
    let thread: Option<String> = row.get(2)?;
    Ok(StoredVerification {
        id: row.get(0)?,
        key: row.get(1)?,
        thread: thread.map(|thread| ThreadId::new(&thread)).transpose()?,
        message: row.get(3)?,
        document: document
            .map(|id| id.parse())
            .transpose()
            .map_err(|_| StoreError::corrupt("the document of a verification"))?,
        citation: row.get::<_, Vec<u8>>(5)?.into(),
        verification: row.get::<_, Vec<u8>>(6)?.into(),
        created: Timestamp(row.get(7)?),
    })
}

fn review(row: &Row<'_>) -> Result<Review> {
    let action: String = row.get(1)?;
    Ok(Review {
        key: row.get(0)?,
        action: ReviewAction::from_word(&action).ok_or_else(|| StoreError::corrupt("a review"))?,
        at: Timestamp(row.get(2)?),
        note: row.get(3)?,
    })
}
