//! Matches of the words of a query.

use std::collections::HashMap;

use tantivy::{DocAddress, DocId};

use super::super::IndexError;
use super::super::postings::{TermField, count, find_any, merge};
use super::super::ranking::{OwnerStatistics, Scores};
use super::super::schema::IndexFields;
use super::super::scope::SegmentScope;
use super::super::spelling::{allowed_edits, words_with_prefix, words_within};
use super::language_guess::guess_language;
use crate::analysis::{SearchToken, TokenShape, grams, tokens};
use crate::language::Language;
use crate::query::{QueryWord, SearchQuery};
use crate::term::{gram_term, stem_term};

/// Weight of a longer word that begins with the last word of the query.
const PREFIX_WEIGHT: f32 = 0.4;
/// Weight of a word that is one edit away; a word two edits away has its square.
const EDIT_WEIGHT: f32 = 0.8;
/// Largest number of chunks with a word that may still be misspelled.
const FEW_CHUNKS: usize = 1;
/// Weight of title and headings.
const CONTEXT_WEIGHT: f32 = 0.3;
/// Weight of each part of a compound.
const GRAM_WEIGHT: f32 = 0.2;
/// Share of the parts of a word that a chunk without the word itself must contain.
const MIN_GRAM_SHARE: f32 = 0.6;
/// Least number of letters of a prefix that is completed; ideographs carry more than letters.
const MIN_PREFIX: usize = 2;

/// Kind of a match.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum TermMatchKind {
    /// Word, or another form of it.
    Word,
    /// Longer word that begins with the word.
    Prefix,
    /// Word with another spelling.
    Spelling,
    /// Word in title or headings only.
    Heading,
    /// Part of a compound.
    Compound,
}

/// Contribution of a word of the query to the score of a chunk.
#[derive(Debug, Clone, PartialEq)]
pub struct TermContribution {
    /// Word of the query.
    pub word: String,
    /// Kind of the match.
    pub kind: TermMatchKind,
    /// Words that were searched for: the word itself, longer ones, or other spellings.
    pub searched: Vec<String>,
    /// Contribution to the score.
    pub score: f32,
}

/// Chunks that match a word of the query.
pub(super) struct TermMatch {
    word: String,
    kind: TermMatchKind,
    searched: Vec<String>,
    pub(super) scores: Scores,
}

impl TermMatch {
    /// Returns the contribution to a chunk; `None` if it does not match.
    pub(super) fn contribution(&self, address: DocAddress) -> Option<TermContribution> {
        let scores = self.scores.get(address.segment_ord as usize)?;
        let at = scores
            .binary_search_by_key(&address.doc_id, |(doc, _)| *doc)
            .ok()?;
        Some(TermContribution {
            word: self.word.clone(),
            kind: self.kind,
            searched: self.searched.clone(),
            score: scores[at].1,
        })
    }
}

/// Finds the chunks that match the words of a query.
pub(super) struct MatchFinder<'a> {
    pub(super) scopes: &'a [SegmentScope],
    pub(super) fields: &'a IndexFields,
    pub(super) statistics: OwnerStatistics,
    /// Languages of the index.
    pub(super) languages: Vec<Language>,
}

