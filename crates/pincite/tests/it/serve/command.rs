//! `pincite serve`: options, configuration, agents and documents.

use json::Value;

use crate::harness::gateway::Gateway;
use crate::harness::{ServerProcess, data, parse, pincite, scratch, stream, unused_path};

/// Runs an agent, checks the stream strictly and folds it.
fn conversation(url: &str, name: &str, options: &[&str]) -> Value {
    let recording = scratch(name, "");
    let recording = recording.to_str().expect("plain");
    let mut args = vec![
        "stream",
        "run",
        url,
        "--message",
        "hi",
        "--record",
        recording,
    ];
    args.extend(options);
    pincite(&args, b"").expect(0);
    pincite(&["stream", "check", "--strict", recording], b"").expect(0);
    pincite(&["stream", "fold", recording], b"")
        .expect(0)
        .json()
}

fn entry(state: &Value) -> &Value {
    let messages = state["deepcitation"]["messages"]
        .as_object()
        .expect("messages");
    messages.iter().last().expect("a message").1
}

#[test]
fn demo_agent_shows_every_kind_of_verdict() {
    let gateway = Gateway::start(&["--in-memory"]);
    let folded = conversation(&format!("{}/agents/demo", gateway.url), "demo.sse", &[]);
    let state = &folded["state"];
    let entry = entry(state);
    let status = |marker: &str| {
        let key = entry["markers"][marker].as_str().expect("a key");
        state["deepcitation"]["verifications"][key]["status"]
            .as_str()
            .expect("a status")
    };
    let statuses: Vec<&str> = ["1", "2", "3", "4", "5", "6", "7"].map(status).to_vec();
    assert_eq!(
        statuses,
        [
            "found",
            "found",
            "found_on_other_page",
            "found",
            "partial_text_found",
            "not_found",
            "not_found"
        ]
    );
    assert_eq!(entry["status"].as_str(), Some("complete"));
    let summary = ["total", "verified", "partial", "missed", "pending"]
        .map(|name| entry["summary"][name].clone());
    assert_eq!(
        summary,
        [7, 3, 2, 2, 0].map(|count: usize| Value::from(count))
    );
    // The data block is removed from the text.
    let messages = folded["messages"].as_array().expect("messages");
    let text = messages.last().expect("an answer")["content"]
        .as_str()
        .expect("text");
    assert!(
        text.contains("[7]") && !text.contains("CITATION_DATA"),
        "{text}"
    );
    // The other projections.
    let id = entry["messageId"].as_str().expect("an id");
    assert_eq!(
        state["citations"][id].as_array().map(<[Value]>::len),
        Some(7)
    );
    assert_eq!(
        state["rag"]["qa_history"].as_array().map(<[Value]>::len),
        Some(1)
    );
    // Every citation has an evidence page.
    let key = entry["markers"]["6"].as_str().expect("a key");
    let (code, page) = gateway.request("GET", &format!("/p/{key}"), "", b"");
    assert_eq!(code, 200);
    assert!(
        page.contains("3.2 metres") && page.contains("not found"),
        "{page}"
    );
}

#[test]
fn recordings_pass_the_gateway_unchanged() {
    for name in ["01_plain_text.sse", "10_client_tool_segment1.sse"] {
        let path = data("streams").join(name);
        let path = path.to_str().expect("plain");
        let upstream = ServerProcess::recordings(&[path, "--pace", "0"]);
        let gateway =
            Gateway::start(&["--in-memory", "--upstream", &format!("up={}", upstream.url)]);
        let direct = conversation(&upstream.url, &format!("direct-{name}"), &[]);
        let through = conversation(
            &format!("{}/agents/up", gateway.url),
            &format!("through-{name}"),
            &[],
        );
        assert_eq!(direct["messages"], through["messages"], "{name}");
    }
}

