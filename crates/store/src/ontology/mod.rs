//! The ontology: groups, people, things, connections, events, knowledge.

pub(crate) mod derived;
mod records;

pub use self::derived::{agent_id, conversation_id, document_id, message_id};
pub use self::records::{
    Knowledge, OntologyEvent, OntologyGroup, OntologyRecord, Person, Thing, ThingConnection,
    ThingKnowledge,
};

use crate::future::StoreFuture;
use crate::ids::{Principal, Timestamp};
use crate::paging::{Listing, PageRequest};

/// Selection of things. A field that is `None` selects all.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct ThingQuery {
    /// Id of their group.
    pub group: Option<String>,
    /// Kind.
    pub kind: Option<String>,
    /// Id of the thing that they are part of.
    pub within: Option<String>,
    /// Status.
    pub status: Option<String>,
}

/// Selection of connections. A field that is `None` selects all.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct ConnectionQuery {
    /// Id of their group.
    pub group: Option<String>,
    /// Id of the thing where they begin.
    pub from: Option<String>,
    /// Id of the thing where they end.
    pub to: Option<String>,
    /// Kind.
    pub kind: Option<String>,
    /// Time at which they are valid.
    pub valid_at: Option<Timestamp>,
}

/// Selection of events. A field that is `None` selects all.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct EventQuery {
    /// Id of their group.
    pub group: Option<String>,
    /// Kind.
    pub kind: Option<String>,
    /// Id of the person or agent that acted.
    pub actor: Option<String>,
    /// Id of the thing that was acted on.
    pub target: Option<String>,
}

/// Selection of knowledge. A field that is `None` selects all.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct KnowledgeQuery {
    /// Id of its group.
    pub group: Option<String>,
    /// Kind.
    pub kind: Option<String>,
    /// Id of the thing that it comes from.
    pub source: Option<String>,
    /// Id of a thing that it is linked to, in any role.
    pub thing: Option<String>,
}

fn selects(wanted: Option<&String>, value: &str) -> bool {
    wanted.is_none_or(|wanted| wanted == value)
}

fn selects_optional(wanted: Option<&String>, value: Option<&String>) -> bool {
    wanted.is_none() || wanted == value
}

impl ThingQuery {
    /// Returns true if the query selects a thing. Deleted things are never selected.
    pub fn matches(&self, thing: &Thing) -> bool {
        thing.deleted.is_none()
            && self.can_match(&thing.group, &thing.kind, thing.within.as_ref())
            && selects(self.status.as_ref(), &thing.status)
    }

    /// Compares the fields that never change during the life of a thing.
    pub(crate) fn can_match(&self, group: &str, kind: &str, within: Option<&String>) -> bool {
        selects(self.group.as_ref(), group)
            && selects(self.kind.as_ref(), kind)
            && selects_optional(self.within.as_ref(), within)
    }

    /// Returns the change of a live query after the latest change of a thing.
    pub(crate) fn change(&self, thing: Thing) -> QueryChange {
        match self.matches(&thing) {
            true => QueryChange::Put(thing),
            false => QueryChange::Removed { id: thing.id },
        }
    }
}

impl ConnectionQuery {
    /// Returns true if the query selects a connection. Deleted ones are never selected.
    pub(crate) fn matches(&self, connection: &ThingConnection) -> bool {
        let is_valid = |at: Timestamp| {
            connection.valid_from.is_none_or(|from| from <= at)
                && connection.valid_to.is_none_or(|to| to > at)
        };
        connection.deleted.is_none()
            && selects(self.group.as_ref(), &connection.group)
            && selects(self.from.as_ref(), &connection.from)
            && selects(self.to.as_ref(), &connection.to)
            && selects(self.kind.as_ref(), &connection.kind)
            && self.valid_at.is_none_or(is_valid)
    }
}

