//! Recorded streams of agents.

use std::path::{Path, PathBuf};

use json::Value;

use crate::harness::{Differences, data, in_parallel, parse_file, pincite, scratch, stream};

/// Returns all recordings with their bytes.
fn recordings() -> Vec<(String, Vec<u8>)> {
    let directory = std::fs::read_dir(data("streams")).expect("the recordings are there");
    let mut found: Vec<(String, Vec<u8>)> = directory
        .map(|entry| entry.expect("a directory entry").path())
        .filter(|path| path.extension().is_some_and(|extension| extension == "sse"))
        .map(|path| (file_name(&path), std::fs::read(&path).expect("a file")))
        .collect();
    found.sort();
    assert!(found.len() > 20, "all recordings are there");
    found
}

fn file_name(path: &Path) -> String {
    let name = path.file_name().expect("a file");
    name.to_string_lossy().into_owned()
}

fn recording(name: &str) -> PathBuf {
    data("streams").join(name)
}

/// Returns the conversation of several files, one request each.
#[track_caller]
fn fold(files: &[&str], state: Option<&Path>, messages: Option<&Path>) -> Value {
    let mut args: Vec<PathBuf> = vec!["stream".into(), "fold".into()];
    args.extend(files.iter().map(|file| recording(file)));
    for (option, path) in [("--state", state), ("--messages", messages)] {
        if let Some(path) = path {
            args.extend([option.into(), path.to_owned()]);
        }
    }
    let ended = pincite(&args, b"").expect(0);
    assert_eq!(ended.stderr, "");
    ended.json()
}

fn request(name: &str) -> Value {
    parse_file(&recording(name))
}

#[test]
fn every_recording_follows_the_rules() {
    in_parallel(&recordings(), |_, (name, bytes)| {
        let mut faults = Differences::new(name);
        let events = String::from_utf8_lossy(bytes).matches("data: ").count();
        for options in ["", "--strict", "--from sse"] {
            let report = crate::harness::check(options, bytes);
            faults.holds(
                &format!("check {options}"),
                report["ok"] == Value::Bool(true),
            );
            faults.same("events", &report["events"], &events.into());
        }
        let text = stream("check", bytes).expect(0);
        let last = text.text().lines().last().unwrap_or_default().to_owned();
        faults.holds(
            "the last line says ok",
            last.starts_with(&format!("ok {events} event")),
        );
        faults.found
    });
}

#[test]
fn warns_only_about_patches_without_a_state() {
    in_parallel(&recordings(), |_, (name, bytes)| {
        let mut faults = Differences::new(name);
        // These agents expect the state of the client.
        let needs_state =
            name.starts_with("s0") && !name.starts_with("s07") || name.starts_with("06");
        let report = crate::harness::check("--strict", bytes);
        let warnings = report["warnings"].as_array().unwrap_or_default();
        let failed = |warning: &Value| warning["rule"].as_str() == Some("patch-failed");
        faults.holds("warnings", warnings.iter().all(failed));
        faults.holds("failed patches", warnings.is_empty() != needs_state);
        faults.found
    });
}

#[test]
fn fold_is_the_same_from_every_encoding() {
    in_parallel(&recordings(), |_, (name, bytes)| {
        let mut faults = Differences::new(name);
        let first = stream("fold", bytes).expect(0).json();
        faults.same("again", &stream("fold", bytes).json(), &first);
        // Protobuf has no messages for older events: `convert` warns, `expand` upgrades them.
        let older = bytes.windows(10).any(|word| word == b"\"THINKING_");
        let converted = stream("convert --to proto", bytes).expect(0);
        faults.holds(
            "a warning of what is left out",
            converted.stderr.is_empty() != older,
        );
        let proto = match older {
            true => stream("expand --to proto", bytes).expect(0).stdout,
            false => converted.stdout,
        };
        let lines = stream("convert --to jsonl", &proto).expect(0).stdout;
        let sse = stream("convert --to sse", &lines).expect(0).stdout;
        faults.holds("protobuf is shorter", proto.len() < bytes.len());
        for (form, bytes) in [("proto", proto), ("jsonl", lines), ("sse", sse)] {
            faults.same(form, &stream("fold", &bytes).json(), &first);
        }
        for how in ["expand", "compact", "compact --to proto"] {
            let events = stream(how, bytes).expect(0).stdout;
            faults.same(how, &stream("fold", &events).json(), &first);
            // A second conversion changes nothing.
            let again = stream(how, &events).expect(0).stdout;
            faults.holds(&format!("{how} twice"), again == events);
        }
        faults.found
    });
}

#[test]
fn sse_to_sse_keeps_every_byte() {
    in_parallel(&recordings(), |_, (name, bytes)| {
        let mut faults = Differences::new(name);
        let text = String::from_utf8_lossy(bytes).replace("\r\n", "\n");
        let events: Vec<&str> = text
            .lines()
            .filter(|line| line.starts_with("data: "))
            .collect();
        let ended = stream("convert --to sse", bytes).expect(0);
        let expected: String = events.iter().map(|event| format!("{event}\n\n")).collect();
        faults.holds("convert --to sse", ended.text() == expected);
        faults.holds("nothing on stderr", ended.stderr.is_empty());
        faults.found
    });
}

