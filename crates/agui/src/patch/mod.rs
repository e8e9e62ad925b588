//! JSON Patch (RFC 6902): one engine with three readings of the rules, and the way back, [`diff()`].
//!
//! ```
//! use agui::json::{Json, Value};
//! use agui::patch::{Mode, Operation, Patcher};
//!
//! let mut state = Value::parse(r#"{"steps":[]}"#)?;
//! let step = Json::parse(r#"{"done":false}"#)?;
//! Patcher::new(Mode::Rfc).apply(&mut state, &[Operation::add("/steps/-", step)])?;
//! assert_eq!(state.to_json(), r#"{"steps":[{"done":false}]}"#);
//! # Ok::<(), Box<dyn std::error::Error>>(())
//! ```

mod agui;
mod apply;
mod diff;
mod error;
mod find;
mod lenient;
mod list;
mod pointer;
mod undo;

use std::str::FromStr;

pub use apply::Patcher;
pub use diff::diff;
pub use error::{PatchError, Reason, Skipped, UnknownOp};
pub use pointer::{escape, is_pointer};

use crate::json::{Json, MAX_DEPTH, Text, write_string};

/// What an operation does.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub enum Op {
    /// Sets a member or inserts an array item.
    Add,
    /// Takes out what is there.
    Remove,
    /// Sets what is there.
    Replace,
    /// Takes something out and adds it elsewhere.
    Move,
    /// Adds a copy of something elsewhere.
    Copy,
    /// Fails unless the value there is equal.
    Test,
}

impl Op {
    /// The name in JSON.
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

impl FromStr for Op {
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
pub struct Operation {
    /// What it does.
    pub op: Op,
    /// Where, as a JSON Pointer.
    pub path: Text,
    /// Where from, for `move` and `copy`.
    pub from: Option<Text>,
    /// What, for `add`, `replace` and `test`.
    pub value: Option<Json>,
    /// The whole operation as received, if it has members beyond these: written instead of them.
    pub(crate) extended: Option<Text>,
}

impl Operation {
    fn new(op: Op, path: Text, from: Option<Text>, value: Option<Json>) -> Self {
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
        Self::new(Op::Add, path.into(), None, Some(value.into()))
    }

    /// Takes out what is there.
    pub fn remove(path: impl Into<Text>) -> Self {
        Self::new(Op::Remove, path.into(), None, None)
    }

    /// Sets what is there.
    pub fn replace(path: impl Into<Text>, value: impl Into<Json>) -> Self {
        Self::new(Op::Replace, path.into(), None, Some(value.into()))
    }

    /// Takes what is at `from` and adds it at `path`.
    pub fn move_(from: impl Into<Text>, path: impl Into<Text>) -> Self {
        Self::new(Op::Move, path.into(), Some(from.into()), None)
    }

    /// Adds a copy of what is at `from` at `path`.
    pub fn copy(from: impl Into<Text>, path: impl Into<Text>) -> Self {
        Self::new(Op::Copy, path.into(), Some(from.into()), None)
    }

    /// Fails unless the value there is equal.
    pub fn test(path: impl Into<Text>, value: impl Into<Json>) -> Self {
        Self::new(Op::Test, path.into(), None, Some(value.into()))
    }

    /// Appends it as compact JSON.
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

/// Which reading of the rules.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, Default)]
pub enum Mode {
    /// RFC 6902 to the letter. Removing the root leaves `null`.
    #[default]
    Rfc,
    /// What the official client does (`fast-json-patch` 3.1.1, validating), so that its state and
    /// ours stay the same; where it departs from the RFC is told in the source, `agui.rs`.
    ///
    /// Three things are not copied: names that JavaScript objects inherit (`toString`) do not
    /// exist here, `copy` and `move` to the root from nowhere fail, and so does `move` of the root
    /// into itself, which makes a circle there.
    Agui,
    /// Applies what can be applied and reports the rest.
    ///
    /// `add`, `replace` and the targets of `move` and `copy` create what is missing on the way: an
    /// array if the next segment is `-` or `0`, else an object; a `null` on the way counts as
    /// missing, and `replace` adds what it cannot find. Array items can only be created at the end.
    Lenient,
}

/// What patches may not exceed.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Limits {
    /// How deep the document may nest.
    pub depth: usize,
    /// How many bytes of memory, roughly, all `copy` operations may add together.
    pub copied: usize,
    /// How many array items one patch may shift by inserting before them or removing them.
    pub shifted: usize,
}

impl Default for Limits {
    fn default() -> Self {
        Self {
            depth: MAX_DEPTH,
            copied: 64 << 20,
            shifted: 100_000_000,
        }
    }
}

#[cfg(test)]
mod properties;
#[cfg(test)]
mod tests;
