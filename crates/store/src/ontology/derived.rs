//! Records that are derived from principals, threads, messages, documents, agents and runs.
//!
//! Both stores read their own tables and convert the rows here, so that they present the same records.

use json::{Map, Number, Value};

use super::records::{
    Knowledge, OntologyEvent, OntologyGroup, Person, Thing, ThingConnection, ThingKnowledge,
};
use crate::documents::{DocumentStatus, StoredDocument};
use crate::ids::{Principal, ThreadId, Timestamp, invalid_id};
use crate::threads::{RunStatus, StoredRun, Thread};

/// Prefixes of the ids of derived things.
pub(crate) const THING_PREFIXES: [&str; 4] = ["conversation:", "message:", "agent:", "document:"];
/// Prefixes of the ids of derived connections.
pub(crate) const CONNECTION_PREFIXES: [&str; 2] = ["belongs_to:message:", "sent_by:message:"];
/// Prefixes of the ids of derived events.
pub(crate) const EVENT_PREFIXES: [&str; 4] = [
    "sent:message:",
    "agent_executed:",
    "agent_completed:",
    "agent_failed:",
];

/// Returns the id of a thread as a thing.
pub fn conversation_id(thread: &str) -> String {
    format!("conversation:{thread}")
}

/// Returns the id of a message as a thing.
pub fn message_id(thread: &str, message: &str) -> String {
    // The length keeps two different pairs from having one id.
    format!("message:{}:{thread}:{message}", thread.len())
}

/// Returns the id of an agent as a thing.
pub fn agent_id(name: &str) -> String {
    format!("agent:{name}")
}

/// Returns the id of a document as a thing.
pub fn document_id(document: documents::ContentId) -> String {
    format!("document:{document}")
}

/// Role of the link between a thing and its label.
pub(crate) const LABEL: &str = "label";

/// Returns a label of a principal's document as knowledge, and its link to the document.
pub(crate) fn document_label(
    principal: &Principal,
    document: documents::ContentId,
    label: &str,
    created: Timestamp,
) -> (Knowledge, ThingKnowledge) {
    let id = format!("label:{label}");
    let link = ThingKnowledge {
        thing: document_id(document),
        knowledge: id.clone(),
        role: LABEL.to_owned(),
        metadata: None,
    };
    let knowledge = Knowledge {
        id,
        group: principal.to_string(),
        kind: LABEL.to_owned(),
        text: Some(label.to_owned()),
        embedding: None,
        embedding_model: None,
        source: None,
        source_field: None,
        chunk: None,
        labels: "[]".to_owned(),
        metadata: None,
        created,
        updated: created,
        deleted: None,
    };
    (knowledge, link)
}

/// Returns true if an id is reserved for derived things.
pub(crate) fn is_derived_thing(id: &str) -> bool {
    THING_PREFIXES.iter().any(|prefix| id.starts_with(prefix))
}

