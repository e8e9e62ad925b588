//! Verification of streamed citations: order of results, timeouts, late results.

use agui_http::serve::queue;

use super::*;
use crate::ThreadUpdate;

#[tokio::test(start_paused = true)]
async fn verifies_a_citation_before_the_run_ends() {
    let text = format!(
        "Noon [1].\n{}",
        block(&[(1, "High tide was at 12:04", "log")])
    );
    let client = run(vec![
        started(),
        start("m"),
        delta("m", &text),
        end("m"),
        finished(),
    ])
    .await;
    assert_eq!(
        client.kinds(),
        [
            "RUN_STARTED",
            "TEXT_MESSAGE_START",
            "STATE_DELTA*",
            "TEXT_MESSAGE_CONTENT",
            "STATE_DELTA*",
            "STATE_DELTA*",
            "TEXT_MESSAGE_END",
            "STATE_DELTA*",
            "STATE_DELTA*",
            "STATE_DELTA*",
            "RUN_FINISHED"
        ]
    );
    let statuses = client.statuses("m");
    assert_eq!(statuses, ["streaming", "extracting", "complete"]);
    assert_eq!(
        client.at(&["deepcitation", "messages", "m", "summary"]),
        r#"{"total":1,"verified":1,"partial":0,"missed":0,"pending":0}"#
    );
    let markers = client.at(&["deepcitation", "messages", "m", "markers"]);
    let key = &markers[6..22];
    assert_eq!(markers, format!(r#"{{"1":"{key}"}}"#));
    assert_eq!(
        client.at(&["deepcitation", "verifications", key, "status"]),
        r#""found""#
    );
    assert_eq!(
        client.at(&["deepcitation", "messages", "m", "verifications"]),
        client.at(&["deepcitation", "verifications"])
    );
}

#[tokio::test(start_paused = true)]
async fn sends_results_as_they_finish_and_waits_for_all_at_the_end() {
    let text = block(&[(1, "wait 900 slow", "log"), (2, "wait 300 fast", "log")]);
    let host = TestHost::paused();
    let began = tokio::time::Instant::now();
    let script = vec![
        started(),
        start("m"),
        delta("m", &text),
        end("m"),
        failed("no more"),
    ];
    let (client, end) = run_with(LayerOptions::default(), &host, input(Some("{}")), script).await;
    end.expect("a failed run is a complete stream");
    assert_eq!(began.elapsed().as_millis(), 900);
    assert_eq!(client.kinds().last().map(String::as_str), Some("RUN_ERROR"));
    let statuses = client.statuses("m");
    assert_eq!(
        statuses,
        ["streaming", "extracting", "verifying", "complete"]
    );
    let markers = value(&client.at(&["deepcitation", "messages", "m", "markers"]));
    let added: Vec<usize> = ["1", "2"]
        .iter()
        .map(|marker| {
            let key = markers[*marker].as_str().expect("both are there");
            let path = format!("\"/deepcitation/verifications/{key}\"");
            let found = client.events.iter().position(|event| event.contains(&path));
            found.expect("each has a result")
        })
        .collect();
    assert!(added[1] < added[0], "the fast one first");
}

#[tokio::test(start_paused = true)]
async fn applies_a_late_result_to_the_stored_state() {
    let text = block(&[(1, "wait 60000 late", "log")]);
    let host = TestHost::paused();
    let script = vec![
        started(),
        start("m"),
        delta("m", &text),
        end("m"),
        finished(),
    ];
    let began = tokio::time::Instant::now();
    let options = LayerOptions::default();
    let (client, _) = run_with(options.clone(), &host, input(None), script).await;
    assert_eq!(began.elapsed().as_secs(), 10);
    assert_eq!(
        client.at(&["deepcitation", "messages", "m", "status"]),
        r#""verifying""#
    );
    assert_eq!(
        client.at(&["deepcitation", "messages", "m", "summary", "pending"]),
        "1"
    );

    assert_eq!(client.at(&["rag", "qa_history", "0", "confidence"]), "0");
    let overdue = host.overdue.lock().expect("no panic").pop();
    let late = overdue.expect("handed over").await;
    assert_eq!(began.elapsed().as_secs(), 60);
    let mut stored = client.state();
    let update = ThreadUpdate::of_late_result(&late, &Json::from(stored.clone()).into(), &options);
    json::patch::Patcher::default()
        .apply(&mut stored, &update.operations)
        .expect("made for this state");
    assert_eq!(
        stored["deepcitation"]["messages"]["m"]["status"].as_str(),
        Some("complete")
    );

    // A verified citation raises the confidence of the turn.
    let mut found = late.clone();
    found.result.verification.status = Some(citations::VerificationStatus::Found);
    let mut surer = client.state();
    let update = ThreadUpdate::of_late_result(&found, &Json::from(surer.clone()).into(), &options);
    json::patch::Patcher::default()
        .apply(&mut surer, &update.operations)
        .expect("made for this state");
    let turns = surer["rag"]["qa_history"].as_array().expect("turns");
    assert_eq!(turns[0]["confidence"], Value::from(1_usize));

    // The next run starts with the result.
    *host.stored.lock().expect("no panic") = Some(Json::from(stored.clone()));
    let mut next = input(None);
    next.state = Some(Json::from(client.state()));
    let (client, _) = run_with(options, &host, next, vec![started(), finished()]).await;
    assert_eq!(
        client.kinds(),
        ["RUN_STARTED", "STATE_DELTA*", "RUN_FINISHED"]
    );
    assert_eq!(client.state(), stored);
}

#[tokio::test(start_paused = true)]
async fn verifies_the_citations_of_a_message_cut_off_by_an_error() {
    let whole = block(&[(1, "Two boats were out", "code"), (2, "cut", "code")]);
    let cut = whole.find("cut").expect("it is there");
    let script = vec![
        started(),
        start("m"),
        delta("m", &whole[..cut]),
        failed("gone"),
    ];
    let client = run(script).await;
    assert_eq!(client.statuses("m"), ["streaming", "error"]);
    let error = client.at(&["deepcitation", "messages", "m", "error"]);
    assert!(error.contains("gone"), "{error}");
    assert_eq!(
        client.at(&["deepcitation", "messages", "m", "summary", "verified"]),
        "1"
    );
}

#[tokio::test(start_paused = true)]
async fn forwards_a_stream_error_after_the_results() {
    let text = block(&[(1, "wait 50 x", "log")]);
    let host = TestHost::paused();
    for (script, events) in [
        (vec![], vec!["RUN_STARTED*"]),
        (vec![start("m")], vec!["RUN_STARTED*"]),
    ] {
        let (client, end) =
            run_with(LayerOptions::default(), &host, input(Some("{}")), script).await;
        assert_eq!(client.kinds(), events);
        assert!(end.is_err());
    }
    let script = vec![started(), start("m"), delta("m", &text)];
    let (client, end) = run_with(LayerOptions::default(), &host, input(Some("{}")), script).await;
    assert_eq!(end.expect_err("truncated").code(), "upstream_truncated");
    assert_eq!(
        client.at(&["deepcitation", "messages", "m", "summary", "missed"]),
        "1"
    );
    assert_eq!(
        client.at(&["deepcitation", "messages", "m", "status"]),
        r#""error""#
    );
}

#[tokio::test(start_paused = true)]
async fn forwards_text_while_checks_are_open() {
    let (sender, stream) = queue(8);
    let stream = Mutex::new(Some(stream));
    let agent = AgentFn(move |_| stream.lock().expect("no panic").take().expect("one run"));
    let options = LayerOptions::default();
    let layer = CitationLayer::new(agent, SlowVerifier(library()), TestHost::paused(), options);
    let mut client = TestClient::new(&input(None));
    let mut events = layer.run(input(None));
    let mut slot = ReceivedEvent::default();
    let text = block(&[(1, "wait 70 x", "log")]);
    for event in [
        started(),
        start("m"),
        delta("m", &text),
        delta("m", " more"),
    ] {
        sender.send(event).await.expect("open");
    }
    while client.kinds().last().map(String::as_str) != Some("TEXT_MESSAGE_CONTENT")
        || !client.events.last().expect("not empty").contains("more")
    {
        let read = events.next_into(&mut slot).await;
        read.expect("not the end").expect("no error");
        client.take(&slot);
    }
    // The result arrives while the agent is silent.
    events
        .next_into(&mut slot)
        .await
        .expect("more")
        .expect("no error");
    client.take(&slot);
    assert_eq!(
        client.at(&["deepcitation", "messages", "m", "summary", "missed"]),
        "1"
    );
}

#[tokio::test(start_paused = true)]
async fn sends_custom_events_for_each_citation() {
    let options = LayerOptions {
        custom_events: true,
        ..LayerOptions::default()
    };
    let host = TestHost::paused();
    let text = block(&[(1, "wait 250 x", "log")]);
    let script = vec![
        started(),
        start("m"),
        delta("m", &text),
        end("m"),
        finished(),
    ];
    let (client, _) = run_with(options, &host, input(Some("{}")), script).await;
    let events: Vec<Value> = client
        .events
        .iter()
        .map(|event| value(event))
        .filter(|event| event["type"].as_str() == Some("CUSTOM"))
        .collect();
    let names: Vec<&str> = events
        .iter()
        .filter_map(|event| event["name"].as_str())
        .collect();
    assert_eq!(names, ["citation.seen", "citation.verified"]);
    assert_eq!(events[0]["value"]["messageId"].as_str(), Some("m"));
    assert_eq!(
        events[1]["value"]["timeToCertaintyMs"],
        Value::from(250_i64)
    );
}

#[tokio::test(start_paused = true)]
async fn sends_patches_linear_in_the_number_of_citations() {
    let mut sizes = Vec::new();
    for count in [200_u32, 800] {
        let phrases: Vec<String> = (0..count)
            .map(|n| format!("phrase number {n:05}"))
            .collect();
        let items: Vec<(u32, &str, &str)> = (0..count)
            .zip(&phrases)
            .map(|(n, phrase)| (n + 1, phrase.as_str(), "gone"))
            .collect();
        let text = block(&items);
        let client = run(vec![
            started(),
            start("m"),
            delta("m", &text),
            end("m"),
            finished(),
        ])
        .await;
        let missed = client.at(&["deepcitation", "messages", "m", "summary", "missed"]);
        assert_eq!(missed, count.to_string());
        // The session projection repeats every citation of a turn.
        sizes.push(client.events.iter().map(String::len).sum::<usize>());
    }
    assert!(sizes[1] < sizes[0] * 9 / 2, "{sizes:?}");
}

#[tokio::test(start_paused = true)]
async fn abandons_a_check_at_its_deadline() {
    let options = LayerOptions {
        max_checks: 1,
        ..LayerOptions::default()
    };
    let host = TestHost::paused();
    let text = block(&[
        (1, "wait 3600000 stuck", "log"),
        (2, "Two boats were out", "log"),
    ]);
    let (sender, stream) = queue(8);
    let stream = Mutex::new(Some(stream));
    let agent = AgentFn(move |_| stream.lock().expect("no panic").take().expect("one run"));
    let began = tokio::time::Instant::now();
    let spoken = tokio::spawn(async move {
        for event in [started(), start("m"), delta("m", &text), end("m")] {
            sender.send(event).await.expect("open");
        }
        tokio::time::sleep(Duration::from_secs(30)).await;
        sender.send(finished()).await.expect("open");
    });
    let (client, _) = run_agent(options, &host, input(None), agent).await;
    spoken.await.expect("no panic");
    // The end of the run does not wait for the abandoned check.
    assert_eq!(began.elapsed().as_secs(), 30);
    let summary = client.at(&["deepcitation", "messages", "m", "summary"]);
    assert_eq!(
        summary,
        r#"{"total":2,"verified":1,"partial":0,"missed":0,"pending":1}"#
    );
    assert_eq!(
        client.at(&["deepcitation", "messages", "m", "status"]),
        r#""verifying""#
    );
    assert_eq!(host.overdue.lock().expect("no panic").len(), 1);
}
