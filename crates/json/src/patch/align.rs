//! Alignment of two arrays: pairs of equal items.

use std::hash::{BuildHasher, Hash, Hasher};

use hashbrown::DefaultHashBuilder;

use crate::{Number, Value};

/// Maximum number of insertions and deletions that are searched, at most a million steps.
const MAX_EDITS: usize = 1000;

/// Returns index pairs of items that are very likely equal, in rising order on both sides.
///
/// Returns no pairs if `work_left` is 0.
pub(super) fn align(
    before: &[Value],
    after: &[Value],
    work_left: &mut usize,
) -> Vec<(usize, usize)> {
    // Callers have removed equal ends, so two single items cannot be equal.
    let nothing = before.is_empty() || after.is_empty() || before.len() + after.len() == 2;
    if nothing || *work_left == 0 {
        return Vec::new();
    }
    let hasher = DefaultHashBuilder::default();
    let mut hashes = |items: &[Value]| -> Vec<u64> {
        items
            .iter()
            .map(|item| {
                let mut state = hasher.build_hasher();
                hash_value(item, &hasher, &mut state, work_left);
                state.finish()
            })
            .collect()
    };
    let (before, after) = (hashes(before), hashes(after));
    let in_place = || {
        let pairs = before.iter().zip(&after).enumerate();
        pairs.filter_map(|(at, (old, new))| (old == new).then_some((at, at)))
    };
    match longest_common_subsequence(&before, &after, work_left) {
        // In arrays of equal length, changes in place are more natural than moves.
        Some(moved) if before.len() != after.len() || moved.len() > in_place().count() => moved,
        _ => in_place().collect(),
    }
}

/// Hashes a value. Equal values have equal hashes; the order of members does not matter.
fn hash_value(
    value: &Value,
    hasher: &DefaultHashBuilder,
    state: &mut impl Hasher,
    work_left: &mut usize,
) {
    *work_left = work_left.saturating_sub(1);
    std::mem::discriminant(value).hash(state);
    match value {
        Value::Null => {}
        Value::Bool(flag) => flag.hash(state),
        Value::Number(Number::Int(int)) => int.hash(state),
        Value::Number(number @ Number::Literal(literal)) => match number.as_safe_int() {
            Some(int) => int.hash(state),
            None => literal.hash(state),
        },
        Value::String(text) => text.hash(state),
        Value::Array(items) => {
            items.len().hash(state);
            for item in items {
                hash_value(item, hasher, state, work_left);
            }
        }
        Value::Object(map) => {
            let mut sum = 0_u64;
            for (name, value) in map.iter() {
                let mut state = hasher.build_hasher();
                name.hash(&mut state);
                hash_value(value, hasher, &mut state, work_left);
                sum = sum.wrapping_add(state.finish());
            }
            sum.hash(state);
        }
    }
}

/// Returns the longest common subsequence as index pairs, by Myers' algorithm (1986); `None` if it
/// takes too many edits.
fn longest_common_subsequence(
    before: &[u64],
    after: &[u64],
    work_left: &mut usize,
) -> Option<Vec<(usize, usize)>> {
    let edits = (before.len() + after.len()).min(MAX_EDITS);
    // `reach[k + edits + 1]` is the furthest index in `before` on diagonal k = x - y.
    let mut reach = vec![0_usize; 2 * edits + 3];
    let mut trace: Vec<Vec<usize>> = Vec::new();
    for depth in 0..=edits {
        // The part that this round reads: diagonals -depth - 1 to depth + 1.
        let low = edits - depth;
        trace.push(reach[low..=low + 2 * depth + 2].to_vec());
        for step in 0..=depth {
            let slot = low + 1 + 2 * step;
            let down = step == 0 || (step != depth && reach[slot - 1] < reach[slot + 1]);
            let mut x = if down {
                reach[slot + 1]
            } else {
                reach[slot - 1] + 1
            };
            let Some(mut y) = (x + edits + 1).checked_sub(slot) else {
                continue;
            };
            let start = x;
            while x < before.len() && y < after.len() && before[x] == after[y] {
                (x, y) = (x + 1, y + 1);
            }
            *work_left = work_left.saturating_sub(x - start + 1);
            reach[slot] = x;
            if x >= before.len() && y >= after.len() {
                return Some(walk_back(&trace, x, y));
            }
        }
        if *work_left == 0 {
            return None;
        }
    }
    None
}

/// Walks the rounds backwards and collects the equal pairs.
fn walk_back(trace: &[Vec<usize>], mut x: usize, mut y: usize) -> Vec<(usize, usize)> {
    let mut pairs = Vec::new();
    for (depth, reach) in trace.iter().enumerate().rev() {
        // `reach[k + depth + 1]` before this round; k + depth is even and not negative.
        let slot = x + depth + 1 - y;
        let down = slot == 1 || (slot != 2 * depth + 1 && reach[slot - 1] < reach[slot + 1]);
        let (from_x, from_y) = match (depth, down) {
            (0, _) => (0, 0),
            (_, true) => (reach[slot + 1], reach[slot + 1] + depth + 1 - (slot + 1)),
            (_, false) => (reach[slot - 1], reach[slot - 1] + depth + 1 - (slot - 1)),
        };
        let (start_x, start_y) = match (depth, down) {
            (0, _) => (0, 0),
            (_, true) => (from_x, from_y + 1),
            (_, false) => (from_x + 1, from_y),
        };
        while x > start_x && y > start_y {
            (x, y) = (x - 1, y - 1);
            pairs.push((x, y));
        }
        (x, y) = (from_x, from_y);
    }
    pairs.reverse();
    pairs
}
