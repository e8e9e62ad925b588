//! `pincite serve` judged by the official client: whatever an upstream does, every patch applies, the rules
//! are kept, and the client has what we say it has.

use std::path::Path;
use std::process::Command;

use base64::Engine;
use base64::engine::general_purpose::STANDARD;
use json::{Map, Value};

use crate::harness::gateway::Gateway;
use crate::harness::upstream::{EVENT_STREAM, Upstream};
use crate::harness::{ServerProcess, data, parse, pincite, run, scratch, sse, with_numbered_ids};

const SOURCE: &str = "High tide was at 12:04 in Bergen.\u{c}Low water came at 18:20.";
/// Two quotations, the second on another page than it says.
const CITED: &str = concat!(
    "Tide [1], ebb [2].\n<<<CITATION_DATA>>>",
    r#"[{"id":1,"attachment_id":"tide","full_phrase":"High tide was at 12:04","page_id":"page_number_1_index_0"},"#,
    r#"{"id":2,"attachment_id":"tide","full_phrase":"Low water came at 18:20","page_id":"page_number_1_index_0"}]"#,
    "<<<END_CITATION_DATA>>>"
);

/// A script for the Python that `scripts/require-python` set up.
fn python(script: &str) -> Command {
    let root = Path::new(env!("CARGO_MANIFEST_DIR"));
    let mut command = Command::new(root.join("../../target/python/bin/python"));
    command.arg(root.join("tests/python").join(script));
    command
}

/// Runs the official client through conversations; what came of their turns.
fn judged(conversations: &[Value]) -> Vec<Value> {
    let script = Path::new(env!("CARGO_MANIFEST_DIR")).join("../agui/tests/official/judge.mjs");
    let mut command = Command::new("node");
    command.arg(script);
    let lines: String = conversations
        .iter()
        .map(|one| format!("{}\n", one.to_json()))
        .collect();
    let ended = run(command, lines.as_bytes()).expect(0);
    let turns: Vec<Value> = ended.text().lines().map(parse).collect();
    assert_eq!(turns.len(), conversations.len());
    turns
}

/// A turn: the official client and its rules are content, and our fold of the same bytes is what it has.
/// So many patches may fail as the upstream has them.
#[track_caller]
fn agreed<'a>(name: &str, wire: &str, turn: &'a Value, failing: &Value) -> &'a Value {
    assert_eq!(turn["status"], Value::from(200_usize), "{name}");
    assert_eq!(turn["verify"], Value::Null, "{name}");
    assert_eq!(turn["patchFailures"], *failing, "{name}");
    let body = STANDARD.decode(turn["body"].as_str().expect("a body"));
    let body = body.expect("bytes");
    let file = |what: &str, content: &[u8]| {
        let path = scratch(&format!("judged-{name}-{wire}-{what}"), content);
        path.to_str().expect("a plain name").to_owned()
    };
    let state = file("state", turn["before"]["state"].to_json().as_bytes());
    let messages = file("messages", turn["before"]["messages"].to_json().as_bytes());
    let body = file("body", &body);
    let ours = pincite(
        &[
            "stream",
            "fold",
            &body,
            "--from",
            wire,
            "--state",
            &state,
            "--messages",
            &messages,
        ],
        b"",
    );
    let ours = ours.expect(0).json();
    let theirs = &turn["after"];
    assert_eq!(
        with_numbered_ids(&ours),
        with_numbered_ids(theirs),
        "{name}"
    );
    theirs
}

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

/// The text in pieces of so many characters.
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

/// An upstream's events within a run, and how many messages with results the state then has; none if
/// it cannot hold them.
struct Case {
    name: &'static str,
    state: &'static str,
    events: Vec<String>,
    cited: Option<usize>,
    /// The end of the run is not the upstream's.
    error: Option<&'static str>,
}

