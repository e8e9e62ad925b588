//! Rows of evidence, and the index of their ids.

use std::path::Path;

use documents::ContentId;
use rusqlite::Connection;
use store::{
    DocumentStore, EvidenceStore, LogBatch, RunStatus, SqliteStore, StoredRunEnd,
    StoredVerification, ThreadId, ThreadStore, Timestamp,
};

use crate::sqlite::{begin, local, open};

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
fn ids_are_found_before_and_after_indexing() {
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
    // The index is filled in the background, after a job.
    store.expire(Timestamp(0)).wait().expect("expired");
    store.expire(Timestamp(0)).wait().expect("expired");
    let names = "SELECT count(*) FROM evidence_names WHERE name NOT LIKE 'document:%'";
    let documents = "SELECT count(*) FROM evidence_names WHERE name LIKE 'document:%'";
    let left = "SELECT max(number) - (SELECT through FROM evidence_indexed) FROM evidence";
    // Rows enter the index 1,024 at a time.
    assert_eq!(number(directory.path(), names), 1_024);
    assert_eq!(number(directory.path(), documents), 1_024);
    assert_eq!(number(directory.path(), left), 76);
    looked(&store, 1_100);
    for thread in 1_000..1_100 {
        let thread = ThreadId::new(&format!("t{thread}")).expect("an id");
        assert_eq!(store.delete_thread(&local(), &thread).wait(), Ok(true));
    }
    assert_eq!(number(directory.path(), names), 1_000);
    assert_eq!(number(directory.path(), documents), 1_000);
    let cited = store.verifications_in(&local(), ContentId::of(b"book"));
    assert_eq!(cited.wait().expect("read").len(), 1_000);
    looked(&store, 1_000);
    // Numbers of deleted rows are not used again.
    let kept = store.store_verifications(&local(), vec![verification("k-new")]);
    kept.wait().expect("kept");
    let found = store.verification(&local(), "k-new").wait().expect("read");
    assert!(found.is_some());
}

#[test]
fn evidence_is_compressed() {
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
