//! Routing of events to the parts of the layer.

use std::sync::Arc;
use std::task::Context;
use std::time::Duration;

use agui::event::{Event, EventData, MessagesSnapshot, RunStarted, TextRole};
use agui::model::Role;
use json::{Json, Text, Value};

use crate::agent_citations::AgentCitations;
use crate::answer_reader::AnswerReader;
use crate::citation_prompt::InjectedPrompt;
use crate::citation_tracker::CitationTracker;
use crate::options::LayerOptions;
use crate::outgoing::{EventDisposition, OutgoingEvents};

/// Name of the `CUSTOM` event with which an agent states the outcome of an answer:
/// `{"messageId": …, "outcome": {"kind": …, "confidence": …}}`.
pub const OUTCOME_EVENT: &str = "pincite.outcome";

/// Routes the events of a stream of runs to the parts that own the data.
pub(crate) struct EventHandler {
    options: Arc<LayerOptions>,
    /// Ledger, client state and open verifications.
    tracker: CitationTracker,
    /// Texts of messages and the turn.
    answers: AnswerReader,
    /// Citations in the agent's own state.
    agent_citations: AgentCitations,
    /// Instructions that were added to the agent's input and are hidden from the client.
    prompt: Option<InjectedPrompt>,
    /// State that is sent as a snapshot when the run starts: the client sent none, or its release needs one.
    first_state: Option<Json>,
}

impl EventHandler {
    pub(crate) fn new(
        options: Arc<LayerOptions>,
        tracker: CitationTracker,
        answers: AnswerReader,
        agent_citations: AgentCitations,
        first_state: Option<Json>,
    ) -> Self {
        Self {
            options,
            tracker,
            answers,
            agent_citations,
            prompt: None,
            first_state,
        }
    }

    /// Returns the state to send to the agent: without our projections, or as it was sent if it has none.
    pub(crate) fn state_for_agent(&self, sent: Option<&Json>) -> Option<Json> {
        let sent = sent.or(self.first_state.as_ref())?;
        let client = self.tracker.published.client();
        Some(match client.may_contain_projections(sent) {
            true => client.for_agent(),
            false => sent.clone(),
        })
    }

    /// Sets the instructions that were added to the agent's input.
    pub(crate) fn set_prompt(&mut self, prompt: Option<InjectedPrompt>) {
        self.prompt = prompt;
    }

    /// Returns citations, ledger and client state.
    pub(crate) fn tracker(&self) -> &CitationTracker {
        &self.tracker
    }

    /// Returns true if a run has started.
    pub(crate) fn has_started(&self) -> bool {
        self.tracker.run_count() > 0
    }

    /// Returns true between the start and the end of a run.
    pub(crate) fn is_running(&self) -> bool {
        self.tracker.published.is_running()
    }

    /// Handles an event of the agent. The events to send are in [`EventHandler::outgoing`] afterwards.
    #[inline]
    pub(crate) fn handle(&mut self, event: &Event) {
        let tracker = &mut self.tracker;
        match event.data() {
            EventData::TextMessageContent(data) => {
                let answers = &mut self.answers;
                answers.content(&data.message_id, &data.delta, event, tracker);
                if self.options.early {
                    let agent_citations = &mut self.agent_citations;
                    agent_citations.cite_event(&data.message_id, event, tracker);
                }
            }
            EventData::TextMessageStart(data) => {
                if matches!(data.role, None | Some(TextRole::Assistant)) {
                    self.answers.start(&data.message_id, tracker);
                }
            }
            EventData::TextMessageEnd(data) => {
                let agent_citations = &mut self.agent_citations;
                agent_citations.cite_event(&data.message_id, event, tracker);
                self.answers.end(&data.message_id, event, tracker);
            }
            EventData::StateSnapshot(data) => {
                let published = &mut tracker.published;
                self.agent_citations.before_snapshot(published);
                published.apply_snapshot(&data.snapshot);
                self.agent_citations.after_snapshot(published);
                published.restore();
            }
            EventData::StateDelta(data) => {
                let published = &mut tracker.published;
                published.ensure_state();
                let removes = self.agent_citations.before_delta(&data.delta, published);
                published.apply_delta(&data.delta);
                self.agent_citations.after_delta(removes, published);
                published.restore();
            }
            EventData::MessagesSnapshot(data) => self.take_messages(data, event),
            EventData::Custom(data)
                if self.options.takes_outcomes && data.name == OUTCOME_EVENT =>
            {
                let value = data.value.value();
                if let Some(outcome) = value.get("outcome")
                    && let Some(id) = value["messageId"].as_str()
                {
                    tracker.published.set_outcome(id, outcome);
                }
            }
            EventData::ToolCallStart(data) => {
                let parent = data.parent_message_id.as_deref();
                let turn = &mut self.answers.turn;
                turn.begin_call(&data.tool_call_id, &data.tool_call_name, parent);
            }
            EventData::ToolCallResult(data) => self.answers.turn.end_call(&data.tool_call_id),
            EventData::RunStarted(data) => self.start_run(data, event),
            EventData::RunFinished(_) => {
                self.cite_agent_state();
                self.outgoing().disposition = EventDisposition::Hold;
            }
            EventData::RunError(data) => {
                if !self.has_started() {
                    self.begin_own_run();
                }
                // An error may follow the end of a run.
                if self.is_running() {
                    self.fail_open(&data.message);
                }
                self.outgoing().disposition = EventDisposition::Hold;
            }
            _ => {}
        }
    }

