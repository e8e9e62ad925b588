//! What is known of a thread in its next run, wherever it was kept and whoever says so.

use super::*;

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
async fn in_the_ordinary_case_nothing_is_kept_beside_the_state() {
    let mut thread = Thread::new(LayerOptions::default());
    thread
        .run(whole_run([cites("m", "Two boats were out")]))
        .await;
    assert!(thread.record().is_none());
}

#[tokio::test(start_paused = true)]
async fn an_older_review_of_a_client_does_not_undo_a_newer_one() {
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
        // Somebody has changed it, and not the time.
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
async fn what_a_client_claims_on_a_thread_that_nobody_remembers_is_checked() {
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
    // Nothing is lost but what was forged.
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
async fn what_was_never_checked_to_the_end_is_checked_again_in_the_next_run() {
    let mut thread = Thread::new(LayerOptions::default());
    let client = thread.run(whole_run([cites("m", "wait 60000 late")])).await;
    assert_eq!(
        client.at(&["deepcitation", "messages", "m", "summary", "pending"]),
        "1"
    );
    // The program ends: nobody polls what is overdue.
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
async fn a_state_that_was_no_object_once_has_everything_when_it_is_one_again() {
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
async fn a_late_result_and_a_review_reach_what_the_state_cannot_hold() {
    let mut thread = Thread::new(LayerOptions::default());
    thread.state = Some(json("[1]"));
    thread.run(whole_run([cites("m", "wait 60000 late")])).await;
    let overdue = thread.host.overdue.lock().expect("no panic").pop();
    let amendment = overdue.expect("handed over").await;
    let recalled = thread.host.recall("t").expect("remembered");
    let amended = amendment.amend(&recalled, &thread.options);
    assert!(amended.operations.is_empty());
    let recalled = ThreadMemory {
        record: amended.record,
        ..recalled
    };
    let review = value(r#"{"action":"accepted","at":1}"#);
    let key = amendment.key;
    let amended = super::super::amend_review(&recalled, &thread.options, key, &review);
    let amended = amended.expect("a review");
    assert!(amended.operations.is_empty());
    *thread.host.record.lock().expect("no panic") = amended.record;
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
async fn messages_with_unsafe_ids_are_kept_beside_the_state() {
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
    // What the client has of ours is what it had: nothing of it is sent again.
    assert_eq!(client.kinds()[1], "TEXT_MESSAGE_START");
}

#[tokio::test(start_paused = true)]
async fn without_the_full_form_the_others_go_on_where_they_were() {
    for (bridge, rag) in [(true, false), (false, true), (true, true)] {
        let mut thread = Thread::new(LayerOptions {
            deep: false,
            bridge,
            rag,
            ..LayerOptions::default()
        });
        let first = thread
            .run(whole_run([cites("a", "Two boats were out")]))
            .await;
        let second = thread
            .run(whole_run([cites("b", "High tide was at 12:04")]))
            .await;
        assert_eq!(second.at(&["deepcitation"]), "null");
        if bridge {
            assert_eq!(
                second.at(&["citations", "a"]),
                first.at(&["citations", "a"])
            );
            assert_eq!(second.at(&["citations", "b", "0", "index"]), "1");
        }
        if rag {
            let items = value(&second.at(&["rag", "citations"]));
            assert_eq!(items.as_array().map(<[Value]>::len), Some(2));
        }
    }
}

#[tokio::test(start_paused = true)]
async fn a_key_that_somebody_else_has_used_stays_theirs_in_the_thread() {
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
    // What is in our own key is not kept a second time.
    let record = thread.record().expect("kept");
    assert_eq!(record.to_json(), r#"{"standsDown":["citations","rag"]}"#);
}

#[tokio::test(start_paused = true)]
async fn a_value_is_ours_if_we_wrote_it_and_not_if_it_looks_so() {
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
async fn a_client_that_sends_an_old_state_gets_what_is_stored() {
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
    // The message of that state was evicted since.
    thread.state = Some(first.fold.state().clone());
    let client = thread
        .run(whole_run([cites("e", "Two boats were out")]))
        .await;
    assert_eq!(messages(&client), ["d", "e"]);
    let lists = value(&client.at(&["citations"]));
    assert!(lists.get("a").is_none() && lists.get("e").is_some());
    assert_eq!(client.at(&["rag", "citations", "0", "index"]), "1");
    let items = value(&client.at(&["rag", "citations"]));
    assert_eq!(items.as_array().map(<[Value]>::len), Some(3));
    assert!(thread.record().is_none());
}

#[tokio::test(start_paused = true)]
async fn the_second_citation_of_a_key_keeps_its_own_when_the_first_is_gone() {
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
