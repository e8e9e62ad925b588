//! How SQLite keeps evidence: rows of many, an index that follows, and what older schemas had.

mod common;

use std::path::Path;

use documents::ContentId;
use rusqlite::{Connection, params};
use store::{
    EvidenceStore, LogBatch, Ontology, PageRequest, RunStatus, SqliteStore, StoredRunEnd,
    StoredVerification, ThingQuery, ThreadId, ThreadStore, Timestamp,
};

use common::{begin, local, open};

fn verification(id: &str) -> StoredVerification {
    StoredVerification {
        id: id.to_owned(),
        key: "k".to_owned(),
        thread: None,
        message: Some("m".to_owned()),
        document: Some(ContentId::of(b"book")),
        citation: r#"{"fullPhrase":"x"}"#.into(),
        verification: r#"{"status":"found"}"#.into(),
        created: Timestamp(5),
    }
}

fn number(directory: &Path, sql: &str) -> i64 {
    let database = Connection::open(directory.join("pincite.db")).expect("open");
    let number = database.query_row(sql, [], |row| row.get(0));
    number.expect("a number")
}

#[test]
fn names_are_found_before_and_after_they_are_in_the_index_and_leave_it_with_their_thread() {
    let directory = tempfile::tempdir().expect("a directory");
    let store = open(directory.path());
    let mut runs = Vec::new();
    let looked = |store: &SqliteStore, ids: usize| {
        for number in 0..ids {
            let id = format!("k{number}");
            let found = store.verification(&local(), &id).wait().expect("read");
            assert_eq!(found.map(|found| found.id), Some(id));
        }
    };
    for number in 0..1_100 {
        let run = begin(&store, &format!("t{number}"), "r");
        let made = vec![verification(&format!("k{number}"))];
        let end = StoredRunEnd {
            last: LogBatch::new().with_verifications(made),
            ..StoredRunEnd::new(RunStatus::Finished, Timestamp(2), None)
        };
        runs.push(store.end_run(run, end));
    }
    for run in runs {
        run.wait().expect("ended");
    }
    looked(&store, 1_100);
    // Whoever reads the ontology has everything worked off that is due.
    let things = store.things(&local(), &ThingQuery::default(), &PageRequest::first(1));
    things.wait().expect("read");
    let names = "SELECT count(*) FROM evidence_names";
    let left = "SELECT max(number) - (SELECT through FROM evidence_indexed) FROM evidence";
    // Entered are as many as pay off.
    assert_eq!(number(directory.path(), names), 1_024);
    assert_eq!(number(directory.path(), left), 76);
    looked(&store, 1_100);
    for thread in 1_000..1_100 {
        let thread = ThreadId::new(&format!("t{thread}")).expect("an id");
        assert_eq!(store.delete_thread(&local(), &thread).wait(), Ok(true));
    }
    assert_eq!(number(directory.path(), names), 1_000);
    looked(&store, 1_000);
    // What comes after the last ones are gone is not taken for what was there.
    let kept = store.store_verifications(&local(), vec![verification("k-new")]);
    kept.wait().expect("kept");
    let found = store.verification(&local(), "k-new").wait().expect("read");
    assert!(found.is_some());
}

#[test]
fn evidence_takes_little_room() {
    let directory = tempfile::tempdir().expect("a directory");
    let store = open(directory.path());
    let made = (0..10).map(|number| StoredVerification {
        verification: format!("{{\"note\":\"{}\"}}", "what it says ".repeat(150)).into(),
        ..verification(&format!("k{number}"))
    });
    let kept = store.store_verifications(&local(), made.collect());
    kept.wait().expect("kept");
    let bytes = number(directory.path(), "SELECT sum(length(items)) FROM evidence");
    assert!(bytes < 2_000, "{bytes} bytes");
}

#[test]
fn verifications_of_older_schemas_are_found_by_id_and_by_key() {
    let directory = tempfile::tempdir().expect("a directory");
    let old = Connection::open(directory.path().join("pincite.db")).expect("open");
    for step in [
        include_str!("../src/sqlite/schema/1.sql"),
        include_str!("../src/sqlite/schema/2.sql"),
    ] {
        old.execute_batch(step).expect("a schema");
    }
    let document = ContentId::of(b"book").to_string();
    old.execute_batch(
        "PRAGMA user_version = 2;
         INSERT INTO principals VALUES (1, 'local');
         INSERT INTO threads (number, principal, id, agent, created, updated)
         VALUES (1, 1, 't', 'demo', 5, 6);",
    )
    .expect("a thread");
    let insert = "INSERT INTO verifications VALUES (?1, ?2, 1, 'k', ?3, ?4, ?5, ?6, ?7, ?8)";
    let (nothing, found) = (b"{}".as_slice(), br#"{"a":1}"#.as_slice());
    old.execute(
        insert,
        params![1, "old", 1, "m", document, nothing, found, 7],
    )
    .expect("a verification in a thread");
    let none: Option<&str> = None;
    old.execute(
        insert,
        params![2, "other", none, none, none, nothing, nothing, 8],
    )
    .expect("a verification in none");
    drop(old);
    let store = open(directory.path());
    let first = StoredVerification {
        id: "old".to_owned(),
        thread: Some(ThreadId::new("t").expect("an id")),
        citation: "{}".into(),
        verification: r#"{"a":1}"#.into(),
        created: Timestamp(7),
        ..verification("")
    };
    let found = store.verification(&local(), "old").wait();
    assert_eq!(found, Ok(Some(first.clone())));
    let of_key = store.verifications(&local(), "k").wait().expect("read");
    let ids: Vec<&str> = of_key.iter().map(|one| one.id.as_str()).collect();
    assert_eq!(ids, ["other", "old"]);
    assert_eq!(of_key[1], first);
    let thread = ThreadId::new("t").expect("an id");
    assert_eq!(store.delete_thread(&local(), &thread).wait(), Ok(true));
    assert_eq!(store.verification(&local(), "old").wait(), Ok(None));
    let stays = store.verification(&local(), "other").wait();
    assert!(stays.expect("read").is_some());
}
