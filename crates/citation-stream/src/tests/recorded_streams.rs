//! Recorded streams of agents that cite in their own way.

use agui::sse::SseDecoder;

use super::*;

/// Returns an agent that plays a recording.
fn recorded(name: &str) -> impl Agent {
    let path = format!(
        "{}/../citations/tests/data/streams/{name}.sse",
        env!("CARGO_MANIFEST_DIR")
    );
    let bytes = std::fs::read(path).expect("the recording is there");
    AgentFn(move |_| {
        let mut decoder = SseDecoder::new();
        decoder.push(&bytes);
        decoder.finish();
        let mut events = Vec::new();
        while let Some(event) = decoder.next_event() {
            match event.expect("a recording is a stream") {
                ReceivedEvent::Typed(event) => events.push(event),
                ReceivedEvent::Untyped(unread) => panic!("{}", unread.text),
            }
        }
        EventStream::of(events)
    })
}

#[tokio::test(start_paused = true)]
async fn verifies_citations_in_the_state_of_a_retrieval_agent() {
    let initial = r#"{"rag":{"citations":[],"qa_history":[],"document_filter":null,"searches":{},"documents":[],"reports":[]}}"#;
    for (name, state, total) in [
        ("s01_turn1", initial, 2),
        ("s04_two_asks_one_run", initial, 4),
        ("s06_tool_yield_segment1", initial, 2),
        ("h01_turn1", "{}", 2),
        ("h05_empty_cite", "{}", 0),
        ("h08_error_midstream", "{}", 2),
    ] {
        let host = TestHost::paused();
        let mut client = TestClient::new(&input(Some(state)));
        let options = LayerOptions::default();
        let layer = CitationLayer::new(recorded(name), library(), Arc::clone(&host), options);
        let mut stream = layer.run(input(Some(state)));
        let mut slot = ReceivedEvent::default();
        while let Some(read) = stream.next_into(&mut slot).await {
            read.expect("a recording is complete");
            client.take(&slot);
        }
        let ledger = host.ledger.lock().expect("no panic").take().expect("told");
        // The same passage under two numbers is one citation with two markers.
        let markers: usize = ledger.messages().map(|message| message.markers.len()).sum();
        assert_eq!(markers, total, "{name}");
        assert!(
            ledger
                .messages()
                .all(|message| message.progress == crate::MessageProgress::Complete)
        );
        let rag = client.at(&["rag", "citations"]);
        assert!(
            !rag.contains("fullPhrase"),
            "the agent's own key stays the agent's"
        );
        if total > 0 {
            let missing = client.at(&["deepcitation", "verifications"]);
            assert!(
                missing.contains(r#""problem":"source_missing""#),
                "{missing}"
            );
        }
    }
}

#[tokio::test(start_paused = true)]
async fn verifies_source_lists_in_the_state() {
    let state = r#"{"citations":{"m":[{"id":"log","snippet":"Two boats were out","title":"Log"},"https://x.example",{"snippet":"None at all","extra":{"attachmentId":"log"}}]}}"#;
    let script = vec![
        started(),
        start("m"),
        delta("m", "Two boats [1]."),
        end("m"),
        snapshot(state),
        finished(),
    ];
    let client = run(script).await;
    assert_eq!(
        client.at(&["deepcitation", "messages", "m", "summary"]),
        r#"{"total":2,"verified":1,"partial":0,"missed":1,"pending":0}"#
    );
    assert_eq!(value(&client.at(&["citations"])), value(state)["citations"]);
    let markers = client.at(&["deepcitation", "messages", "m", "markers"]);
    assert!(
        markers.contains(r#""1":"#) && markers.contains(r#""3":"#),
        "{markers}"
    );

    // Lists in the state that a client sends are read too, once.
    let host = TestHost::paused();
    let script = vec![started(), finished()];
    let (client, _) = run_with(
        LayerOptions::default(),
        &host,
        input(Some(state)),
        script.clone(),
    )
    .await;
    assert_eq!(
        client.at(&["deepcitation", "messages", "m", "summary", "verified"]),
        "1"
    );
    let mut next = input(None);
    next.state = Some(client.fold.state().clone());
    *host.stored.lock().expect("no panic") = next.state.clone();
    let (client, _) = run_with(LayerOptions::default(), &host, next, script).await;
    let again: Vec<String> = client
        .events
        .iter()
        .filter(|e| e.contains("/citations/"))
        .cloned()
        .collect();
    assert!(again.is_empty(), "{again:?}");
}

#[tokio::test(start_paused = true)]
async fn verifies_sources_on_snapshot_messages() {
    let text = r#"{"type":"MESSAGES_SNAPSHOT","messages":[{"id":"m","role":"assistant","content":"Two boats.","citations":[{"refId":"log","excerpt":"Two boats were out"}]}],"timestamp":1}"#;
    let raw = agui::EventReader::new()
        .read(Text::from(text))
        .expect("an event");
    let (sender, stream) = agui_http::serve::queue(8);
    let stream = Mutex::new(Some(stream));
    let agent = AgentFn(move |_| stream.lock().expect("no panic").take().expect("one run"));
    sender.send(started()).await.expect("open");
    sender.send_raw(raw).await.expect("open");
    sender.send(finished()).await.expect("open");
    drop(sender);
    let host = TestHost::paused();
    let (client, end) = run_agent(LayerOptions::default(), &host, input(None), agent).await;
    end.expect("complete");
    assert!(client.events.iter().any(|event| event == text));
    assert_eq!(
        client.at(&["deepcitation", "messages", "m", "summary", "verified"]),
        "1"
    );
}
