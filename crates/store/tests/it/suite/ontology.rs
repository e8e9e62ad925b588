//! Records of the ontology that are derived from threads, documents and runs.

use documents::ContentId;
use store::{
    Checkpoint, ConnectionQuery, EventQuery, PageRequest, QueryChange, RunStatus, Store,
    StoredMessage, StoredRunEnd, Thing, ThingQuery, Timestamp, agent_id, conversation_id,
    document_id, message_id,
};

use crate::suite::{attachment, begin, file, for_each_store, new_run, principal, thread};

for_each_store![
    threads_and_documents_are_presented,
    runs_and_messages_are_presented_as_events,
    derived_records_are_selected_by_their_fields,
    deleted_threads_are_reported_as_removed,
];

pub(super) fn said(role: &str, id: &str) -> StoredMessage {
    StoredMessage {
        id: id.to_owned(),
        role: role.to_owned(),
        json: format!(r#"{{"id":"{id}","role":"{role}"}}"#).into(),
    }
}

pub(super) fn converse(store: &dyn Store, run: &str, messages: &[StoredMessage], at: i64) {
    let open = begin(store, &principal("ann"), new_run("t", run, "{}", at));
    let checkpoint = Checkpoint {
        through: 0,
        state: "{}".into(),
        record: None,
        messages: messages.to_vec(),
    };
    let ended = store.end_run(
        open,
        StoredRunEnd::new(RunStatus::Finished, Timestamp(at + 1), Some(checkpoint)),
    );
    assert_eq!(ended.wait(), Ok(()));
}

pub(super) fn kind(kind: &str) -> ThingQuery {
    ThingQuery {
        kind: Some(kind.to_owned()),
        ..ThingQuery::default()
    }
}

pub(super) fn ids(things: &[Thing]) -> Vec<&str> {
    things.iter().map(|thing| thing.id.as_str()).collect()
}

fn threads_and_documents_are_presented(store: &dyn Store) {
    let ann = principal("ann");
    converse(store, "r", &[said("user", "1"), said("assistant", "2")], 10);
    store
        .attach(&ann, file("a", "book", 5))
        .wait()
        .expect("stored");

    let conversation = store.thing(&ann, &conversation_id("t")).wait();
    let conversation = conversation.expect("read").expect("there");
    assert_eq!(conversation.kind, "conversation");
    assert_eq!(
        (conversation.created, conversation.updated),
        (Timestamp(10), Timestamp(11))
    );
    let document = store
        .thing(&ann, &document_id(ContentId::of(b"book")))
        .wait();
    assert_eq!(document.expect("read").expect("there").name, "a.txt");

    let within = ThingQuery {
        within: Some(conversation_id("t")),
        ..ThingQuery::default()
    };
    let messages = store
        .things(&ann, &within, &PageRequest::first(9))
        .wait()
        .expect("read");
    assert_eq!(
        ids(&messages.items),
        [message_id("t", "2"), message_id("t", "1")]
    );
    assert!(
        messages.items[0]
            .properties
            .contains(r#""role":"assistant","position":1"#)
    );

    let from = |id: &str, kind: &str| {
        let query = ConnectionQuery {
            from: Some(message_id("t", id)),
            kind: Some(kind.to_owned()),
            ..ConnectionQuery::default()
        };
        let found = store
            .connections(&ann, &query, &PageRequest::first(9))
            .wait()
            .expect("read");
        found
            .items
            .iter()
            .map(|item| item.to.clone())
            .collect::<Vec<_>>()
    };
    assert_eq!(from("1", "sent_by"), ["ann"]);
    assert_eq!(from("2", "sent_by"), [agent_id("demo")]);
    assert_eq!(from("2", "belongs_to"), [conversation_id("t")]);
}

fn runs_and_messages_are_presented_as_events(store: &dyn Store) {
    let ann = principal("ann");
    converse(store, "r", &[said("user", "1"), said("assistant", "2")], 10);
    let happened = |query: EventQuery| {
        let found = store
            .ontology_events(&ann, &query, &PageRequest::first(9))
            .wait()
            .expect("read");
        found
            .items
            .into_iter()
            .map(|item| item.kind)
            .collect::<Vec<_>>()
    };
    let by_agent = EventQuery {
        actor: Some(agent_id("demo")),
        ..EventQuery::default()
    };
    assert_eq!(
        happened(by_agent),
        ["agent_message_sent", "agent_completed", "agent_executed"]
    );
    let to_message = EventQuery {
        target: Some(message_id("t", "1")),
        ..EventQuery::default()
    };
    assert_eq!(happened(to_message), ["user_message_sent"]);

    // A message that the client dropped is archived; its sending remains one event.
    converse(store, "s", &[said("user", "1"), said("user", "3")], 20);
    let status = |id: &str| {
        let thing = store.thing(&ann, &message_id("t", id)).wait();
        thing.expect("read").expect("there").status
    };
    assert_eq!(
        (status("1"), status("2"), status("3")),
        ("active".into(), "archived".into(), "active".into())
    );
    let sent = EventQuery {
        kind: Some("user_message_sent".to_owned()),
        ..EventQuery::default()
    };
    assert_eq!(happened(sent).len(), 2);
}

fn deleted_threads_are_reported_as_removed(store: &dyn Store) {
    let ann = principal("ann");
    converse(store, "r", &[said("user", "1"), said("assistant", "2")], 10);
    store
        .attach(&ann, file("a", "book", 5))
        .wait()
        .expect("stored");
    let before = store
        .changes(&ann, &kind("message"), 0, 99)
        .wait()
        .expect("read");
    assert_eq!(before.changes.len(), 2);
    assert_eq!(store.delete_thread(&ann, &thread("t")).wait(), Ok(true));
    assert_eq!(store.thing(&ann, &conversation_id("t")).wait(), Ok(None));
    assert!(
        store
            .things(&ann, &kind("message"), &PageRequest::first(9))
            .wait()
            .expect("read")
            .items
            .is_empty()
    );
    let all = ConnectionQuery::default();
    assert!(
        store
            .connections(&ann, &all, &PageRequest::first(9))
            .wait()
            .expect("read")
            .items
            .is_empty()
    );
    let after = store
        .changes(&ann, &kind("message"), before.at, 99)
        .wait()
        .expect("read");
    let removed = |id: &str| QueryChange::Removed {
        id: message_id("t", id),
    };
    assert_eq!(after.changes, [removed("1"), removed("2")]);

    assert_eq!(store.detach(&ann, &attachment("a")).wait(), Ok(true));
    let document = store
        .thing(&ann, &document_id(ContentId::of(b"book")))
        .wait();
    assert_eq!(document, Ok(None));
    // The id can be used again.
    converse(store, "r", &[said("user", "1")], 50);
    let conversation = store.thing(&ann, &conversation_id("t")).wait();
    assert_eq!(
        conversation.expect("read").expect("there").created,
        Timestamp(50)
    );
}

fn derived_records_are_selected_by_their_fields(store: &dyn Store) {
    let ann = principal("ann");
    converse(store, "r", &[said("user", "1"), said("assistant", "2")], 10);
    converse(store, "s", &[said("user", "1")], 20);
    let all = PageRequest::first(9);
    let things = |query: ThingQuery| {
        let found = store.things(&ann, &query, &all).wait().expect("read");
        found.items.into_iter().map(|it| it.id).collect::<Vec<_>>()
    };
    let archived = ThingQuery {
        status: Some("archived".to_owned()),
        ..ThingQuery::default()
    };
    assert_eq!(things(archived), [message_id("t", "2")]);
    let drafts = ThingQuery {
        status: Some("draft".to_owned()),
        ..ThingQuery::default()
    };
    assert_eq!(things(drafts), [""; 0]);
    let own_group = ThingQuery {
        group: Some("ann".to_owned()),
        ..kind("agent")
    };
    assert_eq!(things(own_group), [agent_id("demo")]);
    let other_group = ThingQuery {
        group: Some("team".to_owned()),
        ..ThingQuery::default()
    };
    assert_eq!(things(other_group), [""; 0]);

    let connections = |query: ConnectionQuery| {
        let found = store.connections(&ann, &query, &all).wait();
        found.expect("read").items.len()
    };
    let to = |id: String| ConnectionQuery {
        to: Some(id),
        ..ConnectionQuery::default()
    };
    assert_eq!(connections(to(conversation_id("t"))), 2);
    assert_eq!(connections(to(agent_id("demo"))), 1);
    assert_eq!(connections(to("ann".to_owned())), 1);
    assert_eq!(connections(to("bob".to_owned())), 0);

    let events = |query: EventQuery| {
        let found = store.ontology_events(&ann, &query, &all).wait();
        found.expect("read").items.len()
    };
    let of_thread = EventQuery {
        target: Some(conversation_id("t")),
        ..EventQuery::default()
    };
    assert_eq!(events(of_thread), 4);
    let by_person = EventQuery {
        actor: Some("ann".to_owned()),
        ..EventQuery::default()
    };
    assert_eq!(events(by_person), 1);
}
