//! Documents and attachments.

use documents::ContentId;
use store::{
    DocumentDescription, DocumentStatus, NewAttachment, ORIGINAL, PageRequest, Store, StoreError,
    Timestamp,
};

use crate::suite::{attachment, file, for_each_store, principal};

for_each_store![
    a_file_is_stored_under_a_name,
    other_bytes_under_the_same_name_conflict,
    a_document_is_deleted_with_its_last_attachment,
    an_attachment_expires,
    an_expired_name_can_be_reused,
    parts_are_stored_and_replaced,
    documents_of_other_principals_are_invisible,
    lists_are_read_in_pages,
    attachments_are_found_by_name_title_and_origin,
];

const NOW: Timestamp = Timestamp(1_000);

fn a_file_is_stored_under_a_name(store: &dyn Store) {
    let ann = principal("ann");
    let attached = store
        .attach(&ann, file("a", "tide", 5))
        .wait()
        .expect("stored");
    assert!(!attached.existed);
    let id = ContentId::of(b"tide");
    let document = &attached.attachment.document;
    assert_eq!((document.id, document.size), (id, 4));
    assert_eq!(document.status, DocumentStatus::Received);

    let description = DocumentDescription {
        media_type: Some("text/markdown".to_owned()),
        pages: Some(3),
        title: Some("Tides".to_owned()),
        status: DocumentStatus::Failed {
            reason: "why not".to_owned(),
        },
    };
    assert_eq!(store.describe_document(id, description).wait(), Ok(true));
    let found = store.attachment(&ann, &attachment("a"), NOW).wait();
    let found = found.expect("read").expect("there");
    assert_eq!(found.name, "a.txt");
    assert_eq!(found.document.media_type, "text/markdown");
    assert_eq!(found.document.pages, Some(3));
    assert_eq!(found.document.title.as_deref(), Some("Tides"));
    assert!(
        matches!(found.document.status, DocumentStatus::Failed { reason } if reason == "why not")
    );
    assert_eq!(found.document.created, Timestamp(5));
    let original = store.part(&ann, id, ORIGINAL, NOW).wait();
    assert_eq!(original.expect("read").as_deref(), Some(&b"tide"[..]));
}

fn other_bytes_under_the_same_name_conflict(store: &dyn Store) {
    let ann = principal("ann");
    let first = store
        .attach(&ann, file("a", "one", 5))
        .wait()
        .expect("stored");
    let again = store
        .attach(&ann, file("a", "one", 9))
        .wait()
        .expect("stored");
    assert!(again.existed);
    assert_eq!(again.attachment, first.attachment);
    assert!(matches!(
        store.attach(&ann, file("a", "two", 9)).wait(),
        Err(StoreError::Conflict { what: "attachment", id }) if id == "a"
    ));
    assert_eq!(
        store.document(&ann, ContentId::of(b"two"), NOW).wait(),
        Ok(None)
    );
    // Names of other principals are independent.
    let other = store.attach(&principal("bob"), file("a", "two", 9)).wait();
    assert!(!other.expect("stored").existed);
}

fn a_document_is_deleted_with_its_last_attachment(store: &dyn Store) {
    let (ann, bob) = (principal("ann"), principal("bob"));
    let id = ContentId::of(b"shared");
    for (owner, name) in [(&ann, "a"), (&ann, "b"), (&bob, "a")] {
        store
            .attach(owner, file(name, "shared", 5))
            .wait()
            .expect("stored");
    }
    store
        .store_part(id, "text", "form".into())
        .wait()
        .expect("kept");
    assert_eq!(store.detach(&ann, &attachment("a")).wait(), Ok(true));
    assert_eq!(store.detach(&ann, &attachment("a")).wait(), Ok(false));
    assert!(
        store
            .document(&ann, id, NOW)
            .wait()
            .expect("read")
            .is_some()
    );
    assert_eq!(store.detach(&ann, &attachment("b")).wait(), Ok(true));
    assert_eq!(store.document(&ann, id, NOW).wait(), Ok(None));
    let part = store.part(&bob, id, "text", NOW).wait().expect("read");
    assert_eq!(part.as_deref(), Some(&b"form"[..]));
    assert_eq!(store.detach(&bob, &attachment("a")).wait(), Ok(true));
    assert_eq!(
        store.store_part(id, "text", "form".into()).wait(),
        Ok(false)
    );

    // A document that is attached again starts without its old parts.
    store
        .attach(&ann, file("a", "shared", 7))
        .wait()
        .expect("stored");
    assert_eq!(store.part(&ann, id, "text", NOW).wait(), Ok(None));
    let original = store.part(&ann, id, ORIGINAL, NOW).wait().expect("read");
    assert_eq!(original.as_deref(), Some(&b"shared"[..]));
}

