//! Recorded traffic of CopilotKit's client, and its comparison with the answers of the program.

use std::collections::VecDeque;
use std::io::Write as _;
use std::path::Path;
use std::sync::Mutex;

use json::Value;

use crate::harness::gateway::Gateway;
use crate::harness::upstream::{EVENT_STREAM, Upstream};
use crate::harness::{parse, sse};

pub(super) const JSON: &str = "Content-Type: application/json\r\n";

/// Recorded traffic of one scenario.
pub(super) fn recording(name: &str) -> Vec<Value> {
    let root = Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/copilotkit");
    let text = std::fs::read_to_string(root.join(format!("{name}.json"))).expect("a recording");
    let exchanges = parse(&text)["exchanges"]
        .as_array()
        .expect("exchanges")
        .to_vec();
    let is_answered = |exchange: &Value| exchange["request"]["method"].as_str() != Some("OPTIONS");
    exchanges.into_iter().filter(is_answered).collect()
}

/// Operation of a recorded request, on either transport.
pub(super) fn operation(exchange: &Value) -> String {
    let request = &exchange["request"];
    if let Some(method) = request["body"]["method"].as_str() {
        return method.trim_start_matches("agent/").to_owned();
    }
    let path = request["path"].as_str().expect("a path");
    let rest = path.trim_start_matches("/api/v1/copilotkit/");
    match rest.split('/').collect::<Vec<_>>().as_slice() {
        ["agent", _, operation, ..] => (*operation).to_owned(),
        [first, ..] => (*first).to_owned(),
        [] => String::new(),
    }
}

pub(super) fn events_of(body: &str) -> Vec<Value> {
    let data = body.lines().filter_map(|line| line.strip_prefix("data: "));
    data.map(parse).collect()
}

/// Returns the parts of events that a client shows. Events of the state are left out, because the gateway adds some.
fn shown(events: &[Value]) -> Vec<String> {
    let named = [
        "type",
        "messageId",
        "toolCallId",
        "toolCallName",
        "delta",
        "content",
        "outcome",
    ];
    let events = events.iter().filter(|event| {
        let kind = event["type"].as_str().unwrap_or_default();
        !kind.starts_with("STATE_")
    });
    events
        .map(|event| {
            let members = named.iter().filter(|name| event[**name] != Value::Null);
            let members = members.map(|name| format!("{name}={}", event[*name].to_json()));
            members.collect::<Vec<_>>().join(" ")
        })
        .collect()
}

/// Returns the gateway with an agent `default` that gives the recorded answers one after the other.
pub(super) fn gateway_for(exchanges: &[Value]) -> (Gateway, Upstream) {
    let runs = exchanges
        .iter()
        .filter(|exchange| matches!(operation(exchange).as_str(), "run" | "suggest"));
    let answers = runs.map(|run| {
        let events = run["response"]["events"].as_array().expect("events").iter();
        sse(&events.map(|event| event.to_json()).collect::<Vec<_>>())
    });
    let answers: Mutex<VecDeque<String>> = Mutex::new(answers.collect());
    let upstream = Upstream::with_handler(move |_, socket| {
        let answer = answers.lock().expect("no panic").pop_front();
        let answer = format!("{EVENT_STREAM}{}", answer.expect("a recorded answer"));
        // The client may have disconnected.
        let _ = socket.write_all(answer.as_bytes());
    });
    let agent = format!("default={}", upstream.url);
    (
        Gateway::start(&["--in-memory", "--upstream", &agent]),
        upstream,
    )
}

/// Sends a recorded request.
pub(super) fn send(gateway: &Gateway, exchange: &Value) -> (u16, String) {
    let request = &exchange["request"];
    let mut path = request["path"].as_str().expect("a path").to_owned();
    let query = request["query"].as_object();
    let pairs = query.into_iter().flat_map(json::Map::iter);
    let pairs: Vec<String> = pairs
        .map(|(name, value)| format!("{name}={}", value.as_str().unwrap_or_default()))
        .collect();
    if !pairs.is_empty() {
        path = format!("{path}?{}", pairs.join("&"));
    }
    let body = match &request["body"] {
        Value::Null => String::new(),
        body => body.to_json(),
    };
    let method = request["method"].as_str().expect("a method");
    gateway.request(method, &path, JSON, body.as_bytes())
}

