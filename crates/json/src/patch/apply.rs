//! Application of patches to a document.

use std::mem;

use super::locate::{
    IndexRules, InsertionPlace, ShiftBudget, find_mut, insertion_place, remove_at,
};
use super::pointer::Pointer;
use super::undo::{UndoChange, UndoStep, restore, roll_back};
use super::{
    PatchError, PatchFailure, PatchLimits, PatchMode, PatchOp, PatchOperation, SkippedOperation,
    fast_json_patch, lenient,
};
use crate::Value;

/// Number of undo steps whose memory is kept between patches.
const KEPT_UNDO_STEPS: usize = 256;

/// Applies patches to a document in place.
///
/// A patch is applied as a whole or not at all. The size of copies is counted over the life of the
/// patcher, so that a stream of patches cannot double a document repeatedly.
#[derive(Default)]
pub struct Patcher {
    mode: PatchMode,
    limits: PatchLimits,
    copied_so_far: usize,
    /// Undo log of the current patch; kept between patches for its memory.
    steps: Vec<UndoStep>,
}

impl Patcher {
    /// Creates a patcher with the default limits.
    pub fn new(mode: PatchMode) -> Self {
        Self::with_limits(mode, PatchLimits::default())
    }

    /// Creates a patcher with these limits.
    pub fn with_limits(mode: PatchMode, limits: PatchLimits) -> Self {
        Self {
            mode,
            limits,
            ..Self::default()
        }
    }

    /// Applies a patch. On an error the document is unchanged.
    ///
    /// Only [`PatchMode::Lenient`] skips operations; the other modes return an empty list.
    pub fn apply(
        &mut self,
        document: &mut Value,
        patch: &[PatchOperation],
    ) -> Result<Vec<SkippedOperation>, PatchError> {
        let mut skipped = Vec::new();
        let mut run = PatchRun {
            document,
            limits: self.limits,
            copied_so_far: &mut self.copied_so_far,
            steps: &mut self.steps,
            index: 0,
            undoable: false,
            shift_budget: ShiftBudget::new(self.limits.shifted_items),
        };
        let mut error = None;
        for (index, operation) in patch.iter().enumerate() {
            run.index = index;
            // Every operation is atomic, so the last one needs no undo step.
            run.undoable = index + 1 < patch.len();
            let result = match self.mode {
                PatchMode::Rfc => run.apply_rfc(operation),
                PatchMode::Agui => fast_json_patch::apply(&mut run, operation),
                PatchMode::Lenient => lenient::apply(&mut run, operation),
            };
            match result {
                Ok(()) => {}
                Err(reason) if self.mode == PatchMode::Lenient && !reason.is_limit() => {
                    skipped.push(SkippedOperation::new(index, operation, reason));
                }
                Err(reason) => {
                    roll_back(run.document, patch, run.steps);
                    error = Some(PatchError::new(index, operation, reason));
                    break;
                }
            }
        }
        self.steps.clear();
        self.steps.shrink_to(KEPT_UNDO_STEPS);
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

/// State of the patch that is being applied.
pub(super) struct PatchRun<'r> {
    pub(super) document: &'r mut Value,
    limits: PatchLimits,
    copied_so_far: &'r mut usize,
    steps: &'r mut Vec<UndoStep>,
    /// Index of the current operation.
    index: usize,
    /// True if the changes of the current operation must be undoable.
    undoable: bool,
    shift_budget: ShiftBudget,
}

impl PatchRun<'_> {
    /// Applies one operation by the rules of the RFC.
    #[inline]
    fn apply_rfc(&mut self, operation: &PatchOperation) -> Result<(), PatchFailure> {
        let path = Pointer::new(&operation.path)?;
        match operation.op {
            PatchOp::Add => {
                let value = self.operation_value(operation, path)?;
                self.add(path, value, insertion_place)
            }
            PatchOp::Replace => self.replace(operation, path),
            PatchOp::Remove => self.remove(path),
            PatchOp::Test => {
                let found = find_mut(self.document, path, IndexRules::Strict)?;
                expect_equal(found, operation)
            }
            PatchOp::Copy => {
                let value =
                    self.copy_value(source_pointer(operation)?, path, IndexRules::Strict)?;
                self.add(path, value, insertion_place)
            }
            PatchOp::Move => {
                let from = source_pointer(operation)?;
                if path.is_inside(from) {
                    return Err(PatchFailure::IntoItself);
                }
                self.move_(from, path, insertion_place)
            }
        }
    }

    /// Returns the operation's value, or an error if the document would become too deep.
    #[inline]
    pub(super) fn operation_value(
        &self,
        operation: &PatchOperation,
        path: Pointer<'_>,
    ) -> Result<Value, PatchFailure> {
        let value = operation.value.as_ref().ok_or(PatchFailure::NoValue)?;
        let value = value.value().into_owned();
        check_depth(self.limits, path, &value)?;
        Ok(value)
    }

    /// Records a change in the undo log, if it may have to be undone.
    #[inline]
    fn record_undo(&mut self, path: Pointer<'_>, change: UndoChange, source_index: Option<usize>) {
        if self.undoable {
            self.steps.push(UndoStep {
                index: self.index,
                path_len: path.text().len(),
                change,
                source_index,
            });
        }
    }