fn an_attachment_expires(store: &dyn Store) {
    let ann = principal("ann");
    let new = NewAttachment {
        expires: Some(Timestamp(100)),
        end_user: Some("u1".to_owned()),
        origin: Some("https://tides.example/a.txt".to_owned()),
        ..file("a", "short", 5)
    };
    let attached = store.attach(&ann, new).wait().expect("stored").attachment;
    let found = store.attachment(&ann, &attached.id, Timestamp(5)).wait();
    assert_eq!(found.expect("read").as_ref(), Some(&attached));
    assert_eq!(attached.end_user.as_deref(), Some("u1"));
    assert_eq!(
        attached.origin.as_deref(),
        Some("https://tides.example/a.txt")
    );
    let find = |now| {
        let found = store
            .attachment(&ann, &attachment("a"), Timestamp(now))
            .wait();
        found.expect("read").is_some()
    };
    assert!(find(99));
    assert!(!find(100));
    let extend = |expires, now| {
        store
            .extend(&ann, &attachment("a"), expires, Timestamp(now))
            .wait()
            .expect("read")
            .map(|extended| extended.expires)
    };
    assert_eq!(extend(Some(Timestamp(200)), 99), Some(Some(Timestamp(200))));
    assert!(find(199));
    assert_eq!(extend(Some(Timestamp(300)), 200), None);
    assert_eq!(store.expire(Timestamp(199)).wait(), Ok(0));
    assert_eq!(store.expire(Timestamp(200)).wait(), Ok(1));
    assert!(!find(0));
    let part = store.part(&ann, ContentId::of(b"short"), ORIGINAL, Timestamp(0));
    assert_eq!(part.wait(), Ok(None));
}

fn an_expired_name_can_be_reused(store: &dyn Store) {
    let ann = principal("ann");
    for (bytes, created) in [("first", 5), ("second", 50), ("second", 95)] {
        let new = NewAttachment {
            expires: Some(Timestamp(created + 40)),
            ..file("a", bytes, created)
        };
        let attached = store.attach(&ann, new).wait().expect("stored");
        assert!(!attached.existed);
        assert_eq!(
            attached.attachment.document.id,
            ContentId::of(bytes.as_bytes())
        );
    }
    let gone = store.document(&ann, ContentId::of(b"first"), Timestamp(6));
    assert_eq!(gone.wait(), Ok(None));
    let part = store.part(&ann, ContentId::of(b"second"), ORIGINAL, Timestamp(96));
    assert_eq!(part.wait().expect("read").as_deref(), Some(&b"second"[..]));
}

fn parts_are_stored_and_replaced(store: &dyn Store) {
    let ann = principal("ann");
    let id = ContentId::of(b"a book");
    store
        .attach(&ann, file("a", "a book", 5))
        .wait()
        .expect("stored");
    let read = |name: &str| store.part(&ann, id, name, NOW).wait().expect("read");
    for bytes in ["one", "two", "one", "a book"] {
        assert_eq!(
            store.store_part(id, "page 1", bytes.into()).wait(),
            Ok(true)
        );
        assert_eq!(read("page 1").as_deref(), Some(bytes.as_bytes()));
    }
    assert_eq!(
        store.store_part(id, "page 1", "other".into()).wait(),
        Ok(true)
    );
    assert_eq!(read(ORIGINAL).as_deref(), Some(&b"a book"[..]));
    for name in ["", ORIGINAL, "a\0b"] {
        assert!(matches!(
            store.store_part(id, name, "x".into()).wait(),
            Err(StoreError::Invalid { .. })
        ));
    }
}

