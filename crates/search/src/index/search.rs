//! Search of the index.

mod language_guess;
mod term_matches;

use std::ops::Range;

use documents::ContentId;
use tantivy::schema::{IndexRecordOption, Value};
use tantivy::{DocAddress, DocId, DocSet, Searcher, TERMINATED, TantivyDocument, Term};

use super::postings::{Occurrences, find_any, find_phrase};
use super::ranking::OwnerStatistics;
use super::scope::SegmentScope;
use super::{ChunkIndex, IndexError, StoredChunk};
use crate::chunk::ChunkId;
use crate::language::Language;
use crate::query::{MAX_QUERY_WORDS, SearchQuery};
use term_matches::{MatchFinder, TermMatch};

pub use term_matches::{TermContribution, TermMatchKind};

/// Chunks that a search may return. All conditions must hold.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct SearchFilter {
    /// Owner.
    pub owner: String,
    /// Documents, any of them; `None` for all.
    pub documents: Option<Vec<ContentId>>,
    /// Labels, all of them.
    pub labels: Vec<String>,
    /// Codes of languages, any of them; `None` for all.
    pub languages: Option<Vec<String>>,
    /// Time of attachment, in milliseconds since 1970.
    pub created: Option<Range<i64>>,
}

impl SearchFilter {
    /// Returns a filter that allows all chunks of an owner.
    pub fn of_owner(owner: impl Into<String>) -> Self {
        Self {
            owner: owner.into(),
            ..Self::default()
        }
    }
}

/// Search for chunks.
#[derive(Debug, Clone, Copy)]
pub struct TextSearchRequest<'a> {
    /// Query.
    pub query: &'a SearchQuery,
    /// Chunks that may be returned.
    pub filter: &'a SearchFilter,
    /// Largest number of hits.
    pub limit: usize,
    /// Number of hits before the first that is returned.
    pub offset: usize,
}

/// Chunk that was found.
#[derive(Debug, Clone, PartialEq)]
pub struct TextHit {
    /// Chunk.
    pub chunk: StoredChunk,
    /// Score; the sum of the contributions.
    pub score: f32,
    /// Contributions of the terms of the query, in their order.
    pub terms: Vec<TermContribution>,
}

/// Result of a search.
#[derive(Debug, Clone, Default, PartialEq)]
pub struct TextSearchOutcome {
    /// Hits, the best first.
    pub hits: Vec<TextHit>,
    /// Number of chunks that match, including those before and after the returned hits.
    pub total: usize,
    /// Remarks for people about the query, such as a phrase that was not found.
    pub notes: Vec<String>,
}

impl ChunkIndex {
    /// Returns the best chunks for a query.
    pub fn search(&self, request: &TextSearchRequest<'_>) -> Result<TextSearchOutcome, IndexError> {
        let searcher = self.reader.searcher();
        let scopes: Vec<SegmentScope> = searcher
            .segment_readers()
            .iter()
            .map(|reader| SegmentScope::new(reader, &self.fields, request.filter))
            .collect::<Result<_, _>>()?;
        let finder = MatchFinder {
            scopes: &scopes,
            fields: &self.fields,
            statistics: OwnerStatistics::new(&scopes),
            languages: languages(&searcher, self.fields.language)?,
        };
        let mut notes = Vec::new();
        if request.query.is_truncated {
            notes.push(format!(
                "The query has many words; the first {MAX_QUERY_WORDS} were searched."
            ));
        }
        let terms = finder.find(request.query)?;
        let allowed = self.allowed(&finder, request.query, &mut notes)?;
        let (ranked, total) = rank(&scopes, &allowed, &terms, request);
        let mut hits = Vec::with_capacity(ranked.len());
        for (score, address) in ranked {
            hits.push(TextHit {
                chunk: self.stored(&searcher, address)?,
                score,
                terms: terms
                    .iter()
                    .filter_map(|term| term.contribution(address))
                    .collect(),
            });
        }
        Ok(TextSearchOutcome { hits, total, notes })
    }

    /// Returns a chunk of an owner by its id.
    pub fn chunk(&self, owner: &str, id: ChunkId) -> Result<Option<StoredChunk>, IndexError> {
        let searcher = self.reader.searcher();
        let filter = SearchFilter::of_owner(owner);
        for (segment, reader) in (0..).zip(searcher.segment_readers()) {
            let term = Term::from_field_text(self.fields.chunk, &id.to_string());
            let index = reader.inverted_index(self.fields.chunk)?;
            let Some(mut postings) = index.read_postings(&term, IndexRecordOption::Basic)? else {
                continue;
            };
            let scope = SegmentScope::new(reader, &self.fields, &filter)?;
            while postings.doc() != TERMINATED {
                if scope.owned[postings.doc() as usize] {
                    let address = DocAddress::new(segment, postings.doc());
                    return self.stored(&searcher, address).map(Some);
                }
                postings.advance();
            }
        }
        Ok(None)
    }

