//! The ontology and live queries.

use documents::ContentId;
use std::future::Future;
use std::pin::pin;
use std::task::{Context, Poll, Waker};
use store::{
    Checkpoint, ConnectionQuery, EventQuery, Knowledge, KnowledgeQuery, Listing, OntologyEvent,
    OntologyGroup, OntologyRecord, PageRequest, QueryChange, RunStatus, Store, StoreError,
    StoredMessage, StoredRunEnd, Thing, ThingConnection, ThingKnowledge, ThingQuery, Timestamp,
    agent_id, conversation_id, document_id, message_id,
};

use crate::{attachment, begin, file, for_each_store, new_run, principal, thread};

for_each_store![
    what_is_said_is_in_the_ontology,
    a_deleted_thread_leaves_only_that_it_was,
    records_are_found_by_what_they_are,
    what_is_of_one_moment_is_in_the_order_it_was_written_in,
    records_are_written_together_or_not_at_all,
    a_live_query_is_a_snapshot_and_then_changes,
    a_waiting_reader_hears_of_its_own_changes,
    nobody_sees_anothers_things,
];

fn said(role: &str, id: &str) -> StoredMessage {
    StoredMessage {
        id: id.to_owned(),
        role: role.to_owned(),
        json: format!(r#"{{"id":"{id}","role":"{role}"}}"#).into(),
    }
}

fn converse(store: &dyn Store, run: &str, messages: &[StoredMessage], at: i64) {
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

fn kind(kind: &str) -> ThingQuery {
    ThingQuery {
        kind: Some(kind.to_owned()),
        ..ThingQuery::default()
    }
}

fn ids(things: &[Thing]) -> Vec<&str> {
    things.iter().map(|thing| thing.id.as_str()).collect()
}

fn what_is_said_is_in_the_ontology(store: &dyn Store) {
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

fn a_deleted_thread_leaves_only_that_it_was(store: &dyn Store) {
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

fn thing(id: &str, created: i64) -> Thing {
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

fn group(id: &str, parent: Option<&str>) -> OntologyGroup {
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

fn records_are_found_by_what_they_are(store: &dyn Store) {
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

/// Every way to ask for conditions, each of which may be met by one value or by nothing.
fn combinations<const N: usize>(values: [&str; N]) -> Vec<[Option<String>; N]> {
    let of = |mask: usize| {
        std::array::from_fn(|at| (mask & (1 << at) != 0).then(|| values[at].to_owned()))
    };
    (0..1 << N).map(of).collect()
}

/// A list, read one item at a time: their ids.
fn one_by_one<T>(read: impl Fn(&PageRequest) -> Listing<T>, id: fn(&T) -> &str) -> Vec<String> {
    let (mut ids, mut slice) = (Vec::new(), PageRequest::first(1));
    loop {
        let page = read(&slice);
        ids.extend(page.items.iter().map(|item| id(item).to_owned()));
        match page.next {
            Some(next) => slice.after = Some(next),
            None => return ids,
        }
    }
}

/// Half of the records meet all conditions, the others none; all are of one moment.
fn what_is_of_one_moment_is_in_the_order_it_was_written_in(store: &dyn Store) {
    let ann = principal("ann");
    let mut records = vec![OntologyRecord::Group(group("team", Some("ann")))];
    let names = ["z", "b", "y", "a", "x", "c"];
    for (at, id) in names.into_iter().enumerate() {
        let [team, kind, of, status] = match at % 2 {
            0 => ["team", "wanted", "whole", "draft"],
            _ => ["ann", "other", "another", "active"],
        }
        .map(str::to_owned);
        let (id, created, updated) = (id.to_owned(), Timestamp(7), Timestamp(7));
        records.push(OntologyRecord::Thing(Thing {
            group: team.clone(),
            kind: kind.clone(),
            within: Some(of.clone()),
            status: status.clone(),
            ..thing(&id, 7)
        }));
        records.push(OntologyRecord::Connection(ThingConnection {
            id: id.clone(),
            group: team.clone(),
            from: of.clone(),
            to: status.clone(),
            kind: kind.clone(),
            metadata: None,
            strength: None,
            valid_from: None,
            valid_to: None,
            created,
            updated,
            deleted: None,
        }));
        records.push(OntologyRecord::Event(OntologyEvent {
            id: id.clone(),
            group: team.clone(),
            kind: kind.clone(),
            actor: of.clone(),
            target: Some(status),
            at: created,
            metadata: None,
            archived: false,
        }));
        records.push(OntologyRecord::ThingKnowledge(ThingKnowledge {
            thing: of.clone(),
            knowledge: id.clone(),
            role: "label".to_owned(),
            metadata: None,
        }));
        records.push(OntologyRecord::Knowledge(Knowledge {
            id,
            group: team,
            kind,
            text: None,
            embedding: None,
            embedding_model: None,
            source: Some(of),
            source_field: None,
            chunk: None,
            labels: "[]".to_owned(),
            metadata: None,
            created,
            updated,
            deleted: None,
        }));
    }
    // Written once more, a record stays where it is.
    records.extend(records[1..6].to_vec());
    store.put(&ann, records).wait().expect("kept");
    let expected = |wanted: &[Option<String>]| {
        let theirs = ["team", "wanted", "whole", "draft"].map(|word| Some(word.to_owned()));
        let mut given = wanted.iter().filter(|word| word.is_some());
        match given.next() {
            Some(word) if theirs.contains(word) => vec!["x", "y", "z"],
            Some(_) => vec!["c", "a", "b"],
            None => vec!["c", "x", "a", "y", "b", "z"],
        }
    };
    // The group of the principal itself is a group like any other.
    let own = combinations(["ann", "other", "another", "active"]);
    for wanted in combinations(["team", "wanted", "whole", "draft"])
        .into_iter()
        .chain(own)
    {
        let [group, kind, of, last] = wanted.clone();
        let query = ThingQuery {
            group: group.clone(),
            kind: kind.clone(),
            within: of.clone(),
            status: last.clone(),
        };
        let things = |slice: &PageRequest| store.things(&ann, &query, slice).wait().expect("read");
        assert_eq!(one_by_one(things, |it| &it.id), expected(&wanted));
        let query = ConnectionQuery {
            group: group.clone(),
            from: of.clone(),
            to: last.clone(),
            kind: kind.clone(),
            valid_at: None,
        };
        let connections = |slice: &PageRequest| {
            let read = store.connections(&ann, &query, slice);
            read.wait().expect("read")
        };
        assert_eq!(one_by_one(connections, |it| &it.id), expected(&wanted));
        let query = EventQuery {
            group: group.clone(),
            kind: kind.clone(),
            actor: of.clone(),
            target: last,
        };
        let events = |slice: &PageRequest| {
            store
                .ontology_events(&ann, &query, slice)
                .wait()
                .expect("read")
        };
        assert_eq!(one_by_one(events, |it| &it.id), expected(&wanted));
    }
    for wanted in combinations(["team", "wanted", "whole", "whole"]) {
        let [group, kind, source, thing] = wanted.clone();
        let query = KnowledgeQuery {
            group,
            kind,
            source,
            thing,
        };
        let known =
            |slice: &PageRequest| store.knowledge(&ann, &query, slice).wait().expect("read");
        assert_eq!(one_by_one(known, |it| &it.id), expected(&wanted));
    }
    let first = store.thing(&ann, "b").wait().expect("read");
    assert_eq!(first.map(|thing| thing.group).as_deref(), Some("ann"));
    let wrong = PageRequest {
        after: Some("7.z".to_owned()),
        limit: 1,
    };
    let read = store.things(&ann, &ThingQuery::default(), &wrong).wait();
    assert!(matches!(read, Err(StoreError::BadCursor)), "{read:?}");
}

fn records_are_written_together_or_not_at_all(store: &dyn Store) {
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

fn a_live_query_is_a_snapshot_and_then_changes(store: &dyn Store) {
    let ann = principal("ann");
    let put = |thing: Thing| {
        assert_eq!(
            store.put(&ann, vec![OntologyRecord::Thing(thing)]).wait(),
            Ok(())
        );
    };
    for (id, created) in [("a", 1), ("b", 2), ("c", 3)] {
        put(thing(id, created));
    }
    let query = ThingQuery {
        status: Some("active".to_owned()),
        ..kind("note")
    };
    let changes = |after, limit| {
        store
            .changes(&ann, &query, after, limit)
            .wait()
            .expect("read")
    };
    let snapshot = changes(0, 2);
    assert!(snapshot.more);
    assert_eq!(
        snapshot.changes,
        [
            QueryChange::Put(thing("a", 1)),
            QueryChange::Put(thing("b", 2))
        ]
    );
    let rest = changes(snapshot.at, 2);
    assert_eq!(
        (rest.changes, rest.more),
        (vec![QueryChange::Put(thing("c", 3))], false)
    );
    let at = rest.at;
    assert_eq!(changes(at, 9).changes, []);

    put(Thing {
        name: "first".to_owned(),
        ..thing("a", 1)
    });
    put(Thing {
        kind: "other".to_owned(),
        ..thing("z", 1)
    });
    put(Thing {
        status: "archived".to_owned(),
        ..thing("b", 2)
    });
    put(Thing {
        name: "last".to_owned(),
        ..thing("a", 1)
    });
    let removed = QueryChange::Removed { id: "b".to_owned() };
    let last = QueryChange::Put(Thing {
        name: "last".to_owned(),
        ..thing("a", 1)
    });
    assert_eq!(changes(at, 9).changes, [removed, last.clone()]);
    // A new snapshot has no word of what is gone.
    assert_eq!(
        changes(0, 9).changes,
        [QueryChange::Put(thing("c", 3)), last]
    );
}

fn a_waiting_reader_hears_of_its_own_changes(store: &dyn Store) {
    let (ann, bob) = (principal("ann"), principal("bob"));
    let own = |who: &str, id: &str| {
        OntologyRecord::Thing(Thing {
            group: who.to_owned(),
            ..thing(id, 1)
        })
    };
    store.put(&ann, vec![own("ann", "a")]).wait().expect("put");
    let first = store.changed(&ann, 0).wait().expect("there is one");
    store.put(&bob, vec![own("bob", "a")]).wait().expect("put");
    let at = store
        .changes(&ann, &kind("note"), first, 9)
        .wait()
        .expect("read")
        .at;
    assert!(at > first);

    let mut waiting = pin!(store.changed(&ann, at));
    let mut context = Context::from_waker(Waker::noop());
    assert!(waiting.as_mut().poll(&mut context).is_pending());
    store.put(&bob, vec![own("bob", "b")]).wait().expect("put");
    store.put(&ann, vec![own("ann", "b")]).wait().expect("put");
    let heard = loop {
        if let Poll::Ready(heard) = waiting.as_mut().poll(&mut context) {
            break heard.expect("told");
        }
        std::thread::yield_now();
    };
    assert!(heard > at);
    let changes = store
        .changes(&ann, &kind("note"), at, 9)
        .wait()
        .expect("read");
    assert_eq!(changes.changes, [QueryChange::Put(thing("b", 1))]);
}

fn nobody_sees_anothers_things(store: &dyn Store) {
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