#[test]
fn state_carries_over_to_the_next_turn() {
    let initial = recording("initial_state.json");
    let turn1 = fold(&["s01_turn1.sse"], Some(&initial), None);
    assert_eq!(turn1["state"], request("s01_state_after.json"));
    let both = fold(
        &["s01_turn1.sse", "s02_turn2_recite.sse"],
        Some(&initial),
        None,
    );
    assert_eq!(both["state"], request("s02_state_after.json"));
    // Equals the second turn alone with the state of the first.
    let state = scratch("recordings-state.json", turn1["state"].to_json());
    let messages = scratch("recordings-messages.json", turn1["messages"].to_json());
    let turn2 = fold(&["s02_turn2_recite.sse"], Some(&state), Some(&messages));
    assert_eq!(turn2["messages"], both["messages"]);
    assert_eq!(turn2["state"], both["state"]);
    let finished = |fold: &Value| fold["finished"].as_array().unwrap_or_default().to_vec();
    assert_eq!(
        finished(&both),
        [finished(&turn1), finished(&turn2)].concat()
    );
}

#[test]
fn folded_state_equals_the_next_request() {
    let initial = recording("initial_state.json");
    for (first, state, second) in [
        (
            "s01_turn1.sse",
            Some(&*initial),
            "s02_turn2_recite.request.json",
        ),
        (
            "s06_tool_yield_segment1.sse",
            Some(&*initial),
            "s07_tool_yield_segment2.request.json",
        ),
        (
            "10_client_tool_segment1.sse",
            None,
            "11_client_tool_segment2.request.json",
        ),
        ("h01_turn1.sse", None, "h02_turn2_new_docs.request.json"),
    ] {
        let folded = fold(&[first], state, None);
        assert_eq!(folded["state"], request(second)["state"], "{first}");
    }
}

#[test]
fn run_continues_after_a_client_tool() {
    for (files, call) in [
        (
            ["s06_tool_yield_segment1.sse", "s07_tool_yield_segment2.sse"],
            "loc_30",
        ),
        (
            ["10_client_tool_segment1.sse", "11_client_tool_segment2.sse"],
            "call_loc_1",
        ),
    ] {
        let folded = fold(&files, Some(&recording("initial_state.json")), None);
        let expected = format!(
            r#"[{{"outcome":"success","pendingToolCallIds":["{call}"]}},
                {{"outcome":"success","pendingToolCallIds":[]}}]"#
        );
        assert_eq!(folded["finished"], crate::harness::parse(&expected));
        assert_eq!(folded["pendingInterrupts"], crate::harness::parse("[]"));
        let messages = folded["messages"].as_array().expect("a list");
        let roles: Vec<&str> = messages
            .iter()
            .filter_map(|message| message["role"].as_str())
            .collect();
        let last = messages.last().expect("messages");
        assert_eq!(roles.last(), Some(&"assistant"));
        assert!(
            last["content"]
                .as_str()
                .is_some_and(|text| text.contains("[1]")),
            "{last:?}"
        );
        assert!(roles.contains(&"tool"), "{roles:?}");
    }
}

#[test]
fn messages_of_the_request_come_first() {
    for name in [
        "11_client_tool_segment2",
        "s07_tool_yield_segment2",
        "h02_turn2_new_docs",
    ] {
        let request = request(&format!("{name}.request.json"));
        let messages = scratch(
            &format!("{name}-messages.json"),
            request["messages"].to_json(),
        );
        let state = scratch(&format!("{name}-state.json"), request["state"].to_json());
        let folded = fold(&[&format!("{name}.sse")], Some(&state), Some(&messages));
        let sent = request["messages"].as_array().expect("a list");
        let folded = folded["messages"].as_array().expect("a list");
        assert!(
            folded.starts_with(sent) && folded.len() > sent.len(),
            "{name}: {folded:?}"
        );
    }
}

#[test]
fn segments_may_have_different_encodings() {
    let first = std::fs::read(recording("s01_turn1.sse")).expect("a file");
    let proto = scratch(
        "segments-1.bin",
        stream("convert --to proto", &first).expect(0).stdout,
    );
    let second = std::fs::read(recording("s02_turn2_recite.sse")).expect("a file");
    let lines = stream("convert", &second).expect(0).stdout;
    let args: [PathBuf; 6] = [
        "stream".into(),
        "fold".into(),
        "--state".into(),
        recording("initial_state.json"),
        proto,
        "-".into(),
    ];
    let ended = pincite(&args, &lines).expect(0);
    assert_eq!(ended.json()["state"], request("s02_state_after.json"));
}
