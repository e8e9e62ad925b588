//! Agents that cite in their own way, and agents that are taught to cite in ours.

use agui::sse::SseDecoder;

use super::*;

/// An agent that says what was recorded.
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
async fn citations_in_the_state_of_a_retrieval_agent_are_checked() {
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
                .all(|message| message.progress == super::super::MessageProgress::Complete)
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
async fn lists_of_sources_in_the_state_are_checked_under_their_messages() {
    let state = r#"{"citations":{"m":[{"id":"log","snippet":"Two boats were out","title":"Log"},"https://x.example",{"snippet":"Nobody at all","extra":{"attachmentId":"log"}}]}}"#;
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

    // What a client sends of such lists is read as well, once.
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
async fn sources_on_messages_of_a_snapshot_are_checked() {
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

/// A host with documents to teach with.
struct School(DocumentVerifier);

impl LayerHost for School {
    fn now(&self) -> u64 {
        0
    }

    fn sleep(&self, _: Duration) -> Timer {
        Box::pin(std::future::pending())
    }

    fn new_id(&self) -> String {
        "lesson".to_owned()
    }

    fn documents(&self, _: &str) -> Vec<(String, Arc<Document>)> {
        self.0.documents().to_vec()
    }
}

async fn taught(budget: usize, mut input: RunAgentInput) -> (Vec<Message>, TestClient) {
    let seen = Arc::new(Mutex::new(Vec::new()));
    let told = Arc::clone(&seen);
    // The agent repeats what it was told.
    let agent = AgentFn(move |input: RunAgentInput| {
        told.lock().expect("no panic").clone_from(&input.messages);
        let begin = theirs(RunStarted {
            thread_id: Text::from("t"),
            run_id: Text::from("r"),
            protocol_version: None,
            parent_run_id: None,
            input: Some(Box::new(input.clone())),
        });
        EventStream::of([begin, conversation(input.messages), finished()])
    });
    let options = LayerOptions {
        instruct: Some(budget),
        ..LayerOptions::default()
    };
    input.state = None;
    let mut client = TestClient::new(&input);
    let layer = CitationLayer::new(agent, library(), School(library()), options);
    let mut stream = layer.run(input);
    let mut slot = ReceivedEvent::default();
    while let Some(read) = stream.next_into(&mut slot).await {
        read.expect("complete");
        client.take(&slot);
    }
    let messages = std::mem::take(&mut *seen.lock().expect("no panic"));
    (messages, client)
}

fn text(message: &Message) -> &str {
    match &message.content {
        Content::Text(text) => text,
        _ => "",
    }
}

#[tokio::test]
async fn an_agent_is_taught_within_a_budget_and_the_client_sees_nothing_of_it() {
    let (messages, client) = taught(20_000, input(None)).await;
    assert_eq!(messages.len(), 2);
    assert_eq!(messages[0].role, Role::System);
    let lesson = text(&messages[0]);
    assert!(lesson.contains("<<<CITATION_DATA>>>"));
    assert!(lesson.contains(r#"<attachment id="log"><page_number_1_index_0>"#));
    let at = |part: &str| lesson.find(part).expect("it is there");
    assert!(at(r#"id="code""#) < at(r#"id="log""#));
    assert!(at("High tide") < at("Before you stop"));
    assert_eq!(client.fold.messages().count(), 1);
    assert!(
        !client
            .events
            .iter()
            .any(|event| event.contains("CITATION_DATA"))
    );

    // What the lesson shows is what we read.
    let reading = citations::ParsedAnswer::of(lesson);
    assert_eq!(reading.citations.len(), 1);
    assert_eq!(reading.citations[0].found.citation.page(), Some(4));

    let whole = lesson.chars().count();
    for budget in [0, 100, whole - 1, whole, whole + 10] {
        let (messages, _) = taught(budget, input(None)).await;
        let used: usize = messages
            .iter()
            .filter(|message| message.role == Role::System)
            .map(|message| text(message).chars().count())
            .sum();
        assert!(used <= budget, "{used} of {budget}");
    }
    let (messages, _) = taught(100, input(None)).await;
    assert_eq!(messages.len(), 1);
}

#[tokio::test]
async fn instructions_of_the_client_stay_in_the_lesson_and_come_back_alone() {
    let mut given = input(None);
    let own = Message {
        content: Content::Text("  Be brief.\n".to_owned()),
        ..Message::new("s", Role::System)
    };
    given.messages.insert(0, own.clone());
    let (messages, client) = taught(20_000, given).await;
    assert_eq!(messages.len(), 2);
    assert!(text(&messages[0]).contains("\n\nBe brief.\n\n"));
    let kept: Vec<&Message> = client.fold.messages().collect();
    assert_eq!(kept.len(), 2);
    assert_eq!(*kept[0], own);
    assert!(
        !client
            .events
            .iter()
            .any(|event| event.contains("CITATION_DATA"))
    );
}
