//! Malformed JSON, SSE and text: rejected with a clear error, or accepted like the official client does.

use json::Value;

use crate::harness::{
    RUN_FINISHED, RUN_STARTED, check, expect_rejected, jsonl, parse, run_jsonl, sse, stream,
    warnings,
};

fn error_message(error: &Value) -> &str {
    error["message"].as_str().expect("a message")
}

/// Report of an empty valid stream.
const EMPTY: &str = r#"{"ok":true,"events":0,"error":null,"warnings":[]}"#;

#[test]
fn empty_input_is_an_empty_stream() {
    for input in [
        "",
        " ",
        "\n\n\n",
        " \t\r\n ",
        "\u{feff}",
        "\u{feff}\n",
        "[]",
        " [ ] \n",
        ": hello\n\n",
    ] {
        assert_eq!(check("", input), parse(EMPTY), "{input:?}");
        assert_eq!(check("--strict", input), parse(EMPTY), "{input:?}");
        let folded = stream("fold", input).expect(0).json();
        let nothing =
            r#"{"messages":[],"state":{},"finished":[],"pendingInterrupts":[],"error":null}"#;
        assert_eq!(folded, parse(nothing), "{input:?}");
        for command in [
            "convert",
            "expand",
            "compact",
            "convert --to sse",
            "convert --to proto",
        ] {
            assert_eq!(
                stream(command, input).expect(0).stdout,
                b"",
                "{command} {input:?}"
            );
        }
    }
    for form in ["sse", "jsonl", "json", "proto"] {
        assert_eq!(check(&format!("--from {form}"), ""), parse(EMPTY), "{form}");
    }
}

#[test]
fn detects_every_encoding() {
    let events = [RUN_STARTED, RUN_FINISHED];
    let lines = jsonl(&events);
    let frames = stream("convert --to proto", &lines).expect(0).stdout;
    let texts = [
        ("sse", sse(&events)),
        ("sse", sse(&events).replace('\n', "\r\n")),
        (
            "sse",
            format!(": a comment\nretry: 10\nevent: message\n{}", sse(&events)),
        ),
        ("sse", format!("\n\n\n{}", sse(&events))),
        ("jsonl", lines.clone()),
        ("jsonl", lines.replace('\n', "\r\n")),
        ("jsonl", format!("  \n\n\t{lines}")),
        ("jsonl", lines.replace('\n', "")),
        ("json", format!("[{}]", events.join(","))),
        (
            "json",
            format!("\n [\n{}\n]\n", events.join("\n,\n").replace(':', " :\n ")),
        ),
    ];
    for (form, text) in texts {
        for text in [text.clone(), format!("\u{feff}{text}")] {
            assert_eq!(check("", &text)["events"], 2usize.into(), "{text:?}");
            assert_eq!(
                check(&format!("--from {form}"), &text)["events"],
                2usize.into(),
                "{text:?}"
            );
            let converted = stream("convert", &text).expect(0);
            assert_eq!(converted.text(), lines, "{text:?}");
        }
    }
    assert_eq!(check("", &frames)["events"], 2usize.into());
    assert_eq!(
        stream("convert --from proto", &frames).expect(0).text(),
        lines
    );
    let one = check("", RUN_STARTED);
    assert_eq!(
        (&one["ok"], &one["events"]),
        (&Value::Bool(true), &1usize.into())
    );
}

