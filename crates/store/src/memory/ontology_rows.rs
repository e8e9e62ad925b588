//! Stored records of the ontology in memory.

use std::collections::btree_map::Entry;
use std::collections::{BTreeMap, HashSet};
use std::sync::Arc;

use super::ontology_views::ListedRecord;
use crate::change_notifier::ChangeNotifier;
use crate::error::{Result, StoreError};
use crate::ids::{Principal, Timestamp};
use crate::ontology::derived::{root_group, root_person};
use crate::ontology::{
    Knowledge, OntologyEvent, OntologyGroup, OntologyRecord, Person, Thing, ThingConnection,
    ThingKnowledge,
};

/// Stored records of all principals.
pub(super) struct MemoryOntology {
    pub(super) owned: BTreeMap<Principal, OwnedOntology>,
    /// Number of changes of all things.
    pub(super) change_count: u64,
    notifier: Arc<ChangeNotifier>,
}

/// Stored records of one principal.
#[derive(Default)]
pub(super) struct OwnedOntology {
    pub(super) groups: BTreeMap<String, OntologyGroup>,
    pub(super) people: BTreeMap<String, Person>,
    /// Things with the number of their last change.
    pub(super) things: OntologyRows<(u64, Thing)>,
    pub(super) connections: OntologyRows<ThingConnection>,
    pub(super) events: OntologyRows<OntologyEvent>,
    pub(super) knowledge: OntologyRows<Knowledge>,
    pub(super) links: BTreeMap<(String, String, String), ThingKnowledge>,
    /// Derived things that were deleted, with the number of that change.
    pub(super) removed: Vec<(u64, Thing)>,
}

/// Records by id, numbered in the order in which they were first stored.
pub(super) struct OntologyRows<T> {
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
    pub(super) fn get(&self, id: &str) -> Option<&T> {
        self.by_id.get(id).map(|(_, item)| item)
    }

    pub(super) fn insert(&mut self, id: String, item: T) {
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
    pub(super) fn listed<U>(
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

    pub(super) fn insert(&mut self, principal: &Principal, record: OntologyRecord) {
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

    /// Stores the labels of a document: a label is knowledge, and linked to the document.
    pub(super) fn relabel(
        &mut self,
        principal: &Principal,
        before: Vec<(Knowledge, ThingKnowledge)>,
        after: Vec<(Knowledge, ThingKnowledge)>,
    ) {
        let owned = self.owned.entry(principal.clone()).or_default();
        for (_, link) in before {
            owned.links.remove(&(link.thing, link.knowledge, link.role));
        }
        for (knowledge, link) in after {
            let is_known = self
                .owned
                .get(principal)
                .is_some_and(|owned| owned.knowledge.get(&knowledge.id).is_some());
            if !is_known {
                self.insert(principal, OntologyRecord::Knowledge(knowledge));
            }
            self.insert(principal, OntologyRecord::ThingKnowledge(link));
        }
    }

    /// Removes the links of a thing to knowledge.
    pub(super) fn unlink(&mut self, principal: &Principal, thing: &str) {
        if let Some(owned) = self.owned.get_mut(principal) {
            owned.links.retain(|(of, _, _), _| of != thing);
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
pub(super) struct OntologyTransaction<'a> {
    principal: &'a Principal,
    pub(super) owned: Option<&'a OwnedOntology>,
    pub(super) groups: BTreeMap<&'a str, &'a OntologyGroup>,
    pub(super) things: BTreeMap<&'a str, &'a Thing>,
}

impl<'a> OntologyTransaction<'a> {
    pub(super) fn new(principal: &'a Principal, owned: Option<&'a OwnedOntology>) -> Self {
        Self {
            principal,
            owned,
            groups: BTreeMap::new(),
            things: BTreeMap::new(),
        }
    }

    /// Checks a record against those stored and those checked before.
    pub(super) fn check(&mut self, record: &'a OntologyRecord) -> Result<()> {
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
