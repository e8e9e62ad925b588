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
            let mut statement = connection.prepare_cached(KEEP)?;
            for new in &verifications {
                new.check()?;
                let thread = new.thread.as_ref();
                let thread = thread.map(|thread| threads::number(connection, &principal, thread));
                keep(&mut statement, owner, thread.transpose()?, new)?;
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
    let mut statement = connection.prepare_cached(KEEP)?;
    for new in verifications {
        keep(&mut statement, owner, Some(thread), new)?;
    }
    Ok(())
}

/// Keeps a verification in place of the one with its id; another's stays.
const KEEP: &str = "INSERT INTO verifications (id, principal, key, thread, message, \
     document, citation, verification, created) \
     VALUES (?1, ?2, ?3, ?4, ?5, ?6, ?7, ?8, ?9) \
     ON CONFLICT (id) DO UPDATE SET key = ?3, thread = ?4, message = ?5, \
     document = ?6, citation = ?7, verification = ?8, created = ?9 \
     WHERE principal = ?2";

/// Keeps a verification with [`KEEP`].
fn keep(
    statement: &mut CachedStatement<'_>,
    owner: i64,
    thread: Option<i64>,
    new: &StoredVerification,
) -> Result<()> {
    let kept = statement.execute(params![
        new.id,
        owner,
        new.key,
        thread,
        new.message,
        new.document.map(|id| id.to_string()),
        &new.citation[..],
        &new.verification[..],
        new.created.0
    ])?;
    if kept == 0 {
        return Err(StoreError::Conflict {
            what: "verification",
            id: new.id.clone(),
        });
    }
    Ok(())
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
