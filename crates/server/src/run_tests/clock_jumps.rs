//! Runs while the system clock jumps by hours in both directions.

use std::sync::atomic::{AtomicI64, Ordering};

use axum::http::Method;
use tokio::time::{Instant, advance};

use super::*;

const HOUR: i64 = 3_600_000;
const NOON: i64 = 1_800_000_000_000;

/// Declares a clock for one test and a function that sets it.
macro_rules! clock {
    ($set:ident, $clock:ident) => {
        static TIME: AtomicI64 = AtomicI64::new(NOON);
        fn $clock() -> Timestamp {
            Timestamp(TIME.load(Ordering::Relaxed))
        }
        fn $set(hours: i64) {
            TIME.store(NOON + hours * HOUR, Ordering::Relaxed);
        }
    };
}

#[tokio::test(start_paused = true)]
async fn events_and_runs_stay_in_order_when_the_clock_jumps() {
    clock!(set, clock);
    let mut steps = answer("hello");
    steps.insert(2, ScriptStep::Wait(Duration::from_secs(1)));
    let agents = vec![("a", agent(steps))];
    let server = RunServer::with_clock(Arc::new(MemoryStore::new()), agents, clock).await;
    let mut sequences = Vec::new();
    for (run, hours) in [("r1", -5), ("r2", 7), ("r3", -100)] {
        let mut response = server.run("t", run).await;
        sequences.push(response.next().await.expect("a beginning").0);
        // The clock jumps in the middle of the run.
        set(hours);
        sequences.extend(response.all().await.iter().map(|(id, _)| *id));
    }
    let numbered = (1..=sequences.len() as u64).map(Some);
    assert_eq!(sequences, numbered.collect::<Vec<_>>());
    let thread = server.get("/threads/t").await;
    assert_eq!(thread["lastRun"]["id"].as_str(), Some("r3"));
    assert_eq!(thread["lastRun"]["status"].as_str(), Some("finished"));
    let turns = server.get("/threads/t/turns").await;
    let runs = turns.as_array().expect("turns").iter();
    let runs: Vec<_> = runs.map(|turn| turn["runId"].as_str()).collect();
    assert_eq!(runs, [Some("r3")], "the last input is the conversation");
    let messages = server.get("/threads/t/messages").await;
    assert_eq!(messages.as_array().map(<[Value]>::len), Some(2));
}

#[tokio::test(start_paused = true)]
async fn clock_jumps_do_not_change_how_long_a_run_lingers() {
    clock!(set, clock);
    let agents = vec![("a", agent(vec![say(STARTED), ScriptStep::Hang]))];
    let server = RunServer::with_clock(Arc::new(MemoryStore::new()), agents, clock).await;
    for (thread, hours) in [("t1", 48), ("t2", -48)] {
        let mut response = server.run(thread, "r").await;
        response.next().await;
        drop(response);
        set(hours);
        let left = Instant::now();
        advance(Duration::from_secs(4 * 60)).await;
        let going = server.get(&format!("/threads/{thread}")).await;
        assert_eq!(
            going["lastRun"]["status"].as_str(),
            Some("running"),
            "{hours}"
        );
        // Without a subscriber the run is cancelled after five minutes.
        let path = format!("/threads/{thread}/events?after=0");
        loop {
            let shown = server.get(&format!("/threads/{thread}")).await;
            if shown["lastRun"]["status"].as_str() == Some("cancelled") {
                break;
            }
            assert!(left.elapsed() < Duration::from_secs(10 * 60), "{hours}");
            advance(Duration::from_secs(5)).await;
        }
        assert!(left.elapsed() >= Duration::from_secs(5 * 60), "{hours}");
        let (status, _) = server.send(Method::GET, &path, &[], "").await;
        assert_eq!(status, 200);
    }
}
