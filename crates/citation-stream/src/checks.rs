//! Checks under way: so many at once, the rest in a row, and what becomes of those that are late.

use std::collections::VecDeque;
use std::future::Future;
use std::pin::Pin;
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::{Arc, Mutex, PoisonError};
use std::task::{Context, Poll, Wake, Waker};
use std::time::Duration;

use super::client::{ClientState, ThreadUpdate};
use super::host::{LayerHost, LayerOptions, ThreadMemory, Timer};
use super::ledger::{CitationOutcome, Ledger};
use super::tally::MessageProgress;
use super::verifier::{CheckResult, Checking, CitationClaim, CitationVerifier};
use crate::project::{LedgerChange, rag};
use citations::CitationKey;

/// Rung by a check that may go on. So checks cost nothing while a text comes in many pieces.
#[derive(Default)]
struct CheckWaker {
    rung: AtomicBool,
    listener: Mutex<Option<Waker>>,
}

impl Wake for CheckWaker {
    fn wake(self: Arc<Self>) {
        self.wake_by_ref();
    }

    fn wake_by_ref(self: &Arc<Self>) {
        self.rung.store(true, Ordering::Release);
        let listener = self.listener.lock();
        let listener = listener.unwrap_or_else(PoisonError::into_inner).clone();
        if let Some(listener) = listener {
            listener.wake();
        }
    }
}

/// The checks of a run.
pub(super) struct VerificationQueue {
    bell: Arc<CheckWaker>,
    /// Who is told by the bell.
    listener: Waker,
    verifier: Arc<dyn CitationVerifier>,
    host: Arc<dyn LayerHost>,
    limit: usize,
    deadline: Duration,
    /// Never more than `limit`.
    open: Vec<OpenCheck>,
    waiting: VecDeque<(usize, CitationClaim)>,
}

/// A check under way.
struct OpenCheck {
    entry: usize,
    claim: CitationClaim,
    checking: Checking,
    /// When it has taken too long; set once it was not ready at once.
    timer: Option<Timer>,
}

/// What became of a check.
pub(super) enum CheckOutcome {
    Found(CitationClaim, Box<CheckResult>),
    /// It takes too long, and goes on without its run.
    Late(OverdueCheck),
}

impl VerificationQueue {
    pub(super) fn new(
        verifier: Arc<dyn CitationVerifier>,
        host: Arc<dyn LayerHost>,
        options: &LayerOptions,
    ) -> Self {
        Self {
            bell: Arc::default(),
            listener: Waker::noop().clone(),
            verifier,
            host,
            limit: options.max_checks.max(1),
            deadline: options.deadline,
            open: Vec::new(),
            waiting: VecDeque::new(),
        }
    }

    pub(super) fn is_idle(&self) -> bool {
        self.open.is_empty()
    }

    /// Begins a check of an entry, or puts it in the row.
    pub(super) fn begin(&mut self, entry: usize, claim: CitationClaim) {
        self.bell.rung.store(true, Ordering::Release);
        if self.open.len() < self.limit {
            let checking = self.verifier.verify(claim.clone());
            self.open.push(OpenCheck {
                entry,
                claim,
                checking,
                timer: None,
            });
        } else {
            self.waiting.push_back((entry, claim));
        }
    }

    /// The next check that has ended, and its entry.
    pub(super) fn poll(
        &mut self,
        context: &mut Context<'_>,
        run_id: &Arc<str>,
    ) -> Option<(usize, CheckOutcome)> {
        if !self.listener.will_wake(context.waker()) {
            self.listener = context.waker().clone();
            let listener = self.bell.listener.lock();
            *listener.unwrap_or_else(PoisonError::into_inner) = Some(self.listener.clone());
        }
        // Whoever rings after this is heard the next time.
        if !self.bell.rung.swap(false, Ordering::AcqRel) {
            return None;
        }
        let waker = Waker::from(Arc::clone(&self.bell));
        let context = &mut Context::from_waker(&waker);
        for at in 0..self.open.len() {
            let open = &mut self.open[at];
            let finding = match open.checking.as_mut().poll(context) {
                Poll::Ready(finding) => Some(finding),
                Poll::Pending => {
                    let (host, deadline) = (&self.host, self.deadline);
                    let timer = open.timer.get_or_insert_with(|| host.sleep(deadline));
                    if timer.as_mut().poll(context).is_pending() {
                        continue;
                    }
                    None
                }
            };
            let open = self.open.remove(at);
            // Others may have ended too.
            self.bell.rung.store(true, Ordering::Release);
            if let Some((entry, claim)) = self.waiting.pop_front() {
                self.begin(entry, claim);
            }
            let ended = match finding {
                Some(finding) => CheckOutcome::Found(open.claim, Box::new(finding)),
                None => CheckOutcome::Late(OverdueCheck::new(
                    &open.claim,
                    run_id,
                    CheckWork::Begun(open.checking),
                )),
            };
            return Some((open.entry, ended));
        }
        None
    }

