//! The official client behind a gateway: every patch applies, no rule is broken, and its state is ours.

mod patches;

use std::path::Path;
use std::process::Command;

use base64::Engine;
use base64::engine::general_purpose::STANDARD;
use json::Value;

use crate::harness::gateway::Gateway;
use crate::harness::{ServerProcess, data, parse, pincite, run, scratch, with_numbered_ids};

const SOURCE: &str = "High tide was at 12:04 in Bergen.\u{c}Low water came at 18:20.";

/// Returns a command that runs a script with the Python of `scripts/require-python`.
fn python(script: &str) -> Command {
    let root = Path::new(env!("CARGO_MANIFEST_DIR"));
    let mut command = Command::new(root.join("../../target/python/bin/python"));
    command.arg(root.join("tests/python").join(script));
    command
}

/// Runs conversations with the official client. Returns the turns of each.
fn run_official_client(conversations: &[Value]) -> Vec<Value> {
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

/// Expects that the official client reports no error and that our fold of the same bytes equals its state.
/// `failing` is the number of patches that fail without the gateway, too.
#[track_caller]
fn expect_agreement<'a>(name: &str, wire: &str, turn: &'a Value, failing: &Value) -> &'a Value {
    assert_eq!(turn["status"], Value::from(200_usize), "{name}");
    assert_eq!(turn["verify"], Value::Null, "{name}");
    assert_eq!(turn["patchFailures"], *failing, "{name}");
    let body = STANDARD.decode(turn["body"].as_str().expect("a body"));
    let body = body.expect("bytes");
    let file = |what: &str, content: &[u8]| {
        let path = scratch(&format!("turn-{name}-{wire}-{what}"), content);
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

#[test]
fn verifies_a_pydantic_ai_agent_over_several_turns() {
    let agent = ServerProcess::start(python("agent.py"));
    let gateway = Gateway::start(&["--in-memory", "--upstream", &format!("py={}", agent.url)]);
    gateway.attach("tide", "tide.txt", SOURCE);
    let url = format!("{}/agents/py", gateway.url);
    let conversation = parse(&format!(
        r#"{{"url":"{url}","threadId":"py","state":{{"own":1}},"turns":[{{"runId":"1","ask":"quote"}},{{"runId":"2","ask":"tide?"}},{{"runId":"3","ask":"quote"}}]}}"#
    ));
    let turns = run_official_client(&[conversation]);
    let turns = turns[0].as_array().expect("turns");
    assert_eq!(turns.len(), 3);
    for (number, turn) in turns.iter().enumerate() {
        let after = expect_agreement(
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
        // The second turn calls a tool and contains no quote.
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
fn recordings_fold_alike_with_and_without_the_gateway() {
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
    let turns = run_official_client(&conversations);
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
        let after = expect_agreement(name, "sse", &through, &direct["patchFailures"]);
        assert_eq!(direct["error"], through["error"], "{name}");
        let messages = |conversation: &Value| with_numbered_ids(conversation).0;
        assert_eq!(messages(&direct["after"]), messages(after), "{name}");
        // Outside of our keys the state is that of the agent.
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
