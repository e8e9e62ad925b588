//! Mode of the official client: `fast-json-patch` 3.1.1, validating, from its CommonJS build.
//!
//! Differences from RFC 6902:
//! - An array index is any sequence of digits, even an empty one, truncated to 32 bits: in the last
//!   segment of an `add`, and anywhere in the path of `test`, `move` and `copy`. `/l/01` is item 1,
//!   `/l/` item 0, and an index that wraps to a negative number counts from the end.
//! - `move` and `copy` beyond the end of an array append.
//! - `move` checks the parent of the target before the source is removed and then walks there again
//!   without checks: it fails at a `null` or a missing value; into another scalar, or by a name into
//!   an array, the value is lost. Moving an array item into itself puts it into the next item.
//! - `copy` and `move` to the root index into strings: `/s/0` is the first UTF-16 unit.
//! - If the document is a scalar other than `null`, an `add` with one segment succeeds and changes
//!   nothing. A string has its UTF-16 units as items; `0`, `""` and `false` also accept `replace`,
//!   `remove`, `move` and `copy`, which change nothing.
//! - `__proto__`, and `prototype` in `constructor`, fail.

use super::apply::{PatchRun, expect_equal, source_pointer};
use super::locate::{
    IndexRules, InsertionPlace, InsertionSlot, child_mut, find_mut, insertion_place_with,
};
use super::pointer::{Pointer, PointerSegment};
use super::{PatchFailure, PatchOp, PatchOperation};
use crate::Value;

/// Applies one operation.
#[inline]
pub(super) fn apply(
    run: &mut PatchRun<'_>,
    operation: &PatchOperation,
) -> Result<(), PatchFailure> {
    let path = Pointer::new(&operation.path)?;
    if path.is_banned() {
        return Err(PatchFailure::Banned);
    }
    if !path.is_root() && !matches!(run.document, Value::Object(_) | Value::Array(_)) {
        return apply_to_scalar(run.document, operation, path);
    }
    match operation.op {
        PatchOp::Add => {
            let value = run.operation_value(operation, path)?;
            run.add(path, value, add_place)
        }
        PatchOp::Replace => run.replace(operation, path),
        PatchOp::Remove => run.remove(path),
        PatchOp::Test => expect_equal(
            find_mut(run.document, path, IndexRules::JavaScript)?,
            operation,
        ),
        PatchOp::Copy => {
            let from = allowed_source_pointer(operation)?;
            if path.is_root() {
                return copy_to_root(run, from);
            }
            let value = run.copy_value(from, path, IndexRules::Strict)?;
            run.add(path, value, splice_place)
        }
        PatchOp::Move => {
            let from = allowed_source_pointer(operation)?;
            let found = find_mut(run.document, from, IndexRules::Strict).is_ok();
            if !found && path.is_root() {
                return copy_to_root(run, from);
            }
            // `remove_at` reports this as well, but only after the place was looked up.
            if !found {
                return Err(PatchFailure::NoSource);
            }
            splice_place(run.document, path)?;
            run.move_(from, path, unchecked_move_place)
        }
    }
}

fn allowed_source_pointer(operation: &PatchOperation) -> Result<Pointer<'_>, PatchFailure> {
    let from = source_pointer(operation)?;
    if from.is_banned() {
        return Err(PatchFailure::Banned);
    }
    Ok(from)
}

/// Returns the place where `add` inserts.
#[inline]
fn add_place<'d, 'p>(
    document: &'d mut Value,
    path: Pointer<'p>,
) -> Result<InsertionPlace<'d, 'p>, PatchFailure> {
    insertion_place_with(document, path, IndexRules::Strict, |last, length| {
        let past_end = |index| usize::try_from(index).is_ok_and(|at| at > length);
        if last.raw != "-" && past_end(last.js_index()?) {
            return Err(PatchFailure::Bounds { length });
        }
        splice_position(last, length)
    })
}

/// Returns the place where `copy` inserts, and where `move` would before its source is removed.
fn splice_place<'d, 'p>(
    document: &'d mut Value,
    path: Pointer<'p>,
) -> Result<InsertionPlace<'d, 'p>, PatchFailure> {
    insertion_place_with(document, path, IndexRules::JavaScript, splice_position)
}

