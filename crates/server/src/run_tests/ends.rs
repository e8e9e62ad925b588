//! Tests of runs that are cancelled, abandoned, or interrupted by a failure.

use axum::http::Method;
use json::Value;
use store::{RunStatus, SqliteStore, ThreadStore};

use super::*;

const LINGER: Duration = Duration::from_secs(300);

fn hanging() -> Vec<Step> {
    let mut steps = answer("hello");
    steps.insert(3, Step::Hang);
    steps
}

async fn last_status(rig: &Rig, thread: &str) -> String {
    let thread = rig.get(&format!("/threads/{thread}")).await;
    thread["lastRun"]["status"]
        .as_str()
        .expect("a status")
        .to_owned()
}

#[tokio::test(start_paused = true)]
async fn cancelling_closes_everything_that_is_open_innermost_first() {
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
        Step::Hang,
    ];
    let rig = Rig::of(steps).await;
    let mut watching = rig.run("t", "r").await;
    let mut seen = watching.until("TEXT_MESSAGE_CONTENT").await;
    seen.extend(watching.until("TEXT_MESSAGE_CONTENT").await);
    let (status, run) = rig.json(Method::POST, "/threads/t/cancel", "").await;
    assert_eq!((status, run["status"].as_str()), (200, Some("cancelled")));
    let rest = watching.all().await;
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
    // It keeps the rules, and what was cited has its verdict.
    let (messages, state) = folded(&seen, Some(&input("t", "r")));
    assert_eq!(rig.get("/threads/t/messages").await, messages);
    assert_eq!(rig.get("/threads/t/state").await, state);
    let entry = &state["deepcitation"]["messages"]["m1"];
    assert_eq!(
        entry["status"].as_str(),
        Some("complete"),
        "{}",
        entry.to_json()
    );
    assert_eq!(entry["summary"]["pending"], Value::from(0usize));
    assert_eq!(entry["summary"]["total"], Value::from(1usize));
    // Again: there is nothing left to end.
    let (status, run) = rig.json(Method::POST, "/threads/t/cancel", "").await;
    assert_eq!((status, run["status"].as_str()), (200, Some("cancelled")));
}

#[tokio::test(start_paused = true)]
async fn a_run_without_events_can_be_cancelled() {
    let rig = Rig::of(vec![Step::Hang]).await;
    let watching = rig.run("t", "r").await;
    rig.json(Method::POST, "/threads/t/cancel", "").await;
    assert_eq!(
        kinds(&watching.all().await),
        ["RUN_STARTED", "RUN_FINISHED"]
    );
}

#[tokio::test(start_paused = true)]
async fn a_run_with_subscribers_blocks_its_thread_and_an_abandoned_one_does_not() {
    let rig = Rig::of(hanging()).await;
    let mut watching = rig.run("t", "r1").await;
    watching.until("TEXT_MESSAGE_CONTENT").await;
    let (status, refused) = rig.json(Method::POST, "/agents/a", &input("t", "r2")).await;
    assert_eq!(status, 409);
    assert_eq!(refused["error"]["code"].as_str(), Some("thread_busy"));
    drop(watching);
    let mut second = rig.run("t", "r2").await;
    second.until("TEXT_MESSAGE_CONTENT").await;
    let (_, first) = rig.post(&input("t", "r1"), &[]).await;
    let first = first.all().await;
    assert_eq!(
        first.last().expect("an end").1["outcome"]["type"].as_str(),
        Some("cancelled")
    );
}

#[tokio::test(start_paused = true)]
async fn a_run_lingers_and_waits_for_its_client() {
    let rig = Rig::of(hanging()).await;
    let mut watching = rig.run("t", "r").await;
    watching.until("TEXT_MESSAGE_CONTENT").await;
    drop(watching);
    tokio::time::sleep(LINGER - Duration::from_secs(1)).await;
    assert_eq!(last_status(&rig, "t").await, "running");
    // A new subscriber restarts the time that the run lingers.
    let mut back = rig.follow("/threads/t/events").await;
    back.until("TEXT_MESSAGE_CONTENT").await;
    tokio::time::sleep(LINGER * 3).await;
    assert_eq!(last_status(&rig, "t").await, "running");
    drop(back);
    tokio::time::sleep(LINGER + Duration::from_secs(1)).await;
    assert_eq!(last_status(&rig, "t").await, "cancelled");
}

