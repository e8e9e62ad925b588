//! The stream of a run with its citations.

use std::collections::VecDeque;
use std::sync::Arc;
use std::task::{Context, Poll, ready};

use agui::ReceivedEvent;
use agui::agent::{AgentError, EventSource, EventStream};
use agui::event::{Event, EventType, RunFinished};
use agui::model::RunOutcome;
use agui::pipeline::{Pipeline, StageError};
use json::{Text, Value};

use super::desk::{Desk, EventDisposition, OutgoingEvents};
use super::host::{LayerHost, StopReason, Stopping, Timer};

/// After so many events of an agent that never pauses it is asked whether the run is to end.
const ASK_EVERY: u32 = 256;

type NewId = Box<dyn FnMut() -> String + Send>;

/// What a run ends with, once its checks have ended.
enum TerminalEvent {
    /// As it was received, and as the rules see it.
    Event(Box<(ReceivedEvent, Event)>),
    Error(AgentError),
}

/// The events of an agent, with ours in between.
pub(super) struct LayerStream {
    upstream: EventStream,
    pipeline: Pipeline<NewId>,
    desk: Desk,
    host: Arc<dyn LayerHost>,
    /// What is sent before anything else is read.
    ready: VecDeque<ReceivedEvent>,
    outbox: OutgoingEvents,
    /// The end of a run, which waits for checks.
    last: Option<TerminalEvent>,
    timer: Option<Timer>,
    /// The stream has said all it has to say, but for an error.
    ended: Option<Option<AgentError>>,
    /// Ready when the run is to end.
    stopping: Option<Stopping>,
    /// Events since that was last asked for.
    unasked: u32,
}

impl LayerStream {
    pub(super) fn new(upstream: EventStream, desk: Desk, host: Arc<dyn LayerHost>) -> Self {
        let ids = Arc::clone(&host);
        let stopping = host.stopping();
        Self {
            stopping,
            unasked: 0,
            upstream,
            pipeline: Pipeline::new(Box::new(move || ids.new_id())),
            desk,
            host,
            ready: VecDeque::new(),
            outbox: OutgoingEvents::default(),
            last: None,
            timer: None,
            ended: None,
        }
    }

    #[cfg(test)]
    pub(super) fn desk(&self) -> &Desk {
        &self.desk
    }

    /// Whether everything that is to be sent was sent.
    #[cfg(test)]
    pub(super) fn is_quiet(&self) -> bool {
        self.ready.is_empty()
    }

    /// Takes an event from the agent; true if it goes on as it is, in its place, and first of all.
    #[inline]
    fn take(&mut self, received: &mut ReceivedEvent) -> Result<bool, AgentError> {
        let Self {
            pipeline,
            desk,
            outbox,
            ..
        } = self;
        let mut passed = false;
        let mut seen: Vec<Event> = Vec::new();
        let processed = pipeline.process(
            received,
            |_| {},
            |event| match &*received {
                // Nearly every event passes the rules where it is.
                ReceivedEvent::Typed(own) if std::ptr::eq(own, event) => {
                    passed = true;
                    desk.observe(event, outbox);
                }
                _ => seen.push(event.clone()),
            },
        );
        if !passed {
            return self.take_several(received, seen, processed.err());
        }
        processed?;
        if matches!(self.outbox.forward, EventDisposition::AsIs) && self.outbox.before.is_empty() {
            let after = self.outbox.after.drain(..);
            self.ready.extend(after.map(ReceivedEvent::Typed));
            return Ok(true);
        }
        self.dispatch(received, None);
        Ok(false)
    }

    /// Takes an event that became several, or none, or another one.
    #[cold]
    fn take_several(
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
        // Chunks go on expanded; what closes their lanes goes on as it came, behind the ends.
        let own = if is_chunk || error.is_some() {
            None
        } else {
            seen.pop()
        };
        for event in seen {
            self.desk.observe(&event, &mut self.outbox);
            self.dispatch(&mut ReceivedEvent::Typed(event), None);
        }
        if let Some(error) = error {
            return Err(error.into());
        }
        match own {
            Some(event) => {
                self.desk.observe(&event, &mut self.outbox);
                if let ReceivedEvent::Untyped(unread) = received
                    && event.kind() == EventType::MessagesSnapshot
                {
                    // Messages may carry sources of their own, which the protocol does not describe.
                    let messages = unread.members.get("messages").and_then(Value::as_array);
                    let messages = messages.unwrap_or_default();
                    self.desk.read_messages(messages, &mut self.outbox);
                    self.outbox.keep_undescribed(unread);
                }
                self.dispatch(received, Some(event));
            }
            // Nothing that we understand: others may.
            None if !is_chunk => self.ready.push_back(std::mem::take(received)),
            None => {}
        }
        Ok(false)
    }

