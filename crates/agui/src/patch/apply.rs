//! Applying patches.

use std::mem;

use super::find::{Effort, Place, Walk, find_mut, place, take};
use super::pointer::Pointer;
use super::undo::{Change, Step, put_back, roll_back};
use super::{Limits, Mode, Op, Operation, PatchError, Reason, Skipped, agui, lenient};
use crate::json::Value;

/// How many undo steps to keep room for between patches.
const ROOM: usize = 256;

/// Applies patches to a document in place.
///
/// A patch is applied as a whole or not at all. What copies add is counted over the life of the
/// patcher, so that no stream of patches can double a document again and again.
#[derive(Default)]
pub struct Patcher {
    mode: Mode,
    limits: Limits,
    copied_so_far: usize,
    /// Only filled while a patch is applied; kept for its memory.
    steps: Vec<Step>,
}

impl Patcher {
    /// A patcher with the usual limits.
    pub fn new(mode: Mode) -> Self {
        Self::with_limits(mode, Limits::default())
    }

    /// A patcher with these limits.
    pub fn with_limits(mode: Mode, limits: Limits) -> Self {
        Self {
            mode,
            limits,
            ..Self::default()
        }
    }

    /// Applies a patch. On an error the document is as before.
    ///
    /// Only [`Mode::Lenient`] skips operations; the other modes return an empty list.
    pub fn apply(
        &mut self,
        document: &mut Value,
        patch: &[Operation],
    ) -> Result<Vec<Skipped>, PatchError> {
        let mut skipped = Vec::new();
        let mut run = Run {
            document,
            limits: self.limits,
            copied_so_far: &mut self.copied_so_far,
            steps: &mut self.steps,
            index: 0,
            keep: false,
            effort: Effort::new(self.limits.shifted),
        };
        let mut error = None;
        for (index, operation) in patch.iter().enumerate() {
            run.index = index;
            // Every operation changes all or nothing, so the last one needs no undoing.
            run.keep = index + 1 < patch.len();
            let result = match self.mode {
                Mode::Rfc => run.rfc(operation),
                Mode::Agui => agui::apply(&mut run, operation),
                Mode::Lenient => lenient::apply(&mut run, operation),
            };
            match result {
                Ok(()) => {}
                Err(reason) if self.mode == Mode::Lenient && !reason.is_limit() => {
                    skipped.push(Skipped::new(index, operation, reason));
                }
                Err(reason) => {
                    roll_back(run.document, patch, run.steps);
                    error = Some(PatchError::new(index, operation, reason));
                    break;
                }
            }
        }
        self.steps.clear();
        self.steps.shrink_to(ROOM);
        error.map_or(Ok(skipped), Err)
    }
}

impl std::fmt::Debug for Patcher {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_struct("Patcher")
            .field("mode", &self.mode)
            .field("limits", &self.limits)
            .field("copied_so_far", &self.copied_so_far)
            .finish_non_exhaustive()
    }
}

/// A patch being applied.
pub(super) struct Run<'r> {
    pub(super) document: &'r mut Value,
    limits: Limits,
    copied_so_far: &'r mut usize,
    steps: &'r mut Vec<Step>,
    /// Which operation is being applied.
    index: usize,
    /// Whether its changes must be undoable.
    keep: bool,
    effort: Effort,
}

