//! Citations on an AG-UI stream: a layer that wraps any agent and verifies its citations.
//!
//! Text passes at once and unchanged. Each delta of an assistant message feeds a
//! [`CitationParser`](citations::CitationParser). A complete citation is verified at once by a [`CitationVerifier`],
//! and the results reach the client as patches of the shared state, in the order in which they finish. The end of a run
//! waits for open verifications, up to a deadline.
//!
//! ```text
//! agent ──▶ CitationLayer ──▶ client
//!              │     ▲
//!        claim ▼     │ result
//!         CitationVerifier
//! ```
//!
//! ```
//! use std::sync::Arc;
//! use std::time::Duration;
//!
//! use citation_stream::{CitationLayer, LayerHost, DocumentVerifier, LayerOptions, Timer};
//!
//! struct Program;
//!
//! impl LayerHost for Program {
//!     fn now(&self) -> u64 {
//!         0
//!     }
//!     fn sleep(&self, _: Duration) -> Timer {
//!         Box::pin(std::future::pending())
//!     }
//!     fn new_id(&self) -> String {
//!         "an id".to_owned()
//!     }
//! }
//!
//! # let agent = agui::agent::AgentFn(|_| agui::EventStream::of([]));
//! let layer = CitationLayer::new(agent, DocumentVerifier::default(), Program, LayerOptions::default());
//! # let _: &dyn agui::Agent = &layer;
//! ```
//!
//! # Parts
//!
//! | part | data that it owns |
//! |---|---|
//! | `LayerStream` | the agent's stream and the queue of events to send |
//! | `EventHandler` | the parts below; it routes events to them |
//! | `AnswerReader` | texts and parsers of messages (`MessageTexts`), the turn (`CitationTurn`) |
//! | `AgentCitations` | citations that the agent keeps in its own state |
//! | `CitationTracker` | open verifications (`VerificationQueue`) |
//! | `PublishedLedger` | the [`Ledger`] and the client's state (`ClientState`), changed together |
//!
//! The client's state is followed event by event, so that every patch applies to the state that it meets;
//! [`LayerOptions`] has the keys. The pipeline of the protocol checks a view of the events: the client receives the
//! bytes that the agent sent, except that chunks are expanded and that a violation ends the stream with its error.

mod agent_citations;
mod answer_reader;
mod check_result;
mod citation_prompt;
mod citation_tracker;
mod claim;
mod client_state;
mod event_handler;
mod host;
mod interrupted_run;
mod late_results;
mod layer_stream;
mod ledger;
mod message_texts;
mod options;
mod outgoing;
mod ownership;
mod projection;
mod published_ledger;
mod restore;
mod run_opening;
mod summary;
#[cfg(test)]
mod tests;
mod thread_memory;
mod thread_sources;
mod thread_update;
mod turn;
mod verification_queue;
mod verifier;

use std::sync::Arc;

use agui::agent::{Agent, EventStream};
use agui::downgrade::ClientRelease;
use agui::model::RunAgentInput;

pub use check_result::CheckResult;
pub use citation_prompt::{LineRange, PromptDocument, prompt_length};
pub use claim::CitationClaim;
pub use event_handler::OUTCOME_EVENT;
pub use host::{LayerHost, StopReason, StopSignal, Timer};
pub use interrupted_run::fail_unfinished_messages;
pub use late_results::{LateResult, OverdueCheck};
pub use ledger::{ClientReview, Ledger, LedgerEntry, LedgerMessage, is_safe_name};
pub use options::LayerOptions;
pub use projection::full::ledger_json;
pub use summary::{CitationSummary, MessageProgress};
pub use thread_memory::ThreadMemory;
pub use thread_sources::sources_of_turns;
pub use thread_update::ThreadUpdate;
pub use verifier::{CitationVerifier, DocumentVerifier, PendingCheck};

use answer_reader::AnswerReader;
use citation_prompt::inject_prompt;
use citation_tracker::CitationTracker;
use event_handler::EventHandler;
use layer_stream::LayerStream;
use published_ledger::PublishedLedger;
use run_opening::RunOpening;
use verification_queue::VerificationQueue;

/// An agent whose citations are verified.
pub struct CitationLayer<A> {
    agent: A,
    verifier: Arc<dyn CitationVerifier>,
    host: Arc<dyn LayerHost>,
    options: Arc<LayerOptions>,
}

impl<A> CitationLayer<A> {
    /// Wraps an agent.
    pub fn new(
        agent: A,
        verifier: impl CitationVerifier,
        host: impl LayerHost,
        options: LayerOptions,
    ) -> Self {
        Self {
            agent,
            verifier: Arc::new(verifier),
            host: Arc::new(host),
            options: Arc::new(options),
        }
    }

    /// Restores the thread and creates the handler of a stream of runs.
    fn open(&self, input: &RunAgentInput) -> EventHandler {
        let memory = self.host.thread_memory(&input.thread_id);
        let first_state = match &input.state {
            None => memory.as_ref().map(|memory| memory.state.clone()),
            // Clients before 1.0 fold a run for storage from an empty state, where our patches would fail.
            Some(state) if ClientRelease::of(input) == ClientRelease::Legacy => Some(state.clone()),
            Some(_) => None,
        };
        let sent = input.state.as_ref().or(first_state.as_ref());
        let mut opening = RunOpening::new(sent, memory.as_ref(), &self.options);
        opening.agent_citations.take_messages(&input.messages);
        if !opening.reviews.is_empty() {
            self.host.add_reviews(&input.thread_id, &opening.reviews);
        }
        let answers = AnswerReader::new(Arc::clone(&self.options), input, &opening.ledger);
        let verifier = Arc::clone(&self.verifier);
        let tracker = CitationTracker::new(
            PublishedLedger::new(opening.ledger, opening.client),
            VerificationQueue::new(verifier, Arc::clone(&self.host), &self.options),
            Arc::clone(&self.options),
            Arc::clone(&self.host),
            (&input.thread_id, &input.run_id),
        );
        EventHandler::new(
            Arc::clone(&self.options),
            tracker,
            answers,
            opening.agent_citations,
            first_state,
        )
    }
}

impl<A: Agent> Agent for CitationLayer<A> {
    fn run(&self, mut input: RunAgentInput) -> EventStream {
        let mut handler = self.open(&input);
        input.state = handler.state_for_agent(input.state.as_ref());
        if let Some(budget) = self.options.instruct {
            let documents = self.host.documents(&input.thread_id);
            let new_id = || self.host.new_id();
            let prompt = inject_prompt(&mut input, &documents, budget, new_id);
            let left_out = prompt.as_ref().map(|prompt| prompt.left_out.as_slice());
            if let Some(left_out) = left_out.filter(|left_out| !left_out.is_empty()) {
                self.host.report_left_out(left_out);
            }
            handler.set_prompt(prompt);
        }
        let host = Arc::clone(&self.host);
        EventStream::new(LayerStream::new(self.agent.run(input), handler, host))
    }
}