#[test]
fn rejects_truncated_and_invalid_json() {
    let broken = [
        r#"{"type":"STEP_STARTED","stepName":"a""#,
        r#"{"type":"STEP_STARTED","stepName":"a"#,
        r#"{"type":"STEP_STARTED","stepName":"a\"#,
        r#"{"type":"STEP_STARTED","stepName":"\u12"}"#,
        r#"{"type":"STEP_STARTED","stepName":"\x"}"#,
        "{\"type\":\"STEP_STARTED\",\"stepName\":\"a\tb\"}",
        r#"{"type":"STEP_STARTED",}"#,
        r#"{"type" "STEP_STARTED"}"#,
        r#"{type:"STEP_STARTED"}"#,
        r#"{'type':'STEP_STARTED'}"#,
        r#"{"type":"CUSTOM","name":"n","value":NaN}"#,
        r#"{"type":"CUSTOM","name":"n","value":Infinity}"#,
        r#"{"type":"CUSTOM","name":"n","value":-Infinity}"#,
        r#"{"type":"CUSTOM","name":"n","value":01}"#,
        r#"{"type":"CUSTOM","name":"n","value":+1}"#,
        r#"{"type":"CUSTOM","name":"n","value":.5}"#,
        r#"{"type":"CUSTOM","name":"n","value":1.}"#,
        r#"{"type":"CUSTOM","name":"n","value":undefined}"#,
        r#"{"type":"CUSTOM","name":"n","value":[1,2}}"#,
        r#"{"type":"CUSTOM","name":"n"/*no*/,"value":1}"#,
    ];
    for event in broken {
        let error = expect_rejected(
            "",
            jsonl(&[RUN_STARTED, event]),
            "decode",
            1,
            "invalid-json",
        );
        assert!(
            error_message(&error).contains(" at byte "),
            "{}",
            error.to_json()
        );
        expect_rejected("", sse(&[RUN_STARTED, event]), "decode", 1, "invalid-json");
        expect_rejected(
            "",
            format!("[{RUN_STARTED},{event}"),
            "decode",
            1,
            "invalid-json",
        );
    }
    for text in ["[", "[,]", "[}"] {
        expect_rejected("", text, "decode", 0, "invalid-json");
    }
    for end in ["", ",", ",]", " {}]", "] x", "]]", "][]"] {
        expect_rejected(
            "",
            format!("[{RUN_STARTED}{end}"),
            "decode",
            1,
            "invalid-json",
        );
    }
}

#[test]
fn rejects_json_that_is_no_event() {
    for value in ["3", "null", "true", "\"x\"", "[]", "[{}]"] {
        expect_rejected("", sse(&[RUN_STARTED, value]), "decode", 1, "not-an-object");
        expect_rejected(
            "",
            jsonl(&[RUN_STARTED, value]),
            "decode",
            1,
            "not-an-object",
        );
        expect_rejected(
            "",
            format!("[{RUN_STARTED},{value}]"),
            "decode",
            1,
            "not-an-object",
        );
    }
    for event in [
        "{}",
        r#"{"type":""}"#,
        r#"{"type":null}"#,
        r#"{"type":7}"#,
        r#"{"Type":"RAW"}"#,
    ] {
        expect_rejected("", sse(&[RUN_STARTED, event]), "decode", 1, "no-type");
        expect_rejected("", jsonl(&[RUN_STARTED, event]), "decode", 1, "no-type");
    }
    expect_rejected("--from jsonl", "hello", "decode", 0, "invalid-json");
}

#[test]
fn rejects_end_markers_of_other_protocols() {
    for data in ["[DONE]", "", " ", "ping"] {
        let input = format!("{}data: {data}\n\n", sse(&[RUN_STARTED, RUN_FINISHED]));
        expect_rejected("", input, "decode", 2, "invalid-json");
    }
}

#[test]
fn reads_several_data_lines_and_a_missing_final_blank_line() {
    let input = "data: {\"type\":\ndata: \"RUN_STARTED\",\ndata:\ndata:\"threadId\":\"t\",\"runId\":\"r\"}\n\n";
    assert_eq!(
        stream("convert", input).expect(0).text(),
        jsonl(&[RUN_STARTED])
    );
    let input = format!("data: {RUN_STARTED}\n\ndata:{RUN_FINISHED}");
    assert_eq!(check("", input)["events"], 2usize.into());
}

