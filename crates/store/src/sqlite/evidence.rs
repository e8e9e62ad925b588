//! Verifications and reviews in SQLite.

use std::cmp::Reverse;
use std::collections::HashSet;

use documents::ContentId;
use rusqlite::{Connection, Row, params};

use super::SqliteStore;
use super::evidence_rows::{self, EvidenceLookup, EvidenceRow, MAX_ITEMS, PackedEvidence};
use super::principals;
use super::threads;
use crate::error::{Result, StoreError};
use crate::evidence::{
    CitationReview, EvidenceStore, MAX_CITING, MAX_IN_DOCUMENT, MAX_REVIEWS, MAX_VERIFICATIONS,
    ReviewAction, StoredVerification,
};
use crate::future::StoreFuture;
use crate::ids::{Principal, ThreadId, Timestamp};
use crate::paging::{Listing, PageRequest};

/// Factor of a row's number in the number of a verification; its position in the row is added.
const ROW_FACTOR: i64 = MAX_ITEMS as i64;

impl EvidenceStore for SqliteStore {
    fn store_verifications(
        &self,
        principal: &Principal,
        verifications: Vec<StoredVerification>,
    ) -> StoreFuture<()> {
        let invalid = verifications.iter().find_map(|new| new.check().err());
        if let Some(invalid) = invalid {
            return StoreFuture::ready(Err(invalid));
        }
        let principal = principal.clone();
        self.write(move |writing| {
            let connection = writing.connection;
            let at = verifications
                .first()
                .map_or(Timestamp(0), |first| first.created);
            let owner = principals::find_or_insert(connection, &principal, at)?;
            for together in verifications.chunk_by(|one, next| one.thread == next.thread) {
                let thread = together.first().and_then(|first| first.thread.as_ref());
                let thread = thread.map(|thread| threads::number(connection, &principal, thread));
                let thread = thread.transpose()?;
                for row in PackedEvidence::rows(together) {
                    match thread {
                        Some(thread) => row.insert_in_thread(writing, thread)?,
                        None => row.insert(writing, owner)?,
                    }
                }
            }
            Ok(())
        })
    }

    fn verification(
        &self,
        principal: &Principal,
        id: &str,
    ) -> StoreFuture<Option<StoredVerification>> {
        let (principal, id) = (principal.clone(), id.to_owned());
        self.read(move |connection| {
            let found = find_latest(connection, &id, Some(&principal))?;
            Ok(found.map(|(_, found)| found))
        })
    }

    fn linked_verification(
        &self,
        id: &str,
    ) -> StoreFuture<Option<(Principal, StoredVerification)>> {
        let id = id.to_owned();
        self.read(move |connection| find_latest(connection, &id, None))
    }

    fn verifications(
        &self,
        principal: &Principal,
        key: &str,
    ) -> StoreFuture<Vec<StoredVerification>> {
        let (principal, key) = (principal.clone(), key.to_owned());
        self.read(move |connection| {
            let lookup = EvidenceLookup::KeyPrefix(&key);
            let rows =
                evidence_rows::find(connection, lookup, Some(&principal), MAX_VERIFICATIONS)?;
            let items = rows.into_iter().flat_map(|row| row.items.into_iter().rev());
            let mut listed: Vec<StoredVerification> = Vec::new();
            for item in items.filter(|item| item.key == key) {
                if !listed.iter().any(|later| later.id == item.id) {
                    listed.push(item);
                }
            }
            listed.sort_by_key(|item| Reverse(item.created));
            listed.truncate(MAX_VERIFICATIONS);
            Ok(listed)
        })
    }

    fn verifications_in(
        &self,
        principal: &Principal,
        document: ContentId,
    ) -> StoreFuture<Vec<StoredVerification>> {
        let principal = principal.clone();
        self.read(move |connection| {
            let lookup = EvidenceLookup::Document(document);
            let rows = evidence_rows::find(connection, lookup, Some(&principal), MAX_IN_DOCUMENT)?;
            let items = rows.into_iter().flat_map(|row| row.items.into_iter().rev());
            let mut shown = HashSet::new();
            let mut listed: Vec<StoredVerification> = items
                .filter(|item| item.document == Some(document) && shown.insert(item.id.clone()))
                .collect();
            listed.sort_by_key(|item| Reverse(item.created));
            listed.truncate(MAX_IN_DOCUMENT);
            Ok(listed)
        })
    }

