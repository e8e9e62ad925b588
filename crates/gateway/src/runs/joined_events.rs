//! Events of posted messages that join an open run.
//!
//! They enter the stream of the agent, so everything behind it treats them like the agent's own: order checks,
//! citations, log, broadcast.

use std::collections::VecDeque;
use std::sync::Arc;
use std::task::{Context, Poll, Waker};

use agui::agent::{AgentError, EventSource};
use agui::event::EventData;
use agui::model::{Interrupt, RunAgentInput, RunOutcome};
use agui::{Agent, Event, EventStream, ReceivedEvent};
use canvas::limits::MAX_MESSAGES_PER_RUN;
use parking_lot::Mutex;
use tokio::sync::oneshot;

/// Queue of events that wait for a place in the stream of a run.
#[derive(Debug, Default)]
pub(crate) struct JoinQueue(Mutex<JoinState>);

#[derive(Debug, Default)]
struct JoinState {
    batches: VecDeque<JoinBatch>,
    waker: Option<Waker>,
    /// Number of batches that have joined so far.
    joined: usize,
    /// Interrupts of joined messages, with which the run ends.
    interrupts: Vec<Interrupt>,
    /// True once the run has ended.
    is_closed: bool,
}

/// Events of one message.
#[derive(Debug)]
struct JoinBatch {
    events: VecDeque<Event>,
    /// Told when the last event has entered the stream.
    delivered: oneshot::Sender<()>,
}

impl JoinQueue {
    /// Adds events. Returns `None` if the run has ended or has taken too many. The receiver fails if the run ends
    /// without them.
    pub(crate) fn push(
        &self,
        events: &[Event],
        interrupt: Option<&Interrupt>,
    ) -> Option<oneshot::Receiver<()>> {
        let mut state = self.0.lock();
        if state.is_closed || state.joined >= MAX_MESSAGES_PER_RUN {
            return None;
        }
        let (delivered, receiver) = oneshot::channel();
        state.joined += 1;
        state.interrupts.extend(interrupt.cloned());
        state.batches.push_back(JoinBatch {
            events: events.iter().cloned().collect(),
            delivered,
        });
        let waker = state.waker.take();
        drop(state);
        if let Some(waker) = waker {
            waker.wake();
        }
        Some(receiver)
    }

    /// Returns the next event, or registers the waker.
    fn poll_next(&self, context: &mut Context<'_>) -> Option<Event> {
        let mut state = self.0.lock();
        let next = state.take_next();
        if next.is_none() {
            state.waker = Some(context.waker().clone());
        }
        next
    }

    /// Returns the next event, or closes the queue if there is none.
    fn next_or_close(&self) -> Option<Event> {
        let mut state = self.0.lock();
        let next = state.take_next();
        state.is_closed = next.is_none();
        next
    }

    /// Returns the interrupts of joined messages.
    fn take_interrupts(&self) -> Vec<Interrupt> {
        std::mem::take(&mut self.0.lock().interrupts)
    }

    /// Opens or closes the queue. Events that wait in a closed queue are dropped.
    fn set_open(&self, is_open: bool) {
        let mut state = self.0.lock();
        state.is_closed = !is_open;
        if !is_open {
            state.batches.clear();
        }
    }
}

impl JoinState {
    fn take_next(&mut self) -> Option<Event> {
        let batch = self.batches.front_mut()?;
        let event = batch.events.pop_front();
        if batch.events.is_empty()
            && let Some(done) = self.batches.pop_front()
        {
            // The sender of the message may have stopped waiting.
            let _ = done.delivered.send(());
        }
        event
    }
}

/// Agent whose runs other messages can join.
pub(crate) struct JoinedAgent {
    pub(crate) agent: Arc<dyn Agent>,
    pub(crate) queue: Arc<JoinQueue>,
}

impl Agent for JoinedAgent {
    fn run(&self, input: RunAgentInput) -> EventStream {
        EventStream::new(JoinedSource {
            stream: self.agent.run(input),
            queue: self.queue.clone(),
            position: StreamPosition::default(),
            end: None,
        })
    }
}

