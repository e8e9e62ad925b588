//! Fusion of ranked lists: by reciprocal ranks, or by normalised scores.

use std::collections::HashMap;
use std::hash::Hash;

/// Constant of reciprocal rank fusion: how much the first ranks count more than later ones.
const RANK_CONSTANT: f32 = 60.0;

/// Ranked list with its weight.
#[derive(Debug, Clone, PartialEq)]
pub struct RankedList<T> {
    /// Weight; a list of weight 0 has no influence.
    pub weight: f32,
    /// Score that counts nothing; `None` takes the lowest of the list.
    pub floor: Option<f32>,
    /// Entries with their scores, the best first.
    pub entries: Vec<(T, f32)>,
}

/// Method of fusion.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum FusionMethod {
    /// Sum of weighted reciprocal ranks.
    ReciprocalRank,
    /// Sum of weighted scores, each list scaled from 0 to 1.
    NormalisedScore,
}

impl<T> RankedList<T> {
    /// Returns the contributions of the entries to their fused scores, in their order.
    pub fn contributions(&self, method: FusionMethod) -> impl Iterator<Item = f32> {
        let scores = self.entries.iter().map(|(_, score)| *score);
        let floor = self
            .floor
            .unwrap_or_else(|| scores.clone().fold(f32::INFINITY, f32::min));
        let range = scores.clone().fold(f32::NEG_INFINITY, f32::max) - floor;
        scores.enumerate().map(move |(rank, score)| {
            let share = match method {
                FusionMethod::ReciprocalRank => 1.0 / (RANK_CONSTANT + (rank + 1) as f32),
                // All scores are equal, so none is worse than another.
                FusionMethod::NormalisedScore if range <= 0.0 => 1.0,
                FusionMethod::NormalisedScore => ((score - floor) / range).max(0.0),
            };
            self.weight * share
        })
    }
}

/// Fuses ranked lists. Returns the entries with their scores, the best first; equal scores by entry.
///
/// ```
/// use search::{FusionMethod, RankedList, fuse};
///
/// let words = RankedList { weight: 1.0, floor: None, entries: vec![("a", 9.0), ("b", 1.0)] };
/// let meaning = RankedList { weight: 0.5, floor: None, entries: vec![("c", 0.9), ("a", 0.1)] };
/// let fused = fuse(&[words, meaning], FusionMethod::NormalisedScore);
/// assert_eq!(fused, [("a", 1.0), ("c", 0.5), ("b", 0.0)]);
/// ```
pub fn fuse<T: Copy + Eq + Hash + Ord>(
    lists: &[RankedList<T>],
    method: FusionMethod,
) -> Vec<(T, f32)> {
    let mut sums: HashMap<T, f32> = HashMap::new();
    // A list of weight 0 must not add its entries either.
    for list in lists.iter().filter(|list| list.weight > 0.0) {
        for ((entry, _), share) in list.entries.iter().zip(list.contributions(method)) {
            *sums.entry(*entry).or_default() += share;
        }
    }
    let mut fused: Vec<(T, f32)> = sums.into_iter().collect();
    fused.sort_by(|a, b| b.1.total_cmp(&a.1).then_with(|| a.0.cmp(&b.0)));
    fused
}

#[cfg(test)]
mod tests {
    use super::*;

    fn list(weight: f32, entries: &[(u32, f32)]) -> RankedList<u32> {
        RankedList {
            weight,
            floor: None,
            entries: entries.to_vec(),
        }
    }

    fn order(lists: &[RankedList<u32>], method: FusionMethod) -> Vec<u32> {
        let fused = fuse(lists, method);
        fused.into_iter().map(|(entry, _)| entry).collect()
    }

    #[test]
    fn ranks_count_by_their_reciprocals() {
        let lists = [
            list(1.0, &[(1, 9.0), (2, 8.0), (3, 7.0)]),
            list(1.0, &[(2, 0.3), (3, 0.2)]),
        ];
        let fused = fuse(&lists, FusionMethod::ReciprocalRank);
        assert_eq!(fused[0].0, 2);
        assert!((fused[0].1 - (1.0 / 62.0 + 1.0 / 61.0)).abs() < 1e-6);
    }

    #[test]
    fn scores_count_from_their_floor() {
        let mut words = list(0.5, &[(1, 8.0), (2, 6.0)]);
        words.floor = Some(4.0);
        let shares: Vec<f32> = words.contributions(FusionMethod::NormalisedScore).collect();
        assert_eq!(shares, [0.5, 0.25]);
    }

    #[test]
    fn a_list_of_weight_zero_changes_nothing() {
        let words = list(1.0, &[(1, 9.0), (2, 8.0)]);
        let other = list(0.0, &[(3, 9.0), (2, 8.0)]);
        for method in [FusionMethod::ReciprocalRank, FusionMethod::NormalisedScore] {
            assert_eq!(order(&[words.clone(), other.clone()], method), [1, 2]);
        }
    }

    #[test]
    fn lists_without_entries_or_differences_are_fused() {
        let lists = [list(1.0, &[]), list(1.0, &[(2, 0.5), (1, 0.5)])];
        assert_eq!(order(&lists, FusionMethod::NormalisedScore), [1, 2]);
        assert_eq!(order(&lists, FusionMethod::ReciprocalRank), [2, 1]);
    }
}
