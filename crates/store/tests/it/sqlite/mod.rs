//! Tests of the implementation in SQLite.

mod backup;
mod evidence_rows;
mod failures;
mod large_rows;
mod ontology_schema;
mod processes;
mod writer;

use std::path::Path;

use json::Json;
use store::{
    BeginRun, NewRun, OpenOptions, OpenRun, Principal, RunId, SqliteStore, ThreadId, ThreadStore,
    Timestamp,
};

pub(crate) fn open(directory: &Path) -> SqliteStore {
    SqliteStore::open(&OpenOptions::new(directory)).expect("a store")
}

pub(crate) fn local() -> Principal {
    Principal::local()
}

pub(crate) fn new_run(thread: &str, run: &str) -> NewRun {
    NewRun {
        thread: ThreadId::new(thread).expect("an id"),
        run: RunId::new(run).expect("an id"),
        agent: "demo".to_owned(),
        parent: None,
        input: Json::parse("{}").expect("JSON"),
        started: Timestamp(0),
    }
}

/// Begins a run.
pub(crate) fn begin(store: &SqliteStore, thread: &str, run: &str) -> OpenRun {
    match store.begin_run(&local(), new_run(thread, run)).wait() {
        Ok(BeginRun::New(open, _)) => open,
        other => panic!("{other:?}"),
    }
}
