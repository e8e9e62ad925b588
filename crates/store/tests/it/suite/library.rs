//! The library: states, labels, versions, the job queue and vectors.

use documents::ContentId;
use store::{
    DerivedIndex, DocumentChange, KnowledgeQuery, LibraryEntry, LibraryJob, LibraryJobUpdate,
    LibraryState, NewAttachment, PageRequest, Principal, RequeueScope, Store, Timestamp,
};

use crate::suite::{attachment, file, for_each_store, principal};

const NOW: Timestamp = Timestamp(1_000);

for_each_store!(
    attached_documents_are_queued_and_finished,
    results_for_an_earlier_change_are_ignored,
    unfinished_jobs_continue_after_a_restart,
    principals_take_turns_in_the_queue,
    a_newer_version_replaces_the_earlier_one,
    removed_documents_leave_the_index,
    labels_and_titles_belong_to_the_principal,
    labels_are_knowledge_of_the_ontology,
    bad_labels_are_refused,
    deleted_principals_leave_the_index,
    failed_documents_are_queued_by_attaching_them_again,
    one_document_is_queued_again,
    vectors_belong_to_one_model,
);

fn attach(store: &dyn Store, who: &Principal, id: &str, bytes: &'static str) -> ContentId {
    let attached = store.attach(who, file(id, bytes, 1)).wait();
    attached
        .expect("the file is attached")
        .attachment
        .document
        .id
}

fn entry(store: &dyn Store, who: &Principal, document: ContentId) -> Option<LibraryEntry> {
    let entries = store.library_entries(who, &[document], NOW).wait();
    entries.expect("entries").pop()
}

fn claim(store: &dyn Store, limit: usize) -> Vec<LibraryJob> {
    store.claim_library_jobs(limit).wait().expect("jobs")
}

fn update(store: &dyn Store, job: &LibraryJob, update: LibraryJobUpdate) {
    let updates = vec![(job.clone(), update)];
    store.update_library_jobs(updates).wait().expect("stored");
}

fn attached_documents_are_queued_and_finished(store: &dyn Store) {
    let who = principal("a");
    let document = attach(store, &who, "one", "text");
    let queued = entry(store, &who, document).expect("an entry");
    assert_eq!(queued.state, LibraryState::Queued);
    assert_eq!(queued.attachment, Some(attachment("one")));
    let jobs = claim(store, 9);
    assert_eq!(jobs.len(), 1);
    assert_eq!((jobs[0].document, jobs[0].attempts), (document, 1));
    assert!(claim(store, 9).is_empty());
    update(store, &jobs[0], LibraryJobUpdate::Reading { pages: 2 });
    let reading = entry(store, &who, document).expect("an entry");
    assert_eq!(
        (reading.state, reading.pages_done),
        (LibraryState::Reading, 2)
    );
    assert!(reading.changed > queued.changed);
    update(store, &jobs[0], LibraryJobUpdate::Indexed { chunks: 7 });
    assert_eq!(
        entry(store, &who, document).map(|entry| entry.state),
        Some(LibraryState::Ready)
    );
    let counts = store.library_counts().wait().expect("counts");
    assert_eq!((counts.open, counts.ready, counts.chunks), (0, 1, 7));
    assert!(entry(store, &principal("b"), document).is_none());
    let changes = store.library_changes(&who, reading.changed, 9, NOW).wait();
    assert_eq!(changes.expect("changes").len(), 1);
    let others = store.library_changes(&principal("b"), 0, 9, NOW).wait();
    assert_eq!(others, Ok(vec![]));
}

