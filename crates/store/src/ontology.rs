//! The ontology: groups, people, things, connections, events, knowledge.

use json::Json;

use crate::error::{Result, StoreError};
use crate::future::StoreFuture;
use crate::ids::{self, Principal, Timestamp};
use crate::paging::{Listing, PageRequest};

/// Whom and what belongs together. Each principal has one whose id is the principal's own.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct OntologyGroup {
    /// What it is called by.
    pub id: String,
    /// Its name in addresses.
    pub slug: String,
    /// What people call it.
    pub name: String,
    /// `friend_circle`, `business`, `community`, `dao`, `government` or `organization`.
    pub kind: String,
    /// The group that it is part of.
    pub parent: Option<String>,
    /// What it is about.
    pub description: Option<String>,
    /// Anything else, a JSON object.
    pub metadata: String,
    /// Who may see and join it, its plan and limits: a JSON object.
    pub settings: String,
    /// `active` or `archived`.
    pub status: String,
    /// When it was made.
    pub created: Timestamp,
    /// When it was last changed.
    pub updated: Timestamp,
}

/// Somebody.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Person {
    /// What they are called by.
    pub id: String,
    /// Their group.
    pub group: String,
    /// All groups they are in, a JSON array of ids.
    pub groups: String,
    /// Their address.
    pub email: Option<String>,
    /// The name they log in with.
    pub username: Option<String>,
    /// What people call them.
    pub name: String,
    /// `platform_owner`, `group_owner`, `group_user` or `customer`.
    pub role: String,
    /// What they may do, a JSON array of words.
    pub permissions: String,
    /// When they came.
    pub created: Timestamp,
    /// When something about them was last changed.
    pub updated: Timestamp,
}

/// Something: a conversation, a message, a document, an agent, or whatever a program keeps.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Thing {
    /// What it is called by.
    pub id: String,
    /// Its group.
    pub group: String,
    /// What it is: `conversation`, `message`, `document`, `agent` and so on.
    pub kind: String,
    /// What people call it.
    pub name: String,
    /// The thing that it is a part of, as a message of its conversation.
    pub within: Option<String>,
    /// What is particular to it, a JSON object.
    pub properties: String,
    /// `active`, `inactive`, `draft`, `published` or `archived`.
    pub status: String,
    /// The version of what its properties mean.
    pub schema_version: Option<u32>,
    /// When it was made.
    pub created: Timestamp,
    /// When it was last changed.
    pub updated: Timestamp,
    /// When it was deleted.
    pub deleted: Option<Timestamp>,
}

/// How one thing is related to another.
#[derive(Debug, Clone, PartialEq)]
pub struct ThingConnection {
    /// What it is called by.
    pub id: String,
    /// Its group.
    pub group: String,
    /// The thing it comes from.
    pub from: String,
    /// The thing it goes to.
    pub to: String,
    /// `sent_by`, `belongs_to` and so on.
    pub kind: String,
    /// Anything else, as JSON.
    pub metadata: Option<String>,
    /// How strong it is, from 0 to 1.
    pub strength: Option<f64>,
    /// From when on it holds.
    pub valid_from: Option<Timestamp>,
    /// Until when it holds.
    pub valid_to: Option<Timestamp>,
    /// When it was made.
    pub created: Timestamp,
    /// When it was last changed.
    pub updated: Timestamp,
    /// When it was deleted.
    pub deleted: Option<Timestamp>,
}

/// Something that happened.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct OntologyEvent {
    /// What it is called by.
    pub id: String,
    /// Its group.
    pub group: String,
    /// `agent_message_sent`, `agent_executed` and so on.
    pub kind: String,
    /// Who did it.
    pub actor: String,
    /// To what.
    pub target: Option<String>,
    /// When.
    pub at: Timestamp,
    /// Anything else, as JSON.
    pub metadata: Option<String>,
    /// Whether it was put away.
    pub archived: bool,
}

/// Something known, to be searched or to label with.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Knowledge {
    /// What it is called by.
    pub id: String,
    /// Its group.
    pub group: String,
    /// `label`, `document`, `chunk` or `vector_only`.
    pub kind: String,
    /// The text.
    pub text: Option<String>,
    /// A vector: 32-bit floats, little-endian.
    pub embedding: Option<Vec<u8>>,
    /// The model that made the vector.
    pub embedding_model: Option<String>,
    /// The thing it comes from.
    pub source: Option<String>,
    /// The field of that thing.
    pub source_field: Option<String>,
    /// Where in the source it lies, as JSON.
    pub chunk: Option<String>,
    /// Its labels, a JSON array of words.
    pub labels: String,
    /// Anything else, as JSON.
    pub metadata: Option<String>,
    /// When it was made.
    pub created: Timestamp,
    /// When it was last changed.
    pub updated: Timestamp,
    /// When it was deleted.
    pub deleted: Option<Timestamp>,
}

/// What something known is to a thing.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct ThingKnowledge {
    /// The thing.
    pub thing: String,
    /// What is known.
    pub knowledge: String,
    /// `label`, `summary`, `chunk_of`, `caption` or `keyword`.
    pub role: String,
    /// Anything else, as JSON.
    pub metadata: Option<String>,
}

