//! Tests that every implementation of the store passes.

mod access;
mod agreement;
mod catalogue;
mod checkpoints;
mod conversation_records;
mod documents;
mod evidence;
mod library;
mod live_queries;
mod ontology;
mod ontology_lists;
mod ontology_records;
mod threads;
mod upstreams;

use json::Json;
use store::{
    AttachmentId, BeginRun, LogBatch, NewAttachment, NewRun, OpenOptions, OpenRun, Principal,
    RunId, SqliteStore, Store, ThreadId, Timestamp,
};

/// Declares a test for each case and each implementation.
macro_rules! for_each_store {
    ($($case:ident),* $(,)?) => {
        mod memory {
            $(#[test] fn $case() { super::$case(&store::MemoryStore::new()); })*
        }
        mod sqlite {
            $(#[test] fn $case() { $crate::suite::with_sqlite(|store| super::$case(store)); })*
        }
    };
}
pub(crate) use for_each_store;

/// Runs a case with a store in a temporary directory.
pub(crate) fn with_sqlite(case: impl FnOnce(&SqliteStore)) {
    let directory = tempfile::tempdir().expect("a directory");
    let options = OpenOptions::new(directory.path()).server("test");
    let store = SqliteStore::open(&options).expect("a new store");
    case(&store);
}

pub(crate) fn principal(id: &str) -> Principal {
    Principal::new(id).expect("a principal")
}

pub(crate) fn thread(id: &str) -> ThreadId {
    ThreadId::new(id).expect("a thread id")
}

pub(crate) fn run(id: &str) -> RunId {
    RunId::new(id).expect("a run id")
}

pub(crate) fn attachment(id: &str) -> AttachmentId {
    AttachmentId::new(id).expect("an attachment id")
}

pub(crate) fn file(id: &str, bytes: &'static str, created: i64) -> NewAttachment {
    NewAttachment {
        id: attachment(id),
        name: format!("{id}.txt"),
        media_type: "text/plain".to_owned(),
        original: bytes.into(),
        end_user: None,
        origin: None,
        created: Timestamp(created),
        expires: None,
    }
}

pub(crate) fn new_run(thread_id: &str, run_id: &str, input: &str, started: i64) -> NewRun {
    NewRun {
        thread: thread(thread_id),
        run: run(run_id),
        agent: "demo".to_owned(),
        parent: None,
        input: Json::parse(input).expect("JSON"),
        started: Timestamp(started),
    }
}

/// Begins a new run.
pub(crate) fn begin(store: &dyn Store, principal: &Principal, run: NewRun) -> OpenRun {
    match store.begin_run(principal, run).wait() {
        Ok(BeginRun::New(open, _)) => open,
        other => panic!("{other:?}"),
    }
}

pub(crate) fn batch(events: &[&str]) -> LogBatch {
    let mut batch = LogBatch::new();
    for event in events {
        batch.push(event.as_bytes());
    }
    batch
}
