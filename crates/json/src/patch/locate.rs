//! Lookup of values and insertion places in a document.

use std::mem;

use super::PatchFailure;
use super::pointer::{Pointer, PointerSegment};
use super::undo::UndoChange;
use crate::{Map, Value};

/// Grammar of array indexes in the parents of a path.
#[derive(Clone, Copy, PartialEq, Eq)]
pub(super) enum IndexRules {
    /// RFC 6901: digits without leading zeros.
    Strict,
    /// Unchecked paths of `fast-json-patch`: any digits.
    JavaScript,
}

/// Returns the value at a pointer.
#[inline]
pub(super) fn find_mut<'d>(
    document: &'d mut Value,
    pointer: Pointer<'_>,
    index_rules: IndexRules,
) -> Result<&'d mut Value, PatchFailure> {
    let mut at = document;
    for segment in pointer.segments() {
        at = child_mut(at, segment, index_rules)?;
    }
    Ok(at)
}

/// Returns the member or item that a segment names.
#[inline]
pub(super) fn child_mut<'d>(
    parent: &'d mut Value,
    segment: PointerSegment<'_>,
    index_rules: IndexRules,
) -> Result<&'d mut Value, PatchFailure> {
    match parent {
        Value::Object(map) => map.get_mut(&segment.name()).ok_or(PatchFailure::Missing),
        Value::Array(items) => {
            let length = items.len();
            let index = match index_rules {
                _ if segment.raw == "-" => length,
                IndexRules::Strict => segment.index()?,
                IndexRules::JavaScript => usize::try_from(segment.js_index()?).unwrap_or(length),
            };
            items.get_mut(index).ok_or(PatchFailure::Bounds { length })
        }
        _ => Err(PatchFailure::Scalar),
    }
}

