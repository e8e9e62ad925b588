//! Routes of threads.

use axum::http::Method;
use citation_stream::{ThreadMemory, ThreadUpdate};
use json::Value;

use super::*;

fn text<'v>(value: &'v Value, key: &str) -> &'v str {
    value[key]
        .as_str()
        .unwrap_or_else(|| panic!("{key}: {}", value.to_json()))
}

#[tokio::test(start_paused = true)]
async fn a_thread_is_listed_changed_and_deleted() {
    let server = RunServer::of(answer("hello")).await;
    server.run("t1", "r1").await.all().await;
    server.run("t2", "r1").await.all().await;
    let page = server.get("/threads?limit=1").await;
    let first = page["items"].as_array().expect("items");
    assert_eq!(first.len(), 1);
    let next = text(&page, "next");
    let rest = server.get(&format!("/threads?limit=1&after={next}")).await;
    let mut ids = [
        text(&first[0], "id"),
        text(&rest["items"].as_array().expect("items")[0], "id"),
    ];
    ids.sort_unstable();
    assert_eq!(ids, ["t1", "t2"]);
    assert_eq!(rest["next"], Value::Null);

    let thread = server.get("/threads/t1").await;
    assert_eq!(text(&thread["lastRun"], "status"), "finished");
    assert_eq!(thread["running"], Value::Bool(false));
    assert_eq!(thread["messageCount"], Value::from(2usize));
    let changed = server.json(
        Method::PATCH,
        "/threads/t1",
        r#"{"title":"Harbours","archived":true}"#,
    );
    let (status, changed) = changed.await;
    assert_eq!((status, text(&changed, "title")), (200, "Harbours"));
    assert_eq!(changed["archived"], Value::Bool(true));
    let (_, changed) = server
        .json(Method::PATCH, "/threads/t1", r#"{"title":null}"#)
        .await;
    assert_eq!(changed["title"], Value::Null);
    let (status, wrong) = server
        .json(Method::PATCH, "/threads/t1", r#"{"titel":"x"}"#)
        .await;
    assert_eq!(status, 422, "{}", wrong.to_json());

    let (status, _) = server.json(Method::DELETE, "/threads/t1", "").await;
    assert_eq!(status, 200);
    for path in [
        "",
        "/messages",
        "/state",
        "/events",
        "/events?after=0",
        "/turns",
    ] {
        let (status, _) = server
            .json(Method::GET, &format!("/threads/t1{path}"), "")
            .await;
        assert_eq!(status, 404, "{path}");
    }
    for (method, path) in [
        (Method::DELETE, ""),
        (Method::POST, "/cancel"),
        (Method::PATCH, ""),
    ] {
        let (status, _) = server
            .json(method, &format!("/threads/t1{path}"), "{}")
            .await;
        assert_eq!(status, 404, "{path}");
    }
    let (status, _) = server
        .json(Method::GET, "/threads/t2/events?after=x", "")
        .await;
    assert_eq!(status, 400);
}

#[tokio::test(start_paused = true)]
async fn events_are_numbered_and_can_be_replayed() {
    let server = RunServer::of(answer("hello")).await;
    let first = server.run("t", "r1").await.all().await;
    let second = server.run("t", "r2").await.all().await;
    let all: Vec<SentEvent> = first.iter().chain(&second).cloned().collect();
    let ids: Vec<u64> = all.iter().map(|(id, _)| id.expect("an id")).collect();
    assert_eq!(ids, (1..=ids.len() as u64).collect::<Vec<_>>());

    // The same run sent again gives the same events, or those after the last event id.
    let (status, again) = server.post(&input("t", "r1"), &[]).await;
    assert_eq!((status, again.all().await), (200, first.clone()));
    let (_, rest) = server
        .post(&input("t", "r1"), &[("last-event-id", "3")])
        .await;
    assert_eq!(rest.all().await, first[3..]);
    let other = input("t", "r1").replace("\"q\"", "\"other\"");
    assert_eq!(server.post(&other, &[]).await.0, 409);

    // The whole thread, as a stream and in pages.
    let mut stream = server.subscribe("/threads/t/events?after=0").await;
    let mut replayed = stream.until("RUN_FINISHED").await;
    replayed.extend(stream.until("RUN_FINISHED").await);
    assert_eq!(replayed, all);
    let headers = [("last-event-id", "2")];
    let (_, mut stream) = server
        .send(Method::GET, "/threads/t/events?after=0", &headers, "")
        .await;
    assert_eq!(stream.until("RUN_FINISHED").await, first[2..]);
    let mut paged = Vec::new();
    let mut after = Value::from(0usize);
    while after != Value::Null {
        let page = server
            .get(&format!(
                "/threads/t/events?limit=4&after={}",
                after.to_json()
            ))
            .await;
        for item in page["items"].as_array().expect("items") {
            let Value::Number(at) = &item["sequence"] else {
                panic!("no sequence");
            };
            paged.push((at.as_safe_int().map(|at| at as u64), item["event"].clone()));
        }
        after = page["next"].clone();
    }
    assert_eq!(paged, all);
    let (status, _) = server
        .send(Method::GET, "/threads/t/events?after=99", &[], "")
        .await;
    assert_eq!(status, 422, "the position is beyond the last event");
}

#[tokio::test(start_paused = true)]
async fn a_subscription_begins_with_a_snapshot_and_continues_with_new_runs() {
    let mut steps = answer("hello");
    steps.insert(
        2,
        say(r#"{"type":"STATE_DELTA","delta":[{"op":"add","path":"/n","value":1}]}"#),
    );
    steps.insert(3, ScriptStep::Wait(Duration::from_secs(60)));
    let server = RunServer::of(steps).await;
    server.run("t", "r1").await.all().await;
    let whole = (
        server.get("/threads/t/messages").await,
        server.get("/threads/t/state").await,
    );

    // Without an open run: start of the last run, state, messages and its end.
    let mut idle = server.subscribe("/threads/t/events").await;
    let opened = idle.until("RUN_FINISHED").await;
    assert_eq!(
        kinds(&opened),
        [
            "RUN_STARTED",
            "STATE_SNAPSHOT",
            "MESSAGES_SNAPSHOT",
            "RUN_FINISHED"
        ]
    );
    let ids: Vec<Option<u64>> = opened.iter().map(|(id, _)| *id).collect();
    assert_eq!(
        &ids[..3],
        [None; 3],
        "half of it is nothing to come back to"
    );
    assert_eq!(folded(&opened, None), whole);

    // Old and new subscribers receive an open run from its beginning.
    let mut response = server.run("t", "r2").await;
    let mut seen = response.until("STATE_DELTA").await;
    let mut late = server.subscribe("/threads/t/events").await;
    let late = late.until("RUN_FINISHED").await;
    assert_eq!(
        kinds(&late)[..3],
        ["RUN_STARTED", "STATE_SNAPSHOT", "MESSAGES_SNAPSHOT"]
    );
    let followed = idle.until("RUN_FINISHED").await;
    seen.extend(response.all().await);
    assert_eq!(
        followed, seen,
        "the next run follows in the same subscription"
    );
    let live = folded(&seen, Some(&input("t", "r2")));
    assert_eq!(folded(&late, None), live);
    let now = (
        server.get("/threads/t/messages").await,
        server.get("/threads/t/state").await,
    );
    assert_eq!(now, live);
}

#[tokio::test(start_paused = true)]
async fn an_open_run_shows_in_messages_and_state() {
    let mut steps = answer("hello");
    steps.insert(3, ScriptStep::Hang);
    let server = RunServer::of(steps).await;
    let mut response = server.run("t", "r").await;
    response.until("TEXT_MESSAGE_CONTENT").await;
    let thread = server.get("/threads/t").await;
    assert_eq!(thread["running"], Value::Bool(true));
    assert_eq!(text(&thread["lastRun"], "status"), "running");
    let messages = server.get("/threads/t/messages").await;
    assert_eq!(
        text(&messages.as_array().expect("messages")[1], "content"),
        "hello"
    );
    let last = server.get("/threads/t/messages?limit=1").await;
    assert_eq!(last.as_array().map(<[Value]>::len), Some(1));
    let state = server.get("/threads/t/state").await;
    assert_eq!(
        text(&state["deepcitation"]["messages"]["a-r"], "status"),
        "streaming"
    );
}

#[tokio::test(start_paused = true)]
async fn pending_interrupts_are_shown() {
    let interrupt = r#"{"type":"RUN_FINISHED","threadId":"@T","runId":"@R","outcome":{"type":"interrupt","interrupts":[{"id":"i1","reason":"approval"}]}}"#;
    let server = RunServer::of(vec![say(STARTED), say(interrupt)]).await;
    server.run("t", "r").await.all().await;
    let thread = server.get("/threads/t").await;
    let pending = thread["pendingInterrupts"].as_array().expect("a list");
    assert_eq!(text(&pending[0], "id"), "i1");
    assert_eq!(text(&thread["lastRun"], "status"), "interrupted");
}

#[tokio::test(start_paused = true)]
async fn turns_contain_the_question_and_the_run() {
    let server = RunServer::of(answer("hello")).await;
    server.run("t", "r1").await.all().await;
    let turns = server.get("/threads/t/turns").await;
    assert_eq!(
        turns.to_json(),
        r#"[{"userMessageId":"u-r1","runId":"r1","sourceReferences":[]}]"#
    );
}

#[tokio::test(start_paused = true)]
async fn a_run_without_a_state_begins_with_that_of_the_thread() {
    let mut steps = answer("hello");
    steps.insert(1, say(r#"{"type":"STATE_SNAPSHOT","snapshot":{"n":1}}"#));
    let server = RunServer::new(
        Arc::new(MemoryStore::new()),
        vec![("a", agent(steps)), ("b", agent(answer("again")))],
    );
    let server = server.await;
    server.run("t", "r1").await.all().await;
    let body = r#"{"threadId":"t","messages":[]}"#;
    let (_, second) = server.send(Method::POST, "/agents/b", &[], body).await;
    let second = second.all().await;
    assert_eq!(kinds(&second)[..2], ["RUN_STARTED", "STATE_SNAPSHOT"]);
    assert_eq!(second[1].1["snapshot"]["n"], Value::from(1usize));
    let (_, state) = folded(&second, None);
    assert_eq!(server.get("/threads/t/state").await, state);
}

#[tokio::test(start_paused = true)]
async fn a_branch_names_its_parent_thread_and_run() {
    let server = RunServer::of(answer("hello")).await;
    server.run("t", "r").await.all().await;
    let branch =
        r#"{"threadId":"b","runId":"r","parentThreadId":"t","parentRunId":"r","messages":[]}"#;
    let (status, response) = server.post(branch, &[]).await;
    assert_eq!(status, 200);
    response.all().await;
    let thread = server.get("/threads/b").await;
    assert_eq!(
        (
            text(&thread, "parentThreadId"),
            text(&thread, "parentRunId")
        ),
        ("t", "r")
    );
    let nowhere = branch
        .replace("\"t\"", "\"gone\"")
        .replace("\"b\"", "\"c\"");
    assert_eq!(server.post(&nowhere, &[]).await.0, 404);
}

#[tokio::test(start_paused = true)]
async fn a_branch_begins_with_messages_and_state_of_its_parent() {
    let with_state = |n: usize| {
        let mut steps = answer("hello");
        let snapshot = format!(r#"{{"type":"STATE_SNAPSHOT","snapshot":{{"n":{n}}}}}"#);
        steps.insert(1, say(&snapshot));
        agent(steps)
    };
    let agents = vec![
        ("a", with_state(1)),
        ("b", with_state(2)),
        ("c", agent(answer("again"))),
    ];
    let server = RunServer::new(Arc::new(MemoryStore::new()), agents).await;
    server.run("t", "r1").await.all().await;
    let as_of_first = server.get("/threads/t/messages").await;
    let (_, second) = server
        .send(Method::POST, "/agents/b", &[], &input("t", "r2"))
        .await;
    second.all().await;
    // The branch begins after the first run and sends only its new message.
    let branch = r#"{"threadId":"b","runId":"r3","parentThreadId":"t","parentRunId":"r1","messages":[{"id":"new","role":"user","content":"and then?"}]}"#;
    let (status, response) = server.send(Method::POST, "/agents/c", &[], branch).await;
    assert_eq!(status, 200);
    let seen = response.all().await;
    let (messages, state) = folded(&seen, Some(branch));
    assert_eq!(state["n"], Value::from(1usize));
    let ids: Vec<&str> = messages
        .as_array()
        .expect("a list")
        .iter()
        .map(|m| text(m, "id"))
        .collect();
    assert_eq!(ids, ["u-r1", "a-r1", "new", "a-r3"]);
    let begins = &messages.as_array().expect("a list")[..2];
    assert_eq!(Value::Array(begins.to_vec()), as_of_first);
    // The client and the thread agree.
    assert_eq!(server.get("/threads/b/messages").await, messages);
    assert_eq!(server.get("/threads/b/state").await, state);
    // The same request again is the same run.
    let (status, again) = server.send(Method::POST, "/agents/c", &[], branch).await;
    assert_eq!(status, 200);
    assert_eq!(again.all().await, seen);
    let parent = server.get("/threads/t/state").await;
    assert_eq!(parent["n"], Value::from(2usize));

    // A client that sends messages of the parent decides on the conversation itself.
    let edited = branch
        .replace("r3", "r4")
        .replace("\"b\"", "\"e\"")
        .replace("\"new\"", "\"u-r1\"");
    let (_, response) = server.send(Method::POST, "/agents/c", &[], &edited).await;
    let (messages, _) = folded(&response.all().await, Some(&edited));
    assert_eq!(messages.as_array().map(<[Value]>::len), Some(2));
    // Later runs of the branch do not inherit again.
    let next = branch.replace("r3", "r5").replace("\"new\"", "\"later\"");
    let (_, response) = server.send(Method::POST, "/agents/c", &[], &next).await;
    let (messages, _) = folded(&response.all().await, Some(&next));
    assert_eq!(messages.as_array().map(<[Value]>::len), Some(2));
}

#[tokio::test(start_paused = true)]
async fn an_open_run_cannot_be_branched() {
    let server = RunServer::of(vec![say(STARTED), ScriptStep::Hang]).await;
    let mut open = server.run("t", "r").await;
    open.next().await;
    let branch =
        r#"{"threadId":"b","runId":"r","parentThreadId":"t","parentRunId":"r","messages":[]}"#;
    assert_eq!(server.post(branch, &[]).await.0, 409);
}

#[tokio::test(start_paused = true)]
async fn late_results_are_shown_and_sent_with_the_next_run() {
    let cited = r#"So it is [1].<<<CITATION_DATA>>>[{\"id\":1,\"full_phrase\":\"so it is\"}]<<<END_CITATION_DATA>>>"#;
    let server = RunServer::of(answer(cited)).await;
    server.run("t", "r1").await.all().await;
    let before = server.get("/threads/t/state").await;
    let deep = before["deepcitation"]["verifications"].as_object();
    let (citation, _) = deep.and_then(|all| all.iter().next()).expect("a result");
    let place = format!("/deepcitation/verifications/{citation}");
    let key = (
        store::Principal::local(),
        store::ThreadId::new("t").expect("an id"),
    );
    let run = store::RunId::new("r1").expect("an id");
    for note in ["one", "two"] {
        // Each late result sees the changes of those before.
        let change = |recalled: &ThreadMemory| {
            let known = &recalled.state.value()["deepcitation"]["verifications"][citation];
            let known = known.get("note").and_then(Value::as_str).unwrap_or("");
            let value = Value::from(format!("{known}{note}"));
            ThreadUpdate {
                operations: vec![json::patch::PatchOperation::add(
                    format!("{place}/note"),
                    value,
                )],
                record: None,
            }
        };
        let amended = server
            .gateway()
            .runs
            .update_thread(&key, &run, change)
            .await;
        amended.expect("it is stored");
    }
    let noted = |state: &Value| {
        let result = &state["deepcitation"]["verifications"][citation];
        result
            .get("note")
            .and_then(Value::as_str)
            .map(str::to_owned)
    };
    assert_eq!(noted(&before), None);
    let amended = server.get("/threads/t/state").await;
    assert_eq!(noted(&amended).as_deref(), Some("onetwo"));

    // A client with the old state receives the difference first.
    let body = input("t", "r2").replace("\"state\":{}", &format!("\"state\":{}", before.to_json()));
    let (_, second) = server.post(&body, &[]).await;
    let second = second.all().await;
    assert_eq!(kinds(&second)[..2], ["RUN_STARTED", "STATE_DELTA"]);
    let (_, told) = folded(&second[..2], Some(&body));
    assert_eq!(noted(&told).as_deref(), Some("onetwo"));
    let (_, whole) = folded(&second, Some(&body));
    assert_eq!(server.get("/threads/t/state").await, whole);
}

#[tokio::test(start_paused = true)]
async fn ids_may_contain_special_characters() {
    let server = RunServer::of(answer("hello")).await;
    for (id, path) in [
        ("../../etc/passwd", "..%2F..%2Fetc%2Fpasswd"),
        ("a b?c#d%", "a%20b%3Fc%23d%25"),
        ("__proto__", "__proto__"),
        (
            "наша нить",
            "%D0%BD%D0%B0%D1%88%D0%B0%20%D0%BD%D0%B8%D1%82%D1%8C",
        ),
        (
            "x'; DROP TABLE threads; --",
            "x'%3B%20DROP%20TABLE%20threads%3B%20--",
        ),
        ("local.1", "local.1"),
    ] {
        server.run(id, "r/../r").await.all().await;
        let thread = server.get(&format!("/threads/{path}")).await;
        assert_eq!(text(&thread, "id"), id);
        assert_eq!(text(&thread["lastRun"], "id"), "r/../r");
    }
    let listed = server.get("/threads?limit=2").await;
    let next = text(&listed, "next").to_owned();
    let (status, _) = server
        .json(Method::GET, "/threads?after=nonsense", "")
        .await;
    assert_eq!(status, 422);
    assert!(!next.is_empty());
    let long = "x".repeat(513);
    assert_eq!(server.post(&input(&long, "r"), &[]).await.0, 422);
    assert_eq!(server.post(&input("a\\u0000b", "r"), &[]).await.0, 422);
    let (status, _) = server
        .json(Method::GET, &format!("/threads/{long}"), "")
        .await;
    assert_eq!(status, 422);
}
