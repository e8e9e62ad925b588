//! What is done with each event: the model changes, and the client is told.

use std::sync::Arc;

use agui::event::{
    Event, EventData, RunStarted, StateDelta, StateSnapshot, TextMessageContent, TextRole,
};
use hashbrown::HashSet;
use json::patch::PatchOperation;
use json::{Json, Text};

use super::checks::VerificationQueue;
use super::client::ClientState;
use super::foreign::AgentCitations;
use super::host::{LayerHost, LayerOptions};
use super::instruct::InjectedPrompt;
use super::ledger::{Ledger, LedgerMessage};
use super::tally::MessageProgress;
use super::texts::{MessageTexts, OpenText};
use super::turn::CitationTurn;
use crate::project::{LedgerChange, StateProjection};
use citations::ParsedCitation;

/// What becomes of the event that was received.
#[derive(Debug, Default)]
pub(super) enum EventDisposition {
    /// It goes on as it is.
    #[default]
    AsIs,
    /// This goes on in its place.
    Instead(Event),
    /// Nothing goes on.
    Drop,
    /// It ends a run and waits for open checks.
    Hold,
}

/// What is sent because of an event.
#[derive(Debug, Default)]
pub(super) struct OutgoingEvents {
    pub(super) before: Vec<Event>,
    pub(super) forward: EventDisposition,
    pub(super) after: Vec<Event>,
}

/// The citations of one stream of runs.
pub(super) struct Desk {
    pub(super) options: Arc<LayerOptions>,
    pub(super) host: Arc<dyn LayerHost>,
    pub(super) thread_id: Arc<str>,
    pub(super) run_id: Arc<str>,
    pub(super) ledger: Ledger,
    pub(super) client: ClientState,
    pub(super) checks: VerificationQueue,
    pub(super) texts: MessageTexts,
    pub(super) turn: CitationTurn,
    pub(super) foreign: AgentCitations,
    /// What the agent was told beyond what the client said.
    pub(super) taught: Option<InjectedPrompt>,
    /// The state to send as a whole when the run begins, because the client sent none.
    pub(super) first_state: Option<Json>,
    /// Between the beginning of a run and its end: only then may anything be sent.
    pub(super) running: bool,
    /// Counts runs.
    pub(super) run: u64,
    /// Citations just found, kept for its memory.
    pub(super) found: Vec<ParsedCitation>,
    /// Citations of earlier runs that are checked again.
    pub(super) again: HashSet<usize>,
}

impl Desk {
    /// Takes an event as the rules see it.
    #[inline]
    pub(super) fn observe(&mut self, event: &Event, outbox: &mut OutgoingEvents) {
        match event.data() {
            EventData::TextMessageContent(data) => {
                self.content(&data.message_id, &data.delta, event, outbox);
            }
            EventData::TextMessageStart(data) => {
                if matches!(data.role, None | Some(TextRole::Assistant)) {
                    self.start(&data.message_id, outbox);
                }
            }
            EventData::TextMessageEnd(data) => self.end(&data.message_id, event, outbox),
            EventData::StateSnapshot(data) => {
                self.read_before(None);
                self.client.take_snapshot(&data.snapshot, &self.ledger);
                self.read_after();
                self.restore(outbox);
            }
            EventData::StateDelta(data) => {
                if self.client.is_absent() {
                    // Otherwise our first write would be a fresh object over what this one wrote.
                    let mut made = Vec::new();
                    self.client.make_object(&mut made);
                    outbox.before.push(patch(made));
                }
                let lost = self.read_before(Some(&data.delta));
                self.client.take_delta(&data.delta, &self.ledger);
                self.foreign.note_change();
                if lost {
                    self.read_after();
                }
                self.restore(outbox);
            }
            EventData::MessagesSnapshot(data) => self.snapshot(data, event, outbox),
            EventData::ToolCallStart(data) => {
                let parent = data.parent_message_id.as_deref();
                self.turn
                    .called(&data.tool_call_id, &data.tool_call_name, parent);
            }
            EventData::ToolCallResult(data) => self.turn.answered(&data.tool_call_id),
            EventData::RunStarted(data) => {
                self.begin_run(outbox);
                let Some(input) = data.input.as_deref() else {
                    return;
                };
                if self.run > 1 {
                    self.turn.ask(input, &self.ledger);
                }
                let taught = self.taught.as_ref();
                if let Some(input) = taught.and_then(|taught| taught.unlearned(input)) {
                    let mut data = data.clone();
                    data.input = Some(Box::new(input));
                    let event = Event::with_common(*data, event.common().clone());
                    outbox.forward = EventDisposition::Instead(event);
                }
            }
            EventData::RunFinished(_) => {
                self.read_foreign(outbox);
                outbox.forward = EventDisposition::Hold;
            }
            EventData::RunError(data) => {
                if self.run == 0 {
                    self.begin_own_run(outbox);
                }
                // It may come behind the end of a run.
                if self.running {
                    self.fail_open(&data.message, outbox);
                    self.read_foreign(outbox);
                }
                outbox.forward = EventDisposition::Hold;
            }
            _ => {}
        }
    }