/// A row of the ontology.
#[derive(Debug, Clone, PartialEq)]
pub enum OntologyRecord {
    /// A group.
    Group(OntologyGroup),
    /// Somebody.
    Person(Person),
    /// Something.
    Thing(Thing),
    /// A relation.
    Connection(ThingConnection),
    /// Something that happened.
    Event(OntologyEvent),
    /// Something known.
    Knowledge(Knowledge),
    /// What something known is to a thing.
    ThingKnowledge(ThingKnowledge),
}

/// Which things. What is `None` does not matter.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct ThingQuery {
    /// Of this group.
    pub group: Option<String>,
    /// Of this kind.
    pub kind: Option<String>,
    /// Part of this thing.
    pub within: Option<String>,
    /// With this status.
    pub status: Option<String>,
}

impl ThingQuery {
    /// Whether a thing is meant, deleted ones never.
    pub fn matches(&self, thing: &Thing) -> bool {
        let same = |wanted: &Option<String>, is: &str| wanted.as_ref().is_none_or(|it| it == is);
        thing.deleted.is_none()
            && same(&self.group, &thing.group)
            && same(&self.kind, &thing.kind)
            && same(&self.status, &thing.status)
            && (self.within.is_none() || self.within == thing.within)
    }
}

/// Which connections. What is `None` does not matter.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct ConnectionQuery {
    /// Of this group.
    pub group: Option<String>,
    /// From this thing.
    pub from: Option<String>,
    /// To this thing.
    pub to: Option<String>,
    /// Of this kind.
    pub kind: Option<String>,
    /// That hold at this moment.
    pub valid_at: Option<Timestamp>,
}

/// Which events. What is `None` does not matter.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct EventQuery {
    /// Of this group.
    pub group: Option<String>,
    /// Of this kind.
    pub kind: Option<String>,
    /// Done by.
    pub actor: Option<String>,
    /// Done to.
    pub target: Option<String>,
}

/// Which knowledge. What is `None` does not matter.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct KnowledgeQuery {
    /// Of this group.
    pub group: Option<String>,
    /// Of this kind.
    pub kind: Option<String>,
    /// From this thing.
    pub source: Option<String>,
    /// Known of this thing, in whatever role.
    pub thing: Option<String>,
}

/// How a live query goes on.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum QueryChange {
    /// A thing is new, or is now like this.
    Put(Thing),
    /// A thing is not meant by the query any more, or was deleted. It may never have been.
    Removed {
        /// Its id.
        id: String,
    },
}

/// Where a live query stands.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct QueryCursor {
    /// What changed, in order; of several changes of one thing the last.
    pub changes: Vec<QueryChange>,
    /// Where to go on.
    pub at: u64,
    /// Whether there is more already.
    pub more: bool,
}

/// The ontology, and live queries over things.
///
/// Lists are ordered by time, the last first. What is deleted (by a record with `deleted`) is in no list.
/// Conversations, messages, documents and agents are kept here by the store itself; see
/// [`conversation_id`] and its like for their ids. Where a run leaves many messages at once, they become
/// things little by little after it has ended.
///
/// A live query is the snapshot of its things and then their changes: call
/// [`Ontology::changes`] with 0 for the snapshot, then with what it answered whenever
/// [`Ontology::changed`] resolves. A reader that was away goes on where it was.
pub trait Ontology {
    /// Writes records, each in place of the one with its id; all of them or none.
    fn put(&self, principal: &Principal, records: Vec<OntologyRecord>) -> StoreFuture<()>;

    /// The principal's groups, in the order of their ids.
    fn groups(&self, principal: &Principal) -> StoreFuture<Vec<OntologyGroup>>;

    /// The people of a group, in the order of their ids.
    fn people(&self, principal: &Principal, group: &str) -> StoreFuture<Vec<Person>>;

    /// A thing that is not deleted.
    fn thing(&self, principal: &Principal, id: &str) -> StoreFuture<Option<Thing>>;

    /// Things.
    fn things(
        &self,
        principal: &Principal,
        query: &ThingQuery,
        slice: &PageRequest,
    ) -> StoreFuture<Listing<Thing>>;

    /// Connections.
    fn connections(
        &self,
        principal: &Principal,
        query: &ConnectionQuery,
        slice: &PageRequest,
    ) -> StoreFuture<Listing<ThingConnection>>;

    /// Events.
    fn ontology_events(
        &self,
        principal: &Principal,
        query: &EventQuery,
        slice: &PageRequest,
    ) -> StoreFuture<Listing<OntologyEvent>>;

    /// Knowledge.
    fn knowledge(
        &self,
        principal: &Principal,
        query: &KnowledgeQuery,
        slice: &PageRequest,
    ) -> StoreFuture<Listing<Knowledge>>;

    /// What changed in a query since `after`, at most `limit` changes.
    fn changes(
        &self,
        principal: &Principal,
        query: &ThingQuery,
        after: u64,
        limit: usize,
    ) -> StoreFuture<QueryCursor>;

