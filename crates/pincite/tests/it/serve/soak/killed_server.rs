//! A server that is killed again and again while clients follow runs.
#![allow(clippy::print_stdout)] // the long form prints its figures

use std::sync::atomic::{AtomicBool, AtomicU16, AtomicUsize, Ordering};
use std::thread;
use std::time::{Duration, Instant};

use store::{CheckDepth, OpenOptions, SqliteStore};

use super::{RunFollower, ShownEvents, SoakServer, get, is_long, read_log, recording};
use crate::harness::{ServerProcess, parse, poll_until, unused_path};

#[test]
fn a_killed_server_keeps_every_event_that_a_client_received() {
    let kills = if is_long() { 200 } else { 5 };
    let upstream = ServerProcess::recordings(&[&recording("kill.jsonl", 120, 20), "--pace", "2"]);
    let data = unused_path("kill");
    let mut server = SoakServer::start(&data, &upstream.url);
    let port = AtomicU16::new(server.port);
    let (received, resumed) = (AtomicUsize::new(0), AtomicUsize::new(0));
    let follower = RunFollower {
        port: &port,
        received: &received,
        resumed: &resumed,
    };
    let stop = AtomicBool::new(false);
    let mut slowest = Duration::ZERO;
    let shown: Vec<(String, ShownEvents)> = thread::scope(|scope| {
        let clients: Vec<_> = (0..8)
            .map(|client| {
                let (stop, follower) = (&stop, &follower);
                scope.spawn(move || {
                    let thread = format!("t{client}");
                    let mut shown = ShownEvents::new();
                    let mut run = 0;
                    while !stop.load(Ordering::Relaxed) {
                        follower.follow(&thread, &format!("r{run}"), &mut shown);
                        run += 1;
                    }
                    (thread, shown)
                })
            })
            .collect();
        let mut random = 0x2545_f491_4f6c_dd1d_u64;
        for _ in 0..kills {
            random ^= random << 13;
            random ^= random >> 7;
            random ^= random << 17;
            wait_for_events(&received, 20 + (random % 1_000) as usize);
            server.kill();
            let killed = Instant::now();
            server = SoakServer::start(&data, &upstream.url);
            port.store(server.port, Ordering::Relaxed);
            get(server.port, "/healthz");
            slowest = slowest.max(killed.elapsed());
        }
        stop.store(true, Ordering::Relaxed);
        let ended = clients.into_iter().map(|client| client.join());
        ended.map(|client| client.expect("no fault")).collect()
    });
    let mut events = 0;
    for (thread, shown) in &shown {
        let log = read_log(server.port, thread);
        let sequences: Vec<u64> = log.keys().copied().collect();
        assert_eq!(
            sequences,
            (1..=log.len() as u64).collect::<Vec<_>>(),
            "{thread}"
        );
        for (sequence, event) in shown {
            let logged = log.get(sequence).map(|event| parse(event));
            assert_eq!(logged, Some(parse(event)), "{thread}: {sequence} is lost");
        }
        events += shown.len();
    }
    let resumed = resumed.load(Ordering::Relaxed);
    assert!(resumed > 0, "no client had to resume");
    assert!(
        !is_long() || slowest < Duration::from_secs(2),
        "a restart took {slowest:?}"
    );
    server.kill();
    let store = SqliteStore::open(&OpenOptions::new(&data)).expect("the data");
    let damage = store.check(CheckDepth::Full).wait().expect("a check");
    assert_eq!(damage, Vec::<String>::new());
    println!(
        "{kills} kills, {events} events seen by 8 clients, {resumed} resumed, slowest restart {slowest:?}"
    );
}

/// Waits until the clients received `count` more events.
fn wait_for_events(received: &AtomicUsize, count: usize) {
    let target = received.load(Ordering::Relaxed) + count;
    poll_until("events reach the clients", || {
        (received.load(Ordering::Relaxed) >= target).then_some(())
    });
}
