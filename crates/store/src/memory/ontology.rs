//! The ontology in memory.

use std::collections::btree_map::Entry;
use std::collections::{BTreeMap, HashSet};
use std::sync::Arc;

use super::ontology_views::{ChangedThing, ListedRecord};
use super::{MemoryState, MemoryStore, newest_first};
use crate::change_notifier::ChangeNotifier;
use crate::error::{Result, StoreError};
use crate::future::StoreFuture;
use crate::ids::{Principal, Timestamp};
use crate::ontology::derived::{is_derived_thing, root_group, root_person};
use crate::ontology::{
    ConnectionQuery, EventQuery, Knowledge, KnowledgeQuery, Ontology, OntologyEvent, OntologyGroup,
    OntologyRecord, Person, QueryCursor, Thing, ThingConnection, ThingKnowledge, ThingQuery,
};
use crate::paging::{Listing, PageRequest};

/// Largest number of changes that one call returns.
const MAX_CHANGES: usize = 100_000;

/// Stored records of all principals.
pub(super) struct MemoryOntology {
    owned: BTreeMap<Principal, OwnedOntology>,
    /// Number of changes of all things.
    change_count: u64,
    notifier: Arc<ChangeNotifier>,
}

/// Stored records of one principal.
#[derive(Default)]
pub(super) struct OwnedOntology {
    groups: BTreeMap<String, OntologyGroup>,
    people: BTreeMap<String, Person>,
    /// Things with the number of their last change.
    things: OntologyRows<(u64, Thing)>,
    connections: OntologyRows<ThingConnection>,
    events: OntologyRows<OntologyEvent>,
    knowledge: OntologyRows<Knowledge>,
    links: BTreeMap<(String, String, String), ThingKnowledge>,
    /// Derived things that were deleted, with the number of that change.
    removed: Vec<(u64, Thing)>,
}

/// Records by id, numbered in the order in which they were first stored.
struct OntologyRows<T> {
    by_id: BTreeMap<String, (u64, T)>,
    last_number: u64,
}

impl<T> Default for OntologyRows<T> {
    fn default() -> Self {
        Self {
            by_id: BTreeMap::new(),
            last_number: 0,
        }
    }
}

impl<T> OntologyRows<T> {
    fn get(&self, id: &str) -> Option<&T> {
        self.by_id.get(id).map(|(_, item)| item)
    }

    fn insert(&mut self, id: String, item: T) {
        match self.by_id.entry(id) {
            Entry::Occupied(mut known) => known.get_mut().1 = item,
            Entry::Vacant(new) => {
                self.last_number += 1;
                new.insert((self.last_number, item));
            }
        }
    }

    fn retain(&mut self, keep: impl Fn(&T) -> bool) {
        self.by_id.retain(|_, (_, item)| keep(item));
    }

    fn values(&self) -> impl Iterator<Item = &T> {
        self.by_id.values().map(|(_, item)| item)
    }

    /// Returns all records for a list.
    fn listed<U>(
        &self,
        time: impl Fn(&T) -> Timestamp,
        convert: impl Fn(&T) -> U,
    ) -> Vec<ListedRecord<U>> {
        self.by_id
            .values()
            .map(|(number, item)| ListedRecord::new(time(item), 0, *number, convert(item)))
            .collect()
    }
}

impl MemoryOntology {
    pub(super) fn new(notifier: Arc<ChangeNotifier>) -> Self {
        Self {
            owned: BTreeMap::new(),
            change_count: 0,
            notifier,
        }
    }

    /// Adds the group and the person of a new principal.
    pub(super) fn add_principal(&mut self, principal: &Principal, at: Timestamp) {
        self.insert(principal, OntologyRecord::Group(root_group(principal, at)));
        self.insert(
            principal,
            OntologyRecord::Person(root_person(principal, at)),
        );
    }

    pub(super) fn delete_principal(&mut self, principal: &Principal) {
        self.owned.remove(principal);
    }

    /// Returns the number of a new change of a principal's things, and wakes its readers.
    pub(super) fn next_change(&mut self, principal: &Principal) -> u64 {
        self.change_count += 1;
        self.notifier.notify(principal, self.change_count);
        self.change_count
    }

