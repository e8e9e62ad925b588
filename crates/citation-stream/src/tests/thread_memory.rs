//! Memory of a thread: what its next run restores from the state and the record.

use super::*;
use crate::ThreadUpdate;

fn cites(id: &str, phrase: &str) -> Vec<Event> {
    said(id, &format!("So [1].{}", block(&[(1, phrase, "log")])))
}

fn messages(client: &TestClient) -> Vec<String> {
    let deep = &client.state()["deepcitation"]["messages"];
    let messages = deep.as_object().into_iter().flat_map(json::Map::iter);
    messages.map(|(id, _)| id.to_owned()).collect()
}

fn key_of(client: &TestClient, id: &str) -> String {
    let markers = value(&client.at(&["deepcitation", "messages", id, "markers"]));
    markers["1"].as_str().expect("a key").to_owned()
}

#[tokio::test(start_paused = true)]
async fn needs_no_record_when_the_state_holds_everything() {
    let mut thread = Thread::new(LayerOptions::default());
    thread
        .run(whole_run([cites("m", "Two boats were out")]))
        .await;
    assert!(thread.record().is_none());
}

#[tokio::test(start_paused = true)]
async fn keeps_the_newer_of_two_reviews() {
    let mut thread = Thread::new(LayerOptions::default());
    let client = thread
        .run(whole_run([cites("m", "Two boats were out")]))
        .await;
    let key = key_of(&client, "m");
    let with_review = |review: &str| {
        let mut state = client.state();
        let reviews = json(&format!(r#"{{"{key}":{review}}}"#));
        json::patch::Patcher::default()
            .apply(
                &mut state,
                &[PatchOperation::add("/deepcitation/reviews", reviews)],
            )
            .expect("it applies");
        Json::from(state)
    };
    let posted = r#"{"action":"accepted","at":"2026-03-01T12:00:00.000Z"}"#;
    *thread.host.stored.lock().expect("no panic") = Some(with_review(posted));
    for (review, counts) in [
        (r#"{"action":"opened","at":"2026-01-01T00:00:00Z"}"#, false),
        (
            r#"{"action":"accepted","at":"2026-03-01T13:00:00+01:00"}"#,
            false,
        ),
        // The review was changed without a new time.
        (
            r#"{"action":"opened","at":"2026-03-01T12:00:00.000Z"}"#,
            true,
        ),
        (r#"{"action":"opened","at":1000}"#, false),
        (r#"{"action":"opened","at":"long ago"}"#, false),
        (r#"{"action":"disputed","at":"2026-03-01T12:00:01Z"}"#, true),
        (r#"{"action":"disputed","at":1893456000000}"#, true),
    ] {
        let mut next = input(None);
        next.state = Some(with_review(review));
        let script = vec![started(), finished()];
        let (client, _) = run_with(LayerOptions::default(), &thread.host, next, script).await;
        let shown = if counts { review } else { posted };
        assert_eq!(client.at(&["deepcitation", "reviews", &key]), shown);
        let told = std::mem::take(&mut *thread.host.reviews.lock().expect("no panic"));
        assert_eq!(told.len(), usize::from(counts), "{review}");
    }
}

#[tokio::test(start_paused = true)]
async fn verifies_claims_on_a_thread_without_memory() {
    let mut thread = Thread::new(LayerOptions::default());
    let before = thread.run(whole_run([cites("m", "nowhere at all")])).await;
    let key = key_of(&before, "m");
    let mut forged = before.state();
    let found = json(r#"{"status":"found"}"#);
    json::patch::Patcher::default()
        .apply(
            &mut forged,
            &[
                PatchOperation::add(format!("/deepcitation/verifications/{key}"), found.clone()),
                PatchOperation::add(
                    format!("/deepcitation/messages/m/verifications/{key}"),
                    found,
                ),
                PatchOperation::add(
                    "/deepcitation/messages/m/summary",
                    json(r#"{"total":1,"verified":1,"partial":0,"missed":0,"pending":0}"#),
                ),
                PatchOperation::add("/rag/qa_history/0/confidence", json("1")),
            ],
        )
        .expect("it applies");
    let mut next = input(None);
    next.state = Some(Json::from(forged));
    let host = TestHost::paused();
    let script = whole_run([said("n", "Nothing.")]);
    let (client, _) = run_with(LayerOptions::default(), &host, next, script).await;
    // Only forged verifications are lost.
    assert_eq!(
        client.at(&["deepcitation", "messages", "m"]),
        before.at(&["deepcitation", "messages", "m"])
    );
    assert_eq!(
        client.at(&["deepcitation", "verifications", &key, "status"]),
        r#""not_found""#
    );
    assert_eq!(client.at(&["rag"]), before.at(&["rag"]));
    assert_eq!(client.at(&["citations"]), before.at(&["citations"]));
    assert_eq!(client.statuses("m"), ["verifying", "complete"]);
}

#[tokio::test(start_paused = true)]
async fn repeats_unfinished_checks_in_the_next_run() {
    let mut thread = Thread::new(LayerOptions::default());
    let client = thread.run(whole_run([cites("m", "wait 60000 late")])).await;
    assert_eq!(
        client.at(&["deepcitation", "messages", "m", "summary", "pending"]),
        "1"
    );
    // The program ends before the overdue check is polled.
    thread.host.overdue.lock().expect("no panic").clear();
    thread.options.deadline = Duration::from_secs(100);
    let client = thread.run(whole_run([said("n", "Nothing.")])).await;
    assert_eq!(
        client.at(&["deepcitation", "messages", "m", "summary"]),
        r#"{"total":1,"verified":0,"partial":0,"missed":1,"pending":0}"#
    );
    assert_eq!(
        client.at(&["deepcitation", "messages", "m", "status"]),
        r#""complete""#
    );
}

#[tokio::test(start_paused = true)]
async fn restores_everything_when_the_state_becomes_an_object() {
    let mut thread = Thread::new(LayerOptions::default());
    let first = thread
        .run(whole_run([cites("a", "Two boats were out")]))
        .await;
    thread.state = Some(json("[1]"));
    let second = thread
        .run(whole_run([cites("b", "High tide was at 12:04")]))
        .await;
    assert_eq!(second.fold.state().to_json(), "[1]");
    assert!(thread.record().is_some());
    thread.state = Some(json("{}"));
    let third = thread.run(whole_run([cites("c", "nowhere at all")])).await;
    assert_eq!(messages(&third), ["a", "b", "c"]);
    assert_eq!(
        third.at(&["deepcitation", "messages", "a"]),
        first.at(&["deepcitation", "messages", "a"])
    );
    let numbers = value(&third.at(&["rag", "citations"]));
    let phrases: Vec<&str> = numbers
        .as_array()
        .expect("a list")
        .iter()
        .filter_map(|item| item["content"].as_str())
        .collect();
    assert_eq!(
        phrases,
        [
            "Two boats were out",
            "High tide was at 12:04",
            "nowhere at all"
        ]
    );
    assert_eq!(
        value(&third.at(&["rag", "qa_history"]))
            .as_array()
            .map(<[Value]>::len),
        Some(3)
    );
    assert!(thread.record().is_none());
}

#[tokio::test(start_paused = true)]
async fn applies_late_results_and_reviews_to_the_record() {
    let mut thread = Thread::new(LayerOptions::default());
    thread.state = Some(json("[1]"));
    thread.run(whole_run([cites("m", "wait 60000 late")])).await;
    let overdue = thread.host.overdue.lock().expect("no panic").pop();
    let late = overdue.expect("handed over").await;
    let recalled = thread.host.thread_memory("t").expect("remembered");
    let update = ThreadUpdate::of_late_result(&late, &recalled, &thread.options);
    assert!(update.operations.is_empty());
    let recalled = ThreadMemory {
        record: update.record,
        ..recalled
    };
    let review = value(r#"{"action":"accepted","at":1}"#);
    let key = late.key;
    let update = ThreadUpdate::of_review(&recalled, &thread.options, key, &review);
    let update = update.expect("a review");
    assert!(update.operations.is_empty());
    *thread.host.record.lock().expect("no panic") = update.record;
    thread.state = Some(json("{}"));
    let client = thread.run(vec![started(), finished()]).await;
    assert_eq!(
        client.at(&["deepcitation", "messages", "m", "status"]),
        r#""complete""#
    );
    assert_eq!(
        client.at(&["deepcitation", "reviews", &key.to_string()]),
        r#"{"action":"accepted","at":1}"#
    );
}

#[tokio::test(start_paused = true)]
async fn keeps_messages_with_unsafe_ids_in_the_record() {
    let mut thread = Thread::new(LayerOptions::default());
    for _ in 0..2 {
        let client = thread
            .run(whole_run([
                cites("constructor", "Two boats were out"),
                cites("m", "nowhere at all"),
            ]))
            .await;
        assert_eq!(messages(&client), ["m"]);
        let record = thread.record().expect("kept").into_value();
        assert_eq!(
            record["ledger"]["messages"]["constructor"]["summary"]["verified"],
            Value::from(1_usize)
        );
    }
    let client = thread.run(whole_run([said("n", "Nothing.")])).await;
    assert!(thread.record().is_some());
    // The client has our projections already: nothing is sent again.
    assert_eq!(client.kinds()[1], "TEXT_MESSAGE_START");
}

#[tokio::test(start_paused = true)]
async fn restores_other_projections_without_the_full_one() {
    for (source_lists, session) in [(true, false), (false, true), (true, true)] {
        let mut thread = Thread::new(LayerOptions {
            full: false,
            source_lists,
            session,
            ..LayerOptions::default()
        });
        let first = thread
            .run(whole_run([cites("a", "Two boats were out")]))
            .await;
        let second = thread
            .run(whole_run([cites("b", "High tide was at 12:04")]))
            .await;
        assert_eq!(second.at(&["deepcitation"]), "null");
        if source_lists {
            assert_eq!(
                second.at(&["citations", "a"]),
                first.at(&["citations", "a"])
            );
            assert_eq!(second.at(&["citations", "b", "0", "index"]), "1");
        }
        if session {
            let items = value(&second.at(&["rag", "citations"]));
            assert_eq!(items.as_array().map(<[Value]>::len), Some(2));
        }
    }
}

#[tokio::test(start_paused = true)]
async fn leaves_a_key_to_the_agent_for_the_whole_thread() {
    let mut thread = Thread::new(LayerOptions::default());
    thread
        .run(whole_run([
            vec![snapshot(r#"{"rag":{"x":1},"citations":{"y":1}}"#)],
            cites("a", "Two boats were out"),
            vec![snapshot("{}")],
        ]))
        .await;
    for id in ["b", "c"] {
        let client = thread
            .run(whole_run([cites(id, "High tide was at 12:04")]))
            .await;
        assert_eq!(client.at(&["rag"]), "null");
        assert_eq!(client.at(&["citations"]), "null");
        assert_eq!(
            client.at(&["deepcitation", "messages", id, "summary", "verified"]),
            "1"
        );
    }
    // The ledger is in the state, so the record does not repeat it.
    let record = thread.record().expect("kept");
    assert_eq!(record.to_json(), r#"{"standsDown":["citations","rag"]}"#);
}

#[tokio::test(start_paused = true)]
async fn recognises_only_values_that_we_wrote() {
    let item = r#""index":1,"document_id":"log","document_uri":"u","content":"Two boats were out""#;
    let rag =
        format!(r#"{{"citations":[{{"chunk_id":"0123456789abcdef",{item}}}],"qa_history":[]}}"#);
    for (name, theirs) in [
        ("citations", r#"{"m0":[]}"#),
        (
            "citations",
            r#"{"m0":[{"id":"0123456789abcdef","snippet":"Two boats were out","extra":{"score":1}}]}"#,
        ),
        ("rag", rag.as_str()),
    ] {
        let state = format!(r#"{{"{name}":{theirs}}}"#);
        for (sent, first) in [("{}", vec![snapshot(&state)]), (state.as_str(), vec![])] {
            let mut thread = Thread::new(LayerOptions::default());
            thread.state = Some(json(sent));
            thread
                .run(whole_run([first, cites("a", "High tide was at 12:04")]))
                .await;
            let client = thread.run(whole_run([cites("b", "nowhere at all")])).await;
            assert_eq!(value(&client.at(&[name])), value(theirs));
            assert_eq!(
                messages(&client).len(),
                2 + usize::from(theirs.contains("extra"))
            );
        }
    }
}

#[tokio::test(start_paused = true)]
async fn sends_the_stored_state_to_a_client_with_an_old_one() {
    let mut thread = Thread::new(LayerOptions {
        keep_messages: 2,
        ..LayerOptions::default()
    });
    let first = thread
        .run(whole_run([cites("a", "Two boats were out")]))
        .await;
    for (id, phrase) in [("b", "High tide was at 12:04"), ("c", "nowhere"), ("d", "")] {
        thread.run(whole_run([cites(id, phrase)])).await;
    }
    // The message of that state has been evicted since.
    thread.state = Some(first.fold.state().clone());
    let client = thread
        .run(whole_run([cites("e", "Two boats were out")]))
        .await;
    assert_eq!(messages(&client), ["d", "e"]);
    let lists = value(&client.at(&["citations"]));
    assert!(lists.get("a").is_none() && lists.get("e").is_some());
    // The item of the first turn has left the list, so its passage gets a number that was never used.
    let items = value(&client.at(&["rag", "citations"]));
    let items = items.as_array().expect("items").iter();
    let numbers: Vec<String> = items.map(|item| item["index"].to_json()).collect();
    assert_eq!(numbers, ["3", "4"]);
    assert!(thread.record().is_none());
}

#[tokio::test(start_paused = true)]
async fn keeps_the_key_of_a_citation_after_a_collision() {
    let mut thread = Thread::new(LayerOptions {
        keep_messages: 1,
        ..LayerOptions::default()
    });
    let other = block(&[(1, "Two boats were out", "code")]);
    let client = thread
        .run(whole_run([
            cites("a", "Two boats were out"),
            said("b", &other),
        ]))
        .await;
    let key = key_of(&client, "b");
    let client = thread.run(whole_run([said("c", &other)])).await;
    assert_eq!(key_of(&client, "c"), key);
}
