//! Records of the ontology that programs store.

use store::{
    ConnectionQuery, EventQuery, Knowledge, KnowledgeQuery, OntologyEvent, OntologyGroup,
    OntologyRecord, PageRequest, Store, StoreError, Thing, ThingConnection, ThingKnowledge,
    ThingQuery, Timestamp,
};

use crate::suite::ontology::{ids, kind};
use crate::suite::{for_each_store, principal};

for_each_store![
    groups_and_people_are_listed,
    things_are_found_by_their_fields,
    connections_and_events_are_found_by_their_fields,
    knowledge_is_found_by_its_source_and_its_things,
    records_are_stored_all_or_none,
    ids_of_derived_records_are_reserved,
    things_of_other_principals_are_invisible,
];

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

fn connection(id: &str, from: Option<i64>, to: Option<i64>) -> ThingConnection {
    ThingConnection {
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
    }
}

fn knowledge(id: &str) -> Knowledge {
    Knowledge {
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
    }
}

fn event() -> OntologyEvent {
    OntologyEvent {
        id: "e".to_owned(),
        group: "team".to_owned(),
        kind: "task_event".to_owned(),
        actor: "ann".to_owned(),
        target: Some("a".to_owned()),
        at: Timestamp(9),
        metadata: None,
        archived: true,
    }
}

fn draft() -> Thing {
    Thing {
        status: "draft".to_owned(),
        group: "team".to_owned(),
        ..thing("b", 2)
    }
}

/// Stores a group with records of every kind.
fn put_team(store: &dyn Store) {
    let link = ThingKnowledge {
        thing: "a".to_owned(),
        knowledge: "k1".to_owned(),
        role: "summary".to_owned(),
        metadata: None,
    };
    let records = vec![
        OntologyRecord::Group(group("team", Some("ann"))),
        OntologyRecord::Thing(thing("a", 1)),
        OntologyRecord::Thing(draft()),
        OntologyRecord::Connection(connection("c1", None, Some(5))),
        OntologyRecord::Connection(connection("c2", Some(5), None)),
        OntologyRecord::Event(event()),
        OntologyRecord::Knowledge(knowledge("k1")),
        OntologyRecord::Knowledge(knowledge("k2")),
        OntologyRecord::ThingKnowledge(link),
    ];
    assert_eq!(store.put(&principal("ann"), records).wait(), Ok(()));
}

fn groups_and_people_are_listed(store: &dyn Store) {
    let ann = principal("ann");
    put_team(store);
    let groups = store.groups(&ann).wait().expect("read");
    let ids: Vec<&str> = groups.iter().map(|group| group.id.as_str()).collect();
    assert_eq!(ids, ["ann", "team"]);
    assert_eq!(groups[1], group("team", Some("ann")));
    let people = store.people(&ann, "ann").wait().expect("read");
    assert_eq!(people[0].role, "group_owner");
}

fn things_are_found_by_their_fields(store: &dyn Store) {
    let ann = principal("ann");
    put_team(store);
    let all = PageRequest::first(9);
    let notes = |page: &PageRequest| {
        store
            .things(&ann, &kind("note"), page)
            .wait()
            .expect("read")
    };
    assert_eq!(notes(&all).items, [draft(), thing("a", 1)]);
    let second = PageRequest {
        after: notes(&PageRequest::first(1)).next,
        limit: 1,
    };
    assert_eq!(ids(&notes(&second).items), ["a"]);
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
    let deleted = Thing {
        deleted: Some(Timestamp(8)),
        ..draft()
    };
    let put = store.put(&ann, vec![OntologyRecord::Thing(deleted)]);
    assert_eq!(put.wait(), Ok(()));
    assert_eq!(ids(&notes(&all).items), ["a"]);
}

fn connections_and_events_are_found_by_their_fields(store: &dyn Store) {
    let ann = principal("ann");
    put_team(store);
    let all = PageRequest::first(9);
    let valid_at = |time| {
        let query = ConnectionQuery {
            valid_at: Some(Timestamp(time)),
            group: Some("team".to_owned()),
            to: Some("b".to_owned()),
            ..ConnectionQuery::default()
        };
        let found = store.connections(&ann, &query, &all).wait();
        found.expect("read").items
    };
    assert_eq!(valid_at(4), [connection("c1", None, Some(5))]);
    assert_eq!(valid_at(5), [connection("c2", Some(5), None)]);
    let query = EventQuery {
        kind: Some("task_event".to_owned()),
        ..EventQuery::default()
    };
    let events = store.ontology_events(&ann, &query, &all).wait();
    assert_eq!(events.expect("read").items, [event()]);
}

fn knowledge_is_found_by_its_source_and_its_things(store: &dyn Store) {
    let ann = principal("ann");
    put_team(store);
    let find = |query: KnowledgeQuery| {
        let found = store.knowledge(&ann, &query, &PageRequest::first(9)).wait();
        found.expect("read").items
    };
    let of_source = KnowledgeQuery {
        source: Some("a".to_owned()),
        ..KnowledgeQuery::default()
    };
    assert_eq!(find(of_source), [knowledge("k2"), knowledge("k1")]);
    let of_thing = KnowledgeQuery {
        thing: Some("a".to_owned()),
        ..KnowledgeQuery::default()
    };
    assert_eq!(find(of_thing), [knowledge("k1")]);
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

fn ids_of_derived_records_are_reserved(store: &dyn Store) {
    let ann = principal("ann");
    let records = [
        OntologyRecord::Thing(thing("conversation:t", 1)),
        OntologyRecord::Thing(thing("agent:demo", 1)),
        OntologyRecord::Connection(connection("sent_by:message:1:t:1", None, None)),
        OntologyRecord::Event(OntologyEvent {
            id: "agent_executed:1:t:r".to_owned(),
            ..event()
        }),
    ];
    for record in records {
        let put = store.put(&ann, vec![record]).wait();
        assert!(
            matches!(put, Err(StoreError::Invalid { what: "the id", .. })),
            "{put:?}"
        );
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
    // Groups of other principals cannot be written to.
    let put = store
        .put(&bob, vec![OntologyRecord::Thing(thing("b", 1))])
        .wait();
    assert_eq!(put, Err(StoreError::NotFound { what: "the group" }));
    assert_eq!(store.delete_principal(&ann).wait(), Ok(true));
    assert_eq!(store.thing(&ann, "a").wait(), Ok(None));
}