    fn insert(&mut self, principal: &Principal, record: OntologyRecord) {
        let changed = match &record {
            OntologyRecord::Thing(_) => self.next_change(principal),
            _ => 0,
        };
        let owned = self.owned.entry(principal.clone()).or_default();
        match record {
            OntologyRecord::Thing(thing) => {
                owned.things.insert(thing.id.clone(), (changed, thing));
            }
            OntologyRecord::Group(group) => {
                owned.groups.insert(group.id.clone(), group);
            }
            OntologyRecord::Person(person) => {
                owned.people.insert(person.id.clone(), person);
            }
            OntologyRecord::Connection(connection) => {
                owned.connections.insert(connection.id.clone(), connection);
            }
            OntologyRecord::Event(event) => {
                owned.events.insert(event.id.clone(), event);
            }
            OntologyRecord::Knowledge(knowledge) => {
                owned.knowledge.insert(knowledge.id.clone(), knowledge);
            }
            OntologyRecord::ThingKnowledge(link) => {
                let key = (
                    link.thing.clone(),
                    link.knowledge.clone(),
                    link.role.clone(),
                );
                owned.links.insert(key, link);
            }
        }
    }

    /// Records for live queries that things are gone, and deletes what programs have attached to them: parts of
    /// the first one, connections and events. The first one is the whole of the others.
    pub(super) fn remove_things(&mut self, principal: &Principal, removed: Vec<Thing>) {
        let mut gone: HashSet<String> = removed.iter().map(|thing| thing.id.clone()).collect();
        let whole = removed.first().map(|thing| thing.id.clone());
        for thing in removed {
            let changed = self.next_change(principal);
            let owned = self.owned.entry(principal.clone()).or_default();
            owned.removed.push((changed, thing));
        }
        let owned = self.owned.entry(principal.clone()).or_default();
        let is_part = |thing: &&Thing| thing.deleted.is_none() && thing.within == whole;
        let stored = owned.things.values().map(|(_, thing)| thing);
        let parts: Vec<Thing> = stored.filter(is_part).cloned().collect();
        for part in parts {
            gone.insert(part.id.clone());
            let tombstone = Thing {
                name: String::new(),
                properties: "{}".to_owned(),
                deleted: Some(part.updated),
                ..part
            };
            self.insert(principal, OntologyRecord::Thing(tombstone));
        }
        let owned = self.owned.entry(principal.clone()).or_default();
        owned.connections.retain(|connection| {
            !gone.contains(&connection.from) && !gone.contains(&connection.to)
        });
        owned.events.retain(|event| {
            let target = event.target.as_ref();
            target.is_none_or(|target| !gone.contains(target))
        });
    }
}

/// Records that are stored together, all of them or none.
struct OntologyTransaction<'a> {
    principal: &'a Principal,
    owned: Option<&'a OwnedOntology>,
    groups: BTreeMap<&'a str, &'a OntologyGroup>,
    things: BTreeMap<&'a str, &'a Thing>,
}

impl<'a> OntologyTransaction<'a> {
    fn check(&mut self, record: &'a OntologyRecord) -> Result<()> {
        record.check()?;
        if let Some(group) = record.group() {
            let is_known = self
                .owned
                .is_some_and(|owned| owned.groups.contains_key(group));
            if !is_known && group != self.principal.as_str() && !self.groups.contains_key(group) {
                return Err(StoreError::NotFound { what: "the group" });
            }
        }
        match record {
            OntologyRecord::Thing(thing) => {
                let stored = self.owned.and_then(|owned| owned.things.get(&thing.id));
                let earlier = self.things.get(thing.id.as_str()).copied();
                if let Some(before) = earlier.or(stored.map(|(_, thing)| thing)) {
                    thing.check_replaces(before)?;
                }
                self.things.insert(&thing.id, thing);
            }
            OntologyRecord::Group(new) => {
                let stored = self
                    .owned
                    .into_iter()
                    .flat_map(|owned| owned.groups.values());
                // A group that this transaction replaces counts with its new slug.
                let unchanged = stored.filter(|known| !self.groups.contains_key(known.id.as_str()));
                let mut all = unchanged.chain(self.groups.values().copied());
                let takes_root = self.owned.is_none()
                    && new.slug == self.principal.as_str()
                    && new.id != new.slug;
                if takes_root || all.any(|known| known.slug == new.slug && known.id != new.id) {
                    return Err(StoreError::Conflict {
                        what: "group",
                        id: new.slug.clone(),
                    });
                }
                self.groups.insert(&new.id, new);
            }
            _ => {}
        }
        Ok(())
    }
}

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
            let mut transaction = OntologyTransaction {
                principal,
                owned: state.ontology.owned.get(principal),
                groups: BTreeMap::new(),
                things: BTreeMap::new(),
            };
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
