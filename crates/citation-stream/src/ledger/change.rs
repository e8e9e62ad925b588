//! Changes of the ledger, which projections turn into patches.

use citations::CitationKey;
use json::Value;

use super::entry::SettledCheck;
use super::message::LedgerMessage;
use super::session::SessionRemoval;

/// A change of the ledger. Messages, entries and turns are identified by their indexes.
#[derive(Debug)]
pub(crate) enum LedgerChange {
    /// A message is new, or was replaced as a whole.
    Message(usize),
    /// A message has one more citation or marker.
    Cited(usize, CitationChange),
    /// A verification of an entry has finished.
    Settled(usize, SettledCheck),
    /// The progress or the error of a message.
    Progress(usize),
    /// The outcome of a message.
    Outcome(usize),
    /// A message was evicted.
    Evicted(Box<EvictedMessage>),
    /// Citations were removed because no message cites them.
    Uncited(Vec<RemovedCitation>),
    /// A turn was added.
    Turn(usize),
    /// A turn was updated because the outcome of one of its citations changed.
    TurnUpdated(UpdatedTurn),
    /// Old turns and items were removed from the session list.
    SessionRemoved(SessionRemoval),
}

/// Difference that adding a citation to a message made.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct CitationChange {
    pub(crate) entry: usize,
    /// True if the citation is new in the thread.
    pub(crate) new_entry: bool,
    /// True if the citation is new in the message.
    pub(crate) new_place: bool,
    /// True if the message had no source list before.
    pub(crate) first_list: bool,
    /// True if the citation got a number in the session list.
    pub(crate) new_number: bool,
    /// True if the citation is new in the open turn of the session list.
    pub(crate) new_in_turn: bool,
    /// Marker that was set.
    pub(crate) marker: Option<String>,
}

/// A message that was evicted, with the citations that no other message has.
#[derive(Debug)]
pub(crate) struct EvictedMessage {
    pub(crate) message: LedgerMessage,
    pub(crate) uncited: Vec<RemovedCitation>,
}

/// A citation that was removed.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) struct RemovedCitation {
    pub(crate) key: CitationKey,
    /// True if it had a verification.
    pub(crate) verified: bool,
}

/// Members of a turn that changed.
#[derive(Debug)]
pub(crate) struct UpdatedTurn {
    /// Index of the turn.
    pub(crate) turn: usize,
    /// New values by JSON pointer below the turn.
    pub(crate) members: Vec<(String, Value)>,
}