    /// Begins a run that the agent has not begun, and is not going to.
    pub(super) fn begin_own_run(&mut self, outbox: &mut OutgoingEvents) {
        outbox.before.push(Event::from(RunStarted {
            thread_id: Text::from(&*self.thread_id),
            run_id: Text::from(&*self.run_id),
            protocol_version: None,
            parent_run_id: None,
            input: None,
        }));
        self.begin_run(outbox);
    }

    fn begin_run(&mut self, outbox: &mut OutgoingEvents) {
        self.running = true;
        self.run += 1;
        if let Some(state) = self.first_state.take() {
            outbox
                .after
                .push(Event::from(StateSnapshot { snapshot: state }));
        }
        self.check_recalled();
        self.restore(outbox);
    }

    /// Sends whatever of ours the client does not have.
    fn restore(&mut self, outbox: &mut OutgoingEvents) {
        if !self.running {
            return self.client.miss();
        }
        let mut operations = Vec::new();
        self.client.restore(&self.ledger, &mut operations);
        outbox.send(operations);
    }

    /// Sends a change.
    pub(super) fn publish(&mut self, change: &LedgerChange, outbox: &mut OutgoingEvents) {
        self.publish_all(std::slice::from_ref(change), outbox);
    }

    /// Sends changes that belong together.
    pub(super) fn publish_all(&mut self, changes: &[LedgerChange], outbox: &mut OutgoingEvents) {
        if !self.running {
            return self.client.miss();
        }
        let mut operations = Vec::new();
        for change in changes {
            self.client.publish(&self.ledger, change, &mut operations);
        }
        outbox.send(operations);
    }

    fn start(&mut self, id: &str, outbox: &mut OutgoingEvents) {
        let (place, _) = self.ledger.begin(id);
        self.texts.start(id, place);
        if let Some(message) = self.ledger.message_at(place)
            && self.client.is_active(StateProjection::Rag)
        {
            self.turn.begin(&message.id, place, message.cited.len());
        }
        self.set_progress(place, MessageProgress::Streaming, None);
        self.publish(&LedgerChange::Message(place), outbox);
        self.evict(outbox);
    }

    pub(super) fn set_progress(
        &mut self,
        place: usize,
        progress: MessageProgress,
        error: Option<String>,
    ) {
        if let Some(message) = self.ledger.message_mut(place) {
            message.progress = progress;
            message.error = error;
        }
    }

    /// Keeps the last messages only, and those of the turn: at its end it is told with all that they cite.
    pub(super) fn evict(&mut self, outbox: &mut OutgoingEvents) {
        let keep = self.options.keep_messages;
        let told = self.client.is_active(StateProjection::Rag);
        let until = self.turn.first_place().filter(|_| told);
        let mut operations = Vec::new();
        while keep > 0 && self.ledger.message_count() > keep {
            let texts = &self.texts;
            let may_go = |message: &LedgerMessage| !texts.is_open(&message.id);
            let oldest = self.ledger.oldest(until.unwrap_or(usize::MAX), may_go);
            let Some(evicted) = oldest.and_then(|at| self.ledger.evict(at)) else {
                break;
            };
            let change = LedgerChange::Evicted(Box::new(evicted));
            self.client.publish(&self.ledger, &change, &mut operations);
        }
        outbox.send(operations);
    }

    #[inline]
    fn content(&mut self, id: &str, delta: &str, event: &Event, outbox: &mut OutgoingEvents) {
        let Some(text) = self.texts.get_mut(id) else {
            return;
        };
        let limit = self.options.max_message_bytes;
        let hide = self.options.hide_block;
        let keep = hide || self.client.is_active(StateProjection::Rag);
        let mut shown = String::new();
        let place = text.place;
        let fits = text.feed(delta, limit, hide, &mut self.found, |visible, piece| {
            if keep && visible.len() < limit {
                visible.push_str(piece);
            }
            if hide {
                shown.push_str(piece);
            }
        });
        if hide && shown != delta {
            outbox.forward = shown_instead(id, shown, event);
        }
        if !self.found.is_empty() {
            self.found_in(id, place, outbox);
        }
        if !fits {
            let reason = format!("the message is longer than {limit} bytes, the rest is not read");
            self.set_progress(place, MessageProgress::Error, Some(reason));
            self.publish(&LedgerChange::Progress(place), outbox);
        }
    }

    /// Citations of a message that streams.
    fn found_in(&mut self, id: &str, place: usize, outbox: &mut OutgoingEvents) {
        let mut found = std::mem::take(&mut self.found);
        if self.options.early {
            for found in found.drain(..) {
                self.cite(place, found.into(), outbox);
            }
        } else if let Some(text) = self.texts.get_mut(id) {
            text.held.append(&mut found);
        }
        self.found = found;
    }

