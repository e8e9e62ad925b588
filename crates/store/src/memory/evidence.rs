//! Verifications and reviews in memory.

use std::collections::hash_map::Entry;
use std::collections::{BTreeSet, HashMap};

use super::MemoryStore;
use crate::answer::Answer;
use crate::error::{Result, StoreError};
use crate::evidence::{Evidence, REVIEWS_LISTED, Review, StoredVerification, VERIFICATIONS_LISTED};
use crate::names::{Listed, Principal, Slice, ThreadId};

#[derive(Default)]
pub(super) struct State {
    verifications: HashMap<String, Held>,
    reviews: HashMap<(Principal, String), Vec<(i64, Review)>>,
    given: i64,
}

struct Held {
    number: i64,
    principal: Principal,
    verification: StoredVerification,
    /// In which other threads it was made again.
    others: BTreeSet<ThreadId>,
}

impl Held {
    /// Takes a verification with the same id.
    fn take(&mut self, new: StoredVerification) {
        let old = &mut self.verification;
        let is_same = (&new.key, new.document) == (&old.key, old.document)
            && (&new.citation, &new.verification) == (&old.citation, &old.verification);
        let threads = old.thread.clone().zip(new.thread.clone());
        if !is_same || (old.thread.is_some() && new.thread.is_none()) {
            *old = StoredVerification {
                thread: threads.clone().map(|(_, thread)| thread),
                ..new
            };
        }
        if let Some((before, thread)) = threads
            && before != thread
        {
            self.others.insert(if is_same { thread } else { before });
        }
    }

    /// Whether anything is left of it without a thread.
    fn leave(&mut self, thread: &ThreadId) -> bool {
        self.others.remove(thread);
        if self.verification.thread.as_ref() != Some(thread) {
            return true;
        }
        let Some(other) = self.others.pop_first() else {
            return false;
        };
        self.verification.thread = Some(other);
        self.verification.message = None;
        true
    }
}

impl State {
    pub(super) fn forget(&mut self, principal: &Principal) {
        self.verifications
            .retain(|_, held| held.principal != *principal);
        self.reviews.retain(|(owner, _), _| owner != principal);
    }

    /// Keeps verifications, in a thread if one is given, each in place of the one with its id.
    pub(super) fn keep(
        &mut self,
        principal: &Principal,
        thread: Option<&ThreadId>,
        verifications: Vec<StoredVerification>,
    ) -> Result<()> {
        for new in &verifications {
            let held = self.verifications.get(&new.id);
            if held.is_some_and(|held| held.principal != *principal) {
                return Err(StoreError::Conflict {
                    what: "verification",
                    id: new.id.clone(),
                });
            }
        }
        for mut verification in verifications {
            if let Some(thread) = thread {
                verification.thread = Some(thread.clone());
            }
            match self.verifications.entry(verification.id.clone()) {
                Entry::Occupied(known) => known.into_mut().take(verification),
                Entry::Vacant(new) => {
                    self.given += 1;
                    new.insert(Held {
                        number: self.given,
                        principal: principal.clone(),
                        verification,
                        others: BTreeSet::new(),
                    });
                }
            }
        }
        Ok(())
    }

    /// Takes note that a thread is gone.
    pub(super) fn forget_thread(&mut self, principal: &Principal, thread: &ThreadId) {
        self.verifications
            .retain(|_, held| held.principal != *principal || held.leave(thread));
    }
}

impl Evidence for MemoryStore {
    fn keep_verifications(
        &self,
        principal: &Principal,
        verifications: Vec<StoredVerification>,
    ) -> Answer<()> {
        self.with(|state| {
            for new in &verifications {
                new.check()?;
                if let Some(thread) = &new.thread {
                    state.threads.check(principal, thread)?;
                }
            }
            state.evidence.keep(principal, None, verifications)?;
            state.principals.insert(principal.clone());
            Ok(())
        })
    }

    fn verification(&self, principal: &Principal, id: &str) -> Answer<Option<StoredVerification>> {
        self.with(|state| {
            let held = state.evidence.verifications.get(id);
            let own = held.filter(|held| held.principal == *principal);
            Ok(own.map(|held| held.verification.clone()))
        })
    }

    fn linked_verification(&self, id: &str) -> Answer<Option<(Principal, StoredVerification)>> {
        self.with(|state| {
            let held = state.evidence.verifications.get(id);
            Ok(held.map(|held| (held.principal.clone(), held.verification.clone())))
        })
    }

    fn verifications(&self, principal: &Principal, key: &str) -> Answer<Vec<StoredVerification>> {
        self.with(|state| {
            let mut found: Vec<&Held> = state
                .evidence
                .verifications
                .values()
                .filter(|held| held.principal == *principal && held.verification.key == key)
                .collect();
            found.sort_by_key(|held| std::cmp::Reverse((held.verification.created, held.number)));
            let listed = found.iter().take(VERIFICATIONS_LISTED);
            Ok(listed.map(|held| held.verification.clone()).collect())
        })
    }

    fn list_verifications(
        &self,
        principal: &Principal,
        slice: &Slice,
    ) -> Answer<Listed<StoredVerification>> {
        self.with(|state| {
            let all = state.evidence.verifications.values();
            let own = all.filter(|held| held.principal == *principal);
            let own = own.map(|held| (held.number, held.verification.clone()));
            in_order(own.collect(), slice)
        })
    }

    fn list_reviews(&self, principal: &Principal, slice: &Slice) -> Answer<Listed<Review>> {
        self.with(|state| {
            let all = state.evidence.reviews.iter();
            let own = all.filter(|((owner, _), _)| owner == principal);
            in_order(
                own.flat_map(|(_, reviews)| reviews.clone()).collect(),
                slice,
            )
        })
    }

    fn review(&self, principal: &Principal, review: Review) -> Answer<()> {
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

    fn reviews(&self, principal: &Principal, key: &str) -> Answer<Vec<Review>> {
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
fn in_order<T>(mut items: Vec<(i64, T)>, slice: &Slice) -> Result<Listed<T>> {
    let after = slice.number()?.unwrap_or(0);
    let limit = slice.bounded();
    items.retain(|(number, _)| *number > after);
    items.sort_by_key(|(number, _)| *number);
    items.truncate(limit + 1);
    Ok(Listed::numbered(items, limit))
}
