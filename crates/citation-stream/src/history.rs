//! Messages that are there as a whole: what a snapshot of the conversation shows.

use std::sync::Arc;

use agui::UntypedEvent;
use agui::event::{Event, EventData, MessagesSnapshot};
use agui::model::{Content, Message, Role, SnapshotMessages};
use json::{Text, Value};

use super::desk::{Desk, EventDisposition, OutgoingEvents};
use super::ledger::CitationPlacement;
use super::tally::MessageProgress;
use super::texts::{SnapshotRepeat, is_answer, text_of};
use crate::project::{LedgerChange, StateProjection};
use citations::ParsedAnswer;

impl Desk {
    pub(super) fn snapshot(
        &mut self,
        data: &MessagesSnapshot,
        event: &Event,
        outbox: &mut OutgoingEvents,
    ) {
        let taught = self.taught.as_ref();
        let mut replaced: Option<SnapshotMessages> =
            taught.and_then(|taught| taught.untaught(&data.messages));
        // One message may be missing at the front from now on.
        let skipped = replaced
            .as_ref()
            .map_or(0, |shown| data.messages.len() - shown.len());
        // What stands before the last question belongs to turns before this one.
        let asked = data
            .messages
            .iter()
            .rposition(|message| message.role == Role::User);
        for (at, message) in data.messages.iter().enumerate() {
            if let Some(call) = &message.tool_call_id {
                self.turn.answered(call);
            }
            if message.role != Role::Assistant || self.texts.is_open(&message.id) {
                continue;
            }
            if !is_answer(message) {
                self.silenced(message, outbox);
                continue;
            }
            let recognised = self.texts.recognise(message);
            if self.options.hide_block {
                let visible = ParsedAnswer::of(text_of(message)).visible;
                if visible != text_of(message) {
                    self.texts.shown_as(&message.id, &visible);
                    let shown = replaced.get_or_insert_with(|| data.messages.clone());
                    if let Some(shown) = shown.0.get_mut(at - skipped) {
                        Arc::make_mut(shown).content = Content::Text(visible);
                    }
                }
            }
            let same = match recognised {
                SnapshotRepeat::Known => {
                    self.turn.show(message);
                    continue;
                }
                SnapshotRepeat::Renamed(id) => {
                    self.foreign.rename(&id, &message.id);
                    Some(id)
                }
                SnapshotRepeat::New => None,
            };
            let in_turn = asked.is_none_or(|asked| at > asked) || self.turn.has(&message.id);
            match same.and_then(|same| self.copied(&same, &message.id)) {
                Some(place) => {
                    if in_turn {
                        self.answer(place, message);
                    }
                    self.publish(&LedgerChange::Message(place), outbox);
                }
                None => self.whole(message, in_turn, outbox),
            }
        }
        self.turn.keep_shown();
        self.evict(outbox);
        if let Some(messages) = replaced {
            outbox.forward = EventDisposition::Instead(Event::with_common(
                MessagesSnapshot { messages },
                event.common().clone(),
            ));
        }
    }

    /// Gives a new message the citations of one that says the same; nothing if that was never read.
    fn copied(&mut self, from: &str, to: &str) -> Option<usize> {
        if self.ledger.place_of(to).is_some() {
            return None;
        }
        let from = self.ledger.place_of(from)?;
        self.ledger.copy_message(from, to)
    }

    /// A message belongs to the turn, and this is what it says.
    fn answer(&mut self, place: usize, message: &Arc<Message>) {
        self.turn.spoke(place);
        if let Some(entry) = self.ledger.message_at(place)
            && self.client.is_active(StateProjection::Rag)
        {
            self.turn.tell(&entry.id, place, message);
        }
    }

    /// A message that says nothing, though it may have said something before.
    fn silenced(&mut self, message: &Message, outbox: &mut OutgoingEvents) {
        if self.texts.forget(&message.id)
            && let Some(place) = self.ledger.place_of(&message.id)
        {
            let before = self.ledger.reset_message(place);
            self.set_progress(place, MessageProgress::Complete, None);
            self.publish(&LedgerChange::Message(place), outbox);
            self.take_uncited(&before, outbox);
        }
    }

    /// A message that is there as a whole.
    fn whole(&mut self, message: &Arc<Message>, in_turn: bool, outbox: &mut OutgoingEvents) {
        let (place, new) = self.ledger.begin(&message.id);
        let before = match new {
            true => Vec::new(),
            false => self.ledger.reset_message(place),
        };
        if in_turn {
            self.answer(place, message);
        }
        let limit = self.options.max_message_bytes;
        let text = text_of(message);
        if text.len() > limit {
            let reason = format!("the message is longer than {limit} bytes and is not read");
            self.set_progress(place, MessageProgress::Error, Some(reason));
            self.publish(&LedgerChange::Message(place), outbox);
        } else {
            let reading = ParsedAnswer::of(text);
            self.set_progress(place, MessageProgress::Extracting, None);
            self.publish(&LedgerChange::Message(place), outbox);
            for cited in reading.citations {
                self.cite(place, cited.found.into(), outbox);
            }
            self.read_to_the_end(place, outbox);
        }
        self.take_uncited(&before, outbox);
    }

    /// Takes out those of a message's citations from before that nothing cites any more.
    fn take_uncited(&mut self, before: &[CitationPlacement], outbox: &mut OutgoingEvents) {
        let uncited = self.ledger.take_uncited(before);
        if !uncited.is_empty() {
            self.publish(&LedgerChange::Uncited(uncited), outbox);
        }
    }

    /// The place of a message, which is made if there is none.
    pub(super) fn place(&mut self, id: &str, outbox: &mut OutgoingEvents) -> usize {
        let (place, new) = self.ledger.begin(id);
        if new {
            self.set_progress(place, MessageProgress::Complete, None);
            self.publish(&LedgerChange::Message(place), outbox);
        }
        place
    }
}

impl OutgoingEvents {
    /// Sends messages that are shown with another text as they were received, but for that text: they may
    /// have members that the protocol does not describe.
    pub(super) fn keep_undescribed(&mut self, received: &mut UntypedEvent) {
        let EventDisposition::Instead(event) = &self.forward else {
            return;
        };
        let EventData::MessagesSnapshot(shown) = event.data() else {
            return;
        };
        let mut shown = shown.messages.iter().peekable();
        let messages = received.members.get_mut("messages");
        let Some(Value::Array(messages)) = messages else {
            return;
        };
        messages.retain_mut(|message| {
            let id = message.get("id").and_then(Value::as_str);
            let Some(own) = shown.next_if(|shown| Some(shown.id.as_str()) == id) else {
                return false;
            };
            if let (Content::Text(text), Some(members)) = (&own.content, message.as_object_mut()) {
                members.insert("content".to_owned(), Value::from(text.as_str()));
            }
            true
        });
        received.text = Text::from(Value::Object(received.members.clone()).to_json());
        self.forward = EventDisposition::AsIs;
    }
}
