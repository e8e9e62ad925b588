//! Citations that agents keep in their own state.

use super::source_lists::run_raw;
use super::*;

pub(super) const TOTAL: &[&str] = &["summary", "total"];

fn source(id: &str, words: &str) -> String {
    format!(
        r#"{{"index":1,"chunk_id":"{id}","document_id":"log","document_uri":"s3://b/{id}.pdf","content":"{words}","page_numbers":[1]}}"#
    )
}

/// Returns a state that cites by id.
fn cited_by_id(ids: &str) -> String {
    let a = source("a", "Two boats were out");
    let b = source("b", "High tide was at 12:04");
    format!(r#"{{"rag":{{"citation_index":{{"a":{a},"b":{b}}},"citations":{ids}}}}}"#)
}

/// Returns a state with a history of questions and answers.
fn history(words: &str) -> String {
    let source = source("a", words);
    format!(
        r#"{{"rag":{{"citations":[{source}],"qa_history":[{{"question":"q","answer":"a","citations":[{source}]}}]}}}}"#
    )
}

/// Returns the quotes of a message in their order.
fn quotes(client: &TestClient, id: &str) -> Vec<String> {
    let message = &client.state()["deepcitation"]["messages"][id];
    let cited = message["citations"].as_object();
    let cited = cited.into_iter().flat_map(json::Map::iter);
    cited
        .map(|(_, citation)| citation["fullPhrase"].as_str().unwrap_or("").to_owned())
        .collect()
}

/// Returns the JSON at a path below a message.
pub(super) fn message_member(client: &TestClient, id: &str, path: &[&str]) -> String {
    let mut whole = vec!["deepcitation", "messages", id];
    whole.extend(path);
    client.at(&whole)
}

/// Returns a text with a marker and its data block.
pub(super) fn cited_text(marker: u32, words: &str) -> String {
    format!("So [{marker}].{}", block(&[(marker, words, "log")]))
}

#[tokio::test(start_paused = true)]
async fn cites_sources_that_the_agent_removes_later() {
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
        // The passage is described after it was cited.
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
        assert_eq!(quotes(&client, "m"), expected, "{shown:?}");
    }
}

#[tokio::test(start_paused = true)]
async fn cites_again_after_the_list_was_emptied() {
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
        assert_eq!(quotes(&client, id), ["Two boats were out"]);
    }
}

/// Returns a state that cites by id and records which question cited what.
fn with_evidence(ids: &str, question: usize, cited: &[(&str, &[usize])]) -> String {
    let occurrences = cited.iter().map(|(id, questions)| {
        format!(
            r#""{id}":{{"capability":"rag","chunk_id":"{id}","cited_in_questions":{questions:?}}}"#
        )
    });
    let occurrences: Vec<String> = occurrences.collect();
    let plain = cited_by_id(ids);
    let plain = plain.strip_suffix("}}").expect("two objects");
    format!(
        r#"{plain},"evidence":{{"occurrences":{{{}}},"question":{question}}}}}}}"#,
        occurrences.join(",")
    )
}

