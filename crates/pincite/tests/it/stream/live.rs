//! `stream run`, `stream serve` and `stream diff`, as one uses them.

use std::io::{Read, Write};
use std::net::{TcpListener, TcpStream};
use std::thread;

use agui::model::RunAgentInput;
use agui::{Agent, ReceivedEvent};
use agui_http::client::HttpAgent;
use json::Value;

use crate::harness::{
    CommandOutput, RUN_FINISHED, RUN_STARTED, ServerProcess, data, parse, pincite, run_jsonl,
    scratch, sse, stream,
};

fn recording(name: &str) -> String {
    let path = data("streams").join(name);
    path.to_str().expect("a plain name").to_owned()
}

/// Runs against a server and reads the report.
#[track_caller]
fn report(url: &str, options: &str, code: i32) -> Value {
    stream(
        &format!("run {url} --message hi --format json {options}"),
        "",
    )
    .expect(code)
    .json()
}

/// A POST over a socket; the head and the body of the answer.
fn post(url: &str, headers: &str, body: &str) -> (String, String) {
    request("POST", url, headers, body)
}

fn request(method: &str, url: &str, headers: &str, body: &str) -> (String, String) {
    let place = url.trim_start_matches("http://").trim_end_matches('/');
    let mut socket = TcpStream::connect(place).expect("it listens");
    write!(
        socket,
        "{method} / HTTP/1.1\r\nHost: {place}\r\nConnection: close\r\nContent-Length: {}\r\n{headers}\r\n{body}",
        body.len()
    )
    .expect("it reads");
    let mut answer = Vec::new();
    socket.read_to_end(&mut answer).expect("it answers");
    let answer = String::from_utf8_lossy(&answer).into_owned();
    let (head, body) = answer.split_once("\r\n\r\n").expect("a whole answer");
    (head.to_owned(), body.to_owned())
}

