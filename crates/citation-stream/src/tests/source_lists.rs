//! Source lists of the agent in the state and on messages.

use super::agent_citations::{TOTAL, cited_text, message_member};
use super::*;

/// Runs an agent that sends these events as JSON texts.
pub(super) async fn run_raw(texts: &[&str]) -> TestClient {
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
async fn merges_listed_sources_with_citations_of_the_text() {
    let listed = |entry: &str| snapshot(&format!(r#"{{"citations":{{"m":[{entry}]}}}}"#));
    for entry in [
        r#"{"id":"s1","title":"The log","snippet":"Two boats were out"}"#,
        r#"{"snippet":"Two boats were out ","extra":{"attachmentId":"log"}}"#,
    ] {
        let client = run(whole_run([
            said("m", &cited_text(1, "Two boats were out")),
            vec![listed(entry)],
        ]))
        .await;
        assert_eq!(message_member(&client, "m", TOTAL), "1", "{entry}");
    }
    // Another document is another citation.
    let other = r#"{"snippet":"Two boats were out","extra":{"attachmentId":"code"}}"#;
    let client = run(whole_run([
        said("m", &cited_text(1, "Two boats were out")),
        vec![listed(other)],
    ]))
    .await;
    assert_eq!(message_member(&client, "m", TOTAL), "2");
}

#[tokio::test(start_paused = true)]
async fn keeps_markers_of_the_text_over_numbers_of_a_list() {
    for index in ["", r#""index":1,"#] {
        let state = format!(
            r#"{{"citations":{{"m":[{{{index}"id":"code","snippet":"No one saw them"}},{{"id":"log","snippet":"High tide was at 12:04"}}]}}}}"#
        );
        let client = run(whole_run([
            said("m", &cited_text(1, "Two boats were out")),
            vec![snapshot(&state)],
        ]))
        .await;
        assert_eq!(message_member(&client, "m", TOTAL), "3");
        let markers = value(&message_member(&client, "m", &["markers"]));
        let phrase = |marker: &str| {
            let key = markers[marker].as_str().expect("a key");
            client.at(&["deepcitation", "citations", key, "fullPhrase"])
        };
        assert_eq!(phrase("1"), r#""Two boats were out""#);
        assert_eq!(phrase("2"), r#""High tide was at 12:04""#);
    }
}

#[tokio::test(start_paused = true)]
async fn copies_a_source_list_to_the_new_message_id() {
    let listed = r#"{"citations":{"m1":[{"id":"log","snippet":"Two boats were out"}]}}"#;
    let renamed = || conversation([assistant("m2", "Hello there.")]);
    for events in [
        vec![snapshot(listed), renamed()],
        vec![renamed(), snapshot(listed)],
    ] {
        let client = run(whole_run([said("m1", "Hello there."), events])).await;
        assert_eq!(message_member(&client, "m2", &["summary", "verified"]), "1");
        let markers = message_member(&client, "m2", &["markers"]);
        assert!(markers.starts_with(r#"{"1":"#), "{markers}");
        assert_eq!(message_member(&client, "m1", &["markers"]), "null");
    }
}

#[tokio::test(start_paused = true)]
async fn verifies_lists_of_unsafe_ids_and_arrays_of_lists() {
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
    assert_eq!(message_member(&client, "0", &["summary", "verified"]), "1");
    assert_eq!(value(&client.at(&["citations"])), value(state)["citations"]);
}

#[tokio::test(start_paused = true)]
async fn ignores_lists_of_evicted_messages() {
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
async fn keeps_unknown_members_of_messages_with_hidden_blocks() {
    let own = Value::from(cited_text(1, "Two boats were out").as_str()).to_json();
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
    assert_eq!(message_member(&client, "m", TOTAL), "2");
}
