//! Queue of verifications: a limited number runs at the same time, the rest waits in order.

use std::collections::VecDeque;
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::{Arc, Mutex, PoisonError};
use std::task::{Context, Poll, Wake, Waker};
use std::time::Duration;

use crate::check_result::CheckResult;
use crate::claim::CitationClaim;
use crate::host::{LayerHost, Timer};
use crate::late_results::OverdueCheck;
use crate::options::LayerOptions;
use crate::verifier::{CitationVerifier, PendingCheck};

/// Waker shared by all open verifications. It records that one of them can make progress, so that polling the queue
/// costs one atomic swap while a text arrives in many deltas.
#[derive(Default)]
struct CheckWaker {
    is_woken: AtomicBool,
    /// Waker of the task that polls the stream.
    task: Mutex<Option<Waker>>,
}

impl Wake for CheckWaker {
    fn wake(self: Arc<Self>) {
        self.wake_by_ref();
    }

    fn wake_by_ref(self: &Arc<Self>) {
        self.is_woken.store(true, Ordering::Release);
        let task = self.task.lock();
        let task = task.unwrap_or_else(PoisonError::into_inner).clone();
        if let Some(task) = task {
            task.wake();
        }
    }
}

/// Verifications of a stream of runs. Ledger entries are identified by their index.
pub(crate) struct VerificationQueue {
    waker: Arc<CheckWaker>,
    /// Copy of the task's waker, to notice a change without locking.
    task: Waker,
    verifier: Arc<dyn CitationVerifier>,
    host: Arc<dyn LayerHost>,
    limit: usize,
    timeout: Duration,
    /// Verifications that run; never more than `limit`.
    open: Vec<OpenCheck>,
    waiting: VecDeque<(usize, CitationClaim)>,
}

/// A verification that runs.
struct OpenCheck {
    entry: usize,
    claim: CitationClaim,
    check: PendingCheck,
    /// Timer of the timeout; created when the first poll was not ready.
    timer: Option<Timer>,
}

/// A verification that left the queue.
pub(crate) enum CheckOutcome {
    Finished(CitationClaim, Box<CheckResult>),
    /// It reached its timeout and continues outside of the run.
    Overdue(OverdueCheck),
}

impl VerificationQueue {
    pub(crate) fn new(
        verifier: Arc<dyn CitationVerifier>,
        host: Arc<dyn LayerHost>,
        options: &LayerOptions,
    ) -> Self {
        Self {
            waker: Arc::default(),
            task: Waker::noop().clone(),
            verifier,
            host,
            limit: options.max_checks.max(1),
            timeout: options.deadline,
            open: Vec::new(),
            waiting: VecDeque::new(),
        }
    }

    /// Returns true if no verification is open. Claims only wait while others are open.
    pub(crate) fn is_idle(&self) -> bool {
        self.open.is_empty()
    }

    /// Starts the verification of a ledger entry, or enqueues it.
    pub(crate) fn enqueue(&mut self, entry: usize, claim: CitationClaim) {
        self.waker.is_woken.store(true, Ordering::Release);
        if self.open.len() < self.limit {
            let check = self.verifier.verify(claim.clone());
            self.open.push(OpenCheck {
                entry,
                claim,
                check,
                timer: None,
            });
        } else {
            self.waiting.push_back((entry, claim));
        }
    }