fn results_for_an_earlier_change_are_ignored(store: &dyn Store) {
    let who = principal("a");
    let document = attach(store, &who, "one", "text");
    let first = claim(store, 1).remove(0);
    attach(store, &who, "two", "text");
    update(store, &first, LibraryJobUpdate::Indexed { chunks: 1 });
    assert_eq!(
        entry(store, &who, document).map(|entry| entry.state),
        Some(LibraryState::Queued)
    );
    let second = claim(store, 1).remove(0);
    assert!(second.revision > first.revision);
    let retry = LibraryJobUpdate::Retry {
        reason: "the disk is full".to_owned(),
        hint: "free space".to_owned(),
    };
    update(store, &second, retry);
    let waiting = entry(store, &who, document).expect("an entry");
    assert_eq!(waiting.state, LibraryState::Queued);
    assert_eq!(waiting.reason.as_deref(), Some("the disk is full"));
    assert_eq!(claim(store, 1)[0].attempts, 2);
}

fn unfinished_jobs_continue_after_a_restart(store: &dyn Store) {
    let who = principal("a");
    let ready = attach(store, &who, "one", "1");
    let job = claim(store, 1).remove(0);
    update(store, &job, LibraryJobUpdate::Indexed { chunks: 1 });
    attach(store, &who, "two", "2");
    let left = claim(store, 1).remove(0);
    update(store, &left, LibraryJobUpdate::Indexing);
    assert_eq!(
        store.requeue_library(RequeueScope::Unfinished).wait(),
        Ok(1)
    );
    let again = claim(store, 9);
    assert_eq!(again.len(), 1);
    assert_eq!((again[0].document, again[0].attempts), (left.document, 2));
    assert_eq!(store.requeue_library(RequeueScope::All).wait(), Ok(2));
    assert_eq!(
        entry(store, &who, ready).map(|entry| entry.state),
        Some(LibraryState::Queued)
    );
}

fn principals_take_turns_in_the_queue(store: &dyn Store) {
    let (busy, other) = (principal("busy"), principal("other"));
    for (id, bytes) in [("1", "1"), ("2", "2"), ("3", "3"), ("4", "4")] {
        attach(store, &busy, id, bytes);
    }
    attach(store, &other, "5", "5");
    let owners: Vec<String> = claim(store, 2)
        .iter()
        .map(|job| job.principal.to_string())
        .collect();
    assert_eq!(owners, ["busy", "other"]);
    assert_eq!(claim(store, 9).len(), 3);
}

fn a_newer_version_replaces_the_earlier_one(store: &dyn Store) {
    let who = principal("a");
    let version = |id: &str, bytes: &'static str, created| NewAttachment {
        origin: Some("/papers/a.txt".to_owned()),
        ..file(id, bytes, created)
    };
    let attach = |new| {
        let attached = store.attach(&who, new).wait().expect("attached");
        attached.attachment.document.id
    };
    let first = attach(version("v1", "old", 1));
    let second = attach(version("v2", "new", 2));
    let is_superseded = |id| entry(store, &who, id).map(|entry| entry.is_superseded);
    assert_eq!(is_superseded(first), Some(true));
    assert_eq!(is_superseded(second), Some(false));
    let queued = claim(store, 9);
    assert!(queued.iter().any(|job| job.document == first));
    // The file has its old content again.
    attach(version("v1", "old", 3));
    assert_eq!(is_superseded(first), Some(false));
    assert_eq!(is_superseded(second), Some(true));
    assert_eq!(claim(store, 9).len(), 2);
}

fn removed_documents_leave_the_index(store: &dyn Store) {
    let who = principal("a");
    let document = attach(store, &who, "one", "text");
    let job = claim(store, 1).remove(0);
    update(store, &job, LibraryJobUpdate::Indexed { chunks: 1 });
    let before = store.last_library_change().wait().expect("a number");
    assert_eq!(store.detach(&who, &attachment("one")).wait(), Ok(true));
    assert!(entry(store, &who, document).is_none());
    let job = claim(store, 1).remove(0);
    assert_eq!(job.document, document);
    update(store, &job, LibraryJobUpdate::Removed);
    let changes = store
        .library_changes(&who, before, 9, NOW)
        .wait()
        .expect("changes");
    assert_eq!(changes.len(), 1);
    assert_eq!(
        (changes[0].state, &changes[0].attachment),
        (LibraryState::Removed, &None)
    );
    assert_eq!(store.requeue_library(RequeueScope::All).wait(), Ok(0));
    assert_eq!(store.library_changes(&who, 0, 9, NOW).wait(), Ok(vec![]));
}