#[tokio::test(start_paused = true)]
async fn an_answer_gets_only_the_sources_of_its_own_question() {
    let (a, b) = ("Two boats were out", "High tide was at 12:04");
    for mut thread in [Thread::new(LayerOptions::default()), Thread::forgetful()] {
        let mut turns = Vec::new();
        for (id, state) in [
            ("m", with_evidence(r#"["a"]"#, 0, &[("a", &[0])])),
            // The agent cites nothing; its list still has the earlier id.
            ("n", with_evidence(r#"["a"]"#, 2, &[("a", &[0])])),
            (
                "o",
                with_evidence(r#"["b"]"#, 4, &[("a", &[0]), ("b", &[4])]),
            ),
            (
                "p",
                with_evidence(r#"["b","a"]"#, 6, &[("a", &[0, 6]), ("b", &[4, 6])]),
            ),
            (
                "q",
                with_evidence("[]", 8, &[("a", &[0, 6]), ("b", &[4, 6])]),
            ),
        ] {
            let events = [said(id, "Hello."), vec![snapshot(&state)]];
            let client = thread.run(whole_run(events)).await;
            turns.push(quotes(&client, id));
        }
        assert_eq!(turns, [vec![a], vec![], vec![b], vec![b, a], vec![]]);
    }
}

#[tokio::test(start_paused = true)]
async fn ignores_a_history_that_disappears_and_returns() {
    let mut thread = Thread::new(LayerOptions::default());
    let state = history("Two boats were out");
    thread
        .run(whole_run([said("m", "Hello."), vec![snapshot(&state)]]))
        .await;
    let again = vec![snapshot("{}"), snapshot(&state)];
    let client = thread.run(whole_run([again, said("n", "Yes.")])).await;
    assert_eq!(quotes(&client, "m"), ["Two boats were out"]);
    assert_eq!(quotes(&client, "n"), [""; 0]);
}

#[tokio::test(start_paused = true)]
async fn ignores_our_own_projections() {
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
        assert_eq!(message_member(&client, "m", TOTAL), "2");
        let client = thread.run(whole_run([said("n", "Yes.")])).await;
        assert_eq!(message_member(&client, "m", TOTAL), "2");
        assert_eq!(message_member(&client, "n", TOTAL), "0");
        let markers = value(&message_member(&client, "m", &["markers"]));
        assert_eq!(markers.as_object().map(json::Map::len), Some(2));
    }
}

#[tokio::test(start_paused = true)]
async fn cites_the_projections_of_a_nested_layer() {
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
        message_member(&client, "m", &["summary"]),
        r#"{"total":2,"verified":1,"partial":0,"missed":1,"pending":0}"#
    );
    let markers = value(&message_member(&client, "m", &["markers"]));
    assert_eq!(markers.as_object().map(json::Map::len), Some(2));
}

#[tokio::test(start_paused = true)]
async fn reads_agent_citations_when_the_run_breaks_off() {
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
        assert_eq!(message_member(&client, "m", &["summary", "verified"]), "1");
    }
}

#[tokio::test(start_paused = true)]
async fn cites_sources_in_the_sent_state_under_the_first_answer() {
    let mut thread = Thread::new(LayerOptions::default());
    let state = history("Two boats were out");
    thread.state = Some(json(&state));
    let client = thread
        .run(whole_run([said("m", "Hello."), said("n", "More.")]))
        .await;
    assert_eq!(quotes(&client, "m"), ["Two boats were out"]);
    assert_eq!(quotes(&client, "n"), [""; 0]);
    assert_eq!(value(&client.at(&["rag"])), value(&state)["rag"]);
    let client = thread.run(whole_run([said("o", "Again.")])).await;
    assert_eq!(quotes(&client, "o"), [""; 0]);
}

#[tokio::test(start_paused = true)]
async fn shares_sources_of_tool_callers_with_the_answer() {
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
    assert_eq!(quotes(&client, "caller"), ["Two boats were out"]);
    asked.messages.extend([
        Message::new("caller", Role::Assistant),
        Message::new("result", Role::Tool),
    ]);
    let client = thread
        .run_input(asked, whole_run([said("m", "Two boats.")]))
        .await;
    assert_eq!(message_member(&client, "m", &["summary", "verified"]), "1");
    assert_eq!(
        message_member(&client, "m", &["markers"]),
        message_member(&client, "caller", &["markers"])
    );
    // The next turn does not inherit the citation.
    let client = thread.run(whole_run([said("n", "Yes.")])).await;
    assert_eq!(message_member(&client, "n", TOTAL), "0");
}

#[tokio::test(start_paused = true)]
async fn resolves_a_source_by_the_names_of_the_agent() {
    let read = |text: &str| {
        let document = Document::read(text.as_bytes(), "a.md", &ReadLimits::default());
        Arc::new(document.expect("text can be read"))
    };
    let library = DocumentVerifier::new([
        ("c1".to_owned(), read("# Other\n\nNothing of it.")),
        ("log".to_owned(), read("# The log\n\nTwo boats were out.")),
    ]);
    for (entry, status, missing) in [
        // An id that was derived from a number is not a name.
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
        let verifications = value(&message_member(&client, "m", &["verifications"]));
        let (_, verification) = verifications
            .as_object()
            .and_then(|map| map.iter().next())
            .expect("one");
        assert_eq!(verification["status"].as_str(), Some(status), "{entry}");
        assert_eq!(verification.get("problem").is_some(), missing, "{entry}");
    }
}

#[tokio::test(start_paused = true)]
async fn writes_only_changed_members() {
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

#[tokio::test(start_paused = true)]
async fn shows_title_and_address_given_by_the_agent() {
    let recorded = r#"{"index":1,"document_id":"doc456","chunk_id":"abc123","document_uri":"s3://bucket/doc456.pdf","document_title":"My Document","page_numbers":[5,6],"headings":["Chapter 1"],"content":"The relevant text"}"#;
    let state = format!(
        r#"{{"rag":{{"citations":[{recorded}],"qa_history":[{{"question":"q","answer":"a","citations":[{recorded}]}}]}}}}"#
    );
    let client = run(whole_run([said("m", "Hello."), vec![snapshot(&state)]])).await;
    assert_eq!(
        client.at(&["citations", "m", "0", "title"]),
        r#""My Document""#
    );
    let cited = value(&message_member(&client, "m", &["citations"]));
    let (_, cited) = cited
        .as_object()
        .and_then(|map| map.iter().next())
        .expect("one");
    let citation = citations::Citation::from_json(cited).expect("a citation");
    let sources = crate::agent_citations::sources_by_id(&client.state());
    let source = sources.get(&citation.id()).expect("the agent's own");
    assert_eq!(source.chunk_id, "abc123");
    assert_eq!(source.headings, ["Chapter 1"]);
}
