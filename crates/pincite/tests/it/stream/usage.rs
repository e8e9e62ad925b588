//! Files, options, pipes, colours, stdout and stderr.

use std::io::{Read, Write};
use std::process::{Command, Stdio};

use crate::harness::{
    PINCITE, RUN_FINISHED, RUN_STARTED, jsonl, parse, pincite, run, run_jsonl, scratch, sse, stream,
};

const COMMANDS: [&str; 5] = ["check", "fold", "expand", "compact", "convert"];

#[test]
fn usage_errors_are_on_stderr_only() {
    stream("", "").expect_usage_error(&["Usage: pincite stream [OPTIONS] <COMMAND>"]);
    pincite::<&str>(&[], b"").expect_usage_error(&["Usage: pincite [OPTIONS] <COMMAND>", "stream"]);
    pincite(&["streem"], b"").expect_usage_error(&["'streem'", "'stream'"]);
    stream("chek", "").expect_usage_error(&["'chek'", "'check'"]);
    stream("check --formt json", "").expect_usage_error(&["'--formt'", "'--format'"]);
    stream("check --format yaml", "").expect_usage_error(&["'yaml'", "text, json"]);
    stream("check --format", "").expect_usage_error(&["--format <FORMAT>", "text, json"]);
    stream("check --state x", "").expect_usage_error(&["--state"]);
    stream("convert --to xml", "").expect_usage_error(&["'xml'", "sse, jsonl, proto"]);
    stream("fold --format json", "").expect_usage_error(&["--format"]);
    for command in COMMANDS {
        stream(&format!("{command} --from xml"), "")
            .expect_usage_error(&["sse, jsonl, json, proto"]);
        stream(&format!("{command} --bogus"), "").expect_usage_error(&["--bogus", "--help"]);
    }
}

#[test]
fn reports_unreadable_files() {
    let fine = scratch("usage-fine.jsonl", run_jsonl(&[]));
    let fine = fine.to_str().expect("UTF-8");
    for command in COMMANDS {
        let missing = "no/such/file.sse";
        pincite(&["stream", command, missing], b"").expect_usage_error(&[
            "cannot read",
            missing,
            "No such file",
        ]);
        let directory = env!("CARGO_TARGET_TMPDIR");
        pincite(&["stream", command, directory], b"").expect_usage_error(&[
            "cannot read",
            directory,
            "directory",
        ]);
        // Nothing is written before all files are checked.
        pincite(&["stream", command, fine, missing], b"").expect_usage_error(&[missing]);
        pincite(&["stream", command, "--", "--strict"], b"")
            .expect_usage_error(&["cannot read --strict"]);
    }
}

