//! Records of the ontology, and the checks that they pass before they are stored.

use json::Json;

use super::derived;
use crate::error::{Result, StoreError};
use crate::ids::{self, Timestamp};

/// People and things that belong together. Every principal has a group with the principal's own id.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct OntologyGroup {
    /// Id, unique within the principal.
    pub id: String,
    /// Name in addresses, unique within the principal.
    pub slug: String,
    /// Display name.
    pub name: String,
    /// `friend_circle`, `business`, `community`, `dao`, `government` or `organization`.
    pub kind: String,
    /// Id of the group that it is part of.
    pub parent: Option<String>,
    /// Description.
    pub description: Option<String>,
    /// Further data, a JSON object.
    pub metadata: String,
    /// Visibility, rules for joining, plan and limits: a JSON object.
    pub settings: String,
    /// `active` or `archived`.
    pub status: String,
    /// Time of creation.
    pub created: Timestamp,
    /// Time of the last change.
    pub updated: Timestamp,
}

/// A person.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Person {
    /// Id, unique within the principal.
    pub id: String,
    /// Id of the main group.
    pub group: String,
    /// Ids of all groups, a JSON array.
    pub groups: String,
    /// E-mail address.
    pub email: Option<String>,
    /// Login name.
    pub username: Option<String>,
    /// Display name.
    pub name: String,
    /// `platform_owner`, `group_owner`, `group_user` or `customer`.
    pub role: String,
    /// Permissions, a JSON array of words.
    pub permissions: String,
    /// Time of creation.
    pub created: Timestamp,
    /// Time of the last change.
    pub updated: Timestamp,
}

/// A conversation, a message, a document, an agent, or an object that a program stores.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Thing {
    /// Id, unique within the principal.
    pub id: String,
    /// Id of its group.
    pub group: String,
    /// `conversation`, `message`, `document`, `agent`, or a word that a program chooses.
    pub kind: String,
    /// Display name.
    pub name: String,
    /// Id of the thing that it is a part of, such as the conversation of a message.
    pub within: Option<String>,
    /// Properties that depend on the kind, a JSON object.
    pub properties: String,
    /// `active`, `inactive`, `draft`, `published` or `archived`.
    pub status: String,
    /// Version of the meaning of its properties.
    pub schema_version: Option<u32>,
    /// Time of creation.
    pub created: Timestamp,
    /// Time of the last change.
    pub updated: Timestamp,
    /// Time of deletion.
    pub deleted: Option<Timestamp>,
}

/// A relation from one thing to another.
#[derive(Debug, Clone, PartialEq)]
pub struct ThingConnection {
    /// Id, unique within the principal.
    pub id: String,
    /// Id of its group.
    pub group: String,
    /// Id of the thing where it begins.
    pub from: String,
    /// Id of the thing where it ends.
    pub to: String,
    /// `sent_by`, `belongs_to`, or a word that a program chooses.
    pub kind: String,
    /// Further data as JSON.
    pub metadata: Option<String>,
    /// Strength from 0 to 1.
    pub strength: Option<f64>,
    /// Begin of its validity.
    pub valid_from: Option<Timestamp>,
    /// End of its validity, exclusive.
    pub valid_to: Option<Timestamp>,
    /// Time of creation.
    pub created: Timestamp,
    /// Time of the last change.
    pub updated: Timestamp,
    /// Time of deletion.
    pub deleted: Option<Timestamp>,
}

/// An event of the ontology: an actor did something at some time.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct OntologyEvent {
    /// Id, unique within the principal.
    pub id: String,
    /// Id of its group.
    pub group: String,
    /// `agent_message_sent`, `agent_executed`, or a word that a program chooses.
    pub kind: String,
    /// Id of the person or agent that acted.
    pub actor: String,
    /// Id of the thing that was acted on.
    pub target: Option<String>,
    /// Time.
    pub at: Timestamp,
    /// Further data as JSON.
    pub metadata: Option<String>,
    /// True if the event is archived.
    pub archived: bool,
}

/// A piece of knowledge: text to search, a vector, or a label.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Knowledge {
    /// Id, unique within the principal.
    pub id: String,
    /// Id of its group.
    pub group: String,
    /// `label`, `document`, `chunk` or `vector_only`.
    pub kind: String,
    /// Text.
    pub text: Option<String>,
    /// Vector of 32-bit floats, little-endian.
    pub embedding: Option<Vec<u8>>,
    /// Model that made the vector.
    pub embedding_model: Option<String>,
    /// Id of the thing it comes from.
    pub source: Option<String>,
    /// Field of that thing.
    pub source_field: Option<String>,
    /// Position in the source, as JSON.
    pub chunk: Option<String>,
    /// Labels, a JSON array of words.
    pub labels: String,
    /// Further data as JSON.
    pub metadata: Option<String>,
    /// Time of creation.
    pub created: Timestamp,
    /// Time of the last change.
    pub updated: Timestamp,
    /// Time of deletion.
    pub deleted: Option<Timestamp>,
}