impl EventQuery {
    /// Returns true if the query selects an event.
    pub(crate) fn matches(&self, event: &OntologyEvent) -> bool {
        selects(self.group.as_ref(), &event.group)
            && selects(self.kind.as_ref(), &event.kind)
            && selects(self.actor.as_ref(), &event.actor)
            && selects_optional(self.target.as_ref(), event.target.as_ref())
    }
}

impl KnowledgeQuery {
    /// Returns true if the query selects a piece of knowledge, apart from the thing it is linked to.
    pub(crate) fn matches(&self, knowledge: &Knowledge) -> bool {
        knowledge.deleted.is_none()
            && selects(self.group.as_ref(), &knowledge.group)
            && selects(self.kind.as_ref(), &knowledge.kind)
            && selects_optional(self.source.as_ref(), knowledge.source.as_ref())
    }
}

/// A step of a live query.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum QueryChange {
    /// A thing is new or has changed.
    Put(Thing),
    /// The query no longer selects a thing. Sent also for things that it never selected.
    Removed {
        /// Id of the thing.
        id: String,
    },
}

/// Changes of a live query, and the position after them.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct QueryCursor {
    /// Changes in order. Of several changes of one thing the last is listed.
    pub changes: Vec<QueryChange>,
    /// Position to continue from.
    pub at: u64,
    /// True if there are more changes already.
    pub more: bool,
}

/// The ontology, and live queries over things.
///
/// Threads, messages, documents, agents and runs are presented as things, connections and events: they are
/// read from their own tables, never copied. See [`conversation_id`] and its siblings for their ids.
/// Programs add records of their own with [`Ontology::put`].
///
/// Lists are ordered by time, the latest first. Deleted records (with `deleted` set) are in no list.
///
/// A live query is a snapshot of things followed by their changes: call [`Ontology::changes`] with 0 for the
/// snapshot, then again with the returned position whenever [`Ontology::changed`] resolves. A reader that was
/// disconnected continues from its last position.
pub trait Ontology {
    /// Stores records, each in place of the one with its id: all of them or none. Prefixes of ids of
    /// derived records are refused with [`Invalid`](crate::StoreError::Invalid).
    fn put(&self, principal: &Principal, records: Vec<OntologyRecord>) -> StoreFuture<()>;

    /// Returns the principal's groups, ordered by id.
    fn groups(&self, principal: &Principal) -> StoreFuture<Vec<OntologyGroup>>;

    /// Returns the people whose main group is `group`, ordered by id.
    fn people(&self, principal: &Principal, group: &str) -> StoreFuture<Vec<Person>>;

    /// Returns a thing, or `None` if it does not exist or is deleted.
    fn thing(&self, principal: &Principal, id: &str) -> StoreFuture<Option<Thing>>;

    /// Lists things.
    fn things(
        &self,
        principal: &Principal,
        query: &ThingQuery,
        page: &PageRequest,
    ) -> StoreFuture<Listing<Thing>>;

    /// Lists connections.
    fn connections(
        &self,
        principal: &Principal,
        query: &ConnectionQuery,
        page: &PageRequest,
    ) -> StoreFuture<Listing<ThingConnection>>;

    /// Lists events of the ontology.
    fn ontology_events(
        &self,
        principal: &Principal,
        query: &EventQuery,
        page: &PageRequest,
    ) -> StoreFuture<Listing<OntologyEvent>>;

    /// Lists knowledge.
    fn knowledge(
        &self,
        principal: &Principal,
        query: &KnowledgeQuery,
        page: &PageRequest,
    ) -> StoreFuture<Listing<Knowledge>>;

    /// Returns the changes of a query since the position `after`, at most `limit` of them.
    fn changes(
        &self,
        principal: &Principal,
        query: &ThingQuery,
        after: u64,
        limit: usize,
    ) -> StoreFuture<QueryCursor>;

    /// Resolves with the latest position once a thing of the principal has changed after `after`.
    /// Changes by another process are noticed together with the next change by this one.
    fn changed(&self, principal: &Principal, after: u64) -> StoreFuture<u64>;
}
