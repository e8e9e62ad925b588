//! Citations that agents keep in the state in their own way.

use super::*;

const TOTAL: &[&str] = &["summary", "total"];

fn source(id: &str, words: &str) -> String {
    format!(
        r#"{{"index":1,"chunk_id":"{id}","document_id":"log","document_uri":"s3://b/{id}.pdf","content":"{words}","page_numbers":[1]}}"#
    )
}

/// A state that cites by id.
fn cited_by_id(ids: &str) -> String {
    let a = source("a", "Two boats were out");
    let b = source("b", "High tide was at 12:04");
    format!(r#"{{"rag":{{"citation_index":{{"a":{a},"b":{b}}},"citations":{ids}}}}}"#)
}

/// A state with questions and answers.
fn history(words: &str) -> String {
    let source = source("a", words);
    format!(
        r#"{{"rag":{{"citations":[{source}],"qa_history":[{{"question":"q","answer":"a","citations":[{source}]}}]}}}}"#
    )
}

/// What a message cites, in order.
fn phrases(client: &TestClient, id: &str) -> Vec<String> {
    let message = &client.state()["deepcitation"]["messages"][id];
    let cited = message["citations"].as_object();
    let cited = cited.into_iter().flat_map(json::Map::iter);
    cited
        .map(|(_, citation)| citation["fullPhrase"].as_str().unwrap_or("").to_owned())
        .collect()
}

fn of(client: &TestClient, id: &str, path: &[&str]) -> String {
    let mut whole = vec!["deepcitation", "messages", id];
    whole.extend(path);
    client.at(&whole)
}

fn own(marker: u32, words: &str) -> String {
    format!("So [{marker}].{}", block(&[(marker, words, "log")]))
}

#[tokio::test(start_paused = true)]
async fn what_a_run_cites_and_takes_back_counts() {
    let both = ["Two boats were out", "High tide was at 12:04"];
    let by_id = |ids: &str| snapshot(&cited_by_id(ids));
    let emptied = || patched(vec![PatchOperation::replace("/rag/citations", json("[]"))]);
    let append = |id: &str| patched(vec![PatchOperation::add("/rag/citations/-", json(id))]);
    let answer = || said("m", "Hello.");
    for (events, expected) in [
        (vec![by_id(r#"["a"]"#), by_id(r#"["b"]"#)], &both[..]),
        (
            vec![by_id(r#"["a"]"#), emptied(), append(r#""b""#)],
            &both[..],
        ),
        (vec![by_id(r#"["a","b"]"#), emptied()], &both[..]),
        (
            vec![by_id("[]"), append(r#""a""#), emptied(), append(r#""b""#)],
            &both[..],
        ),
        (vec![by_id(r#"["a"]"#), snapshot(r#"{"x":1}"#)], &both[..1]),
        (
            vec![
                by_id(r#"["a"]"#),
                patched(vec![PatchOperation::remove("/rag")]),
            ],
            &both[..1],
        ),
        (
            vec![snapshot(&history(both[0])), snapshot("{}")],
            &both[..1],
        ),
        // The passage is explained after it was cited.
        (
            vec![
                snapshot(r#"{"rag":{"citation_index":{},"citations":["a"]}}"#),
                patched(vec![PatchOperation::add(
                    "/rag/citation_index/a",
                    json(&source("a", both[0])),
                )]),
            ],
            &both[..1],
        ),
    ] {
        let shown: Vec<String> = events.iter().map(Event::to_json).collect();
        let client = run(whole_run([events, answer()])).await;
        assert_eq!(phrases(&client, "m"), expected, "{shown:?}");
    }
}

#[tokio::test(start_paused = true)]
async fn what_is_emptied_and_cited_again_counts_again() {
    let mut thread = Thread::new(LayerOptions::default());
    for id in ["m", "n"] {
        let client = thread
            .run(whole_run([
                vec![
                    snapshot(&cited_by_id("[]")),
                    patched(vec![PatchOperation::add(
                        "/rag/citations/-",
                        json(r#""a""#),
                    )]),
                ],
                said(id, "Hello."),
            ]))
            .await;
        assert_eq!(phrases(&client, id), ["Two boats were out"]);
    }
}

#[tokio::test(start_paused = true)]
async fn a_history_that_is_gone_for_a_moment_is_not_new() {
    let mut thread = Thread::new(LayerOptions::default());
    let state = history("Two boats were out");
    thread
        .run(whole_run([said("m", "Hello."), vec![snapshot(&state)]]))
        .await;
    let again = vec![snapshot("{}"), snapshot(&state)];
    let client = thread.run(whole_run([again, said("n", "Yes.")])).await;
    assert_eq!(phrases(&client, "m"), ["Two boats were out"]);
    assert_eq!(phrases(&client, "n"), [""; 0]);
}

#[tokio::test(start_paused = true)]
async fn what_we_wrote_is_not_read_as_somebody_elses() {
    let text = format!(
        "Two [1], tide [2].{}",
        block(&[
            (1, "Two boats were out", "log"),
            (2, "High tide was at 12:04", "log")
        ])
    );
    for uses in [
        PatchOperation::add("/rag/filter", json("1")),
        PatchOperation::add("/citations/zz", json("[]")),
    ] {
        let mut thread = Thread::new(LayerOptions::default());
        let patch = patched(vec![uses]);
        let client = thread.run(whole_run([said("m", &text), vec![patch]])).await;
        assert_eq!(of(&client, "m", TOTAL), "2");
        let client = thread.run(whole_run([said("n", "Yes.")])).await;
        assert_eq!(of(&client, "m", TOTAL), "2");
        assert_eq!(of(&client, "n", TOTAL), "0");
        let markers = value(&of(&client, "m", &["markers"]));
        assert_eq!(markers.as_object().map(json::Map::len), Some(2));
    }
}

#[tokio::test(start_paused = true)]
async fn a_layer_around_a_layer_cites_what_the_inner_one_does() {
    let text = format!(
        "Two [1], tide [2].{}",
        block(&[
            (1, "Two boats were out", "log"),
            (2, "nowhere at all", "log")
        ])
    );
    let inner = CitationLayer::new(
        AgentFn(move |_| EventStream::of(whole_run([said("m", &text)]))),
        library(),
        TestHost::paused(),
        LayerOptions::default(),
    );
    let host = TestHost::paused();
    let (client, end) = run_agent(LayerOptions::default(), &host, input(Some("{}")), inner).await;
    end.expect("complete");
    assert_eq!(
        of(&client, "m", &["summary"]),
        r#"{"total":2,"verified":1,"partial":0,"missed":1,"pending":0}"#
    );
    let markers = value(&of(&client, "m", &["markers"]));
    assert_eq!(markers.as_object().map(json::Map::len), Some(2));
}

#[tokio::test(start_paused = true)]
async fn an_agent_that_lists_what_its_text_cites_cites_it_once() {
    let listed = |entry: &str| snapshot(&format!(r#"{{"citations":{{"m":[{entry}]}}}}"#));
    for entry in [
        r#"{"id":"s1","title":"The log","snippet":"Two boats were out"}"#,
        r#"{"snippet":"Two boats were out ","extra":{"attachmentId":"log"}}"#,
    ] {
        let client = run(whole_run([
            said("m", &own(1, "Two boats were out")),
            vec![listed(entry)],
        ]))
        .await;
        assert_eq!(of(&client, "m", TOTAL), "1", "{entry}");
    }
    // Another document is another citation.
    let other = r#"{"snippet":"Two boats were out","extra":{"attachmentId":"code"}}"#;
    let client = run(whole_run([
        said("m", &own(1, "Two boats were out")),
        vec![listed(other)],
    ]))
    .await;
    assert_eq!(of(&client, "m", TOTAL), "2");
}

#[tokio::test(start_paused = true)]
async fn a_number_in_a_list_does_not_take_a_marker_of_the_text() {
    for index in ["", r#""index":1,"#] {
        let state = format!(
            r#"{{"citations":{{"m":[{{{index}"id":"code","snippet":"Nobody saw them"}},{{"id":"log","snippet":"High tide was at 12:04"}}]}}}}"#
        );
        let client = run(whole_run([
            said("m", &own(1, "Two boats were out")),
            vec![snapshot(&state)],
        ]))
        .await;
        assert_eq!(of(&client, "m", TOTAL), "3");
        let markers = value(&of(&client, "m", &["markers"]));
        let phrase = |marker: &str| {
            let key = markers[marker].as_str().expect("a key");
            client.at(&["deepcitation", "citations", key, "fullPhrase"])
        };
        assert_eq!(phrase("1"), r#""Two boats were out""#);
        assert_eq!(phrase("2"), r#""High tide was at 12:04""#);
    }
}

#[tokio::test(start_paused = true)]
async fn a_run_that_breaks_off_has_read_the_citations_of_the_agent() {
    let state = history("Two boats were out");
    let script = || {
        let mut script = whole_run([said("m", "Hello."), vec![snapshot(&state)]]);
        script.pop();
        script
    };
    let rule = vec![delta("unknown", "x")];
    for tail in [vec![], vec![failed("away")], rule] {
        let mut thread = Thread::new(LayerOptions::default());
        let client = thread.run([script(), tail].concat()).await;
        assert_eq!(of(&client, "m", &["summary", "verified"]), "1");
    }
}

#[tokio::test(start_paused = true)]
async fn what_a_client_sends_of_a_retrieval_agent_is_checked_under_the_first_answer() {
    let mut thread = Thread::new(LayerOptions::default());
    let state = history("Two boats were out");
    thread.state = Some(json(&state));
    let client = thread
        .run(whole_run([said("m", "Hello."), said("n", "More.")]))
        .await;
    assert_eq!(phrases(&client, "m"), ["Two boats were out"]);
    assert_eq!(phrases(&client, "n"), [""; 0]);
    assert_eq!(value(&client.at(&["rag"])), value(&state)["rag"]);
    let client = thread.run(whole_run([said("o", "Again.")])).await;
    assert_eq!(phrases(&client, "o"), [""; 0]);
}

#[tokio::test(start_paused = true)]
async fn a_list_follows_its_message_to_another_id() {
    let listed = r#"{"citations":{"m1":[{"id":"log","snippet":"Two boats were out"}]}}"#;
    let renamed = || conversation([assistant("m2", "Hello there.")]);
    for events in [
        vec![snapshot(listed), renamed()],
        vec![renamed(), snapshot(listed)],
    ] {
        let client = run(whole_run([said("m1", "Hello there."), events])).await;
        assert_eq!(of(&client, "m2", &["summary", "verified"]), "1");
        assert_eq!(
            of(&client, "m2", &["markers"]),
            of(&client, "m1", &["markers"])
        );
    }
}

#[tokio::test(start_paused = true)]
async fn the_answer_has_what_its_turn_cited_before_it() {
    let mut thread = Thread::new(LayerOptions::default());
    let call = |id: &str| {
        theirs(agui::event::ToolCallStart {
            tool_call_id: Text::from("call"),
            tool_call_name: Text::from("where"),
            parent_message_id: Some(Text::from(id)),
        })
    };
    let called = theirs(agui::event::ToolCallEnd {
        tool_call_id: Text::from("call"),
    });
    let state = history("Two boats were out");
    let mut asked = input(None);
    asked.tools.push(agui::model::Tool {
        name: "where".to_owned(),
        description: String::new(),
        parameters: None,
        metadata: None,
    });
    let script = whole_run([vec![call("caller"), called, snapshot(&state)]]);
    let client = thread.run_input(asked.clone(), script).await;
    assert_eq!(phrases(&client, "caller"), ["Two boats were out"]);
    asked.messages.extend([
        Message::new("caller", Role::Assistant),
        Message::new("result", Role::Tool),
    ]);
    let client = thread
        .run_input(asked, whole_run([said("m", "Two boats.")]))
        .await;
    assert_eq!(of(&client, "m", &["summary", "verified"]), "1");
    assert_eq!(
        of(&client, "m", &["markers"]),
        of(&client, "caller", &["markers"])
    );
    // The next turn does not inherit it.
    let client = thread.run(whole_run([said("n", "Yes.")])).await;
    assert_eq!(of(&client, "n", TOTAL), "0");
}

#[tokio::test(start_paused = true)]
async fn lists_of_unsafe_ids_and_arrays_of_lists_are_checked() {
    let mut thread = Thread::new(LayerOptions::default());
    let state = r#"{"citations":{"constructor":[{"id":"log","snippet":"Two boats were out"}]}}"#;
    thread
        .run(whole_run([
            said("constructor", "Hello."),
            vec![snapshot(state)],
        ]))
        .await;
    let ledger = thread.host.ledger.lock().expect("no panic").take();
    let ledger = ledger.expect("told");
    let summary = ledger.message("constructor").map(|m| m.summary.verified);
    assert_eq!(summary, Some(1));

    let state = r#"{"citations":[[{"id":"log","snippet":"Two boats were out"}],"x"]}"#;
    let client = run(whole_run([said("0", "Hello."), vec![snapshot(state)]])).await;
    assert_eq!(of(&client, "0", &["summary", "verified"]), "1");
    assert_eq!(value(&client.at(&["citations"])), value(state)["citations"]);
}

#[tokio::test(start_paused = true)]
async fn a_source_in_somebody_elses_words_is_looked_for() {
    let read = |text: &str| {
        let document = Document::read(text.as_bytes(), "a.md", &ReadLimits::default());
        Arc::new(document.expect("text can be read"))
    };
    let library = DocumentVerifier::new([
        ("c1".to_owned(), read("# Other\n\nNothing of it.")),
        ("log".to_owned(), read("# The log\n\nTwo boats were out.")),
    ]);
    for (entry, status, missing) in [
        // A number that was given to an entry is no name.
        (r#"{"snippet":"Two boats were out"}"#, "found", false),
        (
            r#"{"id":"c1","snippet":"Two boats were out"}"#,
            "not_found",
            false,
        ),
        (
            r#"{"id":"s7","title":"The log","snippet":"Two boats were out"}"#,
            "found",
            false,
        ),
        (
            r#"{"id":"s7","snippet":"Two boats were out"}"#,
            "found",
            false,
        ),
        (
            r#"{"id":"s7","url":"https://x.example/a.md","snippet":"Dragons"}"#,
            "not_found",
            true,
        ),
    ] {
        let state = format!(r#"{{"citations":{{"m":[{entry}]}}}}"#);
        let script = whole_run([said("m", "Hello."), vec![snapshot(&state)]]);
        let script = Mutex::new(Some(script));
        let agent = AgentFn(move |_| {
            EventStream::of(script.lock().expect("no panic").take().expect("one run"))
        });
        let layer = CitationLayer::new(
            agent,
            library.clone(),
            TestHost::paused(),
            LayerOptions::default(),
        );
        let mut client = TestClient::new(&input(Some("{}")));
        let mut stream = layer.run(input(Some("{}")));
        let mut slot = ReceivedEvent::default();
        while let Some(read) = stream.next_into(&mut slot).await {
            read.expect("complete");
            client.take(&slot);
        }
        let verifications = value(&of(&client, "m", &["verifications"]));
        let (_, verification) = verifications
            .as_object()
            .and_then(|map| map.iter().next())
            .expect("one");
        assert_eq!(verification["status"].as_str(), Some(status), "{entry}");
        assert_eq!(verification.get("problem").is_some(), missing, "{entry}");
    }
}

#[tokio::test(start_paused = true)]
async fn what_did_not_change_is_not_written() {
    let mut thread = Thread::new(LayerOptions::default());
    let lists: Vec<String> = (0..20)
        .map(|n| format!(r#""m{n}":[{{"id":"log","snippet":"Two boats were out"}}]"#))
        .collect();
    let state = format!(r#"{{"citations":{{{}}}}}"#, lists.join(","));
    thread
        .run(whole_run([said("x", "Hello."), vec![snapshot(&state)]]))
        .await;
    let client = thread.run(vec![started(), finished()]).await;
    assert_eq!(client.kinds(), ["RUN_STARTED", "RUN_FINISHED"]);
    let patch = patched(vec![PatchOperation::add(
        "/citations/m1/-",
        json(r#""https://x""#),
    )]);
    let client = thread.run(whole_run([vec![patch]])).await;
    assert_eq!(
        client.kinds(),
        ["RUN_STARTED", "STATE_DELTA", "RUN_FINISHED"]
    );

    let text = r#"{"type":"MESSAGES_SNAPSHOT","messages":[{"id":"m","role":"assistant","content":"Two boats.","citations":[{"id":"log","snippet":"Two boats were out"}]}],"timestamp":1}"#;
    let once = run_raw(&[text]).await.events.len();
    let often = run_raw(&[text; 4]).await.events.len();
    assert_eq!(often, once + 3);
}

/// Runs with these events as they are received.
async fn run_raw(texts: &[&str]) -> TestClient {
    run_raw_with(LayerOptions::default(), texts).await
}

async fn run_raw_with(options: LayerOptions, texts: &[&str]) -> TestClient {
    let (sender, stream) = agui_http::serve::queue(64);
    sender.send(started()).await.expect("open");
    let mut reader = agui::EventReader::new();
    for text in texts {
        let raw = reader.read(Text::from(*text)).expect("an event");
        sender.send_raw(raw).await.expect("open");
    }
    sender.send(finished()).await.expect("open");
    drop(sender);
    let stream = Mutex::new(Some(stream));
    let agent = AgentFn(move |_| stream.lock().expect("no panic").take().expect("one run"));
    let host = TestHost::paused();
    let (client, end) = run_agent(options, &host, input(Some("{}")), agent).await;
    end.expect("complete");
    client
}

#[tokio::test(start_paused = true)]
async fn lists_of_old_messages_do_not_come_back_when_they_were_evicted() {
    let mut thread = Thread::new(LayerOptions {
        keep_messages: 2,
        ..LayerOptions::default()
    });
    let lists: Vec<String> = (0..3)
        .map(|n| format!(r#""old{n}":[{{"id":"log","snippet":"Two boats were out"}}]"#))
        .collect();
    thread.state = Some(json(&format!(r#"{{"citations":{{{}}}}}"#, lists.join(","))));
    let kept = |client: &TestClient| {
        let deep = &client.state()["deepcitation"]["messages"];
        let messages = deep.as_object().into_iter().flat_map(json::Map::iter);
        messages
            .map(|(id, _)| id.to_owned())
            .collect::<Vec<String>>()
    };
    let client = thread.run(whole_run([said("m", "Hello.")])).await;
    assert_eq!(kept(&client), ["m", "old2"]);
    let client = thread.run(whole_run([said("n", "Again.")])).await;
    assert_eq!(kept(&client), ["old2", "n"]);
}

#[tokio::test(start_paused = true)]
async fn a_message_that_is_shown_without_its_block_keeps_what_else_it_has() {
    let own = Value::from(own(1, "Two boats were out").as_str()).to_json();
    let text = format!(
        r#"{{"type":"MESSAGES_SNAPSHOT","messages":[{{"id":"u","role":"user","content":"What?","x":2}},{{"id":"m","role":"assistant","content":{own},"citations":[{{"id":"log","snippet":"High tide was at 12:04"}}],"more":{{"y":1}}}}],"timestamp":1,"z":3}}"#
    );
    let options = LayerOptions {
        hide_block: true,
        ..LayerOptions::default()
    };
    let client = run_raw_with(options, &[&text]).await;
    let shown = client
        .events
        .iter()
        .find(|e| e.contains("MESSAGES_SNAPSHOT"));
    let mut expected = value(&text);
    let content = PatchOperation::add("/messages/1/content", json(r#""So [1].""#));
    json::patch::Patcher::default()
        .apply(&mut expected, &[content])
        .expect("it applies");
    assert_eq!(value(shown.expect("it is sent")), expected);
    assert_eq!(of(&client, "m", TOTAL), "2");
}

#[tokio::test(start_paused = true)]
async fn what_an_agent_says_of_its_source_is_shown() {
    let recorded = r#"{"index":1,"document_id":"doc456","chunk_id":"abc123","document_uri":"s3://bucket/doc456.pdf","document_title":"My Document","page_numbers":[5,6],"headings":["Chapter 1"],"content":"The relevant text"}"#;
    let state = format!(
        r#"{{"rag":{{"citations":[{recorded}],"qa_history":[{{"question":"q","answer":"a","citations":[{recorded}]}}]}}}}"#
    );
    let client = run(whole_run([said("m", "Hello."), vec![snapshot(&state)]])).await;
    assert_eq!(
        client.at(&["citations", "m", "0", "title"]),
        r#""My Document""#
    );
    let cited = value(&of(&client, "m", &["citations"]));
    let (_, cited) = cited
        .as_object()
        .and_then(|map| map.iter().next())
        .expect("one");
    let citation = citations::Citation::from_json(cited).expect("a citation");
    let sources = super::super::sources_by_id(&client.state());
    let source = sources.get(&citation.id()).expect("the agent's own");
    assert_eq!(source.chunk_id, "abc123");
    assert_eq!(source.headings, ["Chapter 1"]);
}

/// Work grows with what the agent sends, not with how often it patches.
#[test]
fn only_what_takes_citations_away_is_looked_at() {
    let state = value(
        r#"{"rag":{"citation_index":{"a":{}},"citations":["a"],"searches":{"q":[]},"qa_history":[{"citations":[]}]},
            "citations":{"m":[1]},"foo":{"citations":[1]},"analysis":{"citation_index":{},"citations":[]},"n":1}"#,
    );
    let one = || json("1");
    let loses = |operation: PatchOperation| super::super::foreign::loses(&state, &[operation]);
    for operation in [
        PatchOperation::add("/n", one()),
        PatchOperation::replace("/n", one()),
        PatchOperation::add("/rag/searches/r", one()),
        PatchOperation::replace("/rag/searches", one()),
        PatchOperation::add("/rag/citations/-", one()),
        PatchOperation::add("/rag/citations/0", one()),
        PatchOperation::add("/rag/qa_history/1", one()),
        PatchOperation::add("/rag/qa_history/0/citations/0", one()),
        PatchOperation::add("/rag/citation_index/b", one()),
        PatchOperation::add("/citations/m/-", one()),
        PatchOperation::replace("/foo/citations", one()),
        PatchOperation::add("/analysis/citations/-", one()),
        PatchOperation::test("/rag", one()),
        PatchOperation::copy("/rag", "/copy"),
    ] {
        let shown = format!("{operation:?}");
        assert!(!loses(operation), "{shown}");
    }
    for operation in [
        PatchOperation::add("", one()),
        PatchOperation::remove("/rag"),
        PatchOperation::add("/rag", one()),
        PatchOperation::replace("/rag/citations", one()),
        PatchOperation::add("/rag/citations", one()),
        PatchOperation::remove("/rag/citations/0"),
        PatchOperation::replace("/rag/qa_history/0/citations/0", one()),
        PatchOperation::remove("/rag/citation_index/a"),
        PatchOperation::move_("/rag", "/old"),
        PatchOperation::add("/citations/m", one()),
        PatchOperation::remove("/citations/m/0"),
        PatchOperation::replace("/analysis/citations", one()),
    ] {
        let shown = format!("{operation:?}");
        assert!(loses(operation), "{shown}");
    }
}