/// Returns the place where `move` inserts after its source is removed, with the unchecked semantics
/// of JavaScript.
fn unchecked_move_place<'d, 'p>(
    document: &'d mut Value,
    path: Pointer<'p>,
) -> Result<InsertionPlace<'d, 'p>, PatchFailure> {
    let Some((parent, last)) = path.split_last() else {
        return splice_place(document, path);
    };
    let mut at = document;
    let mut segments = parent.segments();
    while let Some(segment) = segments.next() {
        if let Value::String(text) = at {
            utf16_unit(text, segment, segments.rest()).ok_or(PatchFailure::Missing)?;
            return Ok(InsertionSlot::Discard.into());
        }
        at = child_mut(at, segment, IndexRules::JavaScript)?;
    }
    let slot = match at {
        Value::Object(map) => InsertionSlot::Member(map, last),
        Value::Array(items) => match splice_position(last, items.len()) {
            Ok(at) => InsertionSlot::InsertItem(items, at),
            Err(_) => InsertionSlot::Discard,
        },
        Value::Null => return Err(PatchFailure::Scalar),
        _ => InsertionSlot::Discard,
    };
    Ok(slot.into())
}

/// Returns the index at which `Array.prototype.splice` inserts.
fn splice_position(segment: PointerSegment<'_>, length: usize) -> Result<usize, PatchFailure> {
    if segment.raw == "-" {
        return Ok(length);
    }
    let index = segment.js_index()?;
    Ok(match usize::try_from(index) {
        Ok(index) => index.min(length),
        Err(_) => length.saturating_sub(index.unsigned_abs() as usize),
    })
}

/// Replaces the root by the value that an unchecked walk along `from` finds.
fn copy_to_root(run: &mut PatchRun<'_>, from: Pointer<'_>) -> Result<(), PatchFailure> {
    let mut at = &mut *run.document;
    let mut segments = from.segments();
    while let Some(segment) = segments.next() {
        if let Value::String(text) = at {
            let unit = utf16_unit(text, segment, segments.rest()).ok_or(PatchFailure::NoSource)?;
            return run.add(Pointer::ROOT, Value::String(unit), splice_place);
        }
        at = child_mut(at, segment, IndexRules::JavaScript).map_err(|_| PatchFailure::NoSource)?;
    }
    let value = run.copy_value(from, Pointer::ROOT, IndexRules::JavaScript)?;
    run.add(Pointer::ROOT, value, splice_place)
}

/// Returns one UTF-16 unit of a string by its index; further segments can only select its first
/// unit. Half a surrogate pair becomes U+FFFD, as in every string here.
fn utf16_unit(text: &str, segment: PointerSegment<'_>, rest: Pointer<'_>) -> Option<String> {
    let unit = text.encode_utf16().nth(segment.index().ok()?)?;
    rest.segments()
        .all(|segment| segment.raw == "0")
        .then(|| String::from_utf16_lossy(&[unit]))
}

/// Applies an operation below the root of a document that is a scalar. It never changes anything.
fn apply_to_scalar(
    document: &Value,
    operation: &PatchOperation,
    path: Pointer<'_>,
) -> Result<(), PatchFailure> {
    let needs_value = matches!(
        operation.op,
        PatchOp::Add | PatchOp::Replace | PatchOp::Test
    );
    if needs_value && operation.value.is_none() {
        return Err(PatchFailure::NoValue);
    }
    if *document == Value::Null || path.len() != 1 {
        return Err(PatchFailure::Scalar);
    }
    // The package checks nothing if the document is falsy in JavaScript.
    let falsy = match document {
        Value::Bool(flag) => !flag,
        Value::Number(number) => number.as_f64() == 0.0,
        Value::String(text) => text.is_empty(),
        _ => false,
    };
    let unit = |pointer: Pointer<'_>| match (document, pointer.split_last()?) {
        (Value::String(text), (parent, last)) if parent.is_root() => {
            utf16_unit(text, last, Pointer::ROOT)
        }
        _ => None,
    };
    let passes = match operation.op {
        PatchOp::Add => true,
        PatchOp::Replace | PatchOp::Remove => falsy || unit(path).is_some(),
        PatchOp::Test => {
            let unit = unit(path).ok_or(PatchFailure::Missing)?;
            return expect_equal(&Value::String(unit), operation);
        }
        PatchOp::Move | PatchOp::Copy => {
            let from = allowed_source_pointer(operation)?;
            let passes = from.is_root() || (falsy && from.len() == 1) || unit(from).is_some();
            return if passes {
                Ok(())
            } else {
                Err(PatchFailure::NoSource)
            };
        }
    };
    if passes {
        Ok(())
    } else {
        Err(PatchFailure::Missing)
    }
}