impl Run<'_> {
    /// Applies one operation by the RFC.
    #[inline]
    fn rfc(&mut self, operation: &Operation) -> Result<(), Reason> {
        let path = Pointer::new(&operation.path)?;
        match operation.op {
            Op::Add => {
                let value = self.value(operation, path)?;
                self.add(path, value, place)
            }
            Op::Replace => self.replace(operation, path),
            Op::Remove => self.remove(path),
            Op::Test => {
                let found = find_mut(self.document, path, Walk::Strict)?;
                expect_equal(found, operation)
            }
            Op::Copy => {
                let value = self.copy(source(operation)?, path, Walk::Strict)?;
                self.add(path, value, place)
            }
            Op::Move => {
                let from = source(operation)?;
                if path.is_inside(from) {
                    return Err(Reason::IntoItself);
                }
                self.move_(from, path, place)
            }
        }
    }

    /// The operation's value, if it fits at that depth.
    #[inline]
    pub(super) fn value(&self, operation: &Operation, path: Pointer<'_>) -> Result<Value, Reason> {
        let value = operation.value.as_ref().ok_or(Reason::NoValue)?;
        let value = value.value().into_owned();
        fits(self.limits, path, &value)?;
        Ok(value)
    }

    /// Remembers a change, if it may have to be undone.
    #[inline]
    fn note(&mut self, path: Pointer<'_>, change: Change, moved: Option<usize>) {
        if self.keep {
            self.steps.push(Step {
                index: self.index,
                end: path.text().len(),
                change,
                moved,
            });
        }
    }

    /// Puts a value where `locate` says.
    #[inline]
    pub(super) fn add<'p>(
        &mut self,
        path: Pointer<'p>,
        value: Value,
        locate: impl for<'d> FnOnce(&'d mut Value, Pointer<'p>) -> Result<Place<'d, 'p>, Reason>,
    ) -> Result<(), Reason> {
        let place = locate(self.document, path)?;
        self.effort.spend(place.shifts())?;
        let path = path.without(place.rest);
        let change = place.put(value);
        self.note(path, change, None);
        Ok(())
    }

    /// Sets what is there.
    #[inline]
    pub(super) fn replace(
        &mut self,
        operation: &Operation,
        path: Pointer<'_>,
    ) -> Result<(), Reason> {
        let value = self.value(operation, path)?;
        let old = mem::replace(find_mut(self.document, path, Walk::Strict)?, value);
        if self.keep {
            let change = match path.split_last() {
                // In an object the segment need not be a number, and the position has no meaning.
                Some((_, last)) => Change::Set(last.index().unwrap_or(0), old),
                None => Change::Root(old),
            };
            self.note(path, change, None);
        }
        Ok(())
    }

    /// Takes out what is there; the root becomes `null`.
    pub(super) fn remove(&mut self, path: Pointer<'_>) -> Result<(), Reason> {
        let change = if path.is_root() {
            Change::Root(mem::take(self.document))
        } else {
            let (at, old) = take(self.document, path, &mut self.effort)?;
            Change::Removed(at, old)
        };
        self.note(path, change, None);
        Ok(())
    }

    /// A copy of what is at `from`, if it fits at `path` and is within the budget.
    pub(super) fn copy(
        &mut self,
        from: Pointer<'_>,
        path: Pointer<'_>,
        walk: Walk,
    ) -> Result<Value, Reason> {
        let found = find_mut(self.document, from, walk).map_err(|_| Reason::NoSource)?;
        let limit = self.limits.copied;
        let left = limit.saturating_sub(*self.copied_so_far);
        let weight = weigh(found, left);
        if weight > left {
            // Once is enough: the next copies are refused without weighing them.
            *self.copied_so_far = limit;
            return Err(Reason::TooMuchCopied { limit });
        }
        fits(self.limits, path, found)?;
        *self.copied_so_far += weight;
        Ok(found.clone())
    }

    /// Takes what is at `from` to where `locate` says after that.
    pub(super) fn move_<'p>(
        &mut self,
        from: Pointer<'_>,
        path: Pointer<'p>,
        locate: impl for<'d> FnOnce(&'d mut Value, Pointer<'p>) -> Result<Place<'d, 'p>, Reason>,
    ) -> Result<(), Reason> {
        if from.is_root() {
            let same = path.is_root();
            return if same {
                Ok(())
            } else {
                Err(Reason::IntoItself)
            };
        }
        let (at, value) = take(self.document, from, &mut self.effort).map_err(|reason| {
            if reason.is_limit() {
                reason
            } else {
                Reason::NoSource
            }
        })?;
        // Only what moves down can get too deep.
        let fits = if path.len() > from.len() {
            fits(self.limits, path, &value)
        } else {
            Ok(())
        };
        let place = fits.and_then(|()| {
            let place = locate(self.document, path)?;
            self.effort.spend(place.shifts())?;
            Ok(place)
        });
        match place {
            Ok(place) => {
                let path = path.without(place.rest);
                let change = place.put(value);
                self.note(path, change, Some(at));
                Ok(())
            }
            Err(reason) => {
                let back = put_back(self.document, from, at, value);
                debug_assert!(back.is_some(), "it was there before");
                Err(reason)
            }
        }
    }
}

/// Fails if the document would become too deep with `value` at `path`.
#[inline]
fn fits(limits: Limits, path: Pointer<'_>, value: &Value) -> Result<(), Reason> {
    let limit = limits.depth;
    let inside = value.depth();
    // A segment takes at least one byte, so that counting them is seldom needed.
    if inside + path.text().len() <= limit || inside + path.len() <= limit {
        return Ok(());
    }
    Err(Reason::TooDeep { limit })
}

/// [`Value::weight`], but beyond `limit` it stops counting: refusing a copy must cost little.
pub(super) fn weigh(value: &Value, limit: usize) -> usize {
    let mut total = size_of::<Value>();
    match value {
        Value::Array(items) => {
            for item in items {
                if total > limit {
                    break;
                }
                total += weigh(item, limit - total);
            }
        }
        Value::Object(map) => {
            for (name, value) in map.iter() {
                if total > limit {
                    break;
                }
                total += size_of::<String>() + name.len();
                total += weigh(value, limit.saturating_sub(total));
            }
        }
        scalar => return scalar.weight(),
    }
    total
}

/// Where a `move` or `copy` takes from.
pub(super) fn source(operation: &Operation) -> Result<Pointer<'_>, Reason> {
    Pointer::new(operation.from.as_ref().ok_or(Reason::NoFrom)?)
}

/// Fails if a value is not the one a `test` wants.
pub(super) fn expect_equal(found: &Value, operation: &Operation) -> Result<(), Reason> {
    let wanted = operation.value.as_ref().ok_or(Reason::NoValue)?;
    if *found == *wanted.value() {
        return Ok(());
    }
    Err(Reason::Different)
}