    /// Reads the messages of a snapshot, and the citations in their metadata.
    fn take_messages(&mut self, data: &MessagesSnapshot, event: &Event) {
        let tracker = &mut self.tracker;
        let prompt = self.prompt.as_ref();
        let shown = prompt.and_then(|prompt| prompt.remove_from(&data.messages));
        let agent_citations = &mut self.agent_citations;
        let on_rename = |from: &str, to: &str| agent_citations.rename(from, to);
        self.answers
            .snapshot(data, event, shown, tracker, on_rename);
        for message in data.messages.iter() {
            if let (Role::Assistant, Some(metadata)) = (message.role, &message.metadata) {
                self.agent_citations
                    .cite_metadata(&message.id, metadata, tracker);
            }
        }
    }

    /// Returns the events that wait to be sent.
    #[inline]
    pub(crate) fn outgoing(&mut self) -> &mut OutgoingEvents {
        &mut self.tracker.published.outgoing
    }

    fn start_run(&mut self, data: &RunStarted, event: &Event) {
        self.begin_run();
        let Some(input) = data.input.as_deref() else {
            return;
        };
        if self.tracker.run_count() > 1 {
            let ledger = self.tracker.published.ledger();
            self.answers.turn.take_input(input, ledger);
        }
        let prompt = self.prompt.as_ref();
        if let Some(input) = prompt.and_then(|prompt| prompt.remove_from_input(input)) {
            let mut data = data.clone();
            data.input = Some(Box::new(input));
            let event = Event::with_common(data, event.common().clone());
            self.outgoing().disposition = EventDisposition::Replace(event);
        }
    }

    fn begin_run(&mut self) {
        self.tracker.begin_run(self.first_state.take());
    }

    /// Starts a run on behalf of an agent that ended before it started one.
    pub(crate) fn begin_own_run(&mut self) {
        let started = Event::from(RunStarted {
            thread_id: Text::from(self.tracker.thread_id()),
            run_id: Text::from(self.tracker.run_id()),
            protocol_version: None,
            parent_run_id: None,
            input: None,
        });
        self.outgoing().before.push(started);
        self.begin_run();
    }

    /// Cites what the agent has put into its state.
    fn cite_agent_state(&mut self) {
        let keep = self.options.keep_messages;
        self.agent_citations
            .cite_new(keep, &self.answers.turn, &mut self.tracker);
    }

    /// Cites the source lists that messages of a snapshot carry.
    pub(crate) fn cite_message_lists(&mut self, messages: &[Value]) {
        self.agent_citations
            .cite_message_lists(messages, &mut self.tracker);
    }

    /// Ends all open messages because the run breaks off, and cites what the agent has put into its state.
    pub(crate) fn fail_open(&mut self, reason: &str) {
        self.answers.fail_open(reason, &mut self.tracker);
        self.cite_agent_state();
    }

    /// Publishes the next finished verification. Returns false if there is none.
    #[inline]
    pub(crate) fn poll_verifications(&mut self, context: &mut Context<'_>) -> bool {
        !self.tracker.is_idle() && self.tracker.poll(context)
    }

    /// Returns the timeout of the wait for open verifications, or `None` if none is open.
    pub(crate) fn verification_deadline(&self) -> Option<Duration> {
        (!self.tracker.is_idle()).then_some(self.options.deadline)
    }

    /// Hands open verifications to the host, because the run ends.
    pub(crate) fn abandon_verifications(&mut self) {
        self.tracker.abandon_checks();
    }

    /// Ends a run after its verifications. `last` is its terminal event, unless the stream broke off.
    pub(crate) fn end_run(&mut self, last: Option<&Event>) {
        if !self.is_running() {
            return;
        }
        let continues = match last.map(Event::data) {
            Some(EventData::RunFinished(finished)) => self.answers.turn.continues_after(finished),
            _ => false,
        };
        if !continues {
            self.answers.end_turn(&mut self.tracker.published);
        }
        self.tracker.end_run();
    }
}
