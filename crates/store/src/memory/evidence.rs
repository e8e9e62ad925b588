//! Verifications and reviews in memory.

use std::collections::{BTreeMap, BTreeSet, HashMap};

use documents::ContentId;

use super::MemoryStore;
use crate::error::Result;
use crate::evidence::{
    CitationReview, EvidenceStore, MAX_IN_DOCUMENT, MAX_REVIEWS, MAX_VERIFICATIONS,
    StoredVerification,
};
use crate::future::StoreFuture;
use crate::ids::{Principal, ThreadId, Timestamp};
use crate::paging::{Listing, PageRequest};

#[derive(Default)]
pub(super) struct MemoryEvidence {
    /// Verifications by id, in the order in which they were stored.
    verifications: BTreeMap<String, Vec<MemoryVerification>>,
    reviews: HashMap<(Principal, String), Vec<(i64, CitationReview)>>,
    last_number: i64,
}

struct MemoryVerification {
    number: i64,
    principal: Principal,
    verification: StoredVerification,
}

impl MemoryEvidence {
    pub(super) fn delete_principal(&mut self, principal: &Principal) {
        self.retain(|held| held.principal != *principal);
        self.reviews.retain(|(owner, _), _| owner != principal);
    }

    fn retain(&mut self, mut is_kept: impl FnMut(&MemoryVerification) -> bool) {
        self.verifications.retain(|_, all| {
            all.retain(&mut is_kept);
            !all.is_empty()
        });
    }

    /// Stores verifications, in a thread if one is given.
    pub(super) fn insert(
        &mut self,
        principal: &Principal,
        thread: Option<&ThreadId>,
        verifications: Vec<StoredVerification>,
    ) {
        for mut verification in verifications {
            if let Some(thread) = thread {
                verification.thread = Some(thread.clone());
            }
            let all = self.verifications.entry(verification.id.clone());
            let all = all.or_default();
            // An earlier one of the same thread can never be shown again.
            all.retain(|held| {
                held.principal != *principal || held.verification.thread != verification.thread
            });
            self.last_number += 1;
            all.push(MemoryVerification {
                number: self.last_number,
                principal: principal.clone(),
                verification,
            });
        }
    }

    /// Deletes the verifications of a thread.
    pub(super) fn delete_thread(&mut self, principal: &Principal, thread: &ThreadId) {
        self.retain(|held| {
            held.principal != *principal || held.verification.thread.as_ref() != Some(thread)
        });
    }

    /// Returns the latest verification with an id. Only of `principal` if one is given.
    fn latest(&self, id: &str, principal: Option<&Principal>) -> Option<&MemoryVerification> {
        let own = |held: &&MemoryVerification| {
            principal.is_none_or(|principal| held.principal == *principal)
        };
        self.verifications.get(id)?.iter().rev().find(own)
    }

    /// Returns the latest verification for each id of a principal.
    fn latest_of(&self, principal: &Principal) -> impl Iterator<Item = &MemoryVerification> {
        let ids = self.verifications.keys();
        ids.filter_map(move |id| self.latest(id, Some(principal)))
    }

    /// Returns all verifications of a citation, not only the latest.
    fn citing(
        &self,
        principal: &Principal,
        key: &str,
    ) -> impl Iterator<Item = &MemoryVerification> {
        let all = self.verifications.values().flatten();
        all.filter(move |held| held.principal == *principal && held.verification.key == key)
    }
}

impl EvidenceStore for MemoryStore {
    fn store_verifications(
        &self,
        principal: &Principal,
        verifications: Vec<StoredVerification>,
    ) -> StoreFuture<()> {
        self.with(|state| {
            for new in &verifications {
                new.check()?;
                if let Some(thread) = &new.thread {
                    state.threads.check(principal, thread)?;
                }
            }
            let at = verifications
                .first()
                .map_or(Timestamp(0), |first| first.created);
            state.add_principal(principal, at);
            state.evidence.insert(principal, None, verifications);
            Ok(())
        })
    }

