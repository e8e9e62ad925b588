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

/// What a message cites.
fn phrases(client: &TestClient, id: &str) -> Vec<String> {
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
async fn a_text_that_is_changed_back_has_its_citations_back() {
    let (a, b) = (said("A", TIDE), said("B", BOATS));
    let there_and_back = [vec![("m", b.as_str())], vec![("m", a.as_str())]];
    let client = run_through(&there_and_back[..1]).await;
    assert_eq!(phrases(&client, "m"), [BOATS.1]);
    let client = run_through(&there_and_back).await;
    assert_eq!(phrases(&client, "m"), [TIDE.1]);
    assert_eq!(
        client.at(&["deepcitation", "messages", "m", "summary", "verified"]),
        "1"
    );
}

#[tokio::test(start_paused = true)]
async fn a_text_has_its_own_citations_under_a_new_id() {
    let (a, b) = (said("A", TIDE), said("B", BOATS));
    // The first message says something else by now.
    for snapshots in [
        vec![vec![("m", b.as_str())], vec![("m", &b), ("n", &a)]],
        vec![vec![("m", &b), ("n", &a)]],
        vec![vec![("n", &a), ("m", &b)]],
    ] {
        let client = run_through(&snapshots).await;
        assert_eq!(phrases(&client, "m"), [BOATS.1]);
        assert_eq!(phrases(&client, "n"), [TIDE.1]);
    }
}

#[tokio::test(start_paused = true)]
async fn a_message_that_is_emptied_cites_nothing() {
    let client = run_through(&[vec![("m", "")]]).await;
    assert_eq!(phrases(&client, "m"), [""; 0]);
    assert_eq!(
        client.at(&["deepcitation", "messages", "m", "status"]),
        r#""complete""#
    );
    assert_eq!(client.at(&["deepcitation", "citations"]), "{}");
    assert_eq!(client.at(&["citations", "m"]), "[]");
    assert_eq!(client.at(&["rag", "qa_history"]), "[]");
    // It may be filled again.
    let client = run_through(&[vec![("m", "")], vec![("m", &said("A", TIDE))]]).await;
    assert_eq!(phrases(&client, "m"), [TIDE.1]);
}

#[tokio::test(start_paused = true)]
async fn a_message_that_never_said_anything_keeps_what_the_agent_cites_for_it() {
    let cited = r#"{"citations":{"call":[{"id":"log","snippet":"Two boats were out"}]}}"#;
    let mut next = input(Some(cited));
    let host = TestHost::paused();
    let script = vec![started(), finished()];
    let (client, _) = run_with(LayerOptions::default(), &host, next.clone(), script).await;
    next.state = Some(client.fold.state().clone());
    let script = vec![started(), conversation([assistant("call", "")]), finished()];
    let (client, _) = run_with(LayerOptions::default(), &host, next, script).await;
    assert_eq!(phrases(&client, "call"), [BOATS.1]);
}

#[tokio::test(start_paused = true)]
async fn a_message_is_read_though_one_that_nobody_read_says_the_same() {
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
    assert_eq!(phrases(&client, "new"), [TIDE.1]);
}

#[tokio::test(start_paused = true)]
async fn what_a_changed_message_cited_goes_unless_another_cites_it() {
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
        // A number that was shown stays.
        let numbered = value(&client.at(&["rag", "citations"]));
        assert_eq!(numbered.as_array().map(<[Value]>::len), Some(2));
    }
    // What is cited still is not checked again.
    let client = run_through(&[vec![("m", &format!("{a} More."))]]).await;
    let checked = client
        .events
        .iter()
        .filter(|event| event.contains(r#""path":"/deepcitation/verifications/"#));
    assert_eq!(checked.count(), 1);
    assert_eq!(phrases(&client, "m"), [TIDE.1]);
}

#[tokio::test(start_paused = true)]
async fn a_check_ends_though_nothing_cites_it_any_more() {
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
