//! Keys, the audit log, and deletion of principals.

use documents::ContentId;
use store::{
    ApiKey, AuditEntry, DocumentDescription, DocumentStatus, KeyHash, ORIGINAL, PageRequest, Store,
    StoreError, Timestamp,
};

use crate::suite::evidence::verification;
use crate::suite::{begin, file, for_each_store, new_run, principal, run, thread};

for_each_store![
    keys_are_valid_until_they_expire_or_are_revoked,
    the_first_key_is_required_until_that_is_switched_off,
    the_audit_log_lists_actions,
    the_audit_log_is_pruned_by_age_and_size,
    deleting_a_principal_deletes_only_its_own_data,
];

fn api_key(id: &str) -> ApiKey {
    ApiKey {
        id: id.to_owned(),
        principal: principal("ann"),
        name: "laptop".to_owned(),
        scopes: vec!["read".to_owned(), "run agents".to_owned()],
        created: Timestamp(1),
        expires: Some(Timestamp(100)),
        revoked: None,
        used: None,
    }
}

fn keys_are_valid_until_they_expire_or_are_revoked(store: &dyn Store) {
    let (hash, other) = (KeyHash::of("secret"), KeyHash::of("other"));
    assert_eq!(store.add_key(api_key("a"), hash).wait(), Ok(()));
    for (id, hash) in [("a", other), ("b", hash)] {
        let taken = store.add_key(api_key(id), hash).wait();
        assert!(matches!(
            taken,
            Err(StoreError::Conflict { what: "key", .. })
        ));
    }
    assert_eq!(store.key(other).wait(), Ok(None));
    let key = store.key(hash).wait().expect("read").expect("there");
    assert_eq!(key, api_key("a"));
    assert!(key.is_valid(Timestamp(99)) && !key.is_valid(Timestamp(100)));
    assert_eq!(store.record_key_use("a", Timestamp(50)).wait(), Ok(()));
    assert_eq!(store.revoke_key("a", Timestamp(60)).wait(), Ok(true));
    assert_eq!(store.revoke_key("a", Timestamp(61)).wait(), Ok(false));
    assert_eq!(store.revoke_key("b", Timestamp(61)).wait(), Ok(false));
    let key = store.key(hash).wait().expect("read").expect("there");
    assert_eq!(
        (key.used, key.revoked),
        (Some(Timestamp(50)), Some(Timestamp(60)))
    );
    assert!(!key.is_valid(Timestamp(62)));
    assert_eq!(store.keys().wait(), Ok(vec![key]));
    let odd = ApiKey {
        scopes: vec!["a\nadmin".to_owned()],
        ..api_key("c")
    };
    assert!(matches!(
        store.add_key(odd, other).wait(),
        Err(StoreError::Invalid { .. })
    ));
}

fn the_first_key_is_required_until_that_is_switched_off(store: &dyn Store) {
    let hash = KeyHash::of("secret");
    assert_eq!(store.is_key_required().wait(), Ok(false));
    assert_eq!(store.add_key(api_key("a"), hash).wait(), Ok(()));
    assert_eq!(store.is_key_required().wait(), Ok(true));
    assert_eq!(store.revoke_key("a", Timestamp(2)).wait(), Ok(true));
    assert_eq!(
        store.is_key_required().wait(),
        Ok(true),
        "the last key is revoked"
    );
    assert_eq!(store.delete_principal(&principal("ann")).wait(), Ok(true));
    assert_eq!(store.keys().wait(), Ok(Vec::new()));
    assert_eq!(
        store.is_key_required().wait(),
        Ok(true),
        "the last key is deleted"
    );
    assert_eq!(store.set_key_required(false).wait(), Ok(()));
    assert_eq!(store.is_key_required().wait(), Ok(false));
    assert_eq!(store.add_key(api_key("b"), hash).wait(), Ok(()));
    assert_eq!(store.is_key_required().wait(), Ok(true));
}

fn the_audit_log_lists_actions(store: &dyn Store) {
    let entry = |who: &str, number: i64| AuditEntry {
        principal: principal(who),
        key: Some("a".to_owned()),
        action: "thread.deleted".to_owned(),
        target: format!("t{number}"),
        request: None,
        at: Timestamp(number),
    };
    for number in 0..5 {
        let who = if number % 2 == 0 { "ann" } else { "bob" };
        assert_eq!(store.audit(entry(who, number)).wait(), Ok(()));
    }
    let ann = principal("ann");
    let first = store
        .audit_entries(Some(&ann), &PageRequest::first(2))
        .wait()
        .expect("read");
    assert_eq!(first.items, [entry("ann", 4), entry("ann", 2)]);
    let slice = PageRequest {
        after: first.next,
        limit: 2,
    };
    let rest = store
        .audit_entries(Some(&ann), &slice)
        .wait()
        .expect("read");
    assert_eq!((rest.items, rest.next), (vec![entry("ann", 0)], None));
    let all = store
        .audit_entries(None, &PageRequest::first(9))
        .wait()
        .expect("read");
    assert_eq!(all.items.len(), 5);
    assert_eq!(all.items[1], entry("bob", 3));
}

