//! Citations from their appearance to their result: entered into the ledger, verified, settled.

use std::sync::Arc;
use std::task::Context;

use agui::event::{Custom, Event};
use citations::{Citation, ParsedCitation, print_number};
use hashbrown::HashSet;
use json::{Json, Map, Text, Value};

use crate::claim::{CitationClaim, source_names};
use crate::host::LayerHost;
use crate::late_results::OverdueCheck;
use crate::ledger::{CitationOutcome, LedgerEntry};
use crate::options::LayerOptions;
use crate::published_ledger::PublishedLedger;
use crate::verification_queue::{CheckOutcome, VerificationQueue};
use citations::resolve::StatusCategory;

/// A citation to be added to a message.
pub(crate) struct NewCitation {
    pub(crate) citation: Citation,
    pub(crate) marker: Option<String>,
    /// Index of the cited document among those given to the model.
    pub(crate) document_index: Option<u64>,
    /// Names that the agent gives to the source.
    pub(crate) other_names: Vec<String>,
}

impl From<ParsedCitation> for NewCitation {
    fn from(found: ParsedCitation) -> Self {
        let marker = match &found.citation.citation_number {
            Some(number) => {
                let mut marker = String::new();
                print_number(number, &mut |digits| marker.push_str(digits));
                Some(marker)
            }
            None => found.label,
        };
        Self {
            citation: found.citation,
            marker,
            document_index: found.document_index,
            other_names: Vec::new(),
        }
    }
}

/// Enters citations into the ledger, has them verified and publishes the results.
pub(crate) struct CitationTracker {
    pub(crate) published: PublishedLedger,
    queue: VerificationQueue,
    options: Arc<LayerOptions>,
    host: Arc<dyn LayerHost>,
    thread_id: Arc<str>,
    run_id: Arc<str>,
    /// Number of runs that have started.
    run: u64,
    /// Entries of earlier runs that are verified again; their turns have to be updated.
    rechecked: HashSet<usize>,
}

impl CitationTracker {
    pub(crate) fn new(
        published: PublishedLedger,
        queue: VerificationQueue,
        options: Arc<LayerOptions>,
        host: Arc<dyn LayerHost>,
        (thread_id, run_id): (&str, &str),
    ) -> Self {
        Self {
            published,
            queue,
            options,
            host,
            thread_id: Arc::from(thread_id),
            run_id: Arc::from(run_id),
            run: 0,
            rechecked: HashSet::new(),
        }
    }

    pub(crate) fn thread_id(&self) -> &str {
        &self.thread_id
    }

    pub(crate) fn run_id(&self) -> &str {
        &self.run_id
    }

    /// Returns the number of runs that have started.
    pub(crate) fn run_count(&self) -> u64 {
        self.run
    }

    /// Returns true if no verification is open.
    pub(crate) fn is_idle(&self) -> bool {
        self.queue.is_idle()
    }

    /// Starts a run. The first run of a stream verifies restored citations that have no result.
    pub(crate) fn begin_run(&mut self, state: Option<Json>) {
        self.published.begin_run(state);
        self.run += 1;
        if self.run == 1 {
            self.check_restored();
        }
        self.published.restore();
    }

    /// Ends a run and hands the ledger to the host.
    pub(crate) fn end_run(&mut self) {
        let record = self.published.end_run();
        let ledger = self.published.ledger();
        self.host
            .save_thread(&self.thread_id, &self.run_id, ledger, record);
    }

    /// Adds a citation to a message and starts its verification.
    pub(crate) fn cite(&mut self, message: usize, new: NewCitation) {
        let Some(place) = self.published.ledger().message_at(message) else {
            return;
        };
        let message_id = Arc::clone(&place.id);
        let now = self.event_time();
        let citation = Arc::new(new.citation);
        let added = self.published.cite(message, &citation, new.marker, now);
        let Some((at, is_new)) = added else {
            return;
        };
        let Some(entry) = self.published.ledger().entry(at) else {
            return;
        };
        let (key, id) = (entry.key, entry.id);
        let needs_check = self.needs_check(entry, is_new);
        if is_new {
            self.send_progress("citation.seen", &message_id, at, None);
        }
        if needs_check {
            self.published.begin_check(at, self.run);
            let claim = CitationClaim {
                thread_id: Arc::clone(&self.thread_id),
                message_id,
                key,
                id,
                citation,
                document_index: new.document_index,
                other_names: new.other_names,
            };
            self.queue.enqueue(at, claim);
        }
    }

