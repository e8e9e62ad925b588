//! CopilotKit's runtime protocol: recorded traffic of its client is replayed against the program.

mod recordings;

use std::io::Write as _;
use std::sync::{Arc, Mutex, mpsc};

use json::Value;

use crate::harness::gateway::Gateway;
use crate::harness::upstream::{EVENT_STREAM, Upstream};
use crate::harness::{parse, sse};
use recordings::{JSON, events_of, gateway_for, operation, recording, replay, send};

#[test]
fn recorded_conversations_are_answered_alike() {
    for name in [
        "v1-sidebar-rest",
        "v1-single",
        "v2-sidebar-rest",
        "v2-single",
        "v2-a2ui",
    ] {
        replay(name);
    }
}

#[test]
fn recorded_reloads_restore_the_conversation() {
    for name in [
        "v1-thread-reload",
        "v2-connect-resume",
        "v2-connect-hitl",
        "v2-connect-interrupt",
    ] {
        replay(name);
    }
}

#[test]
fn recorded_interrupts_are_resumed_under_the_same_run() {
    replay("v2-interrupt");
}

#[test]
fn recorded_requests_about_threads_are_answered_alike() {
    replay("v2-threads");
}

#[test]
fn requests_for_suggestions_leave_no_thread() {
    for name in ["v2-suggest", "v2-suggest-fallback"] {
        let exchanges = recording(name);
        let (gateway, _upstream) = gateway_for(&exchanges);
        let is_suggestion = |exchange: &&Value| {
            let body = exchange["request"]["body"].to_json();
            body.contains("copilotkitSuggest") && body.contains("toolChoice")
        };
        let suggestion = exchanges.iter().find(is_suggestion).expect("a request");
        let (status, body) = send(&gateway, suggestion);
        assert_eq!(status, 200, "{name}: {body}");
        assert!(body.contains("copilotkitSuggest"), "{name}: {body}");
        let (_, threads) = gateway.request("GET", "/threads", "", b"");
        assert_eq!(
            parse(&threads)["items"].as_array().map(<[_]>::len),
            Some(0),
            "{name}"
        );
    }
}

#[test]
fn properties_reach_upstreams_unchanged() {
    let exchanges = recording("v2-a2ui");
    let (gateway, upstream) = gateway_for(&exchanges);
    let pressed = exchanges
        .iter()
        .rfind(|exchange| operation(exchange) == "run")
        .expect("a press");
    send(&gateway, pressed);
    let received = parse(&upstream.request_bodies()[0]);
    let sent = &pressed["request"]["body"]["forwardedProps"];
    assert_eq!(received["forwardedProps"], *sent);
    assert_eq!(received["messages"], pressed["request"]["body"]["messages"]);
}

