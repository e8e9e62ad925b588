//! Events that are sent because of one received event.

use agui::UntypedEvent;
use agui::event::{
    CommonFields, Event, EventData, MessagesSnapshot, StateDelta, TextMessageContent,
};
use agui::model::{Content, SnapshotMessages};
use json::patch::PatchOperation;
use json::{Text, Value};

/// Treatment of the received event.
#[derive(Debug, Default)]
pub(crate) enum EventDisposition {
    /// Forward it unchanged.
    #[default]
    Forward,
    /// Send another event in its place.
    Replace(Event),
    /// Send nothing in its place.
    Drop,
    /// It ends a run: send it after the open verifications.
    Hold,
}

/// Events to send before and after the received event, and the treatment of that event.
#[derive(Debug, Default)]
pub(crate) struct OutgoingEvents {
    pub(crate) before: Vec<Event>,
    pub(crate) disposition: EventDisposition,
    pub(crate) after: Vec<Event>,
}

impl OutgoingEvents {
    /// Sends a patch after the received event, unless it is empty.
    pub(crate) fn send_patch(&mut self, delta: Vec<PatchOperation>) {
        if !delta.is_empty() {
            self.after.push(Event::from(StateDelta { delta }));
        }
    }

    /// Sends a patch before the received event.
    pub(crate) fn send_patch_first(&mut self, delta: Vec<PatchOperation>) {
        self.before.push(Event::from(StateDelta { delta }));
    }

    /// Sends text that was withheld, before the received event. `like` is an event of the same subagent.
    pub(crate) fn send_withheld_text(&mut self, id: &str, text: String, like: Option<&Event>) {
        let common = CommonFields {
            subagent_run_id: like.and_then(|event| event.common().subagent_run_id.clone()),
            ..CommonFields::default()
        };
        self.before
            .push(Event::with_common(content_event(id, text), common));
    }

    /// Replaces a text delta by the part of it that is shown. Metadata keeps an empty delta alive.
    pub(crate) fn replace_delta(&mut self, id: &str, shown: String, event: &Event) {
        let common = event.common();
        let is_empty = shown.is_empty() && common.metadata.is_none() && common.raw_event.is_none();
        self.disposition = match is_empty {
            true => EventDisposition::Drop,
            false => EventDisposition::Replace(Event::with_common(
                content_event(id, shown),
                common.clone(),
            )),
        };
    }

    /// Replaces the messages of a snapshot.
    pub(crate) fn replace_messages(&mut self, messages: SnapshotMessages, event: &Event) {
        let snapshot = MessagesSnapshot { messages };
        self.disposition =
            EventDisposition::Replace(Event::with_common(snapshot, event.common().clone()));
    }

    /// If the messages of a snapshot are replaced, changes only their texts in the received event and forwards that:
    /// its messages may have members that the protocol does not describe.
    pub(crate) fn keep_undescribed_members(&mut self, received: &mut UntypedEvent) {
        let EventDisposition::Replace(event) = &self.disposition else {
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
        self.disposition = EventDisposition::Forward;
    }
}

fn content_event(id: &str, delta: String) -> TextMessageContent {
    TextMessageContent {
        message_id: Text::from(id),
        delta: Text::from(delta),
    }
}
