//! Several files as requests of one conversation, and `--strict`.

use json::Value;

use crate::harness::{
    RUN_STARTED, check, jsonl, parse, pincite, run_jsonl, scratch, stream, warnings,
};

#[test]
fn several_files_are_one_conversation() {
    let text = |id: &str| {
        run_jsonl(&[
            &format!(r#"{{"type":"TEXT_MESSAGE_CHUNK","messageId":"{id}","delta":"hello"}}"#),
            r#"{"type":"FUTURE"}"#,
            r#"{"type":"STATE_DELTA","delta":[{"op":"add","path":"/x","value":1}]}"#,
        ])
    };
    let (one, two) = (
        scratch("usage-1.jsonl", text("a")),
        scratch("usage-2.jsonl", text("b")),
    );
    let (one, two) = (one.to_str().expect("UTF-8"), two.to_str().expect("UTF-8"));
    let folded = pincite(&["stream", "fold", one, two], b"").expect(0).json();
    let ids = |fold: &Value| -> Vec<String> {
        let messages = fold["messages"].as_array().unwrap_or_default();
        messages
            .iter()
            .filter_map(|message| message["id"].as_str().map(str::to_owned))
            .collect()
    };
    assert_eq!(ids(&folded), ["a", "b"]);
    assert_eq!(folded["finished"].as_array().map(<[Value]>::len), Some(2));
    // Indices count from the start of each file.
    let broken = jsonl(&[RUN_STARTED, RUN_STARTED]);
    let ended = pincite(
        &["stream", "check", "--format", "json", one, "-", two],
        broken.as_bytes(),
    )
    .expect(1);
    let report = ended.json();
    assert_eq!(report["error"]["file"].as_str(), Some("-"));
    assert_eq!(report["error"]["index"], 1usize.into());
    assert_eq!(report["events"], 7usize.into());
    let first = &report["warnings"].as_array().expect("a list")[0];
    assert_eq!(
        (first["file"].as_str(), &first["index"]),
        (Some(one), &2usize.into())
    );
    let words = pincite(&["stream", "check", one, "-"], broken.as_bytes()).expect(1);
    assert!(words.text().contains("-, event 1: "), "{}", words.text());
    // Events before the error count.
    let folded = pincite(&["stream", "fold", one, "-", two], broken.as_bytes())
        .expect(1)
        .json();
    assert_eq!(ids(&folded), ["a"]);
    assert_eq!(folded["error"]["file"].as_str(), Some("-"));
    let ended = pincite(&["stream", "convert", one, "-", two], b"{").expect(1);
    assert_eq!(ended.text(), text("a"));
    assert!(ended.stderr.contains("-, event 0: "), "{}", ended.stderr);
}

#[test]
fn messages_name_the_file_of_several() {
    let one = scratch("usage-named.jsonl", run_jsonl(&[r#"{"type":"FUTURE"}"#]));
    let one = one.to_str().expect("UTF-8");
    for command in ["expand", "compact", "convert --to proto"] {
        let args: Vec<&str> = std::iter::once("stream")
            .chain(command.split(' '))
            .chain([one, "-"])
            .collect();
        let ended = pincite(&args, b"").expect(0);
        assert!(ended.stderr.contains(one), "{command}: {}", ended.stderr);
    }
    let ended = pincite(&["stream", "fold", one, "-"], b"{").expect(1);
    assert!(ended.stderr.contains("-, event 0"), "{}", ended.stderr);
}

#[test]
fn each_file_has_its_own_pipeline() {
    // An open message or run of the first file is not open in the second.
    let open = jsonl(&[
        RUN_STARTED,
        r#"{"type":"TEXT_MESSAGE_START","messageId":"m"}"#,
    ]);
    let one = scratch("usage-open.jsonl", &open);
    let one = one.to_str().expect("UTF-8");
    let report = pincite(
        &["stream", "check", "--format", "json", one, "-"],
        run_jsonl(&[]).as_bytes(),
    );
    assert_eq!(report.expect(0).json()["ok"], Value::Bool(true));
    let end = r#"{"type":"TEXT_MESSAGE_END","messageId":"m"}"#;
    let report = pincite(
        &["stream", "check", "--format", "json", one, "-"],
        run_jsonl(&[end]).as_bytes(),
    )
    .expect(1)
    .json();
    assert_eq!(
        (report["error"]["rule"].as_str(), &report["error"]["index"]),
        (Some("not-active"), &1usize.into())
    );
    // Generated ids continue, so that two reasoning messages stay separate.
    let thought = run_jsonl(&[
        r#"{"type":"THINKING_TEXT_MESSAGE_START"}"#,
        r#"{"type":"THINKING_TEXT_MESSAGE_CONTENT","delta":"hm"}"#,
        r#"{"type":"THINKING_TEXT_MESSAGE_END"}"#,
    ]);
    let one = scratch("usage-thought.jsonl", &thought);
    let folded = pincite(
        &["stream", "fold", one.to_str().expect("UTF-8"), "-"],
        thought.as_bytes(),
    )
    .expect(0);
    assert_eq!(
        folded.json()["messages"].as_array().map(<[Value]>::len),
        Some(2)
    );
}

#[test]
fn interrupts_stay_pending_until_a_run_finishes() {
    let interrupts = r#"[{"id":"i","reason":"approval"}]"#;
    let finish = format!(
        r#"{{"type":"RUN_FINISHED","threadId":"t","runId":"r","outcome":{{"type":"interrupt","interrupts":{interrupts}}}}}"#
    );
    let one = scratch("usage-interrupt.jsonl", jsonl(&[RUN_STARTED, &finish]));
    let one = one.to_str().expect("UTF-8");
    let pending = |second: &str| {
        let ended = pincite(&["stream", "fold", one, "-"], second.as_bytes()).expect(0);
        ended.json()["pendingInterrupts"].clone()
    };
    assert_eq!(pending(""), parse(interrupts));
    assert_eq!(pending(RUN_STARTED), parse(interrupts));
    assert_eq!(
        pending(r#"{"type":"RUN_ERROR","message":"no"}"#),
        parse(interrupts)
    );
    assert_eq!(pending(&run_jsonl(&[])), parse("[]"));
}

#[test]
fn strict_reports_additional_findings() {
    let finished = |thread: &str, run: &str, more: &str| {
        format!(r#"{{"type":"RUN_FINISHED","threadId":"{thread}","runId":"{run}"{more}}}"#)
    };
    let twice = r#","outcome":{"type":"interrupt","interrupts":[{"id":"i","reason":"a"},{"id":"i","reason":"b"}]}"#;
    let cases = [
        (RUN_STARTED.to_owned(), "no-terminal-event", 1),
        (
            jsonl(&[RUN_STARTED, &finished("u", "r", "")]),
            "thread-id-changes",
            1,
        ),
        (
            jsonl(&[RUN_STARTED, &finished("t", "q", "")]),
            "run-id-changes",
            1,
        ),
        (
            jsonl(&[RUN_STARTED, &finished("t", "r", twice)]),
            "duplicate-interrupt-id",
            1,
        ),
        (
            run_jsonl(&[]) + r#"{"type":"RUN_STARTED","threadId":"u","runId":"q"}"#,
            "thread-id-changes",
            2,
        ),
    ];
    for (input, rule, index) in cases {
        let report = check("", &input);
        assert_eq!(report["ok"], Value::Bool(true));
        assert_eq!(warnings(&report)[0], (rule, index));
        let report = check("--strict", &input);
        assert_eq!(report["error"]["stage"].as_str(), Some("verify"));
        assert_eq!(report["error"]["rule"].as_str(), Some(rule));
        assert_eq!(report["error"]["index"], index.into());
        let text = stream("check --strict", &input).expect(1);
        assert!(text.text().contains("\n  hint: "), "{}", text.text());
        assert!(
            text.text().contains(&format!("[verify, {rule}]")),
            "{}",
            text.text()
        );
    }
    let errored = jsonl(&[RUN_STARTED, r#"{"type":"RUN_ERROR","message":"x"}"#]);
    assert_eq!(check("--strict", errored)["ok"], Value::Bool(true));
    // A new run may have another id.
    let next = run_jsonl(&[]) + &run_jsonl(&[]).replace("\"r\"", "\"q\"");
    assert_eq!(check("--strict", next)["ok"], Value::Bool(true));
}