/// Link between a thing and a piece of knowledge.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct ThingKnowledge {
    /// Id of the thing.
    pub thing: String,
    /// Id of the piece of knowledge.
    pub knowledge: String,
    /// `label`, `summary`, `chunk_of`, `caption` or `keyword`.
    pub role: String,
    /// Further data as JSON.
    pub metadata: Option<String>,
}

/// A record of the ontology.
#[derive(Debug, Clone, PartialEq)]
pub enum OntologyRecord {
    /// A group.
    Group(OntologyGroup),
    /// A person.
    Person(Person),
    /// A thing.
    Thing(Thing),
    /// A connection between two things.
    Connection(ThingConnection),
    /// An event.
    Event(OntologyEvent),
    /// A piece of knowledge.
    Knowledge(Knowledge),
    /// A link between a thing and a piece of knowledge.
    ThingKnowledge(ThingKnowledge),
}

/// Longest id of a record, in bytes: two other ids and a prefix.
const MAX_RECORD_ID_BYTES: usize = 2 * ids::MAX_ID_BYTES + 64;
/// Longest JSON or text of a record, in bytes.
const MAX_RECORD_BYTES: usize = 16 << 20;

impl Thing {
    /// Checks that it may replace a thing with the same id. Group, kind and whole never change, because
    /// live queries select by them without looking at older versions of a thing.
    pub(crate) fn check_replaces(&self, before: &Self) -> Result<()> {
        if self.group == before.group && self.kind == before.kind && self.within == before.within {
            return Ok(());
        }
        Err(StoreError::Conflict {
            what: "thing",
            id: self.id.clone(),
        })
    }
}

impl OntologyRecord {
    /// Returns the time of creation.
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

    /// Returns the id of the group that must exist before the record is stored.
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

    /// Checks ids, sizes and JSON.
    pub(crate) fn check(&self) -> Result<()> {
        match self {
            Self::Group(it) => {
                check_ids(&[&it.id, &it.slug, &it.kind, &it.status])?;
                check_json(&[Some(&it.metadata), Some(&it.settings)])
            }
            Self::Person(it) => {
                check_ids(&[&it.id, &it.group, &it.role])?;
                check_json(&[Some(&it.permissions), Some(&it.groups)])
            }
            Self::Thing(it) => {
                check_ids(&[&it.id, &it.group, &it.kind, &it.status])?;
                check_not_derived(&it.id, &derived::THING_PREFIXES)?;
                check_json(&[Some(&it.properties)])
            }
            Self::Connection(it) => {
                check_ids(&[&it.id, &it.group, &it.from, &it.to, &it.kind])?;
                check_not_derived(&it.id, &derived::CONNECTION_PREFIXES)?;
                if it.strength.is_some_and(|it| !(0.0..=1.0).contains(&it)) {
                    return Err(StoreError::invalid("the strength", "it is not from 0 to 1"));
                }
                check_json(&[it.metadata.as_ref()])
            }
            Self::Event(it) => {
                check_ids(&[&it.id, &it.group, &it.kind, &it.actor])?;
                check_not_derived(&it.id, &derived::EVENT_PREFIXES)?;
                check_json(&[it.metadata.as_ref()])
            }
            Self::Knowledge(it) => {
                check_ids(&[&it.id, &it.group, &it.kind])?;
                let text = it.text.as_deref().unwrap_or_default();
                if text.len() > MAX_RECORD_BYTES {
                    return Err(StoreError::invalid("the text", "it is longer than 16 MiB"));
                }
                check_json(&[it.chunk.as_ref(), Some(&it.labels), it.metadata.as_ref()])
            }
            Self::ThingKnowledge(it) => {
                check_ids(&[&it.thing, &it.knowledge, &it.role])?;
                check_json(&[it.metadata.as_ref()])
            }
        }
    }
}

fn check_ids(ids: &[&String]) -> Result<()> {
    for id in ids {
        if id.is_empty() || id.len() > MAX_RECORD_ID_BYTES || id.contains('\0') {
            return Err(StoreError::invalid(
                "the id",
                "it is empty, longer than 1,088 bytes or contains a null character",
            ));
        }
    }
    Ok(())
}

/// Refuses ids of records that the store derives itself.
fn check_not_derived(id: &str, prefixes: &[&str]) -> Result<()> {
    match prefixes.iter().any(|prefix| id.starts_with(prefix)) {
        true => Err(StoreError::invalid(
            "the id",
            "its prefix is reserved for records that are derived from threads, documents and runs",
        )),
        false => Ok(()),
    }
}

fn check_json(texts: &[Option<&String>]) -> Result<()> {
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
