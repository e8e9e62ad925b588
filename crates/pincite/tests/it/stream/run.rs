//! `pincite stream run`: a remote agent, shown live.

use std::io::{Read, Write};
use std::net::TcpListener;
use std::thread;

use json::Value;

use super::report;
use crate::harness::upstream::Upstream;
use crate::harness::{
    RUN_FINISHED, RUN_STARTED, ServerProcess, parse, pincite, run_jsonl, scratch, sse, stream,
};

#[test]
fn failed_run_is_reported_and_exits_with_1() {
    let failing = scratch(
        "failing.jsonl",
        format!(
            "{RUN_STARTED}\n{{\"type\":\"RUN_ERROR\",\"message\":\"out of tea\",\"code\":\"tea\"}}\n"
        ),
    );
    let served = ServerProcess::recordings(&[&failing]);
    let ended = stream(&format!("run {} --message hi", served.url), "").expect(1);
    assert!(
        ended.text().contains("RUN_ERROR (tea): out of tea"),
        "{}",
        ended.text()
    );
    let report = report(&served.url, "", 1);
    assert_eq!(report["end"].as_str(), Some("error"));
    assert_eq!(report["runError"]["message"].as_str(), Some("out of tea"));
    assert_eq!(report["error"], Value::Null);

    let rules = scratch(
        "rules.jsonl",
        run_jsonl(&[r#"{"type":"TEXT_MESSAGE_END","messageId":"m"}"#]),
    );
    let served = ServerProcess::recordings(&[&rules]);
    let ended = stream(&format!("run {} --message hi", served.url), "").expect(1);
    assert!(ended.stderr.contains("event 1: "), "{}", ended.stderr);
    let report = super::report(&served.url, "", 1);
    assert_eq!(report["error"]["stage"].as_str(), Some("verify"));
    assert_eq!(report["error"]["index"], Value::from(1_usize));

    let endless = scratch("endless.jsonl", format!("{RUN_STARTED}\n"));
    let served = ServerProcess::recordings(&[&endless]);
    let ended = stream(&format!("run {} --message hi", served.url), "").expect(1);
    assert!(
        ended.stderr.contains("without RUN_FINISHED or RUN_ERROR"),
        "{}",
        ended.stderr
    );
}

#[test]
fn unreachable_agent_is_named() {
    let listener = TcpListener::bind("127.0.0.1:0").expect("a port");
    let address = listener.local_addr().expect("bound");
    drop(listener);
    let ended = stream(&format!("run http://{address}/ --message hi"), "").expect(1);
    assert!(
        ended.stderr.contains("is the agent running there?"),
        "{}",
        ended.stderr
    );
    let report = report(&format!("http://{address}/"), "", 1);
    assert_eq!(
        report["error"]["rule"].as_str(),
        Some("upstream_unreachable")
    );
}

#[test]
fn checks_arguments_before_sending() {
    for (arguments, words) in [
        ("run ftp://a.test/ --message hi", &["http://"][..]),
        ("run http://a.test/", &["--message", "--input"]),
        (
            "run http://a.test/ --message hi --header nonsense",
            &["Name: value"],
        ),
        (
            "run http://a.test/ --message hi --header Host:x",
            &["Host", "cannot be sent"],
        ),
        (
            "run http://a.test/ --message hi --timeout 0",
            &["greater than 0"],
        ),
        (
            "run http://a.test/ --input /nowhere.json",
            &["/nowhere.json"],
        ),
        (
            "run http://a.test/ --message hi --state /nowhere.json",
            &["/nowhere.json"],
        ),
        (
            "run http://a.test/ --message hi --record /nowhere/x.sse",
            &["cannot write /nowhere/x.sse"],
        ),
    ] {
        stream(arguments, "").expect_usage_error(words);
    }
    let input = scratch(
        "bad-input.json",
        r#"{"messages":[{"role":"user","content":7}]}"#,
    );
    let input = input.to_str().expect("a plain name");
    stream(&format!("run http://a.test/ --input {input}"), "")
        .expect_usage_error(&["is not a RunAgentInput", "/messages/0/content"]);
}

#[test]
fn sends_input_state_and_headers() {
    let listener = TcpListener::bind("127.0.0.1:0").expect("a port");
    let url = format!(
        "http://{}/deep/path?q=1",
        listener.local_addr().expect("bound")
    );
    let server = thread::spawn(move || {
        let (mut socket, _) = listener.accept().expect("a connection");
        let mut request = String::new();
        let mut buffer = [0; 4096];
        while !request.contains("hello from stdin") {
            let length = socket.read(&mut buffer).expect("a request");
            request.push_str(&String::from_utf8_lossy(&buffer[..length]));
        }
        let body = sse(&[RUN_STARTED, RUN_FINISHED]);
        write!(socket, "HTTP/1.1 200 OK\r\nContent-Type: text/event-stream\r\nContent-Length: {}\r\n\r\n{body}", body.len())
            .expect("it is read");
        request
    });
    let input = scratch(
        "whole-input.json",
        r#"{"threadId":"T","runId":"R","parentRunId":"P","messages":[{"id":"m","role":"system","content":"be brief"}],"tools":[{"name":"f","description":"d"}],"forwardedProps":{"a":[null]},"wrong":1}"#,
    );
    let state = scratch("whole-state.json", r#"{"n":1.0}"#);
    let ended = pincite(
        &[
            "stream",
            "run",
            &url,
            "--message",
            "-",
            "--input",
            input.to_str().expect("plain"),
            "--state",
            state.to_str().expect("plain"),
            "--header",
            "X-Key: a:b",
            "--timeout",
            "19",
        ],
        b"hello from stdin",
    )
    .expect(0);
    assert!(
        ended.stderr.contains("/wrong is not part of the protocol"),
        "{}",
        ended.stderr
    );
    let request = server.join().expect("no panic");
    let (head, body) = request.split_once("\r\n\r\n").expect("a request");
    assert!(
        head.starts_with("POST /deep/path?q=1 HTTP/1.1\r\n"),
        "{head}"
    );
    assert!(head.contains("\r\nX-Key: a:b\r\n"), "{head}");
    let sent = parse(body);
    for (key, json) in [
        ("threadId", r#""T""#),
        ("runId", r#""R""#),
        ("parentRunId", r#""P""#),
        ("protocolVersion", r#""1.0""#),
        ("state", r#"{"n":1.0}"#),
        ("tools", r#"[{"name":"f","description":"d"}]"#),
        ("forwardedProps", r#"{"a":[null]}"#),
    ] {
        assert_eq!(sent[key], parse(json), "{key}");
    }
    let messages = sent["messages"].as_array().expect("messages");
    assert_eq!(messages.len(), 2);
    assert_eq!(messages[1]["content"].as_str(), Some("hello from stdin"));
}

#[test]
fn escapes_control_characters_of_agents() {
    let events = [
        RUN_STARTED,
        r#"{"type":"TEXT_MESSAGE_CHUNK","messageId":"m","delta":"a\u001b[2Jb\u202ec\nd\te"}"#,
        r#"{"type":"TOOL_CALL_CHUNK","toolCallId":"c","toolCallName":"\u001b[31mred","delta":"{}"}"#,
        RUN_FINISHED,
    ];
    let file = scratch("escape.sse", sse(&events));
    let served = ServerProcess::recordings(&[&file]);
    let ended = stream(&format!("run {} --message hi", served.url), "").expect(0);
    let text = ended.text();
    assert!(text.contains("a\\u{1b}[2Jb\\u{202e}c\nd\te\n"), "{text:?}");
    assert!(text.contains("→ \\u{1b}[31mred {}"), "{text:?}");
    assert!(
        !text.contains('\u{1b}') && !text.contains('\u{202e}'),
        "{text:?}"
    );
}

/// Returns the start and the deltas of a text message.
fn message(pieces: &[&str]) -> Vec<String> {
    let content = |piece: &&str| {
        let delta = Value::from(*piece).to_json();
        format!(r#"{{"type":"TEXT_MESSAGE_CONTENT","messageId":"m","delta":{delta}}}"#)
    };
    std::iter::once(
        r#"{"type":"TEXT_MESSAGE_START","messageId":"m","role":"assistant"}"#.to_owned(),
    )
    .chain(pieces.iter().map(content))
    .collect()
}

const END: &str = r#"{"type":"TEXT_MESSAGE_END","messageId":"m"}"#;

#[test]
fn hides_data_blocks_and_keeps_text_together() {
    let verified = |key: &str, status: &str| {
        format!(
            r#"{{"type":"STATE_DELTA","delta":[{{"op":"add","path":"/deepcitation/messages/m/markers/{key}","value":"k{key}"}},{{"op":"add","path":"/deepcitation/citations/k{key}","value":{{"fullPhrase":"quote {key}"}}}},{{"op":"add","path":"/deepcitation/verifications/k{key}","value":{{"status":"{status}","label":"tides.pdf"}}}}]}}"#
        )
    };
    let state = r#"{"type":"STATE_SNAPSHOT","snapshot":{"deepcitation":{"messages":{"m":{"markers":{}}},"citations":{},"verifications":{}}}}"#;
    let mut events = vec![RUN_STARTED.to_owned(), state.to_owned()];
    events.extend(message(&[
        "High tide ",
        "[2] was at noon [1].\n\n<<<CITA",
        "TION_DATA>>>\n[{\"id\":2,\"full_phrase\":\"quote 2\"},",
    ]));
    events.push(verified("2", "not_found"));
    let rest = [
        "{\"id\":1,\"full_phrase\":\"quote 1\"}]",
        "\n<<<END_CITATION_DATA>>>\n",
    ];
    events.extend(message(&rest).into_iter().skip(1));
    events.push(verified("1", "found"));
    events.extend([END, RUN_FINISHED].map(str::to_owned));
    let file = scratch("shown.sse", sse(&events));
    let served = ServerProcess::recordings(&[file]);
    let shown = stream(&format!("run {} --message hi", served.url), "").expect(0);
    let shown = shown.text();
    let (_, results) = shown.split_once("High tide").expect("the text");
    let (results, _) = results
        .split_once("\n8 events")
        .or(results.split_once(" events in"))
        .expect("the end");
    assert!(
        results.starts_with(
            " [2] was at noon [1].\n\n\
             ✓ verified         [1] “quote 1”\n    tides.pdf\n\
             ✗ not found        [2] “quote 2”\n    tides.pdf\n"
        ),
        "{shown}"
    );
    assert!(
        !shown.contains("CITATION_DATA") && !shown.contains("full_phrase"),
        "{shown}"
    );
}

#[test]
fn mentions_citations_that_are_not_verified() {
    let mut events = vec![RUN_STARTED.to_owned()];
    events.extend(message(&[
        "Noon [1].\n<<<CITATION_DATA>>>[{\"id\":1,\"full_phrase\":\"noon\"}]<<<END_CITATION_DATA>>>",
    ]));
    events.extend([END, RUN_FINISHED].map(str::to_owned));
    let file = scratch("unchecked.sse", sse(&events));
    let served = ServerProcess::recordings(&[file]);
    let shown = stream(&format!("run {} --message hi", served.url), "").expect(0);
    assert!(
        shown
            .text()
            .contains("Noon [1].\n1 citation not verified; `pincite serve"),
        "{}",
        shown.text()
    );
}

#[test]
fn shows_the_message_and_hint_of_a_rejection() {
    for (status, body, message) in [
        (
            "401 Unauthorized",
            r#"{"error":{"code":"unauthorized","message":"a key is needed","hint":"send one"}}"#,
            "error: a key is needed (HTTP 401); send one; pass a key with --header 'Authorization: Bearer KEY'\n",
        ),
        (
            "422 Unprocessable Entity",
            r#"{"detail":"messages are missing"}"#,
            "error: messages are missing (HTTP 422)\n",
        ),
        (
            "418 Teapot",
            "short and stout",
            "error: short and stout (HTTP 418)\n",
        ),
    ] {
        let answer = format!(
            "HTTP/1.1 {status}\r\nContent-Length: {}\r\nConnection: close\r\n\r\n{body}",
            body.len()
        );
        let upstream = Upstream::replying(answer);
        let ended = stream(&format!("run {} --message hi", upstream.url), "").expect(1);
        assert_eq!(ended.stderr, message);
        assert_eq!(ended.text(), "", "no timings");
    }
}
