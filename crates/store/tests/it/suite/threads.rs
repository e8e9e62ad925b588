//! Threads, runs and the log.

use bytes::Bytes;
use store::{
    BeginRun, LogBatch, NewRun, PageRequest, RunStatus, Store, StoreError, StoredRunEnd, Thread,
    ThreadChange, Timestamp,
};

use crate::suite::{batch, begin, for_each_store, new_run, principal, run, thread};

for_each_store![
    events_are_numbered_without_gaps,
    events_are_read_from_any_sequence,
    one_run_is_open_at_a_time,
    beginning_a_run_again_returns_the_stored_run,
    inputs_are_read_back,
    an_ended_run_accepts_no_events,
    the_end_of_a_run_stores_its_last_events,
    unfinished_runs_are_found,
    threads_are_listed_changed_and_deleted,
    threads_of_other_principals_are_invisible,
];

const INPUT: &str = r#"{"messages":[]}"#;

fn numbered(store: &dyn Store, after: u64, limit: usize) -> Vec<(u64, String)> {
    let events = store
        .events(&principal("ann"), &thread("t"), after, limit)
        .wait();
    let text = |(at, bytes): (u64, &[u8])| (at, String::from_utf8_lossy(bytes).into_owned());
    events.expect("read").iter().map(text).collect()
}

fn events_are_numbered_without_gaps(store: &dyn Store) {
    let ann = principal("ann");
    let open = begin(store, &ann, new_run("t", "r", INPUT, 1));
    assert_eq!(open.after, 0);
    assert_eq!(store.append(open, batch(&["a", "b"])).wait(), Ok(1));
    assert_eq!(store.append(open, batch(&["c"])).wait(), Ok(3));
    // Every thread has its own sequence.
    let other = begin(store, &ann, new_run("u", "r", INPUT, 1));
    assert_eq!(store.append(other, batch(&["x"])).wait(), Ok(1));
    assert_eq!(store.append(open, batch(&["d"])).wait(), Ok(4));
    let ended = store.end_run(
        open,
        StoredRunEnd::new(RunStatus::Finished, Timestamp(9), None),
    );
    assert_eq!(ended.wait(), Ok(()));
    let next = begin(store, &ann, new_run("t", "r2", INPUT, 10));
    assert_eq!(next.after, 4);
    assert_eq!(store.append(next, batch(&["e"])).wait(), Ok(5));
    let texts: Vec<String> = numbered(store, 0, 100)
        .into_iter()
        .map(|(_, text)| text)
        .collect();
    assert_eq!(texts, ["a", "b", "c", "d", "e"]);
    let first = store.run(&ann, &thread("t"), &run("r")).wait();
    let first = first.expect("read").expect("there");
    assert_eq!((first.after, first.last), (0, Some(4)));
    assert_eq!(first.status, RunStatus::Finished);
    assert_eq!(first.ended, Some(Timestamp(9)));
    assert!(matches!(
        store.append(next, LogBatch::new()).wait(),
        Err(StoreError::Invalid { .. })
    ));
}

fn events_are_read_from_any_sequence(store: &dyn Store) {
    let ann = principal("ann");
    let open = begin(store, &ann, new_run("t", "r", INPUT, 1));
    let mut wanted = Vec::new();
    for size in [1, 3, 1, 5, 2] {
        let mut batch = LogBatch::new();
        for _ in 0..size {
            let event = format!("event {}", wanted.len() + 1);
            batch.push(event.as_bytes());
            wanted.push((wanted.len() as u64 + 1, event));
        }
        store.append(open, batch).wait().expect("stored");
    }
    for after in 0..14 {
        for limit in 1..14 {
            let expected: Vec<_> = wanted.iter().skip(after).take(limit).cloned().collect();
            assert_eq!(
                numbered(store, after as u64, limit),
                expected,
                "{after} {limit}"
            );
        }
    }
    let page = store.events(&ann, &thread("t"), 3, 2).wait().expect("read");
    assert_eq!((page.next(), page.last), (Some(5), 12));
    let page = store.events(&ann, &thread("t"), 3, 9).wait().expect("read");
    assert_eq!(page.next(), None);
    assert!(numbered(store, u64::MAX, 5).is_empty());
}