fn documents_of_other_principals_are_invisible(store: &dyn Store) {
    let (ann, bob) = (principal("ann"), principal("bob"));
    store
        .attach(&ann, file("a", "secret", 5))
        .wait()
        .expect("stored");
    let id = ContentId::of(b"secret");
    assert_eq!(
        store.attachment(&bob, &attachment("a"), NOW).wait(),
        Ok(None)
    );
    assert_eq!(store.document(&bob, id, NOW).wait(), Ok(None));
    assert_eq!(store.part(&bob, id, ORIGINAL, NOW).wait(), Ok(None));
    let extended = store.extend(&bob, &attachment("a"), None, NOW).wait();
    assert_eq!(extended, Ok(None));
    assert_eq!(store.detach(&bob, &attachment("a")).wait(), Ok(false));
    let listed = store.attachments(&bob, &PageRequest::first(10), NOW).wait();
    assert!(listed.expect("read").items.is_empty());
}

fn lists_are_read_in_pages(store: &dyn Store) {
    let ann = principal("ann");
    for (name, created) in [("a", 1), ("b", 3), ("c", 2), ("d", 3), ("e", 4)] {
        store
            .attach(&ann, file(name, "x", created))
            .wait()
            .expect("stored");
    }
    let mut slice = PageRequest::first(2);
    let mut names = Vec::new();
    loop {
        let listed = store.attachments(&ann, &slice, NOW).wait().expect("read");
        assert!(listed.items.len() <= 2);
        names.extend(listed.items.iter().map(|item| item.id.to_string()));
        slice.after = match listed.next {
            Some(next) => Some(next),
            None => break,
        };
    }
    assert_eq!(names, ["e", "d", "b", "c", "a"]);
    slice.after = Some("nowhere".to_owned());
    assert!(matches!(
        store.attachments(&ann, &slice, NOW).wait(),
        Err(StoreError::BadCursor)
    ));
}

fn attachments_are_found_by_name_title_and_origin(store: &dyn Store) {
    let [ann, bob, cleo] = ["ann", "bob", "cleo"].map(principal);
    let called = |who, name: &str, now: i64| -> Vec<String> {
        let found = store.attachments_named(who, name, Timestamp(now));
        let found = found.wait().expect("read");
        found.iter().map(|found| found.id.to_string()).collect()
    };
    let attach = |who, new: NewAttachment| {
        store.attach(who, new).wait().expect("stored");
    };
    attach(&ann, file("a", "tide", 5));
    attach(&ann, file("b", "ebb", 6));
    attach(
        &ann,
        NewAttachment {
            name: "Tides".to_owned(),
            origin: Some("https://x.example/tide".to_owned()),
            expires: Some(Timestamp(50)),
            ..file("c", "quay", 7)
        },
    );
    attach(&bob, file("d", "tide", 8));
    let description = DocumentDescription {
        media_type: None,
        pages: None,
        title: Some("Tides".to_owned()),
        status: DocumentStatus::Ready,
    };
    let described = store.describe_document(ContentId::of(b"tide"), description);
    assert_eq!(described.wait(), Ok(true));
    assert_eq!(called(&ann, "b.txt", 10), ["b"]);
    assert_eq!(called(&ann, "https://x.example/tide", 10), ["c"]);
    assert_eq!(called(&ann, "Tides", 10), ["c", "a"]);
    assert_eq!(called(&ann, "Tides", 50), ["a"]);
    assert_eq!(called(&bob, "Tides", 10), ["d"]);
    // Ids are not names.
    assert!(called(&ann, "b", 10).is_empty());
    assert!(called(&cleo, "b.txt", 10).is_empty());
    for number in 0..12 {
        attach(
            &bob,
            NewAttachment {
                name: "same".to_owned(),
                ..file(&format!("s{number}"), "same", 20 + number)
            },
        );
    }
    let same = called(&bob, "same", 40);
    assert_eq!((same.len(), same[0].as_str()), (10, "s11"));
}
