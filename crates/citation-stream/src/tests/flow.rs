//! What comes when: text at once, citations when they are complete, results as they come, the end last.

use agui::event::{TextMessageChunk, ToolCallStart};
use agui_http::serve::queue;

use super::*;

#[tokio::test(start_paused = true)]
async fn a_citation_is_checked_and_the_run_ends_after_it() {
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
async fn nothing_cited_costs_three_patches() {
    let client = run(vec![
        started(),
        start("m"),
        delta("m", "Hello."),
        end("m"),
        finished(),
    ])
    .await;
    let deltas = client
        .kinds()
        .iter()
        .filter(|kind| *kind == "STATE_DELTA*")
        .count();
    assert_eq!(deltas, 3);
    assert_eq!(
        client.statuses("m"),
        ["streaming", "extracting", "complete"]
    );
    assert_eq!(client.at(&["citations"]), "null");
    assert_eq!(client.at(&["rag"]), "null");
}

#[tokio::test(start_paused = true)]
async fn an_empty_message_goes_from_streaming_to_complete() {
    let client = run(vec![started(), start("m"), end("m"), finished()]).await;
    assert_eq!(client.statuses("m"), ["streaming", "complete"]);
}

#[tokio::test(start_paused = true)]
async fn the_end_waits_for_checks_and_results_come_as_they_finish() {
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
async fn a_late_result_is_handed_over_and_amends_the_stored_state() {
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
    let amendment = overdue.expect("handed over").await;
    assert_eq!(began.elapsed().as_secs(), 60);
    let mut stored = client.state();
    let amended = amendment.amend(&Json::from(stored.clone()).into(), &options);
    json::patch::Patcher::default()
        .apply(&mut stored, &amended.operations)
        .expect("made for this state");
    assert_eq!(
        stored["deepcitation"]["messages"]["m"]["status"].as_str(),
        Some("complete")
    );

    // Had it been found, the turn would be surer.
    let mut found = amendment.clone();
    found.finding.verification.status = Some(citations::VerificationStatus::Found);
    let mut surer = client.state();
    let amended = found.amend(&Json::from(surer.clone()).into(), &options);
    json::patch::Patcher::default()
        .apply(&mut surer, &amended.operations)
        .expect("made for this state");
    let turns = surer["rag"]["qa_history"].as_array().expect("turns");
    assert_eq!(turns[0]["confidence"], Value::from(1_usize));

    // The next run begins with it.
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
async fn a_message_that_is_open_when_the_run_fails_is_in_error_but_checked() {
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
async fn a_stream_that_breaks_off_hands_its_error_on_after_the_results() {
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
async fn a_broken_rule_ends_the_stream() {
    let host = TestHost::paused();
    let script = vec![started(), delta("never", "x"), finished()];
    let (client, end) = run_with(LayerOptions::default(), &host, input(None), script).await;
    assert_eq!(client.kinds(), ["RUN_STARTED"]);
    let error = end.expect_err("a rule is broken");
    assert_eq!(error.code(), "upstream_protocol");
}

#[tokio::test(start_paused = true)]
async fn text_is_not_held_back_by_checks() {
    let (sender, stream) = queue(8);
    let stream = Mutex::new(Some(stream));
    let agent = AgentFn(move |_| stream.lock().expect("no panic").take().expect("one run"));
    let options = LayerOptions::default();
    let layer = CitationLayer::new(agent, Slow(library()), TestHost::paused(), options);
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
    // The result comes in a silence of the agent.
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
async fn received_bytes_go_on_and_chunks_go_on_expanded() {
    let mut reader = agui::EventReader::new();
    let mut read = |text: &str| reader.read(Text::from(text)).expect("an event");
    let odd = r#"{ "type":"TEXT_MESSAGE_CONTENT","messageId":"m" ,"delta":"\u0041", "mine":1}"#;
    let unknown = r#"{"type":"SOMETHING_ELSE","x":[1, 2]}"#;
    let begin = r#"{"type":"RUN_STARTED","threadId":"t","runId":"r","timestamp":1}"#;
    let first = r#"{"type":"TEXT_MESSAGE_START","messageId":"m","timestamp":1}"#;
    let last = r#"{"type":"TEXT_MESSAGE_END","messageId":"m","timestamp":1}"#;
    let close = r#"{"type":"RUN_FINISHED","threadId":"t","runId":"r","timestamp":1}"#;
    let raw: Vec<ReceivedEvent> = [begin, first, odd, unknown, last].map(&mut read).into();
    let (sender, stream) = queue(16);
    let stream = Mutex::new(Some(stream));
    let agent = AgentFn(move |_| stream.lock().expect("no panic").take().expect("one run"));
    for event in raw {
        sender.send_raw(event).await.expect("open");
    }
    let chunk = |text: &str| {
        theirs(TextMessageChunk {
            message_id: Some(Text::from("c")),
            role: None,
            delta: Some(Text::from(text)),
            name: None,
        })
    };
    let text = block(&[(1, "Two boats were out", "log")]);
    let (one, two) = text.split_at(60);
    sender.send(chunk(one)).await.expect("open");
    sender.send(chunk(two)).await.expect("open");
    sender.send_raw(read(close)).await.expect("open");
    drop(sender);
    let host = TestHost::paused();
    let (client, end) = run_agent(LayerOptions::default(), &host, input(None), agent).await;
    end.expect("complete");
    for text in [begin, first, odd, unknown, last, close] {
        assert!(client.events.iter().any(|event| event == text), "{text}");
    }
    assert!(!client.kinds().iter().any(|kind| kind.contains("CHUNK")));
    assert_eq!(
        client.at(&["deepcitation", "messages", "c", "summary", "verified"]),
        "1"
    );
}

#[tokio::test(start_paused = true)]
async fn interleaved_messages_keep_their_own_citations() {
    let (a, b) = (
        block(&[(1, "High tide was at 12:04", "log")]),
        block(&[(1, "Nobody saw them", "code")]),
    );
    let mut script = vec![started(), start("a"), start("b")];
    for at in 0..a.len().max(b.len()) {
        for (id, text) in [("a", &a), ("b", &b)] {
            script.extend(text.get(at..=at).map(|piece| delta(id, piece)));
        }
    }
    script.extend([end("b"), end("a"), finished()]);
    let client = run(script).await;
    for id in ["a", "b"] {
        assert_eq!(
            client.at(&["deepcitation", "messages", id, "summary", "verified"]),
            "1"
        );
    }
    assert_eq!(
        value(&client.at(&["deepcitation", "citations"]))
            .as_object()
            .map(json::Map::len),
        Some(2)
    );
}

#[tokio::test(start_paused = true)]
async fn several_runs_in_one_stream_end_one_after_another() {
    let text = block(&[(1, "wait 40 x", "log")]);
    let mut script = Vec::new();
    for id in ["a", "b"] {
        script.extend([started(), start(id), delta(id, &text), end(id), finished()]);
    }
    let client = run(script).await;
    let ends: Vec<usize> = client
        .kinds()
        .iter()
        .enumerate()
        .filter(|(_, kind)| *kind == "RUN_FINISHED")
        .map(|(at, _)| at)
        .collect();
    assert_eq!(ends.len(), 2);
    assert_eq!(ends[1] + 1, client.events.len());
    // The same citation again is one citation, and it was checked again because it was not found.
    assert_eq!(
        client.statuses("b").last().map(String::as_str),
        Some("complete")
    );
    assert_eq!(
        value(&client.at(&["deepcitation", "citations"]))
            .as_object()
            .map(json::Map::len),
        Some(1)
    );
}

#[tokio::test(start_paused = true)]
async fn late_showing_holds_everything_until_the_end() {
    let options = LayerOptions {
        early: false,
        ..LayerOptions::default()
    };
    let host = TestHost::paused();
    let text = format!("{} and more", block(&[(1, "Two boats were out", "log")]));
    let script = vec![
        started(),
        start("m"),
        delta("m", &text),
        delta("m", "."),
        end("m"),
        finished(),
    ];
    let (client, _) = run_with(options, &host, input(Some("{}")), script).await;
    assert_eq!(
        client.kinds()[..6],
        [
            "RUN_STARTED",
            "TEXT_MESSAGE_START",
            "STATE_DELTA*",
            "TEXT_MESSAGE_CONTENT",
            "TEXT_MESSAGE_CONTENT",
            "TEXT_MESSAGE_END"
        ]
    );
    assert_eq!(
        client.at(&["deepcitation", "messages", "m", "summary", "verified"]),
        "1"
    );
}

#[tokio::test(start_paused = true)]
async fn hidden_blocks_leave_the_text_and_nothing_else() {
    let options = LayerOptions {
        hide_block: true,
        ..LayerOptions::default()
    };
    let host = TestHost::paused();
    let text = format!(
        "Noon [1]. 1 < 2{}",
        block(&[(1, "Two boats were out", "log")])
    );
    let mut script = vec![started(), start("m")];
    script.extend(
        text.char_indices()
            .map(|(at, char)| delta("m", &text[at..at + char.len_utf8()])),
    );
    script.extend([
        delta("m", " <<<"),
        end("m"),
        conversation([assistant("m", &format!("{text} <<<"))]),
        finished(),
    ]);
    let (client, _) = run_with(options, &host, input(Some("{}")), script).await;
    let message = client.fold.messages().last().expect("there is one").clone();
    assert_eq!(
        message.content,
        Content::Text("Noon [1]. 1 < 2 <<<".to_owned())
    );
    assert_eq!(
        client.at(&["deepcitation", "messages", "m", "summary", "verified"]),
        "1"
    );
    // The snapshot says nothing new.
    assert_eq!(
        client.statuses("m"),
        ["streaming", "extracting", "complete"]
    );
}

#[tokio::test(start_paused = true)]
async fn a_message_that_is_too_long_flows_on_in_error() {
    let options = LayerOptions {
        max_message_bytes: 300,
        ..LayerOptions::default()
    };
    let host = TestHost::paused();
    let first = block(&[(1, "Two boats were out", "log")]);
    let script = vec![
        started(),
        start("m"),
        delta("m", &first),
        delta("m", &"x".repeat(300)),
        delta("m", "end"),
        end("m"),
        finished(),
    ];
    let (client, _) = run_with(options, &host, input(Some("{}")), script).await;
    assert_eq!(client.statuses("m"), ["streaming", "error"]);
    assert!(
        client
            .at(&["deepcitation", "messages", "m", "error"])
            .contains("300 bytes")
    );
    assert_eq!(
        client.at(&["deepcitation", "messages", "m", "summary", "verified"]),
        "1"
    );
    let length = match &client.fold.messages().last().expect("there is one").content {
        Content::Text(text) => text.len(),
        _ => 0,
    };
    assert_eq!(length, first.len() + 303);
}

#[tokio::test(start_paused = true)]
async fn custom_events_tell_the_life_of_a_citation() {
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
async fn a_turn_ends_with_the_run_that_leaves_no_tool_of_the_client() {
    let call = |id: &str| {
        theirs(ToolCallStart {
            tool_call_id: Text::from(id),
            tool_call_name: Text::from("pick"),
            parent_message_id: None,
        })
    };
    let closed = |id: &str| {
        theirs(agui::event::ToolCallEnd {
            tool_call_id: Text::from(id),
        })
    };
    let host = TestHost::paused();
    let mut first = input(Some("{}"));
    first.tools.push(agui::model::Tool {
        name: "pick".to_owned(),
        description: String::new(),
        parameters: None,
        metadata: None,
    });
    let text = format!("One [1].{}", block(&[(1, "Two boats were out", "log")]));
    let script = vec![
        started(),
        start("a"),
        delta("a", &text),
        end("a"),
        call("c"),
        closed("c"),
        finished(),
    ];
    let (client, _) = run_with(LayerOptions::default(), &host, first.clone(), script).await;
    assert_eq!(client.at(&["rag", "qa_history"]), "[]");

    let mut second = first;
    second.state = Some(client.fold.state().clone());
    second.messages = client.fold.messages().cloned().collect();
    let script = vec![
        started(),
        start("b"),
        delta("b", "Two."),
        end("b"),
        finished(),
    ];
    let (client, _) = run_with(LayerOptions::default(), &host, second, script).await;
    let turn = value(&client.at(&["rag", "qa_history", "0"]));
    assert_eq!(turn["question"].as_str(), Some("What is true?"));
    assert_eq!(turn["answer"].as_str(), Some("One [1].\n\nTwo."));
    assert_eq!(turn["confidence"], Value::from(1_i64));
    assert_eq!(turn["citations"].as_array().map(<[Value]>::len), Some(1));
}

#[tokio::test(start_paused = true)]
async fn what_is_sent_grows_with_the_citations_and_not_faster() {
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
        // The history has every citation of a turn once more.
        sizes.push(client.events.iter().map(String::len).sum::<usize>());
    }
    assert!(sizes[1] < sizes[0] * 9 / 2, "{sizes:?}");
}

#[tokio::test(start_paused = true)]
async fn a_check_that_never_ends_makes_room_for_others() {
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
    // The run's end has nothing to wait for.
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

#[tokio::test(start_paused = true)]
async fn what_was_held_back_is_shown_when_the_run_fails() {
    let options = LayerOptions {
        hide_block: true,
        ..LayerOptions::default()
    };
    let host = TestHost::paused();
    let script = vec![
        started(),
        start("m"),
        delta("m", "a < b <<<CIT"),
        failed("gone"),
    ];
    let (client, _) = run_with(options, &host, input(None), script).await;
    let message = client.fold.messages().last().expect("there is one").clone();
    assert_eq!(message.content, Content::Text("a < b <<<CIT".to_owned()));
}

#[tokio::test(start_paused = true)]
async fn old_messages_of_a_snapshot_are_not_part_of_the_turn() {
    let old = format!("Old [1].{}", block(&[(1, "Nobody saw them", "code")]));
    let new = format!("New [1].{}", block(&[(1, "Two boats were out", "log")]));
    let user = |id: &str| Message {
        content: Content::Text("Asked".to_owned()),
        ..Message::new(id, Role::User)
    };
    let messages = [
        user("q"),
        assistant("a", &old),
        user("u"),
        assistant("b", &new),
    ];
    let client = run(vec![started(), conversation(messages), finished()]).await;
    let turn = value(&client.at(&["rag", "qa_history", "0"]));
    assert_eq!(turn["answer"].as_str(), Some("New [1]."));
    assert_eq!(turn["citations"].as_array().map(<[Value]>::len), Some(1));
    assert_eq!(
        client.at(&["deepcitation", "messages", "a", "summary", "verified"]),
        "1"
    );
}