fn one_run_is_open_at_a_time(store: &dyn Store) {
    let ann = principal("ann");
    let open = begin(store, &ann, new_run("t", "r", INPUT, 1));
    let busy = store.begin_run(&ann, new_run("t", "s", INPUT, 2)).wait();
    assert_eq!(
        busy,
        Err(StoreError::ThreadBusy {
            run: "r".to_owned()
        })
    );
    let ended = store.end_run(
        open,
        StoredRunEnd::new(RunStatus::Cancelled, Timestamp(3), None),
    );
    assert_eq!(ended.wait(), Ok(()));
    begin(store, &ann, new_run("t", "s", INPUT, 4));
}

fn beginning_a_run_again_returns_the_stored_run(store: &dyn Store) {
    let ann = principal("ann");
    let input = r#"{"messages":[{"id":"1","content":"Hi"}],"state":{"a":1,"b":2}}"#;
    let open = begin(store, &ann, new_run("t", "r", input, 1));
    let known = |input| match store.begin_run(&ann, new_run("t", "r", input, 5)).wait() {
        Ok(BeginRun::Known(run)) => run.status,
        other => panic!("{other:?}"),
    };
    assert_eq!(known(input), RunStatus::Open);
    // The same JSON value, written in another way.
    let spelled = r#"{"state":{"b":2,"a":1.0}, "messages":[{"content":"Hi","id":"1"}]}"#;
    assert_eq!(known(spelled), RunStatus::Open);
    let ended = store.end_run(
        open,
        StoredRunEnd::new(RunStatus::Failed, Timestamp(3), None),
    );
    assert_eq!(ended.wait(), Ok(()));
    assert_eq!(known(input), RunStatus::Failed);
    for other in [
        r#"{"messages":[{"id":"1","content":"Ho"}],"state":{"a":1,"b":2}}"#,
        r#"{"messages":[{"id":"1","content":"Hi"}],"state":{"a":1,"b":3}}"#,
        r#"{"messages":[],"state":{"a":1,"b":2}}"#,
    ] {
        let begun = store.begin_run(&ann, new_run("t", "r", other, 5)).wait();
        assert!(
            matches!(begun, Err(StoreError::Conflict { what: "run", .. })),
            "{begun:?}"
        );
    }
}

