//! Checks under way: so many at once, the rest in a row, and what becomes of those that are late.

use std::collections::VecDeque;
use std::future::Future;
use std::pin::Pin;
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::{Arc, Mutex, PoisonError};
use std::task::{Context, Poll, Wake, Waker};
use std::time::Duration;

use super::client::{Amended, Client};
use super::host::{Host, Options, Recalled, Timer};
use super::ledger::{Ledger, Outcome};
use super::tally::Progress;
use super::verifier::{Checking, Claim, Finding, Verifier};
use crate::key::Key;
use crate::project::{Change, rag};

/// Rung by a check that may go on. So checks cost nothing while a text comes in many pieces.
#[derive(Default)]
struct Bell {
    rung: AtomicBool,
    listener: Mutex<Option<Waker>>,
}

impl Wake for Bell {
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
pub(super) struct Checks {
    bell: Arc<Bell>,
    /// Who is told by the bell.
    listener: Waker,
    verifier: Arc<dyn Verifier>,
    host: Arc<dyn Host>,
    limit: usize,
    deadline: Duration,
    /// Never more than `limit`.
    open: Vec<Open>,
    waiting: VecDeque<(usize, Claim)>,
}

/// A check under way.
struct Open {
    entry: usize,
    claim: Claim,
    checking: Checking,
    /// When it has taken too long; set once it was not ready at once.
    timer: Option<Timer>,
}

/// What became of a check.
pub(super) enum Ended {
    Found(Claim, Box<Finding>),
    /// It takes too long, and goes on without its run.
    Late(Overdue),
}

impl Checks {
    pub(super) fn new(verifier: Arc<dyn Verifier>, host: Arc<dyn Host>, options: &Options) -> Self {
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
    pub(super) fn begin(&mut self, entry: usize, claim: Claim) {
        self.bell.rung.store(true, Ordering::Release);
        if self.open.len() < self.limit {
            let checking = self.verifier.verify(claim.clone());
            self.open.push(Open {
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
    ) -> Option<(usize, Ended)> {
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
                Some(finding) => Ended::Found(open.claim, Box::new(finding)),
                None => Ended::Late(Overdue::new(
                    &open.claim,
                    run_id,
                    Work::Begun(open.checking),
                )),
            };
            return Some((open.entry, ended));
        }
        None
    }

    /// Everything that has not ended.
    pub(super) fn abandon(&mut self, run_id: &Arc<str>) -> Vec<(usize, Overdue)> {
        let begun = self.open.drain(..).map(|open| {
            let work = Work::Begun(open.checking);
            (open.entry, Overdue::new(&open.claim, run_id, work))
        });
        let verifier = &self.verifier;
        let waiting = self.waiting.drain(..).map(|(entry, claim)| {
            let work = Work::Waiting(claim.clone(), Arc::clone(verifier));
            (entry, Overdue::new(&claim, run_id, work))
        });
        begun.chain(waiting).collect()
    }
}

/// A check that did not end before its run did.
///
/// One that had not begun begins when it is polled: whoever polls decides how many run at once.
pub struct Overdue {
    /// The conversation.
    pub thread_id: Arc<str>,
    /// The run that ended.
    pub run_id: Arc<str>,
    /// The citation.
    pub key: Key,
    work: Work,
}

enum Work {
    Begun(Checking),
    Waiting(Claim, Arc<dyn Verifier>),
}

impl Overdue {
    fn new(claim: &Claim, run_id: &Arc<str>, work: Work) -> Self {
        Self {
            thread_id: Arc::clone(&claim.thread_id),
            run_id: Arc::clone(run_id),
            key: claim.key,
            work,
        }
    }
}

impl std::fmt::Debug for Overdue {
    fn fmt(&self, formatter: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        write!(formatter, "Overdue({})", self.key)
    }
}

impl Future for Overdue {
    type Output = Amendment;

    fn poll(mut self: Pin<&mut Self>, context: &mut Context<'_>) -> Poll<Amendment> {
        if let Work::Waiting(claim, verifier) = &self.work {
            let checking = verifier.verify(claim.clone());
            self.work = Work::Begun(checking);
        }
        let Work::Begun(checking) = &mut self.work else {
            return Poll::Pending;
        };
        checking.as_mut().poll(context).map(|finding| Amendment {
            thread_id: Arc::clone(&self.thread_id),
            run_id: Arc::clone(&self.run_id),
            key: self.key,
            finding,
        })
    }
}

/// A result that came after the end of its run.
#[derive(Debug, Clone)]
pub struct Amendment {
    /// The conversation.
    pub thread_id: Arc<str>,
    /// The run that ended before.
    pub run_id: Arc<str>,
    /// The citation.
    pub key: Key,
    /// What was found.
    pub finding: Finding,
}

impl Amendment {
    /// What the result changes in what is remembered of its thread; nothing if the citation is gone.
    pub fn amend(&self, recalled: &Recalled, options: &Options) -> Amended {
        let (mut client, mut ledger) = Client::stored(recalled, options);
        let Some(entry) = ledger.entry_of(self.key) else {
            return Amended::default();
        };
        let outcome = Outcome::new(&self.finding, options.names);
        let mut out = Vec::new();
        if let Some(settled) = ledger.settle(entry, outcome) {
            rag::refresh(&mut ledger, entry);
            client.publish(&ledger, &Change::Settled(entry, settled), &mut out);
            for retold in rag::reassess(&mut ledger, entry) {
                client.publish(&ledger, &Change::Retold(retold), &mut out);
            }
        }
        for at in complete(&mut ledger, entry) {
            client.publish(&ledger, &Change::Progress(at), &mut out);
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
            && message.progress == Progress::Verifying
            && message.open == 0
        {
            message.progress = Progress::Complete;
            done.push(at);
        }
    }
    done
}