#[test]
fn requests_get_the_recordings_in_turn_and_the_last_repeats() {
    let one = scratch(
        "turn-1.jsonl",
        run_jsonl(&[r#"{"type":"CUSTOM","name":"one","value":1}"#]),
    );
    let two = scratch(
        "turn-2.jsonl",
        run_jsonl(&[r#"{"type":"CUSTOM","name":"two","value":2}"#]),
    );
    let served = ServerProcess::recordings(&[&one, &two]);
    for name in ["one", "two", "two"] {
        let (_, body) = post(&served.url, "", r#"{"messages":[]}"#);
        assert!(
            body.contains(&format!("\"name\":\"{name}\"")),
            "{name}: {body}"
        );
    }
}

#[test]
fn ids_of_the_request_replace_the_recorded_ones() {
    let events = [
        r#"{"type":"RUN_STARTED","threadId":"t","runId":"r","input":{"threadId":"t","runId":"r","messages":[],"tools":[],"context":[]},"extra":1}"#,
        r#"{"type":"CUSTOM","name":"runId","value":{"runId":"r"}}"#,
        RUN_FINISHED,
    ];
    let file = scratch("ids.sse", sse(&events));
    let input = r#"{"threadId":"my thread","runId":"my run","messages":[]}"#;
    let served = ServerProcess::recordings(&[&file]);
    let (_, body) = post(&served.url, "", input);
    let expected = sse(&[
        &*events[0]
            .replace(r#""t""#, r#""my thread""#)
            .replace(r#""r""#, r#""my run""#),
        // What an agent says is left alone.
        events[1],
        &*RUN_FINISHED
            .replace(r#""t""#, r#""my thread""#)
            .replace(r#""r""#, r#""my run""#),
    ]);
    assert!(body.contains(&expected), "{body}");
    let verbatim = ServerProcess::recordings(&["--verbatim", file.to_str().expect("a plain name")]);
    let (_, body) = post(&verbatim.url, "", input);
    assert!(body.contains(&sse(&events)), "{body}");
}

#[test]
fn both_wires_and_every_page_are_served() {
    let served = ServerProcess::recordings(&[recording("01_plain_text.sse")]);
    let input = r#"{"messages":[]}"#;
    let (head, _) = post(&served.url, "Accept: text/event-stream\r\n", input);
    for line in [
        "content-type: text/event-stream",
        "vary: Accept",
        "cache-control: no-cache",
    ] {
        assert!(head.contains(line), "{line}: {head}");
    }
    let proto = "application/vnd.ag-ui.event+proto";
    let (head, _) = post(
        &served.url,
        &format!("Accept: {proto}\r\nOrigin: http://a.test\r\n"),
        input,
    );
    assert!(head.contains(&format!("content-type: {proto}")), "{head}");
    assert!(
        head.contains("access-control-allow-origin: http://a.test"),
        "{head}"
    );
    let preflight = "Origin: http://a.test\r\nAccess-Control-Request-Method: POST\r\nAccess-Control-Request-Headers: authorization, content-type\r\n";
    let (head, _) = request("OPTIONS", &served.url, preflight, "");
    assert!(head.starts_with("HTTP/1.1 200"), "{head}");
    assert!(
        head.contains("access-control-allow-headers: authorization, content-type"),
        "{head}"
    );
}

#[test]
fn bad_requests_are_told_what_is_wrong() {
    let served = ServerProcess::recordings(&[recording("01_plain_text.sse")]);
    for (body, status, code, says) in [
        ("", 400, "invalid_json", "the body is empty"),
        (
            "{\"messages\":\n[}",
            400,
            "invalid_json",
            "at line 2, column 2",
        ),
        ("[]", 422, "invalid_input", "must be a JSON object"),
        ("{}", 422, "invalid_input", "/messages: expected an array"),
        (
            r#"{"messages":[{"role":"user"}]}"#,
            422,
            "invalid_input",
            "/messages/0/content",
        ),
    ] {
        let (head, answer) = post(&served.url, "", body);
        assert!(
            head.starts_with(&format!("HTTP/1.1 {status} ")),
            "{body}: {head}"
        );
        let error = &parse(&answer)["error"];
        assert_eq!(error["code"].as_str(), Some(code), "{body}");
        assert!(
            error["message"]
                .as_str()
                .is_some_and(|text| text.contains(says)),
            "{answer}"
        );
        assert!(error["hint"].as_str().is_some(), "{answer}");
    }
    let (head, answer) = request("GET", &served.url, "", "");
    assert!(head.starts_with("HTTP/1.1 405 "), "{head}");
    assert!(answer.contains("POST a RunAgentInput"), "{answer}");
    // None of them counted as a turn.
    assert_eq!(report(&served.url, "", 0)["end"].as_str(), Some("finished"));
}

#[test]
fn what_cannot_be_served_is_refused_at_the_start() {
    let broken = scratch(
        "broken.sse",
        format!("data: {RUN_STARTED}\n\ndata: {{\"type\n\n"),
    );
    let broken = broken.to_str().expect("a plain name");
    let ended = stream(&format!("serve --listen 127.0.0.1:0 {broken}"), "").expect(1);
    assert!(
        ended.stderr.contains("event 1: invalid JSON"),
        "{}",
        ended.stderr
    );
    stream("serve --listen 127.0.0.1:0 /nowhere.sse", "").expect_usage_error(&["/nowhere.sse"]);
    stream("serve", "").expect_usage_error(&["<FILE>"]);
    let taken = TcpListener::bind("127.0.0.1:0").expect("a port");
    let address = taken.local_addr().expect("bound");
    let file = recording("01_plain_text.sse");
    stream(&format!("serve {file} --listen {address}"), "")
        .expect_usage_error(&["cannot listen on", "--listen"]);
}

#[test]
fn a_run_that_fails_says_so_and_ends_with_1() {
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
    let report = self::report(&served.url, "", 1);
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
fn an_agent_that_is_not_there_is_named() {
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
fn arguments_are_checked_before_anything_is_sent() {
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
fn input_state_and_headers_are_sent() {
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
        ended.stderr.contains("/wrong is not described"),
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
fn text_from_agents_cannot_command_the_terminal() {
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

#[track_caller]
fn diff(a: &str, b: &str) -> CommandOutput {
    stream(&format!("diff {a} {b}"), "")
}

#[test]
fn recordings_of_one_conversation_are_the_same() {
    let file = recording("04_ask_delta_turn1.sse");
    let served = ServerProcess::recordings(&[&file]);
    let copy = scratch("copy.sse", "");
    let copy = copy.to_str().expect("a plain name");
    stream(
        &format!("run {} --message hi --record {copy}", served.url),
        "",
    )
    .expect(0);
    let ended = diff(&file, copy).expect(0);
    assert!(
        ended
            .text()
            .starts_with("The conversations are the same.\n"),
        "{}",
        ended.text()
    );
    // Cut differently, with other ids.
    let whole = sse(&[
        RUN_STARTED,
        r#"{"type":"TEXT_MESSAGE_CHUNK","messageId":"m","delta":"one two"}"#,
        RUN_FINISHED,
    ]);
    let parts = sse(&[
        &*RUN_STARTED.replace(r#""r""#, r#""other""#),
        r#"{"type":"TEXT_MESSAGE_START","messageId":"n"}"#,
        r#"{"type":"TEXT_MESSAGE_CONTENT","messageId":"n","delta":"one "}"#,
        r#"{"type":"TEXT_MESSAGE_CONTENT","messageId":"n","delta":"two"}"#,
        r#"{"type":"TEXT_MESSAGE_END","messageId":"n"}"#,
        RUN_FINISHED,
    ]);
    let (whole, parts) = (scratch("whole.sse", whole), scratch("parts.sse", parts));
    diff(
        whole.to_str().expect("plain"),
        parts.to_str().expect("plain"),
    )
    .expect(0);
}

#[test]
fn differences_are_found_in_messages_state_order_and_end() {
    let base = [
        r#"{"type":"STATE_SNAPSHOT","snapshot":{"a":1,"b":2}}"#,
        r#"{"type":"TEXT_MESSAGE_CHUNK","messageId":"m","delta":"The tide is high."}"#,
        r#"{"type":"STEP_STARTED","stepName":"s"}"#,
        r#"{"type":"STEP_FINISHED","stepName":"s"}"#,
    ];
    let write = |name: &str, events: &[&str]| {
        let path = scratch(name, run_jsonl(events));
        path.to_str().expect("a plain name").to_owned()
    };
    let a = write("diff-a.jsonl", &base);
    let changed = |at: usize, event: &'static str| {
        let mut events = base;
        events[at] = event;
        events
    };
    let text = write(
        "diff-text.jsonl",
        &changed(
            1,
            r#"{"type":"TEXT_MESSAGE_CHUNK","messageId":"m","delta":"The tide is low."}"#,
        ),
    );
    let ended = diff(&a, &text).expect(1);
    assert!(
        ended.text().contains("message 1\n") && ended.text().contains("is low."),
        "{}",
        ended.text()
    );
    let state = write(
        "diff-state.jsonl",
        &changed(0, r#"{"type":"STATE_SNAPSHOT","snapshot":{"a":1,"b":3}}"#),
    );
    let ended = diff(&a, &state).expect(1);
    assert_eq!(ended.text().lines().next(), Some("state /b"));
    let order = write("diff-order.jsonl", &[base[1], base[0], base[2], base[3]]);
    let report = stream(&format!("diff {a} {order} --format json"), "")
        .expect(1)
        .json();
    assert_eq!(report["same"], Value::Bool(false));
    assert_eq!(report["messages"], Value::Array(Vec::new()));
    assert!(
        report["order"]
            .as_array()
            .is_some_and(|order| !order.is_empty())
    );
    let end = scratch(
        "diff-end.jsonl",
        run_jsonl(&base).replace(RUN_FINISHED, r#"{"type":"RUN_ERROR","message":"x"}"#),
    );
    let ended = diff(&a, end.to_str().expect("plain")).expect(1);
    assert!(
        ended.text().contains("- success") && ended.text().contains("+ RUN_ERROR: x"),
        "{}",
        ended.text()
    );
    stream("diff one", "").expect_usage_error(&["<B>"]);
}

/// The resident memory of a process, in kilobytes.
#[cfg(target_os = "linux")]
fn resident(process: u32) -> usize {
    let status = std::fs::read_to_string(format!("/proc/{process}/status")).expect("it lives");
    let line = status.lines().find_map(|line| line.strip_prefix("VmRSS:"));
    let number = line.and_then(|line| line.split_whitespace().next());
    number
        .and_then(|number| number.parse().ok())
        .expect("a number")
}

#[cfg(target_os = "linux")]
#[test]
fn a_thousand_runs_at_once_leave_no_trace() {
    let served = ServerProcess::recordings(&["--pace", "5", &recording("01_plain_text.sse")]);
    let agent = HttpAgent::new(served.url.clone()).expect("a URL");
    let runtime = tokio::runtime::Runtime::new().expect("a runtime");
    let input = RunAgentInput::from_json(
        r#"{"threadId":"t","runId":"r","messages":[],"tools":[],"context":[]}"#,
    )
    .expect("an input");
    let round = || {
        runtime.block_on(async {
            let runs: Vec<_> = (0..1000)
                .map(|_| {
                    let mut stream = agent.run(input.clone());
                    tokio::spawn(async move {
                        let mut event = ReceivedEvent::default();
                        let mut last = String::new();
                        while let Some(read) = stream.next_into(&mut event).await {
                            read.expect("no run fails");
                            last = event.type_name().to_owned();
                        }
                        last
                    })
                })
                .collect();
            for run in runs {
                assert_eq!(run.await.expect("no panic"), "RUN_FINISHED");
            }
        });
        resident(served.process_id())
    };
    // The allocator keeps what it once needed, which settles after some rounds; what is lost grows for ever.
    let mut sizes = vec![(0..7).map(|_| round()).max().expect("seven rounds")];
    let step = sizes[0] / 10 + 1024;
    let grows = (0..4).all(|_| {
        let after = (0..3).map(|_| round()).min().expect("three rounds");
        let before = sizes[sizes.len() - 1];
        sizes.push(after);
        after >= before + step
    });
    assert!(!grows, "kB: {sizes:?}");
}

/// A text message in pieces.
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
fn data_for_programs_is_not_shown_and_text_is_not_torn_apart() {
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
    let (_, told) = shown.split_once("High tide").expect("the text");
    let (told, _) = told
        .split_once("\n8 events")
        .or(told.split_once(" events in"))
        .expect("the end");
    assert!(
        told.starts_with(
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
fn citations_that_nobody_checked_are_told() {
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
            .contains("Noon [1].\n1 citation, not checked: pincite serve"),
        "{}",
        shown.text()
    );
}

#[test]
fn a_refusal_is_told_in_sentences() {
    for (status, body, told) in [
        (
            "401 Unauthorized",
            r#"{"error":{"code":"unauthorized","message":"a key is needed","hint":"send one"}}"#,
            "error: a key is needed (HTTP 401); send one; with this command: --header 'Authorization: Bearer KEY'\n",
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
        let upstream = crate::harness::upstream::Upstream::replying(answer);
        let ended = stream(&format!("run {} --message hi", upstream.url), "").expect(1);
        assert_eq!(ended.stderr, told);
        assert_eq!(ended.text(), "", "nothing took any time");
    }
}