fn case(name: &'static str, events: &[Vec<String>], cited: Option<usize>) -> Case {
    let mut events: Vec<String> = events.concat();
    events.insert(0, crate::harness::RUN_STARTED.to_owned());
    events.push(crate::harness::RUN_FINISHED.to_owned());
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
        case("renamed", &[answer("first@"), history("second@", CITED)], Some(2)),
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
                vec![crate::harness::RUN_FINISHED.to_owned(), crate::harness::RUN_STARTED.to_owned()],
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
            "fails-and-goes-on",
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

/// An upstream that plays the case the request's thread is named after; `@` in it is the number of the turn.
fn player(cases: &[Case]) -> Upstream {
    let scripts: Vec<(String, String)> = cases
        .iter()
        .map(|case| (case.name.to_owned(), sse(&case.events)))
        .collect();
    Upstream::with_handler(move |body, socket| {
        let asked = parse(body);
        let thread = asked["threadId"].as_str().unwrap_or_default();
        let name = thread.trim_end_matches("-sse").trim_end_matches("-proto");
        let script = scripts.iter().find(|(one, _)| one == name);
        let script = script.map_or("", |(_, script)| script);
        let turn = asked["runId"]
            .as_str()
            .and_then(|run| run.rsplit('-').next());
        let script = script.replace('@', turn.unwrap_or_default());
        // Whoever asked may have left.
        let _ = std::io::Write::write_all(socket, format!("{EVENT_STREAM}{script}").as_bytes());
    })
}

#[test]
fn the_official_client_takes_every_patch() {
    let cases = cases();
    let upstream = player(&cases);
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
        for (case, turns) in cases.iter().zip(judged(&conversations)) {
            let name = case.name;
            for (number, turn) in turns.as_array().expect("turns").iter().enumerate() {
                let name = format!("{name}-{number}");
                let after = agreed(&name, wire, turn, &0_usize.into());
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

/// The run ended with an error of this message or code.
#[track_caller]
fn expect_error(name: &str, turn: &Value, wire: &str, error: &str) {
    let body = STANDARD.decode(turn["body"].as_str().expect("a body"));
    let body = String::from_utf8_lossy(&body.expect("bytes")).into_owned();
    assert!(body.contains(error), "{name} over {wire}: {body}");
}

/// What the upstream said reaches the client as it was written, in its order, up to what it did wrong.
#[track_caller]
fn expect_own_bytes(case: &Case, turn: usize, seen: &Value) {
    if case.name == "chunks" {
        return;
    }
    let body = STANDARD.decode(seen["body"].as_str().expect("a body"));
    let body = String::from_utf8(body.expect("bytes")).expect("text");
    let mut lines = body.lines();
    let wrong = [
        "breaks-a-rule",
        "not-an-event",
        "fails-twice",
        "fails-and-goes-on",
    ]
    .contains(&case.name);
    let right = case.events.len() - usize::from(wrong);
    for event in &case.events[..right] {
        let event = event.replace('@', &turn.to_string());
        let sent = format!("data: {event}");
        assert!(
            lines.any(|line| line == sent),
            "{}: {event} is missing",
            case.name
        );
    }
}

/// Every message has its results under our key, and the projections have what they should.
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
        // What is not ours is left to whom it belongs.
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

#[test]
fn a_pydantic_ai_agent_is_checked_turn_after_turn() {
    let agent = ServerProcess::start(python("agent.py"));
    let gateway = Gateway::start(&["--in-memory", "--upstream", &format!("py={}", agent.url)]);
    gateway.attach("tide", "tide.txt", SOURCE);
    let url = format!("{}/agents/py", gateway.url);
    let conversation = parse(&format!(
        r#"{{"url":"{url}","threadId":"py","state":{{"own":1}},"turns":[{{"runId":"1","ask":"quote"}},{{"runId":"2","ask":"tide?"}},{{"runId":"3","ask":"quote"}}]}}"#
    ));
    let turns = judged(&[conversation]);
    let turns = turns[0].as_array().expect("turns");
    assert_eq!(turns.len(), 3);
    for (number, turn) in turns.iter().enumerate() {
        let after = agreed(
            &format!("pydantic-ai-{number}"),
            "sse",
            turn,
            &0_usize.into(),
        );
        assert_eq!(turn["error"], Value::Null);
        let state = &after["state"];
        assert_eq!(state["own"], Value::from(1_usize));
        let entries = state["deepcitation"]["messages"]
            .as_object()
            .expect("messages");
        let totals: Vec<Value> = entries
            .iter()
            .map(|(_, entry)| {
                assert_eq!(entry["status"].as_str(), Some("complete"));
                let summary = &entry["summary"];
                assert_eq!(summary["verified"], summary["missed"]);
                summary["total"].clone()
            })
            .collect();
        // The turn in the middle calls a tool and quotes nothing.
        let quoting = [1, 1, 2][number];
        let quoted = totals
            .iter()
            .filter(|total| **total == Value::from(2_usize));
        assert_eq!(quoted.count(), quoting, "{}", state.to_json());
        let asked = state["rag"]["qa_history"].as_array().expect("turns").len();
        assert_eq!(asked, quoting, "{}", state.to_json());
    }
}

#[test]
fn recordings_through_the_gateway_build_what_they_build_without_it() {
    let directory = std::fs::read_dir(data("streams")).expect("the recordings are there");
    let mut recordings: Vec<String> = directory
        .map(|entry| entry.expect("an entry").path())
        .filter(|path| path.extension().is_some_and(|extension| extension == "sse"))
        .map(|path| path.to_str().expect("a plain name").to_owned())
        .collect();
    recordings.sort();
    assert!(recordings.len() > 20, "all recordings are there");
    let direct = ServerProcess::recordings(&recordings);
    let behind = ServerProcess::recordings(&recordings);
    let gateway = Gateway::start(&["--in-memory", "--upstream", &format!("up={}", behind.url)]);
    let through = format!("{}/agents/up", gateway.url);
    let conversations: Vec<Value> = recordings
        .iter()
        .enumerate()
        .flat_map(|(number, recording)| {
            let request = recording.replace(".sse", ".request.json");
            let sent = std::fs::read_to_string(request).map(|text| parse(&text)).ok();
            let sent = sent.as_ref();
            let state = sent.map_or("{}".to_owned(), |sent| sent["state"].to_json());
            let messages = sent.map_or("[]".to_owned(), |sent| sent["messages"].to_json());
            [&direct.url, &through].map(|url| {
                parse(&format!(
                    r#"{{"url":"{url}","threadId":"t{number}","state":{state},"messages":{messages},"turns":[{{"runId":"r{number}"}}]}}"#
                ))
            })
        })
        .collect();
    let turns = judged(&conversations);
    for (recording, pair) in recordings.iter().zip(turns.chunks(2)) {
        let name = Path::new(recording)
            .file_stem()
            .and_then(|stem| stem.to_str());
        let name = name.expect("a plain name");
        let [direct, through] = pair else {
            panic!("two turns each");
        };
        let turn = |turns: &Value| turns.as_array().expect("turns")[0].clone();
        let (direct, through) = (turn(direct), turn(through));
        let after = agreed(name, "sse", &through, &direct["patchFailures"]);
        assert_eq!(direct["error"], through["error"], "{name}");
        let messages = |conversation: &Value| with_numbered_ids(conversation).0;
        assert_eq!(messages(&direct["after"]), messages(after), "{name}");
        // Outside of our keys the state is the agent's own.
        let without_ours = |state: &Value, theirs: &Value| {
            let mut state = state.clone();
            if let Some(map) = state.as_object_mut() {
                for key in ["deepcitation", "citations", "rag"] {
                    if theirs.get(key).is_none() {
                        map.remove(key);
                    }
                }
            }
            state
        };
        let theirs = &direct["after"]["state"];
        assert_eq!(
            without_ours(&after["state"], theirs),
            without_ours(theirs, theirs),
            "{name}"
        );
    }
}