#[test]
fn reports_invalid_state_and_messages() {
    let input = run_jsonl(&[]);
    let fold =
        |option: &str, path: &str| pincite(&["stream", "fold", option, path], input.as_bytes());
    let file = |name: &str, content: &[u8]| {
        let path = scratch(&format!("usage-{name}.json"), content);
        path.to_str().expect("UTF-8").to_owned()
    };
    for option in ["--state", "--messages"] {
        fold(option, "no/such.json").expect_usage_error(&["cannot read no/such.json"]);
        fold(option, env!("CARGO_TARGET_TMPDIR")).expect_usage_error(&["cannot read", "irectory"]);
        for (name, content) in [
            ("empty", &b""[..]),
            ("cut", b"{\"a\""),
            ("nan", b"[NaN]"),
            ("two", b"{} {}"),
        ] {
            let path = file(&format!("{name}{option}"), content);
            fold(option, &path).expect_usage_error(&[&path, "JSON", "at byte"]);
        }
        let path = file(&format!("binary{option}"), b"\xff\xfe{\0}\0");
        fold(option, &path).expect_usage_error(&[&path, "UTF-8"]);
        let deep = file(&format!("deep{option}"), "[".repeat(100_000).as_bytes());
        fold(option, &deep).expect_usage_error(&[&deep, "512"]);
    }
    for (content, place) in [
        ("{}", "at the top"),
        ("[3]", "/0"),
        (r#"[{"id":"a","role":"user"}]"#, "/0/content"),
        (r#"[{"id":7,"role":"user","content":""}]"#, "/0/id"),
    ] {
        let path = file("messages", content.as_bytes());
        fold("--messages", &path).expect_usage_error(&[&path, "list of messages", place]);
    }
    for state in ["null", "[]", "3", "\"x\"", " {\"a\" : 1} "] {
        let path = file("state", state.as_bytes());
        assert_eq!(
            fold("--state", &path).expect(0).json()["state"],
            parse(state)
        );
    }
}

#[test]
fn warns_about_messages_of_an_unknown_role() {
    let path = scratch(
        "usage-robot.json",
        r#"[{"id":"a","role":"robot","content":"x"}]"#,
    );
    let ended = pincite(
        &[
            "stream",
            "fold",
            "--messages",
            path.to_str().expect("UTF-8"),
        ],
        b"",
    );
    assert!(ended.stderr.contains("/0"), "{:?}", ended.stderr);
}

#[test]
fn rejects_standard_input_given_twice() {
    pincite(&["stream", "check", "-", "-"], run_jsonl(&[]).as_bytes()).expect_usage_error(&["-"]);
}

#[cfg(target_os = "linux")] // elsewhere the length of a pipe's content is unknown to its writer
#[test]
fn reads_a_byte_order_mark_in_two_parts() {
    let mut child = Command::new(PINCITE)
        .args(["stream", "check", "--format", "json"])
        .stdin(Stdio::piped())
        .stdout(Stdio::piped())
        .spawn()
        .expect("the command can be run");
    let mut stdin = child.stdin.take().expect("piped");
    let text = format!("\u{feff}{}", run_jsonl(&[]));
    stdin.write_all(&text.as_bytes()[..1]).expect("it reads");
    let unread = || rustix::io::ioctl_fionread(&stdin).expect("the length of a pipe's content");
    while unread() > 0 {
        std::thread::yield_now();
    }
    stdin.write_all(&text.as_bytes()[1..]).expect("it reads");
    drop(stdin);
    let output = child.wait_with_output().expect("it ends");
    let report = parse(std::str::from_utf8(&output.stdout).expect("UTF-8"));
    assert_eq!(report["events"], 2usize.into());
}

#[test]
fn warns_about_text_that_is_no_stream() {
    for input in [
        "<html><body>502 Bad Gateway</body></html>\n",
        "hello\n",
        "\u{fffd}{\0\"\0",
    ] {
        let ended = stream("check", input);
        assert!(ended.text().contains("warning"), "{}", ended.text());
    }
}

/// Closes stdout after one byte, as `head -c 1` does.
fn closes_stdout_after_one_byte(args: &[&str], stdin: &[u8]) -> (Option<i32>, String) {
    let mut child = Command::new(PINCITE)
        .args(args)
        .stdin(Stdio::piped())
        .stdout(Stdio::piped())
        .stderr(Stdio::piped())
        .spawn()
        .expect("the command can be run");
    let mut input = child.stdin.take().expect("piped");
    let mut output = child.stdout.take().expect("piped");
    std::thread::scope(|scope| {
        scope.spawn(move || {
            let _ = input.write_all(stdin);
        });
        let mut byte = [0];
        let _ = output.read(&mut byte);
        drop(output);
    });
    let ended = child.wait_with_output().expect("it ends");
    (
        ended.status.code(),
        String::from_utf8_lossy(&ended.stderr).into_owned(),
    )
}

#[test]
fn closed_output_is_no_error() {
    let input = run_jsonl(&[r#"{"type":"CUSTOM","name":"n","value":1}"#; 20_000]);
    for args in [
        "convert",
        "expand",
        "compact",
        "convert --to proto",
        "fold",
        "check --format json",
        "check",
    ] {
        let args: Vec<&str> = std::iter::once("stream").chain(args.split(' ')).collect();
        let (code, stderr) = closes_stdout_after_one_byte(&args, input.as_bytes());
        assert_eq!((code, stderr.as_str()), (Some(0), ""), "{args:?}");
    }
}

#[test]
fn closed_output_of_a_completion_script_is_no_error() {
    for _ in 0..20 {
        for shell in ["bash", "zsh", "fish"] {
            let (code, stderr) = closes_stdout_after_one_byte(&["completions", shell], b"");
            assert_eq!((code, stderr.as_str()), (Some(0), ""), "{shell}");
        }
    }
}

#[cfg(target_os = "linux")]
fn shell(script: &str) -> crate::harness::CommandOutput {
    let mut command = Command::new("sh");
    command.args(["-c", script, PINCITE]);
    run(command, run_jsonl(&[]).as_bytes())
}

#[cfg(target_os = "linux")]
#[test]
fn full_disk_and_closed_descriptors_are_errors() {
    for command in COMMANDS {
        let ended = shell(&format!("\"$0\" stream {command} >/dev/full")).expect(3);
        assert!(
            ended
                .stderr
                .contains("cannot write the output: No space left"),
            "{}",
            ended.stderr
        );
    }
    let ended = shell("\"$0\" stream check <&-").expect(0);
    assert_eq!(ended.text(), "ok 0 events, no rule is broken\n");
    shell("\"$0\" stream check >&-").expect(0);
    shell("\"$0\" stream check no/such/file 2>&-").expect(2);
}

#[test]
fn colours_follow_the_terminal_and_the_environment() {
    let input = jsonl(&[RUN_STARTED, r#"{"type":"FUTURE"}"#, RUN_STARTED]);
    let with = |name: &str, value: &str| {
        let mut command = Command::new("env");
        command
            .arg(format!("{name}={value}"))
            .args([PINCITE, "stream", "check"]);
        run(command, input.as_bytes()).expect(1)
    };
    let plain = stream("check", &input).expect(1);
    assert!(!plain.stdout.contains(&0x1b), "{}", plain.text());
    assert_eq!(with("NO_COLOR", "1").stdout, plain.stdout);
    let coloured = with("CLICOLOR_FORCE", "1");
    let text = coloured
        .text()
        .replace("\u{1b}[1m\u{1b}[31m", "<red>")
        .replace("\u{1b}[1m\u{1b}[33m", "<yellow>");
    assert!(
        text.contains("<red>error") && text.contains("<yellow>warning"),
        "{text:?}"
    );
    // The text is the same, and JSON is never coloured.
    let words = text
        .replace("<red>", "")
        .replace("<yellow>", "")
        .replace("\u{1b}[0m", "");
    assert_eq!(words, plain.text());
    let mut command = Command::new("env");
    command.args([
        "CLICOLOR_FORCE=1",
        PINCITE,
        "stream",
        "check",
        "--format",
        "json",
    ]);
    assert!(!run(command, input.as_bytes()).stdout.contains(&0x1b));
}

#[test]
fn control_characters_do_not_reach_the_terminal() {
    let input = jsonl(&[
        RUN_STARTED,
        r#"{"type":"STEP_FINISHED","stepName":"\u001b]0;title\u0007\u001b[2J\nok 2 events"}"#,
    ]);
    for args in [vec!["check"], vec!["fold"]] {
        let mut command = Command::new("env");
        command
            .args(["CLICOLOR_FORCE=1", PINCITE, "stream"])
            .args(args);
        let ended = run(command, input.as_bytes()).expect(1);
        let said = String::from_utf8_lossy(&ended.stdout).into_owned() + &ended.stderr;
        assert!(
            !said.contains('\u{7}') && !said.contains("\u{1b}[2J"),
            "{said:?}"
        );
        assert!(
            !said.lines().any(|line| line.starts_with("ok 2 events")),
            "{said}"
        );
    }
}

#[test]
fn fold_warns_on_stderr() {
    let input = run_jsonl(&[r#"{"type":"STATE_DELTA","delta":[{"op":"remove","path":"/no"}]}"#]);
    let ended = stream("fold", sse(&input.lines().collect::<Vec<_>>())).expect(0);
    assert!(
        ended.stderr.starts_with("warning: event 1: "),
        "{:?}",
        ended.stderr
    );
}

#[test]
fn counts_have_singular_and_plural() {
    assert!(
        stream("check", RUN_STARTED)
            .expect(0)
            .text()
            .ends_with("ok 1 event, no rule is broken, 1 warning\n")
    );
    assert!(
        stream("check", RUN_FINISHED)
            .expect(1)
            .text()
            .ends_with("not ok 1 event read\n")
    );
}

#[test]
fn quiet_suppresses_warnings_but_not_errors() {
    let odd = r#"{"type":"RUN_STARTED","threadId":"t","runId":"r","x":1}"#;
    assert!(
        pincite(&["stream", "expand"], odd.as_bytes())
            .stderr
            .contains("/x")
    );
    assert_eq!(
        pincite(&["stream", "expand", "--quiet"], odd.as_bytes()).stderr,
        ""
    );
    let broken = pincite(&["-q", "stream", "expand"], b"data: nonsense\n\n");
    assert!(broken.stderr.contains("error"), "{}", broken.stderr);
}
