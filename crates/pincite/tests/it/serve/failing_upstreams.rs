//! Agents and clients that misbehave: the error names the problem, and other runs are not affected.

use std::io::{Read, Write};
use std::net::TcpStream;
use std::thread;

use json::Value;

use crate::harness::gateway::Gateway;
use crate::harness::upstream::{EVENT_STREAM, Upstream};
use crate::harness::{RUN_FINISHED, RUN_STARTED, parse, poll_until, scratch, sse};

/// Starts a gateway in front of the upstream: as `up`, and as `hasty` with a short timeout.
fn gateway(name: &str, upstream: &Upstream) -> Gateway {
    let config = format!(
        "[agents.up]\nurl = \"{0}\"\n[agents.hasty]\nurl = \"{0}\"\ntimeout = \"2s\"\n",
        upstream.url
    );
    let file = scratch(&format!("{name}.toml"), config);
    Gateway::start(&["--in-memory", "--config", file.to_str().expect("plain")])
}

fn run_input(thread: &str) -> String {
    format!(r#"{{"threadId":"{thread}","runId":"{thread}","messages":[]}}"#)
}

/// Runs an agent and returns its events. Only upstreams that go silent get the agent with a short timeout.
#[track_caller]
fn events(gateway: &Gateway, thread: &str) -> Vec<Value> {
    let path = match thread.ends_with("silent") {
        true => "/agents/hasty",
        false => "/agents/up",
    };
    let (status, body) = gateway.request("POST", path, "", run_input(thread).as_bytes());
    assert_eq!(status, 200, "{body}");
    body.lines()
        .filter_map(|line| line.strip_prefix("data: "))
        .map(parse)
        .collect()
}

/// Expects that the run fails with this code and a hint. Returns the message.
#[track_caller]
fn expect_failure(gateway: &Gateway, thread: &str, code: &str) -> String {
    let events = events(gateway, thread);
    let kind = |event: &Value| event["type"].as_str().unwrap_or_default().to_owned();
    assert_eq!(
        events.first().map(kind).as_deref(),
        Some("RUN_STARTED"),
        "{thread}"
    );
    let last = events.last().expect("an end");
    assert_eq!(kind(last), "RUN_ERROR", "{thread}: {}", last.to_json());
    assert_eq!(
        last["code"].as_str(),
        Some(code),
        "{thread}: {}",
        last.to_json()
    );
    let message = last["message"].as_str().expect("a message").to_owned();
    assert!(message.contains("; "), "{thread}: no hint in '{message}'");
    message
}

/// Expects that the run finishes.
#[track_caller]
fn expect_success(gateway: &Gateway, thread: &str) {
    let events = events(gateway, thread);
    let last = events.last().expect("an end");
    assert_eq!(
        last["type"].as_str(),
        Some("RUN_FINISHED"),
        "{}",
        last.to_json()
    );
}

fn text(id: &str, deltas: &[&str]) -> String {
    let mut events = vec![format!(
        r#"{{"type":"TEXT_MESSAGE_START","messageId":"{id}","role":"assistant"}}"#
    )];
    events.extend(deltas.iter().map(|delta| {
        let delta = Value::from(*delta).to_json();
        format!(r#"{{"type":"TEXT_MESSAGE_CONTENT","messageId":"{id}","delta":{delta}}}"#)
    }));
    events.push(format!(
        r#"{{"type":"TEXT_MESSAGE_END","messageId":"{id}"}}"#
    ));
    sse(&events)
}

#[test]
fn failing_upstream_ends_only_its_own_run() {
    let upstream = Upstream::with_handler(|body, socket| {
        let request = parse(body);
        let started = sse(&[RUN_STARTED]);
        let answer = match request["threadId"].as_str().unwrap_or_default() {
            "silent" => {
                // Holds the connection open longer than the timeout.
                let _ = socket.read(&mut [0; 1]);
                return;
            }
            "begins-then-silent" => {
                let _ = write!(socket, "{EVENT_STREAM}{started}");
                let _ = socket.read(&mut [0; 1]);
                return;
            }
            "garbage" => format!("{EVENT_STREAM}{started}data: \u{1}garbage\n\ndata: }}{{\n\n"),
            "binary" => format!("{EVENT_STREAM}\0\u{1}\u{2}\0\0\0"),
            "empty" => EVENT_STREAM.to_owned(),
            "page" => "HTTP/1.1 200 OK\r\nContent-Type: text/html\r\nConnection: close\r\n\r\n<html>Hello".to_owned(),
            "lies" => format!("{EVENT_STREAM}<!doctype html><html><body>Sign in</body></html>"),
            "json" => "HTTP/1.1 200 OK\r\nContent-Type: application/json\r\nConnection: close\r\n\r\n{\"ok\":true}".to_owned(),
            "proto" => "HTTP/1.1 200 OK\r\nContent-Type: application/vnd.ag-ui.event+proto\r\nConnection: close\r\n\r\n\u{7f}\u{7f}\u{7f}\u{7f}xx".to_owned(),
            "broken" => "HTTP/1.1 500 Oops\r\nContent-Length: 4\r\nConnection: close\r\n\r\nOops".to_owned(),
            "moved" => "HTTP/1.1 302 Found\r\nLocation: http://192.0.2.1/\r\nContent-Length: 0\r\nConnection: close\r\n\r\n".to_owned(),
            "not-http" => "220 smtp.example ESMTP\r\n".to_owned(),
            "short" => format!("{EVENT_STREAM}{started}"),
            "cut" => format!("{EVENT_STREAM}{started}data: {{\"type\":\"TEXT_MES"),
            "long-head" => format!("HTTP/1.1 200 OK\r\nX: {}", "x".repeat(1 << 20)),
            "long-event" => format!("{EVENT_STREAM}{started}data: {{\"x\":\"{}", "x".repeat(11 << 20)),
            _ => format!("{EVENT_STREAM}{started}{}{}", text("m", &["fine"]), sse(&[RUN_FINISHED])),
        };
        let _ = socket.write_all(answer.as_bytes());
    });
    let gateway = gateway("misbehaving", &upstream);
    for (thread, code, word) in [
        ("silent", "upstream_timeout", "2 s"),
        ("begins-then-silent", "upstream_timeout", "2 s"),
        ("garbage", "upstream_protocol", "check"),
        ("binary", "upstream_truncated", "log"),
        ("empty", "upstream_truncated", "log"),
        ("page", "upstream_protocol", "text/html"),
        ("lies", "upstream_truncated", "log"),
        ("json", "upstream_protocol", "check"),
        ("proto", "upstream_protocol", "check"),
        ("broken", "upstream_status", "500"),
        ("moved", "upstream_status", "192.0.2.1"),
        ("not-http", "upstream_protocol", "check"),
        ("short", "upstream_truncated", "ended before"),
        ("cut", "upstream_protocol", "too early"),
        ("long-head", "limit", "head"),
        ("long-event", "upstream_protocol", ""),
    ] {
        let message = expect_failure(&gateway, thread, code);
        assert!(
            message.contains(word),
            "{thread}: '{word}' is not in '{message}'"
        );
        expect_success(&gateway, &format!("well-after-{thread}"));
    }
}

#[test]
fn broken_connection_after_the_end_does_not_fail_the_run() {
    let upstream = Upstream::with_handler(|body, socket| {
        let request = parse(body);
        let thread = request["threadId"].as_str().unwrap_or_default();
        let failed = r#"{"type":"RUN_ERROR","message":"away; ask again","code":"away"}"#;
        let last = match thread.starts_with("failed") {
            true => failed,
            false => RUN_FINISHED,
        };
        let answer = sse(&[RUN_STARTED, last]);
        let chunked = EVENT_STREAM.replace("Connection: close", "Transfer-Encoding: chunked");
        // The last chunk is missing, or the connection stays open and silent.
        let _ = write!(socket, "{chunked}{:x}\r\n{answer}\r\n", answer.len());
        if thread.ends_with("silent") {
            let _ = socket.read(&mut [0; 1]);
        }
    });
    let gateway = gateway("ended", &upstream);
    for end in ["broken", "silent"] {
        expect_success(&gateway, end);
        let (_, thread) = gateway.json("GET", &format!("/threads/{end}"), "");
        assert_eq!(thread["lastRun"]["status"].as_str(), Some("finished"));
        let thread = format!("failed-{end}");
        expect_failure(&gateway, &thread, "away");
        assert_eq!(events(&gateway, &thread).len(), 2, "{thread}");
    }
}

#[test]
fn endless_upstream_is_stopped() {
    let upstream = Upstream::with_handler(|body, socket| {
        let request = parse(body);
        let _ = write!(socket, "{EVENT_STREAM}{}", sse(&[RUN_STARTED]));
        if request["threadId"].as_str() != Some("endless") {
            let _ = socket.write_all(sse(&[RUN_FINISHED]).as_bytes());
            return;
        }
        let event = format!(
            r#"{{"type":"CUSTOM","name":"x","value":"{}"}}"#,
            "x".repeat(1 << 16)
        );
        let frame = sse(&[event]);
        // Writes until the gateway disconnects.
        while socket.write_all(frame.as_bytes()).is_ok() {}
    });
    let config = format!(
        "[agents.up]\nurl = \"{}\"\nmax_answer_bytes = 8000000\n",
        upstream.url
    );
    let file = scratch("endless.toml", config);
    let gateway = Gateway::start(&["--in-memory", "--config", file.to_str().expect("plain")]);
    let message = expect_failure(&gateway, "endless", "limit");
    assert!(
        message.contains("8000000") && message.contains("max_answer_bytes"),
        "{message}"
    );
    expect_success(&gateway, "well");
}

#[test]
fn client_that_never_reads_does_not_slow_others() {
    let answer = {
        let delta = "x".repeat(1000);
        let deltas: Vec<&str> = (0..20_000).map(|_| delta.as_str()).collect();
        format!(
            "{}{}{}",
            sse(&[RUN_STARTED]),
            text("m", &deltas),
            sse(&[RUN_FINISHED])
        )
    };
    let upstream = Upstream::replying(format!("{EVENT_STREAM}{answer}"));
    let gateway = gateway("unread", &upstream);
    let address = gateway.url.trim_start_matches("http://").to_owned();
    let unread: Vec<TcpStream> = (0..8)
        .map(|number| {
            let mut socket = TcpStream::connect(&address).expect("it listens");
            let body = run_input(&format!("unread-{number}"));
            write!(
                socket,
                "POST /agents/up HTTP/1.1\r\nHost: {address}\r\nContent-Length: {}\r\n\r\n{body}",
                body.len()
            )
            .expect("it reads");
            socket
        })
        .collect();
    expect_success(&gateway, "read");
    // Their events are stored completely.
    let (status, body) =
        gateway.request("POST", "/agents/up", "", run_input("unread-3").as_bytes());
    assert_eq!(status, 200);
    assert_eq!(body.matches("TEXT_MESSAGE_CONTENT").count(), 20_000);
    assert!(body.contains("RUN_FINISHED"));
    drop(unread);
}

#[test]
fn a_million_events_and_ten_thousand_citations_pass() {
    let upstream = Upstream::with_handler(|body, socket| {
        let request = parse(body);
        let _ = write!(socket, "{EVENT_STREAM}{}", sse(&[RUN_STARTED]));
        match request["threadId"].as_str().unwrap_or_default() {
            "million" => {
                let start = r#"{"type":"TEXT_MESSAGE_START","messageId":"m","role":"assistant"}"#;
                let end = r#"{"type":"TEXT_MESSAGE_END","messageId":"m"}"#;
                let delta = r#"{"type":"TEXT_MESSAGE_CONTENT","messageId":"m","delta":"tide "}"#;
                let _ = socket.write_all(sse(&[start]).as_bytes());
                let thousand = sse(&[delta; 1000]);
                for _ in 0..1000 {
                    if socket.write_all(thousand.as_bytes()).is_err() {
                        return;
                    }
                }
                let _ = socket.write_all(sse(&[end]).as_bytes());
            }
            "cited" => {
                let entries: Vec<String> = (1..=10_000)
                    .map(|id| {
                        format!(
                            r#"{{"id":{id},"attachment_id":"tide","full_phrase":"High tide {id} was at 12:04"}}"#
                        )
                    })
                    .collect();
                let block = format!(
                    "Tide [1].\n<<<CITATION_DATA>>>[{}]<<<END_CITATION_DATA>>>",
                    entries.join(",")
                );
                let pieces: Vec<&str> = block
                    .as_bytes()
                    .chunks(500)
                    .map(|piece| std::str::from_utf8(piece).expect("ASCII"))
                    .collect();
                let _ = socket.write_all(text("m", &pieces).as_bytes());
            }
            _ => {}
        }
        let _ = socket.write_all(sse(&[RUN_FINISHED]).as_bytes());
    });
    let config = format!("[agents.up]\nurl = \"{}\"\n", upstream.url);
    let file = scratch("many.toml", config);
    let gateway = Gateway::start(&["--in-memory", "--config", file.to_str().expect("plain")]);
    let source: String = (1..=10_000)
        .map(|id| format!("High tide {id} was at 12:04.\n"))
        .collect();
    gateway.attach("tide", "tide.txt", &source);
    thread::scope(|scope| {
        let million = scope
            .spawn(|| gateway.request("POST", "/agents/up", "", run_input("million").as_bytes()));
        let cited = scope
            .spawn(|| gateway.request("POST", "/agents/up", "", run_input("cited").as_bytes()));
        expect_success(&gateway, "well");
        let (status, body) = cited.join().expect("no panic");
        assert_eq!(status, 200);
        assert!(body.contains("\"RUN_FINISHED\""));
        let verified = body.rfind("/summary/verified\",\"value\":").expect("a sum") + 27;
        assert!(
            body[verified..].starts_with("10000"),
            "{:.20}",
            &body[verified..]
        );
        let (status, body) = million.join().expect("no panic");
        assert_eq!(status, 200);
        assert_eq!(body.matches("TEXT_MESSAGE_CONTENT").count(), 1_000_000);
        // The message exceeds the limit for citations, which is reported.
        assert!(body.contains("\"error\"") && body.contains("RUN_FINISHED"));
    });
}

#[test]
fn verification_waits_for_a_document_that_is_being_read() {
    let said = "Low water came at 18:20 precisely";
    let block = format!(
        "Ebb [1].\n<<<CITATION_DATA>>>[{{\"id\":1,\"attachment_id\":\"long\",\"full_phrase\":\"{said}\"}}]<<<END_CITATION_DATA>>>"
    );
    let upstream = Upstream::replying(format!(
        "{EVENT_STREAM}{}{}{}",
        sse(&[RUN_STARTED]),
        text("m", &[&block]),
        sse(&[RUN_FINISHED])
    ));
    let gateway = gateway("reading", &upstream);
    let mut source: String = (0..60_000)
        .map(|line| format!("On day {line} the harbour master wrote down what he saw.\n"))
        .collect();
    source.push_str(said);
    thread::scope(|scope| {
        let attaching = scope.spawn(|| gateway.attach("long", "long.txt", &source).0);
        poll_until("the document is listed", || {
            let (_, listed) = gateway.json("GET", "/documents", "");
            let mut items = listed["items"].as_array().expect("items").iter();
            items
                .any(|item| item["id"].as_str() == Some("long"))
                .then_some(())
        });
        let (_, body) = gateway.request("POST", "/agents/up", "", run_input("reading").as_bytes());
        assert!(body.contains("\"status\":\"found\""), "{body:.2000}");
        assert_eq!(attaching.join().expect("no panic"), 200);
    });
}

#[test]
fn fetches_only_from_allowed_hosts() {
    let upstream = Upstream::replying(format!(
        "{EVENT_STREAM}{}",
        sse(&[RUN_STARTED, RUN_FINISHED])
    ));
    let private = Upstream::replying("HTTP/1.1 200 OK\r\nContent-Length: 6\r\n\r\nsecret");
    let url = format!("up={}", upstream.url);
    let off = Gateway::start(&["--in-memory", "--upstream", &url]);
    let on = Gateway::start(&["--in-memory", "--upstream", &url, "--allow-fetch", "*"]);
    let body = format!(r#"{{"url":"{}secret.txt"}}"#, private.url);
    for (gateway, word) in [(&off, "--allow-fetch"), (&on, "")] {
        for path in ["/documents", "/prepareAttachments", "/convertFile"] {
            let (status, answer) = gateway.json("POST", path, &body);
            let answer = answer.to_json();
            assert_eq!(status, 422, "{path}: {answer}");
            assert!(
                answer.contains("fetch_off") && answer.contains(word),
                "{answer}"
            );
        }
        let (status, answer) =
            gateway.json("POST", "/documents", r#"{"url":"file:///etc/passwd"}"#);
        assert!((400..500).contains(&status), "{}", answer.to_json());
        // In a conversation the part is forwarded without being fetched.
        let part = format!(
            r#"{{"type":"document","source":{{"type":"url","value":"{}secret.txt"}}}}"#,
            private.url
        );
        let run = format!(
            r#"{{"threadId":"t","runId":"r","messages":[{{"id":"u","role":"user","content":[{part}]}}]}}"#
        );
        let (status, answer) = gateway.request("POST", "/agents/up", "", run.as_bytes());
        assert_eq!(status, 200, "{answer}");
        assert!(answer.contains("RUN_FINISHED"), "{answer}");
        assert!(
            upstream
                .request_bodies()
                .last()
                .is_some_and(|asked| asked.contains("secret.txt"))
        );
        let (_, listed) = gateway.json("GET", "/documents", "");
        assert_eq!(listed["items"].as_array().map(<[Value]>::len), Some(0));
    }
    assert_eq!(private.request_bodies(), Vec::<String>::new());
}
