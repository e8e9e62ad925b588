//! Upstream agents that administrators added.

use store::{Store, StoreError, StoredUpstream, Timestamp};

use crate::suite::for_each_store;

for_each_store!(
    upstreams_are_listed_by_name_and_replaced,
    names_without_characters_are_refused,
);

fn upstream(name: &str, settings: &'static str, at: i64) -> StoredUpstream {
    StoredUpstream {
        name: name.to_owned(),
        settings: settings.into(),
        created: Timestamp(at),
    }
}

fn upstreams_are_listed_by_name_and_replaced(store: &dyn Store) {
    let put = |one: StoredUpstream| store.store_upstream(one).wait().expect("stored");
    put(upstream("b", "{}", 1));
    put(upstream("a", "{}", 2));
    put(upstream("b", r#"{"url":"http://x"}"#, 3));
    let all = [
        upstream("a", "{}", 2),
        upstream("b", r#"{"url":"http://x"}"#, 3),
    ];
    assert_eq!(store.upstreams().wait().expect("a list"), all);
    assert_eq!(store.delete_upstream("b").wait(), Ok(true));
    assert_eq!(store.delete_upstream("b").wait(), Ok(false));
    assert_eq!(store.upstreams().wait().expect("a list"), all[..1]);
}

fn names_without_characters_are_refused(store: &dyn Store) {
    let stored = store.store_upstream(upstream("", "{}", 1)).wait();
    assert!(
        matches!(stored, Err(StoreError::Invalid { .. })),
        "{stored:?}"
    );
}
