//! Processes that do not do what they should.
#![cfg(unix)]

use std::time::{Duration, Instant};

use intake::{Allowance, Reader, Unread};

fn read_by(script: &str, time: Duration) -> Unread {
    let mut reader = Reader::new("/bin/sh", ["-c", script]);
    let allowance = Allowance {
        time,
        ..Allowance::default()
    };
    let read = reader.read(b"some words", "a.txt", "", &allowance, |_, _| {});
    read.expect_err("no such process reads anything")
}

#[test]
fn a_process_that_hangs_is_killed() {
    let start = Instant::now();
    // Neither reading nor writing; and with more to write than a pipe holds.
    let unread = read_by("sleep 600", Duration::ZERO);
    assert!(matches!(unread, Unread::TooSlow(_)), "{unread}");
    let mut reader = Reader::new("/bin/sh", ["-c", "sleep 600"]);
    let allowance = Allowance {
        time: Duration::ZERO,
        ..Allowance::default()
    };
    let large = vec![b'a'; 1 << 20];
    let unread = reader
        .read(&large, "a.txt", "", &allowance, |_, _| {})
        .expect_err("it sleeps");
    assert!(matches!(unread, Unread::TooSlow(_)), "{unread}");
    assert!(start.elapsed() < Duration::from_secs(60));
}

#[test]
fn a_process_that_dies_is_told_with_how() {
    let minute = Duration::from_secs(60);
    let unread = read_by("kill -9 $$", minute);
    assert!(unread.to_string().contains("signal 9"), "{unread}");
    let unread = read_by("cat > /dev/null; exit 7", Duration::from_secs(1));
    // Its input stays open: it waits for more.
    assert!(matches!(unread, Unread::TooSlow(_)), "{unread}");
    let unread = read_by("exit 7", minute);
    assert!(unread.to_string().contains("exit code 7"), "{unread}");
}

#[test]
fn a_process_that_talks_nonsense_is_not_believed() {
    let minute = Duration::from_secs(60);
    let unread = read_by("echo nonsense; sleep 600", minute);
    assert!(matches!(unread, Unread::Garbled), "{unread}");
    // A document that is none: "d", a length of 4, four bytes.
    let unread = read_by(
        "printf 'd\\004\\0\\0\\0\\0\\0\\0\\0none'; sleep 600",
        minute,
    );
    assert!(matches!(unread, Unread::Garbled), "{unread}");
}

#[test]
fn a_program_that_is_not_there_is_told() {
    let mut reader = Reader::new("/nowhere/pincite", ["read-document"]);
    let unread = reader
        .read(b"words", "a.txt", "", &Allowance::default(), |_, _| {})
        .expect_err("there is none");
    assert!(matches!(unread, Unread::NotStarted(_)), "{unread}");
    assert!(!unread.hint().is_empty());
}

#[test]
fn what_is_too_large_is_not_sent() {
    let mut reader = Reader::new("/nowhere/pincite", ["read-document"]);
    let mut allowance = Allowance::default();
    allowance.limits.bytes = 4;
    let unread = reader
        .read(b"words", "a.txt", "", &allowance, |_, _| {})
        .expect_err("it is too large");
    assert!(unread.to_string().contains("5 bytes"), "{unread}");
}
