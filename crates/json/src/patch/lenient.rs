//! Lenient mode: creates missing parents; see [`PatchMode::Lenient`](super::PatchMode).

use super::apply::{PatchRun, expect_equal, source_pointer};
use super::locate::{
    IndexRules, InsertionPlace, InsertionSlot, child_mut, find_mut, insertion_index,
};
use super::pointer::{Pointer, PointerSegment};
use super::{PatchFailure, PatchOp, PatchOperation};
use crate::Value;

/// Applies one operation. It is skipped on errors other than limits.
pub(super) fn apply(
    run: &mut PatchRun<'_>,
    operation: &PatchOperation,
) -> Result<(), PatchFailure> {
    let path = Pointer::new(&operation.path)?;
    match operation.op {
        PatchOp::Replace if find_mut(run.document, path, IndexRules::Strict).is_ok() => {
            run.replace(operation, path)
        }
        PatchOp::Add | PatchOp::Replace => {
            let value = run.operation_value(operation, path)?;
            run.add(path, value, creating_place)
        }
        PatchOp::Remove => run.remove(path),
        PatchOp::Test => expect_equal(find_mut(run.document, path, IndexRules::Strict)?, operation),
        PatchOp::Copy => {
            let value = run.copy_value(source_pointer(operation)?, path, IndexRules::Strict)?;
            run.add(path, value, creating_place)
        }
        PatchOp::Move => {
            let from = source_pointer(operation)?;
            if path.is_inside(from) {
                return Err(PatchFailure::IntoItself);
            }
            run.move_(from, path, creating_place)
        }
    }
}

/// Returns the deepest existing parent of a path and the parents that must be created.
fn creating_place<'d, 'p>(
    document: &'d mut Value,
    path: Pointer<'p>,
) -> Result<InsertionPlace<'d, 'p>, PatchFailure> {
    let mut at = document;
    let mut segments = path.segments();
    if path.is_root() || *at == Value::Null {
        return Ok(InsertionPlace::new(InsertionSlot::Root(at), path));
    }
    while let Some(segment) = segments.next() {
        let rest = segments.rest();
        if !rest.is_root() && is_present(at, segment) {
            at = child_mut(at, segment, IndexRules::Strict)?;
            continue;
        }
        let slot = match at {
            Value::Object(map) => InsertionSlot::Member(map, segment),
            Value::Array(items) => {
                let at = insertion_index(segment, items.len())?;
                // A parent can only be null here; the last segment inserts.
                if at < items.len() && !rest.is_root() {
                    InsertionSlot::ReplaceItem(&mut items[at], at)
                } else {
                    InsertionSlot::InsertItem(items, at)
                }
            }
            _ => return Err(PatchFailure::Scalar),
        };
        return Ok(InsertionPlace::new(slot, rest));
    }
    Err(PatchFailure::Missing)
}

/// Returns true if a segment leads to a value other than `null`.
fn is_present(parent: &mut Value, segment: PointerSegment<'_>) -> bool {
    child_mut(parent, segment, IndexRules::Strict).is_ok_and(|child| *child != Value::Null)
}
