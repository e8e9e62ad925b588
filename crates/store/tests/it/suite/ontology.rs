//! Records of the ontology, stored and derived.

use documents::ContentId;
use store::{
    Checkpoint, ConnectionQuery, EventQuery, Knowledge, KnowledgeQuery, OntologyEvent,
    OntologyGroup, OntologyRecord, PageRequest, QueryChange, RunStatus, Store, StoreError,
    StoredMessage, StoredRunEnd, Thing, ThingConnection, ThingKnowledge, ThingQuery, Timestamp,
    agent_id, conversation_id, document_id, message_id,
};

use crate::suite::{attachment, begin, file, for_each_store, new_run, principal, thread};

for_each_store![
    threads_and_documents_are_presented,
    deleted_threads_are_reported_as_removed,
    records_are_found_by_their_fields,
    records_are_stored_all_or_none,
    things_of_other_principals_are_invisible,
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

    // A message that the client dropped is put away, and sent once.
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
    // The same id lives again.
    converse(store, "r", &[said("user", "1")], 50);
    let conversation = store.thing(&ann, &conversation_id("t")).wait();
    assert_eq!(
        conversation.expect("read").expect("there").created,
        Timestamp(50)
    );
}

pub(super) fn thing(id: &str, created: i64) -> Thing {
    Thing {
        id: id.to_owned(),
        group: "ann".to_owned(),
        kind: "note".to_owned(),
        name: format!("Note {id}"),
        within: None,
        properties: r#"{"text":"x"}"#.to_owned(),
        status: "active".to_owned(),
        schema_version: None,
        created: Timestamp(created),
        updated: Timestamp(created),
        deleted: None,
    }
}

pub(super) fn group(id: &str, parent: Option<&str>) -> OntologyGroup {
    OntologyGroup {
        id: id.to_owned(),
        slug: format!("{id}-slug"),
        name: id.to_owned(),
        kind: "business".to_owned(),
        parent: parent.map(str::to_owned),
        description: None,
        metadata: "{}".to_owned(),
        settings: "{}".to_owned(),
        status: "active".to_owned(),
        created: Timestamp(1),
        updated: Timestamp(1),
    }
}

