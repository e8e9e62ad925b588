//! Disjoint sets of numbers.

/// Disjoint sets of the numbers from 0, joined by union.
#[derive(Debug, Clone, Default)]
pub(crate) struct DisjointSets(Vec<usize>);

impl DisjointSets {
    /// Creates sets of one number each.
    pub(crate) fn new(count: usize) -> Self {
        Self((0..count).collect())
    }

    /// Adds a number in a set of its own.
    pub(crate) fn add(&mut self) -> usize {
        self.0.push(self.0.len());
        self.0.len() - 1
    }

    /// Returns the representative of a number's set.
    pub(crate) fn find(&mut self, mut number: usize) -> usize {
        while self.0[number] != number {
            self.0[number] = self.0[self.0[number]];
            number = self.0[number];
        }
        number
    }

    /// Joins two sets. The smaller representative stays, so the result does not depend on the order of unions.
    pub(crate) fn join(&mut self, one: usize, other: usize) {
        let (one, other) = (self.find(one), self.find(other));
        self.0[one.max(other)] = one.min(other);
    }
}