/// Replays a recording and compares the answers.
pub(super) fn replay(name: &str) {
    let exchanges = recording(name);
    let (gateway, _upstream) = gateway_for(&exchanges);
    for (number, exchange) in exchanges.iter().enumerate() {
        let (status, body) = send(&gateway, exchange);
        let at = format!("{name} {number} {}", operation(exchange));
        let expected = exchange["response"]["status"].to_json();
        assert_eq!(status.to_string(), expected, "{at}: {body}");
        let mut data = body.split('\n').filter(|line| line.starts_with("data: "));
        assert!(
            data.all(|line| !line.ends_with('\r')),
            "{at}: line feeds only"
        );
        let recorded = exchange["response"]["events"].as_array();
        match operation(exchange).as_str() {
            "info" => check_info(&parse(&body), &at),
            "run" | "suggest" => {
                let recorded = recorded.expect("events");
                assert_eq!(shown(&events_of(&body)), shown(recorded), "{at}");
            }
            "connect" => check_replay(&events_of(&body), recorded.expect("events"), &at),
            // The replayed run has ended before the request to stop it; another test stops an open one.
            "stop" => assert_eq!(parse(&body)["stopped"], Value::Bool(false), "{at}"),
            _ => same_members(&parse(&body), &exchange["response"]["body"], &at),
        }
    }
}

fn check_info(info: &Value, at: &str) {
    assert!(info["agents"]["default"].as_object().is_some(), "{at}");
    assert_eq!(info["telemetryDisabled"], Value::Bool(true), "{at}");
    assert_eq!(info["a2ui"]["enabled"], Value::Bool(true), "{at}");
    assert_eq!(info["mode"].as_str(), Some("sse"), "{at}");
    assert_eq!(info["licenseStatus"], Value::Null, "{at}");
}

/// A replay has the messages of the recorded one, and its last event.
fn check_replay(events: &[Value], recorded: &[Value], at: &str) {
    let Some(last) = recorded.last() else {
        assert!(events.is_empty(), "{at}: {events:?}");
        return;
    };
    let started = &events[0];
    assert_eq!(started["type"].as_str(), Some("RUN_STARTED"), "{at}");
    let snapshot = events
        .iter()
        .find(|event| event["type"].as_str() == Some("MESSAGES_SNAPSHOT"));
    let messages = snapshot.expect("messages")["messages"]
        .as_array()
        .expect("messages");
    assert_eq!(
        started["input"]["messages"].as_array(),
        Some(messages),
        "{at}"
    );
    let has = |id: &str| {
        messages
            .iter()
            .any(|message| message["id"].as_str() == Some(id))
    };
    for event in recorded {
        let asked = event["input"]["messages"].as_array().unwrap_or_default();
        let asked = asked.iter().map(|message| &message["id"]);
        let said =
            (event["type"].as_str() == Some("TEXT_MESSAGE_START")).then_some(&event["messageId"]);
        for id in asked.chain(said).filter_map(Value::as_str) {
            assert!(has(id), "{at}: {id} is missing");
        }
    }
    let ours = events.last().expect("an end");
    assert_eq!(ours["type"], last["type"], "{at}");
    assert_eq!(ours["outcome"], last["outcome"], "{at}");
}

/// Responses about threads have the members of the recorded ones.
fn same_members(ours: &Value, recorded: &Value, at: &str) {
    match (ours, recorded) {
        (Value::Object(ours), Value::Object(recorded)) => {
            for (name, recorded) in recorded.iter() {
                let value = ours.get(name);
                same_members(
                    value.unwrap_or_else(|| panic!("{at}: {name}")),
                    recorded,
                    at,
                );
            }
        }
        (Value::Array(ours), Value::Array(recorded)) => {
            assert_eq!(ours.len(), recorded.len(), "{at}");
            for (ours, recorded) in ours.iter().zip(recorded) {
                same_members(ours, recorded, at);
            }
        }
        _ => {}
    }
}
