//! The patch between two documents.

use std::fmt::Write as _;

use super::list::align;
use super::pointer::escape;
use super::{Op, Operation};
use crate::json::{Json, Map, Number, Value};

/// How much work to spend on making the patch smaller, in steps of about a nanosecond.
const FUEL: usize = 1 << 26;

/// The patch that turns `before` into `after`, made of `add`, `remove` and `replace`.
///
/// Applying it gives `after` in every [`Mode`](super::Mode). Items that only moved within an array
/// are recognized; a subtree is replaced where that is shorter than changing its parts.
pub fn diff(before: &Value, after: &Value) -> Vec<Operation> {
    let mut differ = Differ {
        path: String::new(),
        drafts: Vec::new(),
        size: 0,
        fuel: FUEL,
    };
    differ.value(before, after);
    differ.drafts.into_iter().map(Operation::from).collect()
}

/// An operation that may yet be dropped for a shorter one.
struct Draft<'v> {
    op: Op,
    path: String,
    value: Option<&'v Value>,
}

impl From<Draft<'_>> for Operation {
    fn from(draft: Draft<'_>) -> Self {
        let value = draft.value.map(|value| Json::from(value.clone()));
        Self::new(draft.op, draft.path.into(), None, value)
    }
}

struct Differ<'v> {
    /// Where we are.
    path: String,
    drafts: Vec<Draft<'v>>,
    /// How many bytes the drafts take as JSON.
    size: usize,
    /// Without fuel the patch is still right, but may be longer.
    fuel: usize,
}

/// A subtree whose parts are being compared.
struct Subtree<'v> {
    after: &'v Value,
    /// Where its drafts begin, and how many bytes those before it take.
    drafts: usize,
    size: usize,
    /// At how many bytes of drafts to ask again whether replacing it is shorter.
    check_at: usize,
}

impl<'v> Differ<'v> {
    fn value(&mut self, before: &'v Value, after: &'v Value) {
        let mut subtree = Subtree {
            after,
            drafts: self.drafts.len(),
            size: self.size,
            check_at: 1024,
        };
        let whole = match (before, after) {
            (Value::Object(before), Value::Object(after)) => {
                self.members(before, after, &mut subtree)
            }
            (Value::Array(before), Value::Array(after)) => self.items(before, after, &mut subtree),
            _ if same(before, after, &mut 0) => return,
            _ => true,
        };
        if whole || self.is_long(&subtree) {
            self.drafts.truncate(subtree.drafts);
            self.size = subtree.size;
            self.draft(Op::Replace, Some(after));
        }
    }

    /// Whether the drafts for a subtree take more bytes than replacing it.
    fn is_long(&mut self, subtree: &Subtree<'_>) -> bool {
        let fixed = operation_len(Op::Replace, &self.path, true);
        let Some(limit) = (self.size - subtree.size).checked_sub(fixed + 1) else {
            return false;
        };
        // Reading stops at the limit, and a value has at least a byte for each step.
        if self.fuel < limit {
            return false;
        }
        let length = text_len(subtree.after, limit);
        self.fuel -= length.min(limit);
        length <= limit
    }

    /// Whether it is clear before the end that replacing the subtree is shorter.
    fn is_hopeless(&mut self, subtree: &mut Subtree<'_>) -> bool {
        if self.size - subtree.size < subtree.check_at {
            return false;
        }
        subtree.check_at = 2 * (self.size - subtree.size);
        self.is_long(subtree)
    }

    fn draft(&mut self, op: Op, value: Option<&'v Value>) {
        self.size += operation_len(op, &self.path, value.is_some())
            + value.map_or(0, |value| text_len(value, usize::MAX));
        self.drafts.push(Draft {
            op,
            path: self.path.clone(),
            value,
        });
    }

    /// Does something one level down.
    fn below(&mut self, segment: Segment<'_>, work: impl FnOnce(&mut Self)) {
        let length = self.path.len();
        self.path.push('/');
        match segment {
            Segment::Name(name) => self.path.push_str(&escape(name)),
            Segment::Index(index) => {
                // Writing to a String cannot fail.
                let _ = write!(self.path, "{index}");
            }
        }
        work(self);
        self.path.truncate(length);
    }

    /// Compares members by name. Says whether the object should be replaced as a whole: because
    /// that is shorter, or because official clients refuse to change one of the members.
    fn members(&mut self, before: &'v Map, after: &'v Map, subtree: &mut Subtree<'_>) -> bool {
        let in_constructor = self.path.ends_with("/constructor");
        let is_banned = |name| name == "__proto__" || (in_constructor && name == "prototype");
        for (name, _) in before.iter() {
            if after.contains(name) {
                continue;
            }
            if is_banned(name) || self.is_hopeless(subtree) {
                return true;
            }
            self.below(Segment::Name(name), |it| it.draft(Op::Remove, None));
        }
        for (name, value) in after.iter() {
            let old = before.get(name);
            if is_banned(name) {
                if old.is_none_or(|old| !same(old, value, &mut 0)) {
                    return true;
                }
                continue;
            }
            self.below(Segment::Name(name), |it| match old {
                Some(old) => it.value(old, value),
                None => it.draft(Op::Add, Some(value)),
            });
            if self.is_hopeless(subtree) {
                return true;
            }
        }
        false
    }

