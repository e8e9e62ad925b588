//! The ontology in memory.

use std::collections::BTreeMap;
use std::collections::btree_map::Entry;

use super::{MemoryStore, newest_first};
use crate::change_notifier::ChangeNotifier;
use crate::error::{Result, StoreError};
use crate::future::StoreFuture;
use crate::ids::{Principal, RunId, Timestamp};
use crate::ontology::{
    ConnectionQuery, EventQuery, Knowledge, KnowledgeQuery, Ontology, OntologyEvent, OntologyGroup,
    OntologyRecord, Person, QueryChange, QueryCursor, Thing, ThingConnection, ThingKnowledge,
    ThingQuery, message_id,
};
use crate::paging::{Listing, PageRequest};
use crate::projection::{self, ConversationChange};
use crate::threads::{RunStatus, Thread};

/// How much may be due: whoever comes to look waits for all of it, 10 microseconds for each.
const MOST_DUE: usize = 32_768;

/// What is written, and what is due: runs come often, and readers seldom.
#[derive(Default)]
pub(super) struct MemoryOntology {
    written: WrittenRecord,
    due: Vec<DueUpdate>,
}

#[derive(Default)]
pub(super) struct WrittenRecord {
    owned: BTreeMap<Principal, OwnedOntology>,
    /// How often any thing was changed.
    count: u64,
}

/// What the beginning or the end of a run changes.
pub(super) struct DueUpdate {
    pub(super) principal: Principal,
    /// The thread as it was then.
    pub(super) thread: Thread,
    pub(super) run: RunId,
    pub(super) agent: String,
    pub(super) at: Timestamp,
    pub(super) ended: Option<(RunStatus, ConversationChange)>,
}

/// A principal's part of the ontology.
#[derive(Default)]
pub(super) struct OwnedOntology {
    groups: BTreeMap<String, OntologyGroup>,
    people: BTreeMap<String, Person>,
    things: OntologyRows<(u64, Thing)>,
    connections: OntologyRows<ThingConnection>,
    events: OntologyRows<OntologyEvent>,
    knowledge: OntologyRows<Knowledge>,
    links: BTreeMap<(String, String, String), ThingKnowledge>,
}

/// Records by id, with numbers in the order in which they were first written.
struct OntologyRows<T> {
    by_id: BTreeMap<String, (u64, T)>,
    given: u64,
}

impl<T> Default for OntologyRows<T> {
    fn default() -> Self {
        Self {
            by_id: BTreeMap::new(),
            given: 0,
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
                self.given += 1;
                new.insert((self.given, item));
            }
        }
    }

    fn retain(&mut self, keep: impl Fn(&T) -> bool) {
        self.by_id.retain(|_, (_, item)| keep(item));
    }

    fn values(&self) -> impl Iterator<Item = &T> {
        self.by_id.values().map(|(_, item)| item)
    }

    /// Those that are meant, with their numbers.
    fn numbered<'a, U: Clone + 'a>(
        &'a self,
        of: impl Fn(&'a T) -> &'a U,
        meant: impl Fn(&U) -> bool,
    ) -> Vec<(u64, U)> {
        let rows = self
            .by_id
            .values()
            .map(|(number, item)| (*number, of(item)));
        rows.filter(|(_, item)| meant(item))
            .map(|(number, item)| (number, item.clone()))
            .collect()
    }
}

/// Writes one principal's part, and tells those who wait.
pub(super) struct MemoryOntologyWriter<'a> {
    pub(super) principal: &'a Principal,
    owned: &'a mut OwnedOntology,
    count: &'a mut u64,
    notifier: &'a ChangeNotifier,
}

impl MemoryOntology {
    /// Takes note of what has to be written before anybody looks; at once if somebody waits for it.
    pub(super) fn later(&mut self, due: DueUpdate, notifier: &ChangeNotifier) {
        self.due.push(due);
        if self.due.len() >= MOST_DUE || notifier.anybody_waits() {
            self.written(notifier);
        }
    }

    /// Everything, with what was due.
    pub(super) fn written(&mut self, notifier: &ChangeNotifier) -> &mut WrittenRecord {
        for due in std::mem::take(&mut self.due) {
            self.written.take(due, notifier);
        }
        &mut self.written
    }

    /// A principal's part of everything.
    fn owned(
        &mut self,
        principal: &Principal,
        notifier: &ChangeNotifier,
    ) -> Option<&OwnedOntology> {
        self.written(notifier).owned.get(principal)
    }

