//! Messages that a snapshot of the conversation changes, renames or empties.

use super::*;

const TIDE: (u32, &str, &str) = (1, "High tide was at 12:04", "log");
const BOATS: (u32, &str, &str) = (1, "Two boats were out", "log");

fn said(words: &str, cited: (u32, &str, &str)) -> String {
    format!("{words} [1].{}", block(&[cited]))
}

fn message(id: &str, text: &str) -> Vec<Event> {
    vec![start(id), delta(id, text), end(id)]
}

/// Returns the quotes of a message.
fn quotes(client: &TestClient, id: &str) -> Vec<String> {
    let citations = value(&client.at(&["deepcitation", "messages", id, "citations"]));
    let citations = citations.as_object().expect("an entry");
    let phrase = |citation: &Value| citation["fullPhrase"].as_str().map(str::to_owned);
    let phrases = citations.iter().map(|(_, citation)| phrase(citation));
    phrases.map(|phrase| phrase.expect("a phrase")).collect()
}

async fn run_through(messages: &[Vec<(&str, &str)>]) -> TestClient {
    let mut script = vec![started()];
    script.extend(message("m", &said("A", TIDE)));
    for messages in messages {
        let messages = messages.iter().map(|(id, text)| assistant(id, text));
        script.push(conversation(messages));
    }
    script.push(finished());
    run(script).await
}

#[tokio::test(start_paused = true)]
async fn restores_the_citations_of_a_text_that_is_changed_back() {
    let (a, b) = (said("A", TIDE), said("B", BOATS));
    let there_and_back = [vec![("m", b.as_str())], vec![("m", a.as_str())]];
    let client = run_through(&there_and_back[..1]).await;
    assert_eq!(quotes(&client, "m"), [BOATS.1]);
    let client = run_through(&there_and_back).await;
    assert_eq!(quotes(&client, "m"), [TIDE.1]);
    assert_eq!(
        client.at(&["deepcitation", "messages", "m", "summary", "verified"]),
        "1"
    );
}

#[tokio::test(start_paused = true)]
async fn keeps_citations_when_a_message_gets_a_new_id() {
    let (a, b) = (said("A", TIDE), said("B", BOATS));
    // The first message has another text by now.
    for snapshots in [
        vec![vec![("m", b.as_str())], vec![("m", &b), ("n", &a)]],
        vec![vec![("m", &b), ("n", &a)]],
        vec![vec![("n", &a), ("m", &b)]],
    ] {
        let client = run_through(&snapshots).await;
        assert_eq!(quotes(&client, "m"), [BOATS.1]);
        assert_eq!(quotes(&client, "n"), [TIDE.1]);
    }
}

#[tokio::test(start_paused = true)]
async fn a_renamed_message_leaves_no_second_entry() {
    let a = said("A", TIDE);
    for snapshots in [
        vec![vec![("n", a.as_str())]],
        vec![vec![("o", &a)], vec![("m", &a)], vec![("n", &a)]],
    ] {
        let client = run_through(&snapshots).await;
        assert_eq!(quotes(&client, "n"), [TIDE.1]);
        let state = client.state();
        for lists in [&state["deepcitation"]["messages"], &state["citations"]] {
            let ids = lists.as_object().into_iter().flat_map(json::Map::iter);
            let ids: Vec<&str> = ids.map(|(id, _)| id).collect();
            assert_eq!(ids, ["n"]);
        }
        let history = state["rag"]["qa_history"].as_array().expect("a history");
        assert_eq!(history.len(), 1);
    }
    // Two messages with the same text stay two.
    let client = run_through(&[vec![("m", &a), ("n", &a)]]).await;
    assert_eq!(quotes(&client, "m"), quotes(&client, "n"));
}