    /// Everything that has not ended.
    pub(super) fn abandon(&mut self, run_id: &Arc<str>) -> Vec<(usize, OverdueCheck)> {
        let begun = self.open.drain(..).map(|open| {
            let work = CheckWork::Begun(open.checking);
            (open.entry, OverdueCheck::new(&open.claim, run_id, work))
        });
        let verifier = &self.verifier;
        let waiting = self.waiting.drain(..).map(|(entry, claim)| {
            let work = CheckWork::Waiting(claim.clone(), Arc::clone(verifier));
            (entry, OverdueCheck::new(&claim, run_id, work))
        });
        begun.chain(waiting).collect()
    }
}

/// A check that did not end before its run did.
///
/// One that had not begun begins when it is polled: whoever polls decides how many run at once.
pub struct OverdueCheck {
    /// The conversation.
    pub thread_id: Arc<str>,
    /// The run that ended.
    pub run_id: Arc<str>,
    /// The citation.
    pub key: CitationKey,
    work: CheckWork,
}

enum CheckWork {
    Begun(Checking),
    Waiting(CitationClaim, Arc<dyn CitationVerifier>),
}

impl OverdueCheck {
    fn new(claim: &CitationClaim, run_id: &Arc<str>, work: CheckWork) -> Self {
        Self {
            thread_id: Arc::clone(&claim.thread_id),
            run_id: Arc::clone(run_id),
            key: claim.key,
            work,
        }
    }
}

impl std::fmt::Debug for OverdueCheck {
    fn fmt(&self, formatter: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        write!(formatter, "Overdue({})", self.key)
    }
}

impl Future for OverdueCheck {
    type Output = LateResult;

    fn poll(mut self: Pin<&mut Self>, context: &mut Context<'_>) -> Poll<LateResult> {
        if let CheckWork::Waiting(claim, verifier) = &self.work {
            let checking = verifier.verify(claim.clone());
            self.work = CheckWork::Begun(checking);
        }
        let CheckWork::Begun(checking) = &mut self.work else {
            return Poll::Pending;
        };
        checking.as_mut().poll(context).map(|finding| LateResult {
            thread_id: Arc::clone(&self.thread_id),
            run_id: Arc::clone(&self.run_id),
            key: self.key,
            finding,
        })
    }
}

/// A result that came after the end of its run.
#[derive(Debug, Clone)]
pub struct LateResult {
    /// The conversation.
    pub thread_id: Arc<str>,
    /// The run that ended before.
    pub run_id: Arc<str>,
    /// The citation.
    pub key: CitationKey,
    /// What was found.
    pub finding: CheckResult,
}

impl LateResult {
    /// What the result changes in what is remembered of its thread; nothing if the citation is gone.
    pub fn amend(&self, recalled: &ThreadMemory, options: &LayerOptions) -> ThreadUpdate {
        let (mut client, mut ledger) = ClientState::stored(recalled, options);
        let Some(entry) = ledger.entry_of(self.key) else {
            return ThreadUpdate::default();
        };
        let outcome = CitationOutcome::new(&self.finding, options.names);
        let mut out = Vec::new();
        if let Some(settled) = ledger.settle(entry, outcome) {
            rag::refresh(&mut ledger, entry);
            client.publish(&ledger, &LedgerChange::Settled(entry, settled), &mut out);
            for retold in rag::reassess(&mut ledger, entry) {
                client.publish(&ledger, &LedgerChange::Retold(retold), &mut out);
            }
        }
        for at in complete(&mut ledger, entry) {
            client.publish(&ledger, &LedgerChange::Progress(at), &mut out);
        }
        client.amended(out, recalled, &ledger)
    }
}

/// Marks the messages of an entry as complete that wait for nothing else; which they are.
pub(super) fn complete(ledger: &mut Ledger, entry: usize) -> Vec<usize> {
    let messages = ledger.entry(entry).map(|entry| entry.messages.clone());
    let mut done = Vec::new();
    for at in messages.unwrap_or_default() {
        if let Some(message) = ledger.message_mut(at)
            && message.progress == MessageProgress::Verifying
            && message.open == 0
        {
            message.progress = MessageProgress::Complete;
            done.push(at);
        }
    }
    done
}
