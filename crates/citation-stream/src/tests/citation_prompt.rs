//! Instructions that are added to the input of an agent.

use super::*;
use crate::PromptDocument;

/// Host with documents for the instructions.
struct DocumentHost(DocumentVerifier);

impl LayerHost for DocumentHost {
    fn now(&self) -> u64 {
        0
    }

    fn sleep(&self, _: Duration) -> Timer {
        Box::pin(std::future::pending())
    }

    fn new_id(&self) -> String {
        "prompt".to_owned()
    }

    fn documents(&self, _: &str) -> Vec<PromptDocument> {
        let documents = self.0.documents().iter();
        documents
            .map(|(id, document)| PromptDocument {
                id: id.clone(),
                document: document.clone(),
                passages: None,
            })
            .collect()
    }
}

async fn run_with_budget(budget: usize, mut input: RunAgentInput) -> (Vec<Message>, TestClient) {
    let seen = Arc::new(Mutex::new(Vec::new()));
    let received = Arc::clone(&seen);
    // The agent repeats its input.
    let agent = AgentFn(move |input: RunAgentInput| {
        received
            .lock()
            .expect("no panic")
            .clone_from(&input.messages);
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
    let layer = CitationLayer::new(agent, library(), DocumentHost(library()), options);
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
async fn injects_the_prompt_within_its_budget_and_hides_it_from_the_client() {
    let (messages, client) = run_with_budget(20_000, input(None)).await;
    assert_eq!(messages.len(), 2);
    assert_eq!(messages[0].role, Role::System);
    let prompt = text(&messages[0]);
    assert!(prompt.contains("<<<CITATION_DATA>>>"));
    assert!(prompt.contains(r#"<attachment id="log"><page_number_1_index_0>"#));
    let at = |part: &str| prompt.find(part).expect("it is there");
    assert!(at(r#"id="code""#) < at(r#"id="log""#));
    assert!(at("High tide") < at("Before you stop"));
    assert_eq!(client.fold.messages().count(), 1);
    assert!(
        !client
            .events
            .iter()
            .any(|event| event.contains("CITATION_DATA"))
    );

    // The parser understands the example of the instructions.
    let reading = citations::ParsedAnswer::of(prompt);
    assert_eq!(reading.citations.len(), 1);
    assert_eq!(reading.citations[0].found.citation.page(), Some(4));

    let whole = prompt.chars().count();
    for budget in [0, 100, whole - 1, whole, whole + 10] {
        let (messages, _) = run_with_budget(budget, input(None)).await;
        let used: usize = messages
            .iter()
            .filter(|message| message.role == Role::System)
            .map(|message| text(message).chars().count())
            .sum();
        assert!(used <= budget, "{used} of {budget}");
    }
    let (messages, _) = run_with_budget(100, input(None)).await;
    assert_eq!(messages.len(), 1);
}

#[tokio::test]
async fn keeps_client_instructions_in_the_prompt_and_restores_them() {
    let mut given = input(None);
    let own = Message {
        content: Content::Text("  Be brief.\n".to_owned()),
        ..Message::new("s", Role::System)
    };
    given.messages.insert(0, own.clone());
    let (messages, client) = run_with_budget(20_000, given).await;
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
