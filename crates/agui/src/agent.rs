//! Agents, which turn the input of a run into a stream of events, and their error type.

use std::collections::VecDeque;
use std::future::poll_fn;
use std::pin::Pin;
use std::sync::Arc;
use std::task::{Context, Poll};

use futures_core::Stream;

use crate::event::Event;
use crate::model::RunAgentInput;
use crate::pipeline::StageError;
use crate::received::ReceivedEvent;
use crate::stream::StreamError;

/// Something that runs an input and answers with events.
///
/// A layer is an agent that wraps another agent: it changes the input on the way in and the events
/// on the way out. Dropping the stream stops the run.
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

/// Agent made of a function.
#[derive(Debug, Clone, Copy)]
pub struct AgentFn<F>(pub F);

impl<F: Fn(RunAgentInput) -> EventStream + Send + Sync> Agent for AgentFn<F> {
    fn run(&self, input: RunAgentInput) -> EventStream {
        (self.0)(input)
    }
}

/// Failure of the transport that carries an agent's events.
#[derive(Debug, thiserror::Error)]
#[error("{source}")]
pub struct TransportError {
    code: &'static str,
    source: Box<dyn std::error::Error + Send + Sync>,
}

impl TransportError {
    /// Wraps an error of a transport under its code for `RUN_ERROR`.
    pub fn new(
        code: &'static str,
        source: impl Into<Box<dyn std::error::Error + Send + Sync>>,
    ) -> Self {
        Self {
            code,
            source: source.into(),
        }
    }

    /// Returns the error code.
    pub fn code(&self) -> &'static str {
        self.code
    }

    /// Returns the transport's own error if it is an `E`.
    pub fn downcast_ref<E: std::error::Error + 'static>(&self) -> Option<&E> {
        self.source.downcast_ref()
    }
}

/// Error that ends a run. The events before it are valid.
#[derive(Debug, thiserror::Error)]
pub enum AgentError {
    /// Failure of the transport, for example of the HTTP connection to a remote agent.
    #[error(transparent)]
    Transport(#[from] TransportError),
    /// The bytes are not a stream of events.
    #[error(transparent)]
    Stream(#[from] StreamError),
    /// An event violates the protocol.
    #[error(transparent)]
    Stage(#[from] StageError),
    /// A built-in agent failed.
    #[error("{message}")]
    Failed {
        /// Error code.
        code: &'static str,
        /// Description of the failure and of what to do about it.
        message: String,
    },
}

impl AgentError {
    /// Returns the error code, which a gateway puts into `RUN_ERROR`.
    pub fn code(&self) -> &'static str {
        match self {
            Self::Transport(error) => error.code(),
            Self::Stream(_) | Self::Stage(_) => "upstream_protocol",
            Self::Failed { code, .. } => code,
        }
    }
}

/// Source of the events of a run.
///
/// A caller polls until `Pending`, so that all ready events are handled in one wake-up.
pub trait EventSource: Send {
    /// Reads the next event into `slot`. `None` is the end of the stream; an error ends it as well.
    ///
    /// The former content of `slot` is ignored; afterwards it is only valid if an event was read.
    fn poll_into(
        &mut self,
        context: &mut Context<'_>,
        slot: &mut ReceivedEvent,
    ) -> Poll<Option<Result<(), AgentError>>>;
}

/// Stream of the events of a run.
pub struct EventStream(Box<dyn EventSource>);

impl EventStream {
    /// Creates a stream from any source.
    pub fn new(source: impl EventSource + 'static) -> Self {
        Self(Box::new(source))
    }

    /// Creates a stream of the given events.
    pub fn of(events: impl IntoIterator<Item = Event>) -> Self {
        let events = events.into_iter().map(ReceivedEvent::Typed);
        Self::new(ReadyEvents(events.collect()))
    }

    /// Reads the next event into `slot`; see [`EventSource::poll_into`].
    pub fn poll_into(
        &mut self,
        context: &mut Context<'_>,
        slot: &mut ReceivedEvent,
    ) -> Poll<Option<Result<(), AgentError>>> {
        self.0.poll_into(context, slot)
    }

    /// Waits for the next event and reads it into `slot`.
    pub async fn next_into(&mut self, slot: &mut ReceivedEvent) -> Option<Result<(), AgentError>> {
        poll_fn(|context| self.0.poll_into(context, slot)).await
    }
}

impl std::fmt::Debug for EventStream {
    fn fmt(&self, formatter: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        formatter.write_str("EventStream")
    }
}

impl Stream for EventStream {
    type Item = Result<ReceivedEvent, AgentError>;

    fn poll_next(mut self: Pin<&mut Self>, context: &mut Context<'_>) -> Poll<Option<Self::Item>> {
        let mut event = ReceivedEvent::default();
        self.0
            .poll_into(context, &mut event)
            .map(|read| read.map(|read| read.map(|()| event)))
    }
}

/// Source of a fixed list of events.
struct ReadyEvents(VecDeque<ReceivedEvent>);

impl EventSource for ReadyEvents {
    fn poll_into(
        &mut self,
        _: &mut Context<'_>,
        slot: &mut ReceivedEvent,
    ) -> Poll<Option<Result<(), AgentError>>> {
        Poll::Ready(self.0.pop_front().map(|event| {
            *slot = event;
            Ok(())
        }))
    }
}