fn records_are_found_by_their_fields(store: &dyn Store) {
    let ann = principal("ann");
    let connection = |id: &str, from: Option<i64>, to: Option<i64>| {
        OntologyRecord::Connection(ThingConnection {
            id: id.to_owned(),
            group: "team".to_owned(),
            from: "a".to_owned(),
            to: "b".to_owned(),
            kind: "part_of".to_owned(),
            metadata: Some("[1]".to_owned()),
            strength: Some(0.5),
            valid_from: from.map(Timestamp),
            valid_to: to.map(Timestamp),
            created: Timestamp(3),
            updated: Timestamp(3),
            deleted: None,
        })
    };
    let knowledge = |id: &str| Knowledge {
        id: id.to_owned(),
        group: "team".to_owned(),
        kind: "chunk".to_owned(),
        text: Some("tides".to_owned()),
        embedding: Some(vec![0, 0, 128, 63]),
        embedding_model: Some("static".to_owned()),
        source: Some("a".to_owned()),
        source_field: None,
        chunk: Some(r#"{"index":0}"#.to_owned()),
        labels: r#"["protocol:ag-ui"]"#.to_owned(),
        metadata: None,
        created: Timestamp(4),
        updated: Timestamp(4),
        deleted: None,
    };
    let event = OntologyEvent {
        id: "e".to_owned(),
        group: "team".to_owned(),
        kind: "task_event".to_owned(),
        actor: "ann".to_owned(),
        target: Some("a".to_owned()),
        at: Timestamp(9),
        metadata: None,
        archived: true,
    };
    let draft = Thing {
        status: "draft".to_owned(),
        group: "team".to_owned(),
        ..thing("b", 2)
    };
    let link = ThingKnowledge {
        thing: "a".to_owned(),
        knowledge: "k1".to_owned(),
        role: "summary".to_owned(),
        metadata: None,
    };
    let put = store.put(
        &ann,
        vec![
            OntologyRecord::Group(group("team", Some("ann"))),
            OntologyRecord::Thing(thing("a", 1)),
            OntologyRecord::Thing(draft.clone()),
            connection("c1", None, Some(5)),
            connection("c2", Some(5), None),
            OntologyRecord::Event(event.clone()),
            OntologyRecord::Knowledge(knowledge("k1")),
            OntologyRecord::Knowledge(knowledge("k2")),
            OntologyRecord::ThingKnowledge(link),
        ],
    );
    assert_eq!(put.wait(), Ok(()));
    let all = PageRequest::first(9);
    let groups = store.groups(&ann).wait().expect("read");
    assert_eq!(
        groups
            .iter()
            .map(|group| group.id.as_str())
            .collect::<Vec<_>>(),
        ["ann", "team"]
    );
    assert_eq!(groups[1], group("team", Some("ann")));
    assert_eq!(
        store.people(&ann, "ann").wait().expect("read")[0].role,
        "group_owner"
    );

    let things = store
        .things(&ann, &kind("note"), &all)
        .wait()
        .expect("read");
    assert_eq!(things.items, [draft.clone(), thing("a", 1)]);
    let first = store
        .things(&ann, &kind("note"), &PageRequest::first(1))
        .wait()
        .expect("read");
    let rest = store
        .things(
            &ann,
            &kind("note"),
            &PageRequest {
                after: first.next,
                limit: 1,
            },
        )
        .wait();
    assert_eq!(ids(&rest.expect("read").items), ["a"]);
    for query in [
        ThingQuery {
            group: Some("team".to_owned()),
            ..ThingQuery::default()
        },
        ThingQuery {
            status: Some("draft".to_owned()),
            ..ThingQuery::default()
        },
    ] {
        let found = store.things(&ann, &query, &all).wait().expect("read");
        assert_eq!(ids(&found.items), ["b"]);
    }
    let at = |moment| {
        let query = ConnectionQuery {
            valid_at: Some(Timestamp(moment)),
            group: Some("team".to_owned()),
            to: Some("b".to_owned()),
            ..ConnectionQuery::default()
        };
        let found = store.connections(&ann, &query, &all).wait().expect("read");
        found
            .items
            .into_iter()
            .map(OntologyRecord::Connection)
            .collect::<Vec<_>>()
    };
    assert_eq!(at(4), [connection("c1", None, Some(5))]);
    assert_eq!(at(5), [connection("c2", Some(5), None)]);
    let query = EventQuery {
        kind: Some("task_event".to_owned()),
        ..EventQuery::default()
    };
    let events = store
        .ontology_events(&ann, &query, &all)
        .wait()
        .expect("read");
    assert_eq!(events.items, [event]);
    let known = |query: KnowledgeQuery| {
        store
            .knowledge(&ann, &query, &all)
            .wait()
            .expect("read")
            .items
    };
    let of_source = KnowledgeQuery {
        source: Some("a".to_owned()),
        ..KnowledgeQuery::default()
    };
    assert_eq!(known(of_source), [knowledge("k2"), knowledge("k1")]);
    let of_thing = KnowledgeQuery {
        thing: Some("a".to_owned()),
        ..KnowledgeQuery::default()
    };
    assert_eq!(known(of_thing), [knowledge("k1")]);

    let gone = Thing {
        deleted: Some(Timestamp(8)),
        ..draft
    };
    assert_eq!(
        store.put(&ann, vec![OntologyRecord::Thing(gone)]).wait(),
        Ok(())
    );
    let things = store
        .things(&ann, &kind("note"), &all)
        .wait()
        .expect("read");
    assert_eq!(ids(&things.items), ["a"]);
}

fn records_are_stored_all_or_none(store: &dyn Store) {
    let ann = principal("ann");
    assert_eq!(
        store
            .put(&ann, vec![OntologyRecord::Thing(thing("a", 1))])
            .wait(),
        Ok(())
    );
    let bad = [
        OntologyRecord::Thing(Thing {
            group: "nowhere".to_owned(),
            ..thing("b", 1)
        }),
        OntologyRecord::Thing(Thing {
            properties: "{".to_owned(),
            ..thing("b", 1)
        }),
        OntologyRecord::Thing(Thing {
            id: String::new(),
            ..thing("b", 1)
        }),
        OntologyRecord::Thing(Thing {
            kind: "other".to_owned(),
            ..thing("a", 1)
        }),
        OntologyRecord::Group(group("x", Some("nowhere"))),
        OntologyRecord::Group(OntologyGroup {
            slug: "ann".to_owned(),
            ..group("x", None)
        }),
    ];
    for record in bad {
        let put = store
            .put(
                &ann,
                vec![OntologyRecord::Thing(thing("new", 2)), record.clone()],
            )
            .wait();
        assert!(
            put.as_ref().is_err_and(|error| !error.is_storage()),
            "{record:?}: {put:?}"
        );
        assert_eq!(store.thing(&ann, "new").wait(), Ok(None));
    }
}

fn things_of_other_principals_are_invisible(store: &dyn Store) {
    let (ann, bob) = (principal("ann"), principal("bob"));
    store
        .put(&ann, vec![OntologyRecord::Thing(thing("a", 1))])
        .wait()
        .expect("put");
    assert_eq!(store.thing(&bob, "a").wait(), Ok(None));
    let all = PageRequest::first(9);
    assert!(
        store
            .things(&bob, &ThingQuery::default(), &all)
            .wait()
            .expect("read")
            .items
            .is_empty()
    );
    assert!(
        store
            .changes(&bob, &ThingQuery::default(), 0, 9)
            .wait()
            .expect("read")
            .changes
            .is_empty()
    );
    assert!(store.groups(&bob).wait().expect("read").is_empty());
    // Nor can one write into another's group.
    let put = store
        .put(&bob, vec![OntologyRecord::Thing(thing("b", 1))])
        .wait();
    assert_eq!(put, Err(StoreError::NotFound { what: "the group" }));
    assert_eq!(store.delete_principal(&ann).wait(), Ok(true));
    assert_eq!(store.thing(&ann, "a").wait(), Ok(None));
}
