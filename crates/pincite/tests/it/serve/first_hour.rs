//! The first hour of a new user: upload a file, put an agent behind the gateway, open the evidence.

use std::path::Path;
use std::process::Command;

use json::Value;

use crate::harness::gateway::Gateway;
use crate::harness::{ServerProcess, parse, pincite, scratch, unused_path};

const REPORT: &[u8] = include_bytes!("../../../../agents/src/nordvik.pdf");

fn citing_agent() -> ServerProcess {
    let root = Path::new(env!("CARGO_MANIFEST_DIR"));
    let mut command = Command::new(root.join("../../target/python/bin/python"));
    command.arg(root.join("tests/python/citing_agent.py"));
    ServerProcess::start(command)
}

/// Uploads a file as `curl -F file=@…` does.
fn upload(gateway: &Gateway, headers: &str, name: &str, file: &[u8]) {
    let mut body = format!(
        "--x\r\nContent-Disposition: form-data; name=\"file\"; filename=\"{name}\"\r\nContent-Type: application/pdf\r\n\r\n"
    )
    .into_bytes();
    body.extend_from_slice(file);
    body.extend_from_slice(b"\r\n--x--\r\n");
    let headers = format!("Content-Type: multipart/form-data; boundary=x\r\n{headers}");
    let (status, answer) = gateway.request("POST", "/documents", &headers, &body);
    assert_eq!(status, 201, "{answer}");
}

/// Asks the agent. Returns its text and the state of the thread.
fn ask(
    gateway: &Gateway,
    headers: &str,
    thread: &str,
    question: &str,
    props: &str,
) -> (String, Value) {
    let body = format!(
        r#"{{"threadId":"{thread}","runId":"{thread}","protocolVersion":"1.0","messages":[{{"id":"u","role":"user","content":"{question}"}}],"forwardedProps":{props}}}"#
    );
    let headers = format!("Content-Type: application/json\r\n{headers}");
    let (status, answer) = gateway.request("POST", "/agents/py", &headers, body.as_bytes());
    assert_eq!(status, 200, "{answer}");
    let data = answer
        .lines()
        .filter_map(|line| line.strip_prefix("data: "));
    let deltas = data.map(parse).filter_map(|event| {
        let is_text = event["type"].as_str() == Some("TEXT_MESSAGE_CONTENT");
        event["delta"]
            .as_str()
            .filter(|_| is_text)
            .map(str::to_owned)
    });
    let text = deltas.collect();
    let (_, state) = gateway.request("GET", &format!("/threads/{thread}/state"), &headers, b"");
    (text, parse(&state))
}

/// Returns the verifications of a state by their status.
fn with_status(state: &Value, status: &str) -> Value {
    let all = state["deepcitation"]["verifications"].as_object();
    let mut all = all.expect("verifications").iter().map(|(_, one)| one);
    let found = all.find(|one| one["status"].as_str() == Some(status));
    found
        .unwrap_or_else(|| panic!("{}", state.to_json()))
        .clone()
}

/// Returns the path and query of an address of the gateway.
fn path_of<'u>(gateway: &Gateway, url: &'u Value) -> &'u str {
    let url = url.as_str().expect("an address");
    url.strip_prefix(gateway.url.as_str()).unwrap_or(url)
}

#[test]
fn a_document_is_cited_by_its_file_name() {
    let agent = citing_agent();
    let gateway = Gateway::start(&["--in-memory", "--upstream", &format!("py={}", agent.url)]);
    upload(&gateway, "", "report.pdf", REPORT);
    let (_, state) = ask(&gateway, "", "t", "When?", "null");
    let found = with_status(&state, "found");
    assert_eq!(found["label"].as_str(), Some("report.pdf"));
    let (status, head) = {
        let path = path_of(&gateway, &found["evidence"]["src"]);
        let (head, body) = gateway.exchange("GET", path, "", b"");
        assert!(!body.is_empty());
        (head.contains(" 200 "), head)
    };
    assert!(status && head.contains("image/webp"), "{head}");
    let page = &found["pageImages"].as_array().expect("images")[0];
    let (head, _) = gateway.exchange("GET", path_of(&gateway, &page["imageUrl"]), "", b"");
    assert!(
        head.contains(" 200 ") && head.contains("image/webp"),
        "{head}"
    );
    let item = &state["rag"]["citations"].as_array().expect("items")[0];
    assert_eq!(item["document_uri"].as_str(), Some("report.pdf"));
    assert_eq!(item["evidence_url"], found["evidenceUrl"]);
    // The page of the quote that was not found shows the nearest passage, the file and the date.
    let missed = with_status(&state, "not_found");
    let path = path_of(&gateway, &missed["evidenceUrl"]);
    let (status, page) = gateway.request("GET", path, "", b"");
    assert_eq!(status, 200);
    for shown in [
        "Most similar passage on the page",
        "report.pdf",
        "84",
        "<time datetime=\"20",
    ] {
        assert!(page.contains(shown), "{shown}: {page}");
    }
    let image = page
        .split("src=\"")
        .nth(1)
        .and_then(|rest| rest.split('"').next());
    let image = image.expect("an image").replace("&amp;", "&");
    let (head, body) = gateway.exchange("GET", &image, "", b"");
    assert!(head.contains(" 200 ") && body.len() > 1000, "{head}");
}

