//! Embedding model of the library, with the weights of its list.

use std::collections::BTreeMap;
use std::sync::Arc;

use search::{Embedder, Language};

/// Name of the weight for languages that have none of their own.
const ANY_LANGUAGE: &str = "*";

/// Embedding model with the weights of the vector list by language. Documents in languages of weight 0 are not
/// embedded.
#[derive(Clone)]
pub struct EmbeddingModel {
    /// Model.
    pub embedder: Arc<dyn Embedder>,
    /// Weights from 0 to 1 by the code of the language (ISO 639-1); `*` for all others.
    pub weights: BTreeMap<String, f32>,
}

impl EmbeddingModel {
    /// Returns the weight of the vector list for a query in a language.
    pub(super) fn weight(&self, language: Language) -> f32 {
        let weight = self.weights.get(language.code());
        let weight = weight.or_else(|| self.weights.get(ANY_LANGUAGE));
        weight.copied().unwrap_or(0.0).clamp(0.0, 1.0)
    }

    /// Returns the languages whose documents are embedded; `None` for all.
    pub(super) fn languages(&self) -> Option<Vec<String>> {
        let is_used = |code: &str| self.weights.get(code).is_some_and(|weight| *weight > 0.0);
        let codes = self.weights.keys().filter(|code| is_used(code));
        (!is_used(ANY_LANGUAGE)).then(|| codes.cloned().collect())
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    struct NoEmbedder;

    impl Embedder for NoEmbedder {
        fn model(&self) -> &str {
            "none"
        }

        fn embed(&self, _: &[&str]) -> Result<Vec<Vec<f32>>, search::EmbedError> {
            Ok(Vec::new())
        }
    }

    fn model(weights: &[(&str, f32)]) -> EmbeddingModel {
        let weights = weights.iter();
        EmbeddingModel {
            embedder: Arc::new(NoEmbedder),
            weights: weights
                .map(|(code, weight)| ((*code).to_owned(), *weight))
                .collect(),
        }
    }

    #[test]
    fn languages_without_a_weight_are_not_embedded() {
        let english = model(&[("en", 0.5), ("de", 0.0)]);
        assert_eq!(english.languages(), Some(vec!["en".to_owned()]));
        assert_eq!(english.weight(Language::from_code("en")), 0.5);
        assert_eq!(english.weight(Language::from_code("de")), 0.0);
        assert_eq!(english.weight(Language::UNKNOWN), 0.0);
    }

    #[test]
    fn a_star_means_all_other_languages() {
        let all = model(&[("*", 0.4), ("en", 2.0)]);
        assert_eq!(all.languages(), None);
        assert_eq!(all.weight(Language::UNKNOWN), 0.4);
        assert_eq!(all.weight(Language::from_code("en")), 1.0);
    }
}