    fn end(&mut self, id: &str, event: &Event, outbox: &mut OutgoingEvents) {
        let Some(mut text) = self.texts.end(id) else {
            return;
        };
        let mut found = std::mem::take(&mut text.held);
        let shown = self.finish(id, &mut text, &mut found);
        if !shown.is_empty() {
            outbox.before.push(Event::with_common(
                content_event(id, shown),
                tagged_like(event),
            ));
        }
        if text.any && !text.too_long {
            self.set_progress(text.place, MessageProgress::Extracting, None);
            self.publish(&LedgerChange::Progress(text.place), outbox);
        }
        for found in found {
            self.cite(text.place, found.into(), outbox);
        }
        if !text.too_long {
            self.read_to_the_end(text.place, outbox);
        }
        self.evict(outbox);
    }

    /// Reads a text to its end, which the turn is told; what was held back of it and is shown now.
    fn finish(&mut self, id: &str, text: &mut OpenText, found: &mut Vec<ParsedCitation>) -> String {
        let hide = self.options.hide_block;
        let keep = hide || self.client.is_active(StateProjection::Rag);
        let mut shown = String::new();
        text.finish(found, |visible, piece| {
            if keep {
                visible.push_str(piece);
            }
            if hide {
                shown.push_str(piece);
            }
        });
        if hide {
            self.texts.shown_as(id, &text.visible);
        }
        let limit = self.options.max_message_bytes;
        let visible = std::mem::take(&mut text.visible);
        self.turn.said(id, visible, limit);
        if text.any {
            self.turn.spoke(text.place);
        }
        shown
    }

    /// All of a message was read: it is complete, or waits for checks.
    pub(super) fn read_to_the_end(&mut self, place: usize, outbox: &mut OutgoingEvents) {
        self.settle_progress(place);
        self.publish(&LedgerChange::Progress(place), outbox);
    }

    fn settle_progress(&mut self, place: usize) {
        let open = self.ledger.message_at(place).is_some_and(|m| m.open > 0);
        let progress = if open {
            MessageProgress::Verifying
        } else {
            MessageProgress::Complete
        };
        self.set_progress(place, progress, None);
    }

    /// The run broke off: what is open stays unfinished, but what it cites counts.
    pub(super) fn fail_open(&mut self, reason: &str, outbox: &mut OutgoingEvents) {
        let mut ids = self.texts.open_ids();
        ids.sort_unstable();
        for id in ids {
            let Some(mut text) = self.texts.end(&id) else {
                continue;
            };
            let shown = self.finish(&id, &mut text, &mut Vec::new());
            if !shown.is_empty() {
                // What was held back because a block could have begun with it.
                outbox.before.push(Event::from(content_event(&id, shown)));
            }
            for found in text.held {
                self.cite(text.place, found.into(), outbox);
            }
            let reason = format!("the run ended before the message did: {reason}");
            self.set_progress(text.place, MessageProgress::Error, Some(reason));
            self.publish(&LedgerChange::Progress(text.place), outbox);
        }
    }

    /// A run ends with this event, and nothing is open any more.
    pub(super) fn end_run(&mut self, last: Option<&Event>, outbox: &mut OutgoingEvents) {
        if !self.running {
            return;
        }
        let goes_on = match last.map(Event::data) {
            Some(EventData::RunFinished(finished)) => self.turn.goes_on(finished),
            _ => false,
        };
        if !goes_on {
            self.end_turn(outbox);
        }
        let record = self.client.record(&self.ledger);
        let (thread, run) = (&self.thread_id, &self.run_id);
        self.host.settled(thread, run, &self.ledger, record);
        self.running = false;
    }

    /// The question is answered, as far as it is.
    fn end_turn(&mut self, outbox: &mut OutgoingEvents) {
        if self.client.is_active(StateProjection::Rag) {
            let limit = self.options.max_message_bytes;
            if let Some(turn) = self.turn.write_down(&mut self.ledger, limit) {
                self.publish(&LedgerChange::Turn(turn), outbox);
            }
        }
        self.turn.end();
        self.evict(outbox);
    }
}

impl OutgoingEvents {
    fn send(&mut self, operations: Vec<PatchOperation>) {
        if !operations.is_empty() {
            self.after.push(patch(operations));
        }
    }
}

fn patch(delta: Vec<PatchOperation>) -> Event {
    Event::from(StateDelta { delta })
}

fn content_event(id: &str, delta: String) -> TextMessageContent {
    TextMessageContent {
        message_id: Text::from(id),
        delta: Text::from(delta),
    }
}

/// Who said it, for an event that goes before another.
fn tagged_like(event: &Event) -> agui::event::CommonFields {
    agui::event::CommonFields {
        subagent_run_id: event.common().subagent_run_id.clone(),
        ..Default::default()
    }
}

/// A delta that shows less, or more that was held back, than the agent sent.
fn shown_instead(id: &str, shown: String, event: &Event) -> EventDisposition {
    let common = event.common();
    if shown.is_empty() && common.metadata.is_none() && common.raw_event.is_none() {
        return EventDisposition::Drop;
    }
    EventDisposition::Instead(Event::with_common(content_event(id, shown), common.clone()))
}
