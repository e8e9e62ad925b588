//! Replay: live events, the log and a new subscription give the same messages and state.

use json::Value;
use proptest::prelude::*;
use store::SqliteStore;

use super::*;

/// Returns the steps of a run that follows the protocol, for arbitrary choices.
fn script(choices: &[(u8, u8)]) -> Vec<ScriptStep> {
    let mut steps = vec![say(STARTED)];
    // Open messages and tool calls.
    let (mut texts, mut calls) = ([false; 4], [false; 4]);
    let mut thinking = false;
    for (at, (choice, which)) in choices.iter().enumerate() {
        let id = usize::from(which % 4);
        // An unknown member makes an event untyped but not invalid.
        let odd = if which % 3 == 0 { r#","odd":true"# } else { "" };
        match choice % 9 {
            0 if !texts[id] => {
                texts[id] = true;
                steps.push(ScriptStep::Say(format!(r#"{{"type":"TEXT_MESSAGE_START","messageId":"m{id}","role":"assistant"{odd}}}"#)));
            }
            1 if texts[id] => {
                texts[id] = false;
                steps.push(ScriptStep::Say(format!(r#"{{"type":"TEXT_MESSAGE_END","messageId":"m{id}"{odd}}}"#)));
            }
            0..=2 if texts[id] => steps.push(ScriptStep::Say(format!(
                r#"{{"type":"TEXT_MESSAGE_CONTENT","messageId":"m{id}","delta":"w{at} [1]"{odd}}}"#
            ))),
            3 if !calls[id] => {
                calls[id] = true;
                steps.push(ScriptStep::Say(format!(r#"{{"type":"TOOL_CALL_START","toolCallId":"c{id}","toolCallName":"f"{odd}}}"#)));
            }
            3 => steps.push(ScriptStep::Say(format!(
                r#"{{"type":"TOOL_CALL_ARGS","toolCallId":"c{id}","delta":"{at}"{odd}}}"#
            ))),
            4 if calls[id] => {
                calls[id] = false;
                steps.push(ScriptStep::Say(format!(r#"{{"type":"TOOL_CALL_END","toolCallId":"c{id}"{odd}}}"#)));
            }
            5 => steps.push(ScriptStep::Say(format!(
                r#"{{"type":"STATE_DELTA","delta":[{{"op":"add","path":"/k{id}","value":{at}}}]{odd}}}"#
            ))),
            6 if which % 8 == 0 => steps.push(ScriptStep::Say(format!(
                r#"{{"type":"STATE_SNAPSHOT","snapshot":{{"at":{at}}}}}"#
            ))),
            6 => steps.push(ScriptStep::Say(format!(
                r#"{{"type":"TEXT_MESSAGE_CHUNK","messageId":"k{at}","role":"assistant","delta":"chunk"}}"#
            ))),
            7 if !thinking => {
                thinking = true;
                steps.push(say(r#"{"type":"THINKING_TEXT_MESSAGE_START"}"#));
                steps.push(say(r#"{"type":"THINKING_TEXT_MESSAGE_CONTENT","delta":"hm"}"#));
                steps.push(say(r#"{"type":"THINKING_TEXT_MESSAGE_END"}"#));
            }
            8 => steps.push(ScriptStep::Wait(Duration::from_millis(u64::from(*which)))),
            _ => {}
        }
    }
    for (id, open) in texts.iter().enumerate().filter(|(_, open)| **open) {
        let _ = open;
        steps.push(ScriptStep::Say(format!(
            r#"{{"type":"TEXT_MESSAGE_END","messageId":"m{id}"}}"#
        )));
    }
    for (id, _) in calls.iter().enumerate().filter(|(_, open)| **open) {
        steps.push(ScriptStep::Say(format!(
            r#"{{"type":"TOOL_CALL_END","toolCallId":"c{id}"}}"#
        )));
    }
    steps.push(ScriptStep::Say(FINISHED.replace('}', r#","odd":1}"#)));
    steps
}

async fn check(server: &RunServer, store: &Arc<dyn Store>) -> Result<(), TestCaseError> {
    let body = input("t", "r");
    let seen = server.run("t", "r").await.all().await;
    let live = folded(&seen, Some(&body));
    let stored = (
        server.get("/threads/t/messages").await,
        server.get("/threads/t/state").await,
    );
    prop_assert_eq!(&stored, &live, "stored");
    let principal = store::Principal::local();
    let thread = store::ThreadId::new("t").expect("an id");
    let run = store
        .last_run(&principal, &thread)
        .await
        .expect("an answer");
    let run = run.expect("a run");
    prop_assert_eq!(run.status, store::RunStatus::Finished);
    let (back, last) = gateway::read_run(store, &principal, &thread, &run)
        .await
        .expect("a log");
    prop_assert_eq!(Some(last), run.last);
    let back = back.checkpoint(last);
    let messages = Value::parse(&gateway::messages_json(&back.messages)).expect("JSON");
    let state = Value::parse(std::str::from_utf8(&back.state).expect("text")).expect("JSON");
    prop_assert_eq!(&(messages, state), &live, "computed from the log");
    let mut replay = server.subscribe("/threads/t/events?after=0").await;
    let mut replayed = Vec::new();
    for _ in 0..seen.len() {
        replayed.extend(replay.next().await);
    }
    prop_assert_eq!(&replayed, &seen, "replayed");
    let mut opened = server.subscribe("/threads/t/events").await;
    let opened = opened.until("RUN_FINISHED").await;
    prop_assert_eq!(&folded(&opened, None), &live, "new subscription");
    Ok(())
}

fn runtime() -> tokio::runtime::Runtime {
    tokio::runtime::Builder::new_current_thread()
        .enable_all()
        .start_paused(true)
        .build()
        .expect("a runtime")
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(96))]

    #[test]
    fn the_log_is_what_the_client_saw(choices in proptest::collection::vec(any::<(u8, u8)>(), 0..60)) {
        runtime().block_on(async {
            let store: Arc<dyn Store> = Arc::new(MemoryStore::new());
            let server = RunServer::new(store.clone(), vec![("a", agent(script(&choices)))]).await;
            check(&server, &store).await
        })?;
    }
}

#[test]
fn rows_of_the_log_may_be_put_together() {
    // Enough batches that the store compacts the log of the run afterwards.
    let choices: Vec<(u8, u8)> = (0..=255u8)
        .flat_map(|at| [(at, at.wrapping_mul(7)), (8, 1)])
        .collect();
    let folder = tempfile::tempdir().expect("a folder");
    runtime().block_on(async {
        let options = store::OpenOptions::new(folder.path()).server("test");
        let store: Arc<dyn Store> = Arc::new(SqliteStore::open(&options).expect("a store"));
        let server = RunServer::new(store.clone(), vec![("a", agent(script(&choices)))]).await;
        check(&server, &store).await.expect("the same");
    });
}

#[tokio::test]
async fn only_long_runs_store_their_state_and_every_next_run_has_it() {
    for (length, is_stored) in [(10, false), (2 << 20, true)] {
        let store: Arc<dyn Store> = Arc::new(MemoryStore::new());
        let agents = vec![
            ("a", agent(answer(&"x".repeat(length)))),
            ("b", agent(answer("and more"))),
        ];
        let server = RunServer::new(store.clone(), agents).await;
        let seen = server.run("t", "r").await.all().await;
        let (principal, thread) = (
            store::Principal::local(),
            store::ThreadId::new("t").expect("an id"),
        );
        let stored = store.state(&principal, &thread).await.expect("a state");
        assert_eq!(!stored.state.is_empty(), is_stored, "{length}");
        let live = folded(&seen, Some(&input("t", "r"))).1;
        assert_eq!(server.get("/threads/t/state").await, live);
        // A client without a state receives all of it.
        let body = r#"{"threadId":"t","runId":"r2","messages":[]}"#;
        let (_, told) = server.send(Method::POST, "/agents/b", &[], body).await;
        let state = folded(&told.all().await, None).1;
        for message in ["a-r", "a-r2"] {
            let status = &state["deepcitation"]["messages"][message]["status"];
            let expected = if message == "a-r" && is_stored {
                "error"
            } else {
                "complete"
            };
            assert_eq!(status.as_str(), Some(expected), "{message}, {length}");
        }
    }
}
