//! The ledger together with the client's state: changes of the ledger are sent as patches.

use std::sync::Arc;

use agui::event::{Event, StateSnapshot};
use citations::Citation;
use json::patch::PatchOperation;
use json::{Json, Value};

use crate::client_state::ClientState;
use crate::ledger::{
    CitationChange, CitationOutcome, CitationPlacement, Ledger, LedgerChange, LedgerMessage,
};
use crate::outgoing::OutgoingEvents;
use crate::projection::{StateProjection, session};
use crate::summary::MessageProgress;

/// The ledger together with the client's state. Messages and entries are identified by their indexes.
pub(crate) struct PublishedLedger {
    ledger: Ledger,
    client: ClientState,
    /// Events that wait to be sent.
    pub(crate) outgoing: OutgoingEvents,
    /// True between the start and the end of a run: only then events may be sent.
    is_running: bool,
    /// Confidence that the agent stated in this turn, from 0 to 1.
    stated_confidence: Option<f64>,
}

impl PublishedLedger {
    pub(crate) fn new(ledger: Ledger, client: ClientState) -> Self {
        Self {
            ledger,
            client,
            outgoing: OutgoingEvents::default(),
            is_running: false,
            stated_confidence: None,
        }
    }

    pub(crate) fn ledger(&self) -> &Ledger {
        &self.ledger
    }

    pub(crate) fn client(&self) -> &ClientState {
        &self.client
    }

    /// Returns the client's state without our projections, parsed.
    pub(crate) fn agent_value(&mut self) -> &Value {
        self.client.agent_value()
    }

    pub(crate) fn is_running(&self) -> bool {
        self.is_running
    }

    /// Returns true if the session projection is written, which needs numbers and turns.
    pub(crate) fn has_session(&self) -> bool {
        self.client.is_active(StateProjection::Session)
    }

    /// Starts a run. `state`, if given, is sent as a snapshot.
    pub(crate) fn begin_run(&mut self, state: Option<Json>) {
        self.is_running = true;
        if let Some(snapshot) = state {
            let event = Event::from(StateSnapshot { snapshot });
            self.outgoing.after.push(event);
        }
    }

    /// Ends a run and returns the record of the thread.
    pub(crate) fn end_run(&mut self) -> Option<Json> {
        self.is_running = false;
        self.client.record(&self.ledger)
    }

    /// Follows a state snapshot of the agent.
    pub(crate) fn apply_snapshot(&mut self, snapshot: &Json) {
        self.client.apply_snapshot(snapshot, &self.ledger);
    }

    /// Follows a state patch of the agent.
    pub(crate) fn apply_delta(&mut self, patch: &[PatchOperation]) {
        self.client.apply_delta(patch, &self.ledger);
    }

    /// Creates an object as the state, before the received event, if there is no state. Otherwise our first write
    /// would replace what a patch of the agent wrote.
    pub(crate) fn ensure_state(&mut self) {
        if self.client.is_absent() {
            let mut operations = Vec::new();
            self.client.create_object(&mut operations);
            self.outgoing.send_patch_first(operations);
        }
    }

    /// Sends the projections that the client does not have.
    pub(crate) fn restore(&mut self) {
        if !self.is_running {
            return self.client.invalidate();
        }
        let mut operations = Vec::new();
        self.client.restore(&self.ledger, &mut operations);
        self.outgoing.send_patch(operations);
    }

    fn publish(&mut self, change: &LedgerChange) {
        self.publish_all(std::slice::from_ref(change));
    }

    /// Sends changes as one patch.
    fn publish_all(&mut self, changes: &[LedgerChange]) {
        if !self.is_running {
            return self.client.invalidate();
        }
        let mut operations = Vec::new();
        for change in changes {
            self.client.publish(&self.ledger, change, &mut operations);
        }
        self.outgoing.send_patch(operations);
    }

    /// Returns the index of a message, which is created as complete if it is new.
    pub(crate) fn ensure_message(&mut self, id: &str) -> usize {
        let (message, is_new) = self.ledger.begin_message(id);
        if is_new {
            self.set_progress(message, MessageProgress::Complete, None);
            self.publish(&LedgerChange::Message(message));
        }
        message
    }

    /// Returns the index of a message that starts to stream. It must be published with
    /// [`PublishedLedger::publish_message`].
    pub(crate) fn begin_message(&mut self, id: &str) -> usize {
        self.ledger.begin_message(id).0
    }

    /// Sets the progress of a message and sends it as a whole.
    pub(crate) fn publish_message(
        &mut self,
        message: usize,
        progress: MessageProgress,
        error: Option<String>,
    ) {
        self.set_progress(message, progress, error);
        self.publish(&LedgerChange::Message(message));
    }

