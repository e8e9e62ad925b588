//! Verifications and reviews in memory.

use std::collections::{BTreeMap, BTreeSet, HashMap};

use super::MemoryStore;
use crate::error::Result;
use crate::evidence::{
    CitationReview, EvidenceStore, REVIEWS_LISTED, StoredVerification, VERIFICATIONS_LISTED,
};
use crate::future::StoreFuture;
use crate::ids::{Principal, ThreadId};
use crate::paging::{Listing, PageRequest};

#[derive(Default)]
pub(super) struct MemoryEvidence {
    /// By id, in the order they were kept.
    verifications: BTreeMap<String, Vec<MemoryVerification>>,
    reviews: HashMap<(Principal, String), Vec<(i64, CitationReview)>>,
    given: i64,
}

struct MemoryVerification {
    number: i64,
    principal: Principal,
    verification: StoredVerification,
}

impl MemoryEvidence {
    pub(super) fn forget(&mut self, principal: &Principal) {
        self.retain(|held| held.principal != *principal);
        self.reviews.retain(|(owner, _), _| owner != principal);
    }

    fn retain(&mut self, mut wanted: impl FnMut(&MemoryVerification) -> bool) {
        self.verifications.retain(|_, all| {
            all.retain(&mut wanted);
            !all.is_empty()
        });
    }

    /// Keeps verifications, in a thread if one is given.
    pub(super) fn keep(
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
            // Whoever asks sees the later one as long as there is any of this thread.
            all.retain(|held| {
                held.principal != *principal || held.verification.thread != verification.thread
            });
            self.given += 1;
            all.push(MemoryVerification {
                number: self.given,
                principal: principal.clone(),
                verification,
            });
        }
    }

    /// Takes note that a thread is gone.
    pub(super) fn forget_thread(&mut self, principal: &Principal, thread: &ThreadId) {
        self.retain(|held| {
            held.principal != *principal || held.verification.thread.as_ref() != Some(thread)
        });
    }

    /// The one with an id that counts, of those of a principal if one is given.
    fn last(&self, id: &str, principal: Option<&Principal>) -> Option<&MemoryVerification> {
        let own = |held: &&MemoryVerification| {
            principal.is_none_or(|principal| held.principal == *principal)
        };
        self.verifications.get(id)?.iter().rev().find(own)
    }

    /// Those of a principal's that count.
    fn last_of(&self, principal: &Principal) -> impl Iterator<Item = &MemoryVerification> {
        let ids = self.verifications.keys();
        ids.filter_map(move |id| self.last(id, Some(principal)))
    }

    /// All of a principal's with a key, whether they count or not.
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
            state.evidence.keep(principal, None, verifications);
            state.principals.insert(principal.clone());
            Ok(())
        })
    }

    fn verification(
        &self,
        principal: &Principal,
        id: &str,
    ) -> StoreFuture<Option<StoredVerification>> {
        self.with(|state| {
            let held = state.evidence.last(id, Some(principal));
            Ok(held.map(|held| held.verification.clone()))
        })
    }

    fn linked_verification(
        &self,
        id: &str,
    ) -> StoreFuture<Option<(Principal, StoredVerification)>> {
        self.with(|state| {
            let held = state.evidence.last(id, None);
            Ok(held.map(|held| (held.principal.clone(), held.verification.clone())))
        })
    }

    fn verifications(
        &self,
        principal: &Principal,
        key: &str,
    ) -> StoreFuture<Vec<StoredVerification>> {
        self.with(|state| {
            let own = state.evidence.last_of(principal);
            let mut found: Vec<&MemoryVerification> =
                own.filter(|held| held.verification.key == key).collect();
            found.sort_by_key(|held| std::cmp::Reverse((held.verification.created, held.number)));
            let listed = found.iter().take(VERIFICATIONS_LISTED);
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
        slice: &PageRequest,
    ) -> StoreFuture<Listing<StoredVerification>> {
        self.with(|state| {
            let own = state
                .evidence
                .last_of(principal)
                .map(|held| (held.number, held.verification.clone()));
            in_order(own.collect(), slice)
        })
    }

    fn list_reviews(
        &self,
        principal: &Principal,
        slice: &PageRequest,
    ) -> StoreFuture<Listing<CitationReview>> {
        self.with(|state| {
            let all = state.evidence.reviews.iter();
            let own = all.filter(|((owner, _), _)| owner == principal);
            in_order(
                own.flat_map(|(_, reviews)| reviews.clone()).collect(),
                slice,
            )
        })
    }

    fn review(&self, principal: &Principal, review: CitationReview) -> StoreFuture<()> {
        self.with(|state| {
            review.check()?;
            state.principals.insert(principal.clone());
            state.evidence.given += 1;
            let key = (principal.clone(), review.key.clone());
            let numbered = (state.evidence.given, review);
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
            let last = reviews.iter().rev().take(REVIEWS_LISTED);
            Ok(last.map(|(_, review)| review.clone()).collect())
        })
    }
}

/// A page of items in the order of their numbers.
fn in_order<T>(mut items: Vec<(i64, T)>, slice: &PageRequest) -> Result<Listing<T>> {
    let after = slice.number()?.unwrap_or(0);
    let limit = slice.bounded();
    items.retain(|(number, _)| *number > after);
    items.sort_by_key(|(number, _)| *number);
    items.truncate(limit + 1);
    Ok(Listing::numbered(items, limit))
}
