//! Catalogues.

use bytes::Bytes;
use store::{CatalogueWrite, Store, StoreError, Timestamp};

use super::{for_each_store, principal};

for_each_store!(
    versions_are_checked_and_writes_are_atomic,
    changes_are_listed_in_order_with_deletions,
    catalogues_belong_to_principals,
);

fn write(id: &str, version: u64, expected: Option<u64>, json: &'static str) -> CatalogueWrite {
    CatalogueWrite {
        kind: "attribution".to_owned(),
        id: id.to_owned(),
        version,
        expected,
        json: Bytes::from_static(json.as_bytes()),
    }
}

fn put(store: &dyn Store, writes: Vec<CatalogueWrite>) -> Result<usize, StoreError> {
    store
        .put_catalogue(&principal("ann"), writes, Timestamp(5))
        .wait()
}

fn versions_are_checked_and_writes_are_atomic(store: &dyn Store) {
    assert_eq!(put(store, vec![write("a", 1, Some(0), "{\"v\":1}")]), Ok(1));
    // The same content is not written again.
    assert_eq!(put(store, vec![write("a", 1, None, "{\"v\":1}")]), Ok(0));
    let stale = put(
        store,
        vec![
            write("b", 1, None, "{}"),
            write("a", 2, Some(7), "{\"v\":2}"),
        ],
    );
    assert_eq!(
        stale,
        Err(StoreError::Conflict {
            what: "record",
            id: "a".to_owned()
        })
    );
    let ids = vec!["a".to_owned(), "b".to_owned()];
    let found = store
        .catalogue_records(&principal("ann"), "attribution", ids)
        .wait()
        .expect("read");
    assert_eq!(
        found
            .iter()
            .map(|record| (record.id.as_str(), record.version))
            .collect::<Vec<_>>(),
        [("a", 1)]
    );
    assert_eq!(put(store, vec![write("a", 2, Some(1), "{\"v\":2}")]), Ok(1));
}

fn changes_are_listed_in_order_with_deletions(store: &dyn Store) {
    put(
        store,
        vec![write("a", 1, None, "{}"), write("b", 1, None, "{}")],
    )
    .expect("written");
    put(store, vec![write("a", 2, None, "{\"x\":1}")]).expect("written");
    put(store, vec![write("b", 2, None, "")]).expect("written");
    let changes = |after| {
        store
            .catalogue_changes(&principal("ann"), "attribution", after, 10)
            .wait()
            .expect("read")
    };
    let all = changes(0);
    let shown: Vec<(&str, usize)> = all
        .iter()
        .map(|record| (record.id.as_str(), record.json.len()))
        .collect();
    assert_eq!(shown, [("a", 7), ("b", 0)]);
    assert!(all[0].revision < all[1].revision);
    assert_eq!(changes(all[0].revision).len(), 1);
    let found = store
        .catalogue_records(&principal("ann"), "attribution", vec!["b".to_owned()])
        .wait();
    assert_eq!(found.expect("read"), []);
    // A deleted record counts as none.
    assert_eq!(put(store, vec![write("b", 1, Some(0), "{}")]), Ok(1));
}

fn catalogues_belong_to_principals(store: &dyn Store) {
    put(store, vec![write("a", 1, None, "{}")]).expect("written");
    let other = store
        .catalogue_changes(&principal("bob"), "attribution", 0, 10)
        .wait()
        .expect("read");
    assert_eq!(other, []);
}
