//! The writer: background work, caches, isolation of jobs.

use store::{
    AttachmentId, Checkpoint, DocumentStore, EventQuery, LogBatch, NewAttachment, Ontology,
    OpenRun, PageRequest, RunStatus, SqliteStore, StoreError, StoredMessage, StoredRunEnd,
    ThingQuery, ThreadId, ThreadStore, Timestamp,
};

use crate::sqlite::{begin, local, new_run, open};

fn thread() -> ThreadId {
    ThreadId::new("t").expect("an id")
}

fn append(store: &SqliteStore, run: OpenRun, event: &str) -> Result<u64, StoreError> {
    let mut batch = LogBatch::new();
    batch.push(event.as_bytes());
    store.append(run, batch).wait()
}

fn end_with_messages(store: &SqliteStore, run: OpenRun, count: usize) {
    let messages = (0..count)
        .map(|number| StoredMessage {
            id: format!("m{number}"),
            role: if number % 2 == 0 { "user" } else { "assistant" }.to_owned(),
            json: format!(r#"{{"id":"m{number}"}}"#).into(),
        })
        .collect();
    let checkpoint = Checkpoint {
        through: 0,
        state: "{}".into(),
        record: None,
        messages,
    };
    let ended = store.end_run(
        run,
        StoredRunEnd::new(RunStatus::Finished, Timestamp(7), Some(checkpoint)),
    );
    ended.wait().expect("ended");
}

/// Submits jobs, each of which is followed by a step of background work, until a condition holds.
fn until(store: &SqliteStore, holds: impl Fn() -> bool) {
    for _ in 0..200 {
        store.expire(Timestamp(0)).wait().expect("expired");
        if holds() {
            return;
        }
    }
    panic!("the condition never holds");
}

fn things(store: &SqliteStore) -> usize {
    let query = ThingQuery {
        kind: Some("message".to_owned()),
        ..ThingQuery::default()
    };
    let things = store
        .things(&local(), &query, &PageRequest::first(1_000))
        .wait();
    things.expect("read").items.len()
}

#[test]
fn the_log_of_an_ended_run_is_merged() {
    let directory = tempfile::tempdir().expect("a directory");
    let store = open(directory.path());
    let run = begin(&store, "t", "r");
    let event = |number: u64| format!("{number} {}", "x".repeat((number % 90) as usize));
    for number in 1..=2_500 {
        assert_eq!(append(&store, run, &event(number)), Ok(number));
    }
    let other = rusqlite::Connection::open(directory.path().join("pincite.db")).expect("open");
    let rows = || -> i64 {
        let count = other.query_row("SELECT count(*) FROM log", [], |row| row.get(0));
        count.expect("counted")
    };
    assert_eq!(rows(), 2_500);
    let ended = store.end_run(
        run,
        StoredRunEnd::new(RunStatus::Finished, Timestamp(7), None),
    );
    ended.wait().expect("ended");
    until(&store, || rows() < 10);
    let next = begin(&store, "t", "s");
    assert_eq!(append(&store, next, &event(2_501)), Ok(2_501));
    for (after, limit) in [(0, 9_999), (0, 1), (1_234, 77), (2_499, 9), (2_500, 9)] {
        let events = store
            .events(&local(), &thread(), after, limit)
            .wait()
            .expect("read");
        let read: Vec<(u64, String)> = events
            .iter()
            .map(|(at, bytes)| (at, String::from_utf8_lossy(bytes).into_owned()))
            .collect();
        let last = (after + limit as u64).min(2_501);
        let wanted: Vec<(u64, String)> = (after + 1..=last).map(|at| (at, event(at))).collect();
        assert_eq!(read, wanted);
    }
    let problems = store.check(store::CheckDepth::Full).wait();
    assert_eq!(problems, Ok(Vec::new()));
}

#[test]
fn cached_attachments_follow_changes() {
    let directory = tempfile::tempdir().expect("a directory");
    let (store, other) = (open(directory.path()), open(directory.path()));
    let id = AttachmentId::new("a").expect("an id");
    let new = || NewAttachment {
        id: id.clone(),
        name: "a.txt".to_owned(),
        media_type: "text/plain".to_owned(),
        original: "words".into(),
        end_user: None,
        origin: None,
        created: Timestamp(1),
        expires: Some(Timestamp(100)),
    };
    let expires = |store: &SqliteStore, now: i64| {
        let found = store.attachment(&local(), &id, Timestamp(now)).wait();
        found.expect("read").map(|found| found.expires)
    };
    store.attach(&local(), new()).wait().expect("attached");
    // The second lookup is answered by the cache.
    for _ in 0..2 {
        assert_eq!(expires(&store, 50), Some(Some(Timestamp(100))));
        assert_eq!(expires(&store, 100), None);
    }
    let later = Some(Timestamp(200));
    let extended = store.extend(&local(), &id, later, Timestamp(50)).wait();
    extended.expect("extended");
    assert_eq!(expires(&store, 100), Some(later));
    // Changes by another connection are noticed when the next run begins.
    other.detach(&local(), &id).wait().expect("detached");
    begin(&store, "t", "r");
    assert_eq!(expires(&store, 50), None);
}

#[test]
fn writes_of_another_connection_are_noticed() {
    let directory = tempfile::tempdir().expect("a directory");
    let (store, other) = (open(directory.path()), open(directory.path()));
    let run = begin(&store, "t", "r");
    assert_eq!(append(&store, run, "a"), Ok(1));
    let same = other.unfinished_runs().wait().expect("read")[0].open;
    assert_eq!(append(&other, same, "b"), Ok(2));
    assert_eq!(append(&store, run, "c"), Ok(3));
    assert_eq!(append(&store, run, "d"), Ok(4));
    let ended = other.end_run(
        same,
        StoredRunEnd::new(RunStatus::Failed, Timestamp(3), None),
    );
    ended.wait().expect("ended");
    assert_eq!(append(&store, run, "e"), Err(StoreError::RunEnded));
    let events = store
        .events(&local(), &thread(), 0, 9)
        .wait()
        .expect("read");
    let texts: Vec<&[u8]> = events.iter().map(|(_, event)| event).collect();
    assert_eq!(texts, [b"a", b"b", b"c", b"d"]);
}

#[test]
fn runs_are_presented_to_other_connections() {
    let directory = tempfile::tempdir().expect("a directory");
    let ran = |store: &SqliteStore, run: &str, count: usize| {
        let open = begin(store, "t", run);
        end_with_messages(store, open, count);
    };
    {
        let store = open(directory.path());
        ran(&store, "r", 2);
        ran(&store, "s", 4);
    }
    let (store, beside) = (open(directory.path()), open(directory.path()));
    assert_eq!(things(&beside), 4);
    for round in 0..200 {
        ran(&store, &format!("more-{round}"), 4);
    }
    let happened = |store: &SqliteStore| {
        let query = EventQuery {
            kind: Some("agent_completed".to_owned()),
            ..EventQuery::default()
        };
        let listed = store.ontology_events(&local(), &query, &PageRequest::first(1_000));
        listed.wait().expect("read").items.len()
    };
    assert_eq!(happened(&beside), 202);
    assert_eq!(happened(&store), 202);
    ran(&store, "last", 3);
    let hidden = store.thing(&local(), &store::message_id("t", "m3")).wait();
    assert_eq!(hidden.expect("read").expect("there").status, "archived");
}

#[test]
fn a_refused_job_does_not_affect_others() {
    let directory = tempfile::tempdir().expect("a directory");
    let store = open(directory.path());
    let run = begin(&store, "t", "r");
    // The jobs wait together, so that some share a transaction.
    let events: Vec<_> = (0..50)
        .map(|number| {
            let mut batch = LogBatch::new();
            batch.push(format!("{number}").as_bytes());
            (
                store.append(run, batch),
                store.begin_run(&local(), new_run("t", &format!("other-{number}"))),
            )
        })
        .collect();
    for (number, (appended, refused)) in (1..).zip(events) {
        assert_eq!(appended.wait(), Ok(number));
        let busy = StoreError::ThreadBusy {
            run: "r".to_owned(),
        };
        assert_eq!(refused.wait(), Err(busy));
    }
    let events = store.events(&local(), &thread(), 0, 99).wait();
    assert_eq!(events.expect("read").iter().count(), 50);
}
