//! All stages of processing in order: legacy upgrade, enforcement, expansion, verification.

use crate::compat::LegacyUpgrader;
use crate::enforce::{EnforceError, RemovedValue, enforce};
use crate::event::Event;
use crate::expand::{ExpandError, Expander};
use crate::received::ReceivedEvent;
use crate::verify::{OrderVerifier, VerifyError};

/// Error of a stage, which ends the stream.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
pub enum StageError {
    /// A member has a wrong value.
    #[error(transparent)]
    Enforce(#[from] EnforceError),
    /// A chunk cannot be expanded.
    #[error(transparent)]
    Expand(#[from] ExpandError),
    /// A rule of order or ownership is broken.
    #[error(transparent)]
    Verify(#[from] Box<VerifyError>),
}

impl StageError {
    /// Returns the stage: `enforce`, `expand` or `verify`.
    pub fn stage(&self) -> &'static str {
        match self {
            Self::Enforce(_) => "enforce",
            Self::Expand(_) => "expand",
            Self::Verify(_) => "verify",
        }
    }

    /// Returns a short name of the violated rule.
    pub fn rule(&self) -> &'static str {
        match self {
            Self::Enforce(_) => "invalid-value",
            Self::Expand(error) => error.rule(),
            Self::Verify(error) => error.rule(),
        }
    }

    /// Returns the path of the wrong value, if the error has one.
    pub fn path(&self) -> Option<&str> {
        match self {
            Self::Enforce(error) => error.faults.first().map(|fault| fault.path.as_str()),
            Self::Expand(_) | Self::Verify(_) => None,
        }
    }
}

/// All stages between decoding and the fold, for the events of one stream.
///
/// `G` generates the ids that [`LegacyUpgrader`] needs.
pub struct Pipeline<G> {
    boundary: LegacyUpgrader<G>,
    expander: Expander,
    verifier: OrderVerifier,
    expanded: Vec<Event>,
}

impl<G: FnMut() -> String> Pipeline<G> {
    /// Creates a pipeline for a new stream.
    pub fn new(generate: G) -> Self {
        Self {
            boundary: LegacyUpgrader::new(generate),
            expander: Expander::new(),
            verifier: OrderVerifier::new(),
            expanded: Vec::new(),
        }
    }

    /// Passes a received event through all stages and calls `accept` with the resulting events.
    ///
    /// Events before an error are accepted; after an error the pipeline must not be used again.
    #[inline]
    pub fn process(
        &mut self,
        event: &ReceivedEvent,
        removed: impl FnMut(RemovedValue),
        mut accept: impl FnMut(&Event),
    ) -> Result<(), StageError> {
        // Fast path for most events, which checks the event in place: moving it through the stages
        // costs more.
        if let ReceivedEvent::Typed(event) = event
            && self.expander.passes_unchanged(event)
        {
            self.verifier.check(event)?;
            accept(event);
            return Ok(());
        }
        let Some(event) = enforce(self.boundary.apply(event.clone()), removed)? else {
            return Ok(());
        };
        let expanded = self.expander.expand(event, &mut self.expanded);
        for event in self.expanded.drain(..) {
            self.verifier.check(&event)?;
            accept(&event);
        }
        Ok(expanded?)
    }

    /// Passes a received event through all stages before verification.
    pub fn expand(
        &mut self,
        event: ReceivedEvent,
        removed: impl FnMut(RemovedValue),
        out: &mut Vec<Event>,
    ) -> Result<(), StageError> {
        match enforce(self.boundary.apply(event), removed)? {
            Some(event) => Ok(self.expander.expand(event, out)?),
            None => Ok(()),
        }
    }

    /// Returns true while a run is active.
    pub fn is_running(&self) -> bool {
        self.verifier.is_running()
    }

    /// Returns true if the last run ended with an error; only a new run may follow.
    pub fn has_failed(&self) -> bool {
        self.verifier.has_failed()
    }

    /// Ends everything that is open, innermost first; the run itself stays open. Subagents end with
    /// an error of this message and code.
    ///
    /// Calls `accept` with each end event, first in the form in which the stream was received and
    /// second as typed event.
    pub fn close(
        &mut self,
        message: &str,
        code: &str,
        mut accept: impl FnMut(ReceivedEvent, Event),
    ) {
        // The verifier knows the streams that chunks have opened as well.
        self.expander = Expander::new();
        for event in self.verifier.closing_events(message, code) {
            if self.verifier.check(&event).is_ok() {
                let sent = self.boundary.older_end(&event);
                accept(
                    sent.unwrap_or_else(|| ReceivedEvent::Typed(event.clone())),
                    event,
                );
            }
        }
    }
}