    /// Sets the progress of a message and sends it.
    pub(crate) fn publish_progress(
        &mut self,
        message: usize,
        progress: MessageProgress,
        error: Option<String>,
    ) {
        self.set_progress(message, progress, error);
        self.publish(&LedgerChange::Progress(message));
    }

    fn set_progress(&mut self, message: usize, progress: MessageProgress, error: Option<String>) {
        if let Some(message) = self.ledger.message_mut(message) {
            message.progress = progress;
            message.error = error;
        }
    }

    /// Sets the outcome that the agent states of a message and sends it.
    pub(crate) fn set_outcome(&mut self, id: &str, outcome: &Value) {
        let Some(at) = self.ledger.message_index(id) else {
            return;
        };
        if let Some(Value::Number(confidence)) = outcome.get("confidence") {
            self.stated_confidence = Some(confidence.as_f64().clamp(0.0, 1.0));
        }
        if let Some(message) = self.ledger.message_mut(at) {
            message.outcome = Some(Json::from(outcome.clone()));
        }
        self.publish(&LedgerChange::Outcome(at));
    }

    /// Marks a message as completely parsed: it is complete, or waits for verifications.
    pub(crate) fn finish_message(&mut self, message: usize) {
        let is_open = self.ledger.message_at(message).is_some_and(|m| m.open > 0);
        let progress = match is_open {
            true => MessageProgress::Verifying,
            false => MessageProgress::Complete,
        };
        self.publish_progress(message, progress, None);
    }

    /// Updates the progress of a message that was completely parsed and has got more citations since.
    pub(crate) fn refresh_progress(&mut self, message: usize) {
        let Some(place) = self.ledger.message_at(message) else {
            return;
        };
        let is_stale = match place.progress {
            MessageProgress::Complete => place.open > 0,
            MessageProgress::Verifying => place.open == 0,
            _ => false,
        };
        if is_stale {
            self.finish_message(message);
        }
    }

    /// Removes the citations of a message whose text has changed and returns them for
    /// [`PublishedLedger::remove_uncited`].
    pub(crate) fn reset_message(&mut self, message: usize) -> Vec<CitationPlacement> {
        self.ledger.reset_message(message)
    }

    /// Removes those of a message's earlier citations that no message cites.
    pub(crate) fn remove_uncited(&mut self, before: &[CitationPlacement]) {
        let removed = self.ledger.remove_uncited(before);
        if !removed.is_empty() {
            self.publish(&LedgerChange::Uncited(removed));
        }
    }

    /// Creates a message with the citations of another that has the same text. Returns its index, or `None` if the new
    /// message exists or the other was never parsed.
    pub(crate) fn copy_message(&mut self, from: &str, to: &str) -> Option<usize> {
        if self.ledger.message_index(to).is_some() {
            return None;
        }
        let from = self.ledger.message_index(from)?;
        self.ledger.copy_message(from, to)
    }

    /// Removes a message that the conversation does not have any more.
    pub(crate) fn remove_message(&mut self, message: usize) {
        if let Some(removed) = self.ledger.evict(message) {
            self.publish(&LedgerChange::Evicted(Box::new(removed)));
        }
    }

    /// Sends a message as a whole.
    pub(crate) fn send_message(&mut self, message: usize) {
        self.publish(&LedgerChange::Message(message));
    }

    /// Adds a citation to a message. Returns its entry and true if it is new in the message, or `None` if other
    /// citations have both keys that it could have.
    pub(crate) fn cite(
        &mut self,
        message: usize,
        citation: &Arc<Citation>,
        marker: Option<String>,
        now: u64,
    ) -> Option<(usize, bool)> {
        let mut change = self.ledger.cite(message, citation, marker, now)?;
        if self.has_session() {
            change.new_number = session::assign_number(&mut self.ledger, change.entry);
            let key = self.ledger.entry(change.entry).map(|entry| entry.key);
            change.new_in_turn = key.is_some_and(|key| self.ledger.session.cite_in_turn(key));
        }
        let (entry, new_place) = (change.entry, change.new_place);
        if new_place || change.new_number || change.new_in_turn || change.marker.is_some() {
            self.publish(&LedgerChange::Cited(message, change));
        }
        Some((entry, new_place))
    }

    /// Adds all citations of a message to another one.
    pub(crate) fn share_all(&mut self, from: usize, to: usize) {
        let Some(message) = self.ledger.message_at(from).cloned() else {
            return;
        };
        for cited in message.cited {
            let key = self.ledger.entry(cited.entry).map(|entry| entry.key);
            let markers = message.markers.iter();
            let markers = markers.filter(|(_, of)| Some(*of) == key);
            let markers = markers.map(|(marker, _)| marker.clone()).collect();
            self.share(to, cited, markers);
        }
        self.refresh_progress(to);
    }

