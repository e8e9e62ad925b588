//! Recorder of the messages that agents send as activities of their own streams.
//!
//! Valid ones are stored like posted messages. Invalid ones pass unchanged; the problems are logged.

use std::collections::BTreeMap;
use std::sync::Arc;
use std::task::{Context, Poll};

use agui::agent::{AgentError, EventSource};
use agui::event::EventData;
use agui::model::RunAgentInput;
use agui::{Agent, Event, EventStream, ReceivedEvent};
use canvas::limits::MAX_MESSAGES_PER_RUN;
use canvas::{ACTIVITY_PREFIX, CanvasMessage, MESSAGE_METADATA, from_activity, update_payload};
use json::Value;
use json::patch::PatchOperation;
use store::{Store, StoreError, Timestamp};
use tokio::sync::mpsc;

use super::{MESSAGE_RECORD, new_record, parse_record, shared_fields};
use crate::runs::Key;

/// Agent whose messages are recorded.
struct RecordedAgent {
    agent: Arc<dyn Agent>,
    recorder: MessageRecorder,
}

impl Agent for RecordedAgent {
    fn run(&self, input: RunAgentInput) -> EventStream {
        EventStream::new(RecordedSource {
            stream: self.agent.run(input),
            recorder: self.recorder.clone(),
            changes: None,
        })
    }
}

/// Stream of an agent whose messages are recorded.
struct RecordedSource {
    stream: EventStream,
    recorder: MessageRecorder,
    /// Queue to the task that stores; begun with the first message.
    changes: Option<mpsc::Sender<MessageChange>>,
}

/// Change of a message.
enum MessageChange {
    /// Message with its id.
    Sent(String, CanvasMessage),
    /// Patch of the payload of a message.
    Updated(String, Vec<PatchOperation>),
}

/// Writer of the messages of one run.
#[derive(Clone)]
pub(crate) struct MessageRecorder {
    /// Name of the agent, which becomes the sender of its messages.
    pub(crate) name: String,
    pub(crate) key: Key,
    pub(crate) store: Arc<dyn Store>,
    pub(crate) clock: fn() -> Timestamp,
}

impl EventSource for RecordedSource {
    fn poll_into(
        &mut self,
        context: &mut Context<'_>,
        slot: &mut ReceivedEvent,
    ) -> Poll<Option<Result<(), AgentError>>> {
        let polled = self.stream.poll_into(context, slot);
        if let Poll::Ready(Some(Ok(()))) = &polled
            && let ReceivedEvent::Typed(event) = slot
            && let Some(change) = self.recorder.change_of(event)
        {
            let recorder = &self.recorder;
            let changes = self.changes.get_or_insert_with(|| recorder.clone().start());
            if changes.try_send(change).is_err() {
                tracing::warn!(
                    thread = %recorder.key.1, agent = recorder.name,
                    "more than {MAX_MESSAGES_PER_RUN} messages wait to be stored; this one is in the log only"
                );
            }
        }
        polled
    }
}

impl MessageRecorder {
    /// Returns an agent whose messages are recorded.
    pub(crate) fn record(self, agent: Arc<dyn Agent>) -> Arc<dyn Agent> {
        Arc::new(RecordedAgent {
            agent,
            recorder: self,
        })
    }

    /// Adds the context that the person shares in this conversation to the input of a run.
    pub(crate) async fn add_shared_context(&self, input: &mut RunAgentInput) {
        let fields = shared_fields(&*self.store, &self.key).await;
        let fields = fields.unwrap_or_else(|error| {
            tracing::warn!(thread = %self.key.1, %error, "the shared context could not be read");
            BTreeMap::default()
        });
        for (field, value) in fields {
            let is_sent = input.context.iter().any(|sent| sent.description == field);
            if !is_sent {
                input.context.push(agui::model::Context {
                    description: field,
                    value: match value {
                        Value::String(text) => text,
                        other => other.to_json(),
                    },
                });
            }
        }
    }