    /// Sends an event and what belongs to it.
    fn dispatch(&mut self, received: &mut ReceivedEvent, seen: Option<Event>) {
        let outbox = &mut self.outbox;
        self.ready
            .extend(outbox.before.drain(..).map(ReceivedEvent::Typed));
        match std::mem::take(&mut outbox.forward) {
            EventDisposition::AsIs => self.ready.push_back(std::mem::take(received)),
            EventDisposition::Instead(event) => self.ready.push_back(ReceivedEvent::Typed(event)),
            EventDisposition::Drop => {}
            EventDisposition::Hold => {
                let received = std::mem::take(received);
                let seen = match (seen, &received) {
                    (Some(seen), _) => Some(seen),
                    (None, ReceivedEvent::Typed(event)) => Some(event.clone()),
                    (None, ReceivedEvent::Untyped(_)) => None,
                };
                if let Some(seen) = seen {
                    self.last = Some(TerminalEvent::Event(Box::new((received, seen))));
                }
            }
        }
        self.ready
            .extend(outbox.after.drain(..).map(ReceivedEvent::Typed));
    }

    /// Sends what belongs to no event of the agent.
    fn flush(&mut self) {
        let OutgoingEvents { before, after, .. } = &mut self.outbox;
        let own = before.drain(..).chain(after.drain(..));
        self.ready.extend(own.map(ReceivedEvent::Typed));
    }

    /// Whether a run has ended, and no other has begun.
    fn is_between_runs(&self) -> bool {
        self.desk.run > 0 && !self.desk.running
    }

    /// The run is to end: the agent is not asked any more.
    #[cold]
    fn stop(&mut self, stop: StopReason) {
        self.upstream = EventStream::of([]);
        match stop {
            _ if self.is_between_runs() => self.ended = Some(None),
            StopReason::Cancelled => self.cancel(),
            StopReason::Failed { code, message } => self.break_off(AgentError::Failed {
                code,
                message: message.to_owned(),
            }),
        }
    }

    /// Closes everything that is open, and ends the run as if the agent had.
    fn cancel(&mut self) {
        if self.desk.run == 0 {
            self.desk.begin_own_run(&mut self.outbox);
            self.flush();
        }
        let mut own = Vec::new();
        let close = |sent, seen| own.push((sent, seen));
        self.pipeline
            .close("the run was cancelled", "cancelled", close);
        let finished = Event::from(RunFinished {
            thread_id: Text::from(&*self.desk.thread_id),
            run_id: Text::from(&*self.desk.run_id),
            result: None,
            outcome: Some(Box::new(RunOutcome::Cancelled)),
            usage: None,
        });
        own.push((ReceivedEvent::Typed(finished.clone()), finished));
        for (mut sent, seen) in own {
            self.desk.observe(&seen, &mut self.outbox);
            self.dispatch(&mut sent, Some(seen));
        }
    }

    /// Asks whether the run is to end.
    fn poll_stopping(&mut self, context: &mut Context<'_>) -> Poll<()> {
        self.unasked = 0;
        let Some(stopping) = &mut self.stopping else {
            return Poll::Pending;
        };
        let stop = ready!(stopping.as_mut().poll(context));
        self.stopping = None;
        self.stop(stop);
        Poll::Ready(())
    }

    /// The agent has broken off, or stopped in the middle of a run.
    fn break_off(&mut self, error: AgentError) {
        // Nothing may follow an error, and what becomes of a connection does not concern a run that has ended.
        if self.is_between_runs()
            && (self.pipeline.has_failed() || matches!(error, AgentError::Transport(_)))
        {
            self.ended = Some(None);
            return;
        }
        if self.desk.run == 0 {
            // A client that was promised a run gets its beginning, and the state that the thread has.
            self.desk.begin_own_run(&mut self.outbox);
        }
        if self.desk.running {
            self.desk.fail_open(&error.to_string(), &mut self.outbox);
            self.desk.read_foreign(&mut self.outbox);
            self.flush();
        }
        self.last = Some(TerminalEvent::Error(error));
    }

    /// Waits for the checks of a run that is to end; then ends it.
    fn poll_last(&mut self, context: &mut Context<'_>) -> Poll<()> {
        if !self.desk.checks.is_idle() {
            let deadline = self.desk.options.deadline;
            let host = &self.host;
            let timer = self.timer.get_or_insert_with(|| host.sleep(deadline));
            ready!(timer.as_mut().poll(context));
            self.desk.abandon_checks(&mut self.outbox);
        }
        self.timer = None;
        let last = self.last.take();
        let seen = match &last {
            Some(TerminalEvent::Event(event)) => Some(&event.1),
            _ => None,
        };
        self.desk.end_run(seen, &mut self.outbox);
        self.flush();
        match last {
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
            if !self.desk.checks.is_idle() && self.desk.poll_checks(context, &mut self.outbox) {
                self.flush();
                continue;
            }
            if self.last.is_some() {
                ready!(self.poll_last(context));
                continue;
            }
            self.unasked += 1;
            if self.unasked > ASK_EVERY && self.poll_stopping(context).is_ready() {
                continue;
            }
            let read = match self.upstream.poll_into(context, slot) {
                Poll::Ready(read) => read,
                Poll::Pending => {
                    ready!(self.poll_stopping(context));
                    continue;
                }
            };
            match read {
                Some(Ok(())) => match self.take(slot) {
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
