//! Traces that a collector receives.

use std::io::{BufRead, BufReader, Read, Write};
use std::net::{TcpListener, TcpStream};
use std::sync::{Arc, Mutex};
use std::thread;

use crate::harness::gateway::Gateway;
use crate::harness::upstream::{EVENT_STREAM, Upstream};
use crate::harness::{parse, pincite, scratch, sse};
use opentelemetry_proto::tonic::collector::trace::v1::ExportTraceServiceRequest;
use opentelemetry_proto::tonic::common::v1::any_value::Value as Held;
use opentelemetry_proto::tonic::trace::v1::Span;
use opentelemetry_proto::tonic::trace::v1::span::SpanKind;
use opentelemetry_proto::tonic::trace::v1::status::StatusCode;
use prost::Message;

const TRACE: &str = "4bf92f3577b34da6a3ce929d0e0e4736";
const PARENT: &str = "00f067aa0ba902b7";
const QUOTE: &str = "The harbour froze in 1924";

/// Starts a collector that keeps its requests.
#[derive(Default)]
struct Received {
    heads: Vec<String>,
    bytes: Vec<u8>,
    spans: Vec<Span>,
    services: Vec<String>,
}

fn collector() -> (String, Arc<Mutex<Received>>) {
    let listener = TcpListener::bind("127.0.0.1:0").expect("a port");
    let url = format!("http://{}", listener.local_addr().expect("an address"));
    let received = Arc::new(Mutex::new(Received::default()));
    let kept = Arc::clone(&received);
    thread::spawn(move || {
        for socket in listener.incoming().flatten() {
            take(socket, &kept);
        }
    });
    (url, received)
}

fn take(mut socket: TcpStream, kept: &Mutex<Received>) {
    let mut reader = BufReader::new(&socket);
    let (mut head, mut length) = (String::new(), 0);
    loop {
        let mut line = String::new();
        reader.read_line(&mut line).expect("a request");
        if line == "\r\n" {
            break;
        }
        let line = line.to_ascii_lowercase();
        if let Some(said) = line.strip_prefix("content-length:") {
            length = said.trim().parse().expect("a number");
        }
        head.push_str(&line);
    }
    let mut body = vec![0; length];
    reader.read_exact(&mut body).expect("a whole request");
    let request = ExportTraceServiceRequest::decode(body.as_slice()).expect("OTLP");
    let mut kept = kept.lock().expect("no panic");
    kept.heads.push(head);
    kept.bytes.extend_from_slice(&body);
    for resource in request.resource_spans {
        for attribute in resource.resource.unwrap_or_default().attributes {
            if attribute.key == "service.name" {
                kept.services.push(format!("{:?}", attribute.value));
            }
        }
        let scopes = resource.scope_spans.into_iter();
        kept.spans.extend(scopes.flat_map(|scope| scope.spans));
    }
    drop(kept);
    let _ = socket.write_all(b"HTTP/1.1 200 OK\r\nContent-Length: 0\r\n\r\n");
}

fn hex(bytes: &[u8]) -> String {
    bytes.iter().map(|byte| format!("{byte:02x}")).collect()
}

fn attribute(span: &Span, key: &str) -> String {
    let found = span.attributes.iter().find(|held| held.key == key);
    let value = found.and_then(|held| held.value.clone()?.value);
    match value {
        Some(Held::StringValue(text)) => text,
        Some(Held::IntValue(number)) => number.to_string(),
        other => panic!("{key} of {}: {other:?}", span.name),
    }
}

/// Returns the only span with this name.
fn one<'s>(spans: &'s [Span], name: &str) -> &'s Span {
    let mut found = spans.iter().filter(|span| span.name == name);
    let first = found.next().unwrap_or_else(|| panic!("no span '{name}'"));
    assert!(found.next().is_none(), "more than one '{name}'");
    first
}

fn config(name: &str, otlp: &str, agent: &str) -> String {
    let file = scratch(
        name,
        format!(
            "[telemetry]\notlp = \"{otlp}\"\nservice = \"library\"\n\
             headers = {{ X-Collector-Key = \"collector-secret\" }}\n\
             [agents.up]\nurl = \"{agent}?key=upstream-secret\"\n"
        ),
    );
    file.to_str().expect("plain").to_owned()
}

