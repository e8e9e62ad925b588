//! The ontology in memory.

use super::ontology_rows::OntologyTransaction;
use super::ontology_views::{ChangedThing, ListedRecord};
use super::{MemoryState, MemoryStore, newest_first};
use crate::error::Result;
use crate::future::StoreFuture;
use crate::ids::Principal;
use crate::ontology::derived::is_derived_thing;
use crate::ontology::{
    ConnectionQuery, EventQuery, Knowledge, KnowledgeQuery, Ontology, OntologyEvent, OntologyGroup,
    OntologyRecord, Person, QueryCursor, Thing, ThingConnection, ThingQuery,
};
use crate::paging::{Listing, PageRequest};

/// Largest number of changes that one call returns.
const MAX_CHANGES: usize = 100_000;

impl MemoryState {
    /// Returns all things of a principal, derived and stored, deleted ones included.
    fn all_things(&self, principal: &Principal) -> Vec<ListedRecord<ChangedThing>> {
        let mut things = self.derived_things(principal);
        if let Some(owned) = self.ontology.owned.get(principal) {
            let stored = owned.things.listed(
                |(_, thing)| thing.created,
                |(changed, thing)| ChangedThing {
                    changed: *changed,
                    thing: thing.clone(),
                },
            );
            things.extend(stored);
        }
        things
    }
}

/// Returns a page of a list, the latest records first.
fn list<T>(
    mut items: Vec<ListedRecord<T>>,
    page: &PageRequest,
    matches: impl Fn(&T) -> bool,
) -> Result<Listing<T>> {
    let after = page.position()?;
    items.retain(|item| matches(&item.record));
    let position = |item: &ListedRecord<T>| (item.time.0, item.key);
    let listing = newest_first(items, after.as_ref(), page.bounded_limit(), position);
    Ok(listing.map(|item| item.record))
}

impl Ontology for MemoryStore {
    fn put(&self, principal: &Principal, records: Vec<OntologyRecord>) -> StoreFuture<()> {
        self.with(|state| {
            let Some(first) = records.first() else {
                return Ok(());
            };
            let at = first.time();
            let owned = state.ontology.owned.get(principal);
            let mut transaction = OntologyTransaction::new(principal, owned);
            for record in &records {
                transaction.check(record)?;
            }
            state.add_principal(principal, at);
            for record in records {
                state.ontology.insert(principal, record);
            }
            Ok(())
        })
    }

    fn groups(&self, principal: &Principal) -> StoreFuture<Vec<OntologyGroup>> {
        self.with(|state| {
            let owned = state.ontology.owned.get(principal);
            let groups = owned.map(|owned| owned.groups.values().cloned().collect());
            Ok(groups.unwrap_or_default())
        })
    }

    fn people(&self, principal: &Principal, group: &str) -> StoreFuture<Vec<Person>> {
        self.with(|state| {
            let owned = state.ontology.owned.get(principal).into_iter();
            let people = owned.flat_map(|owned| owned.people.values());
            Ok(people
                .filter(|person| person.group == group)
                .cloned()
                .collect())
        })
    }

    fn thing(&self, principal: &Principal, id: &str) -> StoreFuture<Option<Thing>> {
        self.with(|state| {
            if is_derived_thing(id) {
                let things = state.derived_things(principal).into_iter();
                let mut things = things.map(|item| item.record.thing);
                return Ok(things.find(|thing| thing.id == id));
            }
            let owned = state.ontology.owned.get(principal);
            let found = owned.and_then(|owned| owned.things.get(id));
            let found = found.filter(|(_, thing)| thing.deleted.is_none());
            Ok(found.map(|(_, thing)| thing.clone()))
        })
    }

    fn things(
        &self,
        principal: &Principal,
        query: &ThingQuery,
        page: &PageRequest,
    ) -> StoreFuture<Listing<Thing>> {
        self.with(|state| {
            let things = state.all_things(principal);
            let listing = list(things, page, |item| query.matches(&item.thing))?;
            Ok(listing.map(|item| item.thing))
        })
    }

    fn connections(
        &self,
        principal: &Principal,
        query: &ConnectionQuery,
        page: &PageRequest,
    ) -> StoreFuture<Listing<ThingConnection>> {
        self.with(|state| {
            let mut items = state.derived_connections(principal);
            if let Some(owned) = state.ontology.owned.get(principal) {
                let stored = owned.connections.listed(|it| it.created, Clone::clone);
                items.extend(stored);
            }
            list(items, page, |item| query.matches(item))
        })
    }

    fn ontology_events(
        &self,
        principal: &Principal,
        query: &EventQuery,
        page: &PageRequest,
    ) -> StoreFuture<Listing<OntologyEvent>> {
        self.with(|state| {
            let mut items = state.derived_events(principal);
            if let Some(owned) = state.ontology.owned.get(principal) {
                items.extend(owned.events.listed(|it| it.at, Clone::clone));
            }
            list(items, page, |item| query.matches(item))
        })
    }

    fn knowledge(
        &self,
        principal: &Principal,
        query: &KnowledgeQuery,
        page: &PageRequest,
    ) -> StoreFuture<Listing<Knowledge>> {
        self.with(|state| {
            let Some(owned) = state.ontology.owned.get(principal) else {
                return list(Vec::new(), page, |_| true);
            };
            let is_linked = |id: &str| {
                query.thing.as_ref().is_none_or(|thing| {
                    let mut links = owned.links.keys();
                    links.any(|(of, knowledge, _)| of == thing && knowledge == id)
                })
            };
            let items = owned.knowledge.listed(|it| it.created, Clone::clone);
            list(items, page, |item| {
                query.matches(item) && is_linked(&item.id)
            })
        })
    }

    fn changes(
        &self,
        principal: &Principal,
        query: &ThingQuery,
        after: u64,
        limit: usize,
    ) -> StoreFuture<QueryCursor> {
        self.with(|state| {
            let things = state.all_things(principal).into_iter();
            let things = things.map(|item| (item.record.changed, item.record.thing));
            let owned = state.ontology.owned.get(principal).into_iter();
            let removed = owned.flat_map(|owned| owned.removed.iter().cloned());
            let mut things: Vec<(u64, Thing)> = things
                .chain(removed)
                .filter(|(changed, thing)| {
                    *changed > after
                        && query.can_match(&thing.group, &thing.kind, thing.within.as_ref())
                        && (after > 0 || query.matches(thing))
                })
                .collect();
            things.sort_by_key(|(changed, _)| *changed);
            let limit = limit.clamp(1, MAX_CHANGES);
            let more = things.len() > limit;
            things.truncate(limit);
            let at = match things.last() {
                Some((changed, _)) if more => *changed,
                _ => state.ontology.change_count.max(after),
            };
            let changes = things.into_iter().map(|(_, thing)| query.change(thing));
            Ok(QueryCursor {
                changes: changes.collect(),
                at,
                more,
            })
        })
    }

    fn changed(&self, principal: &Principal, after: u64) -> StoreFuture<u64> {
        self.notifier.wait(principal, after, || {
            self.with(|state| {
                let things = state.all_things(principal).into_iter();
                let things = things.map(|item| item.record.changed);
                let owned = state.ontology.owned.get(principal).into_iter();
                let removed = owned.flat_map(|owned| owned.removed.iter());
                let removed = removed.map(|(changed, _)| *changed);
                Ok(things.chain(removed).max().unwrap_or(0))
            })
        })
    }
}