    /// Inserts a value at the place that `locate` finds.
    #[inline]
    pub(super) fn add<'p>(
        &mut self,
        path: Pointer<'p>,
        value: Value,
        locate: impl for<'d> FnOnce(
            &'d mut Value,
            Pointer<'p>,
        ) -> Result<InsertionPlace<'d, 'p>, PatchFailure>,
    ) -> Result<(), PatchFailure> {
        let place = locate(self.document, path)?;
        self.shift_budget.spend(place.shifted_items())?;
        let path = path.strip_suffix(place.rest);
        let change = place.insert(value);
        self.record_undo(path, change, None);
        Ok(())
    }

    /// Replaces an existing value.
    #[inline]
    pub(super) fn replace(
        &mut self,
        operation: &PatchOperation,
        path: Pointer<'_>,
    ) -> Result<(), PatchFailure> {
        let value = self.operation_value(operation, path)?;
        let old = mem::replace(find_mut(self.document, path, IndexRules::Strict)?, value);
        if self.undoable {
            let change = match path.split_last() {
                // In an object the segment need not be a number; the index is not used.
                Some((_, last)) => UndoChange::Set(last.index().unwrap_or(0), old),
                None => UndoChange::Root(old),
            };
            self.record_undo(path, change, None);
        }
        Ok(())
    }

    /// Removes a value; the root becomes `null`.
    pub(super) fn remove(&mut self, path: Pointer<'_>) -> Result<(), PatchFailure> {
        let change = if path.is_root() {
            UndoChange::Root(mem::take(self.document))
        } else {
            let (at, old) = remove_at(self.document, path, &mut self.shift_budget)?;
            UndoChange::Removed(at, old)
        };
        self.record_undo(path, change, None);
        Ok(())
    }

    /// Returns a copy of the value at `from`, if it fits at `path` and the copy limit allows it.
    pub(super) fn copy_value(
        &mut self,
        from: Pointer<'_>,
        path: Pointer<'_>,
        index_rules: IndexRules,
    ) -> Result<Value, PatchFailure> {
        let found =
            find_mut(self.document, from, index_rules).map_err(|_| PatchFailure::NoSource)?;
        let limit = self.limits.copied_bytes;
        let left = limit.saturating_sub(*self.copied_so_far);
        let size = memory_size_up_to(found, left);
        if size > left {
            // Exhaust the limit, so that the next copies are refused without measuring them.
            *self.copied_so_far = limit;
            return Err(PatchFailure::TooMuchCopied { limit });
        }
        check_depth(self.limits, path, found)?;
        *self.copied_so_far += size;
        Ok(found.clone())
    }

    /// Moves the value at `from` to the place that `locate` finds after the removal.
    pub(super) fn move_<'p>(
        &mut self,
        from: Pointer<'_>,
        path: Pointer<'p>,
        locate: impl for<'d> FnOnce(
            &'d mut Value,
            Pointer<'p>,
        ) -> Result<InsertionPlace<'d, 'p>, PatchFailure>,
    ) -> Result<(), PatchFailure> {
        if from.is_root() {
            let same = path.is_root();
            return if same {
                Ok(())
            } else {
                Err(PatchFailure::IntoItself)
            };
        }
        let (at, value) =
            remove_at(self.document, from, &mut self.shift_budget).map_err(|reason| {
                if reason.is_limit() {
                    reason
                } else {
                    PatchFailure::NoSource
                }
            })?;
        // Only a move to a deeper path can exceed the depth limit.
        let depth_checked = if path.len() > from.len() {
            check_depth(self.limits, path, &value)
        } else {
            Ok(())
        };
        let place = depth_checked.and_then(|()| {
            let place = locate(self.document, path)?;
            self.shift_budget.spend(place.shifted_items())?;
            Ok(place)
        });
        match place {
            Ok(place) => {
                let path = path.strip_suffix(place.rest);
                let change = place.insert(value);
                self.record_undo(path, change, Some(at));
                Ok(())
            }
            Err(reason) => {
                let back = restore(self.document, from, at, value);
                debug_assert!(back.is_some(), "it was there before");
                Err(reason)
            }
        }
    }
}

/// Fails if the document would exceed the depth limit with `value` at `path`.
#[inline]
fn check_depth(limits: PatchLimits, path: Pointer<'_>, value: &Value) -> Result<(), PatchFailure> {
    let limit = limits.depth;
    let inside = value.depth();
    // A segment takes at least one byte, so its length is an upper bound that is cheap to check.
    if inside + path.text().len() <= limit || inside + path.len() <= limit {
        return Ok(());
    }
    Err(PatchFailure::TooDeep { limit })
}

/// Computes [`Value::memory_size`], but stops counting above `limit`, because refusing a copy must
/// be cheap.
pub(super) fn memory_size_up_to(value: &Value, limit: usize) -> usize {
    let mut total = size_of::<Value>();
    match value {
        Value::Array(items) => {
            for item in items {
                if total > limit {
                    break;
                }
                total += memory_size_up_to(item, limit - total);
            }
        }
        Value::Object(map) => {
            for (name, value) in map.iter() {
                if total > limit {
                    break;
                }
                total += size_of::<String>() + name.len();
                total += memory_size_up_to(value, limit.saturating_sub(total));
            }
        }
        scalar => return scalar.memory_size(),
    }
    total
}

/// Returns the source of a `move` or `copy`.
pub(super) fn source_pointer(operation: &PatchOperation) -> Result<Pointer<'_>, PatchFailure> {
    Pointer::new(operation.from.as_ref().ok_or(PatchFailure::NoFrom)?)
}

/// Fails if the value differs from the one that a `test` expects.
pub(super) fn expect_equal(found: &Value, operation: &PatchOperation) -> Result<(), PatchFailure> {
    let wanted = operation.value.as_ref().ok_or(PatchFailure::NoValue)?;
    if *found == *wanted.value() {
        return Ok(());
    }
    Err(PatchFailure::Different)
}
