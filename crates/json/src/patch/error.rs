//! Errors of patches.

use std::fmt;

use super::{PatchOp, PatchOperation};

/// Maximum number of bytes of a pointer shown in a message.
const SHOWN: usize = 200;

/// Reason for which an operation cannot be applied.
#[derive(Debug, Clone, Copy, PartialEq, Eq, thiserror::Error)]
#[non_exhaustive]
pub enum PatchFailure {
    /// `path` or `from` is not a JSON Pointer.
    #[error("this is not a JSON Pointer")]
    Pointer,
    /// No value at the path, or at one of its parents.
    #[error("there is nothing at this path")]
    Missing,
    /// No value at `from`.
    #[error("there is nothing to take at this `from`")]
    NoSource,
    /// A parent is a string, number, boolean or null.
    #[error("the path leads into a value that is neither an object nor an array")]
    Scalar,
    /// A segment is not a valid array index.
    #[error("the path leads into an array, but has no valid array index there")]
    Index,
    /// Array index beyond the end.
    #[error("the array index is beyond the end: the array has {length} items")]
    Bounds {
        /// Number of items in the array.
        length: usize,
    },
    /// `move` into the moved value.
    #[error("a value cannot be moved into itself")]
    IntoItself,
    /// `test` found a different value.
    #[error("the test failed: the value there is a different one")]
    Different,
    /// Missing `value`.
    #[error("the operation has no `value`")]
    NoValue,
    /// Missing `from`.
    #[error("the operation has no `from`")]
    NoFrom,
    /// Member name that JavaScript clients refuse.
    #[error("the member names `__proto__` and `constructor/prototype` may not be patched")]
    Banned,
    /// Depth limit exceeded.
    #[error("the document would nest deeper than {limit} levels")]
    TooDeep {
        /// Maximum nesting depth.
        limit: usize,
    },
    /// Copy limit exceeded.
    #[error("the copies made by patches would take more than {limit} bytes")]
    TooMuchCopied {
        /// Maximum size of all copies in bytes.
        limit: usize,
    },
    /// Shift limit exceeded.
    #[error("the patch would shift more than {limit} array items")]
    TooMuchShifted {
        /// Maximum number of shifted items.
        limit: usize,
    },
}

impl PatchFailure {
    /// Returns true if a limit was exceeded. Then [`PatchMode::Lenient`](super::PatchMode::Lenient)
    /// fails, too.
    pub fn is_limit(self) -> bool {
        matches!(
            self,
            Self::TooDeep { .. } | Self::TooMuchCopied { .. } | Self::TooMuchShifted { .. }
        )
    }
}

/// Error of a patch that was not applied; the document is unchanged.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[error("patch operation {index} ({place}): {reason}")]
pub struct PatchError {
    /// Index of the operation, from 0.
    pub index: usize,
    /// Reason of the failure.
    pub reason: PatchFailure,
    place: FaultLocation,
}

/// Operation that [`PatchMode::Lenient`](super::PatchMode::Lenient) skipped.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct SkippedOperation {
    /// Index of the operation, from 0.
    pub index: usize,
    /// Reason for skipping it.
    pub reason: PatchFailure,
    place: FaultLocation,
}

impl fmt::Display for SkippedOperation {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let Self {
            index,
            reason,
            place,
        } = self;
        write!(f, "patch operation {index} ({place}) skipped: {reason}")
    }
}

/// Kind and pointer of the failed operation.
#[derive(Debug, Clone, PartialEq, Eq)]
struct FaultLocation {
    op: PatchOp,
    pointer: Box<str>,
}

impl FaultLocation {
    fn of(operation: &PatchOperation, reason: PatchFailure) -> Self {
        let from = operation.from.as_deref();
        let pointer = match from {
            Some(from) if reason == PatchFailure::NoSource => from,
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

impl fmt::Display for FaultLocation {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{} {:?}", self.op.as_str(), self.pointer)
    }
}

impl PatchError {
    pub(super) fn new(index: usize, operation: &PatchOperation, reason: PatchFailure) -> Self {
        let place = FaultLocation::of(operation, reason);
        Self {
            index,
            reason,
            place,
        }
    }
}

impl SkippedOperation {
    pub(super) fn new(index: usize, operation: &PatchOperation, reason: PatchFailure) -> Self {
        let place = FaultLocation::of(operation, reason);
        Self {
            index,
            reason,
            place,
        }
    }
}

/// Name that is not an operation of JSON Patch.
#[derive(Debug, Clone, Copy, PartialEq, Eq, thiserror::Error)]
#[error("a patch operation is one of add, remove, replace, move, copy and test")]
pub struct UnknownOp;