fn labels_and_titles_belong_to_the_principal(store: &dyn Store) {
    let (who, other) = (principal("a"), principal("b"));
    let document = attach(store, &who, "one", "text");
    attach(store, &other, "one", "text");
    let change = DocumentChange {
        title: Some(Some("My title".to_owned())),
        labels: Some(vec!["tides".to_owned(), " harbour ".to_owned()]),
        added_labels: vec!["tides".to_owned()],
    };
    assert_eq!(
        store.change_document(&who, document, change).wait(),
        Ok(true)
    );
    let changed = entry(store, &who, document).expect("an entry");
    assert_eq!(changed.labels, ["harbour", "tides"]);
    assert_eq!(changed.title.as_deref(), Some("My title"));
    let theirs = entry(store, &other, document).expect("an entry");
    assert!(theirs.labels.is_empty() && theirs.title.is_none());
    let counted = vec![("harbour".to_owned(), 1), ("tides".to_owned(), 1)];
    assert_eq!(store.labels(&who).wait(), Ok(counted));
    assert_eq!(store.labels(&other).wait(), Ok(vec![]));
    let more = DocumentChange {
        added_labels: vec!["sea".to_owned()],
        title: Some(None),
        ..DocumentChange::default()
    };
    assert_eq!(store.change_document(&who, document, more).wait(), Ok(true));
    let changed = entry(store, &who, document).expect("an entry");
    assert_eq!(changed.labels, ["harbour", "sea", "tides"]);
    assert_eq!(changed.title, None);
    let unknown = ContentId::of(b"unknown");
    let nothing = DocumentChange::default();
    assert_eq!(
        store.change_document(&who, unknown, nothing).wait(),
        Ok(false)
    );
}

fn labels_are_knowledge_of_the_ontology(store: &dyn Store) {
    let who = principal("a");
    let document = attach(store, &who, "one", "text");
    let labelled = |labels: &[&str]| {
        let change = DocumentChange {
            labels: Some(labels.iter().map(|label| (*label).to_owned()).collect()),
            ..DocumentChange::default()
        };
        let changed = store.change_document(&who, document, change).wait();
        assert_eq!(changed, Ok(true));
        linked(store, &who, document)
    };
    assert_eq!(labelled(&["sea", "law"]), ["law", "sea"]);
    assert_eq!(labelled(&["sea"]), ["sea"]);
    let other = attach(store, &principal("b"), "two", "text");
    assert_eq!(linked(store, &principal("b"), other), Vec::<String>::new());
    let detached = store.detach(&who, &attachment("one")).wait();
    assert_eq!(detached, Ok(true));
    assert_eq!(linked(store, &who, document), Vec::<String>::new());
}

/// Returns the labels that the ontology links to a document.
fn linked(store: &dyn Store, who: &Principal, document: ContentId) -> Vec<String> {
    let query = KnowledgeQuery {
        kind: Some("label".to_owned()),
        thing: Some(store::document_id(document)),
        ..KnowledgeQuery::default()
    };
    let found = store.knowledge(who, &query, &PageRequest::first(9)).wait();
    let mut labels: Vec<String> = found
        .expect("knowledge")
        .items
        .into_iter()
        .filter_map(|knowledge| knowledge.text)
        .collect();
    labels.sort();
    labels
}

fn bad_labels_are_refused(store: &dyn Store) {
    let who = principal("a");
    let document = attach(store, &who, "one", "text");
    let many = (0..65).map(|number| number.to_string()).collect();
    for labels in [
        vec![String::new()],
        vec!["a\nb".to_owned()],
        vec!["x".repeat(129)],
        many,
    ] {
        let change = DocumentChange {
            labels: Some(labels),
            ..DocumentChange::default()
        };
        assert!(
            store
                .change_document(&who, document, change)
                .wait()
                .is_err()
        );
    }
}

