//! Runs that are cancelled, abandoned, crashed or cannot be stored.

use axum::http::Method;
use json::Value;
use store::{RunStatus, SqliteStore, ThreadStore};

use super::*;

const LINGER: Duration = Duration::from_secs(300);

fn hanging() -> Vec<ScriptStep> {
    let mut steps = answer("hello");
    steps.insert(3, ScriptStep::Hang);
    steps
}

async fn last_status(server: &RunServer, thread: &str) -> String {
    let thread = server.get(&format!("/threads/{thread}")).await;
    thread["lastRun"]["status"]
        .as_str()
        .expect("a status")
        .to_owned()
}

#[tokio::test(start_paused = true)]
async fn cancelling_closes_open_events_innermost_first() {
    let cited = r#"It is so [1].<<<CITATION_DATA>>>[{\"id\":1,\"full_phrase\":\"so it is\"}]<<<END_CITATION_DATA>>>"#;
    let steps = vec![
        say(STARTED),
        say(r#"{"type":"SUBAGENT_STARTED","subagentRunId":"s1","name":"one"}"#),
        say(
            r#"{"type":"SUBAGENT_STARTED","subagentRunId":"s2","name":"two","parentSubagentRunId":"s1"}"#,
        ),
        say(r#"{"type":"STEP_STARTED","stepName":"read"}"#),
        say(r#"{"type":"STEP_STARTED","stepName":"read","subagentRunId":"s2"}"#),
        say(r#"{"type":"TOOL_CALL_START","toolCallId":"c1","toolCallName":"look"}"#),
        say(r#"{"type":"REASONING_START","messageId":"z1"}"#),
        say(r#"{"type":"REASONING_MESSAGE_START","messageId":"z2","role":"reasoning"}"#),
        say(r#"{"type":"TEXT_MESSAGE_START","messageId":"m1","role":"assistant"}"#),
        say(&format!(
            r#"{{"type":"TEXT_MESSAGE_CONTENT","messageId":"m1","delta":"{cited}"}}"#
        )),
        say(
            r#"{"type":"TEXT_MESSAGE_CHUNK","messageId":"m2","role":"assistant","delta":"half","subagentRunId":"s2"}"#,
        ),
        ScriptStep::Hang,
    ];
    let server = RunServer::of(steps).await;
    let mut response = server.run("t", "r").await;
    let mut seen = response.until("TEXT_MESSAGE_CONTENT").await;
    seen.extend(response.until("TEXT_MESSAGE_CONTENT").await);
    let (status, run) = server.json(Method::POST, "/threads/t/cancel", "").await;
    assert_eq!((status, run["status"].as_str()), (200, Some("cancelled")));
    let rest = response.all().await;
    let closing: Vec<String> = rest
        .iter()
        .map(|(_, event)| event)
        .filter(|event| event["type"].as_str() != Some("STATE_DELTA"))
        .map(|event| {
            let names = ["messageId", "toolCallId", "stepName", "subagentRunId"];
            let id = names.iter().find_map(|name| event.get(name)?.as_str());
            format!(
                "{} {}",
                event["type"].as_str().unwrap_or(""),
                id.unwrap_or("")
            )
        })
        .collect();
    assert_eq!(
        closing,
        [
            "TEXT_MESSAGE_END m2",
            "TEXT_MESSAGE_END m1",
            "REASONING_MESSAGE_END z2",
            "REASONING_END z1",
            "TOOL_CALL_END c1",
            "STEP_FINISHED read",
            "STEP_FINISHED read",
            "SUBAGENT_ERROR s2",
            "SUBAGENT_ERROR s1",
            "RUN_FINISHED ",
        ]
    );
    let (_, end) = rest.last().expect("an end");
    assert_eq!(end["outcome"]["type"].as_str(), Some("cancelled"));
    seen.extend(rest);
    // The stream follows the protocol, and the citation has its verification.
    let (messages, state) = folded(&seen, Some(&input("t", "r")));
    assert_eq!(server.get("/threads/t/messages").await, messages);
    assert_eq!(server.get("/threads/t/state").await, state);
    let entry = &state["deepcitation"]["messages"]["m1"];
    assert_eq!(
        entry["status"].as_str(),
        Some("complete"),
        "{}",
        entry.to_json()
    );
    assert_eq!(entry["summary"]["pending"], Value::from(0usize));
    assert_eq!(entry["summary"]["total"], Value::from(1usize));
    // Cancelling again changes nothing.
    let (status, run) = server.json(Method::POST, "/threads/t/cancel", "").await;
    assert_eq!((status, run["status"].as_str()), (200, Some("cancelled")));
}

#[tokio::test(start_paused = true)]
async fn a_run_without_events_can_be_cancelled() {
    let server = RunServer::of(vec![ScriptStep::Hang]).await;
    let response = server.run("t", "r").await;
    server.json(Method::POST, "/threads/t/cancel", "").await;
    assert_eq!(
        kinds(&response.all().await),
        ["RUN_STARTED", "RUN_FINISHED"]
    );
}

#[tokio::test(start_paused = true)]
async fn a_new_run_waits_for_subscribers_of_the_open_run_to_leave() {
    let server = RunServer::of(hanging()).await;
    let mut response = server.run("t", "r1").await;
    response.until("TEXT_MESSAGE_CONTENT").await;
    let (status, refused) = server
        .json(Method::POST, "/agents/a", &input("t", "r2"))
        .await;
    assert_eq!(status, 409);
    assert_eq!(refused["error"]["code"].as_str(), Some("thread_busy"));
    drop(response);
    let mut second = server.run("t", "r2").await;
    second.until("TEXT_MESSAGE_CONTENT").await;
    let (_, first) = server.post(&input("t", "r1"), &[]).await;
    let first = first.all().await;
    assert_eq!(
        first.last().expect("an end").1["outcome"]["type"].as_str(),
        Some("cancelled")
    );
}

#[tokio::test(start_paused = true)]
async fn a_run_without_subscribers_lingers_before_it_is_cancelled() {
    let server = RunServer::of(hanging()).await;
    let mut response = server.run("t", "r").await;
    response.until("TEXT_MESSAGE_CONTENT").await;
    drop(response);
    tokio::time::sleep(LINGER - Duration::from_secs(1)).await;
    assert_eq!(last_status(&server, "t").await, "running");
    // A new subscriber restarts the time.
    let mut back = server.subscribe("/threads/t/events").await;
    back.until("TEXT_MESSAGE_CONTENT").await;
    tokio::time::sleep(LINGER * 3).await;
    assert_eq!(last_status(&server, "t").await, "running");
    drop(back);
    tokio::time::sleep(LINGER + Duration::from_secs(1)).await;
    assert_eq!(last_status(&server, "t").await, "cancelled");
}

#[tokio::test(start_paused = true)]
async fn shutdown_ends_runs_with_an_error_and_closes_subscriptions() {
    let server = RunServer::of(hanging()).await;
    let mut response = server.run("t", "r").await;
    let mut seen = response.until("TEXT_MESSAGE_CONTENT").await;
    let idle = server.subscribe("/threads/t/events").await;
    server.gateway().runs.shut_down().await;
    seen.extend(response.all().await);
    let (_, end) = seen.last().expect("an end");
    assert_eq!(end["code"].as_str(), Some("shutdown"));
    let (_, state) = folded(&seen, Some(&input("t", "r")));
    assert_eq!(
        state["deepcitation"]["messages"]["a-r"]["status"].as_str(),
        Some("error")
    );
    assert!(
        idle.all()
            .await
            .last()
            .is_some_and(|(_, event)| event["code"].as_str() == Some("shutdown"))
    );
    assert_eq!(server.post(&input("t", "r2"), &[]).await.0, 503);
}

#[tokio::test(start_paused = true)]
async fn a_crashed_run_is_closed_without_losing_events() {
    let store: Arc<dyn Store> = Arc::new(MemoryStore::new());
    let server = RunServer::new(store.clone(), vec![("a", agent(hanging()))]).await;
    let mut response = server.run("t", "r").await;
    let seen = response.until("TEXT_MESSAGE_CONTENT").await;
    // The next server finds the run open.
    let after = RunServer::new(store.clone(), vec![("a", agent(answer("better")))]).await;
    let last = seen
        .last()
        .and_then(|(id, _)| *id)
        .expect("an id")
        .to_string();
    let (status, rest) = after
        .post(&input("t", "r"), &[("last-event-id", &last)])
        .await;
    let rest = rest.all().await;
    assert_eq!(
        (status, kinds(&rest)),
        (200, vec!["STATE_DELTA", "RUN_ERROR"])
    );
    assert_eq!(rest[1].1["code"].as_str(), Some("crashed"));
    let whole: Vec<SentEvent> = seen.into_iter().chain(rest).collect();
    let (messages, state) = folded(&whole, Some(&input("t", "r")));
    assert_eq!(after.get("/threads/t/messages").await, messages);
    assert_eq!(after.get("/threads/t/state").await, state);
    let entry = &state["deepcitation"]["messages"]["a-r"];
    assert_eq!(
        entry["status"].as_str(),
        Some("error"),
        "the message cannot be finished"
    );
    assert_eq!(last_status(&after, "t").await, "failed");
    after.run("t", "r2").await.all().await;
    assert_eq!(last_status(&after, "t").await, "finished");
}

#[tokio::test]
async fn a_full_disk_fails_the_run_and_the_thread_recovers() {
    let folder = tempfile::tempdir().expect("a folder");
    let options = store::OpenOptions::new(folder.path()).server("test");
    let sqlite = Arc::new(SqliteStore::open(&options).expect("a store"));
    // Random text, which cannot be compressed.
    let letters = (0..1 << 20).scan(1u32, |state, _| {
        *state = state.wrapping_mul(1_664_525).wrapping_add(1_013_904_223);
        Some(char::from(
            b"0123456789abcdefghijklmnopqrstuv"[(*state >> 27) as usize],
        ))
    });
    let long: String = letters.collect();
    let server = RunServer::new(
        sqlite.clone(),
        vec![("a", agent(answer(&long))), ("b", agent(answer("short")))],
    );
    let server = server.await;
    sqlite.set_max_bytes(Some(800_000));
    let seen = server.run("t", "r").await.all().await;
    let (id, end) = seen.last().expect("an end");
    assert_eq!(end["code"].as_str(), Some("storage"), "{}", end.to_json());
    assert_eq!(*id, None, "it is not in the log");
    assert!(
        end["message"]
            .as_str()
            .is_some_and(|message| message.contains("free space"))
    );
    sqlite.set_max_bytes(None);
    let (status, next) = server
        .send(Method::POST, "/agents/b", &[], &input("t", "r2"))
        .await;
    assert_eq!(status, 200);
    let next = next.all().await;
    assert_eq!(kinds(&next).last(), Some(&"RUN_FINISHED"));
    // The log holds all events that were sent, and an end of the first run.
    let logged = sqlite.events(
        &store::Principal::local(),
        &store::ThreadId::new("t").expect("an id"),
        0,
        1000,
    );
    let logged = logged.await.expect("events");
    let sequences: Vec<u64> = logged.iter().map(|(sequence, _)| sequence).collect();
    assert_eq!(sequences, (1..=sequences.len() as u64).collect::<Vec<_>>());
    let run = sqlite.run(
        &store::Principal::local(),
        &store::ThreadId::new("t").expect("an id"),
        &store::RunId::new("r").expect("an id"),
    );
    assert_eq!(
        run.await.expect("an answer").map(|run| run.status),
        Some(RunStatus::Failed)
    );
}

#[tokio::test]
async fn a_run_without_events_keeps_the_state() {
    let silent: Vec<ScriptStep> = Vec::new();
    let agents = vec![("a", agent(answer("said"))), ("b", agent(silent))];
    let server = RunServer::new(Arc::new(MemoryStore::new()), agents).await;
    server.run("t", "r").await.all().await;
    let before = server.get("/threads/t/state").await;
    assert!(before.get("deepcitation").is_some(), "{}", before.to_json());
    let input = r#"{"threadId":"t","runId":"r2","messages":[]}"#;
    let (_, told) = server.send(Method::POST, "/agents/b", &[], input).await;
    let told = told.all().await;
    assert_eq!(kinds(&told).last(), Some(&"RUN_ERROR"));
    assert_eq!(folded(&told, None).1, before);
    assert_eq!(server.get("/threads/t/state").await, before);
}

#[tokio::test]
async fn a_crash_before_the_first_event_keeps_the_state() {
    let store: Arc<dyn Store> = Arc::new(MemoryStore::new());
    let agents = || vec![("a", agent(answer("said")))];
    let server = RunServer::new(store.clone(), agents()).await;
    server.run("t", "r").await.all().await;
    let before = server.get("/threads/t/state").await;
    let new = store::NewRun {
        thread: store::ThreadId::new("t").expect("an id"),
        run: store::RunId::new("r2").expect("an id"),
        agent: "a".to_owned(),
        parent: None,
        input: Json::parse(r#"{"threadId":"t","runId":"r2","messages":[]}"#).expect("JSON"),
        started: Timestamp(1),
    };
    let begun = store.begin_run(&store::Principal::local(), new).await;
    assert!(matches!(begun, Ok(store::BeginRun::New(..))));
    let after = RunServer::new(store, agents()).await;
    assert_eq!(last_status(&after, "t").await, "failed");
    assert_eq!(after.get("/threads/t/state").await, before);
    // The log of the run begins with its start.
    let body = r#"{"threadId":"t","runId":"r2","messages":[]}"#;
    let (status, replayed) = after.post(body, &[]).await;
    assert_eq!(status, 200);
    let events = replayed.all().await;
    assert_eq!(kinds(&events), ["RUN_STARTED", "RUN_ERROR"]);
    assert_eq!(events[1].1["code"].as_str(), Some("crashed"));
}