impl MatchFinder<'_> {
    /// Returns the matches of all words.
    pub(super) fn find(&self, query: &SearchQuery) -> Result<Vec<TermMatch>, IndexError> {
        let mut matches = Vec::new();
        for word in &query.words {
            self.add_word(word, &mut matches)?;
        }
        let has_compounds = self
            .languages
            .iter()
            .any(|language| language.has_compounds());
        if has_compounds
            && let Some(language) = guess_language(self, &query.words)?
            && language.has_compounds()
        {
            for word in &query.words {
                self.add_compounds(&word.token, language, &mut matches)?;
            }
        }
        Ok(matches)
    }

    /// Returns the terms by which a word is found: the word, and its stems in all languages of the index.
    pub(super) fn variants(&self, token: &SearchToken) -> Vec<(TermField, String)> {
        let mut variants = vec![(TermField::Words, token.folded.clone())];
        for language in &self.languages {
            let (stem, other) = token.stems(*language);
            let stems = stem.into_iter().chain(other);
            variants.extend(stems.map(|stem| (TermField::Terms, stem_term(*language, &stem))));
        }
        variants
    }

    fn add_word(&self, word: &QueryWord, matches: &mut Vec<TermMatch>) -> Result<(), IndexError> {
        let token = &word.token;
        let variants = self.variants(token);
        let found = find_any(self.scopes, self.fields, &variants)?;
        let mut scores = self.statistics.text_scores(self.scopes, &found, 1.0);
        let is_rare = count(&found) <= FEW_CHUNKS;
        let (mut kind, mut searched) = (TermMatchKind::Word, vec![token.folded.clone()]);

        let mut others: Vec<(Vec<String>, f32, TermMatchKind)> = Vec::new();
        if word.is_prefix && token.folded.chars().count() >= self.min_prefix(token) {
            let words = words_with_prefix(self.scopes, &token.folded)?;
            others.push((words, PREFIX_WEIGHT, TermMatchKind::Prefix));
        }
        if is_rare && let Some((words, edits)) = self.respelled(token)? {
            let weight = EDIT_WEIGHT.powi(i32::from(edits));
            others.push((words, weight, TermMatchKind::Spelling));
        }
        for (words, weight, other_kind) in
            others.into_iter().filter(|(words, ..)| !words.is_empty())
        {
            let variants = self.variants_of(&words, other_kind);
            let other = find_any(self.scopes, self.fields, &variants)?;
            if count(&other) == 0 {
                continue;
            }
            let other = self.statistics.text_scores(self.scopes, &other, weight);
            scores = join(scores, other, f32::max);
            if is_rare {
                kind = other_kind;
                searched.extend(words);
            }
        }
        matches.push(TermMatch {
            word: token.folded.clone(),
            kind,
            searched,
            scores,
        });

        let in_context = variants
            .into_iter()
            .map(|(_, term)| (TermField::Context, term));
        let found = find_any(self.scopes, self.fields, &in_context.collect::<Vec<_>>())?;
        if count(&found) > 0 {
            matches.push(TermMatch {
                word: token.folded.clone(),
                kind: TermMatchKind::Heading,
                searched: vec![token.folded.clone()],
                scores: self
                    .statistics
                    .context_scores(self.scopes, &found, CONTEXT_WEIGHT),
            });
        }
        Ok(())
    }

    fn min_prefix(&self, token: &SearchToken) -> usize {
        match token.shape {
            TokenShape::Word => MIN_PREFIX,
            TokenShape::Bigram => 1,
        }
    }

    /// Returns the words with another spelling, by their distance: only the closest, if there are any of the owner.
    fn respelled(&self, token: &SearchToken) -> Result<Option<(Vec<String>, u8)>, IndexError> {
        let edits = match token.shape {
            TokenShape::Word => allowed_edits(&token.folded),
            TokenShape::Bigram => 0,
        };
        if edits == 0 {
            return Ok(None);
        }
        let close = words_within(self.scopes, &token.folded, edits)?;
        for distance in 1..=edits {
            let mut words = Vec::new();
            for (word, _) in close.iter().filter(|(_, other)| *other == distance) {
                let term = [(TermField::Words, word.clone())];
                if count(&find_any(self.scopes, self.fields, &term)?) > 0 {
                    words.push(word.clone());
                }
            }
            if !words.is_empty() {
                return Ok(Some((words, distance)));
            }
        }
        Ok(None)
    }

    fn variants_of(&self, words: &[String], kind: TermMatchKind) -> Vec<(TermField, String)> {
        if kind == TermMatchKind::Prefix {
            let own = words.iter().map(|word| (TermField::Words, word.clone()));
            return own.collect();
        }
        let tokens = words.iter().flat_map(|word| tokens(word));
        tokens.flat_map(|token| self.variants(&token)).collect()
    }

    /// Adds the chunks that contain parts of a word, as in compounds.
    fn add_compounds(
        &self,
        token: &SearchToken,
        language: Language,
        matches: &mut Vec<TermMatch>,
    ) -> Result<(), IndexError> {
        let Some(stem) = token.stems(language).0 else {
            return Ok(());
        };
        let parts: Vec<&str> = grams(&stem).collect();
        let mut sums: Vec<HashMap<DocId, (f32, usize)>> = vec![HashMap::new(); self.scopes.len()];
        for part in &parts {
            let term = [(TermField::Terms, gram_term(language, part))];
            let found = find_any(self.scopes, self.fields, &term)?;
            let scores = self
                .statistics
                .text_scores(self.scopes, &found, GRAM_WEIGHT);
            for (sums, scores) in sums.iter_mut().zip(scores) {
                for (doc, score) in scores {
                    let sum = sums.entry(doc).or_default();
                    *sum = (sum.0 + score, sum.1 + 1);
                }
            }
        }
        let needed = (parts.len() as f32 * MIN_GRAM_SHARE).ceil() as usize;
        let of_segment = |sums: HashMap<DocId, (f32, usize)>| {
            let enough = sums.into_iter().filter(|(_, (_, parts))| *parts >= needed);
            let mut scores: Vec<(DocId, f32)> =
                enough.map(|(doc, (score, _))| (doc, score)).collect();
            scores.sort_unstable_by_key(|(doc, _)| *doc);
            scores
        };
        matches.push(TermMatch {
            word: token.folded.clone(),
            kind: TermMatchKind::Compound,
            searched: vec![token.folded.clone()],
            scores: sums.into_iter().map(of_segment).collect(),
        });
        Ok(())
    }
}

fn join(left: Scores, right: Scores, with: impl Fn(f32, f32) -> f32) -> Scores {
    let segments = left.into_iter().zip(right);
    segments
        .map(|(left, right)| merge(left, right, &with))
        .collect()
}