/// Stream of an agent with the events that join it.
struct JoinedSource {
    stream: EventStream,
    queue: Arc<JoinQueue>,
    position: StreamPosition,
    /// Event that ends the run, held back while joined events are sent.
    end: Option<ReceivedEvent>,
}

/// Position in the stream of an agent: says if other events may be inserted.
#[derive(Default)]
struct StreamPosition {
    has_started: bool,
    /// Number of open text messages, reasoning messages and tool calls.
    open: usize,
    /// True behind a chunk: an event in between would end the message of the chunks.
    is_in_chunks: bool,
}

impl StreamPosition {
    fn is_quiet(&self) -> bool {
        self.has_started && self.open == 0 && !self.is_in_chunks
    }

    fn advance(&mut self, kind: &str) {
        self.is_in_chunks = kind.ends_with("_CHUNK");
        match kind {
            "RUN_STARTED" => {
                *self = Self {
                    has_started: true,
                    ..Self::default()
                };
            }
            "TEXT_MESSAGE_START" | "REASONING_MESSAGE_START" | "TOOL_CALL_START" => self.open += 1,
            "TEXT_MESSAGE_END" | "REASONING_MESSAGE_END" | "TOOL_CALL_END" => {
                self.open = self.open.saturating_sub(1);
            }
            _ => {}
        }
    }
}

impl EventSource for JoinedSource {
    fn poll_into(
        &mut self,
        context: &mut Context<'_>,
        slot: &mut ReceivedEvent,
    ) -> Poll<Option<Result<(), AgentError>>> {
        if self.position.is_quiet()
            && self.end.is_none()
            && let Some(event) = self.queue.poll_next(context)
        {
            *slot = ReceivedEvent::Typed(event);
            return Poll::Ready(Some(Ok(())));
        }
        if self.end.is_none() {
            match self.stream.poll_into(context, slot) {
                Poll::Ready(Some(Ok(()))) => {}
                Poll::Ready(ended) => {
                    self.queue.set_open(false);
                    return Poll::Ready(ended);
                }
                Poll::Pending => return Poll::Pending,
            }
            let kind = slot.type_name();
            if kind == "RUN_STARTED" {
                // A stream may contain several runs.
                self.queue.set_open(true);
            }
            self.position.advance(kind);
            if !matches!(kind, "RUN_FINISHED" | "RUN_ERROR") {
                return Poll::Ready(Some(Ok(())));
            }
            self.end = Some(std::mem::take(slot));
        }
        if !self.position.has_started {
            self.queue.set_open(false);
        }
        *slot = match self.queue.next_or_close() {
            Some(event) => ReceivedEvent::Typed(event),
            None => {
                let end = self.end.take().unwrap_or_default();
                with_interrupts(end, self.queue.take_interrupts())
            }
        };
        Poll::Ready(Some(Ok(())))
    }
}

/// Adds interrupts to the end of a run. A run that fails, is cancelled or waits for the client's tools ends as it is.
fn with_interrupts(end: ReceivedEvent, added: Vec<Interrupt>) -> ReceivedEvent {
    let ReceivedEvent::Typed(event) = end else {
        return end;
    };
    if added.is_empty() || !matches!(event.data(), EventData::RunFinished(_)) {
        return ReceivedEvent::Typed(event);
    }
    let (mut data, common) = event.into_parts();
    if let EventData::RunFinished(finished) = &mut data {
        match finished.outcome.as_deref_mut() {
            None
            | Some(RunOutcome::Success {
                pending_tool_call_ids: None,
            }) => {
                let interrupts = added;
                finished.outcome = Some(Box::new(RunOutcome::Interrupt { interrupts }));
            }
            Some(RunOutcome::Interrupt { interrupts }) => interrupts.extend(added),
            Some(_) => {}
        }
    }
    ReceivedEvent::Typed(Event::with_common(data, common))
}

#[cfg(test)]
mod tests {
    use agui::event::{RunFinished, RunStarted, TextMessageEnd, TextMessageStart};
    use json::{Text, Value};

