//! Large input: bounded memory, and the limits of the protocol.

use json::Value;

use crate::harness::{
    CommandOutput, RUN_FINISHED, RUN_STARTED, check, expect_rejected, parse, pincite_within,
    run_jsonl, sse, stream,
};

/// Memory limit that is enough for any stream.
const MEGABYTES: usize = 64;

const MIB: usize = 1024 * 1024;

/// Number of events besides the two of the run.
const MILLION: usize = 1_000_000;

#[track_caller]
fn within_memory(command: &str, input: &[u8]) -> CommandOutput {
    let args: Vec<&str> = std::iter::once("stream")
        .chain(command.split_whitespace())
        .collect();
    pincite_within(MEGABYTES, &args, input)
}

#[track_caller]
fn report(input: &[u8]) -> Value {
    within_memory("check --format json", input).json()
}

/// Returns a run with a million copies of an event.
fn million(event: &str) -> String {
    run_jsonl(&[format!("{event}\n").repeat(MILLION).trim_end()])
}

#[test]
fn a_million_events_in_little_memory() {
    let custom = million(r#"{"type":"CUSTOM","name":"n","value":1}"#);
    let report = report(custom.as_bytes());
    assert_eq!(report["ok"], Value::Bool(true));
    assert_eq!(report["events"], (MILLION + 2).into());
    for command in ["fold", "expand --to proto", "convert --to sse"] {
        within_memory(command, custom.as_bytes()).expect(0);
    }
}

#[test]
fn a_million_deltas_in_little_memory() {
    let delta = million(r#"{"type":"TEXT_MESSAGE_CHUNK","messageId":"m","delta":"x"}"#);
    let folded = within_memory("fold", delta.as_bytes()).expect(0).json();
    let message = &folded["messages"].as_array().expect("a list")[0];
    assert_eq!(message["content"].as_str().map(str::len), Some(MILLION));
    let changes = million(r#"{"type":"STATE_DELTA","delta":[{"op":"add","path":"/n","value":1}]}"#);
    assert_eq!(report(changes.as_bytes())["ok"], Value::Bool(true));
}

#[test]
fn a_million_warnings_in_little_memory() {
    for event in [
        r#"{"type":"FUTURE"}"#,
        r#"{"type":"STATE_DELTA","delta":[{"op":"remove","path":"/no"}]}"#,
    ] {
        let input = million(event);
        let report = report(input.as_bytes());
        assert_eq!(report["ok"], Value::Bool(true));
        assert!(
            report["warnings"]
                .as_array()
                .is_some_and(|warnings| warnings.len() >= 1000)
        );
        let text = within_memory("check", input.as_bytes()).expect(0);
        assert!(text.stdout.len() < 10_000, "a screen or two");
        assert!(text.text().contains(" more"), "{}", text.text());
    }
}

#[test]
fn a_million_findings_in_little_memory() {
    let run = |thread| format!(r#"{{"type":"RUN_STARTED","threadId":"{thread}","runId":"r"}}"#);
    let error = r#"{"type":"RUN_ERROR","message":"stop"}"#;
    let runs = crate::harness::jsonl(&[&run("t"), error, &run("u"), error]);
    let report = report(runs.repeat(MILLION / 2).as_bytes());
    assert_eq!(report["ok"], Value::Bool(true));
}

/// Returns an event with this many bytes.
fn event_of(bytes: usize) -> String {
    let (head, tail) = (r#"{"type":"CUSTOM","name":"n","value":""#, r#""}"#);
    format!(
        "{head}{}{tail}",
        "x".repeat(bytes - head.len() - tail.len())
    )
}

#[test]
fn events_up_to_10_mib_as_sse() {
    // The length of the line counts.
    let fine = sse(&[
        RUN_STARTED,
        &event_of(10 * MIB - "data: ".len()),
        RUN_FINISHED,
    ]);
    assert_eq!(report(fine.as_bytes())["ok"], Value::Bool(true));
    let long = sse(&[RUN_STARTED, &event_of(10 * MIB + 100_000), RUN_FINISHED]);
    expect_rejected("", long, "decode", 1, "too-large");
}

#[test]
fn events_up_to_10_mib_as_json_lines() {
    let fine = run_jsonl(&[&event_of(9 * MIB)]);
    assert_eq!(report(fine.as_bytes())["ok"], Value::Bool(true));
    let report = report(run_jsonl(&[&event_of(10 * MIB + 100_000)]).as_bytes());
    assert_eq!(report["error"]["stage"].as_str(), Some("decode"));
    assert_eq!(report["error"]["index"], 1usize.into());
}

#[test]
fn accepts_an_event_of_exactly_10_mib_as_json_lines() {
    let fine = run_jsonl(&[&event_of(10 * MIB - 10)]);
    assert_eq!(check("", fine)["error"], Value::Null);
}

#[test]
fn rejects_a_too_long_json_line() {
    expect_rejected(
        "",
        run_jsonl(&[&event_of(50 * MIB)]),
        "decode",
        1,
        "too-large",
    );
}

#[test]
fn rejects_a_line_of_50_megabytes() {
    let inputs = [
        sse(&[RUN_STARTED, &event_of(50 * MIB)]),
        run_jsonl(&[&event_of(50 * MIB)]),
        format!("[{RUN_STARTED},{}]", event_of(50 * MIB)),
        format!("data: {RUN_STARTED}\n\n{}", "y".repeat(50 * MIB)),
        // White space inside an event counts.
        format!(
            "{RUN_STARTED}\n{{\"type\":{}\"RAW\",\"event\":1}}",
            " ".repeat(50 * MIB)
        ),
    ];
    for input in inputs {
        let report = report(input.as_bytes());
        assert_eq!(
            report["error"]["stage"].as_str(),
            Some("decode"),
            "{}",
            report.to_json()
        );
        assert_eq!(
            report["error"]["index"],
            1usize.into(),
            "{}",
            report.to_json()
        );
    }
    let announced = [
        &stream("convert --to proto", RUN_STARTED).stdout[..],
        &(50 * MIB as u32).to_be_bytes(),
    ]
    .concat();
    expect_rejected("", announced, "decode", 1, "too-large");
}

#[test]
fn bounds_memory_for_endless_comments_and_white_space() {
    let nothing = parse(r#"{"ok":true,"events":0,"error":null,"warnings":[]}"#);
    assert_eq!(
        report(": keep alive\n\n".repeat(MILLION).as_bytes()),
        nothing
    );
    assert_eq!(report(" \r\n\t".repeat(4 * MILLION).as_bytes()), nothing);
    assert_eq!(
        report(format!("[{}]", "\n".repeat(20 * MIB)).as_bytes()),
        nothing
    );
    // Without blank lines it is one endless event.
    let report = report(": keep alive\n".repeat(MILLION).as_bytes());
    assert_eq!(report["error"]["rule"].as_str(), Some("too-large"));
}

#[test]
fn limits_open_messages_to_ten_thousand() {
    let starts = [
        r#"{"type":"TEXT_MESSAGE_START","messageId":"#,
        r#"{"type":"REASONING_MESSAGE_START","role":"reasoning","messageId":"#,
        r#"{"type":"REASONING_START","messageId":"#,
        r#"{"type":"TOOL_CALL_START","toolCallName":"f","toolCallId":"#,
        r#"{"type":"STEP_STARTED","stepName":"#,
        r#"{"type":"SUBAGENT_STARTED","name":"s","subagentRunId":"#,
    ];
    for start in starts {
        let opened = |count: usize| {
            let events = (0..count).map(|id| format!("{start}\"{id}\"}}\n"));
            format!("{RUN_STARTED}\n{}", events.collect::<String>())
        };
        let report = report(opened(9_998).as_bytes());
        assert_eq!(report["ok"], Value::Bool(true), "{start}");
        assert_eq!(report["events"], 9_999usize.into());
        let error = expect_rejected("", opened(10_000), "verify", 10_000, "limit-open");
        assert!(
            error["message"]
                .as_str()
                .is_some_and(|text| text.contains("10000")),
            "{}",
            error.to_json()
        );
    }
}

#[test]
fn limits_the_growth_of_copying_patches() {
    let snapshot = r#"{"type":"STATE_SNAPSHOT","snapshot":{"a":"sixteen letters."}}"#;
    let copies: Vec<String> = (0..1000)
        .map(|index| format!(r#"{{"op":"copy","from":"","path":"/k{index}"}}"#))
        .collect();
    let input = run_jsonl(&[
        snapshot,
        &format!(r#"{{"type":"STATE_DELTA","delta":[{}]}}"#, copies.join(",")),
    ]);
    let ended = stream("check --format json", &input);
    assert_eq!(
        crate::harness::warnings(&ended.json()),
        [("patch-failed", 2)]
    );
    // A patch that fails changes nothing.
    assert_eq!(
        stream("fold", &input).json()["state"],
        parse(r#"{"a":"sixteen letters."}"#)
    );
}

#[test]
fn limits_the_growth_over_many_copying_patches() {
    let copy = |index: usize| {
        format!(
            r#"{{"type":"STATE_DELTA","delta":[{{"op":"copy","from":"","path":"/k{index}"}}]}}"#
        )
    };
    let copies: Vec<String> = (0..20_000).map(copy).collect();
    let mut events = vec![r#"{"type":"STATE_SNAPSHOT","snapshot":{"a":"sixteen letters."}}"#];
    events.extend(copies.iter().map(String::as_str));
    check("", run_jsonl(&events));
}

#[test]
fn applies_a_patch_of_many_operations() {
    let snapshot = format!(
        r#"{{"type":"STATE_SNAPSHOT","snapshot":{{"l":[{}0]}}}}"#,
        "0,".repeat(999)
    );
    let steps = vec![r#"{"op":"move","from":"/l/0","path":"/l/999"}"#; 200_000].join(",");
    let input = run_jsonl(&[
        &snapshot,
        &format!(r#"{{"type":"STATE_DELTA","delta":[{steps}]}}"#),
    ]);
    assert_eq!(check("", input)["ok"], Value::Bool(true));
}

#[test]
fn limits_patches_that_move_a_long_list() {
    let steps = vec![r#"{"op":"add","path":"/l/0","value":0}"#; 250_000].join(",");
    let snapshot = r#"{"type":"STATE_SNAPSHOT","snapshot":{"l":[]}}"#;
    check(
        "",
        run_jsonl(&[
            snapshot,
            &format!(r#"{{"type":"STATE_DELTA","delta":[{steps}]}}"#),
        ]),
    );
}

#[test]
fn rejects_a_move_into_its_own_child() {
    let snapshot = r#"{"type":"STATE_SNAPSHOT","snapshot":{"a":{"b":{}},"l":[1,2]}}"#;
    for (from, path) in [
        ("/a", "/a/b"),
        ("/a", "/a/b/c"),
        ("", "/a"),
        ("/l", "/l/0"),
        ("/l", "/l/-"),
    ] {
        let patch = format!(
            r#"{{"type":"STATE_DELTA","delta":[{{"op":"move","from":"{from}","path":"{path}"}}]}}"#
        );
        let input = run_jsonl(&[snapshot, &patch]);
        let report = check("", &input);
        assert_eq!(report["ok"], Value::Bool(true));
        assert_eq!(
            crate::harness::warnings(&report),
            [("patch-failed", 2)],
            "{from} {path}"
        );
        let state = stream("fold", &input).expect(0).json()["state"].clone();
        assert_eq!(state, parse(r#"{"a":{"b":{}},"l":[1,2]}"#), "{from} {path}");
    }
}

#[test]
fn compact_keeps_events_within_the_size_limit() {
    let delta = format!(
        r#"{{"type":"TEXT_MESSAGE_CHUNK","messageId":"m","delta":"{}"}}"#,
        "x".repeat(MIB)
    );
    let input = run_jsonl(&[delta.as_str(); 12]);
    let folded = stream("fold", &input).expect(0).json();
    for form in ["jsonl", "sse", "proto"] {
        let compacted = stream(&format!("compact --to {form}"), &input).expect(0);
        assert!(
            stream("fold", compacted.stdout).expect(0).json() == folded,
            "{form}"
        );
    }
}

#[test]
fn compact_keeps_events_within_the_depth_limit() {
    let state = format!("{}1{}", "{\"a\":".repeat(511), "}".repeat(511));
    let snapshot = format!(r#"{{"type":"STATE_SNAPSHOT","snapshot":{state}}}"#);
    let path = "/a".repeat(511);
    let deeper = format!(
        r#"{{"type":"STATE_DELTA","delta":[{{"op":"replace","path":"{path}","value":{{}}}}]}}"#
    );
    let input = run_jsonl(&[&snapshot, &deeper]);
    let folded = stream("fold", &input).expect(0);
    for form in ["jsonl", "sse", "proto"] {
        let compacted = stream(&format!("compact --to {form}"), &input).expect(0);
        let again = stream("fold", compacted.stdout).expect(0);
        assert!(again.stdout == folded.stdout, "{form}");
    }
}
