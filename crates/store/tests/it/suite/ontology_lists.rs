//! Order and pages of the ontology's lists.

use store::{
    ConnectionQuery, EventQuery, Knowledge, KnowledgeQuery, Listing, OntologyEvent, OntologyRecord,
    PageRequest, Store, StoreError, Thing, ThingConnection, ThingKnowledge, ThingQuery, Timestamp,
};

use crate::suite::ontology::{converse, said};
use crate::suite::ontology_records::{group, thing};
use crate::suite::{file, for_each_store, principal};

for_each_store![
    records_of_one_time_are_listed_in_the_order_they_were_written,
    pages_continue_across_derived_and_stored_records,
];

/// Returns all combinations of given and missing conditions.
fn combinations<const N: usize>(values: [&str; N]) -> Vec<[Option<String>; N]> {
    let of = |mask: usize| {
        std::array::from_fn(|at| (mask & (1 << at) != 0).then(|| values[at].to_owned()))
    };
    (0..1 << N).map(of).collect()
}

/// Reads a list with pages of one item. Returns the ids.
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

/// Returns records of one time. Every second one meets all conditions of a query, the others none.
fn alternating_records() -> Vec<OntologyRecord> {
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
    records
}

/// Returns the expected ids: those of the records that meet the given conditions.
fn expected(wanted: &[Option<String>]) -> Vec<&'static str> {
    let theirs = ["team", "wanted", "whole", "draft"].map(|word| Some(word.to_owned()));
    match wanted.iter().find(|word| word.is_some()) {
        Some(word) if theirs.contains(word) => vec!["x", "y", "z"],
        Some(_) => vec!["c", "a", "b"],
        None => vec!["c", "x", "a", "y", "b", "z"],
    }
}

fn records_of_one_time_are_listed_in_the_order_they_were_written(store: &dyn Store) {
    let ann = principal("ann");
    let mut records = alternating_records();
    // A record that is stored again keeps its position.
    records.extend(records[1..6].to_vec());
    store.put(&ann, records).wait().expect("kept");
    // The principal's own group is a group like any other.
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

fn pages_continue_across_derived_and_stored_records(store: &dyn Store) {
    let ann = principal("ann");
    // Every record has the time 11, so only the order of the sources and their numbers remain.
    let messages = [said("user", "1"), said("assistant", "2"), said("user", "3")];
    converse(store, "r", &messages, 10);
    let attached = store.attach(&ann, file("a", "book", 11)).wait();
    attached.expect("stored");
    let attached = store.attach(&ann, file("b", "film", 11)).wait();
    attached.expect("stored");
    for id in ["x", "y"] {
        let put = store.put(&ann, vec![OntologyRecord::Thing(thing(id, 11))]);
        put.wait().expect("stored");
    }
    let whole = |limit| PageRequest::first(limit);
    let query = ThingQuery::default();
    let all = store.things(&ann, &query, &whole(99)).wait().expect("read");
    let all: Vec<String> = all.items.into_iter().map(|it| it.id).collect();
    assert_eq!(all.len(), 9, "{all:?}");
    let things = |page: &PageRequest| store.things(&ann, &query, page).wait().expect("read");
    assert_eq!(one_by_one(things, |it| &it.id), all);
    let query = ConnectionQuery::default();
    let all = store.connections(&ann, &query, &whole(99)).wait();
    let all: Vec<String> = all
        .expect("read")
        .items
        .into_iter()
        .map(|it| it.id)
        .collect();
    assert_eq!(all.len(), 6, "{all:?}");
    let connections = |page: &PageRequest| {
        let read = store.connections(&ann, &query, page);
        read.wait().expect("read")
    };
    assert_eq!(one_by_one(connections, |it| &it.id), all);
    let query = EventQuery::default();
    let all = store.ontology_events(&ann, &query, &whole(99)).wait();
    let all: Vec<String> = all
        .expect("read")
        .items
        .into_iter()
        .map(|it| it.id)
        .collect();
    assert_eq!(all.len(), 5, "{all:?}");
    let events = |page: &PageRequest| {
        let read = store.ontology_events(&ann, &query, page);
        read.wait().expect("read")
    };
    assert_eq!(one_by_one(events, |it| &it.id), all);
}