    use super::*;

    fn note(name: &str) -> Event {
        canvas::custom_event(name, Value::Null)
    }

    fn agent_events() -> Vec<Event> {
        let (thread_id, run_id, message_id) = (Text::from("t"), Text::from("r"), Text::from("m"));
        vec![
            Event::from(RunStarted {
                thread_id: thread_id.clone(),
                run_id: run_id.clone(),
                protocol_version: None,
                parent_run_id: None,
                input: None,
            }),
            Event::from(TextMessageStart {
                message_id: message_id.clone(),
                role: None,
                name: None,
            }),
            Event::from(TextMessageEnd { message_id }),
            Event::from(RunFinished {
                thread_id,
                run_id,
                result: None,
                outcome: None,
                usage: None,
            }),
        ]
    }

    fn source(queue: &Arc<JoinQueue>) -> JoinedSource {
        JoinedSource {
            stream: EventStream::of(agent_events()),
            queue: queue.clone(),
            position: StreamPosition::default(),
            end: None,
        }
    }

    fn next(source: &mut JoinedSource) -> Option<String> {
        let mut slot = ReceivedEvent::default();
        let mut context = Context::from_waker(Waker::noop());
        match source.poll_into(&mut context, &mut slot) {
            Poll::Ready(Some(Ok(()))) => Some(slot.type_name().to_owned()),
            _ => None,
        }
    }

    #[test]
    fn events_join_between_messages_and_before_the_end() {
        let queue = Arc::new(JoinQueue::default());
        let mut source = source(&queue);
        let mut first = queue.push(&[note("a"), note("b")], None).expect("open");
        assert_eq!(next(&mut source).as_deref(), Some("RUN_STARTED"));
        assert_eq!(next(&mut source).as_deref(), Some("CUSTOM"));
        assert!(first.try_recv().is_err(), "one event is missing");
        assert_eq!(next(&mut source).as_deref(), Some("CUSTOM"));
        assert!(first.try_recv().is_ok());
        assert_eq!(next(&mut source).as_deref(), Some("TEXT_MESSAGE_START"));
        let _second = queue.push(&[note("c")], None).expect("open");
        assert_eq!(next(&mut source).as_deref(), Some("TEXT_MESSAGE_END"));
        assert_eq!(next(&mut source).as_deref(), Some("CUSTOM"));
        let end = next(&mut source);
        assert_eq!(end.as_deref(), Some("RUN_FINISHED"));
        assert!(
            queue.push(&[note("d")], None).is_none(),
            "the run has ended"
        );
    }

    #[test]
    fn a_joined_message_that_needs_an_answer_interrupts_the_run() {
        let queue = Arc::new(JoinQueue::default());
        let mut source = source(&queue);
        let interrupt = Interrupt {
            id: "i".to_owned(),
            reason: "pincite.context_request".to_owned(),
            message: None,
            tool_call_id: None,
            response_schema: None,
            expires_at: None,
            metadata: None,
            subagent_run_id: None,
        };
        let _joined = queue.push(&[note("a")], Some(&interrupt)).expect("open");
        let mut slot = ReceivedEvent::default();
        let mut context = Context::from_waker(Waker::noop());
        while slot.type_name() != "RUN_FINISHED" {
            assert!(source.poll_into(&mut context, &mut slot).is_ready());
        }
        let json = slot.text();
        assert!(
            json.contains(r#""type":"interrupt""#) && json.contains(r#""id":"i""#),
            "{json}"
        );
    }

    #[test]
    fn events_of_a_stream_that_breaks_are_given_back() {
        let queue = Arc::new(JoinQueue::default());
        let mut source = JoinedSource {
            stream: EventStream::of([]),
            ..source(&queue)
        };
        let mut waiting = queue.push(&[note("a")], None).expect("open");
        assert_eq!(next(&mut source), None);
        assert_eq!(
            waiting.try_recv(),
            Err(oneshot::error::TryRecvError::Closed)
        );
    }
}
