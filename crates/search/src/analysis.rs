//! Words of a text for search: tokens, folded forms, stems, bigrams of scripts without spaces.

mod char_kinds;
mod folding;

use std::borrow::Cow;
use std::ops::Range;

use crate::language::Language;
use char_kinds::{CharKind, kind_of};
use folding::{fold, lower};

/// Longest word in bytes; the rest of a longer one is left out.
const MAX_WORD: usize = 96;
/// Number of letters of the parts of compounds.
pub(crate) const GRAM: usize = 4;

/// Kind of a token.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum TokenShape {
    /// Word between spaces or punctuation.
    Word,
    /// Two characters of a script without spaces, or one that has no neighbour.
    Bigram,
}

/// Word or bigram of a text.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct SearchToken {
    /// Lower case, with accents.
    pub(crate) lower: String,
    /// Lower case, without accents.
    pub(crate) folded: String,
    /// Range in the text, in bytes.
    pub(crate) range: Range<usize>,
    /// Position among the tokens. A word that is hyphenated at a line end has the position of its first part.
    pub(crate) position: u32,
    /// Kind of the token.
    pub(crate) shape: TokenShape,
}

impl SearchToken {
    /// Returns the stems of a word in a language: with and without accents, if they differ. None for bigrams and
    /// languages without a stemmer.
    pub(crate) fn stems(&self, language: Language) -> (Option<String>, Option<String>) {
        if self.shape == TokenShape::Bigram || !language.has_stemmer() {
            return (None, None);
        }
        let stem = fold(&language.stem(&self.lower)).into_owned();
        if self.lower == self.folded {
            return (Some(stem), None);
        }
        let other = language.stem(&self.folded).into_owned();
        let other = (other != stem).then_some(other);
        (Some(stem), other)
    }
}

/// Returns the tokens of a text in order.
pub(crate) fn tokens(text: &str) -> Vec<SearchToken> {
    let mut tokens = Tokeniser::default();
    let mut start: Option<(usize, CharKind)> = None;
    for (at, char) in text.char_indices() {
        let kind = kind_of(char);
        if kind == CharKind::Inside && start.is_some() {
            continue;
        }
        match start {
            Some((_, before)) if before == kind => {}
            Some((from, before)) => {
                tokens.add_run(text, from..at, before);
                start = kind.is_token().then_some((at, kind));
            }
            None => start = kind.is_token().then_some((at, kind)),
        }
    }
    if let Some((from, kind)) = start {
        tokens.add_run(text, from..text.len(), kind);
    }
    tokens.found
}

/// Collects tokens.
#[derive(Default)]
struct Tokeniser {
    found: Vec<SearchToken>,
    position: u32,
}

impl Tokeniser {
    fn add_run(&mut self, text: &str, range: Range<usize>, kind: CharKind) {
        match kind {
            CharKind::Unspaced => self.add_bigrams(text, range),
            _ => self.add_word(text, range),
        }
    }

    fn add_word(&mut self, text: &str, range: Range<usize>) {
        let end = range.start + text[range.clone()].floor_char_boundary(MAX_WORD);
        let lower = lower(&text[range.start..end]);
        if lower.is_empty() {
            return;
        }
        let joined = self.joined_with_last(text, &range, &lower);
        let position = self.position;
        self.push(lower.into_owned(), range.clone(), TokenShape::Word);
        if let Some((joined, from)) = joined {
            let folded = fold(&joined).into_owned();
            self.found.push(SearchToken {
                lower: joined,
                folded,
                range: from..range.end,
                position: position.saturating_sub(1),
                shape: TokenShape::Word,
            });
        }
    }

    /// Returns the whole word if the last token and this one are its parts, hyphenated at a line end.
    fn joined_with_last(
        &self,
        text: &str,
        range: &Range<usize>,
        lower: &str,
    ) -> Option<(String, usize)> {
        let last = self
            .found
            .last()
            .filter(|last| last.shape == TokenShape::Word)?;
        let between = text.get(last.range.end..range.start)?;
        let rest = between.strip_prefix(['-', '\u{2010}'])?;
        let is_line_end = rest.contains('\n') && rest.trim().is_empty();
        let continues = text[range.clone()].starts_with(char::is_lowercase);
        (is_line_end && continues && last.lower.len() + lower.len() <= MAX_WORD)
            .then(|| (format!("{}{lower}", last.lower), last.range.start))
    }