    /// Returns the change that an event makes; `None` for other events and invalid messages.
    fn change_of(&self, event: &Event) -> Option<MessageChange> {
        let metadata = event.common().metadata.as_ref();
        if let Some(metadata) = metadata {
            let metadata = metadata.as_json().value();
            if let Some(envelope) = metadata.get(MESSAGE_METADATA) {
                return self.described_message(event, envelope);
            }
        }
        match event.data() {
            EventData::ActivitySnapshot(activity)
                if activity.activity_type.starts_with(ACTIVITY_PREFIX) =>
            {
                let content = activity.content.as_json().value();
                let thread = self.key.1.as_str();
                let checked = from_activity(&activity.activity_type, &content, &self.name, thread)?;
                self.valid(&activity.message_id, checked.map(|checked| checked.message))
            }
            EventData::ActivityDelta(delta) if delta.activity_type.starts_with(ACTIVITY_PREFIX) => {
                Some(MessageChange::Updated(
                    delta.message_id.to_string(),
                    delta.patch.clone(),
                ))
            }
            _ => None,
        }
    }

    /// Returns the message whose envelope is in the metadata of its first event.
    fn described_message(&self, event: &Event, envelope: &Value) -> Option<MessageChange> {
        let id = envelope.get("id")?.as_str()?.to_owned();
        let mut message = envelope.clone();
        let members = message.as_object_mut()?;
        members.remove("id");
        // An agent cannot send in the name of another one.
        members.insert("agentId".to_owned(), self.name.as_str().into());
        if let EventData::ActivitySnapshot(activity) = event.data() {
            let content = activity.content.as_json().value().into_owned();
            members.insert("payload".to_owned(), content);
        }
        let checked = canvas::check(message, self.key.1.as_str());
        self.valid(&id, checked.map(|checked| checked.message))
    }

    fn valid(
        &self,
        id: &str,
        checked: Result<CanvasMessage, canvas::InvalidMessage>,
    ) -> Option<MessageChange> {
        match checked {
            Ok(message) => Some(MessageChange::Sent(id.to_owned(), message)),
            Err(error) => {
                tracing::warn!(
                    thread = %self.key.1, agent = self.name, message = id, problems = %error,
                    "an invalid message of an agent was forwarded unchanged"
                );
                None
            }
        }
    }

    /// Starts the task that stores messages in order.
    fn start(self) -> mpsc::Sender<MessageChange> {
        let (sender, mut changes) = mpsc::channel(MAX_MESSAGES_PER_RUN);
        tokio::spawn(async move {
            while let Some(change) = changes.recv().await {
                if let Err(error) = self.store(change).await {
                    tracing::warn!(thread = %self.key.1, %error, "a message of an agent could not be stored");
                }
            }
        });
        sender
    }

    async fn store(&self, change: MessageChange) -> Result<(), StoreError> {
        let (principal, thread) = &self.key;
        let now = (self.clock)();
        match change {
            MessageChange::Sent(id, message) => {
                let envelope = message.to_envelope(&id, thread.as_str(), now.0);
                let record = new_record(MESSAGE_RECORD, &id, &envelope, now);
                self.store
                    .insert_record(principal, thread, record)
                    .await
                    .map(drop)
            }
            MessageChange::Updated(id, patch) => {
                let record = self
                    .store
                    .record(principal, thread, MESSAGE_RECORD, &id)
                    .await?;
                let Some(envelope) = record.as_ref().map(parse_record) else {
                    return Ok(());
                };
                let Some(mut message) = CanvasMessage::from_envelope(&envelope) else {
                    return Ok(());
                };
                if let Err(error) = update_payload(&mut message, &patch) {
                    tracing::warn!(%thread, message = id, problems = %error, "an invalid update was forwarded unchanged");
                    return Ok(());
                }
                let envelope = message.to_envelope(&id, thread.as_str(), now.0);
                let record = new_record(MESSAGE_RECORD, &id, &envelope, now);
                self.store.put_record(principal, thread, record).await
            }
        }
    }
}
