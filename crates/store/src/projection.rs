//! What the store keeps in the ontology by itself: conversations, messages, documents, agents.

use json::{Map, Value};

use crate::documents::{DocumentStatus, StoredDocument};
use crate::ids::{Principal, Timestamp, any_id};
use crate::ontology::{
    OntologyEvent, OntologyGroup, OntologyRecord, Person, Thing, ThingConnection, agent_id,
    conversation_id, document_id, message_id,
};
use crate::threads::{RunStatus, Thread};

/// The group and the person that every principal has.
pub(crate) fn root(principal: &Principal, at: Timestamp) -> [OntologyRecord; 2] {
    let id = principal.to_string();
    let group = OntologyGroup {
        id: id.clone(),
        slug: id.clone(),
        name: id.clone(),
        kind: "organization".to_owned(),
        parent: None,
        description: None,
        metadata: "{}".to_owned(),
        settings: r#"{"visibility":"private","joinPolicy":"invite_only"}"#.to_owned(),
        status: "active".to_owned(),
        created: at,
        updated: at,
    };
    let person = Person {
        id: id.clone(),
        group: id.clone(),
        groups: Value::Array(vec![id.as_str().into()]).to_json(),
        email: None,
        username: None,
        name: id,
        role: "group_owner".to_owned(),
        permissions: "[]".to_owned(),
        created: at,
        updated: at,
    };
    [OntologyRecord::Group(group), OntologyRecord::Person(person)]
}

/// A JSON object of these members, without those that are `None`.
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

/// An agent, as a thing.
pub(crate) fn agent(principal: &Principal, name: &str, at: Timestamp) -> Thing {
    thing(principal, "agent", agent_id(name), name, at)
}

/// A thread, as a thing.
pub(crate) fn conversation(principal: &Principal, thread: &Thread) -> Thing {
    let id = thread.id.as_str();
    let name = thread.title.as_deref().unwrap_or(id);
    let status = if thread.archived {
        "archived"
    } else {
        "active"
    };
    let parent = thread.parent.as_ref();
    Thing {
        properties: object([
            ("threadId", text(id)),
            ("agent", text(&thread.agent)),
            ("title", thread.title.as_deref().and_then(text)),
            (
                "parentThreadId",
                parent.and_then(|(thread, _)| text(thread.as_str())),
            ),
            (
                "parentRunId",
                parent.and_then(|(_, run)| text(run.as_str())),
            ),
        ]),
        status: status.to_owned(),
        created: thread.created,
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

/// What the end of a run changes in the conversation.
#[derive(Debug, Default, PartialEq, Eq)]
pub(crate) struct ConversationChange {
    /// Messages that are new or have changed: position, id, role.
    pub(crate) kept: Vec<(usize, String, String)>,
    /// Ids of messages that are not in it any more.
    pub(crate) hidden: Vec<String>,
}

/// Whether a message's id can be part of a thing's id. Clients may send anything.
pub(crate) fn can_be_a_thing(id: &str, role: &str) -> bool {
    any_id(id).is_none() && any_id(role).is_none()
}

/// A message, as a thing.
pub(crate) fn message(
    principal: &Principal,
    thread: &str,
    position: usize,
    (id, role): (&str, &str),
    at: Timestamp,
) -> Thing {
    let position = i64::try_from(position).unwrap_or(i64::MAX);
    Thing {
        within: Some(conversation_id(thread)),
        properties: object([
            ("threadId", text(thread)),
            ("messageId", text(id)),
            ("role", text(role)),
            ("position", Some(Value::Number(json::Number::Int(position)))),
        ]),
        ..thing(principal, "message", message_id(thread, id), role, at)
    }
}

/// Who sent a message and where it belongs, and that it was sent.
pub(crate) fn sent(
    principal: &Principal,
    thread: &str,
    agent: &str,
    (id, role): (&str, &str),
    at: Timestamp,
) -> [OntologyRecord; 3] {
    let id = message_id(thread, id);
    let (sender, kind) = match role {
        "user" => (principal.to_string(), "user_message_sent"),
        _ => (agent_id(agent), "agent_message_sent"),
    };
    let connection = |kind: &str, to: String| ThingConnection {
        id: format!("{kind}:{id}"),
        group: principal.to_string(),
        from: id.clone(),
        to,
        kind: kind.to_owned(),
        metadata: None,
        strength: None,
        valid_from: None,
        valid_to: None,
        created: at,
        updated: at,
        deleted: None,
    };
    let belongs = connection("belongs_to", conversation_id(thread));
    let sent_by = connection("sent_by", sender.clone());
    let event = OntologyEvent {
        id: format!("sent:{id}"),
        group: principal.to_string(),
        kind: kind.to_owned(),
        actor: sender,
        target: Some(id),
        at,
        metadata: Some(object([("protocol", text("ag-ui"))])),
        archived: false,
    };
    [
        OntologyRecord::Connection(belongs),
        OntologyRecord::Connection(sent_by),
        OntologyRecord::Event(event),
    ]
}

/// That a run began.
pub(crate) fn began(
    principal: &Principal,
    run: (&str, &str),
    agent: &str,
    at: Timestamp,
) -> OntologyEvent {
    run_event(principal, "agent_executed", run, agent, at)
}

/// That a run ended.
pub(crate) fn ended(
    principal: &Principal,
    run: (&str, &str),
    agent: &str,
    status: RunStatus,
    at: Timestamp,
) -> OntologyEvent {
    let kind = match status {
        RunStatus::Failed => "agent_failed",
        _ => "agent_completed",
    };
    run_event(principal, kind, run, agent, at)
}

fn run_event(
    principal: &Principal,
    kind: &str,
    (thread, run): (&str, &str),
    agent: &str,
    at: Timestamp,
) -> OntologyEvent {
    OntologyEvent {
        id: format!("{kind}:{}:{thread}:{run}", thread.len()),
        group: principal.to_string(),
        kind: kind.to_owned(),
        actor: agent_id(agent),
        target: Some(conversation_id(thread)),
        at,
        metadata: Some(object([("protocol", text("ag-ui")), ("runId", text(run))])),
        archived: false,
    }
}

/// A document that a principal has attached, as a thing.
pub(crate) fn document(principal: &Principal, name: &str, document: &StoredDocument) -> Thing {
    let count = |number: u64| {
        let number = i64::try_from(number).unwrap_or(i64::MAX);
        Some(Value::Number(json::Number::Int(number)))
    };
    let (state, status) = match &document.status {
        DocumentStatus::Received => ("received", "draft"),
        DocumentStatus::Ready => ("ready", "active"),
        DocumentStatus::Failed { .. } => ("failed", "inactive"),
    };
    let id = document_id(document.id);
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
        ..thing(principal, "document", id, name, document.created)
    }
}

/// What is left of a thing that was deleted: that it was.
pub(crate) fn tombstone(thing: Thing) -> Thing {
    Thing {
        name: String::new(),
        properties: "{}".to_owned(),
        deleted: Some(thing.updated),
        ..thing
    }
}
