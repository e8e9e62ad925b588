//! Messages that are there as a whole: what a snapshot of the conversation shows.

use std::sync::Arc;

use agui::event::{Event, MessagesSnapshot};
use agui::model::{Content, Message, Messages, Role};

use super::desk::{Desk, Forward, Outbox};
use super::tally::Progress;
use super::texts::{Repeated, is_answer, text_of};
use crate::project::{Change, Form};
use crate::reading::Reading;

impl Desk {
    pub(super) fn snapshot(&mut self, data: &MessagesSnapshot, event: &Event, outbox: &mut Outbox) {
        let taught = self.taught.as_ref();
        let mut replaced: Option<Messages> =
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
            let in_turn = asked.is_none_or(|asked| at > asked);
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
                        if in_turn {
                            self.turn.add(place);
                            self.turn.spoke(place);
                        }
                        self.publish(&Change::Message(place), outbox);
                    }
                }
                Repeated::New => self.whole(message, in_turn, outbox),
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
    fn whole(&mut self, message: &Message, in_turn: bool, outbox: &mut Outbox) {
        let (place, new) = self.ledger.begin(&message.id);
        if in_turn {
            self.turn.add(place);
            self.turn.spoke(place);
        }
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
        if in_turn && self.client.is_active(Form::Rag) {
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
}
