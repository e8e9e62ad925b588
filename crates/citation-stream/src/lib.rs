//! Citations on a stream: a layer that wraps any agent.
//!
//! Text passes at once and unchanged. Each delta of an assistant message feeds a [`Reader`](citations::Reader);
//! a citation that is complete is checked at once by a [`CitationVerifier`], and the results reach the client as
//! patches of the shared state, in the order they come. The end of a run waits for checks that are open,
//! up to a deadline.
//!
//! ```text
//! agent ──▶ CitationLayer ──▶ client
//!              │     ▲
//!        claim ▼     │ finding
//!             Verifier
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
//! What the client's state holds is followed event by event, so that every patch applies to the state it
//! meets; see [`LayerOptions`] for the keys. A [`Ledger`] is the model behind all projections. The stages of
//! the protocol run on a view: the client gets the bytes that the agent sent, except that chunks go on
//! expanded, and that a broken rule ends the stream with its error.

mod checks;
mod cite;
mod client;
mod desk;
mod foreign;
mod history;
mod host;
mod instruct;
mod ledger;
mod project;
mod recall;
mod stream;
mod tally;
#[cfg(test)]
mod tests;
mod texts;
mod turn;
mod verifier;

use std::sync::Arc;

use agui::agent::{Agent, EventStream};
use agui::model::RunAgentInput;
use hashbrown::HashSet;

pub use checks::{LateResult, OverdueCheck};
pub use client::ThreadUpdate;
pub use foreign::sources_by_id;
pub use host::{LayerHost, LayerOptions, StopReason, Stopping, ThreadMemory, Timer};
pub use ledger::{Ledger, LedgerEntry, LedgerMessage, is_safe};
pub use recall::amend_review;
pub use tally::{CitationSummary, MessageProgress, SummaryCategory};
pub use verifier::{CheckResult, Checking, CitationClaim, CitationVerifier, DocumentVerifier};

use checks::VerificationQueue;
use client::{ClientState, RunOpening};
use desk::Desk;
use stream::LayerStream;
use texts::MessageTexts;
use turn::CitationTurn;

/// An agent whose citations are checked.
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
}

impl<A: Agent> Agent for CitationLayer<A> {
    fn run(&self, mut input: RunAgentInput) -> EventStream {
        let recalled = self.host.recall(&input.thread_id);
        let first_state = match &input.state {
            None => recalled.as_ref().map(|recalled| recalled.state.clone()),
            Some(_) => None,
        };
        let sent = input.state.as_ref().or(first_state.as_ref());
        let RunOpening {
            client,
            ledger,
            mut foreign,
            reviews,
        } = ClientState::open(sent, recalled.as_ref(), &self.options);
        foreign.begin(&input.messages);
        if !reviews.is_empty() {
            self.host.reviewed(&input.thread_id, &reviews);
        }
        let mut texts = MessageTexts::default();
        texts.know(&input.messages);
        let mut desk = Desk {
            options: Arc::clone(&self.options),
            host: Arc::clone(&self.host),
            thread_id: Arc::from(input.thread_id.as_str()),
            run_id: Arc::from(input.run_id.as_str()),
            checks: VerificationQueue::new(
                Arc::clone(&self.verifier),
                Arc::clone(&self.host),
                &self.options,
            ),
            turn: CitationTurn::of(&input, &ledger),
            ledger,
            texts,
            foreign,
            again: HashSet::new(),
            taught: None,
            first_state,
            running: false,
            run: 0,
            found: Vec::new(),
            client,
        };
        // A state without anything of ours goes on as it was sent.
        let sent = input.state.as_ref().or(desk.first_state.as_ref());
        if let Some(state) = sent {
            input.state = Some(match desk.client.may_name_ours(state) {
                true => desk.client.for_agent(),
                false => state.clone(),
            });
        }
        if let Some(budget) = self.options.instruct {
            let documents = self.host.documents(&input.thread_id);
            let new_id = || self.host.new_id();
            desk.taught = instruct::teach(&mut input, &documents, budget, new_id);
        }
        let host = Arc::clone(&self.host);
        EventStream::new(LayerStream::new(self.agent.run(input), desk, host))
    }
}
