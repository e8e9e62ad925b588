//! Tests of the delay of events: slow ones are sent at once, quick ones in batches.

use tokio::time::Instant;

use super::*;

const DELTAS: u32 = 40;

/// Returns the arrival times of deltas that an agent sends at this interval in milliseconds, and the number of
/// pieces in which they arrive.
async fn arrivals(every: u64) -> (Vec<u128>, usize) {
    let mut steps = answer("x");
    let delta = steps.remove(2);
    let each = [Step::Wait(Duration::from_millis(every)), delta];
    let deltas = std::iter::repeat_n(each, DELTAS as usize).flatten();
    steps.splice(2..2, deltas);
    let rig = Rig::of(steps).await;
    let start = Instant::now();
    let mut watching = rig.run("t", "r").await;
    let (mut arrived, mut pieces) = (Vec::new(), 0);
    while watching.more().await {
        pieces += 1;
        let deltas = watching.buffer.matches("TEXT_MESSAGE_CONTENT").count();
        arrived.extend(std::iter::repeat_n(start.elapsed().as_millis(), deltas));
        watching.buffer.clear();
    }
    assert_eq!(arrived.len(), DELTAS as usize);
    (arrived, pieces)
}

#[tokio::test(start_paused = true)]
async fn slow_events_are_sent_at_once() {
    let (arrived, _) = arrivals(20).await;
    let said: Vec<u128> = (1..=u128::from(DELTAS)).map(|n| n * 20).collect();
    assert_eq!(arrived, said);
}

#[tokio::test(start_paused = true)]
async fn quick_events_are_sent_in_batches_with_little_delay() {
    let (arrived, pieces) = arrivals(1).await;
    assert!(pieces <= DELTAS as usize / 2 + 2, "{pieces} pieces");
    for (said, arrived) in (1..).zip(arrived) {
        assert!((said..=said + 2).contains(&arrived), "{said}: {arrived}");
    }
}
