//! `pincite serve` with agents, clients and documents that misbehave: each is told what is wrong, and
//! nobody else is harmed.

use std::io::{Read, Write};
use std::net::TcpStream;
use std::thread;

use json::Value;

use crate::harness::gateway::Gateway;
use crate::harness::upstream::{EVENT_STREAM, Upstream};
use crate::harness::{RUN_FINISHED, RUN_STARTED, parse, poll_until, scratch, sse};

/// A gateway before an upstream that may be silent for half a second.
fn gateway(name: &str, upstream: &Upstream) -> Gateway {
    let config = format!(
        "[agents.up]\nurl = \"{}\"\ntimeout = \"500ms\"\n",
        upstream.url
    );
    let file = scratch(&format!("{name}.toml"), config);
    Gateway::start(&["--in-memory", "--config", file.to_str().expect("plain")])
}

fn ask(thread: &str) -> String {
    format!(r#"{{"threadId":"{thread}","runId":"{thread}","messages":[]}}"#)
}

/// Runs the agent; the events of the answer.
#[track_caller]
fn events(gateway: &Gateway, thread: &str) -> Vec<Value> {
    let (status, body) = gateway.request("POST", "/agents/up", "", ask(thread).as_bytes());
    assert_eq!(status, 200, "{body}");
    body.lines()
        .filter_map(|line| line.strip_prefix("data: "))
        .map(parse)
        .collect()
}

/// The run begins, and ends with this code and a remedy.
#[track_caller]
fn fails(gateway: &Gateway, thread: &str, code: &str) -> String {
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
    assert!(message.contains("; "), "{thread}: no remedy in '{message}'");
    message
}

/// A run that goes well, as quickly as ever.
#[track_caller]
fn goes_well(gateway: &Gateway, thread: &str) {
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
fn inputs_are_refused_with_the_field_and_the_reason() {
    let gateway = Gateway::start(&["--in-memory"]);
    for (body, status, code, words) in [
        ("", 400, "invalid_json", &["empty"][..]),
        ("{\"threadId\":", 400, "invalid_json", &["JSON"]),
        ("[]", 422, "invalid_input", &["object"]),
        ("{\"messages\":3}", 422, "invalid_input", &["messages"]),
        (
            r#"{"messages":[{"id":"1","role":"user","content":"x"},{"id":7,"role":"user","content":"x"}]}"#,
            422,
            "invalid_input",
            &["messages", "1", "id"],
        ),
        (
            r#"{"threadId":7,"messages":[]}"#,
            422,
            "invalid_input",
            &["threadId"],
        ),
        (
            r#"{"messages":[],"tools":{}}"#,
            422,
            "invalid_input",
            &["tools"],
        ),
        (
            r#"{"messages":[],"tools":[{"name":1}]}"#,
            422,
            "invalid_input",
            &["tools", "name"],
        ),
        (
            r#"{"messages":[],"context":"x"}"#,
            422,
            "invalid_input",
            &["context"],
        ),
    ] {
        let (got, answer) = gateway.request("POST", "/agents/demo", "", body.as_bytes());
        assert_eq!(got, status, "{body}: {answer}");
        let error = &parse(&answer)["error"];
        assert_eq!(error["code"].as_str(), Some(code), "{body}: {answer}");
        let message = error["message"].as_str().expect("a message");
        for word in words {
            assert!(
                message.contains(word),
                "{body}: '{word}' is not in '{message}'"
            );
        }
        assert!(
            error["hint"].as_str().is_some_and(|hint| !hint.is_empty()),
            "{answer}"
        );
    }
    // Nesting that would overrun a stack.
    let deep = format!("{{\"messages\":[],\"state\":{}", "[".repeat(1_000_000));
    let (status, answer) = gateway.request("POST", "/agents/demo", "", deep.as_bytes());
    assert_eq!(status, 400, "{answer:.300}");
}

#[test]
fn upstreams_that_misbehave_end_their_run_alone() {
    let upstream = Upstream::with_handler(|body, socket| {
        let asked = parse(body);
        let started = sse(&[RUN_STARTED]);
        let answer = match asked["threadId"].as_str().unwrap_or_default() {
            "silent" => {
                // Longer than it may take; the connection is held open.
                let _ = socket.read(&mut [0; 1]);
                return;
            }
            "stuck" => {
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
        ("silent", "upstream_timeout", "500 ms"),
        ("stuck", "upstream_timeout", "500 ms"),
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
        let message = fails(&gateway, thread, code);
        assert!(
            message.contains(word),
            "{thread}: '{word}' is not in '{message}'"
        );
        goes_well(&gateway, &format!("well-after-{thread}"));
    }
}

#[test]
fn what_becomes_of_a_connection_does_not_concern_a_run_that_has_ended() {
    let upstream = Upstream::with_handler(|body, socket| {
        let asked = parse(body);
        let thread = asked["threadId"].as_str().unwrap_or_default();
        let failed = r#"{"type":"RUN_ERROR","message":"away; ask again","code":"away"}"#;
        let end = match thread.starts_with("failed") {
            true => failed,
            false => RUN_FINISHED,
        };
        let answer = sse(&[RUN_STARTED, end]);
        let chunked = EVENT_STREAM.replace("Connection: close", "Transfer-Encoding: chunked");
        // The chunk that would be the last is missing, or nothing comes for longer than it may.
        let _ = write!(socket, "{chunked}{:x}\r\n{answer}\r\n", answer.len());
        if thread.ends_with("silent") {
            let _ = socket.read(&mut [0; 1]);
        }
    });
    let gateway = gateway("ended", &upstream);
    for how in ["broken", "silent"] {
        goes_well(&gateway, how);
        let (_, thread) = gateway.json("GET", &format!("/threads/{how}"), "");
        assert_eq!(thread["lastRun"]["status"].as_str(), Some("finished"));
        let thread = format!("failed-{how}");
        fails(&gateway, &thread, "away");
        assert_eq!(events(&gateway, &thread).len(), 2, "{thread}");
    }
}

#[test]
fn an_upstream_that_never_ends_is_stopped() {
    let upstream = Upstream::with_handler(|body, socket| {
        let asked = parse(body);
        let _ = write!(socket, "{EVENT_STREAM}{}", sse(&[RUN_STARTED]));
        if asked["threadId"].as_str() != Some("endless") {
            let _ = socket.write_all(sse(&[RUN_FINISHED]).as_bytes());
            return;
        }
        let event = format!(
            r#"{{"type":"CUSTOM","name":"x","value":"{}"}}"#,
            "x".repeat(1 << 16)
        );
        let frame = sse(&[event]);
        // Until nobody listens.
        while socket.write_all(frame.as_bytes()).is_ok() {}
    });
    let config = format!(
        "[agents.up]\nurl = \"{}\"\nmax_answer = 8000000\n",
        upstream.url
    );
    let file = scratch("endless.toml", config);
    let gateway = Gateway::start(&["--in-memory", "--config", file.to_str().expect("plain")]);
    let message = fails(&gateway, "endless", "limit");
    assert!(
        message.contains("8000000") && message.contains("max_answer"),
        "{message}"
    );
    goes_well(&gateway, "well");
}

#[test]
fn a_client_that_never_reads_slows_nobody() {
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
    let place = gateway.url.trim_start_matches("http://").to_owned();
    let unread: Vec<TcpStream> = (0..8)
        .map(|number| {
            let mut socket = TcpStream::connect(&place).expect("it listens");
            let body = ask(&format!("unread-{number}"));
            write!(
                socket,
                "POST /agents/up HTTP/1.1\r\nHost: {place}\r\nContent-Length: {}\r\n\r\n{body}",
                body.len()
            )
            .expect("it reads");
            socket
        })
        .collect();
    goes_well(&gateway, "read");
    // What they did not read is there, whole, for whoever asks.
    let (status, body) = gateway.request("POST", "/agents/up", "", ask("unread-3").as_bytes());
    assert_eq!(status, 200);
    assert_eq!(body.matches("TEXT_MESSAGE_CONTENT").count(), 20_000);
    assert!(body.contains("RUN_FINISHED"));
    drop(unread);
}

#[test]
fn a_million_events_and_ten_thousand_citations_pass() {
    let upstream = Upstream::with_handler(|body, socket| {
        let asked = parse(body);
        let _ = write!(socket, "{EVENT_STREAM}{}", sse(&[RUN_STARTED]));
        match asked["threadId"].as_str().unwrap_or_default() {
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
        let million =
            scope.spawn(|| gateway.request("POST", "/agents/up", "", ask("million").as_bytes()));
        let cited =
            scope.spawn(|| gateway.request("POST", "/agents/up", "", ask("cited").as_bytes()));
        goes_well(&gateway, "well");
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
        // It was longer than what is looked at, and says so.
        assert!(body.contains("\"error\"") && body.contains("RUN_FINISHED"));
    });
}

#[test]
fn a_document_that_is_still_being_read_is_waited_for() {
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
            let items = listed["items"].as_array().expect("items");
            (!items.is_empty()).then_some(())
        });
        let (_, body) = gateway.request("POST", "/agents/up", "", ask("reading").as_bytes());
        assert!(body.contains("\"status\":\"found\""), "{body:.2000}");
        assert_eq!(attaching.join().expect("no panic"), 200);
    });
}

#[test]
fn nothing_is_fetched_that_was_not_allowed() {
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
            assert_eq!(status, 403, "{path}: {answer}");
            assert!(
                answer.contains("fetch_off") && answer.contains(word),
                "{answer}"
            );
        }
        let (status, answer) =
            gateway.json("POST", "/documents", r#"{"url":"file:///etc/passwd"}"#);
        assert!((400..500).contains(&status), "{}", answer.to_json());
        // In a conversation the part passes unread.
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
