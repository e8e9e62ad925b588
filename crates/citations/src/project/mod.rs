//! Projections: the one model written in the forms that clients read, each under a key of its own.
//!
//! A projection writes itself as a whole, or as the operations that a [`Change`] of the model means
//! for it. Both must say the same: whoever applies the operations has what would be written as a whole.

pub(crate) mod bridge;
pub(crate) mod deep;
pub(crate) mod rag;

use agui::json::{Json, Value};
use agui::patch::{Operation, escape};

use crate::layer::ledger::{Cited, Evicted, Ledger};
use crate::layer::tally::Count;

/// What happened to the model.
#[derive(Debug)]
pub(crate) enum Change {
    /// A message is there, or is quite another.
    Message(usize),
    /// A message cites.
    Cited(usize, Cited),
    /// A check has ended, and how the citation counted before.
    Settled(usize, Count),
    /// How far a message is.
    Progress(usize),
    /// A message is gone.
    Evicted(Evicted),
    /// A turn has ended.
    Turn(usize),
    /// How sure a turn is.
    Confidence(usize),
}

/// A form of the model.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Form {
    Deep,
    Bridge,
    Rag,
}

impl Form {
    pub(crate) const ALL: [Self; 3] = [Self::Deep, Self::Bridge, Self::Rag];

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
        change: &Change,
        out: &mut Vec<Operation>,
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

/// Writes an object member by member.
pub(crate) struct ObjectWriter {
    out: String,
    first: bool,
}

impl ObjectWriter {
    pub(crate) fn new() -> Self {
        Self {
            out: "{".to_owned(),
            first: true,
        }
    }

    pub(crate) fn key(&mut self, name: &str) -> &mut String {
        if !std::mem::take(&mut self.first) {
            self.out.push(',');
        }
        Value::from(name).write(&mut self.out);
        self.out.push(':');
        &mut self.out
    }

    pub(crate) fn json(&mut self, name: &str, json: &Json) {
        json.write(self.key(name));
    }

    pub(crate) fn value(&mut self, name: &str, value: impl Into<Value>) {
        value.into().write(self.key(name));
    }

    pub(crate) fn end(mut self) -> String {
        self.out.push('}');
        self.out
    }

    pub(crate) fn end_json(self) -> Json {
        // What is written above is JSON, unless it nests deeper than JSON may: then it is nothing.
        Json::parse(self.end()).unwrap_or_else(|_| Json::from(Value::Null))
    }
}

/// Writes a list.
pub(crate) fn list<'a>(items: impl IntoIterator<Item = &'a Json>, out: &mut String) {
    out.push('[');
    for (at, item) in items.into_iter().enumerate() {
        if at > 0 {
            out.push(',');
        }
        item.write(out);
    }
    out.push(']');
}
