//! All stages in a row: boundary, enforcement, expansion, verification.

use crate::compat::Boundary;
use crate::enforce::{EnforceError, Removed, enforce};
use crate::event::Event;
use crate::expand::{ExpandError, Expander};
use crate::raw::RawEvent;
use crate::verify::{Verifier, VerifyError};

/// What ended a stream.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
pub enum StageError {
    /// A described member has a wrong value.
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
    /// `enforce`, `expand` or `verify`.
    pub fn stage(&self) -> &'static str {
        match self {
            Self::Enforce(_) => "enforce",
            Self::Expand(_) => "expand",
            Self::Verify(_) => "verify",
        }
    }

    /// A short name for the broken rule.
    pub fn rule(&self) -> &'static str {
        match self {
            Self::Enforce(_) => "invalid-value",
            Self::Expand(error) => error.rule(),
            Self::Verify(error) => error.rule(),
        }
    }

    /// Where in the event the fault is, if it has a place.
    pub fn path(&self) -> Option<&str> {
        match self {
            Self::Enforce(error) => error.faults.first().map(|fault| fault.path.as_str()),
            Self::Expand(_) | Self::Verify(_) => None,
        }
    }
}

/// Everything between the wire and the fold, for the events of one stream.
///
/// Generic over where new ids come from, see [`Boundary`].
pub struct Pipeline<G> {
    boundary: Boundary<G>,
    expander: Expander,
    verifier: Verifier,
    expanded: Vec<Event>,
}

impl<G: FnMut() -> String> Pipeline<G> {
    /// A pipeline for a new stream.
    pub fn new(generate: G) -> Self {
        Self {
            boundary: Boundary::new(generate),
            expander: Expander::new(),
            verifier: Verifier::new(),
            expanded: Vec::new(),
        }
    }

    /// Takes a received event through all stages and gives what comes out to `accept`.
    ///
    /// Everything before an error is accepted; after one the pipeline must not be used again.
    #[inline]
    pub fn process(
        &mut self,
        event: &RawEvent,
        removed: impl FnMut(Removed),
        mut accept: impl FnMut(&Event),
    ) -> Result<(), StageError> {
        // What nearly every event needs, where it is: moving it through the stages costs more.
        if let RawEvent::Clean(event) = event
            && self.expander.passes(event)
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

    /// The first stages only: what a received event becomes before verification.
    pub fn expand(
        &mut self,
        event: RawEvent,
        removed: impl FnMut(Removed),
        out: &mut Vec<Event>,
    ) -> Result<(), StageError> {
        match enforce(self.boundary.apply(event), removed)? {
            Some(event) => Ok(self.expander.expand(event, out)?),
            None => Ok(()),
        }
    }

    /// Whether a run has begun and not ended.
    pub fn is_running(&self) -> bool {
        self.verifier.is_running()
    }

    /// Whether the last run ended with an error: then only a new run may follow.
    pub fn has_failed(&self) -> bool {
        self.verifier.has_failed()
    }

    /// Ends everything that is open, innermost first, and gives the events that do so to `accept`, in the form in
    /// which the rest was received and as the rules see them; the run itself stays open. Subagents end with an error
    /// of this code.
    pub fn close(&mut self, message: &str, code: &str, mut accept: impl FnMut(RawEvent, Event)) {
        // What chunks have opened is known to the verifier too.
        self.expander = Expander::new();
        for event in self.verifier.closing(message, code) {
            if self.verifier.check(&event).is_ok() {
                let sent = self.boundary.older_end(&event);
                accept(
                    sent.unwrap_or_else(|| RawEvent::Clean(event.clone())),
                    event,
                );
            }
        }
    }
}
