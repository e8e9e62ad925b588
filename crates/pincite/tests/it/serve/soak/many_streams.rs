//! Many runs at the same time.
#![allow(clippy::print_stdout)] // the long form prints its figures

use std::sync::atomic::{AtomicU16, AtomicUsize, Ordering};
use std::thread;
use std::time::{Duration, Instant};

use super::{RunFollower, ShownEvents, SoakServer, is_long, recording};
use crate::harness::{ServerProcess, unused_path};

/// Runs of each stream in the short form.
const SHORT_RUNS: usize = 2;

#[test]
fn many_streams_run_at_once_within_bounded_memory() {
    let (streams, pace) = if is_long() { (1_000, "100") } else { (60, "5") };
    let answer = recording("many.jsonl", 50, 20);
    let upstream = ServerProcess::recordings(&[&answer, "--pace", pace]);
    let server = SoakServer::start(&unused_path("many"), &upstream.url);
    let (started, duration) = (Instant::now(), long_duration());
    let has_time = |runs: usize| match duration {
        Some(duration) => started.elapsed() < duration,
        None => runs < SHORT_RUNS,
    };
    let port = AtomicU16::new(server.port);
    let (received, resumed, finished) = (
        AtomicUsize::new(0),
        AtomicUsize::new(0),
        AtomicUsize::new(0),
    );
    let follower = RunFollower {
        port: &port,
        received: &received,
        resumed: &resumed,
    };
    let mut memory = vec![server.memory()];
    thread::scope(|scope| {
        for client in 0..streams {
            let (follower, finished, has_time) = (&follower, &finished, &has_time);
            let body = move || {
                let thread = format!("t{client}");
                let mut run = 0;
                while run == 0 || has_time(run) {
                    let mut shown = ShownEvents::new();
                    follower.follow(&thread, &format!("r{run}"), &mut shown);
                    let last = shown.last_key_value().expect("a terminal event").1;
                    assert!(last.contains("\"RUN_FINISHED\""), "{last}");
                    finished.fetch_add(1, Ordering::Relaxed);
                    run += 1;
                }
            };
            let small = thread::Builder::new().stack_size(256 << 10);
            small.spawn_scoped(scope, body).expect("a thread");
        }
        while let Some(duration) = duration.filter(|duration| started.elapsed() < *duration) {
            thread::sleep(duration / 20);
            memory.push(server.memory());
        }
    });
    let runs = finished.load(Ordering::Relaxed);
    assert!(runs >= streams);
    // Memory must not grow with the length of the conversations.
    let (early, late) = (memory[memory.len() / 2], memory[memory.len() - 1]);
    assert!(late <= early + early / 5 + 16_384, "{memory:?}");
    println!(
        "{streams} streams, {runs} runs in {:?}, {} MiB at half time, {} MiB at the end",
        started.elapsed(),
        early >> 10,
        late >> 10
    );
}

/// Returns the duration of the long form: `PINCITE_SOAK_SECONDS`, by default ten minutes.
fn long_duration() -> Option<Duration> {
    let seconds = std::env::var("PINCITE_SOAK_SECONDS").ok();
    let seconds = seconds.and_then(|seconds| seconds.parse().ok());
    is_long().then(|| Duration::from_secs(seconds.unwrap_or(600)))
}
