//! The task of a run: events are stored, then shown.

use std::future::{Future, poll_fn};
use std::pin::pin;
use std::sync::Arc;
use std::task::{Context, Poll};
use std::time::Duration;

use agui::event::{Event, RunError};
use agui::json::Text;
use agui::{AgentError, EventStream, RawEvent};
use store::{OpenRun, RunStatus, Store, StoreError};
use tokio::sync::watch;
use tokio::task::yield_now;
use tokio::time::sleep;
use tracing::Instrument as _;

use super::live::{BlockBuilder, Live};
use super::seen::Seen;
use super::stop::{Stop, told};
use crate::traces;

/// How many bytes are expected of the first block; the others are expected to be like the one before.
const FIRST_BLOCK: usize = 16 * 1024;
/// How many bytes are collected before they are stored, however much more is ready.
const MAX_BLOCK: usize = 64 * 1024;

/// The state after a run with a log of so many bytes is not stored but read back from there when it is asked for.
const READ_BACK: usize = 1 << 20;

/// How often all others go first before what follows the first events is stored: microseconds, unless there is much
/// to do.
const TURNS: usize = 4;

/// A run and where it goes.
pub(crate) struct Drive {
    pub(crate) stream: EventStream,
    pub(crate) live: Arc<Live>,
    pub(crate) open: OpenRun,
    pub(crate) store: Arc<dyn Store>,
    pub(crate) stop: watch::Receiver<Stop>,
    /// How long the stream may take to end once it was told to.
    pub(crate) patience: Duration,
    /// What the client has by now.
    pub(crate) seen: Seen,
    /// How many bytes of it were stored.
    pub(super) stored: usize,
}

/// Why a stream is not read on.
enum Ended {
    No,
    ByItself,
    Stopped(Event),
}

impl Drive {
    /// Stores and shows what the stream says, to its end; how it ended.
    pub(crate) async fn run(&mut self) -> RunStatus {
        let mut slot = RawEvent::default();
        let mut next = self.open.after + 1;
        let mut size = FIRST_BLOCK;
        let mut first = true;
        let (stop, patience) = (&mut self.stop, self.patience);
        let mut overdue = pin!(async {
            let stop = told(stop).await;
            sleep(patience).await;
            failed(stop.message(), stop.code())
        });
        loop {
            let mut block = BlockBuilder::new(next, size);
            let (seen, stream) = (&mut self.seen, &mut self.stream);
            let mut drain = |context: &mut Context<'_>| {
                while block.len() < MAX_BLOCK {
                    match stream.poll_into(context, &mut slot) {
                        Poll::Ready(Some(Ok(()))) => {
                            let later = seen.take(&slot);
                            let json = block.push(&slot);
                            if later {
                                seen.keep(json);
                            }
                        }
                        Poll::Ready(Some(Err(error))) => {
                            return Poll::Ready(Ended::Stopped(broken(&error)));
                        }
                        Poll::Ready(None) => return Poll::Ready(Ended::ByItself),
                        Poll::Pending if block.len() > 0 => return Poll::Ready(Ended::No),
                        Poll::Pending => return overdue.as_mut().poll(context).map(Ended::Stopped),
                    }
                }
                Poll::Ready(Ended::No)
            };
            let mut ended = poll_fn(&mut drain).await;
            if matches!(ended, Ended::No) && !first {
                // Others go first, above all those that have said nothing yet. What comes meanwhile is stored and
                // sent together with this: events that come one by one cost a fraction when they leave together.
                for _ in 0..TURNS {
                    yield_now().await;
                }
                ended = poll_fn(&mut drain).await;
            }
            first = false;
            let goes_on = matches!(ended, Ended::No);
            if let Ended::Stopped(event) = ended {
                let event = RawEvent::Clean(event);
                seen.take(&event);
                block.push(&event);
            }
            let status = seen.status;
            let length = block.len();
            // A little more: a block that has to grow at its end is copied.
            size = length + length / 16;
            if length > 0 {
                let (block, batch) = block.finish();
                let span = traces::append(block.last() + 1 - next, length);
                let stored = self.store.append(self.open, batch).instrument(span);
                if let Err(error) = stored.await {
                    // What cannot be stored is not shown; that it cannot is.
                    self.live.fail(&storage_failed(&error));
                    return RunStatus::Failed;
                }
                next = block.last() + 1;
                self.stored += length;
                if self.stored > READ_BACK {
                    seen.follow_state();
                }
                self.live.publish(block, status != RunStatus::Open);
            }
            if !goes_on {
                return match status {
                    RunStatus::Open => RunStatus::Failed,
                    status => status,
                };
            }
        }
    }
}

pub(super) fn failed(message: &str, code: &str) -> Event {
    Event::from(RunError {
        message: Text::from(message),
        code: Some(Text::from(code)),
        usage: None,
    })
}

/// How a stream that broke off ends for the client.
fn broken(error: &AgentError) -> Event {
    failed(&error.to_string(), error.code())
}

/// How a run ends that cannot be stored any more.
pub(super) fn storage_failed(error: &StoreError) -> Event {
    failed(&format!("{error}; {}", error.remedy()), "storage")
}
