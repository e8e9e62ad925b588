//! Projections: the one model written in the forms that clients read, each under a key of its own.
//!
//! A projection writes itself as a whole, or as the operations that a [`LedgerChange`] of the model means
//! for it. Both must say the same: whoever applies the operations has what would be written as a whole.

pub(crate) mod bridge;
pub(crate) mod deep;
pub(crate) mod rag;

use json::Json;
use json::patch::{PatchOperation, escape};

use crate::ledger::{CitationChange, EvictedMessage, Ledger, RemovedCitation, SettledCheck};
use rag::UpdatedTurn;

/// What happened to the model.
#[derive(Debug)]
pub(crate) enum LedgerChange {
    /// A message is there, or is quite another.
    Message(usize),
    /// A message cites.
    Cited(usize, CitationChange),
    /// A check has ended.
    Settled(usize, SettledCheck),
    /// How far a message is.
    Progress(usize),
    /// A message is gone.
    Evicted(Box<EvictedMessage>),
    /// Nothing cites these any more.
    Uncited(Vec<RemovedCitation>),
    /// A turn has ended.
    Turn(usize),
    /// More is known of what a turn cites.
    Retold(UpdatedTurn),
}

/// A form of the model.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum StateProjection {
    Deep,
    Bridge,
    Rag,
}

impl StateProjection {
    pub(crate) const ALL: [Self; 3] = [Self::Deep, Self::Bridge, Self::Rag];

    /// What it is called in settings and records, whatever its key is.
    pub(crate) fn name(self) -> &'static str {
        match self {
            Self::Deep => "deepcitation",
            Self::Bridge => "citations",
            Self::Rag => "rag",
        }
    }

    /// The whole value; nothing if there is nothing to show in this form yet.
    pub(crate) fn value(self, ledger: &Ledger) -> Option<Json> {
        match self {
            Self::Deep => (!ledger.is_empty()).then(|| ledger.to_state()),
            Self::Bridge => bridge::value(ledger),
            Self::Rag => rag::value(ledger),
        }
    }

    /// What a change means below `root`.
    pub(crate) fn operations(
        self,
        root: &str,
        ledger: &Ledger,
        change: &LedgerChange,
        out: &mut Vec<PatchOperation>,
    ) {
        match self {
            Self::Deep => deep::operations(root, ledger, change, out),
            Self::Bridge => bridge::operations(root, ledger, change, out),
            Self::Rag => rag::operations(root, ledger, change, out),
        }
    }
}

/// A pointer made of member names.
pub(crate) fn pointer(root: &str, names: &[&str]) -> String {
    let size: usize = names.iter().map(|name| name.len() + 1).sum();
    let mut path = String::with_capacity(root.len() + size);
    path.push_str(root);
    for name in names {
        path.push('/');
        path.push_str(&escape(name));
    }
    path
}
