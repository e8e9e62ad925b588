//! `pincite stream serve`: recordings served as an agent.

use std::io::{Read, Write};
use std::net::{TcpListener, TcpStream};

use agui::model::RunAgentInput;
use agui::{Agent, ReceivedEvent};
use agui_http::client::HttpAgent;

use super::{recording, report};
use crate::harness::{
    RUN_FINISHED, RUN_STARTED, ServerProcess, parse, run_jsonl, scratch, sse, stream,
};

/// Sends a POST request. Returns the head and the body of the response.
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
fn serves_recordings_in_turn_and_repeats_the_last() {
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
fn serves_the_ids_of_the_request() {
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
        // Values of the agent are not changed.
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
fn serves_both_encodings_and_cors() {
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
fn rejects_bad_requests_with_a_reason() {
    let served = ServerProcess::recordings(&[recording("01_plain_text.sse")]);
    for (body, status, code, says) in [
        ("", 400, "invalid_json", "body is empty"),
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
    // Rejected requests do not count as turns.
    assert_eq!(report(&served.url, "", 0)["end"].as_str(), Some("finished"));
}

#[test]
fn rejects_unreadable_recordings_at_the_start() {
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

/// Returns the resident memory of a process in KiB.
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
fn a_thousand_concurrent_runs_leave_no_memory_behind() {
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
    // The allocator keeps memory, which settles after some rounds. A leak grows with every round.
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
