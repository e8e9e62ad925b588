//! Which items of two arrays belong together.

use std::hash::{BuildHasher, Hash, Hasher};

use hashbrown::DefaultHashBuilder;

use crate::json::{Number, Value};

/// How many insertions and deletions are looked for before giving up: at most a million steps.
const MAX_EDITS: usize = 1000;

/// Pairs of positions of items that are very likely equal, in rising order on both sides.
///
/// Without fuel there are none.
pub(super) fn align(before: &[Value], after: &[Value], fuel: &mut usize) -> Vec<(usize, usize)> {
    // Callers have cut off equal ends, so that of one item on each side nothing is equal.
    let nothing = before.is_empty() || after.is_empty() || before.len() + after.len() == 2;
    if nothing || *fuel == 0 {
        return Vec::new();
    }
    let hasher = DefaultHashBuilder::default();
    let mut hashes = |items: &[Value]| -> Vec<u64> {
        items
            .iter()
            .map(|item| {
                let mut state = hasher.build_hasher();
                hash(item, &hasher, &mut state, fuel);
                state.finish()
            })
            .collect()
    };
    let (before, after) = (hashes(before), hashes(after));
    let in_place = || {
        let pairs = before.iter().zip(&after).enumerate();
        pairs.filter_map(|(at, (old, new))| (old == new).then_some((at, at)))
    };
    match longest_common(&before, &after, fuel) {
        // Among equally long arrays, changes in place are the more natural reading.
        Some(moved) if before.len() != after.len() || moved.len() > in_place().count() => moved,
        _ => in_place().collect(),
    }
}

/// Equal values have equal hashes; the order of members does not matter.
fn hash(value: &Value, hasher: &DefaultHashBuilder, state: &mut impl Hasher, fuel: &mut usize) {
    *fuel = fuel.saturating_sub(1);
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
                hash(item, hasher, state, fuel);
            }
        }
        Value::Object(map) => {
            let mut sum = 0_u64;
            for (name, value) in map.iter() {
                let mut state = hasher.build_hasher();
                name.hash(&mut state);
                hash(value, hasher, &mut state, fuel);
                sum = sum.wrapping_add(state.finish());
            }
            sum.hash(state);
        }
    }
}

/// The longest common subsequence as pairs of positions, by Myers' algorithm (1986); nothing if it
/// takes too many edits.
fn longest_common(before: &[u64], after: &[u64], fuel: &mut usize) -> Option<Vec<(usize, usize)>> {
    let edits = (before.len() + after.len()).min(MAX_EDITS);
    // `reach[k + edits + 1]`: how far into `before` paths come on diagonal k = x - y.
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
            *fuel = fuel.saturating_sub(x - start + 1);
            reach[slot] = x;
            if x >= before.len() && y >= after.len() {
                return Some(walk_back(&trace, x, y));
            }
        }
        if *fuel == 0 {
            return None;
        }
    }
    None
}

/// Walks from the end to the start along the rounds and collects the equal pairs.
fn walk_back(trace: &[Vec<usize>], mut x: usize, mut y: usize) -> Vec<(usize, usize)> {
    let mut pairs = Vec::new();
    for (depth, reach) in trace.iter().enumerate().rev() {
        // `reach[k + depth + 1]` as it was before this round; k + depth is even and not negative.
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