#[tokio::test(start_paused = true)]
async fn removes_the_citations_of_an_emptied_message() {
    let client = run_through(&[vec![("m", "")]]).await;
    assert_eq!(quotes(&client, "m"), [""; 0]);
    assert_eq!(
        client.at(&["deepcitation", "messages", "m", "status"]),
        r#""complete""#
    );
    assert_eq!(client.at(&["deepcitation", "citations"]), "{}");
    assert_eq!(client.at(&["citations", "m"]), "[]");
    assert_eq!(client.at(&["rag", "qa_history"]), "[]");
    // A later snapshot may fill it again.
    let client = run_through(&[vec![("m", "")], vec![("m", &said("A", TIDE))]]).await;
    assert_eq!(quotes(&client, "m"), [TIDE.1]);
}

#[tokio::test(start_paused = true)]
async fn keeps_agent_citations_of_a_message_without_text() {
    let cited = r#"{"citations":{"call":[{"id":"log","snippet":"Two boats were out"}]}}"#;
    let mut next = input(Some(cited));
    let host = TestHost::paused();
    let script = vec![started(), finished()];
    let (client, _) = run_with(LayerOptions::default(), &host, next.clone(), script).await;
    next.state = Some(client.fold.state().clone());
    let script = vec![started(), conversation([assistant("call", "")]), finished()];
    let (client, _) = run_with(LayerOptions::default(), &host, next, script).await;
    assert_eq!(quotes(&client, "call"), [BOATS.1]);
}

#[tokio::test(start_paused = true)]
async fn parses_a_text_that_equals_an_unparsed_message() {
    let text = said("A", TIDE);
    let mut given = input(Some("{}"));
    given.messages.insert(0, assistant("old", &text));
    let host = TestHost::paused();
    let script = vec![
        started(),
        conversation([assistant("new", &text)]),
        finished(),
    ];
    let (client, _) = run_with(LayerOptions::default(), &host, given, script).await;
    assert_eq!(quotes(&client, "new"), [TIDE.1]);
}

#[tokio::test(start_paused = true)]
async fn removes_citations_of_a_changed_message_unless_cited_elsewhere() {
    let (a, b) = (said("A", TIDE), said("B", BOATS));
    let keys = |client: &TestClient, path: &[&str]| {
        let all = value(&client.at(path));
        all.as_object().map(json::Map::len)
    };
    for (snapshot, count) in [
        (vec![("m", b.as_str())], 1),
        (vec![("m", &b), ("n", &a)], 2),
        (vec![("n", &a), ("m", &b)], 2),
    ] {
        let client = run_through(&[snapshot]).await;
        assert_eq!(keys(&client, &["deepcitation", "citations"]), Some(count));
        let checked = keys(&client, &["deepcitation", "verifications"]);
        assert_eq!(checked, Some(count));
        // A number of the session list stays.
        let numbered = value(&client.at(&["rag", "citations"]));
        assert_eq!(numbered.as_array().map(<[Value]>::len), Some(2));
    }
    // A citation that another message has is not verified again.
    let client = run_through(&[vec![("m", &format!("{a} More."))]]).await;
    let checked = client
        .events
        .iter()
        .filter(|event| event.contains(r#""path":"/deepcitation/verifications/"#));
    assert_eq!(checked.count(), 1);
    assert_eq!(quotes(&client, "m"), [TIDE.1]);
}

#[tokio::test(start_paused = true)]
async fn completes_a_check_whose_citation_was_removed() {
    let slow = said("Slow", (1, "wait 500 x", "log"));
    let mut script = vec![started()];
    script.extend(message("m", &slow));
    script.extend([
        conversation([assistant("m", "Never mind.")]),
        conversation([assistant("m", &slow)]),
        conversation([assistant("m", "Never mind.")]),
        finished(),
    ]);
    let client = run(script).await;
    assert_eq!(client.at(&["deepcitation", "citations"]), "{}");
    assert_eq!(client.at(&["deepcitation", "verifications"]), "{}");
    assert_eq!(
        client.at(&["deepcitation", "messages", "m", "status"]),
        r#""complete""#
    );
}
