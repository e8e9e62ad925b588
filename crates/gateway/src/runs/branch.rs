//! Branches: new threads that begin at the end of a run of another thread.

use std::collections::VecDeque;
use std::sync::Arc;
use std::task::{Context, Poll};

use agui::agent::{AgentError, EventSource};
use agui::event::EventType;
use agui::model::Message;
use agui::{EventReader, EventStream, ReceivedEvent};
use citation_stream::ThreadMemory;
use json::Text;
use store::{Principal, RunId, RunStatus, Store, StoreError, ThreadId};

use super::run_request::RunRequest;
use super::run_view::read_run;
use super::thread_snapshot::json_array;
use super::thread_state::memory_of;
use crate::error::GatewayError;

/// Memory and messages that a branch inherits from its parent.
#[derive(Default)]
pub(crate) struct BranchOrigin {
    /// Thread memory of the parent after the run.
    pub(crate) memory: Option<ThreadMemory>,
    /// Events that send the inherited messages to a client that did not send them itself.
    pub(crate) events: VecDeque<ReceivedEvent>,
    messages: Vec<Message>,
}

/// Adds the conversation of the parent before the messages of the request, unless they contain it.
/// A thread that exists keeps its own conversation.
pub(crate) async fn inherit(
    store: &Arc<dyn Store>,
    principal: &Principal,
    request: &mut RunRequest,
    (thread, run): (&ThreadId, &RunId),
) -> Result<BranchOrigin, GatewayError> {
    let Some(parent) = request.parent.clone().filter(|_| request.inherits) else {
        return Ok(BranchOrigin::default());
    };
    let exists = store.thread(principal, thread).await?.is_some();
    // A run that is sent again has to be read as it was the first time.
    if exists && store.run(principal, thread, run).await?.is_none() {
        return Ok(BranchOrigin::default());
    }
    let mut origin = read_parent(store, principal, &parent).await?;
    if request.prepend_messages(&origin.messages)? {
        // A client keeps its own messages in place and appends new ones. It therefore receives the messages of the
        // parent alone first, and then all of them.
        let all = &request.input.messages;
        for shown in [&origin.messages, all] {
            let messages = json_array(shown.iter().map(Message::to_json));
            let event = format!(r#"{{"type":"MESSAGES_SNAPSHOT","messages":{messages}}}"#);
            let read = EventReader::new().read(Text::from(event));
            origin.events.extend(read.ok());
        }
    }
    Ok(origin)
}

/// Returns the stream with some events inserted after its `RUN_STARTED`.
pub(crate) fn prepend_events(stream: EventStream, events: VecDeque<ReceivedEvent>) -> EventStream {
    if events.is_empty() {
        return stream;
    }
    EventStream::new(BranchEvents {
        stream,
        events,
        has_started: false,
    })
}

struct BranchEvents {
    stream: EventStream,
    events: VecDeque<ReceivedEvent>,
    has_started: bool,
}

impl EventSource for BranchEvents {
    fn poll_into(
        &mut self,
        context: &mut Context<'_>,
        slot: &mut ReceivedEvent,
    ) -> Poll<Option<Result<(), AgentError>>> {
        if self.has_started
            && let Some(event) = self.events.pop_front()
        {
            *slot = event;
            return Poll::Ready(Some(Ok(())));
        }
        let polled = self.stream.poll_into(context, slot);
        // The citation layer guarantees that the first event starts or ends the run.
        if let (Poll::Ready(Some(Ok(()))), ReceivedEvent::Typed(event)) = (&polled, &*slot) {
            self.has_started |= event.kind() == EventType::RunStarted;
        }
        polled
    }
}

async fn read_parent(
    store: &Arc<dyn Store>,
    principal: &Principal,
    (thread, run): &(ThreadId, RunId),
) -> Result<BranchOrigin, GatewayError> {
    let known = store.run(principal, thread, run).await?;
    let known = known.ok_or(StoreError::NotFound {
        what: "the run to branch off",
    })?;
    if known.status == RunStatus::Open {
        return Err(GatewayError::ParentRunOpen { run: run.clone() });
    }
    let (view, _) = read_run(store, principal, thread, &known).await?;
    let last = store.last_run(principal, thread).await?;
    let memory = match last.is_some_and(|last| last.id == *run) {
        // Includes the late results of the run.
        true => memory_of(store, &(principal.clone(), thread.clone())).await?,
        false => Some(view.fold.state().clone().into()),
    };
    Ok(BranchOrigin {
        memory,
        events: VecDeque::new(),
        messages: view.fold.messages().cloned().collect(),
    })
}
