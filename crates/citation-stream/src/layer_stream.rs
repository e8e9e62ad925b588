//! Event stream of a citation layer.

use std::collections::VecDeque;
use std::sync::Arc;
use std::task::{Context, Poll, ready};

use agui::ReceivedEvent;
use agui::agent::{AgentError, EventSource, EventStream};
use agui::event::{Event, EventType, RunFinished};
use agui::model::RunOutcome;
use agui::pipeline::{Pipeline, StageError};
use json::{Text, Value};

use crate::event_handler::EventHandler;
use crate::host::{LayerHost, StopReason, StopSignal, Timer};
use crate::outgoing::{EventDisposition, OutgoingEvents};

/// Number of events of an agent that never pauses, after which the stop signal is polled.
const STOP_POLL_INTERVAL: u32 = 256;

type NewId = Box<dyn FnMut() -> String + Send>;

/// End of a run, which waits for open verifications.
enum TerminalEvent {
    /// Event as it was received, and as the pipeline sees it.
    Event(Box<(ReceivedEvent, Event)>),
    Error(AgentError),
}

/// Events of an agent with those of the layer in between.
pub(crate) struct LayerStream {
    upstream: EventStream,
    pipeline: Pipeline<NewId>,
    handler: EventHandler,
    host: Arc<dyn LayerHost>,
    /// Events that are sent before anything else is read.
    ready: VecDeque<ReceivedEvent>,
    /// Terminal event that waits for open verifications.
    terminal: Option<TerminalEvent>,
    /// Timer of that wait.
    timer: Option<Timer>,
    /// Set at the end of the stream, with an error that is still to be returned.
    ended: Option<Option<AgentError>>,
    /// Signal that ends the run early.
    stop_signal: Option<StopSignal>,
    /// Number of events since the signal was last polled.
    events_since_poll: u32,
}

impl LayerStream {
    pub(crate) fn new(
        upstream: EventStream,
        handler: EventHandler,
        host: Arc<dyn LayerHost>,
    ) -> Self {
        let ids = Arc::clone(&host);
        let stop_signal = host.stop_signal();
        Self {
            upstream,
            pipeline: Pipeline::new(Box::new(move || ids.new_id())),
            handler,
            host,
            ready: VecDeque::new(),
            terminal: None,
            timer: None,
            ended: None,
            stop_signal,
            events_since_poll: 0,
        }
    }

    #[cfg(test)]
    pub(crate) fn handler(&self) -> &EventHandler {
        &self.handler
    }

    /// Returns true if no event waits to be sent.
    #[cfg(test)]
    pub(crate) fn is_quiet(&self) -> bool {
        self.ready.is_empty()
    }

    /// Processes an upstream event. Returns true if it can be forwarded unchanged before anything we queued.
    #[inline]
    fn process(&mut self, received: &mut ReceivedEvent) -> Result<bool, AgentError> {
        let Self {
            pipeline, handler, ..
        } = self;
        let mut is_unchanged = false;
        let mut seen: Vec<Event> = Vec::new();
        let processed = pipeline.process(
            received,
            |_| {},
            |event| match &*received {
                // Nearly every event passes the pipeline unchanged and is not copied.
                ReceivedEvent::Typed(own) if std::ptr::eq(own, event) => {
                    is_unchanged = true;
                    handler.handle(event);
                }
                _ => seen.push(event.clone()),
            },
        );
        if !is_unchanged {
            return self.process_changed(received, seen, processed.err());
        }
        processed?;
        let outgoing = self.handler.outgoing();
        if matches!(outgoing.disposition, EventDisposition::Forward) && outgoing.before.is_empty() {
            let after = outgoing.after.drain(..);
            self.ready.extend(after.map(ReceivedEvent::Typed));
            return Ok(true);
        }
        self.dispatch(received, None);
        Ok(false)
    }