#[test]
fn unreachable_upstream_gives_a_run_error() {
    let gateway = Gateway::start(&["--in-memory", "--upstream", "gone=http://127.0.0.1:9/"]);
    let ended = stream(
        &format!("run {}/agents/gone --message hi --format json", gateway.url),
        "",
    );
    let report = ended.expect(1).json();
    assert!(
        report.to_json().contains("upstream_unreachable"),
        "{}",
        report.to_json()
    );
}

#[test]
fn sdk_routes_respond_with_the_keys_of_the_request() {
    let gateway = Gateway::start(&["--in-memory"]);
    let (status, prepared) =
        gateway.attach("tide", "tide.txt", "High tide was at 12:04.\u{c}Low water.");
    assert_eq!(status, 200, "{prepared:?}");
    assert_eq!(prepared["attachmentId"].as_str(), Some("tide"));
    assert_eq!(prepared["metadata"]["pageCount"], Value::from(2_usize));
    let deep = prepared["deepTextPromptPortion"].as_str().expect("text");
    assert!(
        deep.starts_with("<attachment id=\"tide\"><page_number_1_index_0>"),
        "{deep}"
    );
    // A repeated upload changes nothing; other bytes do not replace a document.
    assert_eq!(
        gateway
            .attach("tide", "tide.txt", "High tide was at 12:04.\u{c}Low water.")
            .0,
        200
    );
    let (status, refused) = gateway.attach("tide", "tide.txt", "Something else.");
    assert_eq!(status, 409, "{refused:?}");
    let body = r#"{"data":{"attachmentId":"tide","citations":{"mine":{"fullPhrase":"High tide was at 12:04","pageNumber":2},"other":{"fullPhrase":"never said so"}}}}"#;
    let (status, answer) = gateway.json("POST", "/verifyCitations", body);
    assert_eq!(status, 200);
    let verifications = &answer["verifications"];
    assert_eq!(
        verifications["mine"]["status"].as_str(),
        Some("found_on_other_page")
    );
    assert_eq!(verifications["other"]["status"].as_str(), Some("not_found"));
    let batch = r#"{"data":{"mode":"batch","citations":{"b":{"attachmentId":"nowhere","fullPhrase":"x y z"}}}}"#;
    let (_, answer) = gateway.json("POST", "/verifyCitations", batch);
    assert_eq!(
        answer["verifications"]["b"]["problem"].as_str(),
        Some("source_missing")
    );
    assert_eq!(
        gateway
            .json("POST", "/getAttachment", r#"{"attachmentId":"tide"}"#)
            .1["id"]
            .as_str(),
        Some("tide")
    );
    let (_, extended) = gateway.json(
        "POST",
        "/attachments/tide/extend",
        r#"{"duration":"month"}"#,
    );
    assert_eq!(extended["expiresAt"].as_str(), Some("never"));
    assert_eq!(
        gateway.request("DELETE", "/attachments/tide", "", b"").0,
        200
    );
    let (status, gone) = gateway.json("POST", "/getAttachment", r#"{"attachmentId":"tide"}"#);
    assert_eq!(status, 404);
    assert!(
        gone["error"]["message"]
            .as_str()
            .is_some_and(|message| message.contains("tide"))
    );
}

#[test]
fn verifies_an_answer_over_http() {
    let gateway = Gateway::start(&["--in-memory"]);
    gateway.attach("tide", "tide.txt", "High tide was at 12:04.");
    let body = r#"{"text":"Tide [1].\n<<<CITATION_DATA>>>[{\"id\":1,\"full_phrase\":\"High tide was at 12:04\"}]<<<END_CITATION_DATA>>>","attachmentIds":["tide"]}"#;
    let (status, answer) = gateway.json("POST", "/verify", body);
    assert_eq!(status, 200, "{answer:?}");
    let verifications = answer["verifications"].as_object().expect("results");
    let statuses: Vec<_> = verifications
        .iter()
        .map(|(_, one)| one["status"].as_str())
        .collect();
    assert_eq!(statuses, [Some("found")]);
    let (status, events) = gateway.request(
        "POST",
        "/verify",
        "Accept: text/event-stream\r\n",
        body.as_bytes(),
    );
    assert_eq!(status, 200);
    assert!(
        events.contains("\"status\":\"found\"") && events.contains("event: end"),
        "{events}"
    );
}

#[test]
fn errors_have_codes_and_hints() {
    let gateway = Gateway::start(&["--in-memory"]);
    for (method, path, headers, body, status, code) in [
        ("POST", "/agents/unknown", "", "{}", 404, "not_found"),
        ("POST", "/agents/demo", "", "{", 400, "invalid_json"),
        (
            "POST",
            "/agents/demo",
            "",
            r#"{"messages":3}"#,
            422,
            "invalid_input",
        ),
        ("GET", "/verify", "", "", 405, "method_not_allowed"),
        ("GET", "/nowhere", "", "", 404, "not_found"),
        (
            "POST",
            "/documents",
            "",
            r#"{"url":"http://10.0.0.1/"}"#,
            422,
            "fetch_off",
        ),
        ("POST", "/verify", "", "{}", 422, "invalid_input"),
        (
            "GET",
            "/agents",
            "Host: evil.example\r\n",
            "",
            403,
            "forbidden",
        ),
        (
            "GET",
            "/agents",
            "Origin: https://evil.example\r\n",
            "",
            403,
            "forbidden",
        ),
    ] {
        let (got, answer) = gateway.request(method, path, headers, body.as_bytes());
        assert_eq!(got, status, "{method} {path}: {answer}");
        let error = &parse(&answer)["error"];
        assert_eq!(error["code"].as_str(), Some(code), "{answer}");
        for member in ["message", "hint", "requestId"] {
            assert!(
                error[member].as_str().is_some_and(|text| !text.is_empty()),
                "{answer}"
            );
        }
    }
    assert_eq!(gateway.request("GET", "/healthz", "", b"").0, 200);
    assert_eq!(gateway.request("GET", "/readyz", "", b"").0, 200);
    assert!(
        gateway
            .request("GET", "/metrics", "", b"")
            .1
            .contains("pincite_runs_total")
    );
}

#[test]
fn data_survives_a_restart() {
    let folder = unused_path("restart");
    let folder = folder.to_str().expect("plain");
    let gateway = Gateway::start(&["--data", folder]);
    gateway.attach("tide", "tide.txt", "High tide was at 12:04.");
    // A second server on the same folder is rejected.
    let second = pincite(&["serve", "--listen", "127.0.0.1:0", "--data", folder], b"").expect(2);
    assert!(
        second.stderr.contains("another server"),
        "{}",
        second.stderr
    );
    drop(gateway);
    let gateway = Gateway::start(&["--data", folder]);
    let (_, listed) = gateway.json("GET", "/documents", "");
    let ids: Vec<_> = listed["items"]
        .as_array()
        .expect("items")
        .iter()
        .map(|one| one["id"].as_str())
        .collect();
    assert!(ids.contains(&Some("tide")), "{listed:?}");
}

#[test]
fn rejects_wrong_configuration_with_a_hint() {
    let file = scratch("wrong.toml", "[server]\nlisen = \"127.0.0.1:0\"\n");
    let file = file.to_str().expect("plain");
    pincite(&["serve", "--in-memory", "--config", file], b"")
        .expect_usage_error(&["lisen", "did you mean 'listen'"]);
    pincite(&["serve", "--in-memory", "--listen", "0.0.0.0:0"], b"")
        .expect_usage_error(&["other machines"]);
    let file = scratch("span.toml", "[citations]\ndeadline = \"soon\"\n");
    let file = file.to_str().expect("plain");
    pincite(&["serve", "--in-memory", "--config", file], b"").expect_usage_error(&["soon", "10s"]);
    // A server in memory cannot have keys.
    pincite(&["serve", "--in-memory", "--listen", "0.0.0.0:0"], b"")
        .expect_usage_error(&["leave out --in-memory"]);
    pincite(&["serve", "--in-memory", "--listen", "8787"], b"")
        .expect_usage_error(&["127.0.0.1:8787", "localhost:8787"]);
    let file = file.to_owned();
    pincite(&["serve", "--data", &file], b"").expect_usage_error(&["is a file", "--data"]);
    pincite(&["keys", "list", "--data", &file], b"")
        .expect_usage_error(&["is not a data directory"]);
}

#[test]
fn rejects_two_agents_with_the_same_name() {
    for args in [
        ["--upstream", "a=http://x/", "--upstream", "a=http://y/"],
        ["--upstream", "http://x/", "--upstream", "http://y/"],
    ] {
        let args = [&["serve", "--in-memory"], args.as_slice()].concat();
        pincite(&args, b"").expect_usage_error(&["http://x/ and http://y/", "NAME=URL"]);
    }
    let args = [
        "serve",
        "--in-memory",
        "--upstream",
        "demo=http://x/",
        "--demo",
    ];
    pincite(&args, b"").expect_usage_error(&["'demo'", "--demo"]);
}

#[test]
fn upstream_option_replaces_the_url_of_a_configured_agent() {
    let said = crate::harness::sse(&[crate::harness::RUN_STARTED, crate::harness::RUN_FINISHED]);
    let answer = format!("{}{said}", crate::harness::upstream::EVENT_STREAM);
    let upstream = crate::harness::upstream::Upstream::replying(answer);
    let file = scratch(
        "over.toml",
        "[agents.law]\nurl = \"http://127.0.0.1:9/\"\nheaders = { X-Of = \"the file\" }\n",
    );
    let gateway = Gateway::start(&[
        "--in-memory",
        "--config",
        file.to_str().expect("plain"),
        "--upstream",
        &format!("law={}", upstream.url),
    ]);
    let (_, answer) = gateway.request("POST", "/agents/law", "", br#"{"messages":[]}"#);
    assert!(answer.contains("RUN_FINISHED"), "{answer}");
    let head = upstream.request_heads().remove(0).to_lowercase();
    assert!(head.contains("x-of: the file"), "{head}");
}

#[test]
fn configuration_errors_name_the_setting_and_the_file() {
    for (content, message) in [
        (
            "[server]\nlistn = \"x\"\n",
            "unknown setting server.listn; did you mean 'listen'?",
        ),
        (
            "[server]\nlisten = 5\n",
            "server.listen needs a text in quotation marks, such as \"127.0.0.1:8787\"; found 5",
        ),
        (
            "[server]\nlisten = \"8787\"\n",
            "server.listen: expected an address with a port",
        ),
        (
            "[limits]\nconnections = \"many\"\n",
            "limits.connections needs a whole number that is not negative, such as 10000; found \"many\"",
        ),
        (
            "[server]\ncors = [1]\n",
            "server.cors needs a list of texts in quotation marks, such as [\"https://chat.example\"]; found 1",
        ),
        (
            "[agents.law]\ntimeout = \"1m\"\n",
            "agents.law.url is missing; add it below [agents.law]",
        ),
        (
            "[citations]\nkey = \"__proto__\"\n",
            "citations.key: clients cannot use this as a key of their state; choose a name such as \"deepcitation\"",
        ),
        (
            "[citations]\nnames = \"g9\"\n",
            "citations.names: unknown value 'g9'; expected one of g2, g3",
        ),
        (
            "server = 5\n",
            "server is a table; write [server] with its settings below; found 5",
        ),
        (
            "[server\n",
            "TOML parse error at line 1, column 8 invalid table header",
        ),
    ] {
        let file = scratch("words.toml", content);
        let file = file.to_str().expect("plain");
        let ended = pincite(&["config", "check", "--config", file], b"").expect(2);
        assert!(
            ended.stderr.contains(message),
            "{message}: {}",
            ended.stderr
        );
        assert!(
            ended.stderr.trim_end().ends_with("words.toml)"),
            "{}",
            ended.stderr
        );
        assert_eq!(ended.stderr.lines().count(), 1, "{}", ended.stderr);
    }
}