#[tokio::test(start_paused = true)]
async fn shutdown_ends_runs_with_an_error_and_closes_subscriptions() {
    let rig = Rig::of(hanging()).await;
    let mut watching = rig.run("t", "r").await;
    let mut seen = watching.until("TEXT_MESSAGE_CONTENT").await;
    let idle = rig.follow("/threads/t/events").await;
    rig.server.app.runs.shut_down().await;
    seen.extend(watching.all().await);
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
    assert_eq!(rig.post(&input("t", "r2"), &[]).await.0, 503);
}

#[tokio::test(start_paused = true)]
async fn a_crash_during_a_run_is_reported_and_loses_nothing() {
    let store: Arc<dyn Store> = Arc::new(MemoryStore::new());
    let rig = Rig::new(store.clone(), vec![("a", agent(hanging()))]).await;
    let mut watching = rig.run("t", "r").await;
    let seen = watching.until("TEXT_MESSAGE_CONTENT").await;
    // The next server finds the run open.
    let after = Rig::new(store.clone(), vec![("a", agent(answer("better")))]).await;
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
    let whole: Vec<Told1> = seen.into_iter().chain(rest).collect();
    let (messages, state) = folded(&whole, Some(&input("t", "r")));
    assert_eq!(after.get("/threads/t/messages").await, messages);
    assert_eq!(after.get("/threads/t/state").await, state);
    let entry = &state["deepcitation"]["messages"]["a-r"];
    assert_eq!(entry["status"].as_str(), Some("error"), "the run is closed");
    assert_eq!(last_status(&after, "t").await, "failed");
    after.run("t", "r2").await.all().await;
    assert_eq!(last_status(&after, "t").await, "finished");
}

#[tokio::test]
async fn a_full_disk_is_reported_and_the_thread_recovers() {
    let folder = tempfile::tempdir().expect("a folder");
    let options = store::OpenOptions::new(folder.path()).server("test");
    let sqlite = Arc::new(SqliteStore::open(&options).expect("a store"));
    // Text that cannot be packed.
    let letters = (0..1 << 20).scan(1u32, |state, _| {
        *state = state.wrapping_mul(1_664_525).wrapping_add(1_013_904_223);
        Some(char::from(
            b"0123456789abcdefghijklmnopqrstuv"[(*state >> 27) as usize],
        ))
    });
    let long: String = letters.collect();
    let rig = Rig::new(
        sqlite.clone(),
        vec![("a", agent(answer(&long))), ("b", agent(answer("short")))],
    );
    let rig = rig.await;
    sqlite.set_max_bytes(Some(800_000));
    let seen = rig.run("t", "r").await.all().await;
    let (id, end) = seen.last().expect("an end");
    assert_eq!(end["code"].as_str(), Some("storage"), "{}", end.to_json());
    assert_eq!(*id, None, "it is not in the log");
    assert!(
        end["message"]
            .as_str()
            .is_some_and(|message| message.contains("free space"))
    );
    sqlite.set_max_bytes(None);
    let (status, next) = rig
        .send(Method::POST, "/agents/b", &[], &input("t", "r2"))
        .await;
    assert_eq!(status, 200);
    let next = next.all().await;
    assert_eq!(kinds(&next).last(), Some(&"RUN_FINISHED"));
    // Whatever was shown of the first run is in the log, and it has an end there.
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
async fn a_run_that_never_begins_leaves_the_state_as_it_was() {
    let silent: Vec<Step> = Vec::new();
    let agents = vec![("a", agent(answer("said"))), ("b", agent(silent))];
    let rig = Rig::new(Arc::new(MemoryStore::new()), agents).await;
    rig.run("t", "r").await.all().await;
    let before = rig.get("/threads/t/state").await;
    assert!(before.get("deepcitation").is_some(), "{}", before.to_json());
    let input = r#"{"threadId":"t","runId":"r2","messages":[]}"#;
    let (_, told) = rig.send(Method::POST, "/agents/b", &[], input).await;
    let told = told.all().await;
    assert_eq!(kinds(&told).last(), Some(&"RUN_ERROR"));
    assert_eq!(folded(&told, None).1, before);
    assert_eq!(rig.get("/threads/t/state").await, before);
}

#[tokio::test]
async fn a_crash_before_the_first_event_leaves_the_state_as_it_was() {
    let store: Arc<dyn Store> = Arc::new(MemoryStore::new());
    let agents = || vec![("a", agent(answer("said")))];
    let rig = Rig::new(store.clone(), agents()).await;
    rig.run("t", "r").await.all().await;
    let before = rig.get("/threads/t/state").await;
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
    let after = Rig::new(store, agents()).await;
    assert_eq!(last_status(&after, "t").await, "failed");
    assert_eq!(after.get("/threads/t/state").await, before);
}