    /// Processes an event from which the pipeline made several, none or another one.
    #[cold]
    fn process_changed(
        &mut self,
        received: &mut ReceivedEvent,
        mut seen: Vec<Event>,
        error: Option<StageError>,
    ) -> Result<bool, AgentError> {
        let is_chunk = matches!(
            EventType::from_str(received.type_name()),
            Some(
                EventType::TextMessageChunk
                    | EventType::ToolCallChunk
                    | EventType::ReasoningMessageChunk
            )
        );
        // Chunks are sent expanded. Any other event is sent as received, after the ends of open chunk sequences.
        let own = if is_chunk || error.is_some() {
            None
        } else {
            seen.pop()
        };
        for event in seen {
            self.handler.handle(&event);
            self.dispatch(&mut ReceivedEvent::Typed(event), None);
        }
        if let Some(error) = error {
            return Err(error.into());
        }
        match own {
            Some(event) => {
                self.handler.handle(&event);
                if let ReceivedEvent::Untyped(untyped) = received
                    && event.kind() == EventType::MessagesSnapshot
                {
                    // Messages may carry source lists, which the protocol does not describe.
                    let messages = untyped.members.get("messages").and_then(Value::as_array);
                    self.handler
                        .cite_message_lists(messages.unwrap_or_default());
                    self.handler.outgoing().keep_undescribed_members(untyped);
                }
                self.dispatch(received, Some(event));
            }
            // Unknown events may mean something to the client.
            None if !is_chunk => self.ready.push_back(std::mem::take(received)),
            None => {}
        }
        Ok(false)
    }

    /// Queues an event and everything that is sent because of it.
    fn dispatch(&mut self, received: &mut ReceivedEvent, seen: Option<Event>) {
        let outgoing = self.handler.outgoing();
        self.ready
            .extend(outgoing.before.drain(..).map(ReceivedEvent::Typed));
        match std::mem::take(&mut outgoing.disposition) {
            EventDisposition::Forward => self.ready.push_back(std::mem::take(received)),
            EventDisposition::Replace(event) => self.ready.push_back(ReceivedEvent::Typed(event)),
            EventDisposition::Drop => {}
            EventDisposition::Hold => {
                let received = std::mem::take(received);
                let seen = match (seen, &received) {
                    (Some(seen), _) => Some(seen),
                    (None, ReceivedEvent::Typed(event)) => Some(event.clone()),
                    (None, ReceivedEvent::Untyped(_)) => None,
                };
                if let Some(seen) = seen {
                    self.terminal = Some(TerminalEvent::Event(Box::new((received, seen))));
                }
            }
        }
        self.ready
            .extend(outgoing.after.drain(..).map(ReceivedEvent::Typed));
    }

    /// Queues events that are not sent because of an event of the agent.
    fn flush(&mut self) {
        let OutgoingEvents { before, after, .. } = self.handler.outgoing();
        let own = before.drain(..).chain(after.drain(..));
        self.ready.extend(own.map(ReceivedEvent::Typed));
    }

    /// Returns true if a run has ended and no other has started.
    fn is_between_runs(&self) -> bool {
        self.handler.has_started() && !self.handler.is_running()
    }

    /// Ends the run on request of the host. The agent is not read any more.
    #[cold]
    fn stop(&mut self, reason: StopReason) {
        self.upstream = EventStream::of([]);
        match reason {
            _ if self.is_between_runs() => self.ended = Some(None),
            StopReason::Cancelled => self.cancel(),
            StopReason::Failed { code, message } => self.break_off(AgentError::Failed {
                code,
                message: message.to_owned(),
            }),
        }
    }

    /// Closes everything that is open and ends the run with the outcome `cancelled`.
    fn cancel(&mut self) {
        if !self.handler.has_started() {
            self.handler.begin_own_run();
            self.flush();
        }
        let mut own = Vec::new();
        let close = |sent, seen| own.push((sent, seen));
        self.pipeline
            .close("the run was cancelled", "cancelled", close);
        let finished = Event::from(RunFinished {
            thread_id: Text::from(self.handler.tracker().thread_id()),
            run_id: Text::from(self.handler.tracker().run_id()),
            result: None,
            outcome: Some(Box::new(RunOutcome::Cancelled)),
            usage: None,
        });
        own.push((ReceivedEvent::Typed(finished.clone()), finished));
        for (mut sent, seen) in own {
            self.handler.handle(&seen);
            self.dispatch(&mut sent, Some(seen));
        }
    }