    /// Returns true if a citation has to be verified. A verified citation stays verified; a missed one is verified
    /// again where another message cites it, but only once in a run.
    fn needs_check(&self, entry: &LedgerEntry, is_new: bool) -> bool {
        match &entry.outcome {
            None => !entry.checking,
            Some(outcome) => {
                is_new
                    && !entry.checking
                    && matches!(
                        outcome.category,
                        StatusCategory::Missed | StatusCategory::Pending
                    )
                    && entry.checked_in != Some(self.run)
            }
        }
    }

    /// Verifies restored citations without a result: those that a client claims, and those whose verification was
    /// interrupted by the end of the program.
    fn check_restored(&mut self) {
        for at in self.published.ledger().unverified_entries() {
            let ledger = self.published.ledger();
            let Some(entry) = ledger.entry(at) else {
                continue;
            };
            let message = entry.messages.first();
            let message = message.and_then(|message| ledger.message_at(*message));
            let claim = CitationClaim {
                thread_id: Arc::clone(&self.thread_id),
                message_id: message
                    .map_or_else(|| Arc::from(""), |message| Arc::clone(&message.id)),
                key: entry.key,
                id: entry.id,
                citation: Arc::clone(&entry.citation),
                document_index: None,
                other_names: source_names(&entry.citation),
            };
            self.published.begin_check(at, self.run);
            self.rechecked.insert(at);
            self.queue.enqueue(at, claim);
        }
    }

    /// Publishes the next verification that finished or reached its timeout. Returns false if there is none.
    pub(crate) fn poll(&mut self, context: &mut Context<'_>) -> bool {
        let (entry, claim, result) = match self.queue.poll(context, &self.run_id) {
            None => return false,
            Some((entry, CheckOutcome::Finished(claim, result))) => (entry, claim, result),
            Some((entry, CheckOutcome::Overdue(overdue))) => {
                self.detach_check(entry, overdue);
                return true;
            }
        };
        let seen = self.published.ledger().entry(entry);
        let seen = seen.map_or(0, |entry| entry.seen);
        let outcome = CitationOutcome::new(&result, self.options.names);
        let updates_turns = self.rechecked.remove(&entry);
        self.published.settle(entry, outcome, updates_turns);
        let took = self.event_time().saturating_sub(seen);
        let id = &claim.message_id;
        self.send_progress("citation.verified", id, entry, Some(took));
        if result.verification.evidence.is_some() || result.url.is_some() {
            self.send_progress("evidence.ready", id, entry, Some(took));
        }
        true
    }

    /// Hands all open verifications to the host, because the run ends.
    pub(crate) fn abandon_checks(&mut self) {
        for (entry, overdue) in self.queue.abandon(&self.run_id) {
            self.detach_check(entry, overdue);
        }
    }

    fn detach_check(&mut self, entry: usize, overdue: OverdueCheck) {
        self.published.abandon_check(entry);
        self.host.take_overdue(overdue);
    }

    /// Returns the current time in milliseconds, or 0 if no custom events need it.
    fn event_time(&self) -> u64 {
        match self.options.custom_events {
            true => self.host.now(),
            false => 0,
        }
    }

    /// Sends a custom event about a citation, if they are switched on.
    fn send_progress(&mut self, name: &str, message_id: &str, entry: usize, took: Option<u64>) {
        if !self.options.custom_events || !self.published.is_running() {
            return;
        }
        let Some(entry) = self.published.ledger().entry(entry) else {
            return;
        };
        let number = |number: u64| Value::from(i64::try_from(number).unwrap_or(i64::MAX));
        let mut value = Map::new();
        value.insert("messageId".to_owned(), Value::from(message_id));
        value.insert("key".to_owned(), Value::from(entry.key.to_string()));
        value.insert("at".to_owned(), number(self.host.now()));
        if let Some(took) = took {
            value.insert("timeToCertaintyMs".to_owned(), number(took));
        }
        self.published.outgoing.after.push(Event::from(Custom {
            name: Text::from(name),
            value: Json::from(Value::Object(value)),
        }));
    }
}