    pub(super) fn forget(&mut self, principal: &Principal) {
        self.due.retain(|due| due.principal != *principal);
        self.written.owned.remove(principal);
    }
}

impl WrittenRecord {
    fn take(&mut self, due: DueUpdate, notifier: &ChangeNotifier) {
        let DueUpdate {
            principal,
            thread,
            run,
            agent,
            at,
            ended,
        } = due;
        let mut owner = self.owner(&principal, at, notifier);
        let names = (thread.id.as_str(), run.as_str());
        let Some((status, changed)) = ended else {
            let doer = projection::agent(&principal, &agent, at);
            if owner.find(&doer.id).is_none() {
                owner.insert(OntologyRecord::Thing(doer));
            }
            owner.keep(projection::conversation(&principal, &thread));
            let began = projection::began(&principal, names, &agent, at);
            owner.insert(OntologyRecord::Event(began));
            return;
        };
        owner.keep(projection::conversation(&principal, &thread));
        let event = projection::ended(&principal, names, &agent, status, at);
        owner.insert(OntologyRecord::Event(event));
        for (position, id, role) in &changed.kept {
            let named = (id.as_str(), role.as_str());
            if !projection::can_be_a_thing(id, role) {
                continue;
            }
            let thing = projection::message(&principal, names.0, *position, named, at);
            let is_new = owner.find(&thing.id).is_none();
            owner.keep(thing);
            if is_new {
                for record in projection::sent(&principal, names.0, &agent, named, at) {
                    owner.insert(record);
                }
            }
        }
        for id in &changed.hidden {
            owner.archive(&message_id(names.0, id), at);
        }
    }

    /// The principal with its own group, which is made if need be.
    pub(super) fn owner<'a>(
        &'a mut self,
        principal: &'a Principal,
        at: Timestamp,
        notifier: &'a ChangeNotifier,
    ) -> MemoryOntologyWriter<'a> {
        let owned = self.owned.entry(principal.clone()).or_default();
        let mut owner = MemoryOntologyWriter {
            principal,
            owned,
            count: &mut self.count,
            notifier,
        };
        if !owner.owned.groups.contains_key(principal.as_str()) {
            for record in projection::root(principal, at) {
                owner.insert(record);
            }
        }
        owner
    }
}