#[test]
fn stopping_ends_the_stream_and_the_run() {
    let (started, starts) = mpsc::channel();
    let started = Mutex::new(started);
    let upstream = Upstream::with_handler(move |body, socket| {
        let input = parse(body);
        let start = format!(
            r#"{{"type":"RUN_STARTED","threadId":{},"runId":{}}}"#,
            input["threadId"].to_json(),
            input["runId"].to_json()
        );
        let head = format!("{EVENT_STREAM}{}", sse(&[start]));
        let _ = socket.write_all(head.as_bytes());
        started
            .lock()
            .expect("no panic")
            .send(())
            .expect("the test waits");
        // It says nothing more until the gateway disconnects.
        let _ = std::io::Read::read(socket, &mut [0; 1]);
    });
    let agent = format!("default={}", upstream.url);
    let gateway = Arc::new(Gateway::start(&["--in-memory", "--upstream", &agent]));
    let running = gateway.clone();
    let run = std::thread::spawn(move || {
        let body = br#"{"threadId":"t","runId":"r","state":{},"messages":[],"tools":[],"context":[],"forwardedProps":{}}"#;
        running.request("POST", "/copilotkit/agent/default/run", JSON, body)
    });
    starts.recv().expect("a run");
    let stop = |body: &str| {
        let path = "/copilotkit/agent/default/stop/t";
        let (status, body) = gateway.request("POST", path, JSON, body.as_bytes());
        (status, parse(&body))
    };
    assert_eq!(stop(r#"{"force":true}"#).0, 400);
    assert_eq!(
        stop(r#"{"runId":"other"}"#).1["stopped"],
        Value::Bool(false)
    );
    let (status, stopped) = stop(r#"{"runId":"r"}"#);
    assert_eq!((status, &stopped["stopped"]), (200, &Value::Bool(true)));
    assert_eq!(stopped["interrupt"]["code"].as_str(), Some("STOPPED"));
    let (status, body) = run.join().expect("no panic");
    assert_eq!(status, 200);
    let end = events_of(&body).pop().expect("an end");
    assert_eq!(end["type"].as_str(), Some("RUN_FINISHED"), "{body}");
    assert_eq!(end["outcome"], Value::Null, "older clients do not know it");
    assert_eq!(stop("").1["stopped"], Value::Bool(false));
    let (status, unknown) =
        gateway.request("POST", "/copilotkit/agent/default/stop/new", JSON, b"");
    assert_eq!(
        (status, &parse(&unknown)["stopped"]),
        (200, &Value::Bool(false))
    );
}

#[test]
fn errors_have_the_form_of_the_reference_runtime() {
    let gateway = Gateway::start(&["--in-memory"]);
    let input = r#"{"threadId":"t","runId":"r","messages":[]}"#;
    for (method, path, body, status, part) in [
        (
            "GET",
            "/copilotkit/nowhere",
            "",
            404,
            r#"{"error":"Not found"}"#,
        ),
        (
            "POST",
            "/copilotkit/info",
            "{}",
            405,
            r#"{"error":"Method not allowed"}"#,
        ),
        (
            "POST",
            "/copilotkit/agent/none/run",
            input,
            404,
            r#""Agent 'none' does not exist""#,
        ),
        (
            "POST",
            "/copilotkit/agent/default/run",
            "[]",
            400,
            r#""error":"Invalid request body""#,
        ),
        (
            "POST",
            "/copilotkit",
            "{}",
            400,
            r#""error":"invalid_request""#,
        ),
        (
            "POST",
            "/copilotkit",
            r#"{"method":"odd"}"#,
            400,
            "Unsupported method 'odd'",
        ),
        (
            "POST",
            "/copilotkit",
            "{",
            400,
            r#""error":"invalid_request""#,
        ),
        (
            "POST",
            "/copilotkit/transcribe",
            "",
            503,
            "service_not_configured",
        ),
    ] {
        let (found, answer) = gateway.request(method, path, JSON, body.as_bytes());
        assert_eq!(found, status, "{method} {path}: {answer}");
        assert!(answer.contains(part), "{method} {path}: {answer}");
    }
    let (status, _) = gateway.request("POST", "/copilotkit", "Content-Type: text/plain\r\n", b"{}");
    assert_eq!(status, 415);
}

#[test]
fn the_reader_is_the_default_agent_and_all_agents_are_listed() {
    let gateway = Gateway::start(&["--in-memory", "--demo"]);
    for path in ["/copilotkit/info", "/api/v1/copilotkit/info"] {
        let (status, info) = gateway.request("GET", path, "", b"");
        assert_eq!(status, 200, "{info}");
        let info = parse(&info);
        for name in ["default", "demo", "reader"] {
            assert_eq!(info["agents"][name]["name"].as_str(), Some(name), "{path}");
        }
    }
    gateway.attach("quay", "quay.md", "The quay is 84 metres long.");
    // A plain AG-UI input and an envelope are told apart by their members.
    let input = r#"{"threadId":"plain","runId":"r","messages":[{"id":"q","role":"user","content":"How long is the quay?"}],"tools":[],"context":[]}"#;
    let enveloped = format!(
        r#"{{"method":"agent/run","params":{{"agentId":"default"}},"body":{}}}"#,
        input.replace("plain", "single")
    );
    for (thread, body) in [("plain", input.to_owned()), ("single", enveloped)] {
        for base in ["/copilotkit/", "/api/v1/copilotkit"] {
            let body = body.replace(thread, &format!("{thread}{}", base.len()));
            let (status, answer) = gateway.request("POST", base, JSON, body.as_bytes());
            assert_eq!(status, 200, "{base}: {answer}");
            let end = events_of(&answer).pop().expect("an end");
            assert_eq!(
                end["type"].as_str(),
                Some("RUN_FINISHED"),
                "{base}: {answer}"
            );
        }
    }
    let (_, threads) = gateway.request(
        "GET",
        "/copilotkit/threads?agentId=default&limit=3",
        "",
        b"",
    );
    let threads = parse(&threads);
    let listed = threads["threads"].as_array().expect("threads");
    // The other three runs are of the attribution agent, which is the default of the other address.
    assert_eq!(listed.len(), 1, "{threads:?}");
    assert_eq!(listed[0]["agentId"].as_str(), Some("default"));
}

#[test]
fn pages_get_the_headers_that_requests_with_credentials_need() {
    let gateway = Gateway::start(&["--in-memory"]);
    let origin = "Origin: http://localhost:3000\r\n";
    let (head, _) = gateway.exchange("GET", "/copilotkit/info", origin, b"");
    let head = head.to_ascii_lowercase();
    assert!(
        head.contains("access-control-allow-origin: http://localhost:3000"),
        "{head}"
    );
    assert!(
        head.contains("access-control-allow-credentials: true"),
        "{head}"
    );
    // A page that is not listed does not read with the session of the console.
    let session = format!("{origin}Cookie: pincite_session=x\r\n");
    let (head, _) = gateway.exchange("GET", "/copilotkit/info", &session, b"");
    assert!(
        !head.to_ascii_lowercase().contains("allow-credentials"),
        "{head}"
    );
}
