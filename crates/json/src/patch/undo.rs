//! Undo log of a patch.

use std::mem;

use super::PatchOperation;
use super::locate::{IndexRules, InsertionPlace, InsertionSlot, find_mut, unwrap_parents};
use super::pointer::Pointer;
use crate::Value;

/// Data for undoing one change. Array indexes are those at the time of the change.
pub(super) enum UndoChange {
    /// Replacement of the document, with the old one.
    Root(Value),
    /// New member, or new item at this index.
    Added(usize),
    /// Replaced member or item, with the old value.
    Set(usize, Value),
    /// Removed member or item, with the old value.
    Removed(usize, Value),
    /// Value that was discarded.
    Discarded(Value),
}

/// A change and its place.
pub(super) struct UndoStep {
    /// Index of the operation.
    pub(super) index: usize,
    /// Length of the part of its path that leads to the change.
    pub(super) path_len: usize,
    pub(super) change: UndoChange,
    /// Array index at `from`, if the new value was moved from there.
    pub(super) source_index: Option<usize>,
}

/// Undoes all changes, last first.
pub(super) fn roll_back(document: &mut Value, patch: &[PatchOperation], steps: &mut Vec<UndoStep>) {
    while let Some(step) = steps.pop() {
        let undone = undo_step(document, patch, step);
        debug_assert!(undone.is_some(), "what was changed is where it was changed");
    }
}

/// Undoes one change. The document is in the state right after the change, so its pointers are
/// valid.
fn undo_step(document: &mut Value, patch: &[PatchOperation], step: UndoStep) -> Option<()> {
    let operation = patch.get(step.index)?;
    let (path, rest) = operation.path.split_at_checked(step.path_len)?;
    let taken = revert_change(document, Pointer::new(path).ok()?, step.change)?;
    if let Some(at) = step.source_index {
        let taken = unwrap_parents(Pointer::new(rest).ok()?, taken)?;
        restore(
            document,
            Pointer::new(operation.from.as_ref()?).ok()?,
            at,
            taken,
        )?;
    }
    Some(())
}

/// Undoes a change and returns the value that it had inserted.
fn revert_change(document: &mut Value, path: Pointer<'_>, change: UndoChange) -> Option<Value> {
    let (at, old) = match change {
        UndoChange::Root(old) => return Some(mem::replace(document, old)),
        UndoChange::Discarded(value) => return Some(value),
        UndoChange::Removed(at, old) => {
            restore(document, path, at, old)?;
            return Some(Value::Null);
        }
        UndoChange::Added(at) => (at, None),
        UndoChange::Set(at, old) => (at, Some(old)),
    };
    let (parent, last) = path.split_last()?;
    match (
        find_mut(document, parent, IndexRules::JavaScript).ok()?,
        old,
    ) {
        (Value::Object(map), None) => map.remove(&last.name()),
        (Value::Object(map), Some(old)) => Some(mem::replace(map.get_mut(&last.name())?, old)),
        (Value::Array(items), None) => (at < items.len()).then(|| items.remove(at)),
        (Value::Array(items), Some(old)) => Some(mem::replace(items.get_mut(at)?, old)),
        _ => None,
    }
}

/// Restores a removed member or item.
pub(super) fn restore(
    document: &mut Value,
    pointer: Pointer<'_>,
    at: usize,
    value: Value,
) -> Option<()> {
    let (parent, last) = pointer.split_last()?;
    let slot = match find_mut(document, parent, IndexRules::JavaScript).ok()? {
        Value::Object(map) => InsertionSlot::Member(map, last),
        Value::Array(items) if at <= items.len() => InsertionSlot::InsertItem(items, at),
        _ => return None,
    };
    InsertionPlace::from(slot).insert(value);
    Some(())
}