fn the_audit_log_is_pruned_by_age_and_size(store: &dyn Store) {
    let entry = |at: i64| AuditEntry {
        principal: principal("ann"),
        key: None,
        action: "read".to_owned(),
        target: format!("/threads/{at}"),
        request: None,
        at: Timestamp(at),
    };
    let trim = |before, most| store.prune_audit_log(Timestamp(before), most).wait();
    let kept = || {
        let all = store
            .audit_entries(None, &PageRequest::first(99))
            .wait()
            .expect("read");
        all.items.iter().map(|entry| entry.at.0).collect::<Vec<_>>()
    };
    assert_eq!(trim(5, 1), Ok(0));
    for at in [1, 2, 3, 9, 4, 10] {
        store.audit(entry(at)).wait().expect("recorded");
    }
    let first = store
        .audit_entries(None, &PageRequest::first(2))
        .wait()
        .expect("read");
    assert_eq!(trim(3, 99), Ok(2));
    // An entry with a time in the future protects those after it.
    assert_eq!(trim(5, 99), Ok(1));
    assert_eq!(kept(), [10, 4, 9]);
    // A cursor remains valid after pruning.
    let slice = PageRequest {
        after: first.next,
        limit: 9,
    };
    let rest = store.audit_entries(None, &slice).wait().expect("read");
    assert_eq!(rest.items, [entry(9)]);
    assert_eq!(trim(0, 1), Ok(2));
    assert_eq!(kept(), [10]);
    assert_eq!(trim(11, 99), Ok(1));
    assert_eq!(kept(), []);
    store.audit(entry(12)).wait().expect("recorded");
    assert_eq!(kept(), [12]);
}

fn deleting_a_principal_deletes_only_its_own_data(store: &dyn Store) {
    let (ann, bob) = (principal("ann"), principal("bob"));
    assert_eq!(store.delete_principal(&ann).wait(), Ok(false));
    for owner in [&ann, &bob] {
        begin(store, owner, new_run("t", "r", "{}", 1));
        store
            .attach(owner, file("shared", "both", 1))
            .wait()
            .expect("stored");
        let id = format!("k-{owner}");
        let kept = store.store_verifications(owner, vec![verification(&id, "k", 5)]);
        kept.wait().expect("kept");
    }
    store
        .attach(&ann, file("own", "mine", 1))
        .wait()
        .expect("stored");
    store
        .add_key(api_key("a"), KeyHash::of("secret"))
        .wait()
        .expect("added");
    let mine = ContentId::of(b"mine");
    let ready = DocumentDescription {
        media_type: None,
        pages: None,
        title: None,
        status: DocumentStatus::Ready,
    };
    assert_eq!(store.describe_document(mine, ready).wait(), Ok(true));
    assert_eq!(store.delete_principal(&ann).wait(), Ok(true));
    assert_eq!(store.delete_principal(&ann).wait(), Ok(false));

    let now = Timestamp(2);
    assert_eq!(store.thread(&ann, &thread("t")).wait(), Ok(None));
    assert!(
        store
            .attachments(&ann, &PageRequest::first(9), now)
            .wait()
            .expect("read")
            .items
            .is_empty()
    );
    assert_eq!(store.linked_verification("k-ann").wait(), Ok(None));
    assert_eq!(store.keys().wait(), Ok(Vec::new()));
    // Documents that only ann had are deleted; those that bob has too remain.
    store
        .attach(&bob, file("own", "mine", 3))
        .wait()
        .expect("stored");
    let own = store.document(&bob, mine, now).wait().expect("read");
    assert_eq!(own.map(|own| own.status), Some(DocumentStatus::Received));
    let shared = store
        .part(&bob, ContentId::of(b"both"), ORIGINAL, now)
        .wait();
    assert_eq!(shared.expect("read").as_deref(), Some(&b"both"[..]));
    assert!(
        store
            .run(&bob, &thread("t"), &run("r"))
            .wait()
            .expect("read")
            .is_some()
    );
    assert!(
        store
            .verification(&bob, "k-bob")
            .wait()
            .expect("read")
            .is_some()
    );
}
