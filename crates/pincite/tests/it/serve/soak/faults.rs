//! Subscribers that stall, a disk that is full, a server that is stopped.

use std::process::Command;
use std::sync::atomic::{AtomicU16, AtomicUsize};

use super::{
    EventFrames, RunFollower, ShownEvents, SoakServer, get, is_terminal, read_log, recording,
    run_input, send,
};
use crate::harness::{PINCITE, ServerProcess, parse, unused_path};

#[test]
fn a_stalled_subscriber_delays_no_other_and_receives_everything() {
    // More than the server and the sockets buffer.
    let deltas = 20_000;
    let upstream = ServerProcess::recordings(&[&recording("stall.jsonl", deltas, 500)]);
    let data = unused_path("stall");
    let server = SoakServer::start(&data, &upstream.url);
    let stalled =
        send(server.port, "POST", "/agents/up", "", &run_input("t", "r")).expect("it listens");
    let mut other = loop {
        let path = "/threads/t/events?after=0";
        let sent = send(server.port, "GET", path, "", "").expect("it listens");
        let mut first = [0; 12];
        sent.peek(&mut first).expect("a response");
        if first.ends_with(b"200") {
            break EventFrames::open(sent).expect("a response");
        }
    };
    let read = |frames: &mut EventFrames| {
        let mut last = 0;
        while let Some((id, event)) = frames.next() {
            assert_eq!(id, Some(last + 1));
            last += 1;
            if is_terminal(&event) {
                return last;
            }
        }
        panic!("it ended after {last}");
    };
    let whole = read(&mut other);
    assert!(whole > deltas as u64);
    let mut late = EventFrames::open(stalled).expect("a response");
    assert_eq!(read(&mut late), whole);
}

#[test]
fn a_full_disk_is_reported_and_leaves_the_data_intact() {
    let upstream = ServerProcess::recordings(&[&recording("full.jsonl", 4_000, 1_000)]);
    let data = unused_path("full");
    // A limit of 2 MiB per file looks like a full disk to the program.
    let mut limited = Command::new("sh");
    limited.args([
        "-c",
        "trap '' XFSZ; ulimit -f 4096; exec \"$0\" \"$@\"",
        PINCITE,
    ]);
    let mut server = SoakServer::start_with(limited, &data, &upstream.url);
    let sent =
        send(server.port, "POST", "/agents/up", "", &run_input("t", "r")).expect("it listens");
    let mut frames = EventFrames::open(sent).expect("a response");
    let mut shown = ShownEvents::new();
    let end = loop {
        let (id, event) = frames.next().expect("a terminal event");
        match id {
            Some(id) => drop(shown.insert(id, event)),
            None => break event,
        }
    };
    assert!(
        end.contains("\"storage\"") && end.contains("RUN_ERROR"),
        "{end}"
    );
    get(server.port, "/healthz");
    server.kill();
    // Without the limit there is space again.
    let server = SoakServer::start(&data, &upstream.url);
    let log = read_log(server.port, "t");
    for (sequence, event) in &shown {
        assert_eq!(
            log.get(sequence).map(|event| parse(event)),
            Some(parse(event))
        );
    }
    let last = log.last_key_value().expect("a terminal event").1;
    assert!(last.contains("\"crashed\""), "{last}");
    let mut shown = ShownEvents::new();
    let follower = RunFollower {
        port: &AtomicU16::new(server.port),
        received: &AtomicUsize::new(0),
        resumed: &AtomicUsize::new(0),
    };
    follower.follow("t", "r2", &mut shown);
    let last = shown.last_key_value().expect("a terminal event").1;
    assert!(last.contains("\"RUN_FINISHED\""), "{last}");
}

#[test]
fn a_graceful_stop_ends_the_streams_of_all_clients() {
    let upstream = ServerProcess::recordings(&[&recording("term.jsonl", 5_000, 20), "--pace", "5"]);
    let data = unused_path("term");
    let mut server = SoakServer::start(&data, &upstream.url);
    let sent =
        send(server.port, "POST", "/agents/up", "", &run_input("t", "r")).expect("it listens");
    let mut frames = EventFrames::open(sent).expect("a response");
    for _ in 0..10 {
        frames.next().expect("an event");
    }
    let path = "/threads/t/events?after=0";
    let sent = send(server.port, "GET", path, "", "").expect("it listens");
    let mut subscriber = EventFrames::open(sent).expect("a response");
    let process = server.child.id().to_string();
    let killed = Command::new("kill").args(["-TERM", &process]).status();
    assert!(killed.expect("kill is there").success());
    for frames in [&mut frames, &mut subscriber] {
        let end = std::iter::from_fn(|| frames.next()).last();
        let (id, end) = end.expect("a terminal event");
        assert!(id.is_some() && end.contains("\"shutdown\""), "{end}");
    }
    let ended = server.child.wait().expect("it ends");
    assert!(ended.success(), "{ended}");
    let server = SoakServer::start(&data, &upstream.url);
    let thread = get(server.port, "/threads/t");
    assert_eq!(thread["lastRun"]["status"].as_str(), Some("failed"));
}
