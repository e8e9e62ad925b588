//! Records of conversations.

use store::{ConversationRecord, PageRequest, Store, StoreError, Timestamp};

use crate::suite::{begin, for_each_store, new_run, principal, thread};

for_each_store![
    records_are_listed_by_kind_in_the_order_of_their_first_storing,
    records_belong_to_the_thread_of_a_principal,
];

fn record(kind: &str, id: &str, json: &'static str, at: i64) -> ConversationRecord {
    ConversationRecord {
        kind: kind.to_owned(),
        id: id.to_owned(),
        json: json.into(),
        created: Timestamp(at),
        updated: Timestamp(at),
    }
}

fn records_are_listed_by_kind_in_the_order_of_their_first_storing(store: &dyn Store) {
    let (ann, t) = (principal("ann"), thread("t"));
    begin(store, &ann, new_run("t", "r", "{}", 1));
    for (kind, id, at) in [("m", "a", 1), ("x", "a", 2), ("m", "b", 3), ("m", "c", 4)] {
        let inserted = store.insert_record(&ann, &t, record(kind, id, "{}", at));
        assert_eq!(inserted.wait(), Ok(None));
    }
    let again = store.insert_record(&ann, &t, record("m", "a", "[]", 9));
    assert_eq!(again.wait(), Ok(Some(record("m", "a", "{}", 1))));
    store
        .put_record(&ann, &t, record("m", "a", "[1]", 9))
        .wait()
        .expect("stored");
    let changed = ConversationRecord {
        created: Timestamp(1),
        ..record("m", "a", "[1]", 9)
    };
    let found = store.record(&ann, &t, "m", "a").wait();
    assert_eq!(found, Ok(Some(changed.clone())));
    let first = store.records(&ann, &t, "m", &PageRequest::first(2)).wait();
    let first = first.expect("a page");
    assert_eq!(first.items, [changed, record("m", "b", "{}", 3)]);
    let rest = PageRequest {
        after: first.next,
        limit: 2,
    };
    let rest = store.records(&ann, &t, "m", &rest).wait().expect("a page");
    assert_eq!(rest.items, [record("m", "c", "{}", 4)]);
    assert_eq!(rest.next, None);
    assert_eq!(store.delete_record(&ann, &t, "m", "b").wait(), Ok(true));
    assert_eq!(store.delete_record(&ann, &t, "m", "b").wait(), Ok(false));
    assert_eq!(store.record(&ann, &t, "m", "b").wait(), Ok(None));
}

fn records_belong_to_the_thread_of_a_principal(store: &dyn Store) {
    let (ann, bob, t) = (principal("ann"), principal("bob"), thread("t"));
    let missing = store.insert_record(&ann, &t, record("m", "a", "{}", 1));
    assert!(matches!(missing.wait(), Err(StoreError::NotFound { .. })));
    let run = begin(store, &ann, new_run("t", "r", "{}", 1));
    let inserted = store.insert_record(&ann, &t, record("m", "a", "{}", 1));
    assert_eq!(inserted.wait(), Ok(None));
    let foreign = store.record(&bob, &t, "m", "a").wait();
    assert!(matches!(foreign, Err(StoreError::NotFound { .. })));
    let invalid = store.put_record(&ann, &t, record("m", "", "{}", 1)).wait();
    assert!(matches!(invalid, Err(StoreError::Invalid { .. })));
    let _ = run;
    assert_eq!(store.delete_thread(&ann, &t).wait(), Ok(true));
    begin(store, &ann, new_run("t", "r", "{}", 2));
    assert_eq!(store.record(&ann, &t, "m", "a").wait(), Ok(None));
}