    fn add_bigrams(&mut self, text: &str, range: Range<usize>) {
        // Marks of voiced kana, also in their half-width form, belong to the character before them.
        let mut starts: Vec<usize> = Vec::new();
        for (at, char) in text[range.clone()].char_indices() {
            let is_mark =
                matches!(char, '\u{ff9e}' | '\u{ff9f}') || kind_of(char) == CharKind::Inside;
            if starts.is_empty() || !is_mark {
                starts.push(range.start + at);
            }
        }
        let last = starts.len().saturating_sub(1).max(1);
        for at in 0..last {
            let range = starts[at]..starts.get(at + 2).copied().unwrap_or(range.end);
            let two = lower(&text[range.clone()]).into_owned();
            self.push(two, range, TokenShape::Bigram);
        }
    }

    fn push(&mut self, lower: String, range: Range<usize>, shape: TokenShape) {
        let folded = match fold(&lower) {
            Cow::Borrowed(_) => lower.clone(),
            Cow::Owned(folded) => folded,
        };
        self.found.push(SearchToken {
            lower,
            folded,
            range,
            position: self.position,
            shape,
        });
        self.position += 1;
    }
}

/// Returns the parts of a stem by which compounds are found; none if it is not longer than a part.
pub(crate) fn grams(stem: &str) -> impl Iterator<Item = &str> {
    let starts: Vec<usize> = stem.char_indices().map(|(at, _)| at).collect();
    let count = match starts.len() {
        length if length > GRAM => length - GRAM + 1,
        _ => 0,
    };
    (0..count).map(move |at| {
        let end = starts.get(at + GRAM).copied().unwrap_or(stem.len());
        &stem[starts[at]..end]
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    fn folded(text: &str) -> Vec<String> {
        tokens(text).into_iter().map(|token| token.folded).collect()
    }

    #[test]
    fn words_lose_case_and_accents() {
        assert_eq!(folded("L’Étude du CŒUR"), ["l", "etude", "du", "coeur"]);
        assert_eq!(folded("Straße, Ærø & łódź"), ["strasse", "aero", "lodz"]);
        assert_eq!(folded("ｆｕｌｌ ﬁne x² CO₂"), ["full", "fine", "x2", "co2"]);
        assert_eq!(folded("e\u{301}te\u{301} e\u{ad}te"), ["ete", "ete"]);
    }

    #[test]
    fn scripts_without_spaces_become_bigrams() {
        assert_eq!(folded("東京都は"), ["東京", "京都", "都は"]);
        assert_eq!(folded("ガス GPU 水"), ["ガス", "gpu", "水"]);
        assert_eq!(folded("ｶﾞｽ灯"), ["ガス", "ス灯"]);
        assert_eq!(folded("한국어"), ["한국", "국어"]);
    }

    #[test]
    fn words_hyphenated_at_a_line_end_are_found_whole_and_in_parts() {
        let tokens = tokens("the co-\noperation of well-known men");
        let found: Vec<_> = tokens
            .iter()
            .map(|token| (token.folded.as_str(), token.position))
            .collect();
        assert_eq!(
            found,
            [
                ("the", 0),
                ("co", 1),
                ("operation", 2),
                ("cooperation", 1),
                ("of", 3),
                ("well", 4),
                ("known", 5),
                ("men", 6)
            ]
        );
        assert_eq!(tokens[3].range, 4..17);
    }

    #[test]
    fn stems_are_made_with_and_without_accents() {
        let token = |word: &str| tokens(word).remove(0);
        let french = Language::from_code("fr");
        assert_eq!(token("maisons").stems(french).0.as_deref(), Some("maison"));
        let accented = token("privilégiées").stems(french);
        let plain = token("privilegiees").stems(french);
        assert!(accented.0 == plain.0 || accented.1 == plain.0);
        assert_eq!(token("東京").stems(french), (None, None));
    }

    #[test]
    fn compounds_have_parts() {
        assert_eq!(
            grams("haushalt").collect::<Vec<_>>(),
            ["haus", "aush", "usha", "shal", "halt"]
        );
        assert_eq!(grams("haus").count(), 0);
    }
}