    /// Adds an existing citation to a message, with those of the markers that the text does not define.
    pub(crate) fn share(&mut self, to: usize, cited: CitationPlacement, markers: Vec<String>) {
        let entry = cited.entry;
        let Some(key) = self.ledger.entry(entry).map(|entry| entry.key) else {
            return;
        };
        let first_list = self.ledger.message_at(to).is_some_and(|m| !m.listed);
        let new_place = self.ledger.place(to, cited);
        let mut set_markers = Vec::new();
        if new_place {
            set_markers.push(None);
        }
        if let Some(message) = self.ledger.message_mut(to) {
            for marker in markers {
                if message.is_free(&marker) && message.set_marker(marker.clone(), key) {
                    message.mark_as_list_number(&marker);
                    set_markers.push(Some(marker));
                }
            }
        }
        for (at, marker) in set_markers.into_iter().enumerate() {
            let change = CitationChange {
                entry,
                new_entry: false,
                new_place: new_place && at == 0,
                first_list,
                new_number: false,
                new_in_turn: false,
                marker,
            };
            self.publish(&LedgerChange::Cited(to, change));
        }
    }

    /// Notes that a marker of a message is only a number of a source list.
    pub(crate) fn mark_as_list_number(&mut self, message: usize, marker: &str) {
        if let Some(message) = self.ledger.message_mut(message) {
            message.mark_as_list_number(marker);
        }
    }

    /// Notes that a verification of an entry starts.
    pub(crate) fn begin_check(&mut self, entry: usize, run: u64) {
        self.ledger.begin_check(entry, run);
    }

    /// Sets the outcome of an entry and sends it. `updates_turns` says that turns of earlier runs may cite it.
    pub(crate) fn settle(&mut self, entry: usize, outcome: CitationOutcome, updates_turns: bool) {
        let mut changes = Vec::new();
        if let Some(settled) = self.ledger.settle(entry, outcome) {
            session::refresh_item(&mut self.ledger, entry);
            changes.push(LedgerChange::Settled(entry, settled));
            if updates_turns {
                let turns = session::update_turns(&mut self.ledger, entry);
                changes.extend(turns.into_iter().map(LedgerChange::TurnUpdated));
            }
        }
        let completed = self.ledger.complete_messages_of(entry);
        changes.extend(completed.into_iter().map(LedgerChange::Progress));
        self.publish_all(&changes);
    }

    /// Notes that a verification does not finish in time, and sends the messages that are complete without it.
    pub(crate) fn abandon_check(&mut self, entry: usize) {
        for message in self.ledger.abandon_check(entry) {
            self.publish(&LedgerChange::Progress(message));
        }
    }

    /// Adds a turn with its citations to the session projection and sends it.
    pub(crate) fn add_turn(&mut self, question: &str, answer: &str, entries: &[usize]) {
        let stated = self.stated_confidence.take();
        let turn = session::add_turn(&mut self.ledger, question, answer, entries, stated);
        if let Some(turn) = turn {
            self.publish(&LedgerChange::Turn(turn));
        }
    }

    /// Evicts the oldest messages and turns until `keep` are left; 0 keeps all. Messages that are not `evictable` and those from
    /// the index `until` on stay.
    pub(crate) fn evict(
        &mut self,
        keep: usize,
        until: Option<usize>,
        evictable: impl Fn(&LedgerMessage) -> bool,
    ) {
        let mut operations = Vec::new();
        while keep > 0 && self.ledger.message_count() > keep {
            let oldest = self.ledger.oldest(until.unwrap_or(usize::MAX), &evictable);
            let Some(evicted) = oldest.and_then(|at| self.ledger.evict(at)) else {
                break;
            };
            let change = LedgerChange::Evicted(Box::new(evicted));
            self.client.publish(&self.ledger, &change, &mut operations);
        }
        if let Some(change) = self.remove_old_turns(keep) {
            self.client.publish(&self.ledger, &change, &mut operations);
        }
        self.outgoing.send_patch(operations);
    }

    /// Removes the texts of all turns but the last `keep` from the session list, with the items that only they cite.
    fn remove_old_turns(&mut self, keep: usize) -> Option<LedgerChange> {
        if keep == 0 || !self.has_session() {
            return None;
        }
        let mut session = std::mem::take(&mut self.ledger.session);
        let removed = session.remove_old(keep, |key| self.ledger.entry_of(key).is_some());
        self.ledger.session = session;
        removed.map(LedgerChange::SessionRemoved)
    }
}
