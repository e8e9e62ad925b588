//! Running the command, and telling what it said.
#![allow(dead_code, unreachable_pub)] // each test file uses its part

pub mod gateway;
pub mod upstream;

use std::collections::HashMap;
use std::ffi::OsStr;
use std::io::{Read, Write};
use std::path::PathBuf;
use std::process::{Child, Command, Stdio};
use std::sync::atomic::{AtomicUsize, Ordering};
use std::thread;
use std::time::{Duration, Instant};

use json::Value;

/// The command under test.
pub const PINCITE: &str = env!("CARGO_BIN_EXE_pincite");

/// Nothing may take longer, on a slow machine and without optimisation.
pub const PATIENCE: Duration = Duration::from_secs(20);

pub const RUN_STARTED: &str = r#"{"type":"RUN_STARTED","threadId":"t","runId":"r"}"#;
pub const RUN_FINISHED: &str = r#"{"type":"RUN_FINISHED","threadId":"t","runId":"r"}"#;

/// How a command ended.
#[derive(Debug)]
pub struct Ended {
    /// The exit code; `None` if a signal ended it.
    pub code: Option<i32>,
    pub stdout: Vec<u8>,
    pub stderr: String,
    pub time: Duration,
}

impl Ended {
    pub fn text(&self) -> &str {
        std::str::from_utf8(&self.stdout).expect("stdout is UTF-8")
    }

    /// The one JSON value on stdout, which is one line.
    pub fn json(&self) -> Value {
        let text = self.text();
        assert!(
            text.ends_with('\n') && text.lines().count() == 1,
            "one line: {self:?}"
        );
        parse(text)
    }

    /// The JSON values on stdout, one per line.
    pub fn lines(&self) -> Value {
        Value::Array(self.text().lines().map(parse).collect())
    }

    #[track_caller]
    pub fn expect(self, code: i32) -> Self {
        assert_eq!(self.code, Some(code), "{}", self.summary());
        self
    }

    /// A usage or configuration error: said on stderr alone, in words that contain `words`.
    #[track_caller]
    pub fn expect_usage_error(self, words: &[&str]) {
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

/// Runs `pincite` with these arguments and this standard input.
#[track_caller]
pub fn pincite<S: AsRef<OsStr>>(args: &[S], stdin: &[u8]) -> Ended {
    let mut command = Command::new(PINCITE);
    command.args(args);
    run(command, stdin)
}

/// Runs `pincite stream …` with the words of `command` and this standard input.
#[track_caller]
pub fn stream(command: &str, stdin: impl AsRef<[u8]>) -> Ended {
    let mut args = vec!["stream"];
    args.extend(command.split_whitespace());
    pincite(&args, stdin.as_ref())
}

/// The report of `pincite stream check --format json`.
#[track_caller]
pub fn check(options: &str, stdin: impl AsRef<[u8]>) -> Value {
    let ended = stream(&format!("check --format json {options}"), stdin);
    let report = ended.json();
    let ok = report["ok"] == Value::Bool(true);
    assert_eq!(ended.code, Some(i32::from(!ok)), "{}", ended.summary());
    assert_eq!(ok, report["error"] == Value::Null, "{}", ended.summary());
    assert_eq!(ended.stderr, "", "stdout says it all");
    report
}

/// Runs a command to its end, but not longer than [`PATIENCE`].
#[track_caller]
pub fn run(mut command: Command, stdin: &[u8]) -> Ended {
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
            // It may stop reading when it has seen enough.
            let _ = input.write_all(stdin);
        });
        let stdout = scope.spawn(move || read_all(&mut output));
        let stderr = scope.spawn(move || read_all(&mut errors));
        let code = wait(&mut child, started);
        let stdout = stdout.join().expect("stdout is read");
        let stderr = stderr.join().expect("stderr is read");
        (code, stdout, String::from_utf8_lossy(&stderr).into_owned())
    });
    let ended = Ended {
        code,
        stdout,
        stderr,
        time: started.elapsed(),
    };
    assert!(
        ended.time < PATIENCE,
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
    // What was read before an error counts.
    let _ = from.read_to_end(&mut bytes);
    bytes
}