impl MemoryOntologyWriter<'_> {
    pub(super) fn insert(&mut self, record: OntologyRecord) {
        let owned = &mut *self.owned;
        match record {
            OntologyRecord::Thing(thing) => {
                *self.count += 1;
                owned.things.insert(thing.id.clone(), (*self.count, thing));
                self.notifier.tell(self.principal, *self.count);
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

    /// A thing that is there.
    pub(super) fn find(&self, id: &str) -> Option<&Thing> {
        let (_, thing) = self.owned.things.get(id)?;
        thing.deleted.is_none().then_some(thing)
    }

    /// Writes a thing that the store keeps itself: it stays as old as it is.
    pub(super) fn keep(&mut self, new: Thing) {
        let created = self
            .find(&new.id)
            .map_or(new.created, |before| before.created);
        let new = Thing { created, ..new };
        let before = self.owned.things.get(&new.id);
        if before.is_none_or(|(_, before)| *before != new) {
            self.insert(OntologyRecord::Thing(new));
        }
    }

    /// Archives a thing.
    pub(super) fn archive(&mut self, id: &str, at: Timestamp) {
        if let Some((_, before)) = self.owned.things.get(id)
            && before.status != "archived"
        {
            let archived = Thing {
                status: "archived".to_owned(),
                updated: at,
                ..before.clone()
            };
            self.insert(OntologyRecord::Thing(archived));
        }
    }

    /// Deletes a thing and all that is part of it, with what relates to them. That they were stays.
    pub(super) fn remove(&mut self, id: &str) {
        let is_part = |thing: &Thing| thing.id == id || thing.within.as_deref() == Some(id);
        let parts: Vec<Thing> = self
            .owned
            .things
            .values()
            .map(|(_, thing)| thing)
            .filter(|thing| thing.deleted.is_none() && is_part(thing))
            .cloned()
            .collect();
        let gone: std::collections::HashSet<&str> =
            parts.iter().map(|part| part.id.as_str()).collect();
        self.owned.connections.retain(|connection| {
            !gone.contains(connection.from.as_str()) && !gone.contains(connection.to.as_str())
        });
        self.owned.events.retain(|event| {
            event
                .target
                .as_deref()
                .is_none_or(|target| !gone.contains(target))
        });
        for part in &parts {
            self.insert(OntologyRecord::Thing(projection::tombstone(part.clone())));
        }
    }
}

/// Records that are to be written together, of which all are or none.
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
            let known = self
                .owned
                .is_some_and(|owned| owned.groups.contains_key(group));
            if !known && group != self.principal.as_str() && !self.groups.contains_key(group) {
                return Err(StoreError::NotFound { what: "the group" });
            }
        }
        match record {
            OntologyRecord::Thing(thing) => {
                let stored = self.owned.and_then(|owned| owned.things.get(&thing.id));
                let earlier = self.things.get(thing.id.as_str()).copied();
                if let Some(before) = earlier.or(stored.map(|(_, thing)| thing)) {
                    thing.check_succeeds(before)?;
                }
                self.things.insert(&thing.id, thing);
            }
            OntologyRecord::Group(new) => {
                let stored = self
                    .owned
                    .into_iter()
                    .flat_map(|owned| owned.groups.values());
                // One that is written anew here counts as it will be.
                let stays = stored.filter(|known| !self.groups.contains_key(known.id.as_str()));
                let mut all = stays.chain(self.groups.values().copied());
                let own = self.owned.is_none() && new.slug == self.principal.as_str();
                if own && new.id != new.slug
                    || all.any(|known| known.slug == new.slug && known.id != new.id)
                {
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

/// Whether a value is the one asked for.
fn is(wanted: Option<&String>, value: &str) -> bool {
    wanted.is_none_or(|wanted| wanted == value)
}

fn may_be(wanted: Option<&String>, value: Option<&String>) -> bool {
    wanted.is_none() || wanted == value
}

impl MemoryStore {
    /// A list of a principal's records, the newest first.
    fn newest<T>(
        &self,
        principal: &Principal,
        slice: &PageRequest,
        items: impl FnOnce(&OwnedOntology) -> Vec<(u64, T)>,
        time: fn(&T) -> Timestamp,
    ) -> StoreFuture<Listing<T>> {
        self.with(|state| {
            let owned = state.ontology.owned(principal, &self.notifier);
            let items = owned.map(items).unwrap_or_default();
            let after = slice.place()?;
            let place = |(number, item): &(u64, T)| (time(item).0, *number);
            let listed = newest_first(items, after.as_ref(), slice.bounded(), place);
            Ok(listed.map(|(_, item)| item))
        })
    }
}

impl Ontology for MemoryStore {
    fn put(&self, principal: &Principal, records: Vec<OntologyRecord>) -> StoreFuture<()> {
        self.with(|state| {
            let Some(first) = records.first() else {
                return Ok(());
            };
            let at = first.time();
            let mut trial = OntologyTransaction {
                principal,
                owned: state.ontology.owned(principal, &self.notifier),
                groups: BTreeMap::new(),
                things: BTreeMap::new(),
            };
            for record in &records {
                trial.check(record)?;
            }
            state.principals.insert(principal.clone());
            let ontology = state.ontology.written(&self.notifier);
            let mut owner = ontology.owner(principal, at, &self.notifier);
            for record in records {
                owner.insert(record);
            }
            Ok(())
        })
    }

    fn groups(&self, principal: &Principal) -> StoreFuture<Vec<OntologyGroup>> {
        self.with(|state| {
            let owned = state.ontology.owned(principal, &self.notifier);
            let groups = owned.map(|owned| owned.groups.values().cloned().collect());
            Ok(groups.unwrap_or_default())
        })
    }

    fn people(&self, principal: &Principal, group: &str) -> StoreFuture<Vec<Person>> {
        self.with(|state| {
            let owned = state.ontology.owned(principal, &self.notifier).into_iter();
            let people = owned.flat_map(|owned| owned.people.values());
            Ok(people
                .filter(|person| person.group == group)
                .cloned()
                .collect())
        })
    }

    fn thing(&self, principal: &Principal, id: &str) -> StoreFuture<Option<Thing>> {
        self.with(|state| {
            let owned = state.ontology.owned(principal, &self.notifier);
            let found = owned.and_then(|owned| owned.things.get(id));
            let there = found.filter(|(_, thing)| thing.deleted.is_none());
            Ok(there.map(|(_, thing)| thing.clone()))
        })
    }

    fn things(
        &self,
        principal: &Principal,
        query: &ThingQuery,
        slice: &PageRequest,
    ) -> StoreFuture<Listing<Thing>> {
        let items = |owned: &OwnedOntology| {
            let things = &owned.things;
            things.numbered(|(_, thing)| thing, |thing| query.matches(thing))
        };
        self.newest(principal, slice, items, |item| item.created)
    }

    fn connections(
        &self,
        principal: &Principal,
        query: &ConnectionQuery,
        slice: &PageRequest,
    ) -> StoreFuture<Listing<ThingConnection>> {
        let holds = |item: &ThingConnection, at: Timestamp| {
            item.valid_from.is_none_or(|from| from <= at) && item.valid_to.is_none_or(|to| to > at)
        };
        let meant = |item: &ThingConnection| {
            item.deleted.is_none()
                && is(query.group.as_ref(), &item.group)
                && is(query.from.as_ref(), &item.from)
                && is(query.to.as_ref(), &item.to)
                && is(query.kind.as_ref(), &item.kind)
                && query.valid_at.is_none_or(|at| holds(item, at))
        };
        let items = |owned: &OwnedOntology| owned.connections.numbered(|it| it, meant);
        self.newest(principal, slice, items, |item| item.created)
    }

    fn ontology_events(
        &self,
        principal: &Principal,
        query: &EventQuery,
        slice: &PageRequest,
    ) -> StoreFuture<Listing<OntologyEvent>> {
        let meant = |item: &OntologyEvent| {
            is(query.group.as_ref(), &item.group)
                && is(query.kind.as_ref(), &item.kind)
                && is(query.actor.as_ref(), &item.actor)
                && may_be(query.target.as_ref(), item.target.as_ref())
        };
        let items = |owned: &OwnedOntology| owned.events.numbered(|it| it, meant);
        self.newest(principal, slice, items, |item| item.at)
    }

    fn knowledge(
        &self,
        principal: &Principal,
        query: &KnowledgeQuery,
        slice: &PageRequest,
    ) -> StoreFuture<Listing<Knowledge>> {
        let items = |owned: &OwnedOntology| {
            let known_of = |id: &str| {
                query.thing.as_ref().is_none_or(|thing| {
                    let mut links = owned.links.keys();
                    links.any(|(of, knowledge, _)| of == thing && knowledge == id)
                })
            };
            let meant = |item: &Knowledge| {
                item.deleted.is_none()
                    && is(query.group.as_ref(), &item.group)
                    && is(query.kind.as_ref(), &item.kind)
                    && may_be(query.source.as_ref(), item.source.as_ref())
                    && known_of(&item.id)
            };
            owned.knowledge.numbered(|it| it, meant)
        };
        self.newest(principal, slice, items, |item| item.created)
    }

    fn changes(
        &self,
        principal: &Principal,
        query: &ThingQuery,
        after: u64,
        limit: usize,
    ) -> StoreFuture<QueryCursor> {
        self.with(|state| {
            let ontology = state.ontology.written(&self.notifier);
            let owned = ontology.owned.get(principal).into_iter();
            let mut things: Vec<&(u64, Thing)> = owned
                .flat_map(|owned| owned.things.values())
                .filter(|(changed, thing)| {
                    *changed > after
                        && is(query.group.as_ref(), &thing.group)
                        && is(query.kind.as_ref(), &thing.kind)
                        && may_be(query.within.as_ref(), thing.within.as_ref())
                        && (after > 0 || query.matches(thing))
                })
                .collect();
            things.sort_by_key(|(changed, _)| *changed);
            let limit = limit.clamp(1, 100_000);
            let more = things.len() > limit;
            things.truncate(limit);
            let at = match things.last() {
                Some((changed, _)) if more => *changed,
                _ => ontology.count.max(after),
            };
            let change = |(_, thing): &&(u64, Thing)| {
                if query.matches(thing) {
                    QueryChange::Put(thing.clone())
                } else {
                    QueryChange::Removed {
                        id: thing.id.clone(),
                    }
                }
            };
            let changes = things.iter().map(change).collect();
            Ok(QueryCursor { changes, at, more })
        })
    }

    fn changed(&self, principal: &Principal, after: u64) -> StoreFuture<u64> {
        self.notifier.wait(principal, after, || {
            self.with(|state| {
                let owned = state.ontology.owned(principal, &self.notifier).into_iter();
                let things = owned.flat_map(|owned| owned.things.values());
                Ok(things.map(|(changed, _)| *changed).max().unwrap_or(0))
            })
        })
    }
}