    /// Restricts the chunks to those with the phrases and without the excluded words.
    fn allowed(
        &self,
        finder: &MatchFinder<'_>,
        query: &SearchQuery,
        notes: &mut Vec<String>,
    ) -> Result<Vec<Vec<bool>>, IndexError> {
        let scopes = finder.scopes;
        let mut allowed: Vec<Vec<bool>> =
            scopes.iter().map(|scope| scope.allowed.clone()).collect();
        for phrase in &query.excluded {
            let found = match &phrase[..] {
                [word] => find_any(scopes, &self.fields, &finder.variants(word))?,
                words => find_phrase(scopes, &self.fields, words)?,
            };
            for (allowed, found) in allowed.iter_mut().zip(found) {
                found
                    .iter()
                    .for_each(|(doc, _)| allowed[*doc as usize] = false);
            }
        }
        for phrase in &query.phrases {
            let found = find_phrase(scopes, &self.fields, phrase)?;
            let restricted = restrict(&allowed, &found);
            if restricted.iter().flatten().any(|allowed| *allowed) {
                allowed = restricted;
            } else {
                let words: Vec<&str> = phrase.iter().map(|word| word.lower.as_str()).collect();
                let words = words.join(" ");
                notes.push(format!(
                    "The phrase \"{words}\" was not found; its words were searched."
                ));
            }
        }
        Ok(allowed)
    }

    fn stored(&self, searcher: &Searcher, address: DocAddress) -> Result<StoredChunk, IndexError> {
        let document: TantivyDocument = searcher.doc(address)?;
        let data = document
            .get_first(self.fields.data)
            .and_then(|value| value.as_bytes())
            .unwrap_or_default();
        postcard::from_bytes(data).map_err(|error| IndexError::Damaged(error.to_string()))
    }
}

/// Returns the allowed chunks that are among those found.
fn restrict(allowed: &[Vec<bool>], found: &Occurrences) -> Vec<Vec<bool>> {
    let of_segment = |(allowed, found): (&Vec<bool>, &Vec<(DocId, u32)>)| {
        let mut restricted = vec![false; allowed.len()];
        for (doc, _) in found {
            restricted[*doc as usize] = allowed[*doc as usize];
        }
        restricted
    };
    allowed.iter().zip(found).map(of_segment).collect()
}

/// Returns the languages of the index.
fn languages(
    searcher: &Searcher,
    field: tantivy::schema::Field,
) -> Result<Vec<Language>, IndexError> {
    let mut languages = Vec::new();
    for reader in searcher.segment_readers() {
        let index = reader.inverted_index(field)?;
        let mut stream = index.terms().stream()?;
        while let Some((key, _)) = stream.next() {
            let language = std::str::from_utf8(key).map_or(Language::UNKNOWN, Language::from_code);
            if !languages.contains(&language) {
                languages.push(language);
            }
        }
    }
    languages.sort_unstable();
    Ok(languages)
}

/// Returns the addresses of the requested hits with their scores, and the number of all matches.
fn rank(
    scopes: &[SegmentScope],
    allowed: &[Vec<bool>],
    terms: &[TermMatch],
    request: &TextSearchRequest<'_>,
) -> (Vec<(f32, DocAddress)>, usize) {
    let mut ranked: Vec<(f32, u64, DocAddress)> = Vec::new();
    for (segment, (scope, allowed)) in scopes.iter().zip(allowed).enumerate() {
        let mut scores = vec![0.0_f32; allowed.len()];
        for (doc, score) in terms.iter().flat_map(|term| &term.scores[segment]) {
            scores[*doc as usize] += score;
        }
        let ordinal = u32::try_from(segment).unwrap_or(u32::MAX);
        let matching = (0..).zip(scores).zip(allowed);
        let matching = matching.filter(|((_, score), allowed)| **allowed && *score > 0.0);
        ranked.extend(matching.map(|((doc, score), _)| {
            (
                score,
                scope.keys.get_val(doc),
                DocAddress::new(ordinal, doc),
            )
        }));
    }
    let total = ranked.len();
    let end = request.offset.saturating_add(request.limit).min(total);
    let order = |a: &(f32, u64, DocAddress), b: &(f32, u64, DocAddress)| {
        b.0.total_cmp(&a.0).then(a.1.cmp(&b.1))
    };
    if end < total {
        ranked.select_nth_unstable_by(end, order);
        ranked.truncate(end);
    }
    ranked.sort_by(order);
    let page = ranked.into_iter().skip(request.offset);
    (
        page.map(|(score, _, address)| (score, address)).collect(),
        total,
    )
}
