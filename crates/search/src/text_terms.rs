//! Words of a text as the index sees them, for callers that compare texts themselves.

use std::ops::Range;

use crate::analysis::{TokenShape, tokens};
use crate::language::Language;

/// Word of a text. Scripts without spaces give two characters at a time.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct TextTerm {
    /// Lower case, without accents.
    pub folded: String,
    /// Stem in the given language; the folded form if it has no stemmer.
    pub stem: String,
    /// Range in the text, in bytes.
    pub range: Range<usize>,
    /// True for two characters of a script without spaces.
    pub is_bigram: bool,
}

/// Returns the words of a text in order, with their stems in a language.
pub fn text_terms(text: &str, language: Language) -> Vec<TextTerm> {
    let tokens = tokens(text).into_iter();
    tokens
        .map(|token| {
            let stem = token.stems(language).0;
            TextTerm {
                stem: stem.unwrap_or_else(|| token.folded.clone()),
                is_bigram: token.shape == TokenShape::Bigram,
                folded: token.folded,
                range: token.range,
            }
        })
        .collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn words_have_stems_and_ranges() {
        let terms = text_terms("Two Ships, 東京都", Language::from_code("en"));
        let stems: Vec<_> = terms.iter().map(|term| term.stem.as_str()).collect();
        assert_eq!(stems, ["two", "ship", "東京", "京都"]);
        assert_eq!(terms[1].range, 4..9);
        assert!(terms[2].is_bigram && !terms[0].is_bigram);
    }
}