fn wait(child: &mut Child, started: Instant) -> Option<i32> {
    let mut pause = Duration::from_micros(200);
    loop {
        if let Some(status) = child.try_wait().expect("the command can be waited for") {
            return status.code();
        }
        if started.elapsed() > PATIENCE {
            child.kill().expect("the command can be ended");
        }
        thread::sleep(pause);
        pause = (pause * 2).min(Duration::from_millis(5));
    }
}

/// Runs `pincite` with at most this much memory of its own; the program itself does not count.
#[cfg(target_os = "linux")]
#[track_caller]
pub fn pincite_within(megabytes: usize, args: &[&str], stdin: &[u8]) -> Ended {
    let mut command = Command::new("sh");
    let limited = format!("ulimit -d {} && exec \"$0\" \"$@\"", megabytes * 1024);
    command.args(["-c", &limited, PINCITE]).args(args);
    run(command, stdin)
}

/// A file in `tests/data`.
pub fn data(name: &str) -> PathBuf {
    [env!("CARGO_MANIFEST_DIR"), "tests", "data", name]
        .iter()
        .collect()
}

/// Writes a file for a test, whose name must be its own.
pub fn scratch(name: &str, content: impl AsRef<[u8]>) -> PathBuf {
    let path = PathBuf::from(env!("CARGO_TARGET_TMPDIR")).join(name);
    std::fs::write(&path, content).expect("the scratch directory can be written");
    path
}

#[track_caller]
pub fn parse(text: &str) -> Value {
    Value::parse(text).unwrap_or_else(|error| panic!("{error}: {text:.200}"))
}

pub fn parse_file(path: &std::path::Path) -> Value {
    parse(&std::fs::read_to_string(path).expect("the file can be read"))
}

/// One event per line.
pub fn jsonl(events: &[&str]) -> String {
    events.iter().map(|event| format!("{event}\n")).collect()
}

/// A whole run with these events in it, one per line.
pub fn a_run(events: &[&str]) -> String {
    format!("{RUN_STARTED}\n{}{RUN_FINISHED}\n", jsonl(events))
}

/// Each event in an SSE frame.
pub fn sse<S: AsRef<str>>(events: &[S]) -> String {
    events
        .iter()
        .map(|event| format!("data: {}\n\n", event.as_ref()))
        .collect()
}

/// Looks at all items, several at a time, and fails with everything that was found.
#[track_caller]
pub fn in_parallel<T: Sync>(items: &[T], look: impl Fn(usize, &T) -> Vec<String> + Sync) {
    let next = AtomicUsize::new(0);
    let workers = thread::available_parallelism()
        .map_or(2, usize::from)
        .max(2);
    let work = || {
        let mut faults = Vec::new();
        loop {
            let index = next.fetch_add(1, Ordering::Relaxed);
            let Some(item) = items.get(index) else {
                return faults;
            };
            faults.extend(look(index, item));
        }
    };
    let faults: Vec<String> = thread::scope(|scope| {
        let workers: Vec<_> = (0..workers).map(|_| scope.spawn(work)).collect();
        let join =
            |worker: thread::ScopedJoinHandle<'_, Vec<String>>| worker.join().expect("no panic");
        workers.into_iter().flat_map(join).collect()
    });
    assert!(
        faults.is_empty(),
        "{} faults\n{}",
        faults.len(),
        faults.join("\n")
    );
}

/// Collects differences.
#[derive(Default)]
pub struct Faults {
    pub name: String,
    pub found: Vec<String>,
}

impl Faults {
    pub fn of(name: &str) -> Self {
        Self {
            name: name.to_owned(),
            found: Vec::new(),
        }
    }

    pub fn same(&mut self, what: &str, ours: &Value, expected: &Value) {
        if ours != expected {
            let (name, ours, expected) = (&self.name, ours.to_json(), expected.to_json());
            self.found.push(format!(
                "{name}: {what}\n  ours:     {ours}\n  expected: {expected}"
            ));
        }
    }

