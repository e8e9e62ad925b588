//! Interval between batches: slow events leave at once, fast events leave together.

use tokio::time::Instant;

use super::*;

const DELTAS: u32 = 40;

/// Returns the arrival time of each delta for an agent that sends one every so many milliseconds, and the number of
/// body frames.
async fn arrivals(every: u64) -> (Vec<u128>, usize) {
    let mut steps = answer("x");
    let delta = steps.remove(2);
    let each = [ScriptStep::Wait(Duration::from_millis(every)), delta];
    let deltas = std::iter::repeat_n(each, DELTAS as usize).flatten();
    steps.splice(2..2, deltas);
    let server = RunServer::of(steps).await;
    let start = Instant::now();
    let mut response = server.run("t", "r").await;
    let (mut arrived, mut pieces) = (Vec::new(), 0);
    while response.more().await {
        pieces += 1;
        let deltas = response.buffer.matches("TEXT_MESSAGE_CONTENT").count();
        arrived.extend(std::iter::repeat_n(start.elapsed().as_millis(), deltas));
        response.buffer.clear();
    }
    assert_eq!(arrived.len(), DELTAS as usize);
    (arrived, pieces)
}

#[tokio::test(start_paused = true)]
async fn slow_events_leave_at_once() {
    let (arrived, _) = arrivals(20).await;
    let said: Vec<u128> = (1..=u128::from(DELTAS)).map(|n| n * 20).collect();
    assert_eq!(arrived, said);
}

#[tokio::test(start_paused = true)]
async fn fast_events_leave_together_within_two_milliseconds() {
    let (arrived, pieces) = arrivals(1).await;
    assert!(pieces <= DELTAS as usize / 2 + 2, "{pieces} pieces");
    for (said, arrived) in (1..).zip(arrived) {
        assert!((said..=said + 2).contains(&arrived), "{said}: {arrived}");
    }
}
