//! What is done with each event: the model changes, and the client is told.

use std::sync::Arc;
use std::task::Context;

use agui::event::{
    Custom, Event, EventData, MessagesSnapshot, StateDelta, StateSnapshot, TextMessageContent,
    TextRole,
};
use agui::json::{Json, Map, Text, Value};
use agui::model::{Content, Message, Messages};
use agui::patch::Operation;

use super::checks::{Checks, complete};
use super::client::Client;
use super::foreign::Foreign;
use super::host::{Host, Options};
use super::instruct::Taught;
use super::ledger::{Count, Ledger, Outcome, Progress};
use super::texts::{Repeated, Texts, is_answer, text_of};
use super::turn::Turn;
use super::verifier::Claim;
use crate::citation::Citation;
use crate::project::{Change, Form, rag};
use crate::read::Found;
use crate::reading::Reading;
use crate::script::print_number;

/// What becomes of the event that was received.
#[derive(Debug, Default)]
pub(super) enum Forward {
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
pub(super) struct Outbox {
    pub(super) before: Vec<Event>,
    pub(super) forward: Forward,
    pub(super) after: Vec<Event>,
}

/// A citation to be added to a message.
pub(super) struct Quoted {
    pub(super) citation: Citation,
    pub(super) marker: Option<String>,
    pub(super) document_index: Option<u64>,
    pub(super) other_names: Vec<String>,
}

impl From<Found> for Quoted {
    fn from(found: Found) -> Self {
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

/// The citations of one stream of runs.
pub(super) struct Desk {
    pub(super) options: Arc<Options>,
    pub(super) host: Arc<dyn Host>,
    pub(super) thread_id: Arc<str>,
    pub(super) run_id: Arc<str>,
    pub(super) ledger: Ledger,
    pub(super) client: Client,
    pub(super) checks: Checks,
    pub(super) texts: Texts,
    pub(super) turn: Turn,
    pub(super) foreign: Foreign,
    /// What the agent was told beyond what the client said.
    pub(super) taught: Option<Taught>,
    /// The state to send as a whole when the run begins, because the client sent none.
    pub(super) first_state: Option<Json>,
    /// Between the beginning of a run and its end: only then may anything be sent.
    pub(super) running: bool,
    /// Counts runs.
    pub(super) run: u64,
    /// Citations just found, kept for its memory.
    pub(super) found: Vec<Found>,
}

impl Desk {
    /// Takes an event as the rules see it.
    #[inline]
    pub(super) fn observe(&mut self, event: &Event, outbox: &mut Outbox) {
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
                self.client.take_snapshot(&data.snapshot, &self.ledger);
                self.foreign.note_change();
                self.restore(outbox);
            }
            EventData::StateDelta(data) => {
                if self.client.is_absent() {
                    // Otherwise our first write would be a fresh object over what this one wrote.
                    let mut made = Vec::new();
                    self.client.make_object(&mut made);
                    outbox.before.push(patch(made));
                }
                self.client.take_delta(&data.delta, &self.ledger);
                self.foreign.note_change();
                self.restore(outbox);
            }
            EventData::MessagesSnapshot(data) => self.snapshot(data, event, outbox),
            EventData::ToolCallStart(data) => {
                self.turn.called(&data.tool_call_id, &data.tool_call_name);
            }
            EventData::ToolCallResult(data) => self.turn.answered(&data.tool_call_id),
            EventData::RunStarted(data) => {
                self.begin_run(outbox);
                let Some(input) = data.input.as_deref() else {
                    return;
                };
                if self.run > 1 {
                    self.turn.ask(&input.messages);
                }
                let taught = self.taught.as_ref();
                if let Some(input) = taught.and_then(|taught| taught.unlearned(input)) {
                    let mut data = data.clone();
                    data.input = Some(Box::new(input));
                    let event = Event::with_common(*data, event.common().clone());
                    outbox.forward = Forward::Instead(event);
                }
            }
            EventData::RunFinished(_) => {
                self.read_foreign(outbox);
                outbox.forward = Forward::Hold;
            }
            EventData::RunError(data) => {
                self.fail_open(&data.message, outbox);
                self.read_foreign(outbox);
                outbox.forward = Forward::Hold;
            }
            _ => {}
        }
    }

