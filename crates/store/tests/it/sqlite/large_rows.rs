//! Large events that repeat each other, and the erasure of deleted content.

use std::fmt::Write as _;
use std::fs;
use std::path::Path;

use json::Json;
use store::{
    AccessStore, BeginRun, LogBatch, NewRun, RunStatus, SqliteStore, StoredRunEnd, ThreadId,
    ThreadStore, Timestamp,
};

use crate::sqlite::{begin, local, new_run, open};

/// Returns a snapshot event of a state with this number of items, of about 250 bytes each.
fn snapshot(items: u64) -> String {
    let mut event = String::from(r#"{"type":"STATE_SNAPSHOT","snapshot":{"summary":"#);
    let _ = write!(event, "{items}");
    for item in 0..items {
        let _ = write!(event, r#","k{item}":""#);
        let mut seed = item;
        for _ in 0..15 {
            seed = seed
                .wrapping_mul(6_364_136_223_846_793_005)
                .wrapping_add(item + 1);
            let _ = write!(event, "{seed:016x}");
        }
        event.push('"');
    }
    event.push_str("}}");
    event
}

fn end(store: &SqliteStore, run: store::OpenRun) {
    let end = StoredRunEnd::new(RunStatus::Finished, Timestamp(0), None);
    store.end_run(run, end).wait().expect("ended");
}

/// Returns the size of the database with its write-ahead log written into it.
fn database_size(directory: &Path) -> u64 {
    let file = directory.join("pincite.db");
    let other = rusqlite::Connection::open(&file).expect("open");
    other
        .query_row("PRAGMA wal_checkpoint(TRUNCATE)", [], |_| Ok(()))
        .expect("written");
    fs::metadata(&file).expect("a file").len()
}

#[test]
fn repeated_snapshots_grow_the_database_linearly() {
    let place = tempfile::tempdir().expect("a directory");
    let store = open(place.path());
    let mut sizes = Vec::new();
    let mut events = Vec::new();
    for turn in 1..=200u64 {
        let run = begin(&store, "t", &format!("r{turn}"));
        let event = snapshot(16 * turn);
        let mut batch = LogBatch::new();
        batch.push(b"{}");
        batch.push(event.as_bytes());
        store.append(run, batch).wait().expect("stored");
        events.push(event);
        end(&store, run);
        if turn % 100 == 0 {
            sizes.push(database_size(place.path()));
        }
    }
    // The last snapshot alone has 800 kB; all of them together have 80 MB.
    assert!(sizes[1] < 5_000_000, "{sizes:?}");
    assert!(sizes[1] < sizes[0] * 3, "{sizes:?}");
    let thread = ThreadId::new("t").expect("an id");
    for (turn, event) in [(1, &events[0]), (150, &events[149]), (200, &events[199])] {
        let page = store.events(&local(), &thread, 2 * turn - 1, 1).wait();
        let page = page.expect("read");
        let (sequence, read) = page.iter().next().expect("an event");
        assert_eq!((sequence, read), (2 * turn, event.as_bytes()));
    }
}

#[test]
fn inputs_with_a_repeated_state_grow_the_database_linearly() {
    let place = tempfile::tempdir().expect("a directory");
    let store = open(place.path());
    let input = |turn: u64| {
        let state = snapshot(16 * turn);
        format!(r#"{{"messages":[{{"id":"1"}}],"state":{state}}}"#)
    };
    for turn in 1..=100u64 {
        let new = NewRun {
            input: Json::parse(input(turn)).expect("JSON"),
            ..new_run("t", &format!("r{turn}"))
        };
        let begun = store.begin_run(&local(), new.clone()).wait();
        let Ok(BeginRun::New(run, _)) = begun else {
            panic!("{begun:?}");
        };
        let again = store.begin_run(&local(), new).wait();
        assert!(matches!(again, Ok(BeginRun::Known(_))), "{again:?}");
        end(&store, run);
    }
    let size = database_size(place.path());
    assert!(size < 2_500_000, "{size}");
    let thread = ThreadId::new("t").expect("an id");
    for turn in [1, 60, 100] {
        let run = store::RunId::new(&format!("r{turn}")).expect("an id");
        let read = store.input(&local(), &thread, &run).wait().expect("read");
        assert_eq!(read.as_deref(), Some(input(turn).as_bytes()));
    }
}

#[test]
fn nothing_of_a_deleted_principal_is_left_in_the_files() {
    let place = tempfile::tempdir().expect("a directory");
    let store = open(place.path());
    let secret = "Rosalind photographed fifty-one";
    for turn in 0..40 {
        let run = begin(&store, "t", &format!("r{turn}"));
        for _ in 0..10 {
            let mut batch = LogBatch::new();
            batch.push(secret.as_bytes());
            store.append(run, batch).wait().expect("stored");
        }
        end(&store, run);
    }
    let has_secret = || {
        let files = fs::read_dir(place.path()).expect("read").flatten();
        let mut files = files.filter(|entry| entry.path().is_file());
        files.any(|entry| {
            let bytes = fs::read(entry.path()).expect("read");
            bytes
                .windows(secret.len())
                .any(|part| part == secret.as_bytes())
        })
    };
    assert!(has_secret());
    assert_eq!(store.delete_principal(&local()).wait(), Ok(true));
    assert!(!has_secret());
}