#[test]
fn accepts_512_levels_of_nesting() {
    let nested = |open: &str, close: &str, levels: usize| {
        // The event itself is the first level.
        let value = format!("{}1{}", open.repeat(levels - 1), close.repeat(levels - 1));
        format!(r#"{{"type":"CUSTOM","name":"deep","value":{value}}}"#)
    };
    for (open, close) in [("[", "]"), ("{\"a\":", "}")] {
        let fine = run_jsonl(&[&nested(open, close, 512)]);
        assert_eq!(check("--strict", &fine)["ok"], Value::Bool(true));
        let frames = stream("convert --to proto", &fine).expect(0).stdout;
        assert_eq!(stream("convert", frames).expect(0).text(), fine);
        for levels in [513, 100_000] {
            let event = nested(open, close, levels);
            for input in [run_jsonl(&[&event]), sse(&[RUN_STARTED, &event])] {
                let report = check("", input);
                let error = &report["error"];
                assert_eq!(error["stage"].as_str(), Some("decode"));
                assert_eq!(error["index"], 1usize.into());
                assert!(error_message(error).contains("512"), "{}", error.to_json());
            }
        }
    }
    let open_only = format!("{RUN_STARTED}\n{}", "[".repeat(1_000_000));
    assert_eq!(
        check("", open_only)["error"]["stage"].as_str(),
        Some("decode")
    );
}

#[test]
fn last_of_duplicate_keys_wins() {
    let events = [
        r#"{"type":"STEP_STARTED","type":"RUN_STARTED","threadId":"a","threadId":"t","runId":"r"}"#,
        r#"{"type":"TEXT_MESSAGE_START","messageId":"x","messageId":"m"}"#,
        r#"{"type":"TEXT_MESSAGE_CONTENT","messageId":"m","delta":"no","delta":"yes"}"#,
        r#"{"type":"TEXT_MESSAGE_END","messageId":"m"}"#,
        RUN_FINISHED,
    ];
    let folded = stream("fold", jsonl(&events)).expect(0).json();
    assert_eq!(
        folded["messages"],
        parse(r#"[{"id":"m","role":"assistant","content":"yes"}]"#)
    );
    assert_eq!(warnings(&check("", jsonl(&events))), []);
    let report = check("--strict", jsonl(&events));
    assert_eq!(report["ok"], Value::Bool(true));
    let expected = [
        ("duplicate-key", 0),
        ("duplicate-key", 0),
        ("duplicate-key", 1),
        ("duplicate-key", 2),
    ];
    assert_eq!(warnings(&report), expected);
}

#[test]
fn invalid_utf8_becomes_a_replacement_character() {
    let mut input = format!("{RUN_STARTED}\n").into_bytes();
    input.extend(b"{\"type\":\"STATE_SNAPSHOT\",\"snapshot\":[\"a\xffb\",\"\xe2\x82\",\"\xc0\xaf\",\"\xed\xa0\x80\"]}\n");
    input.extend(RUN_FINISHED.as_bytes());
    let folded = stream("fold", &input).expect(0);
    let expected =
        "[\"a\u{fffd}b\",\"\u{fffd}\",\"\u{fffd}\u{fffd}\",\"\u{fffd}\u{fffd}\u{fffd}\"]";
    assert_eq!(folded.json()["state"], parse(expected));
    assert_eq!(warnings(&check("", &input)), []);
    let report = check("--strict", &input);
    assert_eq!(report["ok"], Value::Bool(true));
    assert!(
        warnings(&report)
            .iter()
            .any(|(rule, _)| *rule == "invalid-utf8")
    );
    let first = b"{\"\xff\":1,\"type\":\"RUN_STARTED\",\"threadId\":\"t\",\"runId\":\"r\"}";
    assert_eq!(warnings(&check("", first))[0], ("unknown-member", 0));
}

#[test]
fn warns_about_invalid_utf8_with_its_event() {
    let bad = b"{\"type\":\"CUSTOM\",\"name\":\"\xff\",\"value\":\"\xfe\"}\n";
    let lines = [
        RUN_STARTED.as_bytes(),
        b"\n",
        bad,
        bad,
        RUN_FINISHED.as_bytes(),
    ]
    .concat();
    let events = |bytes: &[u8]| {
        let report = check("--strict", bytes);
        let mut found: Vec<usize> = warnings(&report).iter().map(|(_, index)| *index).collect();
        found.dedup();
        found
    };
    assert_eq!(events(&lines), [1, 2]);
}

#[test]
fn lone_surrogates_become_a_replacement_character() {
    let events = [
        r#"{"type":"TEXT_MESSAGE_START","messageId":"m"}"#,
        r#"{"type":"TEXT_MESSAGE_CONTENT","messageId":"m","delta":"\ud800 \udc00 \ud83d\ude00 \ufffd"}"#,
        r#"{"type":"TEXT_MESSAGE_END","messageId":"m"}"#,
    ];
    let folded = stream("fold", run_jsonl(&events)).expect(0).json();
    let content = folded["messages"].as_array().expect("a list")[0]["content"].clone();
    assert_eq!(content.as_str(), Some("\u{fffd} \u{fffd} 😀 \u{fffd}"));
    assert_eq!(warnings(&check("", run_jsonl(&events))), []);
    assert_eq!(
        warnings(&check("--strict", run_jsonl(&events))),
        [("lone-surrogate", 2)]
    );
}

#[test]
fn fold_prints_plain_json_on_one_line() {
    for (value, plain) in [
        (r#"{"a":1,"a":2}"#, r#"{"a":2}"#),
        (r#""\ud800""#, "\"\u{fffd}\""),
        ("{\n  \"a\": [1,\n  2]\n}", r#"{"a":[1,2]}"#),
    ] {
        let event = format!(r#"{{"type":"STATE_SNAPSHOT","snapshot":{value}}}"#);
        let ended = stream("fold", run_jsonl(&[&event])).expect(0);
        let state = format!(r#""state":{plain},"#);
        assert!(ended.text().contains(&state), "{}", ended.text());
    }
}

#[test]
fn keeps_an_escaped_backslash_before_a_surrogate() {
    let input = run_jsonl(&[r#"{"type":"RAW","event":"\\ufffd\ud800"}"#]);
    assert_eq!(warnings(&check("--strict", input)), [("lone-surrogate", 1)]);
}

#[test]
fn large_numbers_keep_their_digits_in_opaque_values() {
    let number = "123456789012345678901234567890.5";
    let snapshot =
        format!(r#"{{"type":"STATE_SNAPSHOT","snapshot":[9007199254740993,{number},-0,1e400]}}"#);
    let input = run_jsonl(&[&snapshot]);
    for command in ["convert", "expand", "compact"] {
        assert_eq!(stream(command, &input).expect(0).text(), input, "{command}");
    }
    let ended = stream("fold", &input).expect(0);
    assert!(
        ended
            .text()
            .contains(&format!("[9007199254740993,{number},-0,1e400]")),
        "{}",
        ended.text()
    );
    assert_eq!(warnings(&check("", &input)), []);
    let report = check("--strict", &input);
    assert_eq!(report["ok"], Value::Bool(true));
    assert_eq!(warnings(&report)[0], ("unsafe-number", 1));
    // Protobuf encodes them as doubles.
    let frames = stream(
        "convert --to proto",
        run_jsonl(&[r#"{"type":"RAW","event":9007199254740993}"#]),
    )
    .stdout;
    let events = stream("convert", frames).expect(0).lines();
    assert_eq!(
        events.as_array().expect("a list")[1]["event"],
        parse("9007199254740992")
    );
}

#[test]
fn rejects_large_numbers_in_typed_members() {
    for time in [
        "9007199254740992",
        "-9007199254740992",
        "1e400",
        "1.5",
        "\"1\"",
        "null",
    ] {
        let event =
            format!(r#"{{"type":"RUN_STARTED","threadId":"t","runId":"r","timestamp":{time}}}"#);
        let error = expect_rejected("", event, "enforce", 0, "invalid-value");
        assert_eq!(error["path"].as_str(), Some("/timestamp"));
    }
    for count in ["9007199254740992", "-1", "0.5"] {
        let usage =
            format!(r#"{{"type":"RUN_ERROR","message":"x","usage":[{{"inputTokens":{count}}}]}}"#);
        let error = expect_rejected(
            "",
            jsonl(&[RUN_STARTED, &usage]),
            "enforce",
            1,
            "invalid-value",
        );
        assert_eq!(error["path"].as_str(), Some("/usage/0/inputTokens"));
    }
    for time in ["9007199254740991", "-9007199254740991", "1.0", "1e3", "-0"] {
        let event = format!(r#"{{"type":"RUN_ERROR","message":"","timestamp":{time}}}"#);
        assert_eq!(
            check("--strict", event),
            parse(r#"{"ok":true,"events":1,"error":null,"warnings":[]}"#)
        );
    }
}
