//! Computation of the patch between two documents.

use std::fmt::Write as _;

use super::align::align;
use super::pointer::escape;
use super::{PatchOp, PatchOperation};
use crate::{Json, Map, Number, Value};

/// Number of work steps, of about a nanosecond each, spent on making the patch shorter.
const WORK_BUDGET: usize = 1 << 26;

/// Returns a patch of `add`, `remove` and `replace` operations that turns `before` into `after`.
///
/// Applying it gives `after` in every [`PatchMode`](super::PatchMode). Items that moved within an
/// array are recognised; a subtree is replaced if that is shorter than changing its parts.
pub fn diff(before: &Value, after: &Value) -> Vec<PatchOperation> {
    let mut differ = DiffBuilder {
        path: String::new(),
        drafts: Vec::new(),
        size: 0,
        work_left: WORK_BUDGET,
    };
    differ.diff_value(before, after);
    differ
        .drafts
        .into_iter()
        .map(PatchOperation::from)
        .collect()
}

/// Operation that may still be dropped in favour of a shorter one.
struct DraftOperation<'v> {
    op: PatchOp,
    path: String,
    value: Option<&'v Value>,
}

impl From<DraftOperation<'_>> for PatchOperation {
    fn from(draft: DraftOperation<'_>) -> Self {
        let value = draft.value.map(|value| Json::from(value.clone()));
        Self::new(draft.op, draft.path.into(), None, value)
    }
}

struct DiffBuilder<'v> {
    /// Pointer to the current value.
    path: String,
    drafts: Vec<DraftOperation<'v>>,
    /// Length of the drafts as JSON.
    size: usize,
    /// Remaining work steps. At 0 the patch is still correct, but may be longer.
    work_left: usize,
}

/// Subtree whose parts are being compared.
struct Subtree<'v> {
    after: &'v Value,
    /// Number of drafts, and their length as JSON, before this subtree.
    drafts: usize,
    size: usize,
    /// Length of drafts at which to check again if replacing the subtree is shorter.
    check_at: usize,
}

impl<'v> DiffBuilder<'v> {
    fn diff_value(&mut self, before: &'v Value, after: &'v Value) {
        let mut subtree = Subtree {
            after,
            drafts: self.drafts.len(),
            size: self.size,
            check_at: 1024,
        };
        let whole = match (before, after) {
            (Value::Object(before), Value::Object(after)) => {
                self.diff_members(before, after, &mut subtree)
            }
            (Value::Array(before), Value::Array(after)) => {
                self.diff_items(before, after, &mut subtree)
            }
            _ if is_identical(before, after, &mut 0) => return,
            _ => true,
        };
        if whole || self.is_longer_than_replacement(&subtree) {
            self.drafts.truncate(subtree.drafts);
            self.size = subtree.size;
            self.push_draft(PatchOp::Replace, Some(after));
        }
    }

    /// Returns true if the drafts of a subtree are longer than an operation that replaces it.
    fn is_longer_than_replacement(&mut self, subtree: &Subtree<'_>) -> bool {
        let fixed = operation_len(PatchOp::Replace, &self.path, true);
        let Some(limit) = (self.size - subtree.size).checked_sub(fixed + 1) else {
            return false;
        };
        // Measuring stops at the limit, and a value has at least one byte per step.
        if self.work_left < limit {
            return false;
        }
        let length = json_len(subtree.after, limit);
        self.work_left -= length.min(limit);
        length <= limit
    }

    /// Returns true if the unfinished drafts are already longer than replacing the subtree.
    fn should_give_up(&mut self, subtree: &mut Subtree<'_>) -> bool {
        if self.size - subtree.size < subtree.check_at {
            return false;
        }
        subtree.check_at = 2 * (self.size - subtree.size);
        self.is_longer_than_replacement(subtree)
    }

    fn push_draft(&mut self, op: PatchOp, value: Option<&'v Value>) {
        self.size += operation_len(op, &self.path, value.is_some())
            + value.map_or(0, |value| json_len(value, usize::MAX));
        self.drafts.push(DraftOperation {
            op,
            path: self.path.clone(),
            value,
        });
    }

    /// Calls `work` with the path extended by a segment.
    fn at_child(&mut self, segment: PathSegment<'_>, work: impl FnOnce(&mut Self)) {
        let length = self.path.len();
        self.path.push('/');
        match segment {
            PathSegment::Name(name) => self.path.push_str(&escape(name)),
            PathSegment::Index(index) => {
                // Writing to a String cannot fail.
                let _ = write!(self.path, "{index}");
            }
        }
        work(self);
        self.path.truncate(length);
    }

    /// Compares members by name. Returns true if the object should be replaced as a whole, because
    /// that is shorter or because official clients refuse to change one of the members.
    fn diff_members(&mut self, before: &'v Map, after: &'v Map, subtree: &mut Subtree<'_>) -> bool {
        let in_constructor = self.path.ends_with("/constructor");
        let is_banned = |name| name == "__proto__" || (in_constructor && name == "prototype");
        for (name, _) in before.iter() {
            if after.contains(name) {
                continue;
            }
            if is_banned(name) || self.should_give_up(subtree) {
                return true;
            }
            self.at_child(PathSegment::Name(name), |it| {
                it.push_draft(PatchOp::Remove, None);
            });
        }
        for (name, value) in after.iter() {
            let old = before.get(name);
            if is_banned(name) {
                if old.is_none_or(|old| !is_identical(old, value, &mut 0)) {
                    return true;
                }
                continue;
            }
            self.at_child(PathSegment::Name(name), |it| match old {
                Some(old) => it.diff_value(old, value),
                None => it.push_draft(PatchOp::Add, Some(value)),
            });
            if self.should_give_up(subtree) {
                return true;
            }
        }
        false
    }

