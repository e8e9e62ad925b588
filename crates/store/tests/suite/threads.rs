//! Threads, runs and the log.

use bytes::Bytes;
use store::{
    BeginRun, Checkpoint, LogBatch, NewRun, PageRequest, RunStatus, Store, StoreError,
    StoredMessage, StoredRunEnd, Thread, ThreadChange, Timestamp,
};

use crate::{batch, begin, for_each_store, new_run, principal, run, thread};

for_each_store![
    events_are_numbered_without_gaps,
    events_are_read_from_any_place,
    one_run_is_open_at_a_time,
    the_same_run_again_is_known,
    inputs_come_back,
    a_run_that_ended_takes_no_more,
    a_run_ends_with_the_last_it_says,
    unfinished_runs_are_found,
    checkpoints_hold_the_conversation,
    a_state_is_that_of_the_run_that_left_it,
    amendments_wait_for_the_next_run,
    what_is_kept_beside_the_state_stays_until_it_is_replaced,
    threads_are_listed_changed_and_deleted,
    nobody_sees_anothers_threads,
];

const INPUT: &str = r#"{"messages":[]}"#;

fn numbered(store: &dyn Store, after: u64, limit: usize) -> Vec<(u64, String)> {
    let events = store
        .events(&principal("ann"), &thread("t"), after, limit)
        .wait();
    let text = |(at, bytes): (u64, &[u8])| (at, String::from_utf8_lossy(bytes).into_owned());
    events.expect("read").iter().map(text).collect()
}

fn a_state_is_that_of_the_run_that_left_it(store: &dyn Store) {
    let ann = principal("ann");
    let left_by = || {
        let stored = store.state(&ann, &thread("t")).wait().expect("read");
        stored.run.map(|run| run.id.to_string())
    };
    let first = begin(store, &ann, new_run("t", "r1", INPUT, 1));
    store
        .append(first, batch(&["a", "b"]))
        .wait()
        .expect("stored");
    assert_eq!(left_by(), None, "it has not ended");
    let checkpoint = Checkpoint {
        through: 2,
        ..Checkpoint::default()
    };
    let ended = store.end_run(
        first,
        StoredRunEnd::new(RunStatus::Finished, Timestamp(2), Some(checkpoint)),
    );
    assert_eq!(ended.wait(), Ok(()));
    assert_eq!(left_by().as_deref(), Some("r1"));
    // One that says nothing leaves nothing; the next is told of the one before.
    let silent = begin(store, &ann, new_run("t", "r2", INPUT, 3));
    assert_eq!(left_by().as_deref(), Some("r1"));
    let ended = store.end_run(
        silent,
        StoredRunEnd::new(RunStatus::Failed, Timestamp(4), None),
    );
    assert_eq!(ended.wait(), Ok(()));
    match store.begin_run(&ann, new_run("t", "r3", INPUT, 5)).wait() {
        Ok(BeginRun::New(_, Some(before))) => {
            assert_eq!(before.run.map(|run| run.id), Some(run("r1")));
        }
        other => panic!("{other:?}"),
    }
}

