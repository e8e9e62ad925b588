//! Projections: the ledger in the forms that clients read, each under its own state key.
//!
//! A projection writes the whole value, or the patch operations of one [`LedgerChange`]. Applying the operations to the
//! value before the change gives the value after it.

pub(crate) mod full;
pub(crate) mod session;
mod source_lists;

use json::Json;
use json::patch::{PatchOperation, escape};

use crate::ledger::{Ledger, LedgerChange};

/// Form of the ledger for one kind of client.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum StateProjection {
    /// Citations, verifications and messages by key.
    Full,
    /// A source list for each message.
    SourceLists,
    /// One numbered list for the whole thread, and the turns.
    Session,
}

impl StateProjection {
    pub(crate) const ALL: [Self; 3] = [Self::Full, Self::SourceLists, Self::Session];

    /// Returns the name in settings and records. The state key of the full projection may be another.
    pub(crate) fn name(self) -> &'static str {
        match self {
            Self::Full => "deepcitation",
            Self::SourceLists => "citations",
            Self::Session => "rag",
        }
    }

    /// Returns the whole value, or `None` if there is nothing to show.
    pub(crate) fn value(self, ledger: &Ledger) -> Option<Json> {
        match self {
            Self::Full => (!ledger.is_empty()).then(|| full::state_value(ledger)),
            Self::SourceLists => source_lists::value(ledger),
            Self::Session => session::value(ledger),
        }
    }

    /// Adds the patch operations of a change; `root` is the pointer to the value.
    pub(crate) fn write_operations(
        self,
        root: &str,
        ledger: &Ledger,
        change: &LedgerChange,
        out: &mut Vec<PatchOperation>,
    ) {
        match self {
            Self::Full => full::write_operations(root, ledger, change, out),
            Self::SourceLists => source_lists::write_operations(root, ledger, change, out),
            Self::Session => session::write_operations(root, ledger, change, out),
        }
    }
}

/// Appends member names to a JSON pointer.
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
