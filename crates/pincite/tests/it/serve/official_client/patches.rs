//! Upstreams that change the state in every way: all patches of the gateway apply.

use base64::Engine;
use base64::engine::general_purpose::STANDARD;
use json::{Map, Value};

use super::{SOURCE, expect_agreement, run_official_client};
use crate::harness::gateway::Gateway;
use crate::harness::upstream::{EVENT_STREAM, Upstream};
use crate::harness::{RUN_FINISHED, RUN_STARTED, parse, sse};

/// Answer with two quotes; the second names a wrong page.
const CITED: &str = concat!(
    "Tide [1], ebb [2].\n<<<CITATION_DATA>>>",
    r#"[{"id":1,"attachment_id":"tide","full_phrase":"High tide was at 12:04","page_id":"page_number_1_index_0"},"#,
    r#"{"id":2,"attachment_id":"tide","full_phrase":"Low water came at 18:20","page_id":"page_number_1_index_0"}]"#,
    "<<<END_CITATION_DATA>>>"
);

fn text(id: &str, pieces: &[&str]) -> Vec<String> {
    let id = Value::from(id).to_json();
    let mut events = vec![format!(
        r#"{{"type":"TEXT_MESSAGE_START","messageId":{id},"role":"assistant"}}"#
    )];
    events.extend(pieces.iter().map(|piece| content(&id, piece)));
    events.push(format!(r#"{{"type":"TEXT_MESSAGE_END","messageId":{id}}}"#));
    events
}

fn content(id: &str, piece: &str) -> String {
    let delta = Value::from(piece).to_json();
    format!(r#"{{"type":"TEXT_MESSAGE_CONTENT","messageId":{id},"delta":{delta}}}"#)
}

fn snapshot(state: &str) -> Vec<String> {
    vec![format!(r#"{{"type":"STATE_SNAPSHOT","snapshot":{state}}}"#)]
}

fn delta(patch: &str) -> Vec<String> {
    vec![format!(r#"{{"type":"STATE_DELTA","delta":{patch}}}"#)]
}

/// Splits the text into pieces of `size` characters.
fn pieces(text: &str, size: usize) -> Vec<&str> {
    let mut rest = text;
    let mut pieces = Vec::new();
    while !rest.is_empty() {
        let at = rest
            .char_indices()
            .nth(size)
            .map_or(rest.len(), |(at, _)| at);
        let (piece, after) = rest.split_at(at);
        pieces.push(piece);
        rest = after;
    }
    pieces
}

/// Events of an upstream and the expected result.
struct Case {
    name: &'static str,
    state: &'static str,
    events: Vec<String>,
    /// Number of messages with results in the state; `None` if the state is no object.
    cited: Option<usize>,
    /// Message or code of the error that ends the run.
    error: Option<&'static str>,
}

fn case(name: &'static str, events: &[Vec<String>], cited: Option<usize>) -> Case {
    let mut events: Vec<String> = events.concat();
    events.insert(0, RUN_STARTED.to_owned());
    events.push(RUN_FINISHED.to_owned());
    Case {
        name,
        state: "{}",
        events,
        cited,
        error: None,
    }
}

fn cases() -> Vec<Case> {
    let answer = |id: &str| text(id, &pieces(CITED, 7));
    let interleaved: Vec<String> = answer("a@")
        .into_iter()
        .zip(answer("b@"))
        .flat_map(|(a, b)| [a, b])
        .collect();
    let chunks: Vec<String> = pieces(CITED, 9)
        .iter()
        .map(|piece| {
            let delta = Value::from(*piece).to_json();
            format!(r#"{{"type":"TEXT_MESSAGE_CHUNK","messageId":"c@","role":"assistant","delta":{delta}}}"#)
        })
        .collect();
    let history = |id: &str, text: &str| {
        let text = Value::from(text).to_json();
        vec![format!(
            r#"{{"type":"MESSAGES_SNAPSHOT","messages":[{{"id":"u","role":"user","content":"?"}},{{"id":"{id}","role":"assistant","content":{text}}}]}}"#
        )]
    };
    let open = |id: &str| {
        let mut events = answer(id);
        events.pop();
        events
    };
    let failed =
        vec![r#"{"type":"RUN_ERROR","message":"the model is away","code":"away"}"#.to_owned()];
    let mut cases = vec![
        case("plain", &[answer("m@")], Some(1)),
        case("interleaved", &[interleaved], Some(2)),
        case("chunks", &[chunks], Some(1)),
        case("wiped", &[answer("m@"), snapshot("{}")], Some(1)),
        case(
            "wiped-between",
            &[snapshot(r#"{"own":1}"#), answer("m@"), snapshot(r#"{"own":2}"#), answer("n@")],
            Some(2),
        ),
        case("null", &[snapshot("null"), answer("m@")], Some(1)),
        case("null-at-last", &[answer("m@"), snapshot("null")], Some(1)),
        case("array", &[snapshot("[1]"), answer("m@")], None),
        case(
            "array-then-object",
            &[snapshot("[1]"), answer("m@"), snapshot("{}")],
            Some(1),
        ),
        case("scalar", &[answer("m@"), snapshot("7")], None),
        case(
            "null-then-patch",
            &[snapshot("null"), delta(r#"[{"op":"add","path":"/own","value":1}]"#), answer("m@")],
            Some(1),
        ),
        case(
            "root-replaced",
            &[answer("m@"), delta(r#"[{"op":"replace","path":"","value":{"own":1}}]"#), answer("n@")],
            Some(2),
        ),
        case(
            "ours-removed",
            &[answer("m@"), delta(r#"[{"op":"remove","path":"/deepcitation"}]"#), answer("n@")],
            Some(2),
        ),
        case(
            "ours-overwritten",
            &[answer("m@"), delta(r#"[{"op":"add","path":"/deepcitation","value":3}]"#), answer("n@")],
            Some(2),
        ),
        case("slash", &[answer("a/b~c~1@"), answer("a b\"\u{e9}@"), answer("toString@")], Some(3)),
        case("unsafe", &[answer("__proto__"), answer("constructor"), answer("fine@")], Some(1)),
        case("history", &[history("h@", CITED)], Some(1)),
        case("renamed", &[answer("first@"), history("second@", CITED)], Some(1)),
        case(
            "changed-back",
            &[answer("m@"), history("m@", "Never mind."), history("m@", CITED)],
            Some(1),
        ),
        case("emptied", &[text("m@", &[""; 0])], Some(1)),
        case(
            "two-runs",
            &[
                answer("m@"),
                vec![RUN_FINISHED.to_owned(), RUN_STARTED.to_owned()],
                answer("n@"),
            ],
            Some(2),
        ),
        case(
            "unknown-events",
            &[
                vec![r#"{ "x": [1.0, 1e2], "type" : "FROM_TOMORROW" }"#.to_owned()],
                vec![r#"{"type":"CUSTOM","value":{"b":1,"a":10000000000000000001},"name":"\u00e9","more":null}"#.to_owned()],
                answer("m@"),
            ],
            Some(1),
        ),
        case(
            "tools",
            &[
                vec![
                    r#"{"type":"TOOL_CALL_START","toolCallId":"t1","toolCallName":"look"}"#.to_owned(),
                    r#"{"type":"TOOL_CALL_ARGS","toolCallId":"t1","delta":"{}"}"#.to_owned(),
                ],
                answer("m@"),
                vec![
                    r#"{"type":"TOOL_CALL_END","toolCallId":"t1"}"#.to_owned(),
                    r#"{"type":"TOOL_CALL_RESULT","messageId":"r1","toolCallId":"t1","content":"[1]"}"#.to_owned(),
                ],
            ],
            Some(1),
        ),
    ];
    let plain = |name, state| Case {
        state,
        ..case(name, &[answer("m@")], Some(1))
    };
    cases.extend([
        plain("sent-null", "null"),
        plain(
            "sent-empty",
            r#"{"citations":{},"rag":{"citations":[],"qa_history":[]}}"#,
        ),
        plain("sent-foreign", r#"{"citations":"mine","rag":[1]}"#),
        Case {
            cited: None,
            ..plain("sent-array", "[]")
        },
    ]);
    let unfinished = |name, events: &[Vec<String>], error| {
        let mut case = case(name, events, Some(1));
        case.events.pop();
        Case {
            error: Some(error),
            ..case
        }
    };
    cases.extend([
        unfinished("fails", &[open("m@"), failed.clone()], "the model is away"),
        unfinished(
            "fails-at-once",
            &[answer("m@"), failed.clone()],
            "the model is away",
        ),
        unfinished(
            "fails-twice",
            &[answer("m@"), failed.clone(), failed.clone()],
            "the model is away",
        ),
        unfinished(
            "fails-and-continues",
            &[
                answer("m@"),
                failed.clone(),
                vec![content("\"m@\"", "more")],
            ],
            "the model is away",
        ),
        Case {
            events: failed,
            cited: Some(0),
            error: Some("the model is away"),
            ..case("fails-first", &[], None)
        },
        unfinished("stops-short", &[answer("m@")], "upstream_truncated"),
        unfinished("stops-in-message", &[open("m@")], "upstream_truncated"),
        unfinished(
            "breaks-a-rule",
            &[answer("m@"), vec![content("\"m@\"", "more")]],
            "upstream_protocol",
        ),
        unfinished(
            "not-an-event",
            &[answer("m@"), vec!["{\"type\":".to_owned()]],
            "upstream_protocol",
        ),
    ]);
    cases
}

/// Returns an upstream that plays the case with the name of the thread. `@` is replaced by the number of the turn.
fn case_upstream(cases: &[Case]) -> Upstream {
    let scripts: Vec<(String, String)> = cases
        .iter()
        .map(|case| (case.name.to_owned(), sse(&case.events)))
        .collect();
    Upstream::with_handler(move |body, socket| {
        let request = parse(body);
        let thread = request["threadId"].as_str().unwrap_or_default();
        let name = thread.trim_end_matches("-sse").trim_end_matches("-proto");
        let script = scripts.iter().find(|(one, _)| one == name);
        let script = script.map_or("", |(_, script)| script);
        let turn = request["runId"]
            .as_str()
            .and_then(|run| run.rsplit('-').next());
        let script = script.replace('@', turn.unwrap_or_default());
        // The client may have disconnected.
        let _ = std::io::Write::write_all(socket, format!("{EVENT_STREAM}{script}").as_bytes());
    })
}

#[test]
fn official_client_applies_every_patch() {
    let cases = cases();
    let upstream = case_upstream(&cases);
    let gateway = Gateway::start(&["--in-memory", "--upstream", &format!("up={}", upstream.url)]);
    gateway.attach("tide", "tide.txt", SOURCE);
    let url = format!("{}/agents/up", gateway.url);
    for wire in ["sse", "proto"] {
        let conversations: Vec<Value> = cases
            .iter()
            .map(|case| {
                parse(&format!(
                    r#"{{"url":"{url}","threadId":"{0}-{wire}","state":{1},"wire":"{wire}","turns":[{{"runId":"{0}-1","ask":"?"}},{{"runId":"{0}-2","ask":"again?"}}]}}"#,
                    case.name, case.state
                ))
            })
            .collect();
        for (case, turns) in cases.iter().zip(run_official_client(&conversations)) {
            let name = case.name;
            for (number, turn) in turns.as_array().expect("turns").iter().enumerate() {
                let name = format!("{name}-{number}");
                let after = expect_agreement(&name, wire, turn, &0_usize.into());
                match case.error {
                    None => assert_eq!(turn["error"], Value::Null, "{name}"),
                    Some(error) => expect_error(&name, turn, wire, error),
                }
                expect_results(case, number + 1, &after["state"]);
                if wire == "sse" {
                    expect_own_bytes(case, number + 1, turn);
                }
            }
        }
    }
}

/// Expects that the run ended with this message or code.
#[track_caller]
fn expect_error(name: &str, turn: &Value, wire: &str, error: &str) {
    let body = STANDARD.decode(turn["body"].as_str().expect("a body"));
    let body = String::from_utf8_lossy(&body.expect("bytes")).into_owned();
    assert!(body.contains(error), "{name} over {wire}: {body}");
}

/// Expects that the events before an error reach the client in order and byte for byte.
#[track_caller]
fn expect_own_bytes(case: &Case, turn: usize, seen: &Value) {
    if case.name == "chunks" {
        return;
    }
    let body = STANDARD.decode(seen["body"].as_str().expect("a body"));
    let body = String::from_utf8(body.expect("bytes")).expect("text");
    let mut lines = body.lines();
    let ends_wrong = [
        "breaks-a-rule",
        "not-an-event",
        "fails-twice",
        "fails-and-continues",
    ]
    .contains(&case.name);
    let valid = case.events.len() - usize::from(ends_wrong);
    for event in &case.events[..valid] {
        let event = event.replace('@', &turn.to_string());
        let sent = format!("data: {event}");
        assert!(
            lines.any(|line| line == sent),
            "{}: {event} is missing",
            case.name
        );
    }
}

/// Expects the results of every message under our key and in the projections.
#[track_caller]
fn expect_results(case: &Case, turns: usize, state: &Value) {
    let name = case.name;
    let Some(cited) = case.cited else {
        assert!(state.as_object().is_none(), "{name}: {}", state.to_json());
        return;
    };
    let none = Map::new();
    let messages = state["deepcitation"]["messages"]
        .as_object()
        .unwrap_or(&none);
    let shown = || format!("{name}: {}", state.to_json());
    // The snapshot of the second turn has the same text under another id: the message was renamed.
    let turns = if name == "history" { 1 } else { turns };
    assert_eq!(messages.iter().count(), cited * turns, "{}", shown());
    for (id, message) in messages.iter() {
        let open = ["stops-in-message", "fails"].contains(&name);
        let status = if open { "error" } else { "complete" };
        assert_eq!(message["status"].as_str(), Some(status), "{}", shown());
        if name == "emptied" {
            continue;
        }
        let summary = ["total", "verified", "partial", "missed", "pending"]
            .map(|member| message["summary"][member].clone());
        assert_eq!(
            summary,
            [2, 1, 1, 0, 0].map(|count: usize| Value::from(count)),
            "{}",
            shown()
        );
        let key = message["markers"]["1"].as_str().expect("a key");
        let verification = &state["deepcitation"]["verifications"][key];
        assert_eq!(
            verification["status"].as_str(),
            Some("found"),
            "{}",
            shown()
        );
        // Keys with foreign values are not changed.
        if name.starts_with("sent-foreign") || name == "sent-empty" {
            continue;
        }
        let sources = state["citations"][id].as_array().map(<[Value]>::len);
        assert_eq!(sources, Some(2), "{}", shown());
        let rag = state["rag"]["citations"].as_array().map(<[Value]>::len);
        assert_eq!(rag, Some(2), "{}", shown());
    }
    if name == "sent-foreign" {
        assert_eq!(state["citations"].as_str(), Some("mine"), "{}", shown());
    }
}
