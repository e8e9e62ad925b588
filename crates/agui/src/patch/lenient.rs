//! The lenient reading: creates what is missing on the way; see [`Mode::Lenient`](super::Mode).

use super::apply::{Run, expect_equal, source};
use super::find::{Place, Slot, Walk, child_mut, find_mut, position};
use super::pointer::{Pointer, Segment};
use super::{Op, Operation, Reason};
use crate::json::Value;

/// Applies one operation; an error other than a limit means that it is skipped.
pub(super) fn apply(run: &mut Run<'_>, operation: &Operation) -> Result<(), Reason> {
    let path = Pointer::new(&operation.path)?;
    match operation.op {
        Op::Replace if find_mut(run.document, path, Walk::Strict).is_ok() => {
            run.replace(operation, path)
        }
        Op::Add | Op::Replace => {
            let value = run.value(operation, path)?;
            run.add(path, value, place)
        }
        Op::Remove => run.remove(path),
        Op::Test => expect_equal(find_mut(run.document, path, Walk::Strict)?, operation),
        Op::Copy => {
            let value = run.copy(source(operation)?, path, Walk::Strict)?;
            run.add(path, value, place)
        }
        Op::Move => {
            let from = source(operation)?;
            if path.is_inside(from) {
                return Err(Reason::IntoItself);
            }
            run.move_(from, path, place)
        }
    }
}

/// Where a value is put: as far down as the path exists, and around it what is missing.
fn place<'d, 'p>(document: &'d mut Value, path: Pointer<'p>) -> Result<Place<'d, 'p>, Reason> {
    let mut at = document;
    let mut segments = path.segments();
    if path.is_root() || *at == Value::Null {
        return Ok(Place::around(Slot::Root(at), path));
    }
    while let Some(segment) = segments.next() {
        let rest = segments.rest();
        if !rest.is_root() && is_there(at, segment) {
            at = child_mut(at, segment, Walk::Strict)?;
            continue;
        }
        let slot = match at {
            Value::Object(map) => Slot::Member(map, segment),
            Value::Array(items) => {
                let at = position(segment, items.len())?;
                // On the way only a null gets here; the last segment inserts.
                if at < items.len() && !rest.is_root() {
                    Slot::Over(&mut items[at], at)
                } else {
                    Slot::Item(items, at)
                }
            }
            _ => return Err(Reason::Scalar),
        };
        return Ok(Place::around(slot, rest));
    }
    Err(Reason::Missing)
}

/// Whether a segment leads to something other than `null`.
fn is_there(parent: &mut Value, segment: Segment<'_>) -> bool {
    child_mut(parent, segment, Walk::Strict).is_ok_and(|child| *child != Value::Null)
}
