//! A thread with 10,000 messages and up to 2,000,000 events.
#![allow(clippy::print_stdout)] // the long form prints its figures

use std::fs;
use std::io::{BufRead, BufReader};
use std::path::Path;
use std::time::{Duration, Instant};

use json::Json;
use store::{
    BeginRun, Checkpoint, LogBatch, NewRun, OpenOptions, RunId, RunStatus, SqliteStore,
    StoredMessage, StoredRunEnd, ThreadId, ThreadStore, Timestamp,
};

use super::{EventFrames, SoakServer, is_long, send};
use crate::harness::{RUN_FINISHED, RUN_STARTED, unused_path};

/// Returns the CPU time of a process in seconds.
fn cpu_seconds(process: u32) -> f64 {
    let stat = fs::read_to_string(format!("/proc/{process}/stat")).expect("it runs");
    let behind = stat.rsplit(')').next().expect("its name is in brackets");
    let ticks: f64 = behind
        .split_whitespace()
        .skip(11)
        .take(2)
        .map(|ticks| ticks.parse::<f64>().expect("a number"))
        .sum();
    ticks / 100.0
}

/// Writes a thread into a new store. Returns the number of events written per second.
fn write_thread(data: &Path, messages: usize, events: usize) -> f64 {
    let store = SqliteStore::open(&OpenOptions::new(data).server("soak")).expect("a store");
    let message = |at: usize| {
        let role = if at.is_multiple_of(2) {
            "user"
        } else {
            "assistant"
        };
        let text = "A sentence of some length. ".repeat(20);
        format!(r#"{{"id":"m{at}","role":"{role}","content":"{text}"}}"#)
    };
    let list: Vec<String> = (0..messages).map(message).collect();
    let input = format!(
        r#"{{"threadId":"t","runId":"r","state":{{}},"messages":[{}],"tools":[],"context":[]}}"#,
        list.join(",")
    );
    let local = store::Principal::local();
    let begun = store.begin_run(
        &local,
        NewRun {
            thread: ThreadId::new("t").expect("an id"),
            run: RunId::new("r").expect("an id"),
            agent: "up".to_owned(),
            parent: None,
            input: Json::parse(input).expect("JSON"),
            started: Timestamp(0),
        },
    );
    let BeginRun::New(open, _) = begun.wait().expect("begun") else {
        panic!("the run exists already");
    };
    let delta = r#"{"type":"TEXT_MESSAGE_CONTENT","messageId":"m","delta":" a few words"}"#;
    let started = Instant::now();
    // Batches that wait together become one transaction.
    let mut waiting = Vec::new();
    let mut written = 0;
    while written < events {
        let mut batch = LogBatch::new();
        let first = (written == 0).then_some(RUN_STARTED);
        let last = (written + 20 >= events).then_some(RUN_FINISHED);
        first.iter().for_each(|event| batch.push(event.as_bytes()));
        (0..20).for_each(|_| batch.push(delta.as_bytes()));
        last.iter().for_each(|event| batch.push(event.as_bytes()));
        written += batch.len();
        waiting.push(store.append(open, batch));
        if waiting.len() == 64 || last.is_some() {
            for answer in waiting.drain(..) {
                answer.wait().expect("stored");
            }
        }
    }
    let rate = written as f64 / started.elapsed().as_secs_f64();
    let messages = list.iter().enumerate().map(|(at, json)| StoredMessage {
        id: format!("m{at}"),
        role: "user".to_owned(),
        json: json.clone().into(),
    });
    let checkpoint = Checkpoint {
        through: written as u64,
        state: "{}".into(),
        record: None,
        messages: messages.collect(),
    };
    let ended = store.end_run(
        open,
        StoredRunEnd::new(RunStatus::Finished, Timestamp(1), Some(checkpoint)),
    );
    ended.wait().expect("ended");
    rate
}

#[test]
fn a_long_thread_is_written_opened_and_replayed() {
    let events = if is_long() { 2_000_000 } else { 200_000 };
    let data = unused_path("long");
    let write_rate = write_thread(&data, 10_000, events);
    let server = SoakServer::start(&data, "http://127.0.0.1:9/");
    let first_byte = |path: &str| {
        let times = (0..5).map(|_| {
            let sent = Instant::now();
            let socket = send(server.port, "GET", path, "", "").expect("it listens");
            assert!(EventFrames::open(socket).is_some());
            sent.elapsed()
        });
        times.min().expect("five of them")
    };
    let thread_time = first_byte("/threads/t/events");
    let messages_time = first_byte("/threads/t/messages?limit=50");
    let before = cpu_seconds(server.child.id());
    let socket = send(server.port, "GET", "/threads/t/events?after=0", "", "");
    let mut reader = BufReader::with_capacity(1 << 20, socket.expect("it listens"));
    let mut seen = 0;
    let mut line = Vec::new();
    loop {
        line.clear();
        assert!(
            reader.read_until(b'\n', &mut line).expect("bytes") > 0,
            "it ended"
        );
        if line.starts_with(b"id: ") {
            seen += 1;
        } else if line.starts_with(br#"data: {"type":"RUN_FINISHED""#) {
            break;
        }
    }
    let used = cpu_seconds(server.child.id()) - before;
    let replay_rate = f64::from(seen) / used.max(0.01);
    println!(
        "10,000 messages: first byte of the events {thread_time:?}, of the messages {messages_time:?}; \
         {write_rate:.0} events/s written, {replay_rate:.0} events/s of CPU replayed"
    );
    assert!(seen as usize >= events);
    // Times of debug builds beside other tests mean nothing.
    if is_long() {
        let limit = Duration::from_millis(50);
        assert!(thread_time < limit, "{thread_time:?}");
        assert!(messages_time < limit, "{messages_time:?}");
        assert!(write_rate > 200_000.0, "{write_rate}");
        assert!(replay_rate > 1_000_000.0, "{replay_rate}");
    }
}
