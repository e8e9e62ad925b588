//! Citations on their way: into the model, to be checked, and back with a result.

use std::sync::Arc;
use std::task::Context;

use agui::event::{Custom, Event};
use json::{Json, Map, Text, Value};

use super::checks::{CheckOutcome, OverdueCheck, complete};
use super::desk::{Desk, OutgoingEvents};
use super::ledger::CitationOutcome;
use super::tally::SummaryCategory;
use super::verifier::CitationClaim;
use crate::project::{LedgerChange, StateProjection, rag};
use citations::Citation;
use citations::ParsedCitation;
use citations::print_number;

/// A citation to be added to a message.
pub(super) struct NewCitation {
    pub(super) citation: Citation,
    pub(super) marker: Option<String>,
    pub(super) document_index: Option<u64>,
    pub(super) other_names: Vec<String>,
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

impl Desk {
    /// Adds a citation to a message, and has it checked.
    pub(super) fn cite(&mut self, place: usize, quoted: NewCitation, outbox: &mut OutgoingEvents) {
        let Some(message) = self.ledger.message_at(place) else {
            return;
        };
        let message_id = Arc::clone(&message.id);
        let now = self.now();
        let citation = Arc::new(quoted.citation);
        let Some(mut cited) = self.ledger.cite(place, &citation, quoted.marker, now) else {
            return;
        };
        let at = cited.entry;
        if self.client.is_active(StateProjection::Rag) {
            cited.new_number = rag::assign(&mut self.ledger, at);
        }
        let new = cited.new_place;
        if new || cited.new_number || cited.marker.is_some() {
            self.publish(&LedgerChange::Cited(place, cited), outbox);
        }
        let Some(entry) = self.ledger.entry(at) else {
            return;
        };
        let (key, id) = (entry.key, entry.id);
        // What was found stays found. What was not may be found by now, where it is cited again; but not
        // twice in a run.
        let check = match &entry.outcome {
            None => !entry.checking,
            Some(outcome) => {
                new && !entry.checking
                    && matches!(
                        outcome.count,
                        SummaryCategory::Missed | SummaryCategory::Pending
                    )
                    && entry.checked_in != Some(self.run)
            }
        };
        if new {
            self.tell("citation.seen", &message_id, at, None, outbox);
        }
        if check {
            self.ledger.begin_check(at, self.run);
            let claim = CitationClaim {
                thread_id: Arc::clone(&self.thread_id),
                message_id,
                key,
                id,
                citation,
                document_index: quoted.document_index,
                other_names: quoted.other_names,
            };
            self.checks.begin(at, claim);
        }
    }

    fn now(&self) -> u64 {
        if self.options.custom_events {
            self.host.now()
        } else {
            0
        }
    }

    /// An event about the life of a citation, for those who want them.
    fn tell(
        &self,
        name: &str,
        message_id: &str,
        entry: usize,
        took: Option<u64>,
        outbox: &mut OutgoingEvents,
    ) {
        let Some(entry) = self.ledger.entry(entry) else {
            return;
        };
        if !self.options.custom_events || !self.running {
            return;
        }
        let number = |number: u64| Value::from(i64::try_from(number).unwrap_or(i64::MAX));
        let mut value = Map::new();
        value.insert("messageId".to_owned(), Value::from(message_id));
        value.insert("key".to_owned(), Value::from(entry.key.to_string()));
        value.insert("at".to_owned(), number(self.host.now()));
        if let Some(took) = took {
            value.insert("timeToCertaintyMs".to_owned(), number(took));
        }
        outbox.after.push(Event::from(Custom {
            name: Text::from(name),
            value: Json::from(Value::Object(value)),
        }));
    }

    /// Takes a check that has ended, if one has; whether one had.
    pub(super) fn poll_checks(
        &mut self,
        context: &mut Context<'_>,
        outbox: &mut OutgoingEvents,
    ) -> bool {
        let (entry, claim, finding) = match self.checks.poll(context, &self.run_id) {
            None => return false,
            Some((entry, CheckOutcome::Found(claim, finding))) => (entry, claim, finding),
            Some((entry, CheckOutcome::Late(overdue))) => {
                self.let_go(entry, overdue, outbox);
                return true;
            }
        };
        let seen = self.ledger.entry(entry).map_or(0, |entry| entry.seen);
        let outcome = CitationOutcome::new(&finding, self.options.names);
        let mut changes = Vec::new();
        if let Some(settled) = self.ledger.settle(entry, outcome) {
            rag::refresh(&mut self.ledger, entry);
            changes.push(LedgerChange::Settled(entry, settled));
            if self.again.remove(&entry) {
                let turns = rag::reassess(&mut self.ledger, entry);
                changes.extend(turns.into_iter().map(LedgerChange::Retold));
            }
        }
        changes.extend(
            complete(&mut self.ledger, entry)
                .into_iter()
                .map(LedgerChange::Progress),
        );
        self.publish_all(&changes, outbox);
        let took = self.now().saturating_sub(seen);
        let id = &claim.message_id;
        self.tell("citation.verified", id, entry, Some(took), outbox);
        if finding.verification.evidence.is_some() || finding.url.is_some() {
            self.tell("evidence.ready", id, entry, Some(took), outbox);
        }
        true
    }

    /// Gives up on the checks that are open: they go on, but outside of the run.
    pub(super) fn abandon_checks(&mut self, outbox: &mut OutgoingEvents) {
        for (entry, overdue) in self.checks.abandon(&self.run_id) {
            self.let_go(entry, overdue, outbox);
        }
    }

    fn let_go(&mut self, entry: usize, overdue: OverdueCheck, outbox: &mut OutgoingEvents) {
        for place in self.ledger.abandon_check(entry) {
            self.publish(&LedgerChange::Progress(place), outbox);
        }
        self.host.overdue(overdue);
    }
}
