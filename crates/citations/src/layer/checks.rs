//! Checks under way: so many at once, the rest in a row, and what becomes of those that are late.

use std::collections::VecDeque;
use std::future::Future;
use std::pin::Pin;
use std::sync::Arc;
use std::task::{Context, Poll};

use agui::json::Json;
use agui::patch::Operation;

use super::client::Client;
use super::host::Options;
use super::ledger::{Ledger, Outcome};
use super::tally::Progress;
use super::verifier::{Checking, Claim, Finding, Verifier};
use crate::key::Key;
use crate::project::{Change, rag};

/// The checks of a run.
pub(super) struct Checks {
    verifier: Arc<dyn Verifier>,
    limit: usize,
    /// Never more than `limit`.
    open: Vec<(usize, Claim, Checking)>,
    waiting: VecDeque<(usize, Claim)>,
}

impl Checks {
    pub(super) fn new(verifier: Arc<dyn Verifier>, limit: usize) -> Self {
        Self {
            verifier,
            limit: limit.max(1),
            open: Vec::new(),
            waiting: VecDeque::new(),
        }
    }

    pub(super) fn is_idle(&self) -> bool {
        self.open.is_empty()
    }

    /// Begins a check of an entry, or puts it in the row.
    pub(super) fn begin(&mut self, entry: usize, claim: Claim) {
        if self.open.len() < self.limit {
            let checking = self.verifier.verify(claim.clone());
            self.open.push((entry, claim, checking));
        } else {
            self.waiting.push_back((entry, claim));
        }
    }

    /// The next check that has ended: its entry and what was found.
    pub(super) fn poll(&mut self, context: &mut Context<'_>) -> Option<(usize, Claim, Finding)> {
        for at in 0..self.open.len() {
            if let Poll::Ready(finding) = self.open[at].2.as_mut().poll(context) {
                let (entry, claim, _) = self.open.remove(at);
                if let Some((entry, claim)) = self.waiting.pop_front() {
                    self.begin(entry, claim);
                }
                return Some((entry, claim, finding));
            }
        }
        None
    }

    /// Everything that has not ended.
    pub(super) fn abandon(&mut self, run_id: &Arc<str>) -> Vec<(usize, Overdue)> {
        let verifier = Arc::clone(&self.verifier);
        let started = self.open.drain(..);
        let waiting = self.waiting.drain(..).map(|(entry, claim)| {
            let checking = verifier.verify(claim.clone());
            (entry, claim, checking)
        });
        started
            .chain(waiting)
            .map(|(entry, claim, checking)| {
                let overdue = Overdue {
                    thread_id: Arc::clone(&claim.thread_id),
                    run_id: Arc::clone(run_id),
                    key: claim.key,
                    checking,
                };
                (entry, overdue)
            })
            .collect()
    }
}

/// A check that did not end before its run did.
pub struct Overdue {
    /// The conversation.
    pub thread_id: Arc<str>,
    /// The run that ended.
    pub run_id: Arc<str>,
    /// The citation.
    pub key: Key,
    checking: Checking,
}

impl std::fmt::Debug for Overdue {
    fn fmt(&self, formatter: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        write!(formatter, "Overdue({})", self.key)
    }
}

impl Future for Overdue {
    type Output = Amendment;

    fn poll(mut self: Pin<&mut Self>, context: &mut Context<'_>) -> Poll<Amendment> {
        self.checking
            .as_mut()
            .poll(context)
            .map(|finding| Amendment {
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
    /// What the result changes in the stored state of its thread; nothing if the citation is gone.
    pub fn operations(&self, state: &Json, options: &Options) -> Vec<Operation> {
        let (mut client, mut ledger) = Client::stored(state, options);
        let Some(entry) = ledger.entry_of(self.key) else {
            return Vec::new();
        };
        let outcome = Outcome::new(&self.finding, options.names);
        let mut out = Vec::new();
        if let Some(before) = ledger.settle(entry, outcome) {
            rag::refresh(&mut ledger, entry);
            client.publish(&ledger, &Change::Settled(entry, before), &mut out);
        }
        for at in complete(&mut ledger, entry) {
            client.publish(&ledger, &Change::Progress(at), &mut out);
        }
        out
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