#[test]
fn links_in_the_state_open_without_a_key() {
    let agent = citing_agent();
    let data = unused_path("first-hour-keys");
    let data = data.to_str().expect("UTF-8");
    let made = pincite(
        &["keys", "create", "ada", "--data", data, "--format", "json"],
        b"",
    );
    let secret = made.expect(0).json()["secret"]
        .as_str()
        .expect("a secret")
        .to_owned();
    let gateway = Gateway::start(&["--data", data, "--upstream", &format!("py={}", agent.url)]);
    let key = format!("Authorization: Bearer {secret}\r\n");
    upload(&gateway, &key, "report.pdf", REPORT);
    let (_, state) = ask(&gateway, &key, "t", "When?", "null");
    for status in ["found", "not_found"] {
        let verification = with_status(&state, status);
        let path = path_of(&gateway, &verification["evidenceUrl"]);
        let browser = "Accept: text/html\r\n";
        let (code, page) = gateway.request("GET", path, browser, b"");
        assert_eq!(code, 200, "{path}: {page}");
        let bare = path.split('?').next().expect("a path");
        assert_eq!(gateway.request("GET", bare, browser, b"").0, 401);
        let image = page
            .split("src=\"")
            .nth(1)
            .and_then(|rest| rest.split('"').next());
        let image = image.expect("an image").replace("&amp;", "&");
        let (head, _) = gateway.exchange("GET", &image, "", b"");
        assert!(head.contains(" 200 "), "{image}: {head}");
    }
    let found = with_status(&state, "found");
    for image in [
        &found["evidence"]["src"],
        &found["pageImages"].as_array().expect("images")[0]["imageUrl"],
    ] {
        let (head, _) = gateway.exchange("GET", path_of(&gateway, image), "", b"");
        assert!(
            head.contains(" 200 ") && head.contains("image/webp"),
            "{head}"
        );
    }
}

#[test]
fn an_instructed_agent_gets_the_prompt_and_the_documents() {
    let agent = citing_agent();
    let start = |name: &str, hide_block: &str| {
        let config = format!(
            "[citations]\ninstruct = 20000\nhide_block = \"{hide_block}\"\n[agents.py]\nurl = \"{}\"\nprotocol = \"0.x\"\n",
            agent.url
        );
        let config = scratch(name, config);
        let gateway = Gateway::start(&["--in-memory", "--config", config.to_str().expect("UTF-8")]);
        upload(&gateway, "", "report.pdf", REPORT);
        gateway
    };
    let gateway = start("first-hour.toml", "never");
    upload(
        &gateway,
        "",
        "tide.txt",
        b"High tide was at 12:04 in Bergen.",
    );
    let (all, _) = ask(&gateway, "", "all", "prompt", "null");
    for part in [
        "<<<CITATION_DATA>>>",
        "The first quay of Nordvik",
        "High tide was at 12:04",
    ] {
        assert!(all.contains(part), "{part}: {all}");
    }
    let named = r#"{"attachmentIds":["report.pdf"]}"#;
    let (one, _) = ask(&gateway, "", "one", "prompt", named);
    assert!(one.contains("The first quay of Nordvik"), "{one}");
    assert!(!one.contains("High tide was at 12:04"), "{one}");
    let (_, listed) = gateway.json("GET", "/documents", "");
    let report = listed["items"].as_array().expect("documents").iter();
    let report = report
        .clone()
        .find(|item| item["filename"].as_str() == Some("report.pdf"));
    let id = report.expect("the report")["id"].as_str().expect("an id");
    let (status, _) = gateway.json(
        "PATCH",
        &format!("/documents/{id}"),
        r#"{"labels":["quays"]}"#,
    );
    assert_eq!(status, 200);
    let (labelled, _) = ask(&gateway, "", "label", "prompt", r#"{"labels":["quays"]}"#);
    assert!(labelled.contains("The first quay of Nordvik"), "{labelled}");
    assert!(!labelled.contains("High tide was at 12:04"), "{labelled}");
    let (none, _) = ask(
        &gateway,
        "",
        "none",
        "prompt",
        r#"{"labels":["quays","old"]}"#,
    );
    assert!(!none.contains("The first quay of Nordvik"), "{none}");
    // The block that the prompt taught is not shown.
    let gateway = start("first-hour-hidden.toml", "auto");
    let (answer, state) = ask(&gateway, "", "answer", "When?", "null");
    assert!(!answer.contains("CITATION_DATA"), "{answer}");
    assert_eq!(
        with_status(&state, "found")["label"].as_str(),
        Some("report.pdf")
    );
    let small = scratch("first-hour-small.toml", "[citations]\ninstruct = 20\n");
    let small = small.to_str().expect("UTF-8");
    let refused = pincite(&["config", "check", "--config", small], b"").expect(2);
    let reason = &refused.stderr;
    assert!(reason.contains("do not hold the instructions"), "{reason}");
}

#[test]
fn the_prompt_is_printed_for_other_agents() {
    for (format, part) in [
        ("block", "<<<CITATION_DATA>>>"),
        ("tags", "<cite attachment_id="),
        ("footnotes", "[^1]:"),
        ("json", "\"citations\""),
    ] {
        let printed = pincite(&["prompt", "--format", format], b"").expect(0);
        let text = printed.text();
        assert!(
            text.contains(part) && text.contains("Grammar"),
            "{format}: {text}"
        );
    }
}