    /// Resolves when something of the principal's has changed since `after`, in whatever query.
    /// Changes by another process are noticed with the next change by this one.
    fn changed(&self, principal: &Principal, after: u64) -> StoreFuture<u64>;
}

/// The id of a conversation as a thing.
pub fn conversation_id(thread: &str) -> String {
    format!("conversation:{thread}")
}

/// The id of a message as a thing.
pub fn message_id(thread: &str, message: &str) -> String {
    // With the length no two pairs give one id.
    format!("message:{}:{thread}:{message}", thread.len())
}

/// The id of an agent as a thing.
pub fn agent_id(name: &str) -> String {
    format!("agent:{name}")
}

/// The id of a document as a thing.
pub fn document_id(document: documents::ContentId) -> String {
    format!("document:{document}")
}

/// The longest id of the ontology: two ids of others and a little.
const MAX_RECORD_ID_BYTES: usize = 2 * ids::MAX_ID_BYTES + 64;
/// The longest JSON or text of a record.
const MAX_RECORD_BYTES: usize = 16 << 20;

impl Thing {
    /// Checks that it can take the place of another. What a live query asks for first never changes.
    pub(crate) fn check_succeeds(&self, before: &Self) -> Result<()> {
        let key = |thing: &Self| {
            (
                thing.group.clone(),
                thing.kind.clone(),
                thing.within.clone(),
            )
        };
        if key(self) == key(before) {
            return Ok(());
        }
        Err(StoreError::Conflict {
            what: "thing",
            id: self.id.clone(),
        })
    }
}

impl OntologyRecord {
    /// When it was made.
    pub(crate) fn time(&self) -> Timestamp {
        match self {
            Self::Group(it) => it.created,
            Self::Person(it) => it.created,
            Self::Thing(it) => it.created,
            Self::Connection(it) => it.created,
            Self::Event(it) => it.at,
            Self::Knowledge(it) => it.created,
            Self::ThingKnowledge(_) => Timestamp(0),
        }
    }

    /// The group that must be there.
    pub(crate) fn group(&self) -> Option<&str> {
        match self {
            Self::Group(it) => it.parent.as_deref(),
            Self::Person(it) => Some(&it.group),
            Self::Thing(it) => Some(&it.group),
            Self::Connection(it) => Some(&it.group),
            Self::Event(it) => Some(&it.group),
            Self::Knowledge(it) => Some(&it.group),
            Self::ThingKnowledge(_) => None,
        }
    }

    /// Checks that everything in it can be stored, and is the JSON that it should be.
    pub(crate) fn check(&self) -> Result<()> {
        match self {
            Self::Group(it) => {
                ids(&[&it.id, &it.slug, &it.kind, &it.status])?;
                json(&[Some(&it.metadata), Some(&it.settings)])
            }
            Self::Person(it) => {
                ids(&[&it.id, &it.group, &it.role])?;
                json(&[Some(&it.permissions), Some(&it.groups)])
            }
            Self::Thing(it) => {
                ids(&[&it.id, &it.group, &it.kind, &it.status])?;
                json(&[Some(&it.properties)])
            }
            Self::Connection(it) => {
                ids(&[&it.id, &it.group, &it.from, &it.to, &it.kind])?;
                if it.strength.is_some_and(|it| !(0.0..=1.0).contains(&it)) {
                    return Err(StoreError::invalid("the strength", "it is not from 0 to 1"));
                }
                json(&[it.metadata.as_ref()])
            }
            Self::Event(it) => {
                ids(&[&it.id, &it.group, &it.kind, &it.actor])?;
                json(&[it.metadata.as_ref()])
            }
            Self::Knowledge(it) => {
                ids(&[&it.id, &it.group, &it.kind])?;
                let text = it.text.as_deref().unwrap_or_default();
                if text.len() > MAX_RECORD_BYTES {
                    return Err(StoreError::invalid("the text", "it is longer than 16 MiB"));
                }
                json(&[it.chunk.as_ref(), Some(&it.labels), it.metadata.as_ref()])
            }
            Self::ThingKnowledge(it) => {
                ids(&[&it.thing, &it.knowledge, &it.role])?;
                json(&[it.metadata.as_ref()])
            }
        }
    }
}

fn ids(ids: &[&String]) -> Result<()> {
    for id in ids {
        if id.is_empty() || id.len() > MAX_RECORD_ID_BYTES || id.contains('\0') {
            return Err(StoreError::invalid(
                "the id",
                "it is empty, longer than 1,088 bytes or has a null character",
            ));
        }
    }
    Ok(())
}

fn json(texts: &[Option<&String>]) -> Result<()> {
    for text in texts.iter().copied().flatten() {
        if text.len() > MAX_RECORD_BYTES {
            return Err(StoreError::invalid(
                "the record",
                "it is longer than 16 MiB",
            ));
        }
        if Json::parse(text.as_str()).is_err() {
            return Err(StoreError::invalid(
                "the record",
                "a part of it is not JSON",
            ));
        }
    }
    Ok(())
}