    pub fn yes(&mut self, what: &str, is_so: bool) {
        if !is_so {
            self.found.push(format!("{}: {what}", self.name));
        }
    }
}

/// An input that ends at a broken rule: every command says so, and gives what came before.
#[track_caller]
pub fn refused(
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
    let said: Vec<&str> = text
        .lines()
        .filter(|line| line.starts_with("error "))
        .collect();
    assert_eq!(said.len(), 1, "one error: {text}");
    for word in [&place, &message, stage, rule] {
        assert!(said[0].contains(word), "'{word}' is missing in {text}");
    }
    let repair = text
        .lines()
        .find_map(|line| line.trim_start().strip_prefix("to repair: "));
    assert!(
        repair.is_some_and(|words| words.len() > 10),
        "it does not say how to repair it: {text}"
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

/// The rules and indices of the warnings of a report.
pub fn warnings(report: &Value) -> Vec<(&str, usize)> {
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

/// Messages and state, with numbers instead of ids: some are made up by each reader.
pub fn numbered(conversation: &Value) -> (Value, Value) {
    let mut numbers: HashMap<String, usize> = HashMap::new();
    let mut messages = conversation["messages"].clone();
    let mut number = |holder: &mut json::Map, key: &str| {
        if let Some(Value::String(id)) = holder.get(key).cloned() {
            let next = numbers.len() + 1;
            let number = *numbers.entry(id).or_insert(next);
            holder.insert(key.to_owned(), number.into());
        }
    };
    if let Value::Array(messages) = &mut messages {
        for message in messages.iter_mut().filter_map(Value::as_object_mut) {
            number(message, "id");
            number(message, "toolCallId");
            if let Some(Value::Array(calls)) = message.get_mut("toolCalls") {
                let calls = calls.iter_mut().filter_map(Value::as_object_mut);
                calls.for_each(|call| number(call, "id"));
            }
        }
    }
    (messages, conversation["state"].clone())
}

/// A server that a test started; dropping it ends it.
pub struct Served {
    child: Child,
    pub url: String,
}

impl Served {
    /// Starts a server that prints its URL in the first line.
    #[track_caller]
    pub fn start(mut command: Command) -> Self {
        let mut child = command
            .stdin(Stdio::null())
            .stdout(Stdio::piped())
            .stderr(Stdio::null())
            .spawn()
            .unwrap_or_else(|error| panic!("{command:?}: {error}; `make test` installs it"));
        let mut line = String::new();
        let mut out = std::io::BufReader::new(child.stdout.take().expect("piped"));
        std::io::BufRead::read_line(&mut out, &mut line).expect("it prints its URL");
        let url = line
            .split_whitespace()
            .find(|word| word.starts_with("http://"))
            .unwrap_or_else(|| panic!("{command:?} printed no URL: {line}"))
            .to_owned();
        Self { child, url }
    }

    pub fn process(&self) -> u32 {
        self.child.id()
    }

    /// Starts `pincite stream serve` on a free port.
    #[track_caller]
    pub fn recordings<S: AsRef<OsStr>>(args: &[S]) -> Self {
        let mut command = Command::new(PINCITE);
        command.args(["stream", "serve", "--listen", "127.0.0.1:0"]);
        command.args(args);
        Self::start(command)
    }
}

impl Drop for Served {
    fn drop(&mut self) {
        let _ = self.child.kill();
        let _ = self.child.wait();
    }
}

/// Letters in no order: what is stored of them cannot be packed.
#[derive(Default)]
pub(crate) struct Noise(u32);

impl Noise {
    /// The next so many.
    pub(crate) fn letters(&mut self, count: usize) -> String {
        let letter = |_| {
            self.0 = self.0.wrapping_mul(1_664_525).wrapping_add(1_013_904_223);
            char::from(b"abcdefghijklmnopqrstuvwxyz012345"[(self.0 >> 27) as usize])
        };
        (0..count).map(letter).collect()
    }
}
