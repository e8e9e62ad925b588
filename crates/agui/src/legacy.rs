//! Layer for agents that use an AG-UI release before 1.0: downgrades their input and removes
//! subagents from their events.

use std::collections::VecDeque;
use std::sync::Arc;
use std::task::{Context, Poll, ready};

use crate::agent::{Agent, AgentError, EventSource, EventStream};
use crate::event::{Event, EventData};
use crate::model::{Content, Message, PartBody, RunAgentInput, RunOutcome};
use crate::pipeline::Pipeline;
use crate::received::ReceivedEvent;

/// AG-UI release, for example `1.0.0`.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub struct ProtocolRelease(pub u32, pub u32, pub u32);

impl ProtocolRelease {
    /// Last release without content parts and parent runs.
    const PLAIN_TEXT: Self = Self(0, 0, 39);
    /// Last release without subagents.
    const NO_SUBAGENTS: Self = Self(0, 0, 57);
    /// First release with a protocol version.
    const VERSIONED: Self = Self(1, 0, 0);
}

impl std::str::FromStr for ProtocolRelease {
    type Err = InvalidRelease;

    fn from_str(text: &str) -> Result<Self, InvalidRelease> {
        let mut numbers = text.split('.').map(|part| part.parse::<u32>());
        let mut next = || match numbers.next() {
            Some(number) => number.map_err(|_| InvalidRelease),
            None => Ok(0),
        };
        let release = Self(next()?, next()?, next()?);
        if text.split('.').count() > 3 {
            return Err(InvalidRelease);
        }
        Ok(release)
    }
}

/// Text that is not a release number.
#[derive(Debug, Clone, Copy, PartialEq, Eq, thiserror::Error)]
#[error("expected a release of AG-UI such as 0.0.45")]
pub struct InvalidRelease;

/// Converts an input to the form of an earlier release. Returns the number of messages that lost
/// content.
pub fn downgrade(input: &mut RunAgentInput, release: ProtocolRelease) -> usize {
    if release < ProtocolRelease::VERSIONED {
        input.protocol_version = None;
    }
    if release <= ProtocolRelease::NO_SUBAGENTS {
        for message in &mut input.messages {
            message.subagent_run_id = None;
        }
    }
    if release > ProtocolRelease::PLAIN_TEXT {
        return 0;
    }
    input.parent_run_id = None;
    input.messages.iter_mut().filter_map(flatten).count()
}

/// Converts content to plain text. Returns `Some` if something was lost.
fn flatten(message: &mut Message) -> Option<()> {
    match &mut message.content {
        Content::Absent => {
            message.content = Content::Text(String::new());
            None
        }
        Content::Parts(parts) => {
            let mut text = String::new();
            let mut lost = None;
            for part in parts {
                match &part.body {
                    PartBody::Text(piece) => text.push_str(piece),
                    PartBody::Media(..) => lost = Some(()),
                }
            }
            message.content = Content::Text(text);
            lost
        }
        Content::Text(_) | Content::Activity(_) => None,
    }
}

/// Wrapper around an agent of an earlier release.
pub struct LegacyAgent<A, G> {
    agent: A,
    release: ProtocolRelease,
    new_id: G,
}

impl<A, G> LegacyAgent<A, G> {
    /// Wraps an agent that uses `release`. `new_id` creates ids for reasoning events of very old
    /// agents.
    pub fn new(agent: A, release: ProtocolRelease, new_id: G) -> Self {
        Self {
            agent,
            release,
            new_id,
        }
    }
}

impl<A, G> Agent for LegacyAgent<A, G>
where
    A: Agent,
    G: Fn() -> String + Clone + Send + Sync + 'static,
{
    fn run(&self, mut input: RunAgentInput) -> EventStream {
        downgrade(&mut input, self.release);
        let stream = self.agent.run(input);
        if self.release > ProtocolRelease::NO_SUBAGENTS {
            return stream;
        }
        EventStream::new(WithoutSubagents {
            stream,
            pipeline: Pipeline::new(self.new_id.clone()),
            received: ReceivedEvent::default(),
            expanded: Vec::new(),
            ready: VecDeque::new(),
            error: None,
        })
    }
}

/// Event source that removes subagents. Chunks are expanded first, because interleaved messages can
/// only be told apart by their subagent.
struct WithoutSubagents<G> {
    stream: EventStream,
    pipeline: Pipeline<G>,
    received: ReceivedEvent,
    expanded: Vec<Event>,
    ready: VecDeque<Event>,
    /// Error to return after the ready events.
    error: Option<AgentError>,
}

impl<G: Fn() -> String + Send> EventSource for WithoutSubagents<G> {
    fn poll_into(
        &mut self,
        context: &mut Context<'_>,
        slot: &mut ReceivedEvent,
    ) -> Poll<Option<Result<(), AgentError>>> {
        loop {
            if let Some(event) = self.ready.pop_front() {
                *slot = ReceivedEvent::Typed(event);
                return Poll::Ready(Some(Ok(())));
            }
            if let Some(error) = self.error.take() {
                return Poll::Ready(Some(Err(error)));
            }
            match ready!(self.stream.poll_into(context, &mut self.received)) {
                Some(Ok(())) => {}
                end => return Poll::Ready(end),
            }
            let event = std::mem::take(&mut self.received);
            let expanded = self.pipeline.expand(event, |_| {}, &mut self.expanded);
            self.error = expanded.err().map(AgentError::from);
            self.ready
                .extend(self.expanded.drain(..).filter_map(without_subagent));
        }
    }
}

/// Removes the subagent from an event; `None` if the event is about a subagent.
fn without_subagent(event: Event) -> Option<Event> {
    let (mut data, mut common) = event.into_parts();
    match &mut data {
        EventData::SubagentStarted(_)
        | EventData::SubagentFinished(_)
        | EventData::SubagentError(_) => return None,
        EventData::MessagesSnapshot(data) => {
            for message in &mut data.messages.0 {
                if message.subagent_run_id.is_some() {
                    Arc::make_mut(message).subagent_run_id = None;
                }
            }
        }
        EventData::RunStarted(data) => {
            for message in data.input.iter_mut().flat_map(|input| &mut input.messages) {
                message.subagent_run_id = None;
            }
        }
        EventData::RunFinished(data) => {
            if let Some(RunOutcome::Interrupt { interrupts }) = data.outcome.as_deref_mut() {
                for interrupt in interrupts {
                    interrupt.subagent_run_id = None;
                }
            }
        }
        _ => {}
    }
    common.subagent_run_id = None;
    Some(Event::with_common(data, common))
}