    /// Compares items. Returns true if replacing the whole array is shorter.
    fn diff_items(
        &mut self,
        before: &'v [Value],
        after: &'v [Value],
        subtree: &mut Subtree<'_>,
    ) -> bool {
        let prefix = self.common_prefix_len(before.iter().zip(after));
        let (before, after) = (&before[prefix..], &after[prefix..]);
        let suffix = self.common_prefix_len(before.iter().rev().zip(after.iter().rev()));
        let before = &before[..before.len() - suffix];
        let after = &after[..after.len() - suffix];
        let anchors = align(before, after, &mut self.work_left);
        // Operations are applied from front to back: `at` is an index in the array at that moment.
        let (mut at, mut old, mut new) = (prefix, 0, 0);
        for (next_old, next_new) in anchors.into_iter().chain([(before.len(), after.len())]) {
            let is_end = next_old == before.len();
            if !is_end && !is_identical(&before[next_old], &after[next_new], &mut 0) {
                continue; // Two different items with one hash.
            }
            if self.diff_gap(at, &before[old..next_old], &after[new..next_new], subtree) {
                return true;
            }
            at += next_new - new + 1;
            (old, new) = (next_old + 1, next_new + 1);
        }
        false
    }

    /// Turns one run of items into another without looking for moved items. Returns true if
    /// replacing the whole array is shorter.
    fn diff_gap(
        &mut self,
        at: usize,
        before: &'v [Value],
        after: &'v [Value],
        subtree: &mut Subtree<'_>,
    ) -> bool {
        for offset in 0..before.len().max(after.len()) {
            // Surplus items are removed one after another at the same index.
            let position = at + offset.min(after.len());
            self.at_child(PathSegment::Index(position), |it| {
                match (before.get(offset), after.get(offset)) {
                    (Some(old), Some(new)) => it.diff_value(old, new),
                    (None, Some(new)) => it.push_draft(PatchOp::Add, Some(new)),
                    (_, None) => it.push_draft(PatchOp::Remove, None),
                }
            });
            if self.should_give_up(subtree) {
                return true;
            }
        }
        false
    }

    /// Returns the number of equal pairs before the first difference.
    fn common_prefix_len(&mut self, pairs: impl Iterator<Item = (&'v Value, &'v Value)>) -> usize {
        let mut count = 0;
        for (old, new) in pairs {
            let mut steps = 0;
            if self.work_left == 0 || !is_identical(old, new, &mut steps) {
                // A failed comparison is repeated further down, so it counts as work.
                self.work_left = self.work_left.saturating_sub(steps);
                break;
            }
            count += 1;
        }
        count
    }
}

#[derive(Clone, Copy)]
enum PathSegment<'s> {
    Name(&'s str),
    Index(usize),
}

/// Returns true if two values are equal to the last digit. `steps` counts the compared values.
pub(super) fn is_identical(a: &Value, b: &Value, steps: &mut usize) -> bool {
    *steps += 1;
    match (a, b) {
        (Value::Array(a), Value::Array(b)) => {
            a.len() == b.len() && a.iter().zip(b).all(|(a, b)| is_identical(a, b, steps))
        }
        (Value::Object(a), Value::Object(b)) => {
            a.len() == b.len()
                && a.iter()
                    .all(|(name, a)| b.get(name).is_some_and(|b| is_identical(a, b, steps)))
        }
        (Value::Number(a), Value::Number(b)) => is_identical_number(a, b),
        _ => a == b,
    }
}

/// Compares numbers exactly: `1.0` equals `1`, but two long numbers that round to the same double
/// differ.
fn is_identical_number(a: &Number, b: &Number) -> bool {
    match (a, b) {
        (Number::Int(a), Number::Int(b)) => a == b,
        (Number::Literal(a), Number::Literal(b)) if a == b => true,
        _ => a
            .as_safe_int()
            .is_some_and(|int| b.as_safe_int() == Some(int)),
    }
}

/// Returns the length of an operation as JSON without its value.
fn operation_len(op: PatchOp, path: &str, has_value: bool) -> usize {
    let names = r#"{"op":"","path":}"#.len() + if has_value { r#","value":"#.len() } else { 0 };
    names + op.as_str().len() + json_string_len(path)
}

/// Returns the length of a value as JSON; stops counting above `limit`.
pub(super) fn json_len(value: &Value, limit: usize) -> usize {
    let mut total = match value {
        Value::Null | Value::Bool(true) => return 4,
        Value::Bool(false) => return 5,
        Value::Number(Number::Literal(literal)) => return literal.len(),
        Value::Number(Number::Int(int)) => {
            let digits = int.unsigned_abs().checked_ilog10().unwrap_or(0) + 1;
            return usize::from(*int < 0) + digits as usize;
        }
        Value::String(text) => return json_string_len(text),
        // Brackets, and a comma between any two.
        Value::Array(items) => 2 + items.len().saturating_sub(1),
        Value::Object(map) => 2 + map.len().saturating_sub(1),
    };
    match value {
        Value::Array(items) => {
            for item in items {
                if total > limit {
                    break;
                }
                total += json_len(item, limit - total);
            }
        }
        Value::Object(map) => {
            for (name, value) in map.iter() {
                if total > limit {
                    break;
                }
                total += json_string_len(name) + 1;
                total += json_len(value, limit.saturating_sub(total));
            }
        }
        _ => {}
    }
    total
}

/// Returns the length of a string as JSON.
fn json_string_len(text: &str) -> usize {
    let escapes = text.bytes().map(|byte| match byte {
        b'"' | b'\\' | 0x08 | 0x0c | b'\n' | b'\r' | b'\t' => 1,
        0..0x20 => 5,
        _ => 0,
    });
    text.len() + 2 + escapes.sum::<usize>()
}
