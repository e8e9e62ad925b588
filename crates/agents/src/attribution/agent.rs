//! The agent: with a model if one is configured, otherwise by rules.

use std::fmt;
use std::sync::{Arc, PoisonError};
use std::task::{Context, Poll};

use agui::agent::{AgentError, EventSource, EventStream};
use agui::event::{Event, EventData, StateSnapshot};
use agui::model::RunAgentInput;
use agui::{Agent, ReceivedEvent};
use json::Json;

use super::catalogue::CreditCatalogue;
use super::frontend_context::FrontendContext;
use super::model_tools::{LastState, SYSTEM, tools};
use super::offline::OfflineRun;
use crate::model::ModelChain;
use crate::reader::ReaderLibrary;
use crate::run_host::RunHost;
use crate::tool_loop::{ModelAgent, RunLimits};
use crate::yielded_stream::YieldedStream;

/// Agent for music credits.
#[derive(Clone)]
pub struct AttributionAgent {
    /// Catalogue of the principal.
    pub catalogue: Arc<dyn CreditCatalogue>,
    /// Documents of the principal, for liner notes.
    pub library: Arc<dyn ReaderLibrary>,
    /// Clock, ids and randomness.
    pub host: Arc<dyn RunHost>,
    /// Models that answer; without one the agent follows rules.
    pub models: Option<ModelChain>,
    /// Limits of one run with a model.
    pub limits: RunLimits,
}

impl fmt::Debug for AttributionAgent {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(formatter, "AttributionAgent({:?})", self.models)
    }
}

impl Agent for AttributionAgent {
    fn run(&self, input: RunAgentInput) -> EventStream {
        let Some(models) = self.models.clone() else {
            let (catalogue, library, host) = (
                self.catalogue.clone(),
                self.library.clone(),
                self.host.clone(),
            );
            return EventStream::new(YieldedStream::new(async move |events| {
                OfflineRun::new(&*catalogue, &*library, &host, &input, &events)
                    .run()
                    .await;
            }));
        };
        let last = LastState::default();
        let is_artist = FrontendContext::of(&input).is_artist;
        let mut builder = ModelAgent::builder(models, self.host.clone())
            .system(SYSTEM)
            .limits(self.limits);
        for tool in tools(&self.catalogue, &last, is_artist) {
            builder = builder.tool(tool);
        }
        EventStream::new(SnapshotAtEnd {
            first: input.state.clone(),
            stream: builder.build().run(input),
            last,
            held: None,
        })
    }
}

/// Events of a run with a snapshot of the state before its end.
struct SnapshotAtEnd {
    stream: EventStream,
    last: LastState,
    first: Option<Json>,
    held: Option<ReceivedEvent>,
}

impl EventSource for SnapshotAtEnd {
    fn poll_into(
        &mut self,
        context: &mut Context<'_>,
        slot: &mut ReceivedEvent,
    ) -> Poll<Option<Result<(), AgentError>>> {
        if let Some(held) = self.held.take() {
            *slot = held;
            return Poll::Ready(Some(Ok(())));
        }
        let polled = self.stream.poll_into(context, slot);
        let is_end = matches!(polled, Poll::Ready(Some(Ok(()))))
            && matches!(&*slot, ReceivedEvent::Typed(event) if matches!(event.data(), EventData::RunFinished(_)));
        if is_end {
            let last = self
                .last
                .lock()
                .unwrap_or_else(PoisonError::into_inner)
                .as_ref()
                .map(|state| Json::from(state.value()));
            if let Some(snapshot) = last.or_else(|| self.first.clone()) {
                let snapshot = ReceivedEvent::Typed(Event::from(StateSnapshot { snapshot }));
                self.held = Some(std::mem::replace(slot, snapshot));
            }
        }
        polled
    }
}
