//! Official packages over HTTP: client, encoder, pydantic-ai, ag-ui-protocol.

use std::path::{Path, PathBuf};
use std::process::Command;

use json::Value;

use crate::harness::{
    CommandOutput, ServerProcess, data, parse, pincite, run, scratch, stream, with_numbered_ids,
};

/// Returns the paths of all recordings.
fn recordings() -> Vec<PathBuf> {
    let directory = std::fs::read_dir(data("streams")).expect("the recordings are there");
    let mut found: Vec<PathBuf> = directory
        .map(|entry| entry.expect("a directory entry").path())
        .filter(|path| path.extension().is_some_and(|extension| extension == "sse"))
        .collect();
    found.sort();
    assert!(found.len() > 20, "all recordings are there");
    found
}

/// Returns a command that runs a script with the official packages.
fn official(script: &str) -> Command {
    let path = Path::new(env!("CARGO_MANIFEST_DIR")).join("../agui/tests/official");
    let mut command = Command::new("node");
    command.arg(path.join(script));
    command
}

/// Returns a command that runs a script with the Python of `scripts/require-python`.
fn python(script: &str) -> Command {
    let root = Path::new(env!("CARGO_MANIFEST_DIR"));
    let mut command = Command::new(root.join("../../target/python/bin/python"));
    command.arg(root.join("tests/python").join(script));
    command
}

/// Returns the output of a successful command.
#[track_caller]
fn output(command: Command, stdin: &[u8]) -> CommandOutput {
    run(command, stdin).expect(0)
}

/// Returns the conversation of a recording that is served in an encoding.
fn folded(recording: &Path, wire: &str) -> Value {
    let file = recording.to_str().expect("a plain name");
    let ended = match wire {
        "sse" => pincite(&["stream", "fold", file], b""),
        _ => {
            let frames = pincite(&["stream", "convert", file, "--to", "proto"], b"").expect(0);
            pincite(&["stream", "fold", "--from", "proto"], &frames.stdout)
        }
    };
    ended.expect(0).json()
}

#[test]
fn official_client_reads_served_recordings() {
    let recordings = recordings();
    for wire in ["sse", "proto"] {
        for options in [&["--pace", "0"][..], &[]] {
            let mut args: Vec<&str> = options.to_vec();
            args.extend(
                recordings
                    .iter()
                    .map(|path| path.to_str().expect("a plain name")),
            );
            let served = ServerProcess::recordings(&args);
            let mut client = official("http-client.mjs");
            client.args([&served.url, wire, &recordings.len().to_string()]);
            let ended = output(client, b"");
            let lines: Vec<&str> = ended.text().lines().collect();
            assert_eq!(lines.len(), recordings.len());
            for (recording, line) in recordings.iter().zip(lines) {
                let theirs = parse(line);
                let name = recording.display();
                assert_eq!(theirs["error"], Value::Null, "{name} over {wire}");
                let ours = folded(recording, wire);
                assert_eq!(
                    with_numbered_ids(&theirs),
                    with_numbered_ids(&ours),
                    "{name} over {wire}"
                );
            }
        }
    }
}

#[test]
fn reads_the_official_encoding() {
    let recordings = recordings();
    let files: Vec<PathBuf> = recordings
        .iter()
        .enumerate()
        .map(|(index, recording)| {
            let file = recording.to_str().expect("a plain name");
            let lines = pincite(&["stream", "convert", file, "--to", "jsonl"], b"").expect(0);
            let list: Vec<&str> = lines.text().lines().collect();
            scratch(
                &format!("encoded-{index}.json"),
                format!("[{}]", list.join(",")),
            )
        })
        .collect();
    // The last recording repeats, so each encoding needs its own server.
    for wire in ["sse", "proto"] {
        let mut command = official("http-server.mjs");
        command.args(&files);
        let served = ServerProcess::start(command);
        for recording in &recordings {
            // Protobuf has no messages for older events; the official encoder sends empty frames.
            let text = std::fs::read_to_string(recording).expect("a recording");
            let unspeakable = wire == "proto" && text.contains("\"THINKING_");
            let ended = stream(
                &format!(
                    "run {} --message hi --accept {wire} --format json",
                    served.url
                ),
                "",
            );
            if unspeakable {
                continue;
            }
            let name = recording.display();
            let report = ended.json();
            assert_eq!(report["error"], Value::Null, "{name} over {wire}");
            let failed = report["end"].as_str() == Some("error");
            assert_eq!(ended.code, Some(i32::from(failed)), "{name} over {wire}");
            let (messages, state) = with_numbered_ids(&without_question(&report));
            let ours = folded(recording, wire);
            assert_eq!(
                (messages, state),
                with_numbered_ids(&ours),
                "{name} over {wire}"
            );
        }
    }
}