fn quoting() -> Upstream {
    let citation = format!("<cite attachment_id='log' full_phrase='{QUOTE}' page_number='1'/>");
    let text = json::Value::from(format!("It did. {citation}")).to_json();
    let events = [
        r#"{"type":"RUN_STARTED","threadId":"t","runId":"r"}"#.to_owned(),
        r#"{"type":"TEXT_MESSAGE_START","messageId":"m","role":"assistant"}"#.to_owned(),
        format!(r#"{{"type":"TEXT_MESSAGE_CONTENT","messageId":"m","delta":{text}}}"#),
        r#"{"type":"TEXT_MESSAGE_END","messageId":"m"}"#.to_owned(),
        r#"{"type":"RUN_FINISHED","threadId":"t","runId":"r"}"#.to_owned(),
    ];
    Upstream::replying(format!("{EVENT_STREAM}{}", sse(&events)))
}

const RUN: &str = r#"{"threadId":"t","runId":"r","messages":[{"id":"u","role":"user","content":"Did it freeze?"}],"tools":[],"context":[]}"#;

#[test]
fn spans_of_a_run_are_nested() {
    let (url, received) = collector();
    let upstream = quoting();
    let config = config("traced.toml", &url, &upstream.url);
    let gateway = Gateway::start(&["--in-memory", "--config", &config]);
    assert_eq!(
        gateway.attach("log", "log.txt", &format!("{QUOTE}.")).0,
        200
    );
    let headers = format!(
        "Content-Type: application/json\r\ntraceparent: 00-{TRACE}-{PARENT}-01\r\ntracestate: vendor=a\r\n"
    );
    let (status, answer) = gateway.request(
        "POST",
        "/agents/up?token=query-secret",
        &headers,
        RUN.as_bytes(),
    );
    assert_eq!(status, 200, "{answer}");
    assert!(answer.contains("\"found\""), "{answer}");
    assert_eq!(gateway.request("GET", "/threads/none", "", b"").0, 404);
    // All spans are sent before the process exits.
    gateway.stop();

    let received = received.lock().expect("no panic");
    let spans = &received.spans;
    let request = one(spans, "POST /agents/{name}");
    assert_eq!(hex(&request.trace_id), TRACE);
    assert_eq!(hex(&request.parent_span_id), PARENT);
    assert_eq!(request.kind(), SpanKind::Server);
    assert_eq!(attribute(request, "http.response.status_code"), "200");
    let run = one(spans, "run");
    assert_eq!(run.parent_span_id, request.span_id);
    assert_eq!(attribute(run, "pincite.agent"), "up");
    assert_eq!(attribute(run, "pincite.status"), "finished");
    let asked = one(spans, "upstream");
    assert_eq!(asked.kind(), SpanKind::Client);
    assert_eq!(asked.parent_span_id, run.span_id);
    assert_eq!(attribute(asked, "server.address"), "127.0.0.1");
    assert_eq!(attribute(asked, "pincite.events"), "5");
    let checked = one(spans, "verification");
    assert_eq!(checked.parent_span_id, run.span_id);
    assert_eq!(attribute(checked, "pincite.citations"), "1");
    let stored: Vec<_> = spans
        .iter()
        .filter(|span| span.name == "store append")
        .collect();
    assert!(!stored.is_empty());
    for span in stored.iter().chain(&[checked, asked]) {
        assert_eq!(hex(&span.trace_id), TRACE, "{}", span.name);
        assert_eq!(span.parent_span_id, run.span_id, "{}", span.name);
        let within = span.start_time_unix_nano >= run.start_time_unix_nano
            && span.end_time_unix_nano <= run.end_time_unix_nano;
        assert!(within, "{}", span.name);
    }
    // The agent receives our span as the parent of its own.
    let head = &upstream.request_heads()[0];
    let told = format!("traceparent: 00-{TRACE}-{}-01", hex(&asked.span_id));
    assert!(head.contains(&told), "{told}: {head}");
    assert!(head.contains("tracestate: vendor=a"), "{head}");

    let missing = one(spans, "GET /threads/{id}");
    assert_ne!(missing.trace_id, request.trace_id);
    assert!(missing.parent_span_id.is_empty());
    assert_ne!(
        missing.status.clone().unwrap_or_default().code(),
        StatusCode::Error
    );

    assert!(
        received
            .services
            .iter()
            .all(|name| name.contains("library"))
    );
    for head in &received.heads {
        assert!(head.starts_with("post /v1/traces http/1.1"), "{head}");
        assert!(head.contains("x-collector-key: collector-secret"), "{head}");
    }
    let sent = String::from_utf8_lossy(&received.bytes);
    for hidden in [QUOTE, "Did it freeze", "log.txt", "secret"] {
        assert!(!sent.contains(hidden), "'{hidden}' is in a span");
    }
}

#[test]
fn unreachable_collector_does_not_delay_requests() {
    let gone = {
        let listener = TcpListener::bind("127.0.0.1:0").expect("a port");
        format!("http://{}", listener.local_addr().expect("an address"))
    };
    let upstream = quoting();
    let config = config("gone.toml", &gone, &upstream.url);
    let gateway = Gateway::start(&["--in-memory", "--config", &config]);
    let headers = "Content-Type: application/json\r\n";
    let (status, answer) = gateway.request("POST", "/agents/up", headers, RUN.as_bytes());
    assert_eq!(status, 200);
    assert!(answer.contains("RUN_FINISHED"), "{answer}");
    gateway.stop();

    let report = pincite(&["doctor", "--json", "--config", &config], b"");
    let report = parse(report.text().trim());
    let checks = report["checks"].as_array().expect("checks").iter();
    let mut traces = checks.filter(|line| line["check"].as_str() == Some("traces"));
    let traces = traces.next().expect("traces are checked");
    assert_eq!(
        traces["state"].as_str(),
        Some("warn"),
        "{}",
        traces.to_json()
    );
    assert!(
        traces["hint"]
            .as_str()
            .is_some_and(|hint| hint.contains("4318"))
    );
}

#[test]
fn doctor_checks_the_collector() {
    let (url, received) = collector();
    let file = scratch(
        "probed.toml",
        format!("[server]\nlisten = \"127.0.0.1:0\"\n[telemetry]\notlp = \"{url}\"\n"),
    );
    let config = file.to_str().expect("plain");
    let report = pincite(
        &["doctor", "--json", "--config", config, "--data", "/tmp"],
        b"",
    );
    let report = report.text().to_owned();
    assert!(report.contains("accepts traces"), "{report}");
    assert_eq!(received.lock().expect("no panic").heads.len(), 1);
    let wrong = scratch(
        "no-collector.toml",
        "[telemetry]\notlp = \"localhost:4318\"\n",
    );
    let wrong = wrong.to_str().expect("plain");
    pincite(&["config", "check", "--config", wrong], b"")
        .expect_usage_error(&["telemetry", "http://localhost:4318"]);
}
