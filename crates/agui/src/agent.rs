//! Agents: something that runs an input and answers with events, and layers that wrap one.

use std::collections::VecDeque;
use std::future::poll_fn;
use std::pin::Pin;
use std::sync::Arc;
use std::task::{Context, Poll};

use futures_core::Stream;

use crate::event::Event;
use crate::model::RunAgentInput;
use crate::pipeline::StageError;
use crate::raw::RawEvent;
use crate::stream::StreamError;

/// Runs an input and answers with events.
///
/// A layer is an agent that wraps an agent: it changes the input on the way in and the events on the
/// way out. To stop a run, drop its stream.
pub trait Agent: Send + Sync {
    /// Starts a run. Nothing happens until the stream is polled.
    fn run(&self, input: RunAgentInput) -> EventStream;
}

impl<A: Agent + ?Sized> Agent for Arc<A> {
    fn run(&self, input: RunAgentInput) -> EventStream {
        (**self).run(input)
    }
}

impl<A: Agent + ?Sized> Agent for Box<A> {
    fn run(&self, input: RunAgentInput) -> EventStream {
        (**self).run(input)
    }
}

/// An agent made of a function.
#[derive(Debug, Clone, Copy)]
pub struct AgentFn<F>(pub F);

impl<F: Fn(RunAgentInput) -> EventStream + Send + Sync> Agent for AgentFn<F> {
    fn run(&self, input: RunAgentInput) -> EventStream {
        (self.0)(input)
    }
}

/// Why a run broke off. What came before it counts.
#[derive(Debug, thiserror::Error)]
pub enum AgentError {
    /// Over HTTP.
    #[error(transparent)]
    Http(#[from] crate::http::HttpError),
    /// The bytes are no stream of events.
    #[error(transparent)]
    Stream(#[from] StreamError),
    /// An event is not what the protocol describes.
    #[error(transparent)]
    Stage(#[from] StageError),
    /// An agent of one's own gave up.
    #[error("{message}")]
    Failed {
        /// A code for machines.
        code: &'static str,
        /// What went wrong and what can be done.
        message: String,
    },
}

impl AgentError {
    /// A code for machines, as a gateway puts it into `RUN_ERROR`.
    pub fn code(&self) -> &'static str {
        match self {
            Self::Http(error) => error.code(),
            Self::Stream(_) | Self::Stage(_) => "upstream_protocol",
            Self::Failed { code, .. } => code,
        }
    }
}

/// Where events come from, one after another.
///
/// Whoever polls goes on until `Pending`, so that everything that is ready is handled in one wake.
pub trait EventSource: Send {
    /// Reads the next event into `slot`. `None` is the end; so is an error.
    ///
    /// `slot` may hold anything before, and holds nothing of use unless an event was read.
    fn poll_into(
        &mut self,
        context: &mut Context<'_>,
        slot: &mut RawEvent,
    ) -> Poll<Option<Result<(), AgentError>>>;
}

/// The events of a run.
pub struct EventStream(Box<dyn EventSource>);

impl EventStream {
    /// A stream from any source.
    pub fn new(source: impl EventSource + 'static) -> Self {
        Self(Box::new(source))
    }

    /// A stream of events that are known already.
    pub fn of(events: impl IntoIterator<Item = Event>) -> Self {
        let events = events.into_iter().map(RawEvent::Clean);
        Self::new(Known(events.collect()))
    }

    /// Reads the next event into `slot`; see [`EventSource::poll_into`].
    pub fn poll_into(
        &mut self,
        context: &mut Context<'_>,
        slot: &mut RawEvent,
    ) -> Poll<Option<Result<(), AgentError>>> {
        self.0.poll_into(context, slot)
    }

    /// Reads the next event into `slot`, waiting for it.
    pub async fn next_into(&mut self, slot: &mut RawEvent) -> Option<Result<(), AgentError>> {
        poll_fn(|context| self.0.poll_into(context, slot)).await
    }
}

impl std::fmt::Debug for EventStream {
    fn fmt(&self, formatter: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        formatter.write_str("EventStream")
    }
}

impl Stream for EventStream {
    type Item = Result<RawEvent, AgentError>;

    fn poll_next(mut self: Pin<&mut Self>, context: &mut Context<'_>) -> Poll<Option<Self::Item>> {
        let mut event = RawEvent::default();
        self.0
            .poll_into(context, &mut event)
            .map(|read| read.map(|read| read.map(|()| event)))
    }
}

/// Events that are known already.
struct Known(VecDeque<RawEvent>);

impl EventSource for Known {
    fn poll_into(
        &mut self,
        _: &mut Context<'_>,
        slot: &mut RawEvent,
    ) -> Poll<Option<Result<(), AgentError>>> {
        Poll::Ready(self.0.pop_front().map(|event| {
            *slot = event;
            Ok(())
        }))
    }
}