    fn begin_run(&mut self, outbox: &mut Outbox) {
        self.running = true;
        self.run += 1;
        if let Some(state) = self.first_state.take() {
            outbox.after.push(Event::from(StateSnapshot { snapshot: state }));
        }
        self.restore(outbox);
    }

    /// Sends whatever of ours the client does not have.
    fn restore(&mut self, outbox: &mut Outbox) {
        if !self.running {
            return self.client.miss();
        }
        let mut operations = Vec::new();
        self.client.restore(&self.ledger, &mut operations);
        outbox.send(operations);
    }

    /// Sends a change.
    pub(super) fn publish(&mut self, change: &Change, outbox: &mut Outbox) {
        if !self.running {
            return self.client.miss();
        }
        let mut operations = Vec::new();
        self.client
            .publish(&self.ledger, change, &mut operations);
        outbox.send(operations);
    }

    fn start(&mut self, id: &str, outbox: &mut Outbox) {
        let (place, _) = self.ledger.begin(id);
        self.texts.start(id, place);
        self.turn.add(place);
        self.set_progress(place, Progress::Streaming, None);
        self.publish(&Change::Message(place), outbox);
        self.evict(outbox);
    }

    fn set_progress(&mut self, place: usize, progress: Progress, error: Option<String>) {
        if let Some(message) = self.ledger.message_mut(place) {
            message.progress = progress;
            message.error = error;
        }
    }

    /// Keeps the last messages only.
    fn evict(&mut self, outbox: &mut Outbox) {
        let keep = self.options.keep_messages;
        while keep > 0 && self.ledger.message_count() > keep {
            let texts = &self.texts;
            let Some(at) = self.ledger.oldest(|message| !texts.is_open(&message.id)) else {
                return;
            };
            if let Some(evicted) = self.ledger.evict(at) {
                self.publish(&Change::Evicted(evicted), outbox);
            }
        }
    }