/// Slot that receives a value.
pub(super) enum InsertionSlot<'d, 'p> {
    /// Whole document.
    Root(&'d mut Value),
    /// Existing or new member of an object.
    Member(&'d mut Map, PointerSegment<'p>),
    /// Insertion before the array item at this index.
    InsertItem(&'d mut Vec<Value>, usize),
    /// Replacement of the array item at this index.
    ReplaceItem(&'d mut Value, usize),
    /// No place: the value is discarded.
    Discard,
}

/// Number of array items that one patch has shifted, and its limit.
pub(super) struct ShiftBudget {
    spent: usize,
    limit: usize,
}

impl ShiftBudget {
    pub(super) fn new(limit: usize) -> Self {
        Self { spent: 0, limit }
    }

    /// Counts items that are about to be shifted.
    #[inline]
    pub(super) fn spend(&mut self, items: usize) -> Result<(), PatchFailure> {
        self.spent = self.spent.saturating_add(items);
        if self.spent > self.limit {
            return Err(PatchFailure::TooMuchShifted { limit: self.limit });
        }
        Ok(())
    }
}

/// Slot for a value, and the parents that must be created around it.
pub(super) struct InsertionPlace<'d, 'p> {
    slot: InsertionSlot<'d, 'p>,
    /// Path from the slot to the value.
    pub(super) rest: Pointer<'p>,
}

impl<'d, 'p> InsertionPlace<'d, 'p> {
    /// Creates a place whose value is wrapped in new objects and arrays, so that `rest` leads to
    /// it.
    pub(super) fn new(slot: InsertionSlot<'d, 'p>, rest: Pointer<'p>) -> Self {
        Self { slot, rest }
    }

    /// Returns the number of array items that the insertion shifts.
    #[inline]
    pub(super) fn shifted_items(&self) -> usize {
        match &self.slot {
            InsertionSlot::InsertItem(items, at) => items.len() - at,
            _ => 0,
        }
    }

    /// Inserts the value and returns the change for undoing it.
    #[inline]
    pub(super) fn insert(self, value: Value) -> UndoChange {
        let value = wrap_in_parents(self.rest, value);
        match self.slot {
            InsertionSlot::Root(document) => UndoChange::Root(mem::replace(document, value)),
            InsertionSlot::Member(map, segment) => {
                let name = segment.name();
                if let Some(slot) = map.get_mut(&name) {
                    return UndoChange::Set(0, mem::replace(slot, value));
                }
                map.insert(name.into_owned(), value);
                UndoChange::Added(0)
            }
            InsertionSlot::InsertItem(items, at) => {
                items.insert(at, value);
                UndoChange::Added(at)
            }
            InsertionSlot::ReplaceItem(slot, at) => UndoChange::Set(at, mem::replace(slot, value)),
            InsertionSlot::Discard => UndoChange::Discarded(value),
        }
    }
}

impl<'d, 'p> From<InsertionSlot<'d, 'p>> for InsertionPlace<'d, 'p> {
    #[inline]
    fn from(slot: InsertionSlot<'d, 'p>) -> Self {
        Self::new(slot, Pointer::ROOT)
    }
}

/// Wraps a value in the parents of `rest`: arrays where a segment is `-` or `0`, else objects.
#[inline]
fn wrap_in_parents(mut rest: Pointer<'_>, mut value: Value) -> Value {
    while let Some((parent, last)) = rest.split_last() {
        value = match last.raw {
            "-" | "0" => Value::Array(vec![value]),
            _ => Value::Object(Map::from_iter([(last.name().into_owned(), value)])),
        };
        rest = parent;
    }
    value
}

/// Returns the value that was given to [`wrap_in_parents`].
pub(super) fn unwrap_parents(rest: Pointer<'_>, mut value: Value) -> Option<Value> {
    for segment in rest.segments() {
        value = match &mut value {
            Value::Object(map) => map.remove(&segment.name())?,
            Value::Array(items) => items.pop()?,
            _ => return None,
        };
    }
    Some(value)
}

/// Returns the place where the RFC adds a value.
#[inline]
pub(super) fn insertion_place<'d, 'p>(
    document: &'d mut Value,
    path: Pointer<'p>,
) -> Result<InsertionPlace<'d, 'p>, PatchFailure> {
    insertion_place_with(document, path, IndexRules::Strict, insertion_index)
}

/// Returns the place where a value is added. `position` interprets the last segment of a path into
/// an array.
#[inline]
pub(super) fn insertion_place_with<'d, 'p>(
    document: &'d mut Value,
    path: Pointer<'p>,
    index_rules: IndexRules,
    position: impl FnOnce(PointerSegment<'p>, usize) -> Result<usize, PatchFailure>,
) -> Result<InsertionPlace<'d, 'p>, PatchFailure> {
    let Some((parent, last)) = path.split_last() else {
        return Ok(InsertionSlot::Root(document).into());
    };
    let slot = match find_mut(document, parent, index_rules)? {
        Value::Object(map) => InsertionSlot::Member(map, last),
        Value::Array(items) => {
            let at = position(last, items.len())?;
            InsertionSlot::InsertItem(items, at)
        }
        _ => return Err(PatchFailure::Scalar),
    };
    Ok(slot.into())
}

/// Returns the array index at which the RFC inserts.
#[inline]
pub(super) fn insertion_index(
    segment: PointerSegment<'_>,
    length: usize,
) -> Result<usize, PatchFailure> {
    if segment.raw == "-" {
        return Ok(length);
    }
    let index = segment.index()?;
    if index > length {
        return Err(PatchFailure::Bounds { length });
    }
    Ok(index)
}

/// Removes a member or item and returns its array index and value. The root cannot be removed.
pub(super) fn remove_at(
    document: &mut Value,
    path: Pointer<'_>,
    shift_budget: &mut ShiftBudget,
) -> Result<(usize, Value), PatchFailure> {
    let (parent, last) = path.split_last().ok_or(PatchFailure::Missing)?;
    match find_mut(document, parent, IndexRules::Strict)? {
        Value::Object(map) => {
            let value = map.remove(&last.name()).ok_or(PatchFailure::Missing)?;
            Ok((0, value))
        }
        Value::Array(items) => {
            let length = items.len();
            let at = insertion_index(last, length)?;
            if at == length {
                return Err(PatchFailure::Bounds { length });
            }
            shift_budget.spend(length - at)?;
            Ok((at, items.remove(at)))
        }
        _ => Err(PatchFailure::Scalar),
    }
}
