//! Runs `pincite` and captures its output.

use std::ffi::OsStr;
use std::io::{Read, Write};
use std::process::{Child, Command, Stdio};
use std::thread;
use std::time::{Duration, Instant};

use json::Value;

use super::parse;

/// Path of the program under test.
pub(crate) const PINCITE: &str = env!("CARGO_BIN_EXE_pincite");

/// Time after which a command or a condition counts as hanging. Far more than a busy machine needs.
pub(crate) const TIME_LIMIT: Duration = Duration::from_secs(120);

/// Calls `poll` until it returns a value. Panics with `expected` after [`TIME_LIMIT`].
#[track_caller]
pub(crate) fn poll_until<T>(expected: &str, mut poll: impl FnMut() -> Option<T>) -> T {
    let started = Instant::now();
    loop {
        if let Some(value) = poll() {
            return value;
        }
        assert!(started.elapsed() < TIME_LIMIT, "{expected}: not in time");
        thread::sleep(Duration::from_millis(1));
    }
}

/// Output and exit code of a command.
#[derive(Debug)]
pub(crate) struct CommandOutput {
    /// Exit code; `None` if a signal ended the process.
    pub(crate) code: Option<i32>,
    pub(crate) stdout: Vec<u8>,
    pub(crate) stderr: String,
    pub(crate) time: Duration,
}

impl CommandOutput {
    pub(crate) fn text(&self) -> &str {
        std::str::from_utf8(&self.stdout).expect("stdout is UTF-8")
    }

    /// Returns the only line of stdout as JSON.
    pub(crate) fn json(&self) -> Value {
        let text = self.text();
        assert!(
            text.ends_with('\n') && text.lines().count() == 1,
            "one line: {self:?}"
        );
        parse(text)
    }

    /// Returns the lines of stdout as JSON values.
    pub(crate) fn lines(&self) -> Value {
        Value::Array(self.text().lines().map(parse).collect())
    }

    #[track_caller]
    pub(crate) fn expect(self, code: i32) -> Self {
        assert_eq!(self.code, Some(code), "{}", self.summary());
        self
    }

    /// Expects a usage or configuration error: exit code 2, nothing on stdout, `words` on stderr.
    #[track_caller]
    pub(crate) fn expect_usage_error(self, words: &[&str]) {
        let ended = self.expect(2);
        assert!(
            ended.stdout.is_empty(),
            "stdout must be empty: {}",
            ended.summary()
        );
        for word in words {
            assert!(
                ended.stderr.contains(word),
                "'{word}' is missing: {}",
                ended.summary()
            );
        }
    }

    fn summary(&self) -> String {
        let stdout: String = String::from_utf8_lossy(&self.stdout)
            .chars()
            .take(500)
            .collect();
        let stderr: String = self.stderr.chars().take(1500).collect();
        format!(
            "exit {:?} after {:?}\n{stdout}\n{stderr}",
            self.code, self.time
        )
    }
}

/// Runs `pincite`.
#[track_caller]
pub(crate) fn pincite<S: AsRef<OsStr>>(args: &[S], stdin: &[u8]) -> CommandOutput {
    let mut command = Command::new(PINCITE);
    command.args(args);
    run(command, stdin)
}

/// Runs `pincite stream` with the words of `command` as arguments.
#[track_caller]
pub(crate) fn stream(command: &str, stdin: impl AsRef<[u8]>) -> CommandOutput {
    let mut args = vec!["stream"];
    args.extend(command.split_whitespace());
    pincite(&args, stdin.as_ref())
}

/// Returns the report of `pincite stream check --format json`.
#[track_caller]
pub(crate) fn check(options: &str, stdin: impl AsRef<[u8]>) -> Value {
    let ended = stream(&format!("check --format json {options}"), stdin);
    let report = ended.json();
    let ok = report["ok"] == Value::Bool(true);
    assert_eq!(ended.code, Some(i32::from(!ok)), "{}", ended.summary());
    assert_eq!(ok, report["error"] == Value::Null, "{}", ended.summary());
    assert_eq!(ended.stderr, "", "stderr is empty");
    report
}

