//! Session projection of long threads, and its form with an index.

use super::*;

/// Runs `count` turns with a quote of its own each, and returns the client after the last.
async fn long_thread(count: usize, state: Option<&str>) -> TestClient {
    let options = LayerOptions {
        keep_messages: 5,
        ..LayerOptions::default()
    };
    let mut thread = Thread::new(options);
    if let Some(state) = state {
        thread.state = Some(json(state));
    }
    let mut last = None;
    for number in 0..count {
        let phrase = format!("Passage number {number} of the log");
        let text = format!("So [1].{}", block(&[(1, phrase.as_str(), "log")]));
        let id = format!("m{number}");
        last = Some(thread.run(whole_run([said(&id, &text)])).await);
    }
    last.expect("a turn")
}

/// Returns the numbers of items.
fn numbers(items: &Value) -> Vec<String> {
    let items = items.as_array().expect("items").iter();
    items.map(|item| item["index"].to_json()).collect()
}

#[tokio::test(start_paused = true)]
async fn old_turns_leave_the_state() {
    let short = long_thread(6, None).await;
    let long = long_thread(30, None).await;
    let rag = value(&long.at(&["rag"]));
    let turns = rag["qa_history"].as_array().expect("turns");
    // Clients find the turns of a run by their number, so old ones stay without their texts.
    assert_eq!(turns.len(), 30);
    for turn in &turns[..25] {
        assert_eq!(turn["answer"].as_str(), Some(""));
        assert!(numbers(&turn["citations"]).is_empty());
    }
    for (turn, number) in turns[25..].iter().zip(26..) {
        assert_eq!(turn["answer"].as_str(), Some("So [1]."));
        assert_eq!(numbers(&turn["citations"]), [number.to_string()]);
    }
    assert_eq!(numbers(&rag["citations"]), ["26", "27", "28", "29", "30"]);
    let size = |client: &TestClient| client.state().to_json().len();
    assert!(
        size(&long) < size(&short) + 30 * 100,
        "{} and {}",
        size(&short),
        size(&long)
    );
}

#[tokio::test(start_paused = true)]
async fn the_oldest_messages_leave_the_state() {
    // Large objects have an index of their members, whose order must not suffer from removals.
    let options = LayerOptions {
        keep_messages: 20,
        ..LayerOptions::default()
    };
    let mut thread = Thread::new(options);
    for number in 0..50 {
        let id = format!("m{number}");
        let client = thread.run(whole_run([said(&id, "So.")])).await;
        let first = 50_usize.min(number + 1).saturating_sub(20);
        let state = client.state();
        let messages = state["deepcitation"]["messages"]
            .as_object()
            .expect("messages");
        let ids: Vec<&str> = messages.iter().map(|(id, _)| id).collect();
        let expected: Vec<String> = (first..=number)
            .map(|number| format!("m{number}"))
            .collect();
        assert_eq!(ids, expected);
    }
}

#[tokio::test(start_paused = true)]
async fn clients_that_ask_for_it_get_an_index() {
    let asked = r#"{"rag":{"citation_index":{},"citations":[],"document_filter":null}}"#;
    for count in [1, 3, 9] {
        let client = long_thread(count, Some(asked)).await;
        let rag = value(&client.at(&["rag"]));
        let index = rag["citation_index"].as_object().expect("an index");
        assert_eq!(index.iter().count(), count.min(5));
        for (key, item) in index.iter() {
            assert_eq!(item["chunk_id"].as_str(), Some(key));
        }
        // Only the citations of the last turn are listed.
        let listed = rag["citations"].as_array().expect("keys");
        assert_eq!(listed.len(), 1);
        let item = &rag["citation_index"][listed[0].as_str().expect("a key")];
        assert_eq!(item["index"], Value::from(count));
        let turns = rag["qa_history"].as_array().expect("turns");
        assert_eq!(turns.len(), count);
    }
    let foreign = r#"{"rag":{"citation_index":{"a":{}},"citations":["a"]}}"#;
    let client = long_thread(2, Some(foreign)).await;
    assert_eq!(
        client.at(&["rag"]),
        r#"{"citation_index":{"a":{}},"citations":["a"]}"#
    );
}