/// Clients send the whole conversation with every run, and may omit or change messages.
fn inputs_are_read_back(store: &dyn Store) {
    let ann = principal("ann");
    let conversations: &[&[u32]] = &[
        &[1],
        &[1, 2, 3],
        &[1, 2, 3, 4, 5],
        &[1, 2],
        &[1, 2, 6],
        &[],
        &[7, 8],
        &[7, 8, 9, 10],
        &[8, 9, 10],
        &[7, 8, 9, 10, 11],
    ];
    let input = |numbers: &[u32]| {
        let message = |number: &u32| format!(r#"{{"id":"{number}","role":"user"}}"#);
        let messages: Vec<String> = numbers.iter().map(message).collect();
        format!(
            r#"{{"runId":"r","messages":[{}],"tools":[]}}"#,
            messages.join(",")
        )
    };
    for (at, numbers) in conversations.iter().enumerate() {
        let new = new_run("t", &format!("r{at}"), &input(numbers), 1);
        let open = begin(store, &ann, new);
        let ended = store.end_run(
            open,
            StoredRunEnd::new(RunStatus::Finished, Timestamp(3), None),
        );
        assert_eq!(ended.wait(), Ok(()));
    }
    for (at, numbers) in conversations.iter().enumerate() {
        let stored = store
            .input(&ann, &thread("t"), &run(&format!("r{at}")))
            .wait();
        assert_eq!(stored, Ok(Some(Bytes::from(input(numbers)))));
    }
    let none = store.input(&ann, &thread("t"), &run("other")).wait();
    assert_eq!(none, Ok(None));
}

fn an_ended_run_accepts_no_events(store: &dyn Store) {
    let ann = principal("ann");
    let open = begin(store, &ann, new_run("t", "r", INPUT, 1));
    let stays = store.end_run(open, StoredRunEnd::new(RunStatus::Open, Timestamp(3), None));
    assert!(matches!(stays.wait(), Err(StoreError::Invalid { .. })));
    let ended = store.end_run(
        open,
        StoredRunEnd::new(RunStatus::Finished, Timestamp(3), None),
    );
    assert_eq!(ended.wait(), Ok(()));
    assert_eq!(
        store.append(open, batch(&["a"])).wait(),
        Err(StoreError::RunEnded)
    );
    for last in [batch(&["a"]), LogBatch::new()] {
        let again = StoredRunEnd {
            last,
            ..StoredRunEnd::new(RunStatus::Failed, Timestamp(4), None)
        };
        let again = store.end_run(open, again);
        assert_eq!(again.wait(), Err(StoreError::RunEnded));
    }
    let next = begin(store, &ann, new_run("t", "s", INPUT, 5));
    assert_eq!(
        store.append(open, batch(&["a"])).wait(),
        Err(StoreError::RunEnded)
    );
    assert_eq!(store.delete_thread(&ann, &thread("t")).wait(), Ok(true));
    let gone = Err(StoreError::NotFound { what: "the run" });
    assert_eq!(store.append(next, batch(&["a"])).wait(), gone);
    // The id can be used again; the handle of the old run stays invalid.
    begin(store, &ann, new_run("t", "s", INPUT, 5));
    assert_eq!(store.append(next, batch(&["a"])).wait(), gone);
}

fn the_end_of_a_run_stores_its_last_events(store: &dyn Store) {
    let ann = principal("ann");
    let open = begin(store, &ann, new_run("t", "r", INPUT, 1));
    assert_eq!(store.append(open, batch(&["a"])).wait(), Ok(1));
    let end = StoredRunEnd {
        last: batch(&["b", "c"]),
        ..StoredRunEnd::new(RunStatus::Finished, Timestamp(3), None)
    };
    assert_eq!(store.end_run(open, end).wait(), Ok(()));
    let run = store.run(&ann, &thread("t"), &run("r")).wait();
    let run = run.expect("read").expect("there");
    assert_eq!((run.status, run.last), (RunStatus::Finished, Some(3)));
    let events = store.events(&ann, &thread("t"), 0, 9).wait().expect("read");
    let events: Vec<(u64, Vec<u8>)> = events.iter().map(|(at, e)| (at, e.to_vec())).collect();
    let said = |at: u64, event: &str| (at, event.as_bytes().to_vec());
    assert_eq!(events, [said(1, "a"), said(2, "b"), said(3, "c")]);
}

fn unfinished_runs_are_found(store: &dyn Store) {
    let (ann, bob) = (principal("ann"), principal("bob"));
    let first = begin(store, &ann, new_run("t", "r", INPUT, 1));
    begin(store, &bob, new_run("t", "s", INPUT, 2));
    store.append(first, batch(&["a"])).wait().expect("stored");
    let found = store.unfinished_runs().wait().expect("read");
    let names: Vec<String> = found
        .iter()
        .map(|found| format!("{} {} {}", found.principal, found.thread, found.run.id))
        .collect();
    assert_eq!(names, ["ann t r", "bob t s"]);
    assert_eq!(store.append(found[0].open, batch(&["end"])).wait(), Ok(2));
    for found in found {
        let ended = store.end_run(
            found.open,
            StoredRunEnd::new(RunStatus::Failed, Timestamp(9), None),
        );
        assert_eq!(ended.wait(), Ok(()));
    }
    assert_eq!(store.unfinished_runs().wait(), Ok(Vec::new()));
}

fn threads_are_listed_changed_and_deleted(store: &dyn Store) {
    let ann = principal("ann");
    let mut branch = new_run("b", "r", INPUT, 20);
    branch.parent = Some((thread("a"), run("r")));
    for new in [
        new_run("a", "r", INPUT, 10),
        branch,
        new_run("c", "r", INPUT, 30),
    ] {
        begin(store, &ann, new);
    }
    let listed = |slice: &PageRequest| store.threads(&ann, slice).wait().expect("read");
    let ids = |threads: &[Thread]| -> Vec<String> {
        threads.iter().map(|thread| thread.id.to_string()).collect()
    };
    let page = listed(&PageRequest::first(2));
    assert_eq!(ids(&page.items), ["c", "b"]);
    assert_eq!(page.items[1].parent, Some((thread("a"), run("r"))));
    assert_eq!(page.items[1].agent, "demo");
    let rest = listed(&PageRequest {
        after: page.next,
        limit: 2,
    });
    assert_eq!((ids(&rest.items), rest.next), (vec!["a".to_owned()], None));

    let change = |title: Option<&str>, archived, at| {
        let title = title.map(str::to_owned);
        let change = ThreadChange { title, archived };
        let changed = store.change_thread(&ann, &thread("a"), change, Timestamp(at));
        changed.wait().expect("changed")
    };
    assert_eq!(
        change(Some("Tides"), None, 40).title.as_deref(),
        Some("Tides")
    );
    assert!(change(None, Some(true), 41).archived);
    let changed = change(Some(""), None, 42);
    assert_eq!((changed.title, changed.archived), (None, true));
    assert_eq!(changed.updated, Timestamp(42));
    assert_eq!(changed.created, Timestamp(10));
    assert_eq!(ids(&listed(&PageRequest::first(9)).items), ["a", "c", "b"]);

    assert_eq!(store.delete_thread(&ann, &thread("c")).wait(), Ok(true));
    assert_eq!(store.delete_thread(&ann, &thread("c")).wait(), Ok(false));
    assert_eq!(ids(&listed(&PageRequest::first(9)).items), ["a", "b"]);
    assert_eq!(store.thread(&ann, &thread("c")).wait(), Ok(None));

    let open = begin(store, &ann, new_run("c", "r1", INPUT, 50));
    assert_eq!(open.after, 0);
    store
        .end_run(
            open,
            StoredRunEnd::new(RunStatus::Finished, Timestamp(51), None),
        )
        .wait()
        .expect("ended");
    begin(store, &ann, new_run("c", "r0", INPUT, 50));
    let first = store
        .runs(&ann, &thread("c"), &PageRequest::first(1))
        .wait()
        .expect("read");
    assert_eq!(first.items[0].id, run("r1"));
    let slice = PageRequest {
        after: first.next,
        limit: 1,
    };
    let second = store.runs(&ann, &thread("c"), &slice).wait().expect("read");
    assert_eq!((second.items[0].id.as_str(), second.next), ("r0", None));
}

fn threads_of_other_principals_are_invisible(store: &dyn Store) {
    let (ann, bob) = (principal("ann"), principal("bob"));
    begin(store, &ann, new_run("t", "r", INPUT, 1));
    let (t, r) = (thread("t"), run("r"));
    assert_eq!(store.thread(&bob, &t).wait(), Ok(None));
    let none = StoreError::NotFound { what: "the thread" };
    assert_eq!(store.events(&bob, &t, 0, 9).wait(), Err(none.clone()));
    assert_eq!(store.run(&bob, &t, &r).wait(), Err(none.clone()));
    assert_eq!(store.input(&bob, &t, &r).wait(), Err(none.clone()));
    assert_eq!(store.state(&bob, &t).wait(), Err(none.clone()));
    assert_eq!(store.messages(&bob, &t, None, 9).wait(), Err(none.clone()));
    assert_eq!(store.late_results(&bob, &t).wait(), Err(none.clone()));
    assert_eq!(
        store.runs(&bob, &t, &PageRequest::first(9)).wait(),
        Err(none.clone())
    );
    let change = store.change_thread(&bob, &t, ThreadChange::default(), Timestamp(2));
    assert_eq!(change.wait(), Err(none.clone()));
    let amended = store.add_late_result(&bob, &t, &r, "[]".into(), None, Timestamp(2));
    assert_eq!(amended.wait(), Err(none));
    assert_eq!(store.delete_thread(&bob, &t).wait(), Ok(false));
    let listed = store.threads(&bob, &PageRequest::first(9)).wait();
    assert!(listed.expect("read").items.is_empty());
    // Another principal can use the same id.
    let new = NewRun {
        started: Timestamp(5),
        ..new_run("t", "r", r#"{"other":1}"#, 5)
    };
    assert_eq!(begin(store, &bob, new).after, 0);
}