fn deleted_principals_leave_the_index(store: &dyn Store) {
    let who = principal("a");
    let document = attach(store, &who, "one", "text");
    let labels = DocumentChange {
        labels: Some(vec!["secret".to_owned()]),
        ..DocumentChange::default()
    };
    store
        .change_document(&who, document, labels)
        .wait()
        .expect("changed");
    claim(store, 9);
    assert_eq!(store.delete_principal(&who).wait(), Ok(true));
    let jobs = claim(store, 9);
    assert_eq!(jobs.len(), 1);
    assert!(entry(store, &who, document).is_none());
    assert_eq!(store.labels(&who).wait(), Ok(vec![]));
}

fn failed_documents_are_queued_by_attaching_them_again(store: &dyn Store) {
    let who = principal("a");
    let document = attach(store, &who, "one", "text");
    let job = claim(store, 1).remove(0);
    let failed = LibraryJobUpdate::Failed {
        reason: "it is encrypted".to_owned(),
        hint: "remove the password".to_owned(),
    };
    update(store, &job, failed);
    let entry_now = entry(store, &who, document).expect("an entry");
    assert_eq!(entry_now.state, LibraryState::Failed);
    assert_eq!(entry_now.hint.as_deref(), Some("remove the password"));
    assert_eq!(
        store.library_counts().wait().map(|counts| counts.failed),
        Ok(1)
    );
    attach(store, &who, "one", "text");
    let again = claim(store, 1);
    assert_eq!(again.len(), 1);
    update(store, &again[0], LibraryJobUpdate::Indexed { chunks: 1 });
    attach(store, &who, "one", "text");
    assert!(claim(store, 1).is_empty(), "nothing changed");
}

fn vectors_belong_to_one_model(store: &dyn Store) {
    let model = |name: &str| Some((name.to_owned(), 2));
    let set = |name: &str| store.set_vector_model(model(name)).wait().expect("stored");
    set("m");
    store
        .set_search_index(Some("i".to_owned()))
        .wait()
        .expect("stored");
    let expected = DerivedIndex {
        id: Some("i".to_owned()),
        model: model("m"),
    };
    assert_eq!(store.derived_index().wait(), Ok(expected));
    let vectors = vec![(1, vec![1, 2].into()), (u64::MAX, vec![3, 4].into())];
    store.store_vectors(vectors).wait().expect("stored");
    let first = store.vectors(None, 1).wait().expect("vectors");
    let second = store.vectors(Some(first[0].0), 9).wait().expect("vectors");
    assert_eq!((first.len(), second.len()), (1, 1));
    store.remove_vectors(vec![1]).wait().expect("removed");
    assert_eq!(store.vectors(None, 9).wait().expect("vectors").len(), 1);
    set("m");
    store.set_search_index(None).wait().expect("stored");
    assert_eq!(store.vectors(None, 9).wait().expect("vectors").len(), 1);
    set("other");
    assert_eq!(store.vectors(None, 9).wait(), Ok(vec![]));
}

fn one_document_is_queued_again(store: &dyn Store) {
    let who = principal("a");
    let (one, other) = (
        attach(store, &who, "one", "text"),
        attach(store, &who, "other", "more"),
    );
    for job in claim(store, 9) {
        update(store, &job, LibraryJobUpdate::Indexed { chunks: 1 });
    }
    assert_eq!(store.requeue_document(&who, one).wait(), Ok(true));
    let jobs = claim(store, 9);
    assert_eq!(jobs.len(), 1);
    assert_eq!((jobs[0].document, jobs[0].attempts), (one, 1));
    let state = |document| entry(store, &who, document).expect("an entry").state;
    assert_eq!(state(one), LibraryState::Reading);
    assert_eq!(state(other), LibraryState::Ready);
    assert_eq!(
        store.requeue_document(&principal("b"), one).wait(),
        Ok(false)
    );
}
