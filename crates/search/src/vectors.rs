//! Vectors of chunks: the embedder, and exact search in memory.

use std::collections::HashMap;
use std::hash::{BuildHasherDefault, Hasher};

/// Failure to embed texts.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
pub enum EmbedError {
    /// The model or its server failed. Holds the reason.
    #[error("the texts could not be embedded: {0}")]
    Failed(String),
    /// A vector has another dimension than the stored ones.
    #[error(
        "the stored vectors have {expected} dimensions, but the model `{model}` returned {found}; embed all documents again with `pincite reindex --vectors`"
    )]
    Dimension {
        /// Name of the model.
        model: String,
        /// Dimension of the stored vectors.
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

    /// Returns a vector for each text. It may take seconds, so it must not be called on a thread that serves others.
    fn embed(&self, texts: &[&str]) -> Result<Vec<Vec<f32>>, EmbedError>;

    /// Returns the vector of a query, for which a person waits.
    fn embed_query(&self, query: &str) -> Result<Vec<f32>, EmbedError> {
        let vector = self.embed(&[query])?.pop();
        vector.ok_or_else(|| EmbedError::Failed("the model returned no vector".to_owned()))
    }
}

/// Hasher of keys that are hashes already.
#[derive(Debug, Clone, Copy, Default)]
struct KeyHasher(u64);

impl Hasher for KeyHasher {
    fn finish(&self) -> u64 {
        self.0
    }

    fn write(&mut self, bytes: &[u8]) {
        for byte in bytes {
            self.0 = self.0.rotate_left(8) ^ u64::from(*byte);
        }
    }

    fn write_u64(&mut self, key: u64) {
        self.0 = key;
    }
}

/// Vectors of one model in memory, each number in one byte. Keys are those of texts, so that a text that is in several
/// documents has one vector; see [`StoredChunk::content_key`](crate::StoredChunk::content_key).
#[derive(Debug, Clone)]
pub struct VectorArena {
    model: String,
    dimension: usize,
    /// Rows of `dimension` numbers.
    numbers: Vec<i8>,
    /// Reciprocal lengths of the rows.
    scales: Vec<f32>,
    keys: Vec<u64>,
    rows: HashMap<u64, u32, BuildHasherDefault<KeyHasher>>,
}

impl VectorArena {
    /// Creates an arena for the vectors of a model.
    pub fn new(model: impl Into<String>, dimension: usize) -> Self {
        Self {
            model: model.into(),
            dimension,
            numbers: Vec::new(),
            scales: Vec::new(),
            keys: Vec::new(),
            rows: HashMap::default(),
        }
    }

    /// Returns the name of the model.
    pub fn model(&self) -> &str {
        &self.model
    }

    /// Returns the number of dimensions.
    pub fn dimension(&self) -> usize {
        self.dimension
    }

    /// Returns the number of vectors.
    pub fn len(&self) -> usize {
        self.keys.len()
    }

    /// Returns true if there are no vectors.
    pub fn is_empty(&self) -> bool {
        self.keys.is_empty()
    }

    /// Returns true if the text with a key has a vector.
    pub fn contains(&self, key: u64) -> bool {
        self.rows.contains_key(&key)
    }

    /// Returns the keys of all vectors.
    pub fn keys(&self) -> &[u64] {
        &self.keys
    }

    /// Scales a vector so that its largest number is 127, and rounds it. The result is what is stored.
    pub fn quantise(&self, vector: &[f32]) -> Result<Vec<u8>, EmbedError> {
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
        let rounded = vector.iter().map(|number| (number * scale).round() as i8);
        Ok(rounded.map(i8::cast_unsigned).collect())
    }

    /// Adds the quantised vector of a text, in place of the one it had. Returns false if it has another dimension.
    pub fn insert(&mut self, key: u64, quantised: &[u8]) -> bool {
        if quantised.len() != self.dimension || self.dimension == 0 {
            return false;
        }
        let row = quantised.iter().map(|number| number.cast_signed());
        let length = row
            .clone()
            .map(|number| i32::from(number).pow(2))
            .sum::<i32>();
        let scale = 1.0 / (length as f32).sqrt().max(1.0);
        if let Some(at) = self.rows.get(&key).map(|at| *at as usize) {
            let old = &mut self.numbers[at * self.dimension..][..self.dimension];
            old.iter_mut().zip(row).for_each(|(old, new)| *old = new);
            self.scales[at] = scale;
            return true;
        }
        let Ok(at) = u32::try_from(self.keys.len()) else {
            return false;
        };
        self.rows.insert(key, at);
        self.keys.push(key);
        self.scales.push(scale);
        self.numbers.extend(row);
        true
    }

