//! What can be wrong with a patch.

use std::fmt;

use super::{Op, Operation};

/// Longest part of a pointer shown in a message.
const SHOWN: usize = 200;

/// Why an operation cannot be applied.
#[derive(Debug, Clone, Copy, PartialEq, Eq, thiserror::Error)]
#[non_exhaustive]
pub enum Reason {
    /// The path or `from` breaks the pointer grammar.
    #[error("this is not a JSON Pointer")]
    Pointer,
    /// Nothing is at the path, or on the way to it.
    #[error("there is nothing at this path")]
    Missing,
    /// Nothing is where `from` leads.
    #[error("there is nothing to take at this `from`")]
    NoSource,
    /// A string, number, boolean or null stands on the way.
    #[error("the path leads into a value that is neither an object nor an array")]
    Scalar,
    /// A segment is no array index.
    #[error("the path leads into an array, but has no valid array index there")]
    Index,
    /// An array index beyond the end.
    #[error("the array index is beyond the end: the array has {length} items")]
    Bounds {
        /// How many items the array has.
        length: usize,
    },
    /// `move` into the moved value.
    #[error("a value cannot be moved into itself")]
    IntoItself,
    /// `test` found another value.
    #[error("the test failed: the value there is a different one")]
    Different,
    /// The operation needs a `value`.
    #[error("the operation has no `value`")]
    NoValue,
    /// The operation needs a `from`.
    #[error("the operation has no `from`")]
    NoFrom,
    /// A member name that JavaScript clients refuse.
    #[error("the member names `__proto__` and `constructor/prototype` may not be patched")]
    Banned,
    /// The document would nest too deep.
    #[error("the document would nest deeper than {limit} levels")]
    TooDeep {
        /// The deepest nesting allowed.
        limit: usize,
    },
    /// Copies add more than allowed.
    #[error("the copies made by patches would take more than {limit} bytes")]
    TooMuchCopied {
        /// How many bytes copies may take.
        limit: usize,
    },
    /// Insertions and removals shift more array items than allowed.
    #[error("the patch would shift more than {limit} array items")]
    TooMuchShifted {
        /// How many items a patch may shift.
        limit: usize,
    },
}

impl Reason {
    /// Whether a limit was hit, so that not even [`Mode::Lenient`](super::Mode::Lenient) goes on.
    pub fn is_limit(self) -> bool {
        matches!(
            self,
            Self::TooDeep { .. } | Self::TooMuchCopied { .. } | Self::TooMuchShifted { .. }
        )
    }
}

/// A patch that was not applied; the document is as before.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[error("patch operation {index} ({place}): {reason}")]
pub struct PatchError {
    /// Which operation of the patch, from 0.
    pub index: usize,
    /// What is wrong with it.
    pub reason: Reason,
    place: Place,
}

/// An operation that [`Mode::Lenient`](super::Mode::Lenient) left out.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Skipped {
    /// Which operation of the patch, from 0.
    pub index: usize,
    /// Why it could not be applied.
    pub reason: Reason,
    place: Place,
}

impl fmt::Display for Skipped {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let Self {
            index,
            reason,
            place,
        } = self;
        write!(f, "patch operation {index} ({place}) skipped: {reason}")
    }
}

/// The operation and the pointer at fault.
#[derive(Debug, Clone, PartialEq, Eq)]
struct Place {
    op: Op,
    pointer: Box<str>,
}

impl Place {
    fn of(operation: &Operation, reason: Reason) -> Self {
        let from = operation.from.as_deref();
        let pointer = match from {
            Some(from) if reason == Reason::NoSource => from,
            _ => operation.path.as_str(),
        };
        let end = pointer.floor_char_boundary(SHOWN);
        let mut shown = pointer[..end].to_owned();
        if end < pointer.len() {
            shown.push('…');
        }
        Self {
            op: operation.op,
            pointer: shown.into(),
        }
    }
}

impl fmt::Display for Place {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{} {:?}", self.op.as_str(), self.pointer)
    }
}

impl PatchError {
    pub(super) fn new(index: usize, operation: &Operation, reason: Reason) -> Self {
        let place = Place::of(operation, reason);
        Self {
            index,
            reason,
            place,
        }
    }
}

impl Skipped {
    pub(super) fn new(index: usize, operation: &Operation, reason: Reason) -> Self {
        let place = Place::of(operation, reason);
        Self {
            index,
            reason,
            place,
        }
    }
}

/// A name that is no operation of JSON Patch.
#[derive(Debug, Clone, Copy, PartialEq, Eq, thiserror::Error)]
#[error("a patch operation is one of add, remove, replace, move, copy and test")]
pub struct UnknownOp;
