//! Search of the index.

mod language_guess;
mod ranked_chunks;
mod term_matches;

use std::ops::Range;

use documents::ContentId;
use tantivy::schema::{IndexRecordOption, Value};
use tantivy::{DocAddress, DocId, DocSet, Searcher, TERMINATED, TantivyDocument, Term};

use super::postings::{Occurrences, find_any, find_phrase};
use super::ranking::OwnerStatistics;
use super::scope::{SegmentScope, each_posting};
use super::{ChunkIndex, IndexError, StoredChunk};
use crate::chunk::ChunkId;
use crate::language::Language;
use crate::query::{MAX_QUERY_WORDS, SearchQuery};
use crate::vectors::VectorArena;
use language_guess::query_language;
use ranked_chunks::{ConnectedChunks, RankedChunks};
use term_matches::MatchFinder;

pub use ranked_chunks::{ListRank, RankedListName};
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
#[derive(Clone, Copy)]
pub struct ChunkSearchRequest<'a> {
    /// Query.
    pub query: &'a SearchQuery,
    /// Chunks that may be returned.
    pub filter: &'a SearchFilter,
    /// Lists beside full text.
    pub lists: SearchLists<'a>,
    /// Largest number of hits.
    pub limit: usize,
    /// Number of hits before the first that is returned.
    pub offset: usize,
}

/// Lists of a search beside full text.
#[derive(Clone, Copy, Default)]
pub struct SearchLists<'a> {
    /// Comparison of vectors.
    pub vectors: Option<VectorSearch<'a>>,
    /// Documents that are connected to what is searched for, with the strengths of the connections.
    pub connected: &'a [(ContentId, f32)],
}

/// Comparison of the vectors of chunks with that of the query.
#[derive(Clone, Copy)]
pub struct VectorSearch<'a> {
    /// Vectors of chunks.
    pub arena: &'a VectorArena,
    /// Returns the vector of the query in a language with the weight of its list; `None` leaves the list out. It is
    /// called once the language is known, because a model knows only some languages.
    pub query_vector: &'a dyn Fn(Language) -> Option<(Vec<f32>, f32)>,
    /// True ranks by vectors alone, if the query has one.
    pub is_alone: bool,
}

/// Chunk that was found.
#[derive(Debug, Clone, PartialEq)]
pub struct ChunkHit {
    /// Chunk.
    pub chunk: StoredChunk,
    /// Score; the sum of the contributions of the lists.
    pub score: f32,
    /// Ranks in the lists that found it.
    pub ranks: Vec<ListRank>,
    /// Contributions of the terms of the query to its full-text score, in their order.
    pub terms: Vec<TermContribution>,
}

/// Result of a search.
#[derive(Debug, Clone, Default, PartialEq)]
pub struct ChunkSearchOutcome {
    /// Hits, the best first.
    pub hits: Vec<ChunkHit>,
    /// Number of chunks that match, including those before and after the returned hits.
    pub total: usize,
    /// Remarks for people about the query, such as a phrase that was not found.
    pub notes: Vec<String>,
}

impl ChunkIndex {
    /// Returns the best chunks for a query.
    pub fn search(
        &self,
        request: &ChunkSearchRequest<'_>,
    ) -> Result<ChunkSearchOutcome, IndexError> {
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
        let mut ranked = RankedChunks::by_text(&scopes, &allowed, &terms);
        if let Some(vectors) = request.lists.vectors {
            let language = query_language(&finder, request.query)?;
            if let Some((vector, weight)) = (vectors.query_vector)(language)
                && let Ok(comparison) = vectors.arena.compare(&vector)
            {
                ranked.add_vectors(&scopes, &allowed, &comparison, weight);
                if vectors.is_alone {
                    ranked.leave_out_text();
                }
            }
        }
        if !request.lists.connected.is_empty() {
            let chunks = self.chunks_of(&searcher, request.lists.connected, &allowed)?;
            ranked.add_connected(chunks);
        }
        let total = ranked.total();
        let page = ranked.into_page(request.offset, request.limit);
        let mut hits = Vec::with_capacity(page.len());
        for ranked in page {
            let terms = terms.iter();
            hits.push(ChunkHit {
                chunk: self.stored(&searcher, ranked.address)?,
                score: ranked.score,
                ranks: ranked.ranks,
                terms: terms
                    .filter_map(|term| term.contribution(ranked.address))
                    .collect(),
            });
        }
        Ok(ChunkSearchOutcome { hits, total, notes })
    }

    /// Returns the allowed chunks of connected documents, with the strengths of the connections.
    fn chunks_of(
        &self,
        searcher: &Searcher,
        documents: &[(ContentId, f32)],
        allowed: &[Vec<bool>],
    ) -> Result<Vec<ConnectedChunks>, IndexError> {
        let of_document = |(document, strength): &(ContentId, f32)| {
            let mut chunks = Vec::new();
            let segments = (0..).zip(searcher.segment_readers()).zip(allowed);
            for ((segment, reader), allowed) in segments {
                let index = reader.inverted_index(self.fields.document)?;
                let term = Term::from_field_text(self.fields.document, &document.to_string());
                let postings = index.read_postings(&term, IndexRecordOption::Basic)?;
                let Some(mut postings) = postings else {
                    continue;
                };
                each_posting(&mut postings, |doc, _| {
                    if allowed[doc as usize] {
                        chunks.push(DocAddress::new(segment, doc));
                    }
                });
            }
            Ok(ConnectedChunks {
                chunks,
                strength: *strength,
            })
        };
        documents.iter().map(of_document).collect()
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

    pub(super) fn stored(
        &self,
        searcher: &Searcher,
        address: DocAddress,
    ) -> Result<StoredChunk, IndexError> {
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
