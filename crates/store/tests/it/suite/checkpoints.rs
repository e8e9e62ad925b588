//! State, conversation and late results of threads.

use bytes::Bytes;
use store::{
    BeginRun, Checkpoint, RunStatus, Store, StoreError, StoredMessage, StoredRunEnd, Timestamp,
};

use crate::suite::{batch, begin, for_each_store, new_run, principal, run, thread};

for_each_store![
    checkpoints_hold_the_conversation,
    the_state_names_the_run_that_left_it,
    late_results_wait_for_the_next_run,
    a_citation_record_stays_until_it_is_replaced,
];

const INPUT: &str = r#"{"messages":[]}"#;

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

fn the_state_names_the_run_that_left_it(store: &dyn Store) {
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
    // A run without events leaves no state.
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

fn late_results_wait_for_the_next_run(store: &dyn Store) {
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
    // A late result of the run before.
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

fn a_citation_record_stays_until_it_is_replaced(store: &dyn Store) {
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