    /// Compares items. Says whether it is shorter to replace the array as a whole.
    fn items(
        &mut self,
        before: &'v [Value],
        after: &'v [Value],
        subtree: &mut Subtree<'_>,
    ) -> bool {
        let prefix = self.common(before.iter().zip(after));
        let (before, after) = (&before[prefix..], &after[prefix..]);
        let suffix = self.common(before.iter().rev().zip(after.iter().rev()));
        let before = &before[..before.len() - suffix];
        let after = &after[..after.len() - suffix];
        let anchors = align(before, after, &mut self.fuel);
        // The patch is applied from front to back: `at` counts the items as they are then.
        let (mut at, mut old, mut new) = (prefix, 0, 0);
        for (next_old, next_new) in anchors.into_iter().chain([(before.len(), after.len())]) {
            let is_end = next_old == before.len();
            if !is_end && !same(&before[next_old], &after[next_new], &mut 0) {
                continue; // Two different items with one hash.
            }
            if self.gap(at, &before[old..next_old], &after[new..next_new], subtree) {
                return true;
            }
            at += next_new - new + 1;
            (old, new) = (next_old + 1, next_new + 1);
        }
        false
    }

    /// Turns one row of items into another without looking for items that moved.
    fn gap(
        &mut self,
        at: usize,
        before: &'v [Value],
        after: &'v [Value],
        subtree: &mut Subtree<'_>,
    ) -> bool {
        for offset in 0..before.len().max(after.len()) {
            // What is too much goes one after the other from the same position.
            let position = at + offset.min(after.len());
            self.below(Segment::Index(position), |it| {
                match (before.get(offset), after.get(offset)) {
                    (Some(old), Some(new)) => it.value(old, new),
                    (None, Some(new)) => it.draft(Op::Add, Some(new)),
                    (_, None) => it.draft(Op::Remove, None),
                }
            });
            if self.is_hopeless(subtree) {
                return true;
            }
        }
        false
    }

    /// How many pairs are equal before the first that is not.
    fn common(&mut self, pairs: impl Iterator<Item = (&'v Value, &'v Value)>) -> usize {
        let mut count = 0;
        for (old, new) in pairs {
            let mut steps = 0;
            if self.fuel == 0 || !same(old, new, &mut steps) {
                // What was compared in vain will be compared again further down.
                self.fuel = self.fuel.saturating_sub(steps);
                break;
            }
            count += 1;
        }
        count
    }
}

#[derive(Clone, Copy)]
enum Segment<'s> {
    Name(&'s str),
    Index(usize),
}

/// Whether two values are the same to the last digit; counts the values looked at.
pub(super) fn same(a: &Value, b: &Value, steps: &mut usize) -> bool {
    *steps += 1;
    match (a, b) {
        (Value::Array(a), Value::Array(b)) => {
            a.len() == b.len() && a.iter().zip(b).all(|(a, b)| same(a, b, steps))
        }
        (Value::Object(a), Value::Object(b)) => {
            a.len() == b.len()
                && a.iter()
                    .all(|(name, a)| b.get(name).is_some_and(|b| same(a, b, steps)))
        }
        (Value::Number(a), Value::Number(b)) => same_number(a, b),
        _ => a == b,
    }
}

/// `1.0` is the same as `1`, but two long numbers are not the same for being the same double.
fn same_number(a: &Number, b: &Number) -> bool {
    match (a, b) {
        (Number::Int(a), Number::Int(b)) => a == b,
        (Number::Literal(a), Number::Literal(b)) if a == b => true,
        _ => a
            .as_safe_int()
            .is_some_and(|int| b.as_safe_int() == Some(int)),
    }
}

/// How many bytes an operation takes as JSON, without its value.
fn operation_len(op: Op, path: &str, has_value: bool) -> usize {
    let names = r#"{"op":"","path":}"#.len() + if has_value { r#","value":"#.len() } else { 0 };
    names + op.as_str().len() + string_len(path)
}

/// How many bytes a value takes as JSON; beyond `limit` it stops counting.
pub(super) fn text_len(value: &Value, limit: usize) -> usize {
    let mut total = match value {
        Value::Null | Value::Bool(true) => return 4,
        Value::Bool(false) => return 5,
        Value::Number(Number::Literal(literal)) => return literal.len(),
        Value::Number(Number::Int(int)) => {
            let digits = int.unsigned_abs().checked_ilog10().unwrap_or(0) + 1;
            return usize::from(*int < 0) + digits as usize;
        }
        Value::String(text) => return string_len(text),
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
                total += text_len(item, limit - total);
            }
        }
        Value::Object(map) => {
            for (name, value) in map.iter() {
                if total > limit {
                    break;
                }
                total += string_len(name) + 1;
                total += text_len(value, limit.saturating_sub(total));
            }
        }
        _ => {}
    }
    total
}

/// How many bytes a string takes as JSON.
fn string_len(text: &str) -> usize {
    let escapes = text.bytes().map(|byte| match byte {
        b'"' | b'\\' | 0x08 | 0x0c | b'\n' | b'\r' | b'\t' => 1,
        0..0x20 => 5,
        _ => 0,
    });
    text.len() + 2 + escapes.sum::<usize>()
}