    fn verification(
        &self,
        principal: &Principal,
        id: &str,
    ) -> StoreFuture<Option<StoredVerification>> {
        self.with(|state| {
            let held = state.evidence.latest(id, Some(principal));
            Ok(held.map(|held| held.verification.clone()))
        })
    }

    fn linked_verification(
        &self,
        id: &str,
    ) -> StoreFuture<Option<(Principal, StoredVerification)>> {
        self.with(|state| {
            let held = state.evidence.latest(id, None);
            Ok(held.map(|held| (held.principal.clone(), held.verification.clone())))
        })
    }

    fn verifications(
        &self,
        principal: &Principal,
        key: &str,
    ) -> StoreFuture<Vec<StoredVerification>> {
        self.with(|state| {
            let own = state.evidence.latest_of(principal);
            let mut found: Vec<&MemoryVerification> =
                own.filter(|held| held.verification.key == key).collect();
            found.sort_by_key(|held| std::cmp::Reverse((held.verification.created, held.number)));
            let listed = found.iter().take(MAX_VERIFICATIONS);
            Ok(listed.map(|held| held.verification.clone()).collect())
        })
    }

    fn verifications_in(
        &self,
        principal: &Principal,
        document: ContentId,
    ) -> StoreFuture<Vec<StoredVerification>> {
        self.with(|state| {
            let own = state.evidence.latest_of(principal);
            let mut found: Vec<&MemoryVerification> = own
                .filter(|held| held.verification.document == Some(document))
                .collect();
            found.sort_by_key(|held| std::cmp::Reverse((held.verification.created, held.number)));
            let listed = found.iter().take(MAX_IN_DOCUMENT);
            Ok(listed.map(|held| held.verification.clone()).collect())
        })
    }

    fn citing_threads(&self, principal: &Principal, key: &str) -> StoreFuture<Vec<ThreadId>> {
        self.with(|state| {
            let all = state.evidence.citing(principal, key);
            let threads: BTreeSet<_> = all
                .filter_map(|held| held.verification.thread.clone())
                .collect();
            Ok(threads.into_iter().collect())
        })
    }

    fn list_verifications(
        &self,
        principal: &Principal,
        page: &PageRequest,
    ) -> StoreFuture<Listing<StoredVerification>> {
        self.with(|state| {
            let own = state
                .evidence
                .latest_of(principal)
                .map(|held| (held.number, held.verification.clone()));
            list_by_number(own.collect(), page)
        })
    }

    fn list_reviews(
        &self,
        principal: &Principal,
        page: &PageRequest,
    ) -> StoreFuture<Listing<CitationReview>> {
        self.with(|state| {
            let all = state.evidence.reviews.iter();
            let own = all.filter(|((owner, _), _)| owner == principal);
            list_by_number(own.flat_map(|(_, reviews)| reviews.clone()).collect(), page)
        })
    }

    fn review(&self, principal: &Principal, review: CitationReview) -> StoreFuture<()> {
        self.with(|state| {
            review.check()?;
            state.add_principal(principal, review.at);
            state.evidence.last_number += 1;
            let key = (principal.clone(), review.key.clone());
            let numbered = (state.evidence.last_number, review);
            state
                .evidence
                .reviews
                .entry(key)
                .or_default()
                .push(numbered);
            Ok(())
        })
    }

    fn reviews(&self, principal: &Principal, key: &str) -> StoreFuture<Vec<CitationReview>> {
        self.with(|state| {
            let key = (principal.clone(), key.to_owned());
            let reviews = state.evidence.reviews.get(&key);
            let reviews = reviews.map(Vec::as_slice).unwrap_or_default();
            let last = reviews.iter().rev().take(MAX_REVIEWS);
            Ok(last.map(|(_, review)| review.clone()).collect())
        })
    }
}

/// Returns a page of items, ordered by number.
fn list_by_number<T>(mut items: Vec<(i64, T)>, page: &PageRequest) -> Result<Listing<T>> {
    let after = page.number()?.unwrap_or(0);
    let limit = page.bounded_limit();
    items.retain(|(number, _)| *number > after);
    items.sort_by_key(|(number, _)| *number);
    items.truncate(limit + 1);
    Ok(Listing::from_numbered(items, limit))
}
