//! Forwarding of text, chunks and messages while citations are extracted.

use agui::event::TextMessageChunk;
use agui_http::serve::queue;

use super::*;

#[tokio::test(start_paused = true)]
async fn sends_three_patches_for_a_message_without_citations() {
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
async fn completes_an_empty_message_without_extracting() {
    let client = run(vec![started(), start("m"), end("m"), finished()]).await;
    assert_eq!(client.statuses("m"), ["streaming", "complete"]);
}

#[tokio::test(start_paused = true)]
async fn ends_the_stream_at_a_protocol_violation() {
    let host = TestHost::paused();
    let script = vec![started(), delta("never", "x"), finished()];
    let (client, end) = run_with(LayerOptions::default(), &host, input(None), script).await;
    assert_eq!(client.kinds(), ["RUN_STARTED"]);
    let error = end.expect_err("a rule is broken");
    assert_eq!(error.code(), "upstream_protocol");
}

#[tokio::test(start_paused = true)]
async fn forwards_received_bytes_and_expands_chunks() {
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
async fn separates_the_citations_of_interleaved_messages() {
    let (a, b) = (
        block(&[(1, "High tide was at 12:04", "log")]),
        block(&[(1, "No one saw them", "code")]),
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
async fn handles_several_runs_in_one_stream() {
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
    // Both messages share one citation, which was verified again because it was not found.
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
async fn publishes_citations_at_the_message_end_unless_early() {
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
async fn removes_only_hidden_blocks_from_the_text() {
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
    // The snapshot repeats the text.
    assert_eq!(
        client.statuses("m"),
        ["streaming", "extracting", "complete"]
    );
}

#[tokio::test(start_paused = true)]
async fn forwards_a_message_that_exceeds_the_size_limit() {
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
async fn shows_withheld_text_when_the_run_fails() {
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