    #[inline]
    fn content(&mut self, id: &str, delta: &str, event: &Event, outbox: &mut Outbox) {
        let Some(text) = self.texts.get_mut(id) else {
            return;
        };
        let limit = self.options.max_message_bytes;
        let keep = self.client.is_active(Form::Rag);
        let hide = self.options.hide_block;
        let mut shown = String::new();
        let place = text.place;
        let fits = text.feed(delta, limit, &mut self.found, |visible, piece| {
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
            self.set_progress(place, Progress::Error, Some(reason));
            self.publish(&Change::Progress(place), outbox);
        }
    }

    /// Citations of a message that streams.
    fn found_in(&mut self, id: &str, place: usize, outbox: &mut Outbox) {
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

    /// Adds a citation to a message, and has it checked.
    pub(super) fn cite(&mut self, place: usize, quoted: Quoted, outbox: &mut Outbox) {
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
        if self.client.is_active(Form::Rag) {
            cited.new_number = rag::assign(&mut self.ledger, at);
        }
        let new = cited.new_place;
        if new || cited.new_entry || cited.marker.is_some() {
            self.publish(&Change::Cited(place, cited), outbox);
        }
        let Some(entry) = self.ledger.entry(at) else {
            return;
        };
        let key = entry.key;
        // What was found stays found; what was not may be found by now, but not twice in a run.
        let doubtful = entry.outcome.as_ref().is_none_or(|outcome| {
            matches!(outcome.count, Count::Missed | Count::Pending)
                && entry.checked_in != Some(self.run)
        });
        let check = doubtful && !entry.checking;
        if new {
            self.tell("citation.seen", &message_id, at, None, outbox);
        }
        if check {
            self.ledger.begin_check(at, self.run);
            let claim = Claim {
                thread_id: Arc::clone(&self.thread_id),
                message_id,
                key,
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
        outbox: &mut Outbox,
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

    fn end(&mut self, id: &str, event: &Event, outbox: &mut Outbox) {
        let Some(mut text) = self.texts.end(id) else {
            return;
        };
        let keep = self.client.is_active(Form::Rag);
        let hide = self.options.hide_block;
        let mut shown = String::new();
        let mut found = std::mem::take(&mut text.held);
        text.finish(&mut found, |visible, piece| {
            if keep {
                visible.push_str(piece);
            }
            if hide {
                shown.push_str(piece);
            }
        });
        if !shown.is_empty() {
            outbox.before.push(Event::with_common(
                content_event(id, shown),
                tagged_like(event),
            ));
        }
        if keep {
            self.turn.said(&text.visible, self.options.max_message_bytes);
            if hide {
                self.texts.shown_as(id, &text.visible);
            }
        }
        if text.any {
            self.turn.spoke(text.place);
        }
        if text.any && !text.too_long {
            self.set_progress(text.place, Progress::Extracting, None);
            self.publish(&Change::Progress(text.place), outbox);
        }
        for found in found {
            self.cite(text.place, found.into(), outbox);
        }
        if !text.too_long {
            self.read_to_the_end(text.place, outbox);
        }
        self.evict(outbox);
    }

    /// All of a message was read: it is complete, or waits for checks.
    pub(super) fn read_to_the_end(&mut self, place: usize, outbox: &mut Outbox) {
        self.settle_progress(place);
        self.publish(&Change::Progress(place), outbox);
    }

    fn settle_progress(&mut self, place: usize) {
        let open = self.ledger.message_at(place).is_some_and(|m| m.open > 0);
        let progress = if open {
            Progress::Verifying
        } else {
            Progress::Complete
        };
        self.set_progress(place, progress, None);
    }

    /// The run broke off: what is open stays unfinished, but what it cites counts.
    pub(super) fn fail_open(&mut self, reason: &str, outbox: &mut Outbox) {
        let mut ids = self.texts.open_ids();
        ids.sort_unstable();
        for id in ids {
            let Some(text) = self.texts.end(&id) else {
                continue;
            };
            for found in text.held {
                self.cite(text.place, found.into(), outbox);
            }
            let reason = format!("the run ended before the message did: {reason}");
            self.set_progress(text.place, Progress::Error, Some(reason));
            self.publish(&Change::Progress(text.place), outbox);
        }
    }

    fn snapshot(&mut self, data: &MessagesSnapshot, event: &Event, outbox: &mut Outbox) {
        let taught = self.taught.as_ref();
        let mut replaced: Option<Messages> =
            taught.and_then(|taught| taught.untaught(&data.messages));
        // One message may be missing at the front from now on.
        let skipped = replaced
            .as_ref()
            .map_or(0, |shown| data.messages.len() - shown.len());
        for (at, message) in data.messages.iter().enumerate() {
            if let Some(call) = &message.tool_call_id {
                self.turn.answered(call);
            }
            if !is_answer(message) || self.texts.is_open(&message.id) {
                continue;
            }
            let recognised = self.texts.recognise(message);
            if self.options.hide_block {
                let visible = Reading::of(text_of(message)).visible;
                if visible != text_of(message) {
                    self.texts.shown_as(&message.id, &visible);
                    let shown = replaced.get_or_insert_with(|| data.messages.clone());
                    if let Some(shown) = shown.0.get_mut(at - skipped) {
                        Arc::make_mut(shown).content = Content::Text(visible);
                    }
                }
            }
            match recognised {
                Repeated::Known => {}
                Repeated::Renamed(id) => {
                    let copied = self
                        .ledger
                        .place_of(&id)
                        .and_then(|from| self.ledger.copy_message(from, &message.id));
                    if let Some(place) = copied {
                        self.turn.add(place);
                        self.turn.spoke(place);
                        self.publish(&Change::Message(place), outbox);
                    }
                }
                Repeated::New => self.whole(message, outbox),
            }
        }
        self.evict(outbox);
        if let Some(messages) = replaced {
            outbox.forward = Forward::Instead(Event::with_common(
                MessagesSnapshot { messages },
                event.common().clone(),
            ));
        }
    }

    /// A message that is there as a whole.
    fn whole(&mut self, message: &Message, outbox: &mut Outbox) {
        let (place, new) = self.ledger.begin(&message.id);
        self.turn.add(place);
        self.turn.spoke(place);
        if !new {
            self.ledger.reset_message(place);
        }
        let limit = self.options.max_message_bytes;
        let text = text_of(message);
        if text.len() > limit {
            let reason = format!("the message is longer than {limit} bytes and is not read");
            self.set_progress(place, Progress::Error, Some(reason));
            return self.publish(&Change::Message(place), outbox);
        }
        let reading = Reading::of(text);
        self.set_progress(place, Progress::Extracting, None);
        self.publish(&Change::Message(place), outbox);
        for cited in reading.citations {
            self.cite(place, cited.found.into(), outbox);
        }
        if self.client.is_active(Form::Rag) {
            self.turn.said(&reading.visible, limit);
        }
        self.read_to_the_end(place, outbox);
    }

    /// The place of a message, which is made if there is none.
    pub(super) fn place(&mut self, id: &str, outbox: &mut Outbox) -> usize {
        let (place, new) = self.ledger.begin(id);
        if new {
            self.set_progress(place, Progress::Complete, None);
            self.publish(&Change::Message(place), outbox);
        }
        place
    }

    /// Takes a check that has ended, if one has; whether one had.
    pub(super) fn poll_checks(&mut self, context: &mut Context<'_>, outbox: &mut Outbox) -> bool {
        let Some((entry, claim, finding)) = self.checks.poll(context) else {
            return false;
        };
        let seen = self.ledger.entry(entry).map_or(0, |entry| entry.seen);
        let outcome = Outcome::new(&finding, self.options.names);
        let mut operations = Vec::new();
        if let Some(before) = self.ledger.settle(entry, outcome) {
            rag::refresh(&mut self.ledger, entry);
            let change = Change::Settled(entry, before);
            self.client
                .publish(&self.ledger, &change, &mut operations);
        }
        for at in complete(&mut self.ledger, entry) {
            self.client
                .publish(&self.ledger, &Change::Progress(at), &mut operations);
        }
        outbox.send(operations);
        let took = self.now().saturating_sub(seen);
        let id = &claim.message_id;
        self.tell("citation.verified", id, entry, Some(took), outbox);
        if finding.verification.evidence.is_some() || finding.url.is_some() {
            self.tell("evidence.ready", id, entry, Some(took), outbox);
        }
        true
    }

    /// Gives up on the checks that are open: they go on, but outside of the run.
    pub(super) fn abandon_checks(&mut self, outbox: &mut Outbox) {
        for (entry, overdue) in self.checks.abandon(&self.run_id) {
            for place in self.ledger.abandon_check(entry) {
                self.publish(&Change::Progress(place), outbox);
            }
            self.host.overdue(overdue);
        }
    }

    /// A run ends with this event, and nothing is open any more.
    pub(super) fn end_run(&mut self, last: Option<&Event>, outbox: &mut Outbox) {
        if !self.running {
            return;
        }
        let goes_on = match last.map(Event::data) {
            Some(EventData::RunFinished(finished)) => self.turn.goes_on(finished),
            _ => false,
        };
        if !goes_on && self.client.is_active(Form::Rag) {
            let limit = self.options.max_message_bytes;
            if let Some(turn) = self.turn.end(&mut self.ledger, limit) {
                self.publish(&Change::Turn(turn), outbox);
            }
        }
        self.host
            .settled(&self.thread_id, &self.run_id, &self.ledger);
        self.running = false;
    }
}

impl Outbox {
    fn send(&mut self, operations: Vec<Operation>) {
        if !operations.is_empty() {
            self.after.push(patch(operations));
        }
    }
}

fn patch(delta: Vec<Operation>) -> Event {
    Event::from(StateDelta { delta })
}

fn content_event(id: &str, delta: String) -> TextMessageContent {
    TextMessageContent {
        message_id: Text::from(id),
        delta: Text::from(delta),
    }
}

/// Who said it, for an event that goes before another.
fn tagged_like(event: &Event) -> agui::event::Common {
    agui::event::Common {
        subagent_run_id: event.common().subagent_run_id.clone(),
        ..Default::default()
    }
}

/// A delta that shows less, or more that was held back, than the agent sent.
fn shown_instead(id: &str, shown: String, event: &Event) -> Forward {
    let common = event.common();
    if shown.is_empty() && common.metadata.is_none() && common.raw_event.is_none() {
        return Forward::Drop;
    }
    Forward::Instead(Event::with_common(
        content_event(id, shown),
        common.clone(),
    ))
}
