//! Verifications and reviews.

use documents::ContentId;
use store::{
    CitationReview, LogBatch, PageRequest, ReviewAction, RunStatus, Store, StoreError,
    StoredRunEnd, StoredVerification, Timestamp,
};

use crate::suite::{batch, begin, for_each_store, new_run, principal, thread};

for_each_store![
    verifications_are_found_by_id_and_by_key,
    verifications_are_deleted_with_their_thread,
    the_latest_verification_of_several_threads_is_shown,
    many_verifications_are_stored_at_once,
    verifications_are_stored_with_the_events_that_link_to_them,
    reviews_are_stored_in_order,
    verifications_and_reviews_are_listed,
    verifications_are_found_by_document,
];

pub(super) fn verification(id: &str, key: &str, created: i64) -> StoredVerification {
    StoredVerification {
        id: id.to_owned(),
        key: key.to_owned(),
        thread: None,
        message: Some("m".to_owned()),
        document: Some(ContentId::of(b"book")),
        citation: r#"{"fullPhrase":"x"}"#.into(),
        verification: format!(r#"{{"at":{created}}}"#).into(),
        created: Timestamp(created),
    }
}

fn verifications_are_stored_with_the_events_that_link_to_them(store: &dyn Store) {
    let (ann, bob) = (principal("ann"), principal("bob"));
    let run = begin(store, &ann, new_run("t", "r", "{}", 1));
    let with = |ids: &[&str]| {
        let kept = ids.iter().map(|id| verification(id, "k", 5));
        batch(&["{}"]).with_verifications(kept.collect())
    };
    let of_thread = |id: &str| StoredVerification {
        thread: Some(thread("t")),
        ..verification(id, "k", 5)
    };
    assert_eq!(store.append(run, with(&["k1", "k2"])).wait(), Ok(1));
    for id in ["k1", "k2"] {
        // The thread of the run replaces any other.
        assert_eq!(store.verification(&ann, id).wait(), Ok(Some(of_thread(id))));
        assert_eq!(store.verification(&bob, id).wait(), Ok(None));
    }
    // If one verification is invalid, neither the events nor the others are stored.
    for bad in ["", "j4"] {
        let refused = store.append(run, with(&["k3", bad])).wait();
        assert!(matches!(refused, Err(StoreError::Invalid { .. })));
    }
    assert_eq!(store.verification(&ann, "k3").wait(), Ok(None));
    let logged = store.events(&ann, &thread("t"), 0, 100).wait();
    assert_eq!(logged.map(|events| events.last), Ok(1));
    // The end of a run stores verifications too, even without events.
    let end = StoredRunEnd {
        last: LogBatch::new().with_verifications(vec![verification("k4", "k", 5)]),
        ..StoredRunEnd::new(RunStatus::Finished, Timestamp(2), None)
    };
    assert_eq!(store.end_run(run, end).wait(), Ok(()));
    assert_eq!(
        store.verification(&ann, "k4").wait(),
        Ok(Some(of_thread("k4")))
    );
    assert_eq!(
        store.append(run, with(&["k5"])).wait(),
        Err(StoreError::RunEnded)
    );
    assert_eq!(store.verification(&ann, "k5").wait(), Ok(None));
}

fn verifications_are_found_by_id_and_by_key(store: &dyn Store) {
    let (ann, bob) = (principal("ann"), principal("bob"));
    let all = [
        verification("k1", "k", 5),
        verification("k2", "k", 7),
        verification("j3", "j", 6),
        // A key may be a prefix of another key, and is not a pattern.
        verification("k1x", "k1", 6),
        verification("%1", "%", 6),
        verification("\"1", "\"", 6),
    ];
    let kept = store.store_verifications(&ann, all.to_vec());
    assert_eq!(kept.wait(), Ok(()));
    for one in &all {
        let found = store.verification(&ann, &one.id).wait();
        assert_eq!(found, Ok(Some(one.clone())));
        assert_eq!(store.verification(&bob, &one.id).wait(), Ok(None));
        let linked = store.linked_verification(&one.id).wait();
        assert_eq!(linked, Ok(Some((ann.clone(), one.clone()))));
    }
    for absent in ["k", "k3", "", "1", "k1\",\"k2"] {
        assert_eq!(store.verification(&ann, absent).wait(), Ok(None));
    }
    let of_key = |owner, key: &str| store.verifications(owner, key).wait();
    assert_eq!(of_key(&ann, "k"), Ok(vec![all[1].clone(), all[0].clone()]));
    assert_eq!(of_key(&ann, "%"), Ok(vec![all[4].clone()]));
    assert_eq!(of_key(&ann, "\""), Ok(vec![all[5].clone()]));
    assert_eq!(of_key(&bob, "k"), Ok(Vec::new()));
    // The last of several with one id is shown, also if they are stored together.
    let twice = [verification("k1", "k", 8), verification("k1", "k", 9)];
    let kept = store.store_verifications(&ann, twice.to_vec());
    assert_eq!(kept.wait(), Ok(()));
    let [_, last] = twice;
    assert_eq!(of_key(&ann, "k"), Ok(vec![last.clone(), all[1].clone()]));
    // The same id of another principal is independent.
    let others = verification("k1", "k", 1);
    let kept = store.store_verifications(&bob, vec![others.clone()]);
    assert_eq!(kept.wait(), Ok(()));
    assert_eq!(store.verification(&ann, "k1").wait(), Ok(Some(last)));
    assert_eq!(of_key(&bob, "k"), Ok(vec![others]));
    assert_eq!(store.citing_threads(&ann, "k").wait(), Ok(Vec::new()));
}

fn verifications_are_deleted_with_their_thread(store: &dyn Store) {
    let (ann, bob) = (principal("ann"), principal("bob"));
    for owner in [&ann, &bob] {
        begin(store, owner, new_run("t", "r", "{}", 1));
        let own = StoredVerification {
            thread: Some(thread("t")),
            ..verification("k1", "k", 5)
        };
        assert_eq!(store.store_verifications(owner, vec![own]).wait(), Ok(()));
    }
    let elsewhere = StoredVerification {
        thread: Some(thread("u")),
        ..verification("k2", "k", 5)
    };
    let missing = Err(StoreError::NotFound { what: "the thread" });
    let mixed = vec![verification("k3", "k", 5), elsewhere];
    assert_eq!(store.store_verifications(&ann, mixed).wait(), missing);
    assert_eq!(store.verification(&ann, "k3").wait(), Ok(None));
    assert_eq!(store.delete_thread(&ann, &thread("t")).wait(), Ok(true));
    assert_eq!(store.verification(&ann, "k1").wait(), Ok(None));
    assert_eq!(store.verifications(&ann, "k").wait(), Ok(Vec::new()));
    let kept = store.verification(&bob, "k1").wait().expect("read");
    assert_eq!(kept.and_then(|kept| kept.thread), Some(thread("t")));
}

fn the_latest_verification_of_several_threads_is_shown(store: &dyn Store) {
    let ann = principal("ann");
    for id in ["t", "u", "v"] {
        begin(store, &ann, new_run(id, "r", "{}", 1));
    }
    let keep = |id: &str, of: Option<&str>, message: &str, made: i64| {
        let new = StoredVerification {
            thread: of.map(thread),
            message: Some(message.to_owned()),
            ..verification(id, "k", made)
        };
        store
            .store_verifications(&ann, vec![new])
            .wait()
            .expect("kept");
    };
    let found = |id: &str| {
        let found = store.verification(&ann, id).wait().expect("read");
        found.map(|it| {
            let (thread, message) = (it.thread.map(|it| it.to_string()), it.message);
            (thread, message.unwrap_or_default(), it.created.0)
        })
    };
    let made =
        |of: Option<&str>, message: &str, at| Some((of.map(str::to_owned), message.to_owned(), at));
    let delete = |id: &str| store.delete_thread(&ann, &thread(id)).wait();
    let citing = || {
        let threads = store.citing_threads(&ann, "k").wait().expect("read");
        threads.iter().map(ToString::to_string).collect::<Vec<_>>()
    };
    for (of, message, at) in [("t", "1", 5), ("u", "2", 5), ("t", "3", 6), ("v", "4", 7)] {
        keep("k-shared", Some(of), message, at);
        assert_eq!(found("k-shared"), made(Some(of), message, at));
    }
    keep("k-own", Some("t"), "5", 5);
    // A verification outside of threads remains.
    keep("k-free", None, "6", 5);
    keep("k-free", Some("u"), "7", 7);
    assert_eq!(found("k-free"), made(Some("u"), "7", 7));
    assert_eq!(citing(), ["t", "u", "v"]);
    let listed = store
        .list_verifications(&ann, &PageRequest::first(9))
        .wait();
    let listed = listed.expect("read").items.into_iter().map(|item| item.id);
    assert_eq!(listed.collect::<Vec<_>>(), ["k-shared", "k-own", "k-free"]);
    assert_eq!(delete("t"), Ok(true));
    assert_eq!(found("k-own"), None);
    assert_eq!(found("k-shared"), made(Some("v"), "4", 7));
    assert_eq!(delete("v"), Ok(true));
    assert_eq!(found("k-shared"), made(Some("u"), "2", 5));
    assert_eq!(delete("u"), Ok(true));
    assert_eq!(found("k-shared"), None);
    assert_eq!(found("k-free"), made(None, "6", 5));
    assert_eq!(citing(), Vec::<String>::new());
}

fn many_verifications_are_stored_at_once(store: &dyn Store) {
    let ann = principal("ann");
    let run = begin(store, &ann, new_run("t", "r", "{}", 1));
    let all: Vec<_> = (0..600)
        .map(|number| verification(&format!("k{number}"), "k", number))
        .collect();
    let last = batch(&["{}"]).with_verifications(all.clone());
    assert_eq!(store.append(run, last).wait(), Ok(1));
    for one in &all {
        let found = store.verification(&ann, &one.id).wait().expect("read");
        assert_eq!(found.map(|found| found.created), Some(one.created));
    }
    let (mut ids, mut slice) = (Vec::new(), PageRequest::first(100));
    loop {
        let page = store.list_verifications(&ann, &slice).wait().expect("read");
        ids.extend(page.items.into_iter().map(|item| item.id));
        slice.after = page.next;
        if slice.after.is_none() {
            break;
        }
    }
    assert!(ids.iter().eq(all.iter().map(|one| &one.id)));
}

fn reviews_are_stored_in_order(store: &dyn Store) {
    let ann = principal("ann");
    let steps = [
        ReviewAction::Opened,
        ReviewAction::Closed,
        ReviewAction::Disputed,
    ];
    let mut reviews = Vec::new();
    for action in steps {
        let review = CitationReview {
            key: "k".to_owned(),
            action,
            at: Timestamp(3),
            note: (action == ReviewAction::Disputed).then(|| "no".to_owned()),
        };
        assert_eq!(store.review(&ann, review.clone()).wait(), Ok(()));
        reviews.insert(0, review);
    }
    assert_eq!(store.reviews(&ann, "k").wait(), Ok(reviews));
    assert_eq!(store.reviews(&ann, "j").wait(), Ok(Vec::new()));
    assert_eq!(store.reviews(&principal("bob"), "k").wait(), Ok(Vec::new()));
    let long = CitationReview {
        key: "k".to_owned(),
        action: ReviewAction::Accepted,
        at: Timestamp(3),
        note: Some("x".repeat(20_000)),
    };
    assert!(matches!(
        store.review(&ann, long).wait(),
        Err(StoreError::Invalid { .. })
    ));
}

fn verifications_and_reviews_are_listed(store: &dyn Store) {
    let ann = principal("ann");
    for number in 0..5 {
        let key = format!("k{}", number % 2);
        let id = format!("{key}-{number}");
        let kept = store.store_verifications(&ann, vec![verification(&id, &key, number)]);
        assert_eq!(kept.wait(), Ok(()));
        let review = CitationReview {
            key,
            action: ReviewAction::Opened,
            at: Timestamp(number),
            note: None,
        };
        assert_eq!(store.review(&ann, review).wait(), Ok(()));
    }
    let (mut ids, mut times) = (Vec::new(), Vec::new());
    let mut slice = PageRequest::first(2);
    loop {
        let page = store.list_verifications(&ann, &slice).wait().expect("read");
        ids.extend(page.items.into_iter().map(|item| item.id));
        slice.after = page.next;
        if slice.after.is_none() {
            break;
        }
    }
    loop {
        let page = store.list_reviews(&ann, &slice).wait().expect("read");
        times.extend(page.items.into_iter().map(|item| item.at.0));
        slice.after = page.next;
        if slice.after.is_none() {
            break;
        }
    }
    assert_eq!(ids, ["k0-0", "k1-1", "k0-2", "k1-3", "k0-4"]);
    assert_eq!(times, [0, 1, 2, 3, 4]);
    let other = store.list_reviews(&principal("bob"), &slice).wait();
    assert!(other.expect("read").items.is_empty());
}

fn verifications_are_found_by_document(store: &dyn Store) {
    let (ann, bob) = (principal("ann"), principal("bob"));
    let other = StoredVerification {
        document: Some(ContentId::of(b"other")),
        ..verification("k2", "k", 2)
    };
    let put = |new| store.store_verifications(&ann, new).wait().expect("stored");
    put(vec![verification("k1", "k", 1), other]);
    put(vec![verification("k3", "k", 3)]);
    put(vec![verification("k1", "k", 4)]);
    let book = ContentId::of(b"book");
    let ids = |who, document| {
        let found = store.verifications_in(who, document).wait();
        let found = found.expect("a list").into_iter();
        let found = found.map(|one| (one.id, one.created.0));
        found.collect::<Vec<_>>()
    };
    let of_book = [("k1".to_owned(), 4), ("k3".to_owned(), 3)];
    assert_eq!(ids(&ann, book), of_book);
    assert_eq!(ids(&ann, ContentId::of(b"other")), [("k2".to_owned(), 2)]);
    assert!(ids(&bob, book).is_empty());
}