    /// Returns the next verification that finished or reached its timeout, with its ledger entry.
    pub(crate) fn poll(
        &mut self,
        context: &mut Context<'_>,
        run_id: &Arc<str>,
    ) -> Option<(usize, CheckOutcome)> {
        if !self.task.will_wake(context.waker()) {
            self.task = context.waker().clone();
            let task = self.waker.task.lock();
            *task.unwrap_or_else(PoisonError::into_inner) = Some(self.task.clone());
        }
        // A wake-up after this swap is seen by the next call.
        if !self.waker.is_woken.swap(false, Ordering::AcqRel) {
            return None;
        }
        let waker = Waker::from(Arc::clone(&self.waker));
        let context = &mut Context::from_waker(&waker);
        for at in 0..self.open.len() {
            let open = &mut self.open[at];
            let result = match open.check.as_mut().poll(context) {
                Poll::Ready(result) => Some(result),
                Poll::Pending => {
                    let (host, timeout) = (&self.host, self.timeout);
                    let timer = open.timer.get_or_insert_with(|| host.sleep(timeout));
                    if timer.as_mut().poll(context).is_pending() {
                        continue;
                    }
                    None
                }
            };
            let open = self.open.remove(at);
            // Others may have finished too: the next call must poll them.
            self.waker.is_woken.store(true, Ordering::Release);
            if let Some((entry, claim)) = self.waiting.pop_front() {
                self.enqueue(entry, claim);
            }
            let outcome = match result {
                Some(result) => CheckOutcome::Finished(open.claim, Box::new(result)),
                None => {
                    CheckOutcome::Overdue(OverdueCheck::started(&open.claim, run_id, open.check))
                }
            };
            return Some((open.entry, outcome));
        }
        None
    }

    /// Empties the queue and returns everything that has not finished, with its ledger entries.
    pub(crate) fn abandon(&mut self, run_id: &Arc<str>) -> Vec<(usize, OverdueCheck)> {
        let open = self.open.drain(..).map(|open| {
            let overdue = OverdueCheck::started(&open.claim, run_id, open.check);
            (open.entry, overdue)
        });
        let verifier = &self.verifier;
        let waiting = self
            .waiting
            .drain(..)
            .map(|(entry, claim)| (entry, OverdueCheck::waiting(&claim, run_id, verifier)));
        open.chain(waiting).collect()
    }
}

#[cfg(test)]
mod tests {
    use citations::Citation;

    use super::*;

    /// Finishes claims with an even document index at once and the others never.
    struct EvenOnly;

    impl CitationVerifier for EvenOnly {
        fn verify(&self, claim: CitationClaim) -> PendingCheck {
            match claim.document_index.is_some_and(|index| index % 2 == 0) {
                true => Box::pin(std::future::ready(CheckResult::default())),
                false => Box::pin(std::future::pending()),
            }
        }
    }

    struct NoClock;

    impl LayerHost for NoClock {
        fn now(&self) -> u64 {
            0
        }

        fn sleep(&self, _: Duration) -> Timer {
            Box::pin(std::future::pending())
        }

        fn new_id(&self) -> String {
            String::new()
        }
    }

    fn queue(limit: usize) -> VerificationQueue {
        let options = LayerOptions {
            max_checks: limit,
            ..LayerOptions::default()
        };
        VerificationQueue::new(Arc::new(EvenOnly), Arc::new(NoClock), &options)
    }

    fn claim(index: u64) -> CitationClaim {
        let citation = Citation::default();
        CitationClaim {
            thread_id: Arc::from("t"),
            message_id: Arc::from("m"),
            key: citation.key(),
            id: citation.id(),
            citation: Arc::new(citation),
            document_index: Some(index),
            other_names: Vec::new(),
        }
    }

    fn finished(queue: &mut VerificationQueue) -> Vec<usize> {
        let run_id = Arc::from("r");
        let mut context = Context::from_waker(Waker::noop());
        let mut entries = Vec::new();
        while let Some((entry, _)) = queue.poll(&mut context, &run_id) {
            entries.push(entry);
        }
        entries
    }

    #[test]
    fn starts_waiting_claims_when_others_finish() {
        let mut queue = queue(2);
        for entry in [0, 1, 2, 4] {
            queue.enqueue(entry, claim(entry as u64));
        }
        assert_eq!(queue.open.len(), 2);
        assert_eq!(finished(&mut queue), [0, 2, 4]);
        assert!(!queue.is_idle());
    }

    #[test]
    fn returns_open_and_waiting_claims_when_abandoned() {
        let mut queue = queue(1);
        for entry in [1, 3] {
            queue.enqueue(entry, claim(entry as u64));
        }
        let abandoned = queue.abandon(&Arc::from("r"));
        let entries: Vec<usize> = abandoned.iter().map(|(entry, _)| *entry).collect();
        assert_eq!(entries, [1, 3]);
        assert!(queue.is_idle());
    }
}
