//! Language of a query, judged by the chunks themselves.

use super::super::IndexError;
use super::super::postings::{TermField, count, find_any};
use super::MatchFinder;
use crate::language::{Language, LanguageDetector};
use crate::query::{QueryWord, SearchQuery};
use crate::term::stem_term;

/// Returns the language of a query: the one in whose chunks its words are most common, unless the query is long enough
/// to tell that it is in another. A question in German about English documents is German.
pub(super) fn query_language(
    finder: &MatchFinder<'_>,
    query: &SearchQuery,
) -> Result<Language, IndexError> {
    if let Some(detected) = LanguageDetector::default().detect(query.text())
        && detected.is_reliable
    {
        return Ok(detected.language);
    }
    Ok(guess_language(finder, &query.words)?.unwrap_or(Language::UNKNOWN))
}

/// Returns the language of the index in whose chunks the words of a query are most common.
///
/// A query is too short for a detector, but its common words are in many chunks of its own language and in few of
/// others.
pub(super) fn guess_language(
    finder: &MatchFinder<'_>,
    words: &[QueryWord],
) -> Result<Option<Language>, IndexError> {
    let mut best: Option<(f32, Language)> = None;
    for language in finder.languages.iter().copied() {
        let mut likelihood = 0.0;
        for word in words {
            let Some(stem) = word.token.stems(language).0 else {
                likelihood += UNSEEN.ln();
                continue;
            };
            let term = [(TermField::Terms, stem_term(language, &stem))];
            let found = count(&find_any(finder.scopes, finder.fields, &term)?);
            let share = found as f32 / finder.statistics.chunks.max(1) as f32;
            likelihood += share.max(UNSEEN).ln();
        }
        if best.is_none_or(|(other, _)| likelihood > other) {
            best = Some((likelihood, language));
        }
    }
    Ok(best.map(|(_, language)| language))
}

/// Share of the chunks that is assumed for a word that is in none.
const UNSEEN: f32 = 1e-5;