    fn citing_threads(&self, principal: &Principal, key: &str) -> StoreFuture<Vec<ThreadId>> {
        let (principal, key) = (principal.clone(), key.to_owned());
        self.read(move |connection| {
            let lookup = EvidenceLookup::KeyPrefix(&key);
            let rows = evidence_rows::find(connection, lookup, Some(&principal), MAX_CITING)?;
            let mut threads: Vec<ThreadId> = { rows.into_iter() }
                .filter(|row| row.items.iter().any(|item| item.key == key))
                .filter_map(|row| row.items.into_iter().next()?.thread)
                .collect();
            threads.sort_unstable();
            threads.dedup();
            Ok(threads)
        })
    }

    fn list_verifications(
        &self,
        principal: &Principal,
        page: &PageRequest,
    ) -> StoreFuture<Listing<StoredVerification>> {
        let (principal, page) = (principal.clone(), page.clone());
        self.read(move |connection| {
            let after = page.number()?.unwrap_or(0);
            let limit = page.bounded_limit();
            let mut items = Vec::new();
            evidence_rows::for_each_row(connection, &principal, after / ROW_FACTOR, |row| {
                for (number, item) in (row.number * ROW_FACTOR..).zip(row.items) {
                    if number > after
                        && evidence_rows::is_latest(connection, &principal, row.number, &item.id)?
                    {
                        items.push((number, item));
                    }
                }
                Ok(items.len() <= limit)
            })?;
            items.truncate(limit + 1);
            Ok(Listing::from_numbered(items, limit))
        })
    }

    fn list_reviews(
        &self,
        principal: &Principal,
        page: &PageRequest,
    ) -> StoreFuture<Listing<CitationReview>> {
        let (principal, page) = (principal.clone(), page.clone());
        self.read(move |connection| {
            let after = page.number()?.unwrap_or(0);
            let limit = page.bounded_limit();
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
            Ok(Listing::from_numbered(items, limit))
        })
    }

    fn review(&self, principal: &Principal, review: CitationReview) -> StoreFuture<()> {
        if let Err(invalid) = review.check() {
            return StoreFuture::ready(Err(invalid));
        }
        let principal = principal.clone();
        self.write(move |writing| {
            let owner = principals::find_or_insert(writing.connection, &principal, review.at)?;
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

    fn reviews(&self, principal: &Principal, key: &str) -> StoreFuture<Vec<CitationReview>> {
        let (principal, key) = (principal.clone(), key.to_owned());
        self.read(move |connection| {
            connection
                .prepare_cached(
                    "SELECT key, action, at, note FROM reviews WHERE key = ?2 AND principal = \
                     (SELECT number FROM principals WHERE id = ?1) ORDER BY number DESC LIMIT ?3",
                )?
                .query_and_then(params![principal.as_str(), key, MAX_REVIEWS], review)?
                .collect()
        })
    }
}

/// Returns the latest verification with an id, and its owner. Only of `principal` if one is given.
fn find_latest(
    connection: &Connection,
    id: &str,
    principal: Option<&Principal>,
) -> Result<Option<(Principal, StoredVerification)>> {
    let last = evidence_rows::find(connection, EvidenceLookup::Id(id), principal, 1)?.pop();
    Ok(last.and_then(
        |EvidenceRow {
             principal, items, ..
         }| {
            let found = items.into_iter().find(|item| item.id == id);
            found.map(|found| (principal, found))
        },
    ))
}

fn review(row: &Row<'_>) -> Result<CitationReview> {
    let action: String = row.get(1)?;
    Ok(CitationReview {
        key: row.get(0)?,
        action: ReviewAction::parse(&action).ok_or_else(|| StoreError::corrupt("a review"))?,
        at: Timestamp(row.get(2)?),
        note: row.get(3)?,
    })
}