fn events_are_numbered_without_gaps(store: &dyn Store) {
    let ann = principal("ann");
    let open = begin(store, &ann, new_run("t", "r", INPUT, 1));
    assert_eq!(open.after, 0);
    assert_eq!(store.append(open, batch(&["a", "b"])).wait(), Ok(1));
    assert_eq!(store.append(open, batch(&["c"])).wait(), Ok(3));
    // Another thread counts for itself.
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

fn events_are_read_from_any_place(store: &dyn Store) {
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

fn the_same_run_again_is_known(store: &dyn Store) {
    let ann = principal("ann");
    let input = r#"{"messages":[{"id":"1","content":"Hi"}],"state":{"a":1,"b":2}}"#;
    let open = begin(store, &ann, new_run("t", "r", input, 1));
    let known = |input| match store.begin_run(&ann, new_run("t", "r", input, 5)).wait() {
        Ok(BeginRun::Known(run)) => run.status,
        other => panic!("{other:?}"),
    };
    assert_eq!(known(input), RunStatus::Open);
    // The same value, spelled in another way.
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

/// Clients send the whole conversation each time, and may leave out or change what they like.
fn inputs_come_back(store: &dyn Store) {
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

fn a_run_that_ended_takes_no_more(store: &dyn Store) {
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
    // Its id may be used again, and its old run has nothing to do with it.
    begin(store, &ann, new_run("t", "s", INPUT, 5));
    assert_eq!(store.append(next, batch(&["a"])).wait(), gone);
}

fn a_run_ends_with_the_last_it_says(store: &dyn Store) {
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

fn conversation(ids: &[&str]) -> Vec<StoredMessage> {
    let message = |id: &&str| StoredMessage {
        id: id.trim_end_matches('*').to_owned(),
        role: "assistant".to_owned(),
        json: format!(r#"{{"id":"{id}"}}"#).into(),
    };
    ids.iter().map(message).collect()
}

fn checkpoints_hold_the_conversation(store: &dyn Store) {
    let ann = principal("ann");
    let conversations: &[&[&str]] = &[
        &["a", "b"],
        &["a", "b", "c", "d"],
        &["a", "b*", "c", "d", "e"],
        &["a", "c"],
        &["a", "a", "a"],
        &[],
        &["x"],
    ];
    for (at, ids) in conversations.iter().enumerate() {
        let open = begin(store, &ann, new_run("t", &format!("r{at}"), INPUT, 1));
        let through = store.append(open, batch(&["e"])).wait().expect("stored");
        let checkpoint = Checkpoint {
            through,
            state: format!(r#"{{"at":{at}}}"#).into(),
            record: None,
            messages: conversation(ids),
        };
        let ended = store.end_run(
            open,
            StoredRunEnd::new(RunStatus::Finished, Timestamp(3), Some(checkpoint)),
        );
        assert_eq!(ended.wait(), Ok(()));
        let state = store.state(&ann, &thread("t")).wait().expect("read");
        assert_eq!(state.state, format!(r#"{{"at":{at}}}"#));
        assert_eq!(state.through, at as u64 + 1);
        assert_eq!(state.messages, ids.len() as u64);
        let all = store
            .messages(&ann, &thread("t"), None, 100)
            .wait()
            .expect("read");
        assert_eq!(all.messages, conversation(ids));
        let last = store
            .messages(&ann, &thread("t"), None, 2)
            .wait()
            .expect("read");
        let start = ids.len().saturating_sub(2);
        assert_eq!(last.messages, conversation(&ids[start..]));
        assert_eq!(last.first, start as u64);
        if start > 0 {
            let before = store
                .messages(&ann, &thread("t"), Some(last.first), 1)
                .wait();
            let before = before.expect("read");
            assert_eq!(before.messages, conversation(&ids[start - 1..start]));
        }
    }
}

fn amendments_wait_for_the_next_run(store: &dyn Store) {
    let ann = principal("ann");
    let t = thread("t");
    let amend = |run_id, patch: &'static str| {
        let amended =
            store.add_late_result(&ann, &t, &run(run_id), patch.into(), None, Timestamp(7));
        amended.wait()
    };
    let patches = || -> Vec<String> {
        let amendments = store.late_results(&ann, &t).wait().expect("read");
        let text = |patch: &Bytes| String::from_utf8_lossy(patch).into_owned();
        amendments
            .iter()
            .map(|amendment| text(&amendment.patch))
            .collect()
    };
    let open = begin(store, &ann, new_run("t", "r", INPUT, 1));
    store
        .end_run(
            open,
            StoredRunEnd::new(RunStatus::Finished, Timestamp(3), None),
        )
        .wait()
        .expect("ended");
    let first = amend("r", "[1]").expect("stored");
    assert!(amend("r", "[2]").expect("stored") > first);
    assert_eq!(patches(), ["[1]", "[2]"]);
    let open = begin(store, &ann, new_run("t", "s", INPUT, 8));
    assert!(patches().is_empty());
    // One that comes late, for the run before.
    amend("r", "[3]").expect("stored");
    assert_eq!(patches(), ["[3]"]);
    store
        .end_run(
            open,
            StoredRunEnd::new(RunStatus::Finished, Timestamp(9), None),
        )
        .wait()
        .expect("ended");
    assert_eq!(patches(), ["[3]"]);
    assert_eq!(
        amend("other", "[]"),
        Err(StoreError::NotFound { what: "the run" })
    );
}

fn what_is_kept_beside_the_state_stays_until_it_is_replaced(store: &dyn Store) {
    let ann = principal("ann");
    let t = thread("t");
    let kept = || store.state(&ann, &t).wait().expect("read").record;
    let end = |run: &str, record: Option<&'static str>| {
        let open = begin(store, &ann, new_run("t", run, INPUT, 1));
        let checkpoint = Checkpoint {
            record: record.map(Bytes::from),
            ..Checkpoint::default()
        };
        let end = StoredRunEnd::new(RunStatus::Finished, Timestamp(3), Some(checkpoint));
        store.end_run(open, end).wait().expect("ended");
    };
    end("a", None);
    assert_eq!(kept(), "");
    end("b", Some("1"));
    assert_eq!(kept(), "1");
    end("c", None);
    assert_eq!(kept(), "1");
    let amended = |record: Option<&'static str>| {
        let record = record.map(Bytes::from);
        let amended = store.add_late_result(&ann, &t, &run("c"), "[]".into(), record, Timestamp(7));
        amended.wait().expect("stored");
    };
    amended(None);
    assert_eq!(kept(), "1");
    amended(Some("2"));
    assert_eq!(kept(), "2");
    let begun = store.begin_run(&ann, new_run("t", "d", INPUT, 9)).wait();
    match begun.expect("begun") {
        BeginRun::New(open, Some(before)) => {
            assert_eq!(before.record, "2");
            let checkpoint = Checkpoint {
                record: Some(Bytes::new()),
                ..Checkpoint::default()
            };
            let end = StoredRunEnd::new(RunStatus::Finished, Timestamp(9), Some(checkpoint));
            store.end_run(open, end).wait().expect("ended");
        }
        other => panic!("{other:?}"),
    }
    assert_eq!(kept(), "");
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

fn nobody_sees_anothers_threads(store: &dyn Store) {
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
    // The same id is another thread.
    let new = NewRun {
        started: Timestamp(5),
        ..new_run("t", "r", r#"{"other":1}"#, 5)
    };
    assert_eq!(begin(store, &bob, new).after, 0);
}
