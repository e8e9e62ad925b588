//! Finding places in a document.

use std::mem;

use super::Reason;
use super::pointer::{Pointer, Segment};
use super::undo::Change;
use crate::json::{Map, Value};

/// How array indexes are read on the way.
#[derive(Clone, Copy, PartialEq, Eq)]
pub(super) enum Walk {
    /// As the RFC says.
    Strict,
    /// As `fast-json-patch` does where it does not check: any digits.
    Loose,
}

/// What a pointer leads to.
#[inline]
pub(super) fn find_mut<'d>(
    document: &'d mut Value,
    pointer: Pointer<'_>,
    walk: Walk,
) -> Result<&'d mut Value, Reason> {
    let mut at = document;
    for segment in pointer.segments() {
        at = child_mut(at, segment, walk)?;
    }
    Ok(at)
}

/// The member or item that a segment names.
#[inline]
pub(super) fn child_mut<'d>(
    parent: &'d mut Value,
    segment: Segment<'_>,
    walk: Walk,
) -> Result<&'d mut Value, Reason> {
    match parent {
        Value::Object(map) => map.get_mut(&segment.name()).ok_or(Reason::Missing),
        Value::Array(items) => {
            let length = items.len();
            let index = match walk {
                _ if segment.raw == "-" => length,
                Walk::Strict => segment.index()?,
                Walk::Loose => usize::try_from(segment.js_index()?).unwrap_or(length),
            };
            items.get_mut(index).ok_or(Reason::Bounds { length })
        }
        _ => Err(Reason::Scalar),
    }
}

/// Where a value can be put.
pub(super) enum Slot<'d, 'p> {
    /// The whole document.
    Root(&'d mut Value),
    /// A member, there or not.
    Member(&'d mut Map, Segment<'p>),
    /// Before the array item at that position.
    Item(&'d mut Vec<Value>, usize),
    /// Over the array item at that position.
    Over(&'d mut Value, usize),
    /// Nowhere.
    Void,
}

/// How many array items one patch has shifted, and may shift.
pub(super) struct Effort {
    spent: usize,
    limit: usize,
}

impl Effort {
    pub(super) fn new(limit: usize) -> Self {
        Self { spent: 0, limit }
    }

    /// Takes account of items that are about to be shifted.
    #[inline]
    pub(super) fn spend(&mut self, items: usize) -> Result<(), Reason> {
        self.spent = self.spent.saturating_add(items);
        if self.spent > self.limit {
            return Err(Reason::TooMuchShifted { limit: self.limit });
        }
        Ok(())
    }
}

/// Where a value can be put, and what has to be created around it.
pub(super) struct Place<'d, 'p> {
    slot: Slot<'d, 'p>,
    /// The way from the slot to the value.
    pub(super) rest: Pointer<'p>,
}

impl<'d, 'p> Place<'d, 'p> {
    /// Creates objects and arrays around the value so that `rest` leads to it.
    pub(super) fn around(slot: Slot<'d, 'p>, rest: Pointer<'p>) -> Self {
        Self { slot, rest }
    }

    /// How many array items have to make room.
    #[inline]
    pub(super) fn shifts(&self) -> usize {
        match &self.slot {
            Slot::Item(items, at) => items.len() - at,
            _ => 0,
        }
    }

    /// Puts a value there.
    #[inline]
    pub(super) fn put(self, value: Value) -> Change {
        let value = wrap(self.rest, value);
        match self.slot {
            Slot::Root(document) => Change::Root(mem::replace(document, value)),
            Slot::Member(map, segment) => {
                let name = segment.name();
                if let Some(slot) = map.get_mut(&name) {
                    return Change::Set(0, mem::replace(slot, value));
                }
                map.insert(name.into_owned(), value);
                Change::Added(0)
            }
            Slot::Item(items, at) => {
                items.insert(at, value);
                Change::Added(at)
            }
            Slot::Over(slot, at) => Change::Set(at, mem::replace(slot, value)),
            Slot::Void => Change::Lost(value),
        }
    }
}

impl<'d, 'p> From<Slot<'d, 'p>> for Place<'d, 'p> {
    #[inline]
    fn from(slot: Slot<'d, 'p>) -> Self {
        Self::around(slot, Pointer::ROOT)
    }
}

/// Builds what `rest` leads through: arrays where a segment is `-` or `0`, else objects.
#[inline]
fn wrap(mut rest: Pointer<'_>, mut value: Value) -> Value {
    while let Some((parent, last)) = rest.split_last() {
        value = match last.raw {
            "-" | "0" => Value::Array(vec![value]),
            _ => Value::Object(Map::from_iter([(last.name().into_owned(), value)])),
        };
        rest = parent;
    }
    value
}

/// Takes out what [`wrap`] was given.
pub(super) fn unwrap(rest: Pointer<'_>, mut value: Value) -> Option<Value> {
    for segment in rest.segments() {
        value = match &mut value {
            Value::Object(map) => map.remove(&segment.name())?,
            Value::Array(items) => items.pop()?,
            _ => return None,
        };
    }
    Some(value)
}

/// Where the RFC adds a value.
#[inline]
pub(super) fn place<'d, 'p>(
    document: &'d mut Value,
    path: Pointer<'p>,
) -> Result<Place<'d, 'p>, Reason> {
    place_by(document, path, Walk::Strict, position)
}

/// Where a value is added, if `position` reads the last segment of a path into an array.
#[inline]
pub(super) fn place_by<'d, 'p>(
    document: &'d mut Value,
    path: Pointer<'p>,
    walk: Walk,
    position: impl FnOnce(Segment<'p>, usize) -> Result<usize, Reason>,
) -> Result<Place<'d, 'p>, Reason> {
    let Some((parent, last)) = path.split_last() else {
        return Ok(Slot::Root(document).into());
    };
    let slot = match find_mut(document, parent, walk)? {
        Value::Object(map) => Slot::Member(map, last),
        Value::Array(items) => {
            let at = position(last, items.len())?;
            Slot::Item(items, at)
        }
        _ => return Err(Reason::Scalar),
    };
    Ok(slot.into())
}

/// The array position where the RFC inserts.
#[inline]
pub(super) fn position(segment: Segment<'_>, length: usize) -> Result<usize, Reason> {
    if segment.raw == "-" {
        return Ok(length);
    }
    let index = segment.index()?;
    if index > length {
        return Err(Reason::Bounds { length });
    }
    Ok(index)
}

/// Takes out a member or item: its array position and value. The root cannot be taken out.
pub(super) fn take(
    document: &mut Value,
    path: Pointer<'_>,
    effort: &mut Effort,
) -> Result<(usize, Value), Reason> {
    let (parent, last) = path.split_last().ok_or(Reason::Missing)?;
    match find_mut(document, parent, Walk::Strict)? {
        Value::Object(map) => {
            let value = map.remove(&last.name()).ok_or(Reason::Missing)?;
            Ok((0, value))
        }
        Value::Array(items) => {
            let length = items.len();
            let at = position(last, length)?;
            if at == length {
                return Err(Reason::Bounds { length });
            }
            effort.spend(length - at)?;
            Ok((at, items.remove(at)))
        }
        _ => Err(Reason::Scalar),
    }
}
