//! Vectors of chunks: the embedder, and exact search in memory.

use std::collections::HashMap;

/// Failure to embed texts.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
pub enum EmbedError {
    /// The model or its server failed. Holds the reason.
    #[error("the texts could not be embedded: {0}")]
    Failed(String),
    /// A vector has another dimension than the model.
    #[error(
        "the model `{model}` has {expected} dimensions, but a vector has {found}; embed the documents again with `pincite reindex`"
    )]
    Dimension {
        /// Name of the model.
        model: String,
        /// Dimension of the model.
        expected: usize,
        /// Dimension of the vector.
        found: usize,
    },
    /// A vector has a number that is not finite, or only zeros.
    #[error("the model `{0}` returned a vector that cannot be compared")]
    NotComparable(String),
}

/// Model that turns texts into vectors.
pub trait Embedder: Send + Sync {
    /// Returns the name of the model, which is stored with its vectors.
    fn model(&self) -> &str;

    /// Returns the number of dimensions.
    fn dimension(&self) -> usize;

    /// Returns a vector for each text.
    fn embed(&self, texts: &[&str]) -> Result<Vec<Vec<f32>>, EmbedError>;
}

/// Vectors of one model in memory, each number in one byte.
#[derive(Debug, Clone)]
pub struct VectorArena {
    model: String,
    dimension: usize,
    /// Rows of `dimension` numbers.
    numbers: Vec<i8>,
    keys: Vec<u64>,
    rows: HashMap<u64, usize>,
}

impl VectorArena {
    /// Creates an arena for the vectors of a model.
    pub fn new(model: impl Into<String>, dimension: usize) -> Self {
        Self {
            model: model.into(),
            dimension,
            numbers: Vec::new(),
            keys: Vec::new(),
            rows: HashMap::new(),
        }
    }

    /// Returns the number of vectors.
    pub fn len(&self) -> usize {
        self.keys.len()
    }

    /// Returns true if there are no vectors.
    pub fn is_empty(&self) -> bool {
        self.keys.is_empty()
    }

    /// Adds the vector of a chunk, in place of the one it had.
    pub fn insert(&mut self, key: u64, vector: &[f32]) -> Result<(), EmbedError> {
        let row = self.quantise(vector)?;
        match self.rows.get(&key) {
            Some(at) => self.numbers[at * self.dimension..][..self.dimension].copy_from_slice(&row),
            None => {
                self.rows.insert(key, self.keys.len());
                self.keys.push(key);
                self.numbers.extend(row);
            }
        }
        Ok(())
    }

    /// Removes the vector of a chunk. Returns false if there is none.
    pub fn remove(&mut self, key: u64) -> bool {
        let Some(at) = self.rows.remove(&key) else {
            return false;
        };
        self.keys.swap_remove(at);
        let last = self.numbers.len() - self.dimension;
        self.numbers.copy_within(last.., at * self.dimension);
        self.numbers.truncate(last);
        if let Some(moved) = self.keys.get(at) {
            self.rows.insert(*moved, at);
        }
        true
    }

    /// Returns the chunks that are closest to a vector among those allowed, with their cosine, the best first.
    pub fn nearest(
        &self,
        vector: &[f32],
        limit: usize,
        is_allowed: impl Fn(u64) -> bool,
    ) -> Result<Vec<(u64, f32)>, EmbedError> {
        let query = self.quantise(vector)?;
        let rows = self
            .keys
            .iter()
            .zip(self.numbers.chunks_exact(self.dimension.max(1)));
        let mut found: Vec<(u64, f32)> = rows
            .filter(|(key, _)| is_allowed(**key))
            .map(|(key, row)| (*key, cosine(&query, row)))
            .collect();
        let order = |a: &(u64, f32), b: &(u64, f32)| b.1.total_cmp(&a.1).then(a.0.cmp(&b.0));
        if limit < found.len() {
            found.select_nth_unstable_by(limit, order);
            found.truncate(limit);
        }
        found.sort_by(order);
        Ok(found)
    }

    /// Scales a vector so that its largest number is 127, and rounds it.
    fn quantise(&self, vector: &[f32]) -> Result<Vec<i8>, EmbedError> {
        if vector.len() != self.dimension {
            return Err(EmbedError::Dimension {
                model: self.model.clone(),
                expected: self.dimension,
                found: vector.len(),
            });
        }
        let largest = vector
            .iter()
            .fold(0.0_f32, |most, number| most.max(number.abs()));
        let is_finite = vector.iter().all(|number| number.is_finite());
        if !is_finite || largest <= 0.0 {
            return Err(EmbedError::NotComparable(self.model.clone()));
        }
        let scale = 127.0 / largest;
        Ok(vector
            .iter()
            .map(|number| (number * scale).round() as i8)
            .collect())
    }
}

/// Returns the cosine of two rows.
fn cosine(left: &[i8], right: &[i8]) -> f32 {
    let (mut product, mut own, mut other) = (0_i32, 0_i32, 0_i32);
    for (left, right) in left.iter().zip(right) {
        let (left, right) = (i32::from(*left), i32::from(*right));
        product += left * right;
        own += left * left;
        other += right * right;
    }
    product as f32 / ((own as f32).sqrt() * (other as f32).sqrt()).max(1.0)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn arena() -> VectorArena {
        let mut arena = VectorArena::new("test", 3);
        for (key, vector) in [
            (1, [1.0, 0.0, 0.0]),
            (2, [0.0, 2.0, 0.0]),
            (3, [0.5, 0.5, 0.0]),
        ] {
            arena.insert(key, &vector).expect("the vector fits");
        }
        arena
    }

    fn keys(arena: &VectorArena, vector: &[f32], limit: usize) -> Vec<u64> {
        let found = arena
            .nearest(vector, limit, |_| true)
            .expect("the vector fits");
        found.into_iter().map(|(key, _)| key).collect()
    }

    #[test]
    fn nearest_vectors_come_first() {
        let arena = arena();
        assert_eq!(keys(&arena, &[9.0, 1.0, 0.0], 3), [1, 3, 2]);
        assert_eq!(keys(&arena, &[9.0, 1.0, 0.0], 1), [1]);
        let others = arena
            .nearest(&[1.0, 0.0, 0.0], 3, |key| key != 1)
            .expect("the vector fits");
        assert_eq!(others[0].0, 3);
        assert!((others[0].1 - 0.707).abs() < 0.01);
    }

    #[test]
    fn vectors_are_replaced_and_removed() {
        let mut arena = arena();
        arena.insert(2, &[1.0, 0.0, 0.1]).expect("the vector fits");
        assert_eq!(arena.len(), 3);
        assert!(arena.remove(1) && !arena.remove(1));
        assert_eq!(keys(&arena, &[1.0, 0.0, 0.0], 9), [2, 3]);
        assert!(arena.remove(3) && arena.remove(2) && arena.is_empty());
    }

    #[test]
    fn other_dimensions_and_numbers_that_are_not_finite_are_refused() {
        let mut arena = arena();
        let error = arena.insert(4, &[1.0]).expect_err("the dimension differs");
        assert!(error.to_string().contains("pincite reindex"), "{error}");
        for vector in [[f32::NAN, 0.0, 0.0], [f32::INFINITY, 0.0, 0.0], [0.0; 3]] {
            let error = arena.insert(4, &vector).expect_err("the vector is refused");
            assert_eq!(error, EmbedError::NotComparable("test".to_owned()));
        }
    }
}
