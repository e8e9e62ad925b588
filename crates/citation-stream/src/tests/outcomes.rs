//! Outcomes that agents state of their answers.

use agui::event::Custom;

use super::*;

fn outcome(id: &str, kind: &str, confidence: &str) -> Event {
    let value = format!(
        r#"{{"messageId":"{id}","outcome":{{"kind":"{kind}","confidence":{confidence},"factors":[],"unsupported":[],"model":"extractive"}}}}"#
    );
    theirs(Custom {
        name: Text::from(crate::OUTCOME_EVENT),
        value: json(&value),
    })
}

fn options(takes_outcomes: bool) -> LayerOptions {
    LayerOptions {
        takes_outcomes,
        ..LayerOptions::default()
    }
}

async fn state_after(takes_outcomes: bool, text: &str, outcome: Event) -> TestClient {
    let script = vec![
        started(),
        start("m"),
        delta("m", text),
        outcome,
        end("m"),
        finished(),
    ];
    let host = TestHost::paused();
    let (client, end) = run_with(options(takes_outcomes), &host, input(None), script).await;
    end.expect("a complete run");
    client
}

#[tokio::test(start_paused = true)]
async fn an_outcome_is_written_to_its_message_and_limits_the_confidence() {
    let text = block(&[(1, "Two boats were out", "log")]);
    let client = state_after(true, &text, outcome("m", "answered", "0.8")).await;
    let kind = ["deepcitation", "messages", "m", "outcome", "kind"];
    assert_eq!(client.at(&kind), "\"answered\"");
    assert_eq!(client.at(&["rag", "qa_history", "0", "confidence"]), "0.8");
}

#[tokio::test(start_paused = true)]
async fn a_refusal_adds_nothing_to_the_session() {
    let client = state_after(
        true,
        "I could not find this.",
        outcome("m", "refused", "0.9"),
    )
    .await;
    let kind = ["deepcitation", "messages", "m", "outcome", "kind"];
    assert_eq!(client.at(&kind), "\"refused\"");
    assert_eq!(client.at(&["rag"]), "null");
}

#[tokio::test(start_paused = true)]
async fn outcomes_of_other_agents_and_of_unknown_messages_are_ignored() {
    let client = state_after(false, "Hello.", outcome("m", "answered", "1")).await;
    assert_eq!(
        client.at(&["deepcitation", "messages", "m", "outcome"]),
        "null"
    );
    let client = state_after(true, "Hello.", outcome("other", "answered", "1")).await;
    assert_eq!(client.at(&["deepcitation", "messages", "other"]), "null");
}