/// Id of a derived thing, taken apart.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum DerivedId<'a> {
    /// A thread.
    Conversation(&'a str),
    /// A thread and one of its messages.
    Message(&'a str, &'a str),
    /// Name of an agent.
    Agent(&'a str),
    /// Hash of a document.
    Document(&'a str),
}

impl<'a> DerivedId<'a> {
    /// Parses the id of a thing. Returns `None` if no derived thing can have it.
    pub(crate) fn parse(id: &'a str) -> Option<Self> {
        let (kind, rest) = id.split_once(':')?;
        match kind {
            "conversation" => Some(Self::Conversation(rest)),
            "message" => {
                let (length, rest) = rest.split_once(':')?;
                let (thread, message) = rest.split_at_checked(length.parse().ok()?)?;
                Some(Self::Message(thread, message.strip_prefix(':')?))
            }
            "agent" => Some(Self::Agent(rest)),
            "document" => Some(Self::Document(rest)),
            _ => None,
        }
    }
}

/// Returns the group that every principal has.
pub(crate) fn root_group(principal: &Principal, at: Timestamp) -> OntologyGroup {
    let id = principal.to_string();
    OntologyGroup {
        slug: id.clone(),
        name: id.clone(),
        id,
        kind: "organization".to_owned(),
        parent: None,
        description: None,
        metadata: "{}".to_owned(),
        settings: r#"{"visibility":"private","joinPolicy":"invite_only"}"#.to_owned(),
        status: "active".to_owned(),
        created: at,
        updated: at,
    }
}

/// Returns the person that every principal has: the owner of its group.
pub(crate) fn root_person(principal: &Principal, at: Timestamp) -> Person {
    let id = principal.to_string();
    Person {
        group: id.clone(),
        groups: Value::Array(vec![id.as_str().into()]).to_json(),
        name: id.clone(),
        id,
        email: None,
        username: None,
        role: "group_owner".to_owned(),
        permissions: "[]".to_owned(),
        created: at,
        updated: at,
    }
}

/// Writes a JSON object of the members that are present.
fn object<const N: usize>(members: [(&str, Option<Value>); N]) -> String {
    let mut map = Map::new();
    for (name, value) in members {
        if let Some(value) = value {
            map.insert(name.to_owned(), value);
        }
    }
    Value::Object(map).to_json()
}

fn text(text: &str) -> Option<Value> {
    Some(Value::String(text.to_owned()))
}

fn count(number: u64) -> Option<Value> {
    let number = i64::try_from(number).unwrap_or(i64::MAX);
    Some(Value::Number(Number::Int(number)))
}

fn active_or_archived(archived: bool) -> String {
    if archived { "archived" } else { "active" }.to_owned()
}

/// Returns a thing of a principal's own group, without properties.
fn thing(principal: &Principal, kind: &str, id: String, name: &str, at: Timestamp) -> Thing {
    Thing {
        id,
        group: principal.to_string(),
        kind: kind.to_owned(),
        name: name.to_owned(),
        within: None,
        properties: "{}".to_owned(),
        status: "active".to_owned(),
        schema_version: Some(1),
        created: at,
        updated: at,
        deleted: None,
    }
}

/// Returns an agent as a thing. `at` is the start of its first run.
pub(crate) fn agent(principal: &Principal, name: &str, at: Timestamp) -> Thing {
    thing(principal, "agent", agent_id(name), name, at)
}

/// Returns a thread as a thing.
pub(crate) fn conversation(principal: &Principal, thread: &Thread) -> Thing {
    let id = thread.id.as_str();
    let name = thread.title.as_deref().unwrap_or(id);
    let (parent_thread, parent_run) = thread.parent.as_ref().map(|(t, r)| (t, r)).unzip();
    Thing {
        properties: object([
            ("threadId", text(id)),
            ("agent", text(&thread.agent)),
            ("title", thread.title.as_deref().and_then(text)),
            (
                "parentThreadId",
                parent_thread.and_then(|thread| text(thread.as_str())),
            ),
            ("parentRunId", parent_run.and_then(|run| text(run.as_str()))),
        ]),
        status: active_or_archived(thread.archived),
        updated: thread.updated,
        ..thing(
            principal,
            "conversation",
            conversation_id(id),
            name,
            thread.created,
        )
    }
}

/// Returns a principal's document as a thing. `name` is that of its latest attachment.
pub(crate) fn document(principal: &Principal, name: &str, document: &StoredDocument) -> Thing {
    let (state, status) = match &document.status {
        DocumentStatus::Received => ("received", "draft"),
        DocumentStatus::Ready => ("ready", "active"),
        DocumentStatus::Failed { .. } => ("failed", "inactive"),
    };
    Thing {
        properties: object([
            ("documentId", text(&document.id.to_string())),
            ("mediaType", text(&document.media_type)),
            ("size", count(document.size)),
            (
                "pages",
                document.pages.and_then(|pages| count(pages.into())),
            ),
            ("title", document.title.as_deref().and_then(text)),
            ("state", text(state)),
        ]),
        status: status.to_owned(),
        ..thing(
            principal,
            "document",
            document_id(document.id),
            name,
            document.created,
        )
    }
}

/// Returns what live queries see of a thing that was deleted.
pub(crate) fn removed(principal: &Principal, kind: &str, id: String) -> Thing {
    Thing {
        deleted: Some(Timestamp(0)),
        ..thing(principal, kind, id, "", Timestamp(0))
    }
}

/// A message that is or was part of a thread's conversation.
#[derive(Debug, Clone)]
pub(crate) struct ThreadMessage {
    /// Thread id.
    pub(crate) thread: ThreadId,
    /// Id of the message, unique within its thread.
    pub(crate) id: String,
    /// Role, such as `assistant`.
    pub(crate) role: String,
    /// Agent of the run that first had it.
    pub(crate) agent: String,
    /// Position in the conversation, from 0.
    pub(crate) position: u64,
    /// True if the conversation no longer has it.
    pub(crate) archived: bool,
    /// End of the run that first had it.
    pub(crate) created: Timestamp,
    /// End of the run that last changed it.
    pub(crate) updated: Timestamp,
}

impl ThreadMessage {
    /// Returns true if a message can be part of the ontology. Clients may send any ids.
    pub(crate) fn is_presentable(id: &str, role: &str) -> bool {
        invalid_id(id).is_none() && invalid_id(role).is_none()
    }

    /// Returns the message as a thing.
    pub(crate) fn thing(&self, principal: &Principal) -> Thing {
        let thread = self.thread.as_str();
        Thing {
            within: Some(conversation_id(thread)),
            properties: object([
                ("threadId", text(thread)),
                ("messageId", text(&self.id)),
                ("role", text(&self.role)),
                ("position", count(self.position)),
            ]),
            status: active_or_archived(self.archived),
            updated: self.updated,
            ..thing(
                principal,
                "message",
                message_id(thread, &self.id),
                &self.role,
                self.created,
            )
        }
    }

    /// Returns the connection to its conversation.
    pub(crate) fn belongs_to(&self, principal: &Principal) -> ThingConnection {
        let conversation = conversation_id(self.thread.as_str());
        self.connection(principal, "belongs_to", conversation)
    }

    /// Returns the connection to its sender.
    pub(crate) fn sent_by(&self, principal: &Principal) -> ThingConnection {
        self.connection(principal, "sent_by", self.sender(principal))
    }

    /// Returns the event of sending it.
    pub(crate) fn sent(&self, principal: &Principal) -> OntologyEvent {
        let id = message_id(self.thread.as_str(), &self.id);
        OntologyEvent {
            id: format!("sent:{id}"),
            group: principal.to_string(),
            kind: match self.role.as_str() {
                "user" => "user_message_sent",
                _ => "agent_message_sent",
            }
            .to_owned(),
            actor: self.sender(principal),
            target: Some(id),
            at: self.created,
            metadata: Some(object([("protocol", text("ag-ui"))])),
            archived: false,
        }
    }

    fn sender(&self, principal: &Principal) -> String {
        match self.role.as_str() {
            "user" => principal.to_string(),
            _ => agent_id(&self.agent),
        }
    }

    fn connection(&self, principal: &Principal, kind: &str, to: String) -> ThingConnection {
        let from = message_id(self.thread.as_str(), &self.id);
        ThingConnection {
            id: format!("{kind}:{from}"),
            group: principal.to_string(),
            from,
            to,
            kind: kind.to_owned(),
            metadata: None,
            strength: None,
            valid_from: None,
            valid_to: None,
            created: self.created,
            updated: self.created,
            deleted: None,
        }
    }
}

/// Returns the event that began a run.
pub(crate) fn run_started(
    principal: &Principal,
    thread: &ThreadId,
    run: &StoredRun,
) -> OntologyEvent {
    run_event(principal, thread, run, "agent_executed", run.started)
}

/// Returns the event that ended a run, or `None` while it is open.
pub(crate) fn run_ended(
    principal: &Principal,
    thread: &ThreadId,
    run: &StoredRun,
) -> Option<OntologyEvent> {
    let kind = match run.status {
        RunStatus::Failed => "agent_failed",
        _ => "agent_completed",
    };
    let ended = run.ended?;
    Some(run_event(principal, thread, run, kind, ended))
}

fn run_event(
    principal: &Principal,
    thread: &ThreadId,
    run: &StoredRun,
    kind: &str,
    at: Timestamp,
) -> OntologyEvent {
    let (thread, id) = (thread.as_str(), run.id.as_str());
    OntologyEvent {
        id: format!("{kind}:{}:{thread}:{id}", thread.len()),
        group: principal.to_string(),
        kind: kind.to_owned(),
        actor: agent_id(&run.agent),
        target: Some(conversation_id(thread)),
        at,
        metadata: Some(object([("protocol", text("ag-ui")), ("runId", text(id))])),
        archived: false,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn ids_of_derived_things_are_parsed() {
        let id = message_id("a:b", "c:d");
        assert_eq!(
            DerivedId::parse(&id),
            Some(DerivedId::Message("a:b", "c:d"))
        );
        let id = conversation_id("a:b");
        assert_eq!(DerivedId::parse(&id), Some(DerivedId::Conversation("a:b")));
        assert_eq!(DerivedId::parse("agent:x"), Some(DerivedId::Agent("x")));
        for id in [
            "note",
            "note:1",
            "message:9:a:b",
            "message:x:a:b",
            "message:1:äb",
        ] {
            assert_eq!(DerivedId::parse(id), None, "{id}");
        }
    }
}
