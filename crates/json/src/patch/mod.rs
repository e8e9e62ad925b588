//! JSON Patch (RFC 6902): an engine with three modes, and the computation of patches, [`diff()`].
//!
//! ```
//! use json::{Json, Value};
//! use json::patch::{PatchMode, PatchOperation, Patcher};
//!
//! let mut state = Value::parse(r#"{"steps":[]}"#)?;
//! let step = Json::parse(r#"{"done":false}"#)?;
//! Patcher::new(PatchMode::Rfc).apply(&mut state, &[PatchOperation::add("/steps/-", step)])?;
//! assert_eq!(state.to_json(), r#"{"steps":[{"done":false}]}"#);
//! # Ok::<(), Box<dyn std::error::Error>>(())
//! ```

mod align;
mod apply;
mod diff;
mod error;
mod fast_json_patch;
mod lenient;
mod locate;
mod pointer;
mod undo;

use std::str::FromStr;

pub use apply::Patcher;
pub use diff::diff;
pub use error::{PatchError, PatchFailure, SkippedOperation, UnknownOp};
pub use pointer::{escape, is_pointer};

use crate::{Json, MAX_DEPTH, Text, write_string};

/// Kind of a patch operation.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub enum PatchOp {
    /// Sets a member or inserts an array item.
    Add,
    /// Removes a member or array item.
    Remove,
    /// Replaces an existing value.
    Replace,
    /// Removes a value and adds it elsewhere.
    Move,
    /// Adds a copy of a value elsewhere.
    Copy,
    /// Fails unless the value is equal.
    Test,
}

impl PatchOp {
    /// Returns the name in JSON.
    pub fn as_str(self) -> &'static str {
        match self {
            Self::Add => "add",
            Self::Remove => "remove",
            Self::Replace => "replace",
            Self::Move => "move",
            Self::Copy => "copy",
            Self::Test => "test",
        }
    }
}

impl FromStr for PatchOp {
    type Err = UnknownOp;

    fn from_str(name: &str) -> Result<Self, UnknownOp> {
        Ok(match name {
            "add" => Self::Add,
            "remove" => Self::Remove,
            "replace" => Self::Replace,
            "move" => Self::Move,
            "copy" => Self::Copy,
            "test" => Self::Test,
            _ => return Err(UnknownOp),
        })
    }
}

/// One operation of a patch.
#[derive(Debug, Clone, PartialEq)]
pub struct PatchOperation {
    /// Kind of the operation.
    pub op: PatchOp,
    /// Target, a JSON Pointer.
    pub path: Text,
    /// Source of `move` and `copy`, a JSON Pointer.
    pub from: Option<Text>,
    /// Value of `add`, `replace` and `test`.
    pub value: Option<Json>,
    /// Received text of an operation with additional members; written instead of the other fields.
    pub extended: Option<Text>,
}

impl PatchOperation {
    fn new(op: PatchOp, path: Text, from: Option<Text>, value: Option<Json>) -> Self {
        Self {
            op,
            path,
            from,
            value,
            extended: None,
        }
    }

    /// Sets a member or inserts an array item.
    pub fn add(path: impl Into<Text>, value: impl Into<Json>) -> Self {
        Self::new(PatchOp::Add, path.into(), None, Some(value.into()))
    }

    /// Removes a member or array item.
    pub fn remove(path: impl Into<Text>) -> Self {
        Self::new(PatchOp::Remove, path.into(), None, None)
    }

    /// Replaces an existing value.
    pub fn replace(path: impl Into<Text>, value: impl Into<Json>) -> Self {
        Self::new(PatchOp::Replace, path.into(), None, Some(value.into()))
    }

    /// Moves the value at `from` to `path`.
    pub fn move_(from: impl Into<Text>, path: impl Into<Text>) -> Self {
        Self::new(PatchOp::Move, path.into(), Some(from.into()), None)
    }

    /// Copies the value at `from` to `path`.
    pub fn copy(from: impl Into<Text>, path: impl Into<Text>) -> Self {
        Self::new(PatchOp::Copy, path.into(), Some(from.into()), None)
    }

    /// Fails unless the value is equal.
    pub fn test(path: impl Into<Text>, value: impl Into<Json>) -> Self {
        Self::new(PatchOp::Test, path.into(), None, Some(value.into()))
    }

    /// Appends the operation as compact JSON.
    pub fn write(&self, out: &mut String) {
        if let Some(received) = &self.extended {
            out.push_str(received);
            return;
        }
        out.push_str("{\"op\":\"");
        out.push_str(self.op.as_str());
        out.push('"');
        if let Some(from) = &self.from {
            out.push_str(",\"from\":");
            write_string(from, out);
        }
        out.push_str(",\"path\":");
        write_string(&self.path, out);
        if let Some(value) = &self.value {
            out.push_str(",\"value\":");
            value.write(out);
        }
        out.push('}');
    }
}

/// Interpretation of the JSON Patch rules.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, Default)]
pub enum PatchMode {
    /// RFC 6902 to the letter. Removing the root leaves `null`.
    #[default]
    Rfc,
    /// Behaviour of the official client (`fast-json-patch` 3.1.1, validating), so that its state
    /// and ours stay equal. The differences from the RFC are listed in `fast_json_patch.rs`.
    ///
    /// Three things are not copied: names that JavaScript objects inherit (`toString`) do not exist
    /// here; `copy` and `move` from a missing path to the root fail; `move` of the root into
    /// itself, which creates a cycle there, fails as well.
    Agui,
    /// Applies as many operations as possible and reports the others.
    ///
    /// `add`, `replace` and the targets of `move` and `copy` create missing parents: an array if
    /// the next segment is `-` or `0`, else an object. A `null` parent counts as missing, and
    /// `replace` adds a missing value. Array items can only be created at the end.
    Lenient,
}

/// Limits of patches.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct PatchLimits {
    /// Maximum nesting depth of the document.
    pub depth: usize,
    /// Maximum memory, in approximate bytes, that all `copy` operations of a patcher add together.
    pub copied_bytes: usize,
    /// Maximum number of array items that one patch shifts by inserting or removing items before
    /// them.
    pub shifted_items: usize,
}

impl Default for PatchLimits {
    fn default() -> Self {
        Self {
            depth: MAX_DEPTH,
            copied_bytes: 64 << 20,
            shifted_items: 100_000_000,
        }
    }
}

#[cfg(test)]
mod fast_json_patch_tests;
#[cfg(test)]
mod property_tests;
#[cfg(test)]
mod tests;
