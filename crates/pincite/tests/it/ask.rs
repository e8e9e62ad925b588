//! `pincite ask` and the reader of a server, on the sample library.

use json::Value;

use crate::harness::gateway::Gateway;
use crate::harness::*;

/// Returns a data directory with the sample library.
fn samples(name: &str) -> String {
    let data = unused_path(name);
    let data = data.to_str().expect("text").to_owned();
    let library = concat!(env!("CARGO_MANIFEST_DIR"), "/../../samples/library");
    pincite(&["ingest", library, "--data", &data], b"").expect(0);
    data
}

fn ask(data: &str, question: &str) -> Value {
    let args = ["ask", question, "--data", data, "--format", "json"];
    pincite(&args, b"").expect(0).json()
}

#[test]
fn answers_quote_the_documents_and_refusals_are_no_errors() {
    let data = samples("ask");
    let answer = ask(&data, "When does the lease begin?");
    assert!(
        answer["answer"]
            .as_str()
            .expect("text")
            .contains("1 April 2022")
    );
    assert_eq!(answer["refused"], Value::Bool(false));
    assert_eq!(answer["model"].as_str(), Some("extractive"));
    let cited = answer["citations"].as_array().expect("a list");
    assert!(!cited.is_empty());
    for citation in cited {
        assert_eq!(
            citation["status"].as_str(),
            Some("found"),
            "{}",
            answer.to_json()
        );
    }
    assert_eq!(cited[0]["document"].as_str(), Some("quay-lease.pdf"));
    assert_eq!(cited[0]["number"], Value::from(1_usize));

    let refused = ask(&data, "Who painted the ceiling of the Sistine Chapel?");
    assert_eq!(refused["refused"], Value::Bool(true));
    let text = refused["answer"].as_str().expect("text");
    assert!(
        text.starts_with("I could not find this in your documents."),
        "{text}"
    );
    assert_eq!(refused["citations"].as_array().map(<[Value]>::len), Some(0));

    // The scanned letter is found by its recognised text; a document can be chosen.
    let args = [
        "ask",
        "How many boats were lost?",
        "--document",
        "letter-1929.pdf",
        "--data",
        &data,
    ];
    let text = pincite(&args, b"").expect(0).text().to_owned();
    assert!(
        text.contains("Seventeen boats") && text.contains("letter-1929.pdf, page 1"),
        "{text}"
    );
    let args = [
        "ask",
        "When does the lease begin?",
        "--format",
        "markdown",
        "--data",
        &data,
    ];
    let text = pincite(&args, b"").expect(0).text().to_owned();
    assert!(
        text.contains("[^1]: quay-lease.pdf, page 1 (found)"),
        "{text}"
    );
}

#[test]
fn wrong_usage_says_what_to_do() {
    let data = unused_path("ask-nothing");
    let data = data.to_str().expect("text");
    pincite(&["ask", "Why?", "--data", data], b"").expect_usage_error(&["--data"]);
    let data = samples("ask-usage");
    let args = ["ask", "Why?", "--data", &data, "--document", "missing.pdf"];
    pincite(&args, b"").expect_usage_error(&["missing.pdf"]);
    let args = ["ask", "Why?", "--data", &data, "--model", "gpt"];
    pincite(&args, b"").expect_usage_error(&["PROVIDER:MODEL"]);
}

#[test]
fn a_server_answers_with_the_sample_library_while_questions_are_asked_beside_it() {
    let data = unused_path("ask-server");
    let data = data.to_str().expect("text");
    let gateway = Gateway::start(&["--data", data, "--samples"]);
    let (status, agents) = gateway.json("GET", "/agents", "");
    assert_eq!(status, 200);
    let agents = agents["items"].as_array().expect("agents").to_vec();
    let reader = agents
        .iter()
        .find(|agent| agent["name"].as_str() == Some("reader"));
    let reader = reader.expect("a reader");
    assert_eq!(reader["default"], Value::Bool(true));
    assert_eq!(reader["model"].as_str(), Some("extractive"));
    let answer = poll_until("an answer", || {
        let question = "How high is the rent of the north quay?";
        let args = ["ask", question, "--data", data, "--format", "json"];
        // Until the server has made its search index there is nothing to search.
        let ended = pincite(&args, b"");
        let answer = (ended.code == Some(0)).then(|| ended.json())?;
        (answer["refused"] == Value::Bool(false)).then_some(answer)
    });
    assert!(answer["answer"].as_str().expect("text").contains("48,500"));
    let body = r#"{"threadId":"t","messages":[{"role":"user","content":"How high is the rent of the north quay?"}]}"#;
    let (status, events) = gateway.request("POST", "/agents/reader", "", body.as_bytes());
    assert_eq!(status, 200);
    assert!(
        events.contains("48,500") && !events.contains("CITATION_DATA"),
        "{events}"
    );
    let (_, state) = gateway.json("GET", "/threads/t/state", "");
    let turns = state["rag"]["qa_history"].as_array().expect("turns");
    assert_eq!(turns.len(), 1);
    let messages = state["deepcitation"]["messages"]
        .as_object()
        .expect("messages");
    let kinds: Vec<_> = messages
        .iter()
        .map(|(_, message)| message["outcome"]["kind"].as_str())
        .collect();
    assert_eq!(kinds, [Some("answered")]);
    gateway.stop();
}

#[test]
fn deleted_samples_stay_deleted() {
    let data = unused_path("ask-samples");
    let data = data.to_str().expect("text");
    let ids = |gateway: &Gateway| {
        let (status, listed) = gateway.json("GET", "/documents", "");
        assert_eq!(status, 200);
        let items = listed["items"].as_array().expect("a list").to_vec();
        let ids = items.iter().filter_map(|item| item["id"].as_str());
        // The test server has the document of the demo, too.
        let samples = ids.filter(|id| id.starts_with("sample-"));
        samples.map(str::to_owned).collect::<Vec<_>>()
    };
    let gateway = Gateway::start(&["--data", data, "--samples"]);
    let added = ids(&gateway);
    assert_eq!(added.len(), 8);
    let path = format!("/documents/{}", added[0]);
    let (status, _) = gateway.request("DELETE", &path, "", b"");
    assert!((200..300).contains(&status));
    gateway.stop();
    let gateway = Gateway::start(&["--data", data, "--samples"]);
    assert_eq!(ids(&gateway), added[1..]);
    gateway.stop();
}
