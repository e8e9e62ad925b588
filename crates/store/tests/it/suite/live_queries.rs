//! Live queries over things.

use std::future::Future;
use std::pin::pin;
use std::task::{Context, Poll, Waker};

use store::{
    OntologyRecord, QueryChange, Store, Thing, ThingQuery, ThreadChange, conversation_id,
    message_id,
};

use crate::suite::ontology::{converse, kind, said};
use crate::suite::ontology_records::thing;
use crate::suite::{for_each_store, principal, thread};

for_each_store![
    a_live_query_is_a_snapshot_followed_by_changes,
    a_waiting_reader_is_woken_by_changes_of_its_principal,
    runs_and_threads_change_live_queries,
];

fn a_live_query_is_a_snapshot_followed_by_changes(store: &dyn Store) {
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
    // A new snapshot does not mention what was removed.
    assert_eq!(
        changes(0, 9).changes,
        [QueryChange::Put(thing("c", 3)), last]
    );
}

fn a_waiting_reader_is_woken_by_changes_of_its_principal(store: &dyn Store) {
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

fn runs_and_threads_change_live_queries(store: &dyn Store) {
    let ann = principal("ann");
    let query = ThingQuery {
        status: Some("active".to_owned()),
        ..ThingQuery::default()
    };
    let changes = |after| store.changes(&ann, &query, after, 99).wait().expect("read");
    let put_ids = |changes: &[QueryChange]| -> Vec<String> {
        let id = |change: &QueryChange| match change {
            QueryChange::Put(thing) => thing.id.clone(),
            QueryChange::Removed { id } => format!("-{id}"),
        };
        changes.iter().map(id).collect()
    };
    converse(store, "r", &[said("user", "1"), said("assistant", "2")], 10);
    let first = changes(0);
    assert_eq!(
        put_ids(&first.changes),
        [
            "agent:demo".to_owned(),
            conversation_id("t"),
            message_id("t", "1"),
            message_id("t", "2")
        ]
    );
    // The client dropped a message, and the thread is archived.
    converse(store, "s", &[said("user", "1")], 20);
    let archived = ThreadChange {
        title: None,
        archived: Some(true),
    };
    let at = store::Timestamp(30);
    let changed = store.change_thread(&ann, &thread("t"), archived, at).wait();
    changed.expect("changed");
    let second = changes(first.at);
    assert_eq!(
        put_ids(&second.changes),
        [
            format!("-{}", message_id("t", "2")),
            format!("-{}", conversation_id("t"))
        ]
    );
    assert_eq!(changes(second.at).changes, []);
}
