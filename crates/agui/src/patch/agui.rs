//! The official client's reading: `fast-json-patch` 3.1.1, validating, from its CommonJS build.
//!
//! Where it departs from RFC 6902:
//! - An array index is any row of digits, also an empty one, cut to 32 bits: in the last segment of
//!   an `add`, and anywhere in the path of `test`, `move` and `copy`. `/l/01` is item 1, `/l/` item
//!   0, and what wraps to a negative number counts from the end.
//! - `move` and `copy` beyond the end of an array append.
//! - `move` looks at the target's parent before the source is taken out, and then walks there again
//!   without looking: into a `null` or nothing, it fails; into another scalar, or by a name into an
//!   array, the value is lost. Moving an array item into itself puts it into the next item.
//! - `copy` and `move` to the root take a string apart: `/s/0` is its first UTF-16 unit.
//! - If the document is a scalar other than `null`, a path of one segment can be added to, which
//!   changes nothing. A string has its UTF-16 units as items; `0`, `""` and `false` also let
//!   `replace`, `remove`, `move` and `copy` pass, and change nothing.
//! - `__proto__`, and `prototype` in `constructor`, fail.

use super::apply::{Run, expect_equal, source};
use super::find::{Place, Slot, Walk, child_mut, find_mut, place_by};
use super::pointer::{Pointer, Segment};
use super::{Op, Operation, Reason};
use crate::json::Value;

/// Applies one operation.
#[inline]
pub(super) fn apply(run: &mut Run<'_>, operation: &Operation) -> Result<(), Reason> {
    let path = Pointer::new(&operation.path)?;
    if path.is_banned() {
        return Err(Reason::Banned);
    }
    if !path.is_root() && !matches!(run.document, Value::Object(_) | Value::Array(_)) {
        return apply_to_scalar(run.document, operation, path);
    }
    match operation.op {
        Op::Add => {
            let value = run.value(operation, path)?;
            run.add(path, value, place_to_add)
        }
        Op::Replace => run.replace(operation, path),
        Op::Remove => run.remove(path),
        Op::Test => expect_equal(find_mut(run.document, path, Walk::Loose)?, operation),
        Op::Copy => {
            let from = allowed_source(operation)?;
            if path.is_root() {
                return to_root(run, from);
            }
            let value = run.copy(from, path, Walk::Strict)?;
            run.add(path, value, place_unchecked)
        }
        Op::Move => {
            let from = allowed_source(operation)?;
            let found = find_mut(run.document, from, Walk::Strict).is_ok();
            if !found && path.is_root() {
                return to_root(run, from);
            }
            // `take` would say so too, but only after the place was looked for.
            if !found {
                return Err(Reason::NoSource);
            }
            place_unchecked(run.document, path)?;
            run.move_(from, path, place_blind)
        }
    }
}

fn allowed_source(operation: &Operation) -> Result<Pointer<'_>, Reason> {
    let from = source(operation)?;
    if from.is_banned() {
        return Err(Reason::Banned);
    }
    Ok(from)
}

/// Where `add` puts a value.
#[inline]
fn place_to_add<'d, 'p>(
    document: &'d mut Value,
    path: Pointer<'p>,
) -> Result<Place<'d, 'p>, Reason> {
    place_by(document, path, Walk::Strict, |last, length| {
        let past_end = |index| usize::try_from(index).is_ok_and(|at| at > length);
        if last.raw != "-" && past_end(last.js_index()?) {
            return Err(Reason::Bounds { length });
        }
        splice_position(last, length)
    })
}

/// Where `copy` puts a value, and where `move` would before the source is gone.
fn place_unchecked<'d, 'p>(
    document: &'d mut Value,
    path: Pointer<'p>,
) -> Result<Place<'d, 'p>, Reason> {
    place_by(document, path, Walk::Loose, splice_position)
}

/// Where `move` puts a value once the source is gone: what JavaScript does if nobody checks.
fn place_blind<'d, 'p>(
    document: &'d mut Value,
    path: Pointer<'p>,
) -> Result<Place<'d, 'p>, Reason> {
    let Some((parent, last)) = path.split_last() else {
        return place_unchecked(document, path);
    };
    let mut at = document;
    let mut segments = parent.segments();
    while let Some(segment) = segments.next() {
        if let Value::String(text) = at {
            utf16_unit(text, segment, segments.rest()).ok_or(Reason::Missing)?;
            return Ok(Slot::Void.into());
        }
        at = child_mut(at, segment, Walk::Loose)?;
    }
    let slot = match at {
        Value::Object(map) => Slot::Member(map, last),
        Value::Array(items) => match splice_position(last, items.len()) {
            Ok(at) => Slot::Item(items, at),
            Err(_) => Slot::Void,
        },
        Value::Null => return Err(Reason::Scalar),
        _ => Slot::Void,
    };
    Ok(slot.into())
}

/// The position where `Array.prototype.splice` inserts.
fn splice_position(segment: Segment<'_>, length: usize) -> Result<usize, Reason> {
    if segment.raw == "-" {
        return Ok(length);
    }
    let index = segment.js_index()?;
    Ok(match usize::try_from(index) {
        Ok(index) => index.min(length),
        Err(_) => length.saturating_sub(index.unsigned_abs() as usize),
    })
}

/// Makes the root what an unchecked walk along `from` finds.
fn to_root(run: &mut Run<'_>, from: Pointer<'_>) -> Result<(), Reason> {
    let mut at = &mut *run.document;
    let mut segments = from.segments();
    while let Some(segment) = segments.next() {
        if let Value::String(text) = at {
            let unit = utf16_unit(text, segment, segments.rest()).ok_or(Reason::NoSource)?;
            return run.add(Pointer::ROOT, Value::String(unit), place_unchecked);
        }
        at = child_mut(at, segment, Walk::Loose).map_err(|_| Reason::NoSource)?;
    }
    let value = run.copy(from, Pointer::ROOT, Walk::Loose)?;
    run.add(Pointer::ROOT, value, place_unchecked)
}

/// One UTF-16 unit of a string, found by its index; further segments can only ask for its first.
/// Half a surrogate pair becomes U+FFFD, as in every string here.
fn utf16_unit(text: &str, segment: Segment<'_>, rest: Pointer<'_>) -> Option<String> {
    let unit = text.encode_utf16().nth(segment.index().ok()?)?;
    rest.segments()
        .all(|segment| segment.raw == "0")
        .then(|| String::from_utf16_lossy(&[unit]))
}

/// Applies an operation below the root of a document that is a scalar: nothing ever changes.
fn apply_to_scalar(
    document: &Value,
    operation: &Operation,
    path: Pointer<'_>,
) -> Result<(), Reason> {
    let needs_value = matches!(operation.op, Op::Add | Op::Replace | Op::Test);
    if needs_value && operation.value.is_none() {
        return Err(Reason::NoValue);
    }
    if *document == Value::Null || path.len() != 1 {
        return Err(Reason::Scalar);
    }
    // The package checks nothing if the document is false in JavaScript.
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
        Op::Add => true,
        Op::Replace | Op::Remove => falsy || unit(path).is_some(),
        Op::Test => {
            let unit = unit(path).ok_or(Reason::Missing)?;
            return expect_equal(&Value::String(unit), operation);
        }
        Op::Move | Op::Copy => {
            let from = allowed_source(operation)?;
            let passes = from.is_root() || (falsy && from.len() == 1) || unit(from).is_some();
            return if passes {
                Ok(())
            } else {
                Err(Reason::NoSource)
            };
        }
    };
    if passes { Ok(()) } else { Err(Reason::Missing) }
}
