//! Changes to a document, and their undoing.

use std::mem;

use super::Operation;
use super::find::{Place, Slot, Walk, find_mut, unwrap};
use super::pointer::Pointer;
use crate::json::Value;

/// What a change took from the document. Array positions are those at that moment.
pub(super) enum Change {
    /// The document was replaced.
    Root(Value),
    /// A member or item is new.
    Added(usize),
    /// A member or item has a new value.
    Set(usize, Value),
    /// A member or item is gone.
    Removed(usize, Value),
    /// The new value went nowhere.
    Lost(Value),
}

/// A change and where it was made.
pub(super) struct Step {
    /// Which operation.
    pub(super) index: usize,
    /// How many bytes of its path lead to the change.
    pub(super) end: usize,
    pub(super) change: Change,
    /// Set if the new value was moved: its array position at `from`.
    pub(super) moved: Option<usize>,
}

/// Undoes all changes, last first.
pub(super) fn roll_back(document: &mut Value, patch: &[Operation], steps: &mut Vec<Step>) {
    while let Some(step) = steps.pop() {
        let undone = undo(document, patch, step);
        debug_assert!(undone.is_some(), "what was changed is where it was changed");
    }
}

/// Undoes one change. The document is as it was right after it, so its pointers lead there again.
fn undo(document: &mut Value, patch: &[Operation], step: Step) -> Option<()> {
    let operation = patch.get(step.index)?;
    let (path, rest) = operation.path.split_at_checked(step.end)?;
    let taken = revert(document, Pointer::new(path).ok()?, step.change)?;
    if let Some(at) = step.moved {
        let taken = unwrap(Pointer::new(rest).ok()?, taken)?;
        put_back(
            document,
            Pointer::new(operation.from.as_ref()?).ok()?,
            at,
            taken,
        )?;
    }
    Some(())
}

/// Undoes a change and returns the value it had put there.
fn revert(document: &mut Value, path: Pointer<'_>, change: Change) -> Option<Value> {
    let (at, old) = match change {
        Change::Root(old) => return Some(mem::replace(document, old)),
        Change::Lost(value) => return Some(value),
        Change::Removed(at, old) => {
            put_back(document, path, at, old)?;
            return Some(Value::Null);
        }
        Change::Added(at) => (at, None),
        Change::Set(at, old) => (at, Some(old)),
    };
    let (parent, last) = path.split_last()?;
    match (find_mut(document, parent, Walk::Loose).ok()?, old) {
        (Value::Object(map), None) => map.remove(&last.name()),
        (Value::Object(map), Some(old)) => Some(mem::replace(map.get_mut(&last.name())?, old)),
        (Value::Array(items), None) => (at < items.len()).then(|| items.remove(at)),
        (Value::Array(items), Some(old)) => Some(mem::replace(items.get_mut(at)?, old)),
        _ => None,
    }
}

/// Puts a removed member or item back.
pub(super) fn put_back(
    document: &mut Value,
    pointer: Pointer<'_>,
    at: usize,
    value: Value,
) -> Option<()> {
    let (parent, last) = pointer.split_last()?;
    let slot = match find_mut(document, parent, Walk::Loose).ok()? {
        Value::Object(map) => Slot::Member(map, last),
        Value::Array(items) if at <= items.len() => Slot::Item(items, at),
        _ => return None,
    };
    Place::from(slot).put(value);
    Some(())
}
