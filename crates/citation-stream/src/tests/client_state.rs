//! The client's state while the agent and the client change it.

use super::*;
use crate::ThreadUpdate;
use citations::{CitationKey, SdkVersion};

/// Returns the events of a message with one citation.
fn cited() -> Vec<Event> {
    let text = format!("Noon [1].{}", block(&[(1, "Two boats were out", "log")]));
    vec![start("m"), delta("m", &text), end("m")]
}

/// Runs a message with one citation and further events on a state.
async fn on_state(state: Option<&str>, extra: Vec<Event>) -> TestClient {
    let mut script = vec![started()];
    script.extend(cited());
    script.extend(extra);
    script.push(finished());
    let host = TestHost::paused();
    let (client, _) = run_with(LayerOptions::default(), &host, input(state), script).await;
    client
}

const VERIFIED: &[&str] = &["deepcitation", "messages", "m", "summary", "verified"];

#[tokio::test(start_paused = true)]
async fn creates_a_state_object_first() {
    for state in [None, Some("null")] {
        let client = on_state(state, vec![]).await;
        assert!(client.events[2].contains(r#"[{"op":"add","path":"","value":{}}"#));
        assert_eq!(client.at(VERIFIED), "1");
    }
}

#[tokio::test(start_paused = true)]
async fn leaves_a_state_alone_that_is_no_object() {
    for state in ["[1]", "7", "\"text\"", "false"] {
        let client = on_state(Some(state), vec![]).await;
        assert_eq!(client.fold.state().to_json(), state);
        let client = on_state(Some(state), vec![snapshot(r#"{"x":1}"#)]).await;
        assert_eq!(client.at(VERIFIED), "1");
        assert_eq!(client.at(&["x"]), "1");
    }
}

#[tokio::test(start_paused = true)]
async fn rewrites_what_the_agent_wipes() {
    let root = |value: &str| patched(vec![PatchOperation::add("", json(value))]);
    for wipe in [
        snapshot("{}"),
        snapshot("null"),
        snapshot(r#"{"deepcitation":{"citations":{}},"x":1}"#),
        root("{}"),
        root("null"),
        patched(vec![PatchOperation::remove("/deepcitation")]),
        patched(vec![PatchOperation::move_("/deepcitation", "/mine")]),
        patched(vec![PatchOperation::add(
            "/deepcitation/messages/m/status",
            json("7"),
        )]),
    ] {
        let shown = wipe.to_json();
        let client = on_state(Some(r#"{"y":2}"#), vec![wipe]).await;
        assert_eq!(client.at(VERIFIED), "1", "{shown}");
        assert_eq!(
            client.at(&["deepcitation", "messages", "m", "status"]),
            r#""complete""#
        );
        let at = client.events.iter().position(|event| *event == shown);
        let next = &client.events[at.expect("it passes unchanged") + 1];
        assert!(
            next.contains("STATE_DELTA") && next.contains("/deepcitation"),
            "{next}"
        );
    }
}

#[tokio::test(start_paused = true)]
async fn ignores_patches_of_other_keys() {
    let client = on_state(
        None,
        vec![
            patched(vec![PatchOperation::add("/x", json("1"))]),
            patched(vec![PatchOperation::replace("/missing", json("1"))]),
            patched(vec![PatchOperation::add("/deepcitation~1", json("1"))]),
        ],
    )
    .await;
    assert_eq!(client.at(&["x"]), "1");
    assert_eq!(client.at(&["deepcitation/"]), "1");
    let whole: Vec<&String> = client
        .events
        .iter()
        .filter(|event| event.contains(r#""path":"/deepcitation","#))
        .collect();
    assert_eq!(whole.len(), 1);
}

#[tokio::test(start_paused = true)]
async fn keeps_an_agent_patch_before_our_first_write() {
    let mut script = vec![
        started(),
        patched(vec![PatchOperation::add("/x", json("1"))]),
    ];
    script.extend(cited());
    script.push(finished());
    let host = TestHost::paused();
    let (client, _) = run_with(LayerOptions::default(), &host, input(None), script).await;
    assert_eq!(client.at(&["x"]), "1");
    assert_eq!(client.at(VERIFIED), "1");
}

#[tokio::test(start_paused = true)]
async fn escapes_odd_ids_and_omits_unsafe_ones() {
    let host = TestHost::paused();
    let text = block(&[(1, "Two boats were out", "log")]);
    let ids = [
        "a/b",
        "~",
        "m~1/",
        "",
        "é 😀",
        "__proto__",
        "constructor",
        "prototype",
    ];
    let mut script = vec![started()];
    let long = "x".repeat(1025);
    for id in ids.into_iter().chain([long.as_str()]) {
        script.extend([start(id), delta(id, &text), end(id)]);
    }
    script.push(finished());
    let (client, _) = run_with(LayerOptions::default(), &host, input(None), script).await;
    for id in &ids[..5] {
        assert_eq!(
            client.at(&["deepcitation", "messages", id, "summary", "verified"]),
            "1"
        );
        assert_eq!(client.at(&["citations", id, "0", "index"]), "1");
    }
    for id in &ids[5..] {
        assert_eq!(client.at(&["deepcitation", "messages", id]), "null", "{id}");
        assert!(
            !client
                .events
                .iter()
                .any(|event| event.contains(&format!("/{id}")))
        );
    }
    assert!(
        !client
            .events
            .iter()
            .any(|event| { event.contains("STATE_DELTA") && event.contains(long.as_str()) })
    );
    let ledger = host.ledger.lock().expect("no panic").take().expect("told");
    assert_eq!(
        ledger.message("__proto__").map(|m| m.summary.verified),
        Some(1)
    );
}

#[tokio::test(start_paused = true)]
async fn separates_two_citations_with_the_same_key() {
    let text = block(&[
        (1, "Two boats were out", "log"),
        (2, "Two boats were out", "code"),
        (3, "Two boats were out", "log"),
    ]);
    let client = run(vec![
        started(),
        start("m"),
        delta("m", &text),
        end("m"),
        finished(),
    ])
    .await;
    let markers = value(&client.at(&["deepcitation", "messages", "m", "markers"]));
    assert_ne!(markers["1"], markers["2"]);
    assert_eq!(markers["1"], markers["3"]);
    assert_eq!(
        client.at(&["deepcitation", "messages", "m", "summary", "total"]),
        "2"
    );
    let document = |marker: &str| {
        let key = markers[marker].as_str().expect("a key");
        client.at(&["deepcitation", "citations", key, "attachmentId"])
    };
    assert_eq!(document("1"), r#""log""#);
    assert_eq!(document("2"), r#""code""#);
}

#[tokio::test(start_paused = true)]
async fn hides_our_keys_from_the_agent() {
    let before = on_state(Some(r#"{"x":1}"#), vec![]).await;
    let mut next = input(None);
    next.state = Some(before.fold.state().clone());
    let seen = Arc::new(Mutex::new(None));
    let told = Arc::clone(&seen);
    let agent = AgentFn(move |input: RunAgentInput| {
        *told.lock().expect("no panic") = input.state.map(|state| state.to_json());
        EventStream::of([started(), finished()])
    });
    let host = TestHost::paused();
    *host.stored.lock().expect("no panic") = next.state.clone();
    let (client, _) = run_agent(LayerOptions::default(), &host, next, agent).await;
    assert_eq!(
        seen.lock().expect("no panic").as_deref(),
        Some(r#"{"x":1}"#)
    );
    assert_eq!(client.kinds(), ["RUN_STARTED", "RUN_FINISHED"]);
    assert_eq!(client.state(), before.state());
}

#[tokio::test(start_paused = true)]
async fn prefers_the_stored_state_to_the_sent_one() {
    let before = on_state(Some("{}"), vec![]).await;
    let host = TestHost::paused();
    *host.stored.lock().expect("no panic") = Some(before.fold.state().clone());
    let mut forged = before.state();
    let key = value(&before.at(&["deepcitation", "messages", "m", "markers"]))["1"].clone();
    let key = key.as_str().expect("a key");
    let forgery = [
        PatchOperation::add(
            format!("/deepcitation/verifications/{key}/status"),
            json("\"not_found\""),
        ),
        PatchOperation::add("/y", json("5")),
        PatchOperation::add(
            "/deepcitation/reviews",
            json(&format!(
                r#"{{"{key}":{{"action":"accepted","at":5,"more":1}},"0000000000000000":{{"action":"accepted","at":5}},"x":1}}"#
            )),
        ),
    ];
    json::patch::Patcher::default()
        .apply(&mut forged, &forgery)
        .expect("it applies");
    let mut next = input(None);
    next.state = Some(Json::from(forged));
    let script = vec![started(), finished()];
    let (client, _) = run_with(LayerOptions::default(), &host, next, script.clone()).await;
    assert_eq!(
        client.at(&["deepcitation", "verifications", key, "status"]),
        r#""found""#
    );
    assert_eq!(client.at(&["y"]), "5");
    let review = r#"{"action":"accepted","at":5}"#;
    assert_eq!(
        client.at(&["deepcitation", "reviews"]),
        format!(r#"{{"{key}":{review}}}"#)
    );
    assert_eq!(host.reviews.lock().expect("no panic").len(), 1);

    // A client without a state receives the stored one.
    let (client, _) = run_with(LayerOptions::default(), &host, input(None), script).await;
    assert_eq!(
        client.kinds(),
        ["RUN_STARTED", "STATE_SNAPSHOT*", "RUN_FINISHED"]
    );
    assert_eq!(client.state(), before.state());
}

#[tokio::test(start_paused = true)]
async fn leaves_a_key_to_the_agent_that_uses_it() {
    let rag = r#"{"rag":{"citations":[],"qa_history":[]},"citations":{"z":["https://x"]}}"#;
    for (state, extra) in [(rag, vec![]), ("{}", vec![snapshot(rag)])] {
        let client = on_state(Some(state), extra).await;
        assert_eq!(client.at(&["rag"]), r#"{"citations":[],"qa_history":[]}"#);
        assert_eq!(client.at(&["citations"]), r#"{"z":["https://x"]}"#);
        assert_eq!(client.at(VERIFIED), "1");
    }
}

#[tokio::test(start_paused = true)]
async fn keeps_session_numbers_across_runs() {
    let first = on_state(Some("{}"), vec![]).await;
    let mut next = input(None);
    next.state = Some(first.fold.state().clone());
    let text = block(&[
        (1, "No one saw them", "code"),
        (2, "Two boats were out", "log"),
    ]);
    let script = vec![
        started(),
        start("n"),
        delta("n", &text),
        end("n"),
        finished(),
    ];
    let host = TestHost::paused();
    let (client, _) = run_with(LayerOptions::default(), &host, next, script).await;
    let rag = value(&client.at(&["rag"]));
    let numbers: Vec<Value> = rag["citations"]
        .as_array()
        .expect("a list")
        .iter()
        .map(|item| item["index"].clone())
        .collect();
    assert_eq!(numbers, [Value::from(1_i64), Value::from(2_i64)]);
    let turns = rag["qa_history"].as_array().expect("a list");
    assert_eq!(turns.len(), 2);
    assert_eq!(turns[1]["citations"][&"0".to_owned()[..]], Value::Null);
    let again = turns[1]["citations"].as_array().expect("a list");
    assert_eq!(again[1]["index"], Value::from(1_i64));
    assert_eq!(
        again[1]["chunk_id"],
        rag["citations"].as_array().expect("a list")[0]["chunk_id"]
    );
}

#[tokio::test(start_paused = true)]
async fn evicts_old_messages() {
    let options = LayerOptions {
        keep_messages: 2,
        ..LayerOptions::default()
    };
    let host = TestHost::paused();
    let mut script = vec![started()];
    for (number, id) in ["a", "b", "c", "d"].iter().enumerate() {
        let phrase = format!("phrase {number}");
        let text = block(&[(1, &phrase, "log"), (2, "Two boats were out", "log")]);
        script.extend([start(id), delta(id, &text), end(id)]);
    }
    script.push(finished());
    let (client, _) = run_with(options, &host, input(None), script).await;
    let names = |path: &[&str]| -> Vec<String> {
        let value = value(&client.at(path));
        let members = value.as_object().expect("an object");
        members.iter().map(|(name, _)| name.to_owned()).collect()
    };
    assert_eq!(names(&["deepcitation", "messages"]), ["c", "d"]);
    assert_eq!(names(&["citations"]), ["c", "d"]);
    assert_eq!(names(&["deepcitation", "citations"]).len(), 3);
    assert_eq!(names(&["deepcitation", "verifications"]).len(), 3);
}

#[tokio::test(start_paused = true)]
async fn verifies_snapshot_messages_once() {
    let text = format!("Noon [1].{}", block(&[(1, "Two boats were out", "log")]));
    let other = format!("Other [1].{}", block(&[(1, "No one saw them", "code")]));
    let client = run(vec![
        started(),
        start("m"),
        delta("m", &text),
        end("m"),
        conversation([assistant("m", &text), assistant("n", &other)]),
        conversation([assistant("m", &text), assistant("n", &other)]),
        conversation([assistant("renamed", &text), assistant("n", &text)]),
        finished(),
    ])
    .await;
    assert_eq!(
        client.at(&["deepcitation", "messages", "renamed", "summary", "verified"]),
        "1"
    );
    assert_eq!(
        client.at(&["citations", "renamed", "0", "extra", "status"]),
        r#""found""#
    );
    assert_eq!(
        client.at(&["deepcitation", "messages", "n", "citations"]),
        client.at(&["deepcitation", "messages", "renamed", "citations"])
    );
    assert_eq!(
        client.statuses("m"),
        ["streaming", "extracting", "complete"]
    );
    let seen = client
        .events
        .iter()
        .filter(|event| event.contains(r#""path":"/deepcitation/messages/n","#))
        .count();
    assert_eq!(seen, 2);
}

#[tokio::test(start_paused = true)]
async fn writes_configured_names_and_keys() {
    let options = LayerOptions {
        key: "a/b".to_owned(),
        names: SdkVersion::V3,
        source_lists: false,
        session: false,
        ..LayerOptions::default()
    };
    let host = TestHost::paused();
    let mut script = vec![started()];
    script.extend(cited());
    script.push(finished());
    let (client, _) = run_with(options, &host, input(None), script).await;
    let state = client.state();
    assert_eq!(state.as_object().map(json::Map::len), Some(1));
    let citations = value(&client.at(&["a/b", "citations"]));
    let (_, citation) = citations
        .as_object()
        .and_then(|map| map.iter().next())
        .expect("one");
    assert_eq!(
        citation["sourceContext"].as_str(),
        Some("Two boats were out")
    );
}

#[tokio::test(start_paused = true)]
async fn forwards_a_state_without_our_keys_unchanged() {
    let seen = Arc::new(Mutex::new(None));
    let told = Arc::clone(&seen);
    let agent = AgentFn(move |input: RunAgentInput| {
        *told.lock().expect("no panic") = input.state.map(|state| state.to_json());
        EventStream::of([started(), finished()])
    });
    let sent = r#"{"x" : 1.50, "y":[ ]}"#;
    let host = TestHost::paused();
    let (client, _) = run_agent(LayerOptions::default(), &host, input(Some(sent)), agent).await;
    assert_eq!(seen.lock().expect("no panic").as_deref(), Some(sent));
    assert_eq!(client.kinds(), ["RUN_STARTED", "RUN_FINISHED"]);
}

#[tokio::test(start_paused = true)]
async fn adds_a_review_to_a_stored_state() {
    let client = on_state(Some("{}"), vec![]).await;
    let markers = value(&client.at(&["deepcitation", "messages", "m", "markers"]));
    let key = CitationKey::from_hex(markers["1"].as_str().expect("a key")).expect("a key");
    let options = LayerOptions::default();
    let mut state = client.state();
    for action in ["opened", "disputed"] {
        let review = value(&format!(
            r#"{{"action":"{action}","at":"now","note":"n","x":1}}"#
        ));
        let stored = ThreadMemory::from(Json::from(state.clone()));
        let update = ThreadUpdate::of_review(&stored, &options, key, &review);
        json::patch::Patcher::default()
            .apply(&mut state, &update.expect("a review").operations)
            .expect("made for this state");
    }
    let written = format!(r#"{{"{key}":{{"action":"disputed","at":"now","note":"n"}}}}"#);
    assert_eq!(state["deepcitation"]["reviews"].to_json(), written);

    let stored = ThreadMemory::from(Json::from(state));
    let refused = |key: CitationKey, review: &str| {
        ThreadUpdate::of_review(&stored, &options, key, &value(review)).is_none()
    };
    assert!(refused(key, r#"{"action":"liked","at":1}"#));
    assert!(refused(key, r#"{"action":"opened"}"#));
    assert!(refused(
        CitationKey::default(),
        r#"{"action":"opened","at":1}"#
    ));
}