/// Runs a command to its end. Panics if it hangs, crashes or panics.
#[track_caller]
pub(crate) fn run(mut command: Command, stdin: &[u8]) -> CommandOutput {
    let started = Instant::now();
    let mut child = command
        .stdin(Stdio::piped())
        .stdout(Stdio::piped())
        .stderr(Stdio::piped())
        .env_remove("CLICOLOR_FORCE")
        .env_remove("RUST_BACKTRACE")
        .spawn()
        .expect("the command can be run");
    let mut input = child.stdin.take().expect("piped");
    let mut output = child.stdout.take().expect("piped");
    let mut errors = child.stderr.take().expect("piped");
    let (code, stdout, stderr) = thread::scope(|scope| {
        scope.spawn(move || {
            // The command may stop reading before the end.
            let _ = input.write_all(stdin);
        });
        let stdout = scope.spawn(move || read_all(&mut output));
        let stderr = scope.spawn(move || read_all(&mut errors));
        let code = wait(&mut child, started);
        let stdout = stdout.join().expect("stdout is read");
        let stderr = stderr.join().expect("stderr is read");
        (code, stdout, String::from_utf8_lossy(&stderr).into_owned())
    });
    let ended = CommandOutput {
        code,
        stdout,
        stderr,
        time: started.elapsed(),
    };
    assert!(
        ended.time < TIME_LIMIT,
        "{command:?} takes too long: {}",
        ended.summary()
    );
    assert!(
        ended.code.is_some(),
        "{command:?} crashed: {}",
        ended.summary()
    );
    for word in ["panicked", "internal error"] {
        assert!(
            !ended.stderr.contains(word),
            "{command:?} panicked: {}",
            ended.summary()
        );
    }
    ended
}

fn read_all(from: &mut impl Read) -> Vec<u8> {
    let mut bytes = Vec::new();
    // The bytes before an error count.
    let _ = from.read_to_end(&mut bytes);
    bytes
}

fn wait(child: &mut Child, started: Instant) -> Option<i32> {
    let mut pause = Duration::from_micros(200);
    loop {
        if let Some(status) = child.try_wait().expect("the command can be waited for") {
            return status.code();
        }
        if started.elapsed() > TIME_LIMIT {
            child.kill().expect("the command can be ended");
        }
        thread::sleep(pause);
        pause = (pause * 2).min(Duration::from_millis(5));
    }
}

/// Runs `pincite` with a limit on its data segment.
#[cfg(target_os = "linux")]
#[track_caller]
pub(crate) fn pincite_within(megabytes: usize, args: &[&str], stdin: &[u8]) -> CommandOutput {
    let mut command = Command::new("sh");
    let limited = format!("ulimit -d {} && exec \"$0\" \"$@\"", megabytes * 1024);
    command.args(["-c", &limited, PINCITE]).args(args);
    run(command, stdin)
}

/// Expects that every command reports the broken rule and writes the events before it. Returns the error.
#[track_caller]
pub(crate) fn expect_rejected(
    options: &str,
    input: impl AsRef<[u8]>,
    stage: &str,
    index: usize,
    rule: &str,
) -> Value {
    let input = input.as_ref();
    let error = check(options, input)["error"].clone();
    assert_eq!(error["stage"].as_str(), Some(stage), "{}", error.to_json());
    assert_eq!(error["index"], index.into(), "{}", error.to_json());
    assert_eq!(error["rule"].as_str(), Some(rule), "{}", error.to_json());
    let message = error["message"].as_str().expect("a message").to_owned();
    let place = format!("event {index}");

    let text = stream(&format!("check {options}"), input).expect(1);
    let text = text.text();
    let errors: Vec<&str> = text
        .lines()
        .filter(|line| line.starts_with("error "))
        .collect();
    assert_eq!(errors.len(), 1, "one error: {text}");
    for word in [&place, &message, stage, rule] {
        assert!(errors[0].contains(word), "'{word}' is missing in {text}");
    }
    let repair = text
        .lines()
        .find_map(|line| line.trim_start().strip_prefix("hint: "));
    assert!(
        repair.is_some_and(|words| words.len() > 10),
        "no hint: {text}"
    );
    assert!(
        text.lines()
            .last()
            .is_some_and(|line| line.starts_with("not ok ")),
        "{text}"
    );

    let folded = stream(&format!("fold {options}"), input).expect(1);
    assert_eq!(folded.json()["error"], error);
    assert!(
        folded.stderr.contains(&place) && folded.stderr.contains(&message),
        "{}",
        folded.stderr
    );

    for (command, sees) in [
        ("convert", stage == "decode"),
        ("expand", stage != "verify"),
        ("compact", stage != "verify"),
    ] {
        let ended = stream(&format!("{command} {options}"), input).expect(i32::from(sees));
        let lines = ended.lines();
        if sees {
            let last = ended.stderr.lines().last().unwrap_or_default();
            assert!(
                last.starts_with("error: ") && last.contains(&place),
                "{}",
                ended.stderr
            );
            let written = lines.as_array().map_or(0, <[Value]>::len);
            assert!(
                command != "convert" || written == index,
                "{written} events were written"
            );
        }
    }
    error
}

/// Returns the rule and the event index of each warning in a report.
pub(crate) fn warnings(report: &Value) -> Vec<(&str, usize)> {
    let warnings = report["warnings"].as_array().expect("a list");
    let index = |warning: &Value| match &warning["index"] {
        Value::Number(number) => number.as_safe_int().and_then(|int| int.try_into().ok()),
        _ => None,
    };
    warnings
        .iter()
        .map(|warning| warning["rule"].as_str().zip(index(warning)))
        .map(|warning| warning.expect("a rule and an index"))
        .collect()
}
