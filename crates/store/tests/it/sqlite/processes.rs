//! Child processes: one that is killed, and one without permission to write.

use std::io::{BufRead, BufReader, Write};
use std::os::unix::fs::PermissionsExt;
use std::os::unix::process::CommandExt;
use std::path::Path;
use std::process::{Command, Stdio};

use store::{LogBatch, OpenOptions, Principal, SqliteStore, StoreError, ThreadId, ThreadStore};

use crate::sqlite::begin;

/// Environment variable with the data directory of the child process.
const DIRECTORY: &str = "PINCITE_TEST_DIRECTORY";

/// Starts this program again with one of the ignored tests below.
fn child(test: &str, directory: &Path) -> Command {
    let mut command = Command::new(std::env::current_exe().expect("this program"));
    command
        .args([
            test,
            "--exact",
            "--ignored",
            "--nocapture",
            "--test-threads=1",
        ])
        .env(DIRECTORY, directory)
        .stdout(Stdio::piped());
    command
}

fn directory() -> std::path::PathBuf {
    std::env::var_os(DIRECTORY)
        .expect("run by another test")
        .into()
}

/// Appends without end from several threads, and prints what was acknowledged.
#[test]
#[ignore = "run by acknowledged_events_survive_a_kill"]
fn append_until_killed() {
    let options = OpenOptions::new(directory()).server("child");
    let store = SqliteStore::open(&options).expect("a store");
    std::thread::scope(|scope| {
        for name in ["a", "b", "c"] {
            let store = &store;
            scope.spawn(move || {
                let run = begin(store, name, "r");
                for number in 0u64.. {
                    let mut batch = LogBatch::new();
                    for part in 0..=number % 3 {
                        batch.push(format!("{name} {number} {part}").as_bytes());
                    }
                    let count = batch.len() as u64;
                    let first = store.append(run, batch).wait().expect("stored");
                    let line = format!("ack {name} {}\n", first + count - 1);
                    let mut out = std::io::stdout().lock();
                    out.write_all(line.as_bytes()).expect("the parent listens");
                    out.flush().expect("the parent listens");
                }
            });
        }
    });
}

#[test]
fn acknowledged_events_survive_a_kill() {
    for lines in [1, 40, 333] {
        let directory = tempfile::tempdir().expect("a directory");
        let mut child = child("sqlite::processes::append_until_killed", directory.path())
            .spawn()
            .expect("a child");
        let mut acknowledged = std::collections::HashMap::new();
        let output = BufReader::new(child.stdout.take().expect("its output"));
        let mut killed = false;
        let mut seen = 0;
        // Lines that are still in the pipe after the kill were acknowledged too.
        for line in output.lines().map_while(Result::ok) {
            let words: Vec<&str> = line.split(' ').collect();
            if let ["ack", name, last] = words[..] {
                let last: u64 = last.parse().expect("a number");
                acknowledged.insert(name.to_owned(), last);
                seen += 1;
            }
            if seen >= lines && !killed {
                child.kill().expect("killed");
                killed = true;
            }
        }
        child.wait().expect("gone");
        assert!(killed, "the child was not killed");

        let options = OpenOptions::new(directory.path()).server("parent");
        let store = SqliteStore::open(&options).expect("the store is whole");
        let unfinished = store.unfinished_runs().wait().expect("read");
        assert!(unfinished.len() >= acknowledged.len());
        for (name, last) in acknowledged {
            let thread = ThreadId::new(&name).expect("an id");
            let events = store
                .events(&Principal::local(), &thread, 0, usize::MAX)
                .wait();
            let events = events.expect("read");
            assert!(events.last >= last, "{name}: {} < {last}", events.last);
            let mut last_event = String::new();
            for (expected, (sequence, event)) in (1..).zip(events.iter()) {
                assert_eq!(sequence, expected);
                last_event = String::from_utf8_lossy(event).into_owned();
            }
            // Batches are stored as a whole: the last event is the last of its batch.
            let words: Vec<&str> = last_event.split(' ').collect();
            let number: u64 = words[1].parse().expect("a number");
            assert_eq!(words[2], (number % 3).to_string());
        }
        // The crashed runs can be closed.
        for run in unfinished {
            let mut batch = LogBatch::new();
            batch.push(b"the end");
            store.append(run.open, batch).wait().expect("stored");
        }
    }
}

#[test]
#[ignore = "run by a_read_only_directory_is_reported_until_it_is_writable"]
fn open_and_print_the_result() {
    let opened = SqliteStore::open(&OpenOptions::new(directory()));
    let word = match opened.map(|_| ()) {
        Ok(()) => "open",
        Err(StoreError::ReadOnly { .. }) => "read-only",
        Err(StoreError::Io { .. }) => "io",
        Err(_) => "other",
    };
    let mut out = std::io::stdout().lock();
    writeln!(out, "\nopened: {word}").expect("the parent listens");
}

#[test]
fn a_read_only_directory_is_reported_until_it_is_writable() {
    // Root may write anywhere, so the child runs as another user then.
    const OTHER_USER: u32 = 65_534;
    let place = tempfile::tempdir().expect("a directory");
    let program = place.path().join("program");
    std::fs::copy(std::env::current_exe().expect("this program"), &program).expect("a copy");
    let allow = |path: &Path, mode| {
        std::fs::set_permissions(path, PermissionsExt::from_mode(mode)).expect("permitted");
    };
    allow(place.path(), 0o755);
    allow(&program, 0o755);
    let data = place.path().join("data");
    std::fs::create_dir(&data).expect("a directory");
    let is_root = std::os::unix::fs::chown(&data, Some(OTHER_USER), None).is_ok();
    let open = || {
        let mut command = Command::new(&program);
        command
            .args([
                "sqlite::processes::open_and_print_the_result",
                "--exact",
                "--ignored",
                "--nocapture",
            ])
            .env(DIRECTORY, &data);
        if is_root {
            command.uid(OTHER_USER);
        }
        let output = command.output().expect("it ran");
        let text = String::from_utf8_lossy(&output.stdout).into_owned();
        let word = text.lines().find_map(|line| line.strip_prefix("opened: "));
        word.unwrap_or_default().to_owned()
    };
    allow(&data, 0o555);
    assert_eq!(open(), "read-only");
    allow(&data, 0o755);
    assert_eq!(open(), "open");
    allow(&data, 0o555);
    assert_eq!(open(), "read-only");
    allow(&data, 0o755);
    assert_eq!(open(), "open");
}