/// Returns the conversation without our messages, unless the agent repeated all of them.
fn without_question(report: &Value) -> Value {
    let mut report = report.clone();
    if let Some(Value::Array(messages)) = report
        .as_object_mut()
        .and_then(|report| report.get_mut("messages"))
    {
        messages.retain(|message| message["content"].as_str() != Some("hi"));
    }
    report
}

#[test]
fn runs_and_records_a_pydantic_ai_agent() {
    let served = ServerProcess::start(python("agent.py"));
    for wire in ["sse", "proto"] {
        let recording = scratch(&format!("pydantic-ai-{wire}.sse"), "");
        let file = recording.to_str().expect("a plain name");
        let ended = stream(
            &format!(
                "run {} --message tide? --accept {wire} --format json --record {file}",
                served.url
            ),
            "",
        );
        let report = ended.expect(0).json();
        assert_eq!(report["end"].as_str(), Some("finished"));
        let messages = report["messages"].as_array().expect("messages").to_vec();
        let roles: Vec<&str> = messages
            .iter()
            .filter_map(|message| message["role"].as_str())
            .collect();
        assert_eq!(roles, ["user", "assistant", "tool", "assistant"]);
        let call = &messages[1]["toolCalls"].as_array().expect("calls")[0]["function"];
        assert_eq!(call["name"].as_str(), Some("tide"));
        assert_eq!(call["arguments"].as_str(), Some(r#"{"port":"Bergen"}"#));
        assert_eq!(messages[2]["content"].as_str(), Some("12:04 in Bergen"));
        assert_eq!(
            messages[3]["content"].as_str(),
            Some("High tide is at 12:04 in Bergen. “Zurück” 🌊")
        );
        // The recording is valid and folds alike.
        stream(&format!("check --strict {file}"), "").expect(0);
        let folded = stream(&format!("fold {file}"), "").expect(0).json();
        assert_eq!(
            folded["messages"].as_array().map(<[Value]>::to_vec),
            Some(messages[1..].to_vec())
        );
    }
    // The text output contains the text, the call and its result, without colours.
    let shown = stream(&format!("run {} --message tide?", served.url), "").expect(0);
    let text = shown.text();
    for line in [
        "→ tide {\"port\":\"Bergen\"}",
        "← tide 12:04 in Bergen",
        "High tide is at 12:04 in Bergen. “Zurück” 🌊",
    ] {
        assert!(text.lines().any(|shown| shown == line), "{line}: {text}");
    }
    assert!(!text.contains('\u{1b}'), "{text:?}");
}

#[test]
fn python_models_read_our_events() {
    for recording in recordings() {
        let file = recording.to_str().expect("a plain name");
        let written = pincite(&["stream", "expand", file, "--to", "jsonl"], b"").expect(0);
        let read = output(python("models.py"), &written.stdout);
        let (ours, theirs) = (written.lines(), read.lines());
        let (ours, theirs) = (ours.as_array(), theirs.as_array());
        let (ours, theirs) = (ours.expect("events"), theirs.expect("events"));
        assert_eq!(ours.len(), theirs.len(), "{file}");
        for (ours, theirs) in ours.iter().zip(theirs) {
            // The models add defaults and omit nulls, but keep every member that we wrote.
            for (key, value) in ours.as_object().expect("an event").iter() {
                assert!(
                    theirs.get(key).is_some() || *value == Value::Null,
                    "{file}: {key} of {} is missing in {}",
                    ours.to_json(),
                    theirs.to_json()
                );
            }
        }
    }
}