    /// Removes the vector of a text. Returns false if there is none.
    pub fn remove(&mut self, key: u64) -> bool {
        let Some(at) = self.rows.remove(&key) else {
            return false;
        };
        let row = at as usize;
        self.keys.swap_remove(row);
        self.scales.swap_remove(row);
        let last = self.numbers.len() - self.dimension;
        self.numbers.copy_within(last.., row * self.dimension);
        self.numbers.truncate(last);
        if let Some(moved) = self.keys.get(row) {
            self.rows.insert(*moved, at);
        }
        true
    }

    /// Prepares the comparison of all vectors with one.
    pub fn compare(&self, vector: &[f32]) -> Result<VectorComparison<'_>, EmbedError> {
        let query: Vec<i8> = self
            .quantise(vector)?
            .into_iter()
            .map(u8::cast_signed)
            .collect();
        let length: i32 = query.iter().map(|number| i32::from(*number).pow(2)).sum();
        Ok(VectorComparison {
            arena: self,
            scale: 1.0 / (length as f32).sqrt().max(1.0),
            query,
        })
    }
}

/// Comparison of the vectors of an arena with one.
#[derive(Debug)]
pub struct VectorComparison<'a> {
    arena: &'a VectorArena,
    query: Vec<i8>,
    scale: f32,
}

impl VectorComparison<'_> {
    /// Returns the cosine of a text's vector; `None` if it has none.
    pub fn cosine(&self, key: u64) -> Option<f32> {
        let row = *self.arena.rows.get(&key)? as usize;
        let dimension = self.arena.dimension;
        let numbers = &self.arena.numbers[row * dimension..][..dimension];
        let product = dot(&self.query, numbers) as f32;
        Some(product * self.scale * self.arena.scales[row])
    }
}

/// Returns the scalar product of two rows.
fn dot(left: &[i8], right: &[i8]) -> i32 {
    // Products of two bytes fit into 16 bits, so the compiler multiplies and adds them in pairs.
    left.iter()
        .zip(right)
        .map(|(left, right)| i32::from(i16::from(*left) * i16::from(*right)))
        .sum()
}

#[cfg(test)]
mod tests {
    use super::*;

    fn insert(arena: &mut VectorArena, key: u64, vector: &[f32]) {
        let quantised = arena.quantise(vector).expect("the vector fits");
        assert!(arena.insert(key, &quantised));
    }

    fn arena() -> VectorArena {
        let mut arena = VectorArena::new("test", 3);
        for (key, vector) in [
            (1, [1.0, 0.0, 0.0]),
            (2, [0.0, 2.0, 0.0]),
            (3, [0.5, 0.5, 0.0]),
        ] {
            insert(&mut arena, key, &vector);
        }
        arena
    }

    fn cosine(arena: &VectorArena, key: u64, vector: &[f32]) -> Option<f32> {
        let comparison = arena.compare(vector).expect("the vector fits");
        comparison.cosine(key)
    }

    #[test]
    fn vectors_are_compared_by_their_cosine() {
        let arena = arena();
        let close = |key, expected: f32| {
            let found = cosine(&arena, key, &[9.0, 0.0, 0.0]).expect("a vector");
            assert!((found - expected).abs() < 0.01, "{key}: {found}");
        };
        close(1, 1.0);
        close(2, 0.0);
        close(3, std::f32::consts::FRAC_1_SQRT_2);
        assert_eq!(cosine(&arena, 4, &[1.0, 0.0, 0.0]), None);
    }

    #[test]
    fn vectors_are_replaced_and_removed() {
        let mut arena = arena();
        insert(&mut arena, 2, &[1.0, 0.0, 0.0]);
        assert_eq!(arena.len(), 3);
        assert!(arena.remove(1) && !arena.remove(1));
        assert!(cosine(&arena, 2, &[1.0, 0.0, 0.0]).is_some_and(|cosine| cosine > 0.99));
        assert!(cosine(&arena, 3, &[1.0, 1.0, 0.0]).is_some_and(|cosine| cosine > 0.99));
        assert!(arena.remove(3) && arena.remove(2) && arena.is_empty());
    }

    #[test]
    fn other_dimensions_and_numbers_that_are_not_finite_are_refused() {
        let mut arena = arena();
        let error = arena.quantise(&[1.0]).expect_err("the dimension differs");
        assert!(
            error.to_string().contains("pincite reindex --vectors"),
            "{error}"
        );
        for vector in [[f32::NAN, 0.0, 0.0], [f32::INFINITY, 0.0, 0.0], [0.0; 3]] {
            let error = arena.quantise(&vector).expect_err("the vector is refused");
            assert_eq!(error, EmbedError::NotComparable("test".to_owned()));
        }
        assert!(!arena.insert(4, &[1]));
    }
}
