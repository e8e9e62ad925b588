//! A branch: a new thread that begins where a run of another ended.

use std::collections::{HashSet, VecDeque};
use std::sync::Arc;
use std::task::{Context, Poll};

use agui::agent::{AgentError, EventSource};
use agui::event::EventType;
use agui::model::Message;
use agui::{EventReader, EventStream, ReceivedEvent};
use citation_stream::ThreadMemory;
use json::{Json, Text, Value};
use store::{Principal, RunId, RunStatus, Store, StoreError, ThreadId};

use super::opening::array;
use super::received::RunRequest;
use super::seen::read_back;
use crate::amend::recalled_of;
use crate::error::{ApiError, ErrorCode};

/// What a branch begins with: what is remembered and said of its parent as of a run.
#[derive(Default)]
pub(crate) struct BranchOrigin {
    pub(crate) recalled: Option<ThreadMemory>,
    /// What the client is told, because it did not send it.
    pub(crate) told: VecDeque<ReceivedEvent>,
    messages: Vec<Message>,
}

/// Puts the conversation of the parent before what a branch was sent with, unless it is there.
/// Nothing happens for a thread that has begun: it has a conversation of its own.
pub(crate) async fn inherit(
    store: &Arc<dyn Store>,
    principal: &Principal,
    received: &mut RunRequest,
    (thread, run): (&ThreadId, &RunId),
) -> Result<BranchOrigin, ApiError> {
    if received.parent.is_none() {
        return Ok(BranchOrigin::default());
    }
    let begun = store.thread(principal, thread).await?.is_some();
    // A run that is sent again must be what it was when it was sent first.
    if begun && store.run(principal, thread, run).await?.is_none() {
        return Ok(BranchOrigin::default());
    }
    let mut inherited = inherited(store, principal, received).await?;
    if received.begin_with(&inherited.messages)? {
        // A client keeps its own messages where they are and puts new ones behind them. So first it has those of
        // the parent alone, and then its own come after them.
        let all = &received.input.messages;
        for shown in [&inherited.messages, all] {
            let messages = array(shown.iter().map(Message::to_json));
            let event = format!(r#"{{"type":"MESSAGES_SNAPSHOT","messages":{messages}}}"#);
            let read = EventReader::new().read(Text::from(event));
            inherited.told.extend(read.ok());
        }
    }
    Ok(inherited)
}

/// The stream of a branch: the client is told what its conversation begins with as soon as the run has.
pub(crate) fn told(stream: EventStream, events: VecDeque<ReceivedEvent>) -> EventStream {
    if events.is_empty() {
        return stream;
    }
    EventStream::new(BranchEvents {
        stream,
        events,
        begun: false,
    })
}

struct BranchEvents {
    stream: EventStream,
    events: VecDeque<ReceivedEvent>,
    begun: bool,
}

impl EventSource for BranchEvents {
    fn poll_into(
        &mut self,
        context: &mut Context<'_>,
        slot: &mut ReceivedEvent,
    ) -> Poll<Option<Result<(), AgentError>>> {
        if self.begun
            && let Some(event) = self.events.pop_front()
        {
            *slot = event;
            return Poll::Ready(Some(Ok(())));
        }
        let polled = self.stream.poll_into(context, slot);
        // Whatever comes first, the layer has seen to it that it begins the run, or ends it.
        if let (Poll::Ready(Some(Ok(()))), ReceivedEvent::Typed(event)) = (&polled, &*slot) {
            self.begun |= event.kind() == EventType::RunStarted;
        }
        polled
    }
}

async fn inherited(
    store: &Arc<dyn Store>,
    principal: &Principal,
    received: &RunRequest,
) -> Result<BranchOrigin, ApiError> {
    let missing = StoreError::NotFound {
        what: "the run to branch off",
    };
    let Some((thread, run)) = &received.parent else {
        return Err(missing.into());
    };
    let known = store.run(principal, thread, run).await?.ok_or(missing)?;
    if known.status == RunStatus::Open {
        return Err(ApiError::new(
            ErrorCode::ThreadBusy,
            format!("the run '{run}' to branch off has not ended"),
            "wait for its end, or cancel it",
        ));
    }
    let (seen, _) = read_back(store, principal, thread, &known).await?;
    let last = store.last_run(principal, thread).await?;
    let recalled = match last.is_some_and(|last| last.id == *run) {
        // With what came after its end.
        true => recalled_of(store, &(principal.clone(), thread.clone())).await?,
        false => Some(seen.fold.state().clone().into()),
    };
    Ok(BranchOrigin {
        recalled,
        told: VecDeque::new(),
        messages: seen.fold.messages().cloned().collect(),
    })
}

impl RunRequest {
    /// Begins the conversation with these messages, unless one of them is in it; whether it does.
    fn begin_with(&mut self, messages: &[Message]) -> Result<bool, ApiError> {
        let own = &self.input.messages;
        let ids: HashSet<&str> = own.iter().map(|own| own.id.as_str()).collect();
        if messages.is_empty()
            || messages
                .iter()
                .any(|message| ids.contains(message.id.as_str()))
        {
            return Ok(false);
        }
        let mut sent = self.sent.value().into_owned();
        let mut all = Vec::with_capacity(messages.len() + own.len());
        for message in messages {
            all.push(Value::parse(&message.to_json()).map_err(super::received::not_json)?);
        }
        if let Some(map) = sent.as_object_mut() {
            if let Some(Value::Array(own)) = map.get("messages") {
                all.extend(own.iter().cloned());
            }
            map.insert("messages".to_owned(), Value::Array(all));
        }
        self.sent = Json::from(sent);
        self.input.messages.splice(0..0, messages.iter().cloned());
        Ok(true)
    }
}
