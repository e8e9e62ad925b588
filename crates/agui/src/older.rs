//! A layer for agents that speak an AG-UI before 1.0: they get what they understand, and what they
//! send in the wrong place is taken out.

use std::collections::VecDeque;
use std::sync::Arc;
use std::task::{Context, Poll, ready};

use crate::agent::{Agent, AgentError, EventSource, EventStream};
use crate::event::{Event, EventData};
use crate::model::{Content, Message, PartBody, RunAgentInput, RunOutcome};
use crate::pipeline::Pipeline;
use crate::raw::RawEvent;

/// A release of AG-UI: `1.0.0`.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub struct Release(pub u32, pub u32, pub u32);

impl Release {
    /// Knows neither parts in messages nor parent runs.
    const PLAIN_TEXT: Self = Self(0, 0, 39);
    /// Knows no subagents.
    const NO_SUBAGENTS: Self = Self(0, 0, 57);
    /// Says which protocol it speaks.
    const VERSIONED: Self = Self(1, 0, 0);
}

impl std::str::FromStr for Release {
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

/// A text that names no release.
#[derive(Debug, Clone, Copy, PartialEq, Eq, thiserror::Error)]
#[error("expected a release of AG-UI such as 0.0.45")]
pub struct InvalidRelease;

/// Makes an input what an older release understands; how many messages lost something.
pub fn downgrade(input: &mut RunAgentInput, release: Release) -> usize {
    if release < Release::VERSIONED {
        input.protocol_version = None;
    }
    if release <= Release::NO_SUBAGENTS {
        for message in &mut input.messages {
            message.subagent_run_id = None;
        }
    }
    if release > Release::PLAIN_TEXT {
        return 0;
    }
    input.parent_run_id = None;
    input.messages.iter_mut().filter_map(flatten).count()
}

/// Turns content into plain text; `Some` if something was lost.
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

/// An agent of an older release, made to look like one of today.
pub struct OlderAgent<A, G> {
    agent: A,
    release: Release,
    new_id: G,
}

impl<A, G> OlderAgent<A, G> {
    /// Wraps an agent that speaks `release`. `new_id` gives ids to reasoning of very old agents.
    pub fn new(agent: A, release: Release, new_id: G) -> Self {
        Self {
            agent,
            release,
            new_id,
        }
    }
}

impl<A, G> Agent for OlderAgent<A, G>
where
    A: Agent,
    G: Fn() -> String + Clone + Send + Sync + 'static,
{
    fn run(&self, mut input: RunAgentInput) -> EventStream {
        downgrade(&mut input, self.release);
        let stream = self.agent.run(input);
        if self.release > Release::NO_SUBAGENTS {
            return stream;
        }
        EventStream::new(WithoutSubagents {
            stream,
            pipeline: Pipeline::new(self.new_id.clone()),
            received: RawEvent::default(),
            expanded: Vec::new(),
            ready: VecDeque::new(),
            error: None,
        })
    }
}

/// Events without subagents. Chunks are expanded first: without their subagent, two messages that
/// come in turns could not be told apart.
struct WithoutSubagents<G> {
    stream: EventStream,
    pipeline: Pipeline<G>,
    received: RawEvent,
    expanded: Vec<Event>,
    ready: VecDeque<Event>,
    /// What follows the events that are ready.
    error: Option<AgentError>,
}

impl<G: Fn() -> String + Send> EventSource for WithoutSubagents<G> {
    fn poll_into(
        &mut self,
        context: &mut Context<'_>,
        slot: &mut RawEvent,
    ) -> Poll<Option<Result<(), AgentError>>> {
        loop {
            if let Some(event) = self.ready.pop_front() {
                *slot = RawEvent::Clean(event);
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

/// The event without its subagent; `None` if it is about one.
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