    /// Polls the stop signal and stops the run when it is ready.
    fn poll_stop_signal(&mut self, context: &mut Context<'_>) -> Poll<()> {
        self.events_since_poll = 0;
        let Some(signal) = &mut self.stop_signal else {
            return Poll::Pending;
        };
        let reason = ready!(signal.as_mut().poll(context));
        self.stop_signal = None;
        self.stop(reason);
        Poll::Ready(())
    }

    /// Handles an error of the agent, or the end of its stream within a run.
    fn break_off(&mut self, error: AgentError) {
        // Nothing may follow an error event, and a connection error after the end of a run does not matter.
        if self.is_between_runs()
            && (self.pipeline.has_failed() || matches!(error, AgentError::Transport(_)))
        {
            self.ended = Some(None);
            return;
        }
        if !self.handler.has_started() {
            // The client was promised a run: it gets the start of it and the state of the thread.
            self.handler.begin_own_run();
        }
        if self.handler.is_running() {
            self.handler.fail_open(&error.to_string());
            self.flush();
        }
        self.terminal = Some(TerminalEvent::Error(error));
    }

    /// Waits for the verifications of a run, up to the deadline, and ends it.
    fn poll_terminal(&mut self, context: &mut Context<'_>) -> Poll<()> {
        if let Some(deadline) = self.handler.verification_deadline() {
            let host = &self.host;
            let timer = self.timer.get_or_insert_with(|| host.sleep(deadline));
            ready!(timer.as_mut().poll(context));
            self.handler.abandon_verifications();
        }
        self.timer = None;
        let terminal = self.terminal.take();
        let seen = match &terminal {
            Some(TerminalEvent::Event(event)) => Some(&event.1),
            _ => None,
        };
        self.handler.end_run(seen);
        self.flush();
        match terminal {
            Some(TerminalEvent::Event(event)) => self.ready.push_back(event.0),
            Some(TerminalEvent::Error(error)) => self.ended = Some(Some(error)),
            None => {}
        }
        Poll::Ready(())
    }
}

impl EventSource for LayerStream {
    fn poll_into(
        &mut self,
        context: &mut Context<'_>,
        slot: &mut ReceivedEvent,
    ) -> Poll<Option<Result<(), AgentError>>> {
        loop {
            if let Some(event) = self.ready.pop_front() {
                *slot = event;
                return Poll::Ready(Some(Ok(())));
            }
            if let Some(error) = &mut self.ended {
                return Poll::Ready(error.take().map(Err));
            }
            if self.handler.poll_verifications(context) {
                self.flush();
                continue;
            }
            if self.terminal.is_some() {
                ready!(self.poll_terminal(context));
                continue;
            }
            self.events_since_poll += 1;
            if self.events_since_poll > STOP_POLL_INTERVAL
                && self.poll_stop_signal(context).is_ready()
            {
                continue;
            }
            let read = match self.upstream.poll_into(context, slot) {
                Poll::Ready(read) => read,
                Poll::Pending => {
                    ready!(self.poll_stop_signal(context));
                    continue;
                }
            };
            match read {
                Some(Ok(())) => match self.process(slot) {
                    Ok(true) => return Poll::Ready(Some(Ok(()))),
                    Ok(false) => {}
                    Err(error) => self.break_off(error),
                },
                Some(Err(error)) => self.break_off(error),
                None if !self.is_between_runs() => {
                    self.break_off(AgentError::Failed {
                        code: "upstream_truncated",
                        message: "the agent's stream ended before the run did".to_owned(),
                    });
                }
                None => self.ended = Some(None),
            }
        }
    }
}
